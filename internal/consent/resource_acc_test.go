// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

func TestAccConsentResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	jane := acctest.Block(service) + block(`clause_3_consent = false`, `user_ipv6 = "192.0.2.7"`, `agreement_time = "2026-01-31T13:00:00+01:00"`)
	changed := acctest.Block(service) + block(`clause_3_consent = true`, `agreement_time = "`+middle+`"`, `manual = false`)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:           jane,
				ConfigPlanChecks: acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("clause_3_consent"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("user_ipv6"), knownvalue.StringExact("192.0.2.7")),
					statecheck.ExpectSensitiveValue(address, tfjsonpath.New("user_ipv6")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("agreement_time"), knownvalue.StringExact("2026-01-31T13:00:00+01:00")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("org_id"), knownvalue.StringExact(mocktest.Org)),
				},
			},
			{ResourceName: address, ImportState: true, ImportStateId: "nobody", ExpectError: acctest.Message("non-existent remote object")},
			{ResourceName: address, ImportState: true, ImportStateId: "org-demo/web/jane.doe%40example.com", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "identity_id", ImportStateVerifyIgnore: []string{"user_ipv6", "agreement_time"}}, // which are shown in another spelling
			{ResourceName: address, ImportState: true, ImportStateId: person, ImportStateKind: resource.ImportBlockWithID},
			{ // other spellings of the same values
				Config:   acctest.Block(service) + block(`clause_3_consent = false`, `user_ipv6 = "::ffff:192.0.2.7"`, `agreement_time = "2026-01-31T12:00:00Z"`),
				PlanOnly: true,
			},
			{ // drift
				PreConfig: func() {
					record, _ := service.Consent(scope, person)
					record.Clauses = [5]bool{}
					service.PutConsent(scope, person, record)
				},
				Config:           jane,
				ConfigPlanChecks: acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)),
			},
			{
				Config:           changed,
				ConfigPlanChecks: acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("clause_3_consent"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("agreement_time"), knownvalue.StringExact(middle)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("manual"), knownvalue.Bool(false)),
				},
			},
			{ // settings of the object alone send nothing, until it is destroyed
				Config:           acctest.Block(service) + block(`clause_3_consent = true`, `agreement_time = "`+middle+`"`, `manual = false`, `on_destroy = "withdraw"`, `keep_later_choice = false`),
				ConfigPlanChecks: acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)),
			},
		},
	})

	first := update(configured, map[string]any{"user_ipv6": "::ffff:192.0.2.7", "agreement_time": early})
	wantUpdates(t, service, first, first,
		update([5]bool{true, true, true, true, true}, map[string]any{"agreement_time": middle, "manual": false}),
		update([5]bool{}, map[string]any{"manual": false}),
	)
}

// TestAccConsentResource_identity imports by the identity that is stored.
func TestAccConsentResource_identity(t *testing.T) {
	acctest.PreCheck(t, acctest.Identities)
	service := mocktest.Start(t)
	identity := map[string]knownvalue.Check{
		"org_id": knownvalue.StringExact(mocktest.Org), "project_id": knownvalue.StringExact(mocktest.Project),
		"account_id": knownvalue.Null(), "identity_id": knownvalue.StringExact(person),
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:            acctest.Block(service) + block(`clause_3_consent = false`, `agreement_time = "`+early+`"`),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectIdentity(address, identity)},
			},
			{ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		},
	})
	wantUpdates(t, service, update(configured, map[string]any{"agreement_time": early}))
}

const address = "analytics_consent.jane"

// block returns the resource as text. All clauses but the third are true, and the lines say the rest.
func block(lines ...string) string {
	return fmt.Sprintf(`
resource "analytics_consent" "jane" {
  identity_id      = %q
  clause_1_consent = true
  clause_2_consent = true
  clause_4_consent = true
  clause_5_consent = true
  %s
}
`, person, strings.Join(lines, "\n  "))
}

// TestAccConsentResource_renamed renames an object without a moved block, which destroys and creates one of the same
// person in one run.
func TestAccConsentResource_renamed(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	jane := acctest.Block(service) + block(`clause_3_consent = false`, `agreement_time = "`+early+`"`, `on_destroy = "withdraw"`)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: jane},
			{
				Config: strings.Replace(jane, `"jane"`, `"renamed"`, 1),
				ConfigPlanChecks: acctest.Planned(
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionDestroy),
					plancheck.ExpectResourceAction("analytics_consent.renamed", plancheck.ResourceActionCreate),
				),
				PostApplyFunc: func() { wantHeld(t, service, configured) },
			},
		},
	})
	wantHeld(t, service, [5]bool{})
}

