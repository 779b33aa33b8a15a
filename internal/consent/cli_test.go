package consent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// peopleBlock returns a resource for n people, under keys with a prefix.
func peopleBlock(key string, people int) string {
	return fmt.Sprintf(`
resource "analytics_consent" "people" {
  for_each         = { for i in range(%d) : "%s-${i}" => "person-${i}" }
  identity_id      = each.value
  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = false
  clause_4_consent = true
  clause_5_consent = true
  agreement_time   = %q
  on_destroy       = "withdraw"
}
`, people, key, early)
}

func TestCLIConsent_renamedKeys(t *testing.T) {
	t.Parallel()
	const people = 12
	service := mocktest.Start(t)
	cli := clitest.New(t, acctest.Block(service)+peopleBlock("old", people), nil)
	cli.MustRun("apply", "-auto-approve")

	cli.Configure(acctest.Block(service) + peopleBlock("new", people))
	cli.MustRun("apply", "-auto-approve")

	if n := withdrawnPeople(service, people); n != 0 {
		t.Errorf("%d of %d people were withdrawn", n, people)
	}
	if output := cli.MustRun("plan").Words(); !strings.Contains(output, "No changes") {
		t.Errorf("the next plan says:\n%s", output)
	}
}

func TestCLIConsent_changedProviderScope(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	provider := acctest.Block(service)
	cli := clitest.New(t, provider+peopleBlock("key", 1), nil)
	cli.MustRun("apply", "-auto-approve")

	cli.Configure(strings.Replace(provider, mocktest.Project, "shop", 1) + peopleBlock("key", 1))
	plan := cli.MustRun("plan").Words()
	for _, words := range []string{"must be replaced", `"web" -> "shop" # forces replacement`, "The scope of the provider has changed"} {
		if !strings.Contains(plan, words) {
			t.Errorf("the plan does not say %q:\n%s", words, plan)
		}
	}

	cli.MustRun("apply", "-auto-approve")
	record, _ := service.Consent(scope, "person-0")
	if record.Clauses != [5]bool{} {
		t.Errorf("where the object was, the service holds %v", record.Clauses)
	}

	elsewhere := scope
	elsewhere.ProjectID = "shop"
	if record, _ := service.Consent(elsewhere, "person-0"); record.Clauses != configured {
		t.Errorf("where the object is to be, the service holds %v", record.Clauses)
	}
	if output := cli.MustRun("plan").Words(); !strings.Contains(output, "No changes") {
		t.Errorf("the next plan says:\n%s", output)
	}
}

func TestCLIConsent_warnsOnceOfNothingToCompare(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	cli := clitest.New(t, acctest.Block(service)+block(), nil)

	for _, command := range [][]string{{"validate"}, {"plan"}, {"apply", "-auto-approve"}} {
		output := cli.MustRun(command...).Words()
		if n := strings.Count(output, "Nothing to compare a later choice with"); n != 1 {
			t.Errorf("%s warns %d times:\n%s", command[0], n, output)
		}
	}
}
