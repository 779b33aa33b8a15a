// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestCLIConsent_warnsOnceOfWhatIsOverwritten has three people without an agreement_time.
func TestCLIConsent_warnsOnceOfWhatIsOverwritten(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	people := strings.Replace(block("for_each = toset([\"user-1\", \"user-2\", \"user-3\"])"), strconv.Quote(person), "each.key", 1)
	cli := clitest.New(t, acctest.Block(service)+people, nil)
	want := func(n int, command ...string) {
		t.Helper()
		if output := cli.MustRun(command...).Words(); strings.Count(output, "Warning: ") != n+1 { // one is Terraform's, of the override
			t.Errorf("%s warns otherwise than %d times:\n%s", command[0], n, output)
		}
	}
	want(0, "validate")
	want(0, "plan")
	want(0, "apply", "-auto-approve")

	for _, identity := range []string{"user-1", "user-2", "user-3"} {
		service.PutConsent(scope, identity, refusal(nil))
	}
	want(1, "plan", "-out=tfplan")
	clitest.WantWords(t, cli.MustRun("plan"), "The plan overwrites", "clause_1_consent, clause_2_consent, clause_4_consent")
	want(0, "apply", "tfplan")
	want(0, "plan", "-detailed-exitcode")
}

// private matches the private state of an object, which begins anew without it.
var private = regexp.MustCompile(`,\s*"private": "[^"]*"`)

// TestCLIConsent_deposedObjectLeavesWithAnImport has a replacement that was interrupted
// after the new object was created, and follows the advice of the refusal.
func TestCLIConsent_deposedObjectLeavesWithAnImport(t *testing.T) {
	t.Parallel()
	for _, lifecycle := range []string{"", "lifecycle {\n    create_before_destroy = true\n  }"} {
		service := mocktest.Start(t)
		cli := clitest.New(t, acctest.Block(service)+block(`on_destroy = "withdraw"`, lifecycle), nil)
		cli.MustRun("apply", "-auto-approve")
		var state struct {
			Resources []struct{ Instances []json.RawMessage }
		}
		text := cli.ReadFile("terraform.tfstate")
		if err := json.Unmarshal([]byte(text), &state); err != nil {
			t.Fatal(err)
		}
		object := string(state.Resources[0].Instances[0])
		deposed := strings.Replace(private.ReplaceAllString(object, ""), "{", `{"deposed": "0a1b2c3d",`, 1)
		text = strings.Replace(text, object, object+", "+deposed, 1)
		if err := os.WriteFile(filepath.Join(cli.Dir, "terraform.tfstate"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		refused := cli.Run("apply", "-auto-approve")
		if refused.Code != 1 {
			t.Errorf("the apply ended with %d", refused.Code)
		}
		clitest.WantWords(t, refused, "Another resource keeps the consent to be withdrawn", "If the plan calls that resource deposed", "terraform state rm", "terraform import")
		service.Reset()
		cli.MustRun("state", "rm", address)
		cli.MustRun("import", address, person)
		cli.MustRun("apply", "-auto-approve")
		wantUpdates(t, service)
		cli.MustRun("plan", "-detailed-exitcode")
	}
}

// queryCLI returns a CLI that knows lists, with a configuration for the service, or skips
// the test.
func queryCLI(t *testing.T, service *mocktest.Instance) *clitest.CLI {
	t.Helper()
	cli := clitest.New(t, acctest.Block(service), nil)
	cli.Needs(acctest.Lists)
	return cli
}

// TestCLIConsentList_limitIsSaid shows that Terraform hands on the warning of the last
// result, although it reads no further.
func TestCLIConsentList_limitIsSaid(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	cli := queryCLI(t, service)
	putConsents(service, identities(120)...)
	service.PutExport(scope, exportDay, mockserver.ExportDay{Persons: personRecords("identityId", identities(120)...)})

	byDay := fmt.Sprintf("utc_date = %q", exportDay)
	for lines, want := range map[string]int{"limit = 7": 7, "": 100, "limit = 120": 120} {
		service.Reset()
		queried := cli.Query(listBlock(byDay, lines))
		if n := strings.Count(queried.Output, "identity_id="); queried.Code != 0 || n != want {
			t.Errorf("%q: %d people are listed, want %d:\n%s", lines, n, want, queried.Output)
		}

		says := strings.Contains(queried.Words(), fmt.Sprintf("The list ended at its limit of %d, and its source has more people, who were not looked up.", want))
		if says != (want < 120) {
			t.Errorf("%q: it says that more follow: %v\n%s", lines, says, queried.Output)
		}
		if n := service.Count(mockserver.OpGetConsent); n > want {
			t.Errorf("%q: %d people were looked up", lines, n)
		}
	}
}

// TestCLIConsentList_interruptIsAnError interrupts a query that has found one person and
// waits for another. Without an error, Terraform would show half a list and end with 0.
func TestCLIConsentList_interruptIsAnError(t *testing.T) {
	t.Parallel()
	for name, stop := range clitest.Interrupts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			waiting := make(chan struct{})
			var hung atomic.Bool
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
					if r.Identity != "user-2" || hung.Swap(true) {
						return nil
					}
					close(waiting)
					return &mockserver.Fault{Hang: true}
				}
			})
			cli := queryCLI(t, service)
			putConsents(service, "user-1", "user-2")

			cli.WriteQuery(listBlock(`identity_ids = ["user-1", "user-2"]`))
			r := cli.RunInterrupted(stop, "", waiting, "query")
			if r.Code == 0 {
				t.Errorf("the interrupted query ended with 0:\n%s", r.Output)
			}
			clitest.WantWords(t, r, "The list was interrupted")
			clitest.WantWords(t, cli.MustRun("query"), "user-1", "user-2") // as the message says
		})
	}
}

