// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// consentBlock returns a resource with this name, which is that of the person, unless a line says
// something else.
func consentBlock(name string, lines ...string) string {
	block := strings.Join(lines, "\n")
	if !strings.Contains(block, "identity_id") {
		block += fmt.Sprintf("\nidentity_id = %q", name)
	}

	return fmt.Sprintf("resource \"analytics_consent\" %q {\n%s\n%s}\n", name, block, everyClause)
}

const everyClause = "clause_1_consent = true\nclause_2_consent = true\nclause_3_consent = true\nclause_4_consent = true\nclause_5_consent = true\n"

// TestCLIProvider_interruptSavesWhatIsDone interrupts an apply while one object is done and
// another waits for an answer that never comes. A SIGTERM to the group reaches the provider as well,
// and must not end it.
func TestCLIProvider_interruptSavesWhatIsDone(t *testing.T) {
	t.Parallel()
	ways := clitest.Interrupts()
	ways["SIGTERM to the group"] = clitest.Interrupt{Signal: syscall.SIGTERM, ToGroup: true}
	for name, stop := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hanging := make(chan struct{})
			var hung atomic.Bool
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
					if r.Identity != "hanging" || r.Operation != mockserver.OpUpdateConsent || hung.Swap(true) {
						return nil
					}
					close(hanging)
					return &mockserver.Fault{Hang: true}
				}
			})

			cli := clitest.New(t, consentBlock("done")+consentBlock("hanging"), service.Environment())
			r := cli.RunInterrupted(stop, "analytics_consent.done: Creation complete", hanging, "apply", "-auto-approve")
			if r.Code == 0 {
				t.Error("Terraform calls the interrupted apply a success")
			}

			if stored := cli.Stored(); len(stored) != 1 || stored[0].Attributes["identity_id"] != "done" {
				t.Errorf("what was done is not in state, but %v:\n%s", stored, r.Output)
			}
			clitest.WantWords(t, r, "Cancelled")

			cli.MustRun("apply", "-auto-approve") // as the message says
			cli.MustRun("plan", "-detailed-exitcode")
		})
	}
}

// TestCLIProvider_savedPlanIsForOneScope applies saved plans with another scope in the
// environment. Of a new object, Terraform passes nothing of the plan to the provider, and
// refuses the apply itself.
func TestCLIProvider_savedPlanIsForOneScope(t *testing.T) {
	t.Parallel()
	for resource, attributes := range map[string]struct{ first, added string }{
		"analytics_consent":             {"identity_id = \"user-1\"\n  " + everyClause, "manual = false"},
		"analytics_consent_batch":       {"source = \"people.csv\"", "on_destroy = \"withdraw\""},
		"analytics_profile":             {"identity_id = \"user-1\"\n  profile = \"{}\"", "on_destroy = \"clear\""},
		"analytics_data_deletion":       {"identity_id = \"user-1\"", "triggers = { n = 1 }"},
		"analytics_data_access_request": {"identity_id = \"user-1\"\n  output_path = \"data.json\"\n  overwrite = true", "triggers = { n = 1 }"},
		"analytics_export_file":         {"utc_date = \"2026-02-03\"\n  path = \"day\"", "on_destroy = \"retain\""},
	} {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{KeepListed: true} }
			})
			cli := clitest.New(t, fmt.Sprintf("resource %q \"x\" {\n  %s\n}\n", resource, attributes.first), service.Environment())
			cli.Write("people.csv", header+"user-2,true,true,true,true,true\n")

			applyElsewhere := func(words ...string) {
				cli.MustRun("plan", "-out=tfplan")
				cli.Setenv("ANALYTICS_PROJECT_ID", "shop")
				r := cli.Run("apply", "tfplan")
				cli.Setenv("ANALYTICS_PROJECT_ID", mocktest.Project)
				clitest.WantWords(t, r, words...)
			}
			applyElsewhere("Provider produced inconsistent final plan", ".project_id")
			cli.MustRun("apply", "-auto-approve")

			cli.Configure(fmt.Sprintf("resource %q \"x\" {\n  %s\n  %s\n}\n", resource, attributes.first, attributes.added))
			service.Reset()
			applyElsewhere("The plan is for another scope", `org_id = "`+mocktest.Org+`", project_id = "shop"`, "plan again")
			for _, r := range service.Requests() {
				if strings.Contains(r.EscapedPath, "shop") {
					t.Errorf("the service received %s %s", r.Method, r.EscapedPath)
				}
			}
			cli.MustRun("apply", "-auto-approve")
			cli.MustRun("plan", "-detailed-exitcode")
		})
	}
}

const (
	canaryHeader  = "canary header 7f3b1c/+?"
	canaryAddress = "2001:db8:cafe:affe:1234:5678:9abc:def0"
	canaryPerson  = "canary.jane+1/2@example.com"
)

// ofProvider matches a line of the log that the provider has written, in either format.
var ofProvider = regexp.MustCompile(`provider\.terraform-provider-analytics|"@module":"(analytics|sdk)`)

// outputs is what commands with -json have printed, and what the diagnostics in it say. The configuration that
// Terraform shows beside a diagnostic is not a part of that.
type outputs struct{ printed, said string }

