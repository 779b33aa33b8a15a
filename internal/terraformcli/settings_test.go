// SPDX-License-Identifier: MPL-2.0

package terraformcli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	dir := t.TempDir()
	program := filepath.Join(dir, "provider")
	if err := os.WriteFile(program, []byte("#!"), 0o700); err != nil {
		t.Fatal(err)
	}

	mirror := filepath.Join(dir, "mirror")
	for _, source := range []string{Source, "example/other"} {
		if err := Mirror(mirror, source, program); err != nil {
			t.Fatal(err)
		}
	}

	for _, host := range hosts {
		for source, name := range map[string]string{Source: "terraform-provider-analytics_v", "example/other": "terraform-provider-other_v"} {
			target := mirrored(mirror, host, source)
			if content, err := os.ReadFile(target); err != nil || string(content) != "#!" || !strings.HasPrefix(filepath.Base(target), name) {
				t.Errorf("%s: %q, %v", target, content, err)
			}
		}
	}
}
