package profile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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

func block(lines ...string) string {
	return fmt.Sprintf("resource \"analytics_profile\" \"jane\" {\n  identity_id = %q\n  %s\n}\n", person, strings.Join(lines, "\n  "))
}

func TestAProfileIsManagedImportedAndForgottenByTheCLI(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	service.PutProfile(scope, person, `{"theirs":1}`)
	provider := acctest.Block(service)
	config := provider + block(`profile = jsonencode({ plan = "gold", seats = 9007199254740993, ratio = 1.0 })`)
	fulfilled := statecheck.ExpectKnownValue(address, tfjsonpath.New("fulfilled"), knownvalue.Bool(true))
	acctest.Run(t,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{fulfilled}},
		resource.TestStep{Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		resource.TestStep{
			PreConfig: func() {
				service.PutProfile(scope, person, `{"theirs":2,"plan":"free","seats":9007199254740993,"ratio":1}`)
				service.Reset()
			},
			Config:           config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}},
		},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: "jane.doe%40example.com", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "identity_id", ImportStateVerifyIgnore: []string{"profile"}},
	)
	wantSent(t, service, `{"plan":"gold"}`)
	if held, _ := service.Profile(scope, person); len(held) != 4 {
		t.Errorf("the service holds %v", held)
	}
}

// environment is that of a provider with the service's secret key.
func environment(service *mocktest.Instance) map[string]string {
	return map[string]string{
		"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_API_SECRET_KEY": service.SecretKey,
		"ANALYTICS_ORG_ID": acctest.Org, "ANALYTICS_PROJECT_ID": acctest.Project,
	}
}

func TestWriteOnlyMembersAreInNoFileAndSurviveAFailure(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	text := func(version int, value string) string {
		return block(`profile_wo = jsonencode({ nickname = var.nickname })`, fmt.Sprintf("profile_wo_version = %d", version)) +
			fmt.Sprintf("variable \"nickname\" {\n  type = string\n  ephemeral = true\n  default = %q\n}\n", value)
	}
	cli := acctest.NewCLI(t, text(1, "first-canary"), environment(service))
	cli.MustRun("apply", "-auto-approve")
	service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: 403, Body: []byte(`{}`)})
	cli.Configure(text(2, "second-canary"))
	if r := cli.Run("apply", "-auto-approve"); r.Code != 1 || !strings.Contains(r.Output, "Not permitted") {
		t.Fatalf("the apply ended with %d:\n%s", r.Code, r.Output)
	}
	state, err := os.ReadFile(filepath.Join(cli.Dir, "terraform.tfstate"))
	if err != nil || !strings.Contains(string(state), `"profile_wo_version": 1`) || strings.Contains(string(state), "canary") {
		t.Errorf("state (%v):\n%s", err, state)
	}
	cli.MustRun("apply", "-auto-approve")
	wantSent(t, service, `{"nickname":"first-canary"}`, `{"nickname":"second-canary"}`, `{"nickname":"second-canary"}`)
	cli.MustRun("plan", "-detailed-exitcode")
}

func TestAnInterruptWhileWaitingIsContinuedByTheNextApply(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			waiting := make(chan struct{}, 100)
			service := mocktest.Start(t, becomes(mockserver.Outcome{Fate: mockserver.Never}), func(s *mockserver.Server) {
				s.OnRequest = func(r mockserver.Request) {
					if r.Operation == mockserver.OpListPendingRequests && len(s.Queue()) == 1 {
						waiting <- struct{}{}
					}
				}
			})
			cli := acctest.NewCLI(t, block(`profile = jsonencode({ plan = "gold" })`), environment(service))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := cli.Command(ctx, "apply", "-auto-approve")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-waiting
			if err := syscall.Kill(-cmd.Process.Pid, signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // Terraform may call an interrupted apply a success or not
			if ctx.Err() != nil {
				t.Fatal("Terraform did not end")
			}
			if state, err := os.ReadFile(filepath.Join(cli.Dir, "terraform.tfstate")); err != nil || !strings.Contains(string(state), `"fulfilled": false`) {
				t.Fatalf("state (%v):\n%s", err, state)
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
