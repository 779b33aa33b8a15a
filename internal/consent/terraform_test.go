package consent_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const address = "analytics_consent.jane"

// block returns the resource as text. All clauses but the third are true.
func block(lines ...string) string {
	return fmt.Sprintf(`
resource "analytics_consent" "jane" {
  identity_id      = %q
  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = false
  clause_4_consent = true
  clause_5_consent = true
  %s
}
`, person, strings.Join(lines, "\n  "))
}

func TestCLIConsent_isSeededDriftsIsRepairedImportedAndForgotten(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	provider := acctest.Block(service)
	full := provider + block(`user_ipv6 = "192.0.2.7"`, `agreement_time = "2026-01-31T13:00:00+01:00"`)
	cli := clitest.New(t, full, nil)

	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "1 to add, 0 to change, 0 to destroy")
	cli.WantStored(prototest.Attributes{
		"user_ipv6": "192.0.2.7", "agreement_time": "2026-01-31T13:00:00+01:00",
		"manual": true, "keep_later_choice": true, "on_destroy": "retain",
	})
	wantHeld(t, service, configured)
	cli.MustRun("plan", "-detailed-exitcode")

	cli.Configure(provider + block(`user_ipv6 = "::ffff:192.0.2.7"`, `agreement_time = "2026-01-31T12:00:00Z"`))
	cli.MustRun("plan", "-detailed-exitcode")

	cli.Configure(full)
	record, _ := service.Consent(scope, person)
	record.Clauses = [5]bool{}
	service.PutConsent(scope, person, record)
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "0 to add, 1 to change, 0 to destroy")
	wantHeld(t, service, configured)
	cli.MustRun("plan", "-detailed-exitcode")

	// The service gives its own spelling; it means the same, as the plans show.
	cli.WantImport(address, "org-demo/web/jane.doe%40example.com", "user_ipv6", "agreement_time")

	service.DeleteConsent(scope, person)
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "1 to add, 0 to change, 0 to destroy")
	wantHeld(t, service, configured)

	cli.Configure(provider)
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "0 to add, 0 to change, 1 to destroy")
	wantHeld(t, service, configured)
}

func TestCLIConsent_laterChoiceKeepsTheCLIsPlanEmpty(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	cli := clitest.New(t, acctest.Block(service)+block(`agreement_time = "2026-01-31T12:00:00Z"`, `on_destroy = "withdraw"`), nil)
	cli.MustRun("apply", "-auto-approve")

	theirs := choose(late)
	service.PutConsent(scope, person, theirs)
	service.Reset()
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "No changes.")
	cli.WantStored(prototest.Attributes{"clause_1_consent": false, "agreement_time": late})
	cli.MustRun("plan", "-detailed-exitcode")

	cli.Configure(acctest.Block(service)) // destroys, and leaves the choice alone
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "0 to add, 0 to change, 1 to destroy")
	if service.Count(mockserver.OpUpdateConsent) != 0 {
		t.Error("something was written over the person's choice")
	}
	wantHeld(t, service, theirs.Clauses)
}

func TestCLIConsent_unusableIdentitiesAreRefusedByTheCLIBeforeAnyRequest(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	jane := acctest.Block(service) + block()
	cli := clitest.New(t, jane, nil)

	unusable := acctest.Block(service)
	for label, identity := range map[string]string{"nothing": `""`, "spaces": `"   "`, "dot": `"."`, "dots": `".."`, "bell": `"a\u0007b"`} {
		unusable += strings.NewReplacer(`"jane"`, fmt.Sprintf("%q", label), fmt.Sprintf("%q", person), identity).Replace(block())
	}
	cli.Configure(unusable)
	planned := cli.Run("plan")
	problems := strings.Split(planned.Words(), "Error: ")
	for label, reason := range map[string]string{"nothing": "is empty", "spaces": "spaces", "dot": "change", "dots": "change", "bell": "U+0007"} {
		isIts := func(p string) bool {
			return strings.Contains(p, fmt.Sprintf("%q:", label)) && strings.Contains(p, reason)
		}
		if !slices.ContainsFunc(problems, isIts) {
			t.Errorf("%s is not refused:\n%s", label, planned.Output)
		}
	}

	cli.Configure(jane)
	for _, id := range []string{"..", "a/b/..", "a/b/c/d"} {
		wantRefused(t, cli.Run("import", address, id), "Unusable import id")
	}
	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}

	wantRefused(t, cli.Run("import", address, "nobody"), "non-existent")
	if n := service.Count(mockserver.OpUpdateConsent); n != 0 {
		t.Errorf("%d writes", n)
	}
}

// wantRefused fails the test unless a command failed and printed these words.
func wantRefused(t *testing.T, r clitest.Result, words ...string) {
	t.Helper()
	if r.Code != 1 {
		t.Errorf("the command ended with %d", r.Code)
	}
	clitest.WantWords(t, r, words...)
}

func TestCLIConsent_awkwardIdentitiesSurviveTheCLIAndAnImport(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	identity := `a/b?c#d%2F+;:@&= \é`
	cli := clitest.New(t, acctest.Block(service)+strings.Replace(block(), fmt.Sprintf("%q", person), fmt.Sprintf("%q", identity), 1), nil)

	cli.MustRun("apply", "-auto-approve")
	if _, ok := service.Consent(scope, identity); !ok {
		t.Error("the identity did not arrive as it was given")
	}
	cli.MustRun("plan", "-detailed-exitcode")
	cli.WantImport(address, "a%2Fb%3Fc%23d%252F%2B%3B%3A%40%26%3D%20%5C%C3%A9")
}

func TestCLIConsent_unfinishedProviderBlockPlansCreatesAndAppliesInOrder(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	cli := clitest.New(t, fmt.Sprintf(`
resource "terraform_data" "key" {
  input = %q
}

provider "analytics" {
  base_url       = %q
  api_secret_key = terraform_data.key.output
  org_id         = "org-demo"
  project_id     = "web"
}
`, service.SecretKey, service.URL)+block(), nil)

	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), address+" will be created", "2 to add, 0 to change, 0 to destroy")
	wantHeld(t, service, configured)
	cli.MustRun("plan", "-detailed-exitcode")
}

func TestCLIConsent_pageInThePlaceOfTheServiceRemovesNothing(t *testing.T) {
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
	cli := clitest.New(t, acctest.Block(service)+block(), nil)
	cli.MustRun("apply", "-auto-approve")

	for status, words := range map[int][]string{
		200: {"Not JSON (text/html)", "Welcome to the hotel", "In state now: this object as it was before"},
		404: {"Endpoint not found, check base_url"},
	} {
		fault.Store(&mockserver.Fault{Status: status, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<h1>Welcome to the hotel</h1>")})
		wantRefused(t, cli.Run("apply", "-auto-approve"), words...)
	}

	fault.Store(nil)
	cli.MustRun("plan", "-detailed-exitcode")
}

func TestCLIConsent_wrongPasswordIsOneErrorThatNamesTheProviderBlock(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	service.AddUser(service.Email, "another password")
	cli := clitest.New(t, acctest.Block(service)+block(), nil)

	r := cli.Run("apply", "-auto-approve")
	wantRefused(t, r, "Authentication rejected", "Log in", "check the credentials of the provider block")
	if n := strings.Count(r.Output, "Error: "); n != 1 {
		t.Errorf("%d errors are shown:\n%s", n, r.Output)
	}
	if n := service.Count(mockserver.OpLogin); n != 1 {
		t.Errorf("%d logins", n)
	}
}
