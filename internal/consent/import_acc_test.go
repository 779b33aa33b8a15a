// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestAccConsentResource_import(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	jane := acctest.Block(service) + block(`user_ipv6 = "2001:db8::1"`, `agreement_time = "`+early+`"`)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:       jane,
				ResourceName: address, ImportState: true, ImportStateId: "nobody",
				ExpectError: acctest.Message("non-existent remote object"),
			},
			{Config: jane},
			{
				ResourceName: address, ImportState: true, ImportStateId: "org-demo/web/jane.doe%40example.com",
				ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "identity_id",
			},
			{ResourceName: address, ImportState: true, ImportStateId: person, ImportStateKind: resource.ImportBlockWithID},
		},
	})
	wantUpdates(t, service, update(configured, map[string]any{"user_ipv6": "2001:db8::1", "agreement_time": early}))
}

// TestAccConsentResource_identity imports by the identity that is stored, and moves the object
// to another scope, where its identity follows.
func TestAccConsentResource_identity(t *testing.T) {
	acctest.PreCheck(t, acctest.Identities)
	service := mocktest.Start(t)
	jane := acctest.Block(service) + block(`agreement_time = "`+early+`"`)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: jane,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentity(address, identityOf(mocktest.Project, person)),
					statecheck.ExpectIdentityValueMatchesState(address, tfjsonpath.New("identity_id")),
					statecheck.ExpectIdentityValueMatchesState(address, tfjsonpath.New("org_id")),
					statecheck.ExpectIdentityValueMatchesState(address, tfjsonpath.New("project_id")),
				},
			},
			{ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{
				Config:            strings.Replace(jane, mocktest.Project, "shop", 1),
				ConfigPlanChecks:  acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionDestroyBeforeCreate)),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectIdentity(address, identityOf("shop", person))},
			},
		},
	})

	created := update(configured, map[string]any{"agreement_time": early})
	wantUpdates(t, service, created, created)
}

// identityOf returns the resource identity of a person in a project of the organization.
func identityOf(project, person string) map[string]knownvalue.Check {
	return map[string]knownvalue.Check{
		"org_id": knownvalue.StringExact(mocktest.Org), "project_id": knownvalue.StringExact(project),
		"account_id": knownvalue.Null(), "identity_id": knownvalue.StringExact(person),
	}
}
