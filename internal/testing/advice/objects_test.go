// SPDX-License-Identifier: MPL-2.0

package advice_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

const agreedThen = `agreement_time = "2020-01-31T12:00:00Z"`

// choose records a later choice of the person at the service.
func choose(s *stage) {
	s.service.PutConsent(scope, "ann", mockserver.ConsentRecord{AgreementTime: "2022-01-31T12:00:00Z"})
}

// loseConsent makes the service lose the record of the person.
func loseConsent(s *stage) { s.service.DeleteConsent(scope, "ann") }

// consents are the advices about single consents.
var consents = map[string]play{
	"nothing, or bring the configuration up to the person's choice. To overwrite it, on legal grounds": {
		configuration: consent("x", agreedThen), situation: applied(choose), says: plan,
		follow: configure(consent("x", agreedThen, "keep_later_choice = false")),
	},
	"look at the service for a consent. If": {
		configuration: consent("x", agreedThen), situation: applied(loseConsent), says: plan,
	},
	"if the service wants an agreement_time or an address": {
		configuration: consent("x", agreedThen, withdraws),
		situation:     applied(answered(mockserver.OpUpdateConsent, http.StatusBadRequest, `{"error":{"fields":{"agreement_time":"is required"}}}`)),
		says:          []string{"destroy", "-auto-approve"},
		follow: inOrder(reach(strings.ReplaceAll(consent("x", `agreement_time = "2021-01-31T12:00:00Z"`, withdraws), "consent = true", "consent = false")),
			run("destroy", "-auto-approve"), configure("")),
	},
	"apply the resources that these values come from first": {
		configuration: consent("x", agreedThen),
		situation: applied(choose, run(apply...),
			configure("\nresource \"terraform_data\" \"time\" {\n  input = \"2020-01-31T12:00:00Z\"\n}\n"+consent("x", "agreement_time = terraform_data.time.output"))), says: plan,
		follow: run("apply", "-auto-approve", "-target=terraform_data.time"),
	},
	"keep one of them and take the other one, or its rows, out": {
		configuration: consent("x", agreedThen) + consent("y", agreedThen),
		follow:        configure(consent("x", agreedThen)),
	},
	"keep the first resource in the configuration, apply on_destroy = \"retain\", and remove it then. If": {
		configuration: consent("x", agreedThen, withdraws) + consent("y", agreedThen), situation: applied(configure(consent("y", agreedThen))), says: plan,
		follow: inOrder(reach(consent("x", agreedThen)+consent("y", agreedThen)), configure(consent("y", agreedThen))),
	},
	"if the resource belongs where it was": {
		configuration: consent("x", agreedThen), situation: applied(set("ANALYTICS_PROJECT_ID", "shop")), says: plan,
		follow: configure(consent("x", agreedThen, `org_id = "org-demo"`, `project_id = "web"`)),
	},
}

func file(name string, lines ...string) string {
	return block("resource", "export_file", name, lines...)
}

const (
	aDay   = `utc_date = "2026-01-31"`
	toPath = `path = "day.ndjson"`
)

var today = `utc_date = "` + time.Now().UTC().Format(time.DateOnly) + `"`

