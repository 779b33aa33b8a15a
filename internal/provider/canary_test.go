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
	canaryHeader  = "canary header 7f3b1c/+?"
	canaryAddress = "2001:db8:cafe:affe:1234:5678:9abc:def0"
	canaryPerson  = "canary.jane+1/2@example.com"
)

// mustEnd runs a command, which has to end with a code, so that no output of a command that failed is searched.
func mustEnd(t *testing.T, cli *clitest.CLI, code int, args ...string) string {
	t.Helper()
	r := cli.Run(args...)
	if r.Code != code {
		t.Fatalf("%v ended with %d, want %d:\n…%s", args, r.Code, code, r.Output[max(0, len(r.Output)-3000):])
	}
	return r.Output
}

// wantLogged fails the test where a log is not the provider's at its most talkative.
func wantLogged(t *testing.T, log string) {
	t.Helper()
	for _, words := range []string{"Request to the analytics service answered", "Sources of the provider configuration", "base_url"} {
		if !strings.Contains(log, words) {
			t.Errorf("%q is not among what is searched", words)
		}
	}
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
			cli := clitest.New(t, consentBlock("jane", `user_ipv6 = "`+canaryAddress+`"`, `agreement_time = "2026-01-31T12:00:00Z"`)+`data "analytics_current_user" "me" {}`, map[string]string{
				"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_ORG_ID": mocktest.Org, "ANALYTICS_PROJECT_ID": mocktest.Project,
				"ANALYTICS_HEADERS": `{"X-Canary":"` + canaryHeader + `"}`, "ANALYTICS_MAX_RETRIES": "1", "ANALYTICS_" + way: credential,
				"TF_LOG": format, "TF_LOG_PROVIDER_ANALYTICS": "TRACE",
			})
			if way == "PASSWORD" {
				cli.Setenv("ANALYTICS_EMAIL", service.Email)
			}
			logs := mustEnd(t, cli, 0, "plan", "-out=first.tfplan") + mustEnd(t, cli, 0, "apply", "first.tfplan")

			secrets := []string{canaryHeader, credential}
			said := strings.Join(append(secrets, canaryAddress), " ")
			for _, f := range []mockserver.Fault{
				{Status: 400, Body: prototest.QuotedBack(t, secrets, canaryAddress)},
				{Status: 302, Header: map[string][]string{"Location": {"https://elsewhere.example.com/?k=" + url.QueryEscape(said)}}},
				{Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>" + said)},
			} {
				f.Operation = mockserver.OpGetConsent
				service.Inject(f)
				output := mustEnd(t, cli, 1, "plan")
				clitest.WantWords(t, clitest.Result{Output: output}, fmt.Sprintf("HTTP status: %d", f.Status))
				logs += output
			}
			cli.MustRun("state", "rm", "analytics_consent.jane")
			logs += mustEnd(t, cli, 0, "import", "analytics_consent.jane", "jane")
			service.Stop()
			logs += mustEnd(t, cli, 1, "plan")

			for _, r := range service.Requests() {
				if r.Token != "" {
					secrets = append(secrets, r.Token)
				}
			}
			wantLogged(t, logs)
			prototest.WantNoCanary(t, "an output or a log", logs, append(secrets, canaryAddress)...)
			entries, err := os.ReadDir(cli.Dir)
			if err != nil || len(entries) < 4 { // configuration, settings, state and plan
				t.Fatal(entries, err)
			}
			for _, entry := range entries {
				prototest.WantNoCanary(t, entry.Name(), cli.ReadFile(entry.Name()), secrets...)
			}
		})
	}
}

// wantNobody runs a command with -json, and searches what the provider says for the person. A diagnostic must hold the
// words. The configuration that Terraform shows beside a diagnostic is left out.
func wantNobody(t *testing.T, cli *clitest.CLI, code int, words string, args ...string) {
	t.Helper()
	said := ""
	for line := range strings.Lines(mustEnd(t, cli, code, append(args, "-json")...)) {
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
	prototest.WantNoCanary(t, "a diagnostic", said, canaryPerson)
}

// TestCLIProvider_noIdentityIsLoggedOrSaid runs what concerns the identity of an object. Terraform itself
// prints the identity of what it imports.
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
			cli := clitest.New(t, objects, service.Environment())
			if named != "id" {
				acctest.PreCheck(t, acctest.Identities)
			}
			cli.Setenv("TF_LOG_PROVIDER", "TRACE")
			cli.Setenv("TF_LOG_PATH", "log")
			cli.Setenv("ANALYTICS_MAX_RETRIES", "0")

			wantNobody(t, cli, 0, "", "apply", "-auto-approve")
			cli.Setenv("ANALYTICS_PROJECT_ID", "shop")
			wantNobody(t, cli, 0, "The scope of the provider has changed", "plan")
			cli.Setenv("ANALYTICS_PROJECT_ID", mocktest.Project)
			for _, operation := range []string{mockserver.OpGetConsent, mockserver.OpGetProfile} {
				service.Inject(mockserver.Fault{Operation: operation, Status: 400, Body: prototest.QuotedBack(t, []string{canaryPerson})})
			}
			wantNobody(t, cli, 1, "HTTP status: 400", "plan")

			cli.MustRun("state", "rm", "analytics_consent.jane", "analytics_profile.jane")
			cli.Configure(objects + "import {\n  to = analytics_consent.jane\n  " + what + "\n}\nimport {\n  to = analytics_profile.jane\n  " + what + "\n}\n")
			wantNobody(t, cli, 0, "", "apply", "-auto-approve")

			log := cli.ReadFile("log")
			wantLogged(t, log)
			prototest.WantNoCanary(t, "the log", log, canaryPerson)
		})
	}
}
