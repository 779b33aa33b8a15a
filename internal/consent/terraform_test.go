package consent_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
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

func expect(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)},
	}
}

func expectEmpty() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
}

func value(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), check)
}

func TestAccConsent_isSeededDriftsIsRepairedImportedAndForgotten(t *testing.T) {
	t.Parallel()

	service := mocktest.Start(t)
	provider := acctest.Block(service)
	full := provider + block(`user_ipv6 = "192.0.2.7"`, `agreement_time = "2026-01-31T13:00:00+01:00"`)
	acctest.Run(t,
		resource.TestStep{
			Config:           full,
			ConfigPlanChecks: expect(plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{
				value("user_ipv6", knownvalue.StringExact("192.0.2.7")),
				value("agreement_time", knownvalue.StringExact("2026-01-31T13:00:00+01:00")),
				value("manual", knownvalue.Bool(true)), value("keep_later_choice", knownvalue.Bool(true)), value("on_destroy", knownvalue.StringExact("retain")),
			},
			Check: holds(service, configured),
		},
		resource.TestStep{Config: full, ConfigPlanChecks: expectEmpty()},
		resource.TestStep{
			Config:           provider + block(`user_ipv6 = "::ffff:192.0.2.7"`, `agreement_time = "2026-01-31T12:00:00Z"`),
			ConfigPlanChecks: expectEmpty(),
		},
		resource.TestStep{
			PreConfig: func() {
				record, _ := service.Consent(scope, person)
				record.Clauses = [5]bool{}
				service.PutConsent(scope, person, record)
			},
			Config:           full,
			ConfigPlanChecks: expect(plancheck.ResourceActionUpdate),
			Check:            holds(service, configured),
		},
		resource.TestStep{
			ResourceName: address, ImportState: true, ImportStateId: "org-demo/web/jane.doe%40example.com",
			ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "identity_id",
			// The service gives its own spelling; it means the same, as the plans show.
			ImportStateVerifyIgnore: []string{"user_ipv6", "agreement_time"},
		},
		resource.TestStep{
			PreConfig:        func() { service.DeleteConsent(scope, person) },
			Config:           full,
			ConfigPlanChecks: expect(plancheck.ResourceActionCreate),
			Check:            holds(service, configured),
		},
		resource.TestStep{Config: provider, Check: holds(service, configured)},
	)
}

// holds checks the clauses that the service holds after an apply.
func holds(service *mocktest.Instance, want [5]bool) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if record, ok := service.Consent(scope, person); !ok || record.Clauses != want {
			return fmt.Errorf("the service holds %v (%v), want %v", record.Clauses, ok, want)
		}
		return nil
	}
}

func TestAccConsent_laterChoiceKeepsTheCLIsPlanEmpty(t *testing.T) {
	t.Parallel()

	service := mocktest.Start(t)
	config := acctest.Block(service) + block(`agreement_time = "2026-01-31T12:00:00Z"`, `on_destroy = "withdraw"`)
	theirs := choose(late)
	writes := 0
	acctest.Run(t,
		resource.TestStep{Config: config},
		resource.TestStep{
			PreConfig: func() {
				service.PutConsent(scope, person, theirs)
				writes = service.Count(mockserver.OpUpdateConsent)
			},
			Config: config, ConfigPlanChecks: expectEmpty(),
			ConfigStateChecks: []statecheck.StateCheck{value("clause_1_consent", knownvalue.Bool(false)), value("agreement_time", knownvalue.StringExact(late))},
		},
		resource.TestStep{Config: config, ConfigPlanChecks: expectEmpty()},
		resource.TestStep{
			Config: acctest.Block(service), // destroys, and leaves the choice alone
			Check: func(state *terraform.State) error {
				if service.Count(mockserver.OpUpdateConsent) != writes {
					return errors.New("something was written over the person's choice")
				}
				return holds(service, theirs.Clauses)(state)
			},
		},
	)
}