// TestCLIConsentList_bringsPeopleUnderManagement queries, writes the configuration, and
// imports it without a change and without a write. Then the people are managed.
func TestCLIConsentList_bringsPeopleUnderManagement(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	cli := queryCLI(t, service)
	address, no, yes := "2001:db8::1", false, true
	other := mockserver.Scope{AccountID: "acct-7"}
	service.PutConsent(scope, "user-1", mockserver.ConsentRecord{Clauses: configured, UserIPv6: &address, AgreementTime: early, Manual: &yes})
	service.PutConsent(scope, "user-2", mockserver.ConsentRecord{Clauses: [5]bool{true}, AgreementTime: "2026-01-31T13:00:00+01:00", Manual: &no})
	service.PutConsent(scope, "a/b ü%", mockserver.ConsentRecord{Clauses: configured, UserIPv6: &address})
	service.PutConsent(other, "user-4", mockserver.ConsentRecord{Clauses: configured, AgreementTime: early})
	lists := listBlock(`identity_ids = ["user-1", "user-2", "a/b ü%", "nobody"]`) +
		strings.Replace(listBlock("identity_ids = [\"user-4\"]\naccount_id = \"acct-7\""), `"people"`, `"elsewhere"`, 1)

	generated := filepath.Join(cli.Dir, "people.tf")
	queried := cli.Query(lists, "-generate-config-out="+generated)
	if queried.Code != 0 {
		t.Fatalf("the query failed:\n%s", queried.Output)
	}
	text, err := os.ReadFile(generated)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), address) || strings.Contains(queried.Output, address) {
		t.Errorf("the address is shown:\n%s\n%s", queried.Output, text)
	}

	clitest.WantWords(t, cli.MustRun("plan"), "4 to import, 0 to add, 0 to change, 0 to destroy.")
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "4 imported, 0 added, 0 changed, 0 destroyed.")
	clitest.WantWords(t, cli.MustRun("plan"), "No changes.")
	if n := service.Count(mockserver.OpUpdateConsent); n != 0 {
		t.Errorf("%d updates were sent", n)
	}

	// What was imported is managed: a clause that changes in the file is written.
	changed := strings.Replace(string(text), "clause_5_consent     = true\n  identity_id          = \"user-1\"", "clause_5_consent     = false\n  identity_id          = \"user-1\"", 1)
	if err := os.WriteFile(generated, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "0 added, 1 changed, 0 destroyed.")
	record, _ := service.Consent(scope, "user-1")
	if record.Clauses != [5]bool{true, true, false, true, false} || record.UserIPv6 == nil || *record.UserIPv6 != address {
		t.Errorf("the service holds %v", record)
	}
}
