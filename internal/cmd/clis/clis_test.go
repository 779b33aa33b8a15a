package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/testprograms"
)

func TestReadEvents_returnsHowEachTestEnded(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		events []string
		want   results
	}{
		"nothing ran": {
			[]string{`{"Action":"start"}`, `{"Action":"output","Output":"PASS\n"}`, `{"Action":"pass"}`},
			results{},
		},
		"passed": {
			[]string{`{"Action":"run","Test":"TestAccA_b"}`, `{"Action":"output","Test":"TestAccA_b","Output":"=== RUN   TestAccA_b\n"}`, `{"Action":"pass","Test":"TestAccA_b","Elapsed":0.1}`, `{"Action":"pass"}`},
			results{"TestAccA_b": {Status: passed}},
		},
		"skipped with a reason": {
			[]string{`{"Action":"run","Test":"TestAccA_b"}`, `{"Action":"output","Test":"TestAccA_b","Output":"    a_test.go:12: actions need Terraform 1.14, and this is OpenTofu v1.12.6\n"}`, `{"Action":"output","Test":"TestAccA_b","Output":"--- SKIP: TestAccA_b (0.1s)\n"}`, `{"Action":"skip","Test":"TestAccA_b"}`},
			results{"TestAccA_b": {skipped, "actions need Terraform 1.14, and this is OpenTofu v1.12.6"}},
		},
		"failed in a subtest, whose first words count": {
			[]string{`{"Action":"run","Test":"TestAccA_b"}`, `{"Action":"run","Test":"TestAccA_b/one"}`, `{"Action":"output","Test":"TestAccA_b/one","Output":"        a_test.go:12: first:\n"}`, `{"Action":"output","Test":"TestAccA_b/one","Output":"        a_test.go:13: second\n"}`, `{"Action":"fail","Test":"TestAccA_b/one"}`, `{"Action":"fail","Test":"TestAccA_b"}`},
			results{"TestAccA_b": {Status: failed}, "TestAccA_b/one": {failed, "first:"}},
		},
		"without an end": {
			[]string{`{"Action":"run","Test":"TestAccA_b"}`, `{"Action":"output","Test":"TestAccA_b","Output":"panic: test timed out after 30m0s\n"}`},
			results{"TestAccA_b": {Status: failed}},
		},
	} {
		got, err := readEvents(strings.NewReader(strings.Join(tt.events, "\n")))
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}

	if got, err := readEvents(strings.NewReader("FAIL\n")); err == nil {
		t.Errorf("what is no event gives %v", got)
	}
}

// actionsNeed is what a test says that needs actions, with any CLI.
func actionsNeed(this string) result {
	return result{skipped, "actions need Terraform 1.14, and this is " + this}
}

func TestReport_groupsTestsByReason(t *testing.T) {
	t.Parallel()
	r := &report{
		clis: []string{"Terraform 1.8.5", "Terraform 1.14.9", "OpenTofu 1.12.6"},
		packages: []*tested{
			{"internal/consent", []results{
				{"TestAccA_b": {Status: passed}, "TestAccC_d": actionsNeed("Terraform v1.8.5"), "TestAccI_j": actionsNeed("Terraform v1.8.5")},
				{"TestAccA_b": {Status: passed}, "TestAccC_d": {Status: passed}, "TestAccC_d/one": {Status: passed}, "TestAccC_d/two": {Status: passed}, "TestAccI_j": {Status: passed}},
				{"TestAccA_b": {failed, "got 1"}, "TestAccC_d": actionsNeed("OpenTofu v1.12.6"), "TestAccI_j": actionsNeed("OpenTofu v1.12.6")},
			}},
			{"internal/export", []results{
				{"TestAccE_f": actionsNeed("Terraform v1.8.5"), "TestAccG_h": {failed, ""}, "TestAccG_h/one": {failed, "no file:"}, "TestAccG_h/two": {Status: passed}},
				{"TestAccE_f": {Status: passed}, "TestAccG_h": {failed, "left over"}, "TestAccG_h/one": {Status: passed}, "TestAccG_h/two": {Status: passed}},
				{"TestAccE_f": actionsNeed("OpenTofu v1.12.6"), "TestAccG_h": {Status: passed}, "TestAccG_h/one": {Status: passed}, "TestAccG_h/two": {Status: passed}, "": {failed, "exit status 1"}},
			}},
		},
	}

	want, err := os.ReadFile(filepath.Join("testdata", "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), r.String()); diff != "" {
		t.Errorf("unexpected report (-want +got):\n%s", diff)
	}
	if n := r.failed(); n != 4 {
		t.Errorf("%d tests failed", n)
	}
}

func TestResults_areTheSameWhenTheyAreReadAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "results.json")
	if got, err := load(file); got != nil || err != nil {
		t.Errorf("without a file: %v, %v", got, err)
	}

	want := results{"TestAccA_b": {failed, "got 1"}, "TestAccC_d": actionsNeed("Terraform v1.8.5")}
	if err := want.save(file); err != nil {
		t.Fatal(err)
	}
	got, err := load(file)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := load(file); err == nil {
		t.Errorf("a damaged file gives %v", got)
	}
}

func TestParse_namesOfProgramsFollowTheFlags(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"", "-only=consent", "-only=( terraform", "-other terraform"} {
		if got, err := parse(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%q is accepted as %+v", args, got)
		}
	}

	got, err := parse([]string{"-only=consent", "-continue", "terraform", "/bin/tofu"}, io.Discard)
	if diff := cmp.Diff([]string{"terraform", "/bin/tofu"}, got.clis); diff != "" || err != nil || !got.goOn || !got.only.MatchString("internal/consentbatch") {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestIdentify_asksTheProgramAndNotItsName(t *testing.T) {
	t.Parallel()
	tofu := program(t, "terraform", `echo "OpenTofu v1.12.6"; echo "on linux_amd64"`)
	terraform := program(t, "new", `echo "Terraform v1.16.0-rc2"`)

	got, err := identify(t.Context(), []string{tofu, terraform})
	want := []candidate{{tofu, "OpenTofu 1.12.6"}, {terraform, "Terraform 1.16.0-rc2"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(candidate{})); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestIdentify_programThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	terraform := program(t, "terraform", `echo "Terraform v1.15.9"`)
	other := program(t, "other", `echo "hello"`)

	for words, programs := range map[string][]string{
		"missing cannot be run":               {terraform, filepath.Join(t.TempDir(), "missing")},
		"other does not tell its version":     {other},
		"is a second Terraform 1.15.9":        {terraform, terraform},
		"names-nothing-on-path cannot be run": {"names-nothing-on-path"},
	} {
		if got, err := identify(t.Context(), programs); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("got %v, %v; want an error with %q", got, err, words)
		}
	}
}

func TestResultsOf_outputOfAProgramIsConverted(t *testing.T) {
	t.Parallel()
	got, err := (&tests{}).resultsOf(t.Context(), testprograms.Package{Name: "internal/consent"}, strings.NewReader(
		"\x16=== RUN   TestAccA_b\n\x16=== RUN   TestAccA_b/one\n    a_test.go:3: lists need Terraform 1.14, and this is Terraform v1.8.5\n"+
			"\x16--- SKIP: TestAccA_b/one (0.55s)\n\x16--- PASS: TestAccA_b (0.00s)\n\x16PASS\n"))

	want := results{"TestAccA_b": {Status: passed}, "TestAccA_b/one": {skipped, "lists need Terraform 1.14, and this is Terraform v1.8.5"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// program writes a program for the shell and returns its path.
func program(t *testing.T, name, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
