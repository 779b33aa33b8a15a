// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// reportBeside returns a path for a report, and the configuration of a file with it.
func reportBeside(f *batchFile, others prototest.Attributes) (path string, config prototest.Attributes) {
	path = filepath.Join(filepath.Dir(f.path), "report.ndjson")
	return path, f.config(prototest.Attributes{"report_path": path, "compare_at_plan": false}.With(others))
}

// readReport returns the lines of a report. It fails the test if a person is in it.
func readReport(t *testing.T, path string) []map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "@example.com") {
		t.Errorf("a person is in the report:\n%s", text)
	}

	var lines []map[string]any
	for line := range strings.Lines(string(text)) {
		var members map[string]any
		if err := json.Unmarshal([]byte(line), &members); err != nil {
			t.Fatalf("%s: %v", line, err)
		}

		lines = append(lines, members)
	}

	return lines
}

// wantReport fails the test if a report has other lines.
func wantReport(t *testing.T, path string, want ...map[string]any) {
	t.Helper()
	if diff := cmp.Diff(want, readReport(t, path)); diff != "" {
		t.Errorf("the report (-want +got):\n%s", diff)
	}
}

// summary returns the first line of a report. others overrides the counts, which are zero.
func summary(others map[string]any) map[string]any {
	line := map[string]any{
		"report": "analytics_consent_batch", "rows": 0.0, "in_place": 0.0, "written": 0.0, "kept": 0.0, "failed": 0.0, "not_tried": 0.0,
	}
	maps.Copy(line, others)

	return line
}

func lineOf(line float64, outcome string) map[string]any {
	return map[string]any{"line": line, "outcome": outcome}
}

func TestConsentBatch_reportOfAFailedCreateAndTheNext(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(6))
	path, config := reportBeside(f, nil)
	chooseFor(service, 1, late)
	service.PutConsent(scope, userName(2), mockserver.ConsentRecord{Clauses: configured, AgreementTime: middle, Manual: new(true)})
	service.Inject(rejecting(422, 4)...)

	state, diags := p.Create(batchName, config)
	prototest.WantText(t, diags.Errors(), "1 of 6 rows failed", "The file of report_path has a line for each of these rows")
	if state != nil {
		t.Error("a create that failed is in state")
	}

	refused := lineOf(6, "failed")
	maps.Copy(refused, map[string]any{
		"error": "The service rejected the request", "operation": "Update consent", "status": 422.0, "code": "E42", "message": "no such thing as [redacted]",
	})

	wantReport(t, path, summary(map[string]any{"rows": 6.0, "in_place": 1.0, "written": 3.0, "kept": 1.0, "failed": 1.0}),
		lineOf(2, "written"), lineOf(3, "kept"), lineOf(5, "written"), refused, lineOf(7, "written"))

	next := prototest.MustStart(t, prototest.Config(service)) // the apply of another run
	state, diags = next.Create(batchName, config)
	p.NoErrors(diags)
	wantReport(t, path, summary(map[string]any{"rows": 6.0, "in_place": 4.0, "written": 1.0, "kept": 1.0}), lineOf(3, "kept"), lineOf(6, "written"))
	if state.Attributes["report_path"] != path {
		t.Errorf("the state is %v", state.Attributes)
	}
}

// TestConsentBatch_rowsOfAnArrayAreNamedByElement has an array on one line.
func TestConsentBatch_rowsOfAnArrayAreNamedByElement(t *testing.T) {
	t.Parallel()
	const clauses = `"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":false,"clause_4_consent":true,"clause_5_consent":true`
	content := fmt.Sprintf("[{%[1]s,%[3]s},{%[2]s,%[3]s}]", `"identity_id":"`+userName(0)+`"`, `"identity_id":"`+userName(1)+`"`, clauses)
	inBatch(t, "", nil, func(t *testing.T, b *batchTest) {
		b.f.path = filepath.Join(t.TempDir(), "consents.json")
		path, config := reportBeside(b.f, prototest.Attributes{"keep_later_choice": false, "account_id": "acct-7"})

		b.apply(step{
			before: failing(422, 1), content: content, config: config,
			errors: []string{"line 1 (element 2)\n", "PATCH /v1/account/{accountId}/compliance"}, gets: 2, patches: 2,
		})
		if second := readReport(t, path)[2]; second["line"] != 1.0 || second["element"] != 2.0 || second["outcome"] != "failed" {
			t.Errorf("the report has %v", second)
		}

		b.apply(
			step{config: config, gets: 2, patches: 1, counts: counts{Rows: 2, Written: 1}},
			step{
				content: strings.Trim(strings.ReplaceAll(content, "},{", "}\n{"), "[]"), config: config,
				errors: []string{"line 1 (element 1): the JSON has to be one array of objects"}, counts: counts{Rows: 2, Written: 1},
			},
			step{config: config.With(prototest.Attributes{"format": "ndjson"}), counts: counts{Rows: 2, Written: 1}}, // the same rows
		)
	})
}