// private matches the private state of an object, which begins anew without it.
var private = regexp.MustCompile(`,\s*"private": "[^"]*"`)

// TestCLIConsent_deposedObjectLeavesWithAnImport has a replacement that was interrupted
// after the new object was created, and follows the advice of the refusal.
func TestCLIConsent_deposedObjectLeavesWithAnImport(t *testing.T) {
	t.Parallel()
	for _, lifecycle := range []string{"", "lifecycle {\n    create_before_destroy = true\n  }"} {
		service := mocktest.Start(t)
		cli := clitest.New(t, acctest.Block(service)+block(`clause_3_consent = false`, `on_destroy = "withdraw"`, lifecycle), nil)
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
		clitest.WantWords(t, refused, "Another resource keeps the consent to be withdrawn", "If the plan calls it deposed", "terraform state rm", "terraform import")
		service.Reset()
		cli.MustRun("state", "rm", address)
		cli.MustRun("import", address, person)
		cli.MustRun("apply", "-auto-approve")
		wantUpdates(t, service)
		cli.MustRun("plan", "-detailed-exitcode")
	}
}

// TestCLIConsent_ignoredTimeIsNoLaterOne has the idiom of a time that only a create takes. A plan
// gets the time in state in its place, which may be the person's own, and the apply the new one that is ignored.
func TestCLIConsent_ignoredTimeIsNoLaterOne(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	at := func(now, clause3, onDestroy string) string {
		return acctest.Block(service) + block(`agreement_time = "`+now+`"`, `clause_3_consent = `+clause3, `on_destroy = "`+onDestroy+`"`, "lifecycle {\n    ignore_changes = [agreement_time]\n  }")
	}
	const now = "2026-05-01T12:00:00Z"
	cli := clitest.New(t, at(early, "false", "retain"), nil)
	cli.MustRun("apply", "-auto-approve")
	cli.Configure(at(now, "true", "retain"))
	cli.MustRun("plan", "-out=planned")
	service.PutConsent(scope, person, choose(late)) // no plan has seen it
	clitest.WantWords(t, cli.MustRun("apply", "planned"), laterStands)

	for _, onDestroy := range []string{"retain", "withdraw", "withdraw"} {
		cli.Configure(at(now, "false", onDestroy))
		clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), laterStands)
		service.PutConsent(scope, person, choose(late))
	}
	cli.MustRun("plan", "-detailed-exitcode")
	wantUpdates(t, service, update(configured, map[string]any{"agreement_time": early}))
}

func TestAccConsentDataSource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	const ada = "data.analytics_consent.ada"
	service.PutConsent(scope, "ada", mockserver.ConsentRecord{
		Clauses: configured, UserIPv6: new("2001:db8::1"), AgreementTime: "2026-01-31T13:00:00+01:00",
		Extra: map[string]any{"version": int64(9007199254740993)},
	})

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: acctest.Block(service) + dataBlock("jane", `".."`), ExpectError: acctest.Message("Unusable identifier", "change")},
			{Config: acctest.Block(service) + dataBlock("jane", `"nobody"`), ExpectError: acctest.Message("Not found", "HTTP status: 404", "identity_id and the scope")},
			{
				Config: acctest.Block(service) + block(`clause_3_consent = false`, `user_ipv6 = "2001:db8::2"`) + dataBlock("jane", "analytics_consent.jane.identity_id") +
					dataBlock("ada", `"ada"`) + "output \"version\" {\n  value     = tostring(jsondecode(" + ada + ".json).version)\n  sensitive = true\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(ada, tfjsonpath.New("clause_3_consent"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(ada, tfjsonpath.New("user_ipv6"), knownvalue.StringExact("2001:db8::1")),
					statecheck.ExpectSensitiveValue(ada, tfjsonpath.New("user_ipv6")),
					statecheck.ExpectKnownValue(ada, tfjsonpath.New("agreement_time"), knownvalue.StringExact(early)),
					statecheck.ExpectSensitiveValue(ada, tfjsonpath.New("json")),
					statecheck.ExpectKnownOutputValue("version", knownvalue.StringExact("9007199254740993")),
					statecheck.CompareValuePairs(address, tfjsonpath.New("user_ipv6"), "data."+address, tfjsonpath.New("user_ipv6"), compare.ValuesSame()),
				},
			},
		},
	})
	wantUpdates(t, service, update(configured, map[string]any{"user_ipv6": "2001:db8::2"}))
}

// dataBlock returns the data source as text. identity is an expression.
func dataBlock(name, identity string) string {
	return fmt.Sprintf("\ndata \"analytics_consent\" %q {\n  identity_id = %s\n}\n", name, identity)
}
