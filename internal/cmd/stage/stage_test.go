package stage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIsolatedDropsTheSettingsOfTerraformAndProvider(t *testing.T) {
	t.Parallel()
	got := isolated([]string{"PATH=/bin", "TF_LOG=TRACE", "TF_CLI_ARGS_plan=-destroy", "TF_WORKSPACE=other", "ANALYTICS_TOKEN=real", "HOME=/home/ada"}, "/tmp/rc")
	want := []string{
		"PATH=/bin", "HOME=/home/ada",
		"TF_CLI_CONFIG_FILE=/tmp/rc", "TF_CLI_ARGS=-no-color", "TF_INPUT=0", "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected environment (-want +got):\n%s", diff)
	}
}

func TestTheCLIConfigurationHasTheMirrorAndNoRegistry(t *testing.T) {
	t.Parallel()
	got := string(cliConfig(`C:\temp "dir"`))
	if !strings.Contains(got, `path = "C:\\temp \"dir\""`) || strings.Contains(got, "direct") || strings.Contains(got, "network_mirror") {
		t.Errorf("unexpected configuration:\n%s", got)
	}
}

func TestTheProviderIsFoundUnderBothRegistries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "provider")
	if err := os.WriteFile(program, []byte("#!"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, host := range hosts {
		target := mirrored(filepath.Join(dir, "mirror"), host)
		if err := copyProgram(program, target); err != nil {
			t.Fatal(err)
		}
		if content, err := os.ReadFile(target); err != nil || string(content) != "#!" {
			t.Errorf("%s: %q, %v", host, content, err)
		}
	}
}

func TestClearingTheStageLeavesNoFolder(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "stage")
	if err := os.MkdirAll(filepath.Join(root, "quickstart"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := (&Stage{root: root}).Clear(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(root); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}
