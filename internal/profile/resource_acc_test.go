// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const address = "analytics_profile.jane"

// block returns a resource block for the profile of the person.
func block(lines ...string) string {
	return fmt.Sprintf("resource \"analytics_profile\" \"jane\" {\n  identity_id = %q\n  %s\n}\n", person, strings.Join(lines, "\n  "))
}

// writeOnlyBlock is block with a write-only member, whose value is in the configuration only.
func writeOnlyBlock(version int, nickname string) string {
	return block(`profile_wo = jsonencode({ nickname = var.nickname })`, fmt.Sprintf("profile_wo_version = %d", version)) +
		fmt.Sprintf("variable \"nickname\" {\n  type      = string\n  ephemeral = true\n  default   = %q\n}\n", nickname)
}

func TestAccProfileResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	service.PutProfile(scope, person, `{"theirs":1}`)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: acctest.Block(service) + block(`profile = jsonencode({ plan = "gold", seats = 9007199254740993, ratio = 1.0 })`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(address, tfjsonpath.New("fulfilled")),
					plancheck.ExpectSensitiveValue(address, tfjsonpath.New("profile")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("identity_id"), knownvalue.StringExact(person)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("profile"), knownvalue.StringExact(`{"plan":"gold","ratio":1,"seats":9007199254740993}`)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("wait_for_fulfilment"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("fulfilled"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("on_destroy"), knownvalue.StringExact("retain")),
					statecheck.ExpectSensitiveValue(address, tfjsonpath.New("profile")),
				},
			},
		},
	})

	wantSent(t, service, `{"plan":"gold","ratio":1,"seats":9007199254740993}`)
	if held, _ := service.Profile(scope, person); len(held) != 4 {
		t.Errorf("after the destroy the service holds %v", held)
	}
}

func TestAccProfileResource_update(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	configuration := acctest.Block(service) + block(`profile = jsonencode({ plan = "gold", seats = 2, phone = "+00 555 0100" })`)
	changed := statecheck.CompareValue(compare.ValuesDiffer())

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:            configuration,
				ConfigStateChecks: []statecheck.StateCheck{changed.AddStateValue(address, tfjsonpath.New("profile"))},
			},
			{
				PreConfig: func() {
					service.PutProfile(scope, person, `{"theirs":1,"plan":"free","seats":2,"phone":"+00 555 0100"}`)
					service.Reset()
				},
				Config:           configuration,
				ConfigPlanChecks: acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)),
				PostApplyFunc:    func() { wantSent(t, service, `{"plan":"gold"}`) },
			},
			{
				PreConfig:        service.Reset,
				Config:           acctest.Block(service) + block(`profile = jsonencode({ plan = "gold", phone = null, team = "north" })`),
				ConfigPlanChecks: acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)),
				ConfigStateChecks: []statecheck.StateCheck{
					changed.AddStateValue(address, tfjsonpath.New("profile")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("profile"), knownvalue.StringExact(`{"phone":null,"plan":"gold","team":"north"}`)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("fulfilled"), knownvalue.Bool(true)),
				},
				PostApplyFunc: func() { wantSent(t, service, `{"phone":null,"team":"north"}`) },
			},
		},
	})

	if held, _ := service.Profile(scope, person); held["seats"] == nil || held["theirs"] == nil {
		t.Errorf("members that are not managed are gone: %v", held)
	}
}

func TestAccProfileResource_import(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: acctest.Block(service) + block(`profile = jsonencode({ plan = "gold", seats = 2 })`)},
			{
				ResourceName: address, ImportState: true, ImportStateId: "nobody",
				ExpectError: regexp.MustCompile(`Cannot import non-existent remote object`),
			},
			{
				ResourceName: address, ImportState: true, ImportStateId: "jane.doe%40example.com",
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "identity_id",
			},
			{
				ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithID,
				ImportStateId: mocktest.Org + "/" + mocktest.Project + "/jane.doe%40example.com",
			},
		},
	})

	wantSent(t, service, `{"plan":"gold","seats":2}`)
}

