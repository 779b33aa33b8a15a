package consent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// wantIdentity fails the test unless state has the identity of the person in a project of
// the organization.
func wantIdentity(t *testing.T, cli *clitest.CLI, project string) {
	t.Helper()
	want := prototest.Attributes{"org_id": mocktest.Org, "project_id": project, "account_id": nil, "identity_id": person}
	if diff := cmp.Diff(want, cli.Stored("terraform.tfstate").Identity); diff != "" {
		t.Errorf("state has another identity: %s", diff)
	}
}

func TestCLIConsentIdentity_isStoredAndImportsTheSameObject(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	config := acctest.Block(service) + block(`agreement_time = "`+early+`"`)
	cli := clitest.New(t, config, nil)
	cli.Needs(acctest.Identities)

	cli.MustRun("apply", "-auto-approve")
	wantIdentity(t, cli, mocktest.Project)
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "No changes.")
	wantIdentity(t, cli, mocktest.Project)

	for _, named := range []string{
		fmt.Sprintf("identity = { org_id = %q, project_id = %q, identity_id = %q }", mocktest.Org, mocktest.Project, person),
		fmt.Sprintf("id = %q", person),
	} {
		cli.Configure(config + fmt.Sprintf("import {\n  to = %s\n  %s\n}\n", address, named))
		clitest.WantWords(t, cli.MustRun("plan", "-state=none.tfstate"), "1 to import, 0 to add, 0 to change, 0 to destroy")
	}

	cli.Configure(strings.Replace(config, mocktest.Project, "shop", 1))
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "destroy and then create replacement", "1 to add, 0 to change, 1 to destroy")
	wantIdentity(t, cli, "shop")
}

// importBlocks returns resources for people, and import blocks that name them by identity.
const importBlocks = `
locals {
  people = { a = "ada", b = "bob/c", g = "grace hopper" }
}

import {
  for_each = local.people
  to       = analytics_consent.people[each.key]
  identity = { identity_id = each.value }
}

resource "analytics_consent" "people" {
  for_each         = local.people
  identity_id      = each.value
  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = false
  clause_4_consent = true
  clause_5_consent = true
  agreement_time   = "2026-01-31T12:00:00Z"
}
`

func TestCLIConsentIdentity_importsManyPeopleWithoutAWrite(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	yes := true
	for _, identity := range []string{"ada", "bob/c", "grace hopper"} {
		service.PutConsent(scope, identity, mockserver.ConsentRecord{Clauses: configured, AgreementTime: early, Manual: &yes})
	}
	cli := clitest.New(t, acctest.Block(service)+importBlocks, nil)
	cli.Needs(acctest.Identities)

	clitest.WantWords(t, cli.MustRun("plan"), "3 to import, 0 to add, 0 to change, 0 to destroy")
	cli.MustRun("apply", "-auto-approve")
	cli.MustRun("plan", "-detailed-exitcode")
	if n := service.Count(mockserver.OpUpdateConsent); n != 0 {
		t.Errorf("%d writes", n)
	}
}

func TestCLIConsentIdentity_unusableOneIsRefusedBeforeAnyRequest(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	cli := clitest.New(t, "", nil)
	cli.Needs(acctest.Identities)

	for identity, reason := range map[string]string{
		`{ identity_id = ".." }`:                                                  "would change the path",
		`{ identity_id = "u", org_id = "o" }`:                                     "needs project_id",
		`{ identity_id = "u", org_id = "o", project_id = "p", account_id = "a" }`: "cannot be combined",
	} {
		cli.Configure(acctest.Block(service) + block() + fmt.Sprintf("import {\n  to = %s\n  identity = %s\n}\n", address, identity))
		r := cli.Run("plan")
		if r.Code != 1 {
			t.Errorf("%s: the plan ended with %d", identity, r.Code)
		}
		clitest.WantWords(t, r, "Unusable import identity", reason, "Accepted forms")
	}
	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// TestCLIConsentIdentity_stateOfAnOlderCLIPlansNoChange removes the identities from a state
// file, as a Terraform before 1.12 does when it writes one.
func TestCLIConsentIdentity_stateOfAnOlderCLIPlansNoChange(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	cli := clitest.New(t, acctest.Block(service)+block(`agreement_time = "`+early+`"`), nil)
	cli.Needs(acctest.Identities)
	cli.MustRun("apply", "-auto-approve")

	state, object := readState(t, cli)
	if object["identity"] == nil {
		t.Fatal("the state has no identity")
	}
	delete(object, "identity")
	delete(object, "identity_schema_version")
	writeState(t, cli, state)

	cli.MustRun("plan", "-detailed-exitcode")
	cli.MustRun("apply", "-auto-approve")
	wantIdentity(t, cli, mocktest.Project)
}

// readState returns a state file, and the one object in it.
func readState(t *testing.T, cli *clitest.CLI) (state, object map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(cli.ReadFile("terraform.tfstate")), &state); err != nil {
		t.Fatal(err)
	}

	first := func(of map[string]any, name string) map[string]any {
		list, _ := of[name].([]any)
		if len(list) != 1 {
			t.Fatalf("the state has %d %s", len(list), name)
		}
		member, _ := list[0].(map[string]any)
		return member
	}

	return state, first(first(state, "resources"), "instances")
}

func writeState(t *testing.T, cli *clitest.CLI, state map[string]any) {
	t.Helper()
	text, err := json.Marshal(state)
	if err == nil {
		err = os.WriteFile(filepath.Join(cli.Dir, "terraform.tfstate"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
