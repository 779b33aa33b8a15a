// SPDX-License-Identifier: MPL-2.0

package stage

import (
	"os"
	"path/filepath"
	"testing"
)

func TestStage_clearLeavesNoFolder(t *testing.T) {
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

func TestStage_recognizesItsOwnProviderOnly(t *testing.T) {
	t.Parallel()
	s := &Stage{root: filepath.Join("temporary", "stage-1")}
	for path, want := range map[string]bool{
		filepath.Join(s.mirror(), "registry.terraform.io", "terraform-provider-analytics_v0.1.0"): true,
		s.Provider(): false, // it serves
		filepath.Join("temporary", "stage-10", "terraform-provider-analytics_v1"): false,
		filepath.Join("elsewhere", "terraform-provider-analytics_v1"):             false,
	} {
		if got := s.IsProvider(path); got != want {
			t.Errorf("%s: %t", path, got)
		}
	}
}
