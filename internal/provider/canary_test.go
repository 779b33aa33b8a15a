// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

const (
	canaryHeader   = "canary header 7f3b1c/+?"
	canaryAddress  = "2001:db8:cafe:affe:1234:5678:9abc:def0"
	canaryPerson   = "canary.jane+1/2@example.com"
	canaryStranger = "canary.stranger+1/2@example.com"
)

// canaryRun runs commands and keeps their output. The exit code is checked, so that no output of
// a command that failed is searched.
type canaryRun struct {
	t      *testing.T
	cli    *clitest.CLI
	output strings.Builder
}

func (c *canaryRun) run(want int, args ...string) clitest.Result {
	c.t.Helper()
	r := c.cli.Run(args...)
	if r.Code != want {
		c.t.Fatalf("%v ended with %d, want %d:\n…%s", args, r.Code, want, r.Output[max(0, len(r.Output)-3000):])
	}

	c.output.WriteString(r.Output)

	return r
}

// TestCLIProvider_noSecretComesOutAnywhere runs the main cases with everything logged, and
// searches everything that was printed or written for the credentials.
func TestCLIProvider_noSecretComesOutAnywhere(t *testing.T) {
	t.Parallel()
	for way, format := range map[string]string{"PASSWORD": "TRACE", "API_SECRET_KEY": "JSON", "TOKEN": "TRACE"} {
		t.Run(way+" "+format, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t)
			credential := map[string]string{"PASSWORD": service.Password, "API_SECRET_KEY": service.SecretKey, "TOKEN": service.IssueToken(service.Email)}[way]
			environment := map[string]string{
				"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_ORG_ID": mocktest.Org, "ANALYTICS_PROJECT_ID": mocktest.Project,
				"ANALYTICS_HEADERS": `{"X-Canary":"` + canaryHeader + `"}`, "ANALYTICS_MAX_RETRIES": "1", "ANALYTICS_" + way: credential,
				"TF_LOG": format, "TF_LOG_PROVIDER_ANALYTICS": "TRACE",
			}
			if way == "PASSWORD" {
				environment["ANALYTICS_EMAIL"] = service.Email
			}

			c := &canaryRun{t: t, cli: clitest.New(t, consentBlock("jane", `user_ipv6 = "`+canaryAddress+`"`, `agreement_time = "2026-01-31T12:00:00Z"`)+`data "analytics_current_user" "me" {}`, environment)}
			c.run(0, "plan", "-out=first.tfplan")
			c.run(0, "apply", "first.tfplan")
			record, _ := service.Consent(demoScope, "jane")
			record.Clauses[0] = false
			service.PutConsent(demoScope, "jane", record)
			c.run(2, "plan", "-detailed-exitcode", "-out=second.tfplan")
			c.run(0, "apply", "second.tfplan")

			values := []string{canaryHeader, credential, canaryAddress}
			said := strings.Join(values, " ")
			for _, f := range []mockserver.Fault{
				{Status: 400, Body: prototest.QuotedBack(t, values[:2], canaryAddress)},
				{Status: 302, Header: map[string][]string{"Location": {"https://elsewhere.example.com/?k=" + url.QueryEscape(said)}}},
				{Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>" + said)},
			} {
				f.Operation = mockserver.OpGetConsent
				service.Inject(f)
				clitest.WantWords(t, c.run(1, "plan"), fmt.Sprintf("HTTP status: %d", f.Status))
			}

			c.cli.MustRun("state", "rm", "analytics_consent.jane")
			c.run(0, "import", "analytics_consent.jane", "jane")
			service.Stop()
			c.run(1, "plan")

			secrets := values[:2]
			for _, r := range service.Requests() {
				if r.Token != "" {
					secrets = append(secrets, r.Token)
				}
			}
			logs := c.output.String()
			for _, line := range []string{"Request to the analytics service answered", "Sources of the provider configuration", "base_url"} {
				if !strings.Contains(logs, line) {
					t.Errorf("%q is not among what was searched", line)
				}
			}
			prototest.WantNoCanary(t, "an output or a log", logs, append(secrets, canaryAddress)...)
			entries, err := os.ReadDir(c.cli.Dir)
			if err != nil || len(entries) < 5 { // configuration, settings, state, and two plans
				t.Fatal(entries, err)
			}
			for _, entry := range entries {
				prototest.WantNoCanary(t, entry.Name(), c.cli.ReadFile(entry.Name()), secrets...)
			}
		})
	}
}

