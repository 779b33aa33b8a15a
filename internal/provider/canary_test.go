// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

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
			service.Stop()
			out.mustEnd(t, cli, 1, "Cannot reach the service", "plan", "-json")

			for _, r := range service.Requests() {
				if r.Token != "" {
					secrets = append(secrets, r.Token)
				}
			}
			log, ours := cli.ReadFile("log"), ""
			for line := range strings.Lines(log) {
				if ofProvider.MatchString(line) {
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
