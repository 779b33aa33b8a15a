// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// TestConsentBatch_reportIsWorkedOnAsTheGuideShows runs the commands of the guide.
func TestConsentBatch_reportIsWorkedOnAsTheGuideShows(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"sh", "jq", "sed", "uniq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not on PATH", program)
		}
	}

	p, service := start(t)
	f := newFile(t, people(5))
	folder := filepath.Dir(f.path)
	service.Inject(rejecting(422, 1, 3)...)
	_, diags := p.Update(batchName, nil, f.config(uncompared.With(prototest.Attributes{"report_path": filepath.Join(folder, "consents-report.ndjson")})))
	prototest.WantText(t, diags.Errors(), "2 of 5 rows were not written")

	script, err := filepath.Abs("../../examples/guides/seeding-thousands/work-on-report.sh")
	if err != nil {
		t.Fatal(err)
	}

	cmd := exec.CommandContext(t.Context(), "sh", "-eu", script)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Join(strings.Fields(string(out)), " ") != "2 The service rejected the request 422 no such thing as [redacted]" {
		t.Errorf("the commands say %q (%v)", out, err)
	}

	missing, err := os.ReadFile(filepath.Join(folder, "missing.csv"))
	if want := batchHeader + rowOf(1, middle) + rowOf(3, middle); err != nil || string(missing) != want {
		t.Errorf("the missing rows are %q (%v), want %q", missing, err, want)
	}
}
