// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

const accAddress = "analytics_consent.user-1001"

// TestAccProvider_basic takes everything from the provider block.
func TestAccProvider_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: acctest.Block(service, `headers = { X-Gateway = "g1" }`) + consentBlock("user-1001"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(accAddress, tfjsonpath.New("org_id"), knownvalue.StringExact(mocktest.Org)),
				statecheck.ExpectKnownValue(accAddress, tfjsonpath.New("project_id"), knownvalue.StringExact(mocktest.Project)),
			},
		}},
	})

	wantWrites(t, service, mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project})
	if service.Count(mockserver.OpLogin) == 0 {
		t.Error("nobody logged in")
	}
	for _, r := range service.Requests() {
		if r.Header.Get("X-Gateway") != "g1" || r.Auth == mockserver.AuthSecret {
			t.Errorf("%s came with %s and the header %q", r.Operation, r.Auth, r.Header.Get("X-Gateway"))
		}
	}
}

// TestAccProvider_validation gives settings that contradict each other. The error is at the
// provider block.
func TestAccProvider_validation(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	var steps []resource.TestStep
	for block, words := range map[string]string{
		`email = "a@example.com"` + "\n" + `password = "canary"` + "\n" + `api_secret_key = "canary"`: `excludes\s+the\s+other\s+credentials`,
		`email = "a@example.com"`: `missing\s+beside\s+email`,
		`token = "  "`:            `is\s+blank`,
		`max_retries = 99`:        `from\s+0\s+to\s+10`,
		`api_secret_key = "canary"` + "\n" + `org_id = "o"`: `needs\s+project_id`,
	} {
		steps = append(steps, resource.TestStep{
			Config:      fmt.Sprintf("provider \"analytics\" {\nbase_url = %q\n%s\n}\n", service.URL, block) + consentBlock("user-1001"),
			ExpectError: regexp.MustCompile(`(?s)with provider\[.*` + words),
		})
	}

	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: steps})

	if n := service.Connections(); n != 0 {
		t.Errorf("the service had %d connections", n)
	}
}

// TestAccProvider_environment takes the scope from the environment, then from the block, and
// never half of the credentials from each.
func TestAccProvider_environment(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	environment := map[string]string{
		"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_ACCOUNT_ID": "acct-7",
		"ANALYTICS_EMAIL": service.Email, "ANALYTICS_PASSWORD": service.Password,
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"analytics": func() (tfprotov6.ProviderServer, error) {
				return provider.NewServer("test", func(name string) string { return environment[name] }), nil
			},
		},
		Steps: []resource.TestStep{
			{
				Config:      fmt.Sprintf("provider \"analytics\" {\n  email = %q\n}\n", service.Email) + consentBlock("user-1001"),
				ExpectError: regexp.MustCompile(`missing\s+beside\s+email`),
			},
			{
				Config: consentBlock("user-1001"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(accAddress, tfjsonpath.New("account_id"), knownvalue.StringExact("acct-7")),
					statecheck.ExpectKnownValue(accAddress, tfjsonpath.New("org_id"), knownvalue.Null()),
				},
			},
			{
				Config: acctest.Block(service) + consentBlock("user-1001"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(accAddress, tfjsonpath.New("account_id"), knownvalue.Null()),
					statecheck.ExpectKnownValue(accAddress, tfjsonpath.New("org_id"), knownvalue.StringExact(mocktest.Org)),
				},
			},
		},
	})

	wantWrites(t, service, mockserver.Scope{AccountID: "acct-7"}, mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project})
}

// TestAccProvider_twoScopes uses two configurations in one run. They have names of their own in
// place of an alias: aliases would share the one server that runs in the test's process.
func TestAccProvider_twoScopes(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	factories := acctest.Factories()
	factories["older"] = acctest.Factories()["analytics"]

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{{
			Config: acctest.Block(service) + consentBlock("user-1001") + fmt.Sprintf(`
provider "older" {
  base_url       = %q
  api_secret_key = %q
  account_id     = "acct-7"
}

resource "analytics_consent" "older" {
  provider         = older
  identity_id      = analytics_consent.user-1001.identity_id
  clause_1_consent = false
  clause_2_consent = false
  clause_3_consent = false
  clause_4_consent = false
  clause_5_consent = false
}
`, service.URL, service.SecretKey),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(accAddress, tfjsonpath.New("project_id"), knownvalue.StringExact(mocktest.Project)),
				statecheck.ExpectKnownValue("analytics_consent.older", tfjsonpath.New("account_id"), knownvalue.StringExact("acct-7")),
			},
		}},
	})

	wantWrites(t, service, mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}, mockserver.Scope{AccountID: "acct-7"})
	for _, r := range service.Requests() {
		if r.Operation == mockserver.OpUpdateConsent && (r.Auth == mockserver.AuthSecret) != (r.Scope.AccountID == "acct-7") {
			t.Errorf("the write to %v came with %s", r.Scope, r.Auth)
		}
	}
}

// TestAccProvider_readOnly refuses a write and lets a data source read.
func TestAccProvider_readOnly(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      acctest.Block(service, `read_only = true`) + consentBlock("user-1001"),
				ExpectError: regexp.MustCompile(`read-only`),
			},
			{
				Config: acctest.Block(service, `read_only = true`) + `data "analytics_current_user" "me" {}`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.analytics_current_user.me", tfjsonpath.New("json"), knownvalue.StringRegexp(regexp.MustCompile(`"email":`))),
				},
			},
		},
	})

	wantWrites(t, service)
}

// wantWrites fails the test unless consent was written once to each of the scopes.
func wantWrites(t *testing.T, service *mocktest.Instance, want ...mockserver.Scope) {
	t.Helper()
	var scopes []mockserver.Scope
	for _, r := range service.Requests() {
		if r.Operation == mockserver.OpUpdateConsent {
			scopes = append(scopes, r.Scope)
		}
	}
	if !slices.Equal(scopes, want) {
		t.Errorf("consent was written to %v; want %v", scopes, want)
	}
}
