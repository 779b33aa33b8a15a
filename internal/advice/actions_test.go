// SPDX-License-Identifier: MPL-2.0

package advice_test

import (
	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// action returns an action about the person ann.
func action(name string, lines ...string) string {
	return block("action", name, "x", append(append([]string{"config {", `  identity_id = "ann"`}, lines...), "}")...)
}

func invoke(name string) []string {
	return []string{"apply", "-auto-approve", "-invoke=action.analytics_" + name + ".x"}
}

// impatient is a limit that is over before the service has carried anything out.
const impatient = "  timeouts {\n    invoke = \"1s\"\n  }"

// actions are the advices about what an action submits.
var actions = map[string]play{
	"look at analytics_pending_requests before you invoke the action again": {
		configuration: action("delete_data", notAwaited), needs: acctest.Actions, service: never, situation: losesAnswer(mockserver.CutAfterCommit),
		says: invoke("delete_data"), follow: run(invoke("delete_data")...),
	},
	"look at analytics_pending_requests later; the request stands": {
		configuration: action("delete_data", impatient), needs: acctest.Actions, service: never,
		says: invoke("delete_data"), follow: fulfilAll,
	},
	"invoke the action again later: it takes the request over": {
		configuration: action("request_data_access", `  output_path = "ann.json"`, impatient), needs: acctest.Actions,
		service: func(s *mockserver.Server) {
			s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome {
				return mockserver.Outcome{Fate: mockserver.Never, KeepListed: true}
			}
		},
		says: invoke("request_data_access"), follow: inOrder(fulfilAll, set("ANALYTICS_WIRE_ALL_DATA_MEMBER", "profile"), run(invoke("request_data_access")...)),
	},
}

// query returns a step that replaces the list blocks.
func query(lists string) func(*stage) { return func(s *stage) { s.WriteQuery(lists) } }

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
	person := func(name string) map[string]any { return map[string]any{"mail": name, "plan": "gold"} }
	s.PutExport(scope, "2026-01-30", mockserver.ExportDay{Persons: []any{person("ann"), person("bob")}})
}

var asksQuery = []string{"query"}

// lists are the advices about lists of consents.
var lists = map[string]play{
	"raise limit in the list block": {
		needs: acctest.Lists, service: bothAgree, situation: query(list(ofTwo, "limit = 1")), says: asksQuery, follow: asked(list(ofTwo, "limit = 2")),
	},
	"list the people of a day that is over": {
		needs: acctest.Lists, situation: query(list(today)), says: asksQuery,
		follow: asked(list(aDay)),
	},
	"if another member holds the identity": {
		needs: acctest.Lists, service: mails, situation: query(list(`utc_date = "2026-01-30"`)), says: asksQuery,
		follow: asked(list("utc_date = \"2026-01-30\"\n  identity_field = \"mail\"")),
	},
}
