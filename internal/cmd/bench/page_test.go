// SPDX-License-Identifier: MPL-2.0

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPage_putReplacesOneSection(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "figures.md")
	before := "# Figures\n\n<!-- bench: exports -->\nold\n<!-- bench ends -->\n\n<!-- bench: seeding -->\nkept\n<!-- bench ends -->\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}

	p := newPage(file, "Terraform v1.11.4", []string{"-page", file, "-only", "exports"}, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	if err := p.put("exports", "new\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	made := "Measured on 2026-03-01 with Terraform v1.11.4 on " + runtime.GOOS + "/" + runtime.GOARCH + ", " + strconv.Itoa(runtime.NumCPU()) +
		" processors: `make figures BENCHARGS=\"-only exports\"`."
	want := "# Figures\n\n<!-- bench: exports -->\nnew\n\n" + made + "\n<!-- bench ends -->\n\n<!-- bench: seeding -->\nkept\n<!-- bench ends -->\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("unexpected page (-want +got):\n%s", diff)
	}

	if err := p.put("profiles", "new\n"); err == nil {
		t.Error("a section that is not there was replaced")
	}
}