func TestConsentBatch_reportReplacesItsFile(t *testing.T) {
	t.Parallel()
	_, service := start(t, nil)
	f := newFile(t, people(2))
	path, config := reportBeside(f, nil)

	for name, tc := range map[string]struct {
		prepare func() error
		words   string // of the error; empty if the report is written
	}{
		"nothing":  {func() error { return nil }, ""},
		"a file":   {func() error { return os.WriteFile(path, []byte("of another apply\n"), 0o644) }, ""},
		"a folder": {func() error { return os.Mkdir(path, 0o700) }, "no regular file"},
		"a link":   {func() error { return os.Symlink(f.path, path) }, "no regular file"},
	} {
		if err := tc.prepare(); err != nil {
			t.Fatal(err)
		}
		p := prototest.MustStart(t, prototest.Config(service))
		service.DeleteConsent(scope, userName(1))
		before := service.Count(mockserver.OpUpdateConsent)
		_, diags := p.Create(batchName, config)

		if tc.words == "" {
			p.NoErrors(diags)
			if lines := readReport(t, path); lines[0]["rows"] != 2.0 {
				t.Errorf("%s: the report is %v", name, lines)
			}
		} else {
			prototest.WantText(t, diags.Errors(), "The report cannot be written", tc.words, "In state now: nothing")
			if service.Count(mockserver.OpUpdateConsent) != before {
				t.Errorf("%s: rows were written", name)
			}
		}

		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}

	prototest.WantAlone(t, f.path)
}

func TestConsentBatch_reportNeedsItsFolderAndAPathOfItsOwn(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(2))
	_, diags := p.Create(batchName, f.config(prototest.Attributes{"compare_at_plan": false, "report_path": filepath.Join(f.path+".d", "report.ndjson")}))
	prototest.WantText(t, diags.Errors(), "The report cannot be written", "the folder of the file does not exist")
	_, diags = p.Create(batchName, f.config(prototest.Attributes{"report_path": filepath.Join(filepath.Dir(f.path), ".", filepath.Base(f.path))}))
	prototest.WantText(t, diags.Errors(), "The report would replace the rows")

	plan, diags := p.Plan(batchName, nil, prototest.Attributes{"source": prototest.Unknown, "report_path": f.path})
	p.NoErrors(diags)
	_, diags = p.Apply(t.Context(), batchName, nil, p.Resolve(batchName, plan, f.config(nil)))
	prototest.WantText(t, diags.Errors(), "The report cannot be written", "it is the file with the rows")
	wantRequests(t, service, 0, 0)

	_, config := reportBeside(f, nil)
	p.MustCreate(batchName, config)
	service.Reset()
	_, diags = p.Create(batchName, config.With(prototest.Attributes{"on_destroy": "withdraw"}))
	prototest.WantText(t, diags.Errors(), "another resource of this run writes its report to that path")
	wantRequests(t, service, 0, 0)
}

func TestConsentBatch_reportThatFailsLeavesTheRowsWritten(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "reports")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}

	p, service := start(t, nil, func(s *mockserver.Server) {
		s.OnRequest = func(mockserver.Request) { _ = os.RemoveAll(folder) }
	})

	f := newFile(t, people(2))
	state, diags := p.Create(batchName, f.config(prototest.Attributes{"compare_at_plan": false, "report_path": filepath.Join(folder, "report.ndjson")}))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "The report was not written", "was removed by somebody else")
	wantResults(t, state, counts{Rows: 2, Written: 2})
	wantRow(t, service, 1, configured)
}

// TestConsentBatch_reportOfADestroyThatWithdraws has a row that another object of the run writes,
// and one that is rejected.
func TestConsentBatch_reportOfADestroyThatWithdraws(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(3))
	path, config := reportBeside(f, prototest.Attributes{"on_destroy": "withdraw"})
	state := createdBatch(t, p, service, config)

	p.NewRun()
	p.MustCreate(singleName, single(2, nil))
	service.Inject(rejecting(400, 1)...)
	state, diags := p.Destroy(batchName, state)
	prototest.WantText(t, diags.Errors(), "1 of 3 rows failed", "The file of report_path")
	lines := readReport(t, path)
	var outcomes []any
	for _, line := range lines[1:] {
		outcomes = append(outcomes, line["outcome"])
	}
	if !slices.Equal(outcomes, []any{"written", "failed", "superseded"}) || lines[0]["superseded"] != 1.0 {
		t.Errorf("the report is %v", lines)
	}

	// No report stands against a destroy.
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	p.NewRun()
	state, diags = p.Destroy(batchName, state)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "The report was not written")
	if state != nil {
		t.Error("the object is still there")
	}
}

func TestConsentBatch_reportIsWrittenByNoPlanAndByNoSettings(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(2))
	state := createdBatch(t, p, service, f.config(nil))
	path, config := reportBeside(f, nil)

	state, diags := p.Update(batchName, state, config.With(prototest.Attributes{"on_destroy": "withdraw"}))
	p.NoErrors(diags)
	wantRequests(t, service, 0, 0)
	if _, err := os.Stat(path); err == nil || state.Attributes["report_path"] != path {
		t.Errorf("there is a report of settings; the state is %v", state.Attributes)
	}

	wantEmptyBatchPlan(t, p, state, config.With(prototest.Attributes{"on_destroy": "withdraw"}))
}

// TestConsentBatch_reportIsWorkedOnAsTheGuideShows runs the commands of the guide.
func TestConsentBatch_reportIsWorkedOnAsTheGuideShows(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"sh", "jq", "sed", "uniq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not on PATH", program)
		}
	}

	p, service := start(t, nil)
	f := newFile(t, people(5))
	folder := filepath.Dir(f.path)
	service.Inject(rejecting(422, 1, 3)...)
	_, diags := p.Create(batchName, f.config(prototest.Attributes{"compare_at_plan": false, "report_path": filepath.Join(folder, "consents-report.ndjson")}))
	prototest.WantText(t, diags.Errors(), "2 of 5 rows failed")

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
