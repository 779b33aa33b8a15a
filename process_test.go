// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

// asProgram is a variable with which the test binary behaves as the provider's. If it is set
// to panics, each change of the person canary panics.
const (
	asProgram = "TEST_AS_PROVIDER"
	panics    = "panics"
)

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "":
		acctest.Main(m)
	case panics:
		serve(grpc.ChainUnaryInterceptor(panicForCanary))
	default:
		main()
	}
}

func panicForCanary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if strings.HasSuffix(info.FullMethod, "/ApplyResourceChange") && strings.Contains(fmt.Sprint(req), "canary") {
		panic("canary@example.com")
	}
	return next(ctx, req)
}

// program returns the command that runs the provider's program with arguments, and the environment of a service.
func program(t *testing.T, service *mocktest.Instance, args ...string) *exec.Cmd {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], args...)
	command.Env = append(acctest.Environment(), asProgram+"=1")
	for name, value := range service.Environment() {
		command.Env = append(command.Env, name+"="+value)
	}

	return command
}

// wantUnix skips a test that sends signals, or runs sh.
func wantUnix(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh on Windows, and a signal cannot be sent")
	}
}

// TestDoctor_saysWhatIsLeftAfterSignals ends the program while its first update is on the way.
func TestDoctor_saysWhatIsLeftAfterSignals(t *testing.T) {
	t.Parallel()
	wantUnix(t)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t)
			arrived := make(chan struct{})
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Commit: true, Hang: true, Then: func() { close(arrived) }})

			var output bytes.Buffer
			command := program(t, service, "doctor", "-rehearse")
			command.Stdout, command.Stderr = &output, &output
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			<-arrived // and its answer never comes
			_, _ = command.Process.Signal(signal), command.Wait()

			said := strings.Join(strings.Fields(output.String()), " ")
			if code := command.ProcessState.ExitCode(); code != 2 || !strings.Contains(said, "@example.invalid is left: a consent record with invented choices") {
				t.Errorf("exit status %d: %s", code, said)
			}
		})
	}
}

// TestCLIPanic_isAnErrorAndSiblingsAreSaved lets the change of one of six objects panic outside
// of the object's own methods, first in an update, then in a destroy.
func TestCLIPanic_isAnErrorAndSiblingsAreSaved(t *testing.T) {
	t.Parallel()
	configuration := func(agreed bool) string {
		return fmt.Sprintf(`resource "analytics_consent" "x" {
  for_each         = toset(["canary", "user-1", "user-2", "user-3", "user-4", "user-5"])
  identity_id      = each.key
  clause_1_consent = %t
  clause_2_consent = false
  clause_3_consent = false
  clause_4_consent = false
  clause_5_consent = false
}
`, agreed)
	}

	service := mocktest.Start(t)
	cli := clitest.New(t, configuration(true), service.Environment())
	cli.MustRun("apply", "-auto-approve")
	before := map[any]string{}
	for _, object := range cli.Stored() {
		before[object.Key] = fmt.Sprint(object)
	}

	program := filepath.Join(t.TempDir(), "terraform-provider-analytics")
	if err := os.Symlink(os.Args[0], program); err != nil {
		t.Fatal(err)
	}
	cli.UseProvider(program)
	cli.Setenv(asProgram, panics)
	cli.Setenv("TF_LOG", "ERROR")
	cli.Configure(configuration(false))

	for _, command := range []string{"apply", "destroy"} {
		r := cli.Run(command, "-auto-approve")
		clitest.WantWords(t, r, "Error: Internal error", `analytics_consent.x["canary"]`, "Panic in the provider", "panicForCanary")
		if r.Code != 1 || strings.Contains(r.Output, "canary@example.com") {
			t.Errorf("%s ended with %d:\n%s", command, r.Code, r.Output)
		}

		after := cli.Stored()
		if want := map[string]int{"apply": 6, "destroy": 1}[command]; len(after) != want {
			t.Errorf("%d objects are left after %s, want %d", len(after), command, want)
		}
		for _, object := range after {
			if same := fmt.Sprint(object) == before[object.Key]; same != (object.Key == "canary") {
				t.Errorf("after %s, there is %v", command, object)
			}
		}
	}

	cli.Setenv(asProgram, "1")
	cli.MustRun("destroy", "-auto-approve")
}

// TestDebug_servesUntilInterrupted waits for the variable that is printed for Terraform.
func TestDebug_servesUntilInterrupted(t *testing.T) {
	t.Parallel()
	wantUnix(t)
	command := program(t, mocktest.Start(t), "-debug")
	output, err := command.StdoutPipe()
	if err := errors.Join(err, command.Start()); err != nil {
		t.Fatal(err)
	}

	lines := bufio.NewScanner(output)
	for !strings.Contains(lines.Text(), "TF_REATTACH_PROVIDERS='{\"registry.terraform.io/terraform-analytics/analytics\":") && lines.Scan() {
		t.Log(lines.Text())
	}
	if err := errors.Join(command.Process.Signal(os.Interrupt), command.Wait()); err != nil {
		t.Errorf("the program ended with %v", err)
	}
}

func TestSilenceUnreadLogs_onlyIfNobodyReadsThem(t *testing.T) {
	t.Parallel()
	for entry, isSilenced := range map[string]bool{
		"": true, "TF_REATTACH_PROVIDERS=": true, "TF_LOG=DEBUG": false, "TF_LOG_PROVIDER_ANALYTICS=TRACE": false, "TF_LOG_PATH=terraform.log": false,
	} {
		set := map[string]string{}
		silenceUnreadLogs([]string{"PATH=/bin", entry}, func(key, value string) error { set[key] = value; return nil })
		if (set["TF_LOG_PROVIDER"] == "off") != isSilenced || (len(set) > 0) != isSilenced {
			t.Errorf("%q: set %v", entry, set)
		}
	}
}

// TestMockServer_endsWithTheShellThatStartedIt waits for the address of the server, ends the shell, and
// reads until nobody holds the pipe.
func TestMockServer_endsWithTheShellThatStartedIt(t *testing.T) {
	t.Parallel()
	wantUnix(t)
	shell := exec.CommandContext(t.Context(), "sh", "-c", `"$0" mockserver & read -r line`, os.Args[0])
	shell.Env = append(acctest.Environment(), asProgram+"=1")
	read, write, errPipe := os.Pipe()
	shell.Stdout = write
	stdin, errStdin := shell.StdinPipe()
	err := errors.Join(errPipe, errStdin, shell.Start(), write.Close(), read.SetReadDeadline(time.Now().Add(time.Minute)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()

	printed := bufio.NewReader(read)
	for line := ""; !strings.HasPrefix(line, "export ANALYTICS_BASE_URL="); {
		if line, err = printed.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	_ = stdin.Close() // ends the shell, and not the server
	_ = shell.Wait()
	if rest, err := io.ReadAll(printed); err != nil || len(rest) > 0 {
		t.Errorf("the server printed %q, and does not end: %v", rest, err)
	}
}

// TestMockServer_ofTheProgramHasNothingOfTests checks what depguard cannot see, since it looks
// at one package at a time.
func TestMockServer_ofTheProgramHasNothingOfTests(t *testing.T) {
	t.Parallel()
	packages, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}

	for pkg := range strings.FieldsSeq(string(packages)) {
		for _, forbidden := range []string{"/kin-openapi/", "/internal/contract", "/internal/mockserver/mocktest", "/go-cmp/"} {
			if strings.Contains(pkg, forbidden) {
				t.Errorf("the program has %s", pkg)
			}
		}
	}
}
