package main

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// asProgram is a variable with which the test binary behaves as the provider's.
const asProgram = "TEST_AS_PROVIDER"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// program returns the command that runs the provider's program with arguments.
func program(t *testing.T, service *mocktest.Instance, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], args...)
	command.Env = append(terraformcli.Isolated(os.Environ(), os.DevNull), asProgram+"=1")
	for name, value := range service.Environment() {
		command.Env = append(command.Env, name+"="+value)
	}

	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output

	return command, &output
}

func TestDoctor_isACommandOfTheProvider(t *testing.T) {
	t.Parallel()
	command, output := program(t, mocktest.Start(t), "doctor")
	if err := command.Run(); command.ProcessState.ExitCode() != 1 { // the list and the day are empty
		t.Errorf("the program ended with %v: %s", err, output)
	}
	if !strings.HasPrefix(output.String(), "analytics doctor dev: nobody is read or written\n") || strings.Contains(output.String(), "\x1b") {
		t.Errorf("printed: %q", output)
	}
}

// TestDoctor_restoresAfterCtrlC interrupts the program while its first update is on the way.
func TestDoctor_restoresAfterCtrlC(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("os.Interrupt cannot be sent on Windows")
	}

	scope := mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}
	before := mockserver.ConsentRecord{Clauses: [mockserver.Clauses]bool{true, true}, AgreementTime: "2026-02-01T08:00:00Z", Manual: new(false)}
	service := mocktest.Start(t)
	service.PutConsent(scope, "test-person", before)
	arrived := make(chan struct{})
	service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Commit: true, Hang: true, Then: func() { close(arrived) }})

	command, output := program(t, service, "doctor", "-identity", "test-person", "-write", "-yes")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	<-arrived // and its answer never comes
	if record, _ := service.Consent(scope, "test-person"); record.Clauses == before.Clauses {
		t.Error("nothing was written")
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()

	record, _ := service.Consent(scope, "test-person")
	if record.Clauses != before.Clauses || *record.Manual {
		t.Errorf("the consent is %+v: %s", record, output)
	}
	if !strings.Contains(output.String(), "the person's consent is as it was before") {
		t.Errorf("the report does not say so: %s", output)
	}
}