func TestAccConsent_unusableIdentitiesAreRefusedByTheCLIBeforeAnyRequest(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	config := func(identity string) string {
		return acctest.Block(service) + strings.Replace(block(), fmt.Sprintf("%q", person), identity, 1)
	}

	var steps []resource.TestStep
	for identity, words := range map[string]string{`""`: "is empty", `"   "`: "spaces", `"."`: "change", `".."`: "change", `"a\u0007b"`: `U\+0007`} {
		steps = append(steps, resource.TestStep{Config: config(identity), PlanOnly: true, ExpectError: regexp.MustCompile(words)})
	}

	for _, id := range []string{"..", "a/b/..", "a/b/c/d"} {
		steps = append(steps, resource.TestStep{Config: acctest.Block(service) + block(), ResourceName: address, ImportState: true, ImportStateId: id, ExpectError: regexp.MustCompile("Unusable import id")})
	}

	steps = append(steps, resource.TestStep{
		Config: acctest.Block(service) + block(), ResourceName: address, ImportState: true, ImportStateId: "nobody",
		ExpectError: regexp.MustCompile("(?s)non-existent"),
	})

	acctest.Run(t, steps...)
	if n := service.Count(mockserver.OpUpdateConsent); n != 0 {
		t.Errorf("%d writes", n)
	}
}

func TestAccConsent_awkwardIdentitiesSurviveTheCLIAndAnImport(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	identity := `a/b?c#d%2F+;:@&= \é`
	config := acctest.Block(service) + strings.Replace(block(), fmt.Sprintf("%q", person), fmt.Sprintf("%q", identity), 1)
	acctest.Run(t,
		resource.TestStep{Config: config, Check: func(*terraform.State) error {
			if _, ok := service.Consent(scope, identity); !ok {
				return errors.New("the identity did not arrive as it was given")
			}
			return nil
		}},
		resource.TestStep{
			ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "identity_id",
			ImportStateId: "a%2Fb%3Fc%23d%252F%2B%3B%3A%40%26%3D%20%5C%C3%A9",
		},
	)
}

func TestAccConsent_unfinishedProviderBlockPlansCreatesAndAppliesInOrder(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	config := fmt.Sprintf(`
resource "terraform_data" "key" {
  input = %q
}

provider "analytics" {
  base_url       = %q
  api_secret_key = terraform_data.key.output
  org_id         = "org-demo"
  project_id     = "web"
}
`, service.SecretKey, service.URL) + block()

	acctest.Run(t, resource.TestStep{Config: config, ConfigPlanChecks: expect(plancheck.ResourceActionCreate), Check: holds(service, configured)})
}

func TestAccConsent_pageInThePlaceOfTheServiceRemovesNothing(t *testing.T) {
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

	config := acctest.Block(service) + block()
	page := func(status int) func() {
		return func() {
			fault.Store(&mockserver.Fault{Status: status, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<h1>Welcome to the hotel</h1>")})
		}
	}

	acctest.Run(t,
		resource.TestStep{Config: config},
		resource.TestStep{
			PreConfig:   page(200),
			Config:      config,
			ExpectError: regexp.MustCompile(`(?s)Not JSON \(text/html\).*Welcome to the hotel.*In state now: this object\s+as it was before`),
		},
		resource.TestStep{
			PreConfig:   page(404),
			Config:      config,
			ExpectError: regexp.MustCompile(`(?s)Endpoint not found, check base_url`),
		},
		resource.TestStep{
			PreConfig: func() { fault.Store(nil) },
			Config:    config, ConfigPlanChecks: expectEmpty(),
		},
	)
}

func TestAccConsent_wrongPasswordIsOneErrorThatNamesTheProviderBlock(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	service.AddUser(service.Email, "another password")
	acctest.Run(t, resource.TestStep{
		Config:      acctest.Block(service) + block(),
		ExpectError: regexp.MustCompile(`(?s)Authentication rejected.*Log in.*check the credentials of the\s+provider\s+block`),
	})
	if n := service.Count(mockserver.OpLogin); n != 1 {
		t.Errorf("%d logins", n)
	}
}
