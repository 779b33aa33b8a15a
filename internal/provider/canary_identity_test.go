// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const canaryPerson = "canary.jane+1/2@example.com"

// canaryImports are import blocks for the objects of canaryObjects, by what they name.
var canaryImports = map[string]string{
	"id":               "import {\n  to = %s.jane\n  id = \"canary.jane+1%%2F2@example.com\"\n}\n",
	"identity":         "import {\n  to = %s.jane\n  identity = { identity_id = \"" + canaryPerson + "\" }\n}\n",
	"half an identity": "import {\n  to = %s.jane\n  identity = { identity_id = \"" + canaryPerson + "\", org_id = \"org-demo\" }\n}\n",
}

const canaryObjects = `
resource "analytics_consent" "jane" {
  identity_id      = "` + canaryPerson + `"
  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = true
  clause_4_consent = true
  clause_5_consent = true
}

resource "analytics_profile" "jane" {
  identity_id = "` + canaryPerson + `"
  profile     = jsonencode({ plan = "gold" })
}
`

// TestCLIProvider_noIdentityIsLoggedOrSaid runs what concerns the identity of an object,
// with the provider's log, and searches the log and all diagnostics for the person.
// Terraform itself prints the identity of what it imports.
func TestCLIProvider_noIdentityIsLoggedOrSaid(t *testing.T) {
	t.Parallel()
	for named, block := range canaryImports {
		t.Run(named, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t)
			environment := service.Environment()
			environment["TF_LOG_PROVIDER"], environment["ANALYTICS_MAX_RETRIES"] = "TRACE", "0"
			cli := clitest.New(t, canaryObjects, environment)
			if strings.Contains(block, "identity =") {
				cli.Needs(acctest.Identities)
			}

			said := &spoken{t: t, cli: cli}
			said.run(0, "", "apply", "-auto-approve")
			cli.Setenv("ANALYTICS_PROJECT_ID", "shop")
			said.run(0, "The scope of the provider has changed", "plan")
			cli.Setenv("ANALYTICS_PROJECT_ID", mocktest.Project)
			for _, operation := range []string{mockserver.OpGetConsent, mockserver.OpGetProfile} {
				service.Inject(mockserver.Fault{Operation: operation, Status: 400, Body: prototest.QuotedBack(t, []string{canaryPerson})})
			}
			said.run(1, "HTTP status: 400", "plan")

			cli.MustRun("state", "rm", "analytics_consent.jane", "analytics_profile.jane")
			cli.Configure(canaryObjects + fmt.Sprintf(block, "analytics_consent") + fmt.Sprintf(block, "analytics_profile"))
			if named == "half an identity" {
				said.run(1, "Unusable import identity", "plan")
				return
			}
			said.run(0, "", "apply", "-auto-approve")
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

const canaryStranger = "canary.stranger+1/2@example.com"

// TestCLIProvider_queryLogsAndSaysNobody runs a query with the provider's log. Terraform
// itself prints the people who are found; nothing prints an address.
func TestCLIProvider_queryLogsAndSaysNobody(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	environment := service.Environment()
	environment["TF_LOG_PROVIDER"], environment["ANALYTICS_MAX_RETRIES"] = "TRACE", "0"
	cli := clitest.New(t, "", environment)
	cli.Needs(acctest.Lists)

	address := canaryAddress
	scope := mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}
	service.PutConsent(scope, canaryPerson, mockserver.ConsentRecord{UserIPv6: &address, AgreementTime: "2026-01-31T12:00:00Z"})
	service.PutExport(scope, "2026-02-03", mockserver.ExportDay{Persons: []any{
		map[string]any{"id": canaryStranger}, map[string]any{"id": "p-1", "identityId": canaryPerson}, map[string]any{"id": "p-2", "identityId": canaryStranger},
	}})
	service.Inject(mockserver.Fault{
		Operation: mockserver.OpGetConsent, Identity: canaryStranger, Status: 400, Times: -1,
		Body: prototest.QuotedBack(t, []string{canaryPerson, canaryStranger, canaryAddress}),
	})

	queried := cli.Query(canaryLists, "-json")
	prototest.WantNoCanary(t, "the output", queried.Output, canaryAddress)

	said := &spoken{t: t, cli: cli}
	said.run(0, "A person could not be read", "query")
	said.run(0, "The list ends at its limit", "query")
	said.run(0, "Person records without an identity", "query")
	prototest.WantNoCanary(t, "what is said", diagnosticsOf(t, queried.Stdout), canaryStranger)
}

// spoken runs commands and searches what the provider logs and says.
type spoken struct {
	t   *testing.T
	cli *clitest.CLI
}

// run runs a command. A diagnostic must hold the words, so that what is searched is what
// is meant.
func (s *spoken) run(want int, words string, args ...string) {
	s.t.Helper()
	r := s.cli.Run(append(args, "-json")...)
	if r.Code != want {
		s.t.Fatalf("%v ended with %d, want %d:\n%s", args, r.Code, want, lastLines(r.Output))
	}
	if !strings.Contains(r.Stderr, "Request to the analytics service answered") && want == 0 {
		s.t.Error("the provider's log is not among what was searched")
	}

	said := diagnosticsOf(s.t, r.Stdout)
	if !strings.Contains(said, words) {
		s.t.Errorf("%v does not say %q:\n%s", args, words, said)
	}
	prototest.WantNoCanary(s.t, "a diagnostic", said, canaryPerson)
	prototest.WantNoCanary(s.t, "the log", r.Stderr, canaryPerson)
}

// diagnosticsOf returns summaries and details of the diagnostics in the output of a command
// with -json. The configuration that Terraform shows beside them is left out.
func diagnosticsOf(t *testing.T, output string) string {
	t.Helper()
	var all strings.Builder
	for line := range strings.Lines(output) {
		var event struct {
			Diagnostic struct{ Summary, Detail string }
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all.WriteString(event.Diagnostic.Summary + "\n" + event.Diagnostic.Detail + "\n")
	}

	return all.String()
}