func TestAccProfileResource_identity(t *testing.T) {
	acctest.PreCheck(t, acctest.Identities)
	service := mocktest.Start(t)
	service.PutProfile(scope, person, `{"plan":"gold"}`)
	configuration := acctest.Block(service) + block(`profile = jsonencode({ plan = "gold" })`)
	wantIdentity := func(project string) []statecheck.StateCheck {
		return []statecheck.StateCheck{statecheck.ExpectIdentity(address, map[string]knownvalue.Check{
			"org_id":      knownvalue.StringExact(mocktest.Org),
			"project_id":  knownvalue.StringExact(project),
			"account_id":  knownvalue.Null(),
			"identity_id": knownvalue.StringExact(person),
		})}
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: configuration, ResourceName: address,
				ImportState: true, ImportStateId: "jane.doe%40example.com", ImportStatePersist: true,
			},
			{
				Config:            configuration,
				ConfigPlanChecks:  acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop)),
				ConfigStateChecks: wantIdentity(mocktest.Project),
			},
			{ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{
				Config:            strings.Replace(configuration, mocktest.Project, "shop", 1),
				ConfigPlanChecks:  acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionDestroyBeforeCreate)),
				ConfigStateChecks: wantIdentity("shop"),
			},
		},
	})

	wantSent(t, service, `{"plan":"gold"}`)
	if held, _ := service.Profile(mockserver.Scope{OrgID: mocktest.Org, ProjectID: "shop"}, person); held["plan"] != "gold" {
		t.Errorf("the other project holds %v", held)
	}
}

func TestAccProfileResource_disappears(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	configuration := acctest.Block(service) + block(`profile = jsonencode({ plan = "gold" })`)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: configuration},
			{
				PreConfig:        func() { service.DeleteProfile(scope, person) },
				Config:           configuration,
				ConfigPlanChecks: acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)),
			},
		},
	})

	wantSent(t, service, `{"plan":"gold"}`, `{"plan":"gold"}`)
}

func TestAccProfileResource_validation(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	refused := func(message string, lines ...string) resource.TestStep {
		return resource.TestStep{
			PlanOnly:    true,
			Config:      acctest.Block(service) + block(lines...),
			ExpectError: regexp.MustCompile(message),
		}
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			refused(`one \(and only one\)\s+of`),
			refused(`Invalid value`, `profile = "[]"`),
			refused(`value must be one of`, `profile = "{}"`, `on_destroy = "delete"`),
			refused(`Unusable duration`, `profile = "{}"`, "timeouts {", `  create = "0s"`, "}"),
		},
	})

	if n := len(service.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
}

// TestAccProfileResource_writeOnly looks for the values in the state file itself, also after
// an apply that failed.
func TestAccProfileResource_writeOnly(t *testing.T) {
	acctest.PreCheck(t, acctest.WriteOnlyAttributes)
	service := mocktest.Start(t)
	folder := t.TempDir()
	wantNoValue := func() {
		files, err := filepath.Glob(filepath.Join(folder, "work*", "terraform.tfstate"))
		if err != nil || len(files) != 1 {
			t.Fatalf("the state files are %v (%v)", files, err)
		}
		if state, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(state), person) || strings.Contains(string(state), "canary") {
			t.Errorf("in state is (%v):\n%s", err, state)
		}
	}
	inState := func(version int64) []statecheck.StateCheck {
		return []statecheck.StateCheck{
			statecheck.ExpectKnownValue(address, tfjsonpath.New("profile_wo"), knownvalue.Null()),
			statecheck.ExpectKnownValue(address, tfjsonpath.New("profile_wo_version"), knownvalue.Int64Exact(version)),
		}
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		WorkingDir:               folder,
		Steps: []resource.TestStep{
			{
				Config:            acctest.Block(service) + writeOnlyBlock(1, "first-canary"),
				ConfigStateChecks: inState(1),
				PostApplyFunc:     wantNoValue,
			},
			{
				PreConfig: func() {
					service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: 403, Body: []byte(`{}`)})
				},
				Config:      acctest.Block(service) + writeOnlyBlock(2, "second-canary"),
				ExpectError: regexp.MustCompile(`Not permitted`),
			},
			{
				PreConfig: wantNoValue,
				Config:    acctest.Block(service) + writeOnlyBlock(2, "second-canary"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(address, tfjsonpath.New("profile_wo"), knownvalue.Null()),
				}},
				ConfigStateChecks: inState(2),
				PostApplyFunc:     wantNoValue,
			},
		},
	})

	wantSent(t, service, `{"nickname":"first-canary"}`, `{"nickname":"second-canary"}`, `{"nickname":"second-canary"}`)
}