// runJSON runs a command with -json and searches what the provider logs and says for the person.
// A diagnostic must hold the words, so that what is searched is what is meant.
func (c *canaryRun) runJSON(want int, words string, args ...string) (said string) {
	c.t.Helper()
	r := c.run(want, append(args, "-json")...)
	if !strings.Contains(r.Stderr, "Request to the analytics service answered") && want == 0 {
		c.t.Error("the provider's log is not among what was searched")
	}

	// The configuration that Terraform shows beside a diagnostic is left out.
	for line := range strings.Lines(r.Stdout) {
		var event struct {
			Diagnostic struct{ Summary, Detail string }
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			c.t.Fatalf("%v in %q", err, line)
		}
		said += event.Diagnostic.Summary + "\n" + event.Diagnostic.Detail + "\n"
	}
	if !strings.Contains(said, words) {
		c.t.Errorf("%v does not say %q:\n%s", args, words, said)
	}
	prototest.WantNoCanary(c.t, "a diagnostic", said, canaryPerson)
	prototest.WantNoCanary(c.t, "the log", r.Stderr, canaryPerson)

	return said
}

// TestCLIProvider_noIdentityIsLoggedOrSaid runs what concerns the identity of an object,
// with the provider's log, and searches the log and all diagnostics for the person.
// Terraform itself prints the identity of what it imports.
func TestCLIProvider_noIdentityIsLoggedOrSaid(t *testing.T) {
	t.Parallel()
	objects := consentBlock("jane", `identity_id = "`+canaryPerson+`"`) + `
resource "analytics_profile" "jane" {
  identity_id = "` + canaryPerson + `"
  profile     = jsonencode({ plan = "gold" })
}
`
	for named, what := range map[string]string{
		"id":       `id = "canary.jane+1%2F2@example.com"`,
		"identity": `identity = { identity_id = "` + canaryPerson + `" }`,
	} {
		t.Run(named, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t)
			environment := service.Environment()
			environment["TF_LOG_PROVIDER"], environment["ANALYTICS_MAX_RETRIES"] = "TRACE", "0"
			c := &canaryRun{t: t, cli: clitest.New(t, objects, environment)}
			if named != "id" {
				c.cli.Needs(acctest.Identities)
			}

			c.runJSON(0, "", "apply", "-auto-approve")
			c.cli.Setenv("ANALYTICS_PROJECT_ID", "shop")
			c.runJSON(0, "The scope of the provider has changed", "plan")
			c.cli.Setenv("ANALYTICS_PROJECT_ID", mocktest.Project)
			for _, operation := range []string{mockserver.OpGetConsent, mockserver.OpGetProfile} {
				service.Inject(mockserver.Fault{Operation: operation, Status: 400, Body: prototest.QuotedBack(t, []string{canaryPerson})})
			}
			c.runJSON(1, "HTTP status: 400", "plan")

			c.cli.MustRun("state", "rm", "analytics_consent.jane", "analytics_profile.jane")
			c.cli.Configure(objects + "import {\n  to = analytics_consent.jane\n  " + what + "\n}\nimport {\n  to = analytics_profile.jane\n  " + what + "\n}\n")
			c.runJSON(0, "", "apply", "-auto-approve")
		})
	}
}

const canaryLists = `
list "analytics_consent" "jane" {
  provider         = analytics
  include_resource = true
  config {
    identity_ids = ["` + canaryPerson + `", "` + canaryStranger + `"]
  }
}

list "analytics_consent" "day" {
  provider = analytics
  limit    = 1
  config {
    utc_date = "2026-02-03"
  }
}
`

// TestCLIProvider_queryLogsAndSaysNobody runs a query with the provider's log. Terraform
// itself prints the people who are found; nothing prints an address.
func TestCLIProvider_queryLogsAndSaysNobody(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	environment := service.Environment()
	environment["TF_LOG_PROVIDER"], environment["ANALYTICS_MAX_RETRIES"] = "TRACE", "0"
	c := &canaryRun{t: t, cli: clitest.New(t, "", environment)}
	c.cli.Needs(acctest.Lists)

	service.PutConsent(demoScope, canaryPerson, mockserver.ConsentRecord{UserIPv6: new(canaryAddress), AgreementTime: "2026-01-31T12:00:00Z"})
	service.PutExport(demoScope, "2026-02-03", mockserver.ExportDay{Persons: []any{
		map[string]any{"id": canaryStranger}, map[string]any{"id": "p-1", "identityId": canaryPerson}, map[string]any{"id": "p-2", "identityId": canaryStranger},
	}})
	service.Inject(mockserver.Fault{
		Operation: mockserver.OpGetConsent, Identity: canaryStranger, Status: 400, Times: -1,
		Body: prototest.QuotedBack(t, []string{canaryStranger}, canaryPerson, canaryAddress),
	})

	c.cli.WriteQuery(canaryLists)
	said := c.runJSON(0, "A person could not be read", "query")
	for _, words := range []string{"The list ends at its limit", "Person records without an identity"} {
		if !strings.Contains(said, words) {
			t.Errorf("it does not say %q:\n%s", words, said)
		}
	}
	prototest.WantNoCanary(t, "what is said", said, canaryStranger)
	prototest.WantNoCanary(t, "the output", c.output.String(), canaryAddress)
}