// exports are the advices about exports.
var exports = map[string]play{
	"choose another path, remove the file, or set overwrite": {
		configuration: file("x", aDay, toPath), situation: write("day.ndjson", ""), follow: configure(file("x", aDay, toPath, "overwrite = true")),
	},
	"create the folder, correct path, or set create_directories": {
		configuration: file("x", aDay, `path = "a/day.ndjson"`), follow: configure(file("x", aDay, `path = "a/day.ndjson"`, "create_directories = true")),
	},
	"give each resource a path of its own.": {
		configuration: file("x", aDay, toPath) + file("y", aDay, toPath), follow: configure(file("x", aDay, `path = "x.ndjson"`) + file("y", aDay, `path = "y.ndjson"`)),
	},
	"correct path, or what is at that path": {
		configuration: file("x", aDay, toPath), situation: makeFolder("day.ndjson"), follow: remove("day.ndjson"),
	},
	"raise max_bytes, ask for fewer kinds, or compress the file": {
		configuration: file("x", aDay, toPath, "max_bytes = 1"), follow: configure(file("x", aDay, toPath)),
	},
	"export a day that is over": {configuration: file("x", today, toPath), follow: configure(file("x", aDay, toPath))},
	"choose a day that is over": {configuration: file("x", `utc_date = "2999-01-31"`, toPath), follow: configure(file("x", aDay, toPath))},
	"put {kind} into path, which writes one file for each kind": {
		configuration: file("x", aDay, toPath, `with_kind = false`, `kinds = ["persons", "events"]`), follow: configure(file("x", aDay, `path = "{kind}.ndjson"`)),
	},
	"set org_id and project_id, in this block or in the provider block": {
		configuration: file("x", aDay, toPath, `account_id = "acct-7"`), follow: configure(file("x", aDay, toPath)),
	},
	"nothing, or move what is there away, or remove the resource": {configuration: file("x", aDay, toPath), situation: applied(write("day.ndjson", "{}")), says: plan, follow: remove("day.ndjson")},
	"delete it yourself when it is no longer": {
		configuration: file("x", aDay, toPath), situation: applied(write("day.ndjson", "{}"), configure(file("x", aDay, `path = "new.ndjson"`))), follow: remove("day.ndjson"),
	},
	"use the resource analytics_export_file, which writes a day of any size to a file and none": {
		configuration: block("data", "export", "x", aDay, "max_bytes = 1"), follow: configure(file("x", aDay, toPath)),
	},
}

// settings are the advices about the provider block.
var settings = map[string]play{
	"set base_url in the provider block":  {configuration: consent("x"), situation: set("ANALYTICS_BASE_URL", ""), follow: toService},
	"set org_id and project_id, or accou": {configuration: consent("x"), situation: inOrder(set("ANALYTICS_ORG_ID", ""), set("ANALYTICS_PROJECT_ID", "")), follow: inOrder(set("ANALYTICS_ORG_ID", "org-demo"), set("ANALYTICS_PROJECT_ID", "web"))},
	"set email and password in the provider block": {
		needs: acctest.Ephemeral, configuration: block("ephemeral", "session_token", "x") + consent("x"), follow: toLogin,
	},
	"apply the resources that this value comes from first (-target), or set it": {
		configuration: "\nresource \"terraform_data\" \"x\" {\n  input = \"web\"\n}\nprovider \"analytics\" {\n  project_id = terraform_data.x.output\n  org_id = \"org-demo\"\n}\n" +
			block("data", "pending_requests", "all"),
		follow: run("apply", "-auto-approve", "-target=terraform_data.x"),
	},
}

// rows writes the file of a batch.
func rows(lines ...string) func(*stage) {
	text := "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time\n"
	for _, line := range lines {
		text += line + "\n"
	}
	return write("rows.csv", text)
}

const (
	annAgrees = "ann,true,true,true,true,true,2020-01-31T12:00:00Z"
	bobAgrees = "bob,true,true,true,true,true,2020-01-31T12:00:00Z"
)

func batch(name string, lines ...string) string {
	return block("resource", "consent_batch", name, append([]string{`source = "rows.csv"`}, lines...)...)
}

