package profile_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const address = "analytics_profile.jane"

func block(lines ...string) string {
	return fmt.Sprintf("resource \"analytics_profile\" \"jane\" {\n  identity_id = %q\n  %s\n}\n", person, strings.Join(lines, "\n  "))
}

func TestCLIProfile_managedImportedAndForgotten(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	service.PutProfile(scope, person, `{"theirs":1}`)
	provider := acctest.Block(service)
	cli := clitest.New(t, provider+block(`profile = jsonencode({ plan = "gold", seats = 9007199254740993, ratio = 1.0 })`), nil)

	cli.MustRun("apply", "-auto-approve")
	cli.WantStored(prototest.Attributes{"fulfilled": true})
	cli.MustRun("plan", "-detailed-exitcode")

	service.PutProfile(scope, person, `{"theirs":2,"plan":"free","seats":9007199254740993,"ratio":1}`)
	service.Reset()
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "0 to add, 1 to change, 0 to destroy")
	cli.MustRun("plan", "-detailed-exitcode")
	wantSent(t, service, `{"plan":"gold"}`)

	cli.WantImport(address, "jane.doe%40example.com", "profile")

	cli.Configure(provider)
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "0 to add, 0 to change, 1 to destroy")
	wantSent(t, service, `{"plan":"gold"}`)
	if held, _ := service.Profile(scope, person); len(held) != 4 {
		t.Errorf("the service holds %v", held)
	}
}

func TestCLIProfile_identityIsStoredAndImportsTheSameObject(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	config := acctest.Block(service) + block(`profile = jsonencode({ plan = "gold" })`)
	cli := clitest.New(t, config, nil)
	cli.Needs(acctest.Identities)
	wantIdentity := func(project string) {
		t.Helper()
		want := prototest.Attributes{"org_id": mocktest.Org, "project_id": project, "account_id": nil, "identity_id": person}
		if diff := cmp.Diff(want, cli.Stored("terraform.tfstate").Identity); diff != "" {
			t.Errorf("state has another identity: %s", diff)
		}
	}

	cli.MustRun("apply", "-auto-approve")
	wantIdentity(mocktest.Project)

	identity := fmt.Sprintf("{ org_id = %q, project_id = %q, identity_id = %q }", mocktest.Org, mocktest.Project, person)
	cli.Configure(config + fmt.Sprintf("import {\n  to = %s\n  identity = %s\n}\n", address, identity))
	clitest.WantWords(t, cli.MustRun("plan", "-state=none.tfstate"), "1 to import, 0 to add, 0 to change, 0 to destroy")

	cli.Configure(strings.Replace(config, mocktest.Project, "shop", 1))
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "destroy and then create replacement", "1 to add, 0 to change, 1 to destroy")
	wantIdentity("shop")
}

func TestCLIProfile_writeOnlyMembersAreInNoFile(t *testing.T) {
	t.Parallel()

	service := mocktest.Start(t)
	text := func(version int, value string) string {
		return block(`profile_wo = jsonencode({ nickname = var.nickname })`, fmt.Sprintf("profile_wo_version = %d", version)) +
			fmt.Sprintf("variable \"nickname\" {\n  type = string\n  ephemeral = true\n  default = %q\n}\n", value)
	}

	cli := clitest.New(t, text(1, "first-canary"), service.Environment())
	cli.Needs(acctest.WriteOnlyAttributes)
	cli.MustRun("apply", "-auto-approve")
	service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: 403, Body: []byte(`{}`)})
	cli.Configure(text(2, "second-canary"))
	if r := cli.Run("apply", "-auto-approve"); r.Code != 1 || !strings.Contains(r.Output, "Not permitted") {
		t.Fatalf("the apply ended with %d:\n%s", r.Code, r.Output)
	}

	version := cli.Attribute("analytics_profile.jane", "profile_wo_version")
	if state := cli.ReadFile("terraform.tfstate"); version != 1.0 || strings.Contains(state, "canary") {
		t.Errorf("version %v is in the state:\n%s", version, state)
	}

	cli.MustRun("apply", "-auto-approve")
	wantSent(t, service, `{"nickname":"first-canary"}`, `{"nickname":"second-canary"}`, `{"nickname":"second-canary"}`)
	cli.MustRun("plan", "-detailed-exitcode")
}

func TestCLIProfile_interruptedWaitIsResumed(t *testing.T) {
	t.Parallel()

	for name, stop := range clitest.Interrupts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			waiting := make(chan struct{})
			var once sync.Once
			service := mocktest.Start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}), func(s *mockserver.Server) {
				s.OnRequest = func(r mockserver.Request) {
					if r.Operation == mockserver.OpListPendingRequests && len(s.Queue()) == 1 {
						once.Do(func() { close(waiting) })
					}
				}
			})
			cli := clitest.New(t, block(`profile = jsonencode({ plan = "gold" })`), service.Environment())
			cli.RunInterrupted(stop, "", waiting, "apply", "-auto-approve")
			if got := cli.Attribute("analytics_profile.jane", "fulfilled"); got != false {
				t.Fatalf("fulfilled is %v", got)
			}
			if r := cli.Run("plan", "-detailed-exitcode"); r.Code != 2 || !strings.Contains(r.Output, "1 to change") {
				t.Errorf("the next plan ended with %d:\n%s", r.Code, r.Output)
			}

			service.FulfilAll()
			cli.MustRun("apply", "-auto-approve")
			cli.MustRun("plan", "-detailed-exitcode")
			if n := len(service.Queue()); n != 1 {
				t.Errorf("%d requests were accepted", n)
			}
		})
	}
}
