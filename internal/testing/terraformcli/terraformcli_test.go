// SPDX-License-Identifier: MPL-2.0

package terraformcli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind_returnsWhatIsNamedOrOnPath(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("TF_ACC_TERRAFORM_PATH", filepath.Join(dir, "terraform"))
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "TF_ACC_TERRAFORM_PATH") {
		t.Errorf("where the one that is named is missing, the error is %v", err)
	}

	t.Setenv("TF_ACC_TERRAFORM_PATH", "")
	if _, err := Find(); !errors.Is(err, ErrNotFound) {
		t.Errorf("without any, the error is %v", err)
	}

	program := filepath.Join(dir, "tofu")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(); err != nil || got != program {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestRun_exitStatusIsAResult has a variable and a folder of a later call, and a frame around words.
func TestRun_exitStatusIsAResult(t *testing.T) {
	t.Parallel()
	cli := shell(t, "plan", `echo "│ $NAME in ${PWD##*/}"; echo careful >&2; exit 2`)
	other := CLI{Path: cli.Path, Dir: t.TempDir(), Env: []string{"NAME=first"}}

	res, err := other.In(cli.Dir, "NAME=second").Run(t.Context(), "plan")
	said := "second in " + filepath.Base(cli.Dir)
	if err != nil || res.Code != PlanChanges || res.Stdout != "│ "+said+"\n" || res.Stderr != "careful\n" {
		t.Errorf("got %+v, %v", res, err)
	}
	if words := res.Words(); words != said+" careful" && words != "careful "+said {
		t.Errorf("the words of both are %q", words)
	}
}

func TestRun_cancelledCommandIsInterrupted(t *testing.T) {
	t.Parallel()
	cli := shell(t, "apply", `trap 'echo stopped; exit 1' INT; echo ready; while :; do sleep 0.05; done`)
	ctx, cancel := context.WithCancel(t.Context())
	p, err := cli.Start(ctx, "apply")
	if err != nil {
		t.Fatal(err)
	}
	<-p.Printed("ready")
	cancel()

	_, err = p.Wait(ctx)
	if err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("unexpected answer: %v", err)
	}
}

func TestVersion_isTheFirstLine(t *testing.T) {
	t.Parallel()
	for printed, want := range map[string]Version{
		"Terraform v1.5.0":              {Product: "Terraform", Major: 1, Minor: 5, Line: "Terraform v1.5.0"},
		"Terraform v1.14.0-rc1":         {Product: "Terraform", Major: 1, Minor: 14, Line: "Terraform v1.14.0-rc1"},
		"OpenTofu v1.8.0\non linux_any": {Product: "OpenTofu", Major: 1, Minor: 8, Line: "OpenTofu v1.8.0"},
		"command not recognized":        {},
	} {
		got, err := shell(t, "version", "printf '"+printed+"'").Version(t.Context())
		if got != want || (err == nil) != (want.Line != "") {
			t.Errorf("%q: %+v, error %v", printed, got, err)
		}
	}

	for v, want := range map[Version]bool{{Minor: 15}: true, {Major: 1, Minor: 11}: true, {Major: 1, Minor: 12}: false, {Major: 2}: false} {
		if got := v.Before(12); got != want {
			t.Errorf("%d.%d is before 1.12: %t", v.Major, v.Minor, got)
		}
	}
}

func TestIsolated_dropsTheSettingsOfTerraformAndProvider(t *testing.T) {
	t.Parallel()
	got := Isolated([]string{"PATH=/bin", "TF_LOG=TRACE", "TF_CLI_ARGS_plan=-destroy", "TF_WORKSPACE=other", "ANALYTICS_TOKEN=real", "HOME=/home/ada"}, "/tmp/rc")
	want := []string{
		"PATH=/bin", "HOME=/home/ada",
		"TF_CLI_CONFIG_FILE=/tmp/rc", "TF_CLI_ARGS=-no-color", "TF_INPUT=0", "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected environment (-want +got):\n%s", diff)
	}
}

func TestMirrorConfig_hasTheMirrorAndNoRegistry(t *testing.T) {
	t.Parallel()
	got := string(MirrorConfig(`C:\temp "dir"`))
	if !strings.Contains(got, `path = "C:\\temp \"dir\""`) || strings.Contains(got, "direct") || strings.Contains(got, "network_mirror") {
		t.Errorf("unexpected configuration:\n%s", got)
	}
}

func TestMirror_holdsProvidersUnderBothRegistries(t *testing.T) {
	t.Parallel()
	program, mirror := shell(t, "provider", "#!"), t.TempDir()
	if err := Mirror(mirror, "example/other", filepath.Join(program.Dir, "provider")); err != nil {
		t.Fatal(err)
	}

	for _, host := range hosts {
		held, err := filepath.Glob(filepath.Join(mirror, host, "example", "other", ProviderVersion, "*", "terraform-provider-other_v*"))
		if len(held) != 1 || err != nil {
			t.Errorf("%s: %v, %v", host, held, err)
		}
	}
}

// shell returns a CLI that is a shell in a folder of its own. Its command is a file there, which
// the shell reads: a program that is written and started at once may still be open for writing in a
// process that another test is starting, and then it cannot be started.
func shell(t *testing.T, command, body string) CLI {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}

	cli := CLI{Path: "/bin/sh", Dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(cli.Dir, command), []byte(body+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	return cli
}
