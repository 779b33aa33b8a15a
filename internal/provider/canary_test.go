// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

const canaryConsent = `
resource "analytics_consent" "jane" {
  identity_id      = "user-1001"
  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = true
  clause_4_consent = true
  clause_5_consent = true
  agreement_time   = "2026-01-31T12:00:00Z"
  user_ipv6        = "2001:db8:cafe:affe:1234:5678:9abc:def0"
}

data "analytics_consent" "jane" {
  identity_id = analytics_consent.jane.identity_id
}

data "analytics_current_user" "me" {}
`

const canaryAddress = "2001:db8:cafe:affe:1234:5678:9abc:def0"

// TestCLIProvider_noSecretComesOutAnywhere runs the main cases with everything logged, and
// searches everything that was printed or written for the credentials.
func TestCLIProvider_noSecretComesOutAnywhere(t *testing.T) {
	t.Parallel()
	for way, format := range map[string]string{"password": "TRACE", "key": "JSON", "token": "TRACE"} {
		t.Run(way+" "+format, func(t *testing.T) {
			t.Parallel()
			var fault atomic.Pointer[mockserver.Fault]
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
					if r.Operation != mockserver.OpGetConsent {
						return nil
					}
					return fault.Load()
				}
			})

			secrets := []string{"canary header 7f3b1c/+?"}
			environment := map[string]string{
				"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_ORG_ID": mocktest.Org, "ANALYTICS_PROJECT_ID": mocktest.Project,
				"ANALYTICS_HEADERS": `{"X-Canary":"canary header 7f3b1c/+?"}`, "ANALYTICS_MAX_RETRIES": "1",
				"TF_LOG": format, "TF_LOG_PROVIDER_ANALYTICS": "TRACE",
			}

			switch way {
			case "password":
				environment["ANALYTICS_EMAIL"], environment["ANALYTICS_PASSWORD"] = service.Email, service.Password
				secrets = append(secrets, service.Password)
			case "key":
				environment["ANALYTICS_API_SECRET_KEY"] = service.SecretKey
				secrets = append(secrets, service.SecretKey)
			case "token":
				token := service.IssueToken(service.Email)
				environment["ANALYTICS_TOKEN"] = token
				secrets = append(secrets, token)
			}

			cli := clitest.New(t, canaryConsent, environment)
			m := &mainCases{t: t, cli: cli, service: service, fault: &fault, values: append(slices.Clone(secrets), canaryAddress)}
			plan := m.runMainCases(way)
			logs := m.logs.String()

			for _, r := range service.Requests() {
				if r.Token != "" {
					secrets = append(secrets, r.Token)
				}
			}

			for _, line := range []string{"Request to the analytics service answered", "Sources of the provider configuration"} {
				if !strings.Contains(logs, line) {
					t.Errorf("the provider's own log line %q is not among what was searched", line)
				}
			}

			if format == "TRACE" && !strings.Contains(logs, "base_url=environment") {
				t.Error("the log does not say where base_url is from")
			}

			prototest.WantNoCanary(t, "an output or a log", logs, append(secrets, canaryAddress)...)
			prototest.WantNoCanary(t, "the plan as JSON", plan, secrets...)
			prototest.WantNoCanary(t, "a file", everyFile(t, cli.Dir), secrets...)
		})
	}
}

// mainCases runs commands and keeps their output.
type mainCases struct {
	t       *testing.T
	cli     *clitest.CLI
	service *mocktest.Instance
	fault   *atomic.Pointer[mockserver.Fault]
	values  []string // what a service repeats of what it was sent
	logs    strings.Builder
}

// run runs a command. Its exit code is checked, so that no output of a command that
// failed is searched.
func (m *mainCases) run(want int, args ...string) clitest.Result {
	m.t.Helper()
	r := m.cli.Run(args...)
	if r.Code != want {
		m.t.Fatalf("%v ended with %d, want %d:\n%s", args, r.Code, want, lastLines(r.Output))
	}

	m.logs.WriteString(r.Output)
	return r
}

// statuses holds the statuses of errors that repeat the request.
var statuses = []int{400, 401, 403, 409, 500}

// fail plans against a service that answers with an error.
func (m *mainCases) fail(status int) {
	m.t.Helper()
	m.fault.Store(&mockserver.Fault{Status: status, Body: prototest.QuotedBack(m.t, m.values)})
	if r := m.run(1, "plan"); !strings.Contains(r.Words(), "HTTP status: "+strconv.Itoa(status)) {
		m.t.Errorf("%d is not what the error is about:\n%s", status, lastLines(r.Output))
	}
	m.fault.Store(nil)
}

// runMainCases runs all cases with one way to authenticate. The other ways, and all of
// them in a soak, differ only in where the credential is, so a few cases are enough. It returns
// a plan as JSON. Like the state, it shows sensitive values, but no credentials.
func (m *mainCases) runMainCases(way string) (plan string) {
	m.t.Helper()
	m.run(0, "plan", "-out=first.tfplan")
	m.run(0, "apply", "first.tfplan")

	scope := mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}
	record, _ := m.service.Consent(scope, "user-1001")
	record.Clauses[0] = false
	m.service.PutConsent(scope, "user-1001", record)
	m.run(2, "plan", "-detailed-exitcode", "-out=second.tfplan")
	m.run(0, "apply", "second.tfplan")
	plan = m.cli.MustRun("show", "-json", "second.tfplan").Output

	if way == "key" || soak.On() {
		m.run(0, "plan", "-detailed-exitcode")
		for _, status := range statuses {
			m.fail(status)
		}

		// A redirect, and a page in place of the service.
		said := strings.Join(m.values, " ")
		m.fault.Store(&mockserver.Fault{Status: 302, Header: map[string][]string{"Location": {"https://elsewhere.example.com/?k=" + url.QueryEscape(said)}}})
		m.run(1, "plan")
		m.fault.Store(&mockserver.Fault{Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>" + said)})
		m.run(1, "plan")
		m.fault.Store(nil)

		m.cli.MustRun("state", "rm", "analytics_consent.jane")
		m.run(0, "import", "analytics_consent.jane", "user-1001")
	} else {
		m.fail(http.StatusUnauthorized)
	}

	m.service.Stop()
	m.run(1, "plan")

	return plan
}

func lastLines(output string) string {
	if len(output) > 3000 {
		return "…" + output[len(output)-3000:]
	}
	return output
}

// everyFile returns the content of all files below a folder: state, its backups, logs.
func everyFile(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return all.String()
}

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