// mustEnd runs a command, which has to end with a code, so that no output of a command that failed is searched. A
// diagnostic has to say the words.
func (o *outputs) mustEnd(t *testing.T, cli *clitest.CLI, code int, words string, args ...string) {
	t.Helper()
	r := cli.Run(args...)
	if r.Code != code {
		t.Fatalf("%v ended with %d, want %d:\n…%s", args, r.Code, code, r.Output[max(0, len(r.Output)-3000):])
	}

	said := ""
	for line := range strings.Lines(r.Output) {
		var event struct {
			Diagnostic struct{ Summary, Detail string }
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		said += event.Diagnostic.Summary + "\n" + event.Diagnostic.Detail + "\n"
	}
	if !strings.Contains(said, words) {
		t.Errorf("%v does not say %q:\n%s", args, words, said)
	}
	o.printed, o.said = o.printed+r.Output, o.said+said
}

// TestCLIProvider_nothingPrivateComesOut runs the main cases with everything logged. It searches everything that was
// printed or written for the credentials, and what the provider says and logs for the person, whom Terraform itself
// prints and logs.
func TestCLIProvider_nothingPrivateComesOut(t *testing.T) {
	t.Parallel()
	objects := consentBlock("jane", `identity_id = "`+canaryPerson+`"`, `user_ipv6 = "`+canaryAddress+`"`, `agreement_time = "2026-01-31T12:00:00Z"`) +
		fmt.Sprintf("resource \"analytics_profile\" \"jane\" {\n  identity_id = %q\n  profile = jsonencode({ plan = \"gold\" })\n}\ndata \"analytics_current_user\" \"me\" {}\n", canaryPerson)
	const byID, byIdentity = `id = "canary.jane+1%2F2@example.com"`, `identity = { identity_id = "` + canaryPerson + `" }`
	for _, tc := range []struct {
		credential, format, imported string
		needs                        acctest.Feature
	}{
		{"PASSWORD", "TRACE", byID, acctest.Feature{}},
		{"API_SECRET_KEY", "JSON", byID, acctest.Feature{}},
		{"API_SECRET_KEY", "TRACE", byIdentity, acctest.Identities},
		{"TOKEN", "TRACE", byID, acctest.Feature{}},
	} {
		t.Run(tc.credential+" "+tc.format, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t)
			credential := map[string]string{"PASSWORD": service.Password, "API_SECRET_KEY": service.SecretKey, "TOKEN": service.IssueToken(service.Email)}[tc.credential]
			cli := clitest.New(t, objects, map[string]string{
				"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_ORG_ID": mocktest.Org, "ANALYTICS_PROJECT_ID": mocktest.Project,
				"ANALYTICS_HEADERS": `{"X-Canary":"` + canaryHeader + `"}`, "ANALYTICS_MAX_RETRIES": "1", "ANALYTICS_" + tc.credential: credential,
				"TF_LOG": tc.format, "TF_LOG_PROVIDER_ANALYTICS": "TRACE", "TF_LOG_PATH": "log",
			})
			acctest.PreCheck(t, tc.needs)
			if tc.credential == "PASSWORD" {
				cli.Setenv("ANALYTICS_EMAIL", service.Email)
			}

			var out outputs
			out.mustEnd(t, cli, 0, "", "plan", "-json", "-out=first.tfplan")
			out.mustEnd(t, cli, 0, "", "apply", "-json", "first.tfplan")
			cli.Setenv("ANALYTICS_PROJECT_ID", "shop")
			out.mustEnd(t, cli, 0, "The scope of the provider has changed", "plan", "-json")
			cli.Setenv("ANALYTICS_PROJECT_ID", mocktest.Project)

			secrets := []string{canaryHeader, credential}
			said := strings.Join(append(secrets, canaryAddress), " ")
			for _, f := range []mockserver.Fault{
				{Status: 400, Body: prototest.QuotedBack(t, append(secrets, canaryPerson), canaryAddress)},
				{Status: 302, Header: map[string][]string{"Location": {"https://elsewhere.example.com/?k=" + url.QueryEscape(said)}}},
				{Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>" + said)},
			} {
				for _, f.Operation = range []string{mockserver.OpGetConsent, mockserver.OpGetProfile} {
					service.Inject(f)
				}
				out.mustEnd(t, cli, 1, fmt.Sprintf("HTTP status: %d", f.Status), "plan", "-json")
			}

			cli.MustRun("state", "rm", "analytics_consent.jane", "analytics_profile.jane")
			cli.Configure(objects + "import {\n  to = analytics_consent.jane\n  " + tc.imported + "\n}\nimport {\n  to = analytics_profile.jane\n  " + tc.imported + "\n}\n")
			out.mustEnd(t, cli, 0, "", "apply", "-json", "-auto-approve")
			cli.Setenv("ANALYTICS_BASE_URL", "http://127.0.0.1:1") // the port of a service that has ended may be given to another
			out.mustEnd(t, cli, 1, "Cannot reach the service", "plan", "-json")

			for _, r := range service.Requests() {
				if r.Token != "" {
					secrets = append(secrets, r.Token)
				}
			}
			log, ours, isOurs := cli.ReadFile("log"), "", false
			for line := range strings.Lines(log) {
				isOurs = ofProvider.MatchString(line) || isOurs && strings.HasPrefix(line, " ") // which goes on
				if isOurs {
					ours += line
				}
			}
			for _, words := range []string{"Request to the analytics service answered", "Sources of the provider configuration", "base_url"} {
				if !strings.Contains(ours, words) {
					t.Errorf("%q is not among what is searched", words)
				}
			}
			prototest.WantNoCanary(t, "the provider", out.said+ours, canaryPerson)
			prototest.WantNoCanary(t, "an output or a log", out.printed+log, append(secrets, canaryAddress)...)
			entries, err := os.ReadDir(cli.Dir)
			if err != nil || len(entries) < 5 { // configuration, settings, state, plan and log
				t.Fatal(entries, err)
			}
			for _, entry := range entries {
				prototest.WantNoCanary(t, entry.Name(), cli.ReadFile(entry.Name()), secrets...)
			}
		})
	}
}