// batches are the advices about consents in a file.
var batches = map[string]play{
	"correct these lines; nothing is sent before":     {configuration: batch("x"), situation: rows("ann,maybe,,,,,"), follow: rows(annAgrees)},
	"check the path, which is relative to the folder": {configuration: batch("x"), follow: rows(annAgrees)},
	"apply again: rows that are in place are compared only": {
		configuration: batch("x"),
		situation:     inOrder(rows(annAgrees, bobAgrees), inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Identity: "bob", Status: http.StatusBadRequest, Body: []byte(`{}`), Times: 1})),
	},
	"give report_path a path of its own, in a folder that exists.": {
		configuration: batch("x", `report_path = "missing/report.json"`), situation: rows(annAgrees), follow: makeFolder("missing"),
	},
	"nothing, or bring the rows up to the choices": {
		configuration: batch("x"), situation: inOrder(rows(annAgrees), applied(choose)), says: plan,
		follow: rows("ann,false,false,false,false,false,2022-01-31T12:00:00Z"),
	},
	"put the file back that was planned or applied": {
		configuration: batch("x", withdraws), situation: inOrder(rows(annAgrees), applied(rows(annAgrees, bobAgrees))), says: []string{"destroy", "-auto-approve"},
		follow: rows(annAgrees),
	},
	"plan again. With compare_at_plan = false": {
		configuration: batch("x"),
		situation:     inOrder(rows(annAgrees), inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: http.StatusForbidden, Body: []byte(`{}`)})), says: plan,
	},
	"destroy again: rows that are withdrawn stay so": {
		configuration: batch("x", withdraws),
		situation: inOrder(rows(annAgrees, bobAgrees), applied(
			inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Identity: "bob", Status: http.StatusBadRequest, Body: []byte(`{}`)}))),
		says: []string{"destroy", "-auto-approve"}, follow: inOrder(run("destroy", "-auto-approve"), configure("")),
	},
	"check the file, the scope and base_url": {
		configuration: batch("x"), situation: inOrder(rows(annAgrees), applied(loseConsent)), says: plan,
		follow: configure(batch("x", "max_new_records = 1")),
	},
	"tell the provider so, in the provider block": {
		configuration: batch("x"), service: mocktest.KeepsTimes(time.Minute),
		situation: inOrder(rows("ann,true,true,true,true,true,2020-01-31T12:00:30Z"), applied()), says: plan,
		follow: configure(batch("x") + "\nprovider \"analytics\" {\n  wire {\n    lag = \"0s\"\n    consent {\n      time_kept = \"minute\"\n    }\n  }\n}\n"),
	},
	"apply on_destroy = \"retain\" in all shards of the file first": {
		configuration: shard("x", 0, 1, withdraws), situation: inOrder(rows(annAgrees, bobAgrees), applied(configure(shard("x", 0, 2, withdraws)+shard("y", 1, 2, withdraws)))), says: plan,
		follow: inOrder(reach(shard("x", 0, 1)), reach(shard("x", 0, 2)+shard("y", 1, 2)),
			configure(shard("x", 0, 2, withdraws)+shard("y", 1, 2, withdraws))),
	},
}

const withdraws = `on_destroy = "withdraw"`

func shard(name string, index, count int, lines ...string) string {
	return batch(name, append(lines, "shard = {", fmt.Sprint("  index = ", index), fmt.Sprint("  count = ", count), "}")...)
}

// query returns a step that replaces the list blocks.
func query(lists string) func(*stage) { return func(s *stage) { s.Write("main.tfquery.hcl", lists) } }

// asked returns a step that runs a query, which must succeed.
func asked(lists string) func(*stage) { return inOrder(query(lists), run("query")) }

// list returns a list of consents.
func list(config string, lines ...string) string {
	return block("list", "consent", "x", append([]string{"provider = analytics", "config {", "  " + config, "}"}, lines...)...)
}

var ofTwo = `identity_ids = ["ann", "bob"]`

func bothAgree(s *mockserver.Server) {
	for _, person := range []string{"ann", "bob"} {
		s.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: [5]bool{true, true, true, true, true}})
	}
}

// mails gives a day with persons whose identity is in another member.
func mails(s *mockserver.Server) {
	bothAgree(s)
	person := func(name string) map[string]any { return map[string]any{"uuid": "6ba7b810-" + name, "mail": name} }
	s.PutExport(scope, "2026-01-30", mockserver.ExportDay{Persons: []any{person("ann"), person("bob")}})
}

var asksQuery = []string{"query"}

// lists are the advices about lists of consents.
var lists = map[string]play{
	"raise limit in the list block": {
		needs: acctest.Lists, service: bothAgree, situation: query(list(ofTwo, "limit = 1")), says: asksQuery, follow: asked(list(ofTwo, "limit = 2")),
	},
	"if another member holds the identity": {
		needs: acctest.Lists, service: mails, situation: query(list(`utc_date = "2026-01-30"`)), says: asksQuery,
		follow: asked(list("utc_date = \"2026-01-30\"\n  identity_field = \"mail\"")),
	},
}
