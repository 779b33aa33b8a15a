package requests_test

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const deleteAddress = "action.analytics_delete_data.jane"

// deletesPerson declares an action that deletes the data of a person. The variable that
// names the person has one more argument, such as "sensitive = true".
func deletesPerson(argument string) string {
	return `
variable "who" {
  type = string
  ` + argument + `
}

action "analytics_delete_data" "jane" {
  config { identity_id = var.who }
}
`
}

// newActionCLI returns a CLI that knows actions, and its service. The variable who is the
// person.
func newActionCLI(t *testing.T, configuration string, configure ...func(*mockserver.Server)) (*acctest.CLI, *mocktest.Instance) {
	t.Helper()
	cli, service := newCLI(t, configuration, configure...)
	cli.SkipUnlessTerraform(14, "actions")
	cli.Setenv("TF_VAR_who", person)

	return cli, service
}

func TestAccDeleteData_invokedWithASensitiveVariable(t *testing.T) {
	t.Parallel()

	cli, service := newActionCLI(t, deletesPerson("sensitive = true"))
	r := cli.Invoke(deleteAddress)
	if r.Code != 0 {
		t.Fatalf("the action ended with %d:\n%s", r.Code, r.Output)
	}
	acctest.WantWords(t, r, "Actions: 1 to invoke", "irreversible", acceptedFirst, carriedOut, "Actions: 1 invoked")
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
	wantUnnamed(t, r.Output)

	wantUnnamed(t, cli.Invoke(deleteAddress, "-json").Output)
	wantQueued(t, service, mockserver.OpDeleteAllData, 2)

	state, err := os.ReadFile(filepath.Join(cli.Dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	wantUnnamed(t, string(state))
}

// TestAccDeleteData_invokedWithAnEphemeralVariable invokes from a saved plan, which does
// not hold the person. Terraform 1.16 and later then do not pass the person on.
func TestAccDeleteData_invokedWithAnEphemeralVariable(t *testing.T) {
	t.Parallel()

	cli, service := newActionCLI(t, deletesPerson("ephemeral = true"))
	cli.MustRun("plan", "-invoke="+deleteAddress, "-out=saved.tfplan")
	wantUnnamed(t, unpacked(t, filepath.Join(cli.Dir, "saved.tfplan")))

	r := cli.Run("apply", "saved.tfplan")
	wantUnnamed(t, r.Output)
	if cli.Version().Before(16) {
		acctest.WantWords(t, r, acceptedFirst, carriedOut, "Actions: 1 invoked")
		wantQueued(t, service, mockserver.OpDeleteAllData, 1)
		return
	}

	acctest.WantWords(t, r, "The identity did not arrive", "Nothing was sent")
	wantNothingSent(t, service)
}

func TestAccDeleteData_triggeredWithAnEphemeralVariable(t *testing.T) {
	t.Parallel()

	cli, service := newActionCLI(t, deletesPerson("ephemeral = true")+`
resource "terraform_data" "erasure" {
  input = 1

  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [`+deleteAddress+`]
    }
  }
}
`)
	r := cli.MustRun("apply", "-auto-approve")
	acctest.WantWords(t, r, acceptedFirst, carriedOut)
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
	wantUnnamed(t, r.Output)
}

func TestAccDeleteData_interruptedWaitIsReported(t *testing.T) {
	t.Parallel()

	for name, stop := range acctest.Interrupts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cli, service := newActionCLI(t, deletesPerson("sensitive = true"), never)
			ready := make(chan struct{})
			close(ready)
			r := cli.RunInterrupted(stop, acceptedFirst, ready, "apply", "-auto-approve", "-invoke="+deleteAddress)
			if r.Code == 0 {
				t.Errorf("the interrupted run ended with 0:\n%s", r.Output)
			}
			acctest.WantWords(t, r, "execution halted", "Interrupted while waiting", "the request stands and must not be repeated")
			wantQueued(t, service, mockserver.OpDeleteAllData, 1)
		})
	}
}

// wantUnnamed fails the test if a text holds something of the person.
func wantUnnamed(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, person) || strings.Contains(text, "Canary") {
		t.Errorf("the person is named:\n%s", text)
	}
}

// unpacked returns the content of all files of a saved plan.
func unpacked(t *testing.T, plan string) string {
	t.Helper()
	archive, err := zip.OpenReader(plan)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()

	var all strings.Builder
	for _, file := range archive.File {
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, content); err != nil {
			t.Fatal(err)
		}
		content.Close()
	}

	return all.String()
}
