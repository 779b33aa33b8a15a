// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// TestExportFile_changedPathWritesTheNewFileFirst fails twice before it succeeds. Another spelling
// is the same file, and no old one is removed then.
func TestExportFile_changedPathWritesTheNewFileFirst(t *testing.T) {
	t.Parallel()

	old, path, taken := target(t), target(t), target(t)
	spelled := filepath.Dir(path) + "/./" + filepath.Base(path)
	f := &fileTest{T: t, service: startService(t)}
	refuse := func() {
		f.service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Status: 403, Body: []byte("{}")})
	}
	f.apply(
		fileStep{config: file(old, nil), exports: 1},
		fileStep{
			before: refuse, config: file(path, nil), errors: []string{"Not permitted", "In state now: this resource as it was before"},
			exports: 1, files: map[string]string{old: lines}, gone: []string{path},
		},
		fileStep{
			before: func() { write(t, taken, "theirs") }, config: file(taken, nil), errors: []string{"There is a file already", "overwrite = true"},
			files: map[string]string{old: lines, taken: "theirs"},
		},
		fileStep{config: file(path, nil), exports: 1, files: map[string]string{path: lines}, gone: []string{old}},
		fileStep{config: file(spelled, nil), exports: 1, files: map[string]string{path: lines}},
	)
	wantNothing(t, old)
}

func TestExportFile_changedPathLeavesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()

	tests := map[string]func(f *fileTest, path string) []fileStep{}
	for says, c := range map[string]struct {
		change prototest.Attributes
		found  string // at the old path
	}{
		"it is not what this resource wrote there": {nil, "theirs"},
		`on_destroy is "retain"`:                   {prototest.Attributes{"on_destroy": "retain"}, lines},
	} {
		tests[says] = func(f *fileTest, old string) []fileStep {
			path := target(f.T)
			return []fileStep{
				{config: file(old, nil), exports: 1},
				{
					before: func() { write(f.T, old, c.found) }, config: file(path, c.change), exports: 1,
					warnings: []string{says, "The old file stays", "path"}, files: map[string]string{old: c.found, path: lines},
				},
			}
		}
	}
	applyAll(t, tests)
}

// TestExportFile_verify alters a file and restores its size and time, which only a digest
// detects. A file with another time is hashed.
func TestExportFile_verify(t *testing.T) {
	t.Parallel()

	written := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	byDigest := prototest.Attributes{"verify": "digest"}
	upper := strings.ToUpper(lines)
	type found struct {
		text    string
		at      time.Time
		config  prototest.Attributes
		exports int // if it is noticed
	}

	tests := map[string]func(f *fileTest, path string) []fileStep{}
	for name, runs := range map[string][]found{
		"by stat":               {{upper, written, nil, 0}, {lines, written.Add(time.Hour), nil, 0}, {upper, written, nil, 1}},
		"by digest":             {{lines, written, byDigest, 0}, {upper, written, byDigest, 1}},
		"by digest from now on": {{upper, written, byDigest, 1}},
	} {
		tests[name] = func(f *fileTest, path string) []fileStep {
			steps := []fileStep{
				{config: file(path, nil), exports: 1},
				{before: func() { rewrite(f.T, path, lines, written) }, config: file(path, nil)}, // which is stamped
			}
			for _, run := range runs {
				step := fileStep{
					before: func() { rewrite(f.T, path, run.text, run.at) }, config: file(path, run.config),
					exports: run.exports, files: map[string]string{path: run.text},
				}
				if run.exports > 0 {
					step.warnings, step.files[path] = []string{"The file was altered"}, lines
				}
				steps = append(steps, step)
			}

			return steps
		}
	}
	applyAll(t, tests)
}

// rewrite changes a file in place and keeps its inode.
func rewrite(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestExportFile_destroyed(t *testing.T) {
	t.Parallel()

	for onDestroy, want := range map[string]func(*testing.T, string){
		"remove": wantNothing,
		"retain": func(t *testing.T, path string) { t.Helper(); wantContent(t, path, lines) },
	} {
		t.Run(onDestroy, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			path := target(t)
			state := created(t, p, file(path, prototest.Attributes{"on_destroy": onDestroy}))
			gone, diags := nextRun(t, service).Destroy(fileName, state)
			p.NoErrors(diags)
			if gone != nil || len(diags.Warnings()) > 0 {
				t.Errorf("destroyed with %v", diags.Warnings())
			}
			want(t, path)
		})
	}
}

func TestExportFile_createDirectories(t *testing.T) {
	t.Parallel()

	root := t.TempDir()
	path := filepath.Join(root, "events", "dt="+day, "part-0.ndjson")
	config := file(path, prototest.Attributes{"create_directories": true})
	f := &fileTest{T: t, service: startService(t)}
	refuse := func() {
		f.service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Status: 403, Body: []byte("{}")})
	}
	f.apply(
		fileStep{config: file(path, nil), errors: []string{"The folder does not exist", "create_directories = true"}},
		fileStep{before: refuse, config: config, errors: []string{"Not permitted"}, exports: 1, gone: []string{filepath.Join(root, "events")}},
		fileStep{config: config, exports: 1, files: map[string]string{path: lines}},
	)
}

// TestExportFile_twoConfigurationsOnePath lets a second configuration of the provider
// write to the path while the first one reads the day.
func TestExportFile_twoConfigurationsOnePath(t *testing.T) {
	t.Parallel()

	path := target(t)
	config := file(path, prototest.Attributes{"overwrite": true})
	var other *prototest.Provider
	tried := make(chan prototest.Diagnostics, 1)
	p, service := start(t, func(s *mockserver.Server) {
		s.OnRequest = func(r mockserver.Request) {
			if r.Operation == mockserver.OpExportRecords {
				_, diags := other.Create(fileName, config)
				tried <- diags
			}
		}
	})
	other = nextRun(t, service)
	created(t, p, config)
	prototest.WantText(t, (<-tried).Errors(), "Another run writes the same file", "another process", "No request was sent", "path")
	wantContent(t, path, lines)
	wantCount(t, service, 1)
}

// TestExportFile_scopeOfTheProviderMoves changes the scope of the provider block: the file
// still holds the day of the former scope, so the object is replaced.
func TestExportFile_scopeOfTheProviderMoves(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	config := file(target(t), nil)
	state := created(t, p, config)
	if state.Attributes["project_id"] != mocktest.Project {
		t.Errorf("state has %v", state.Attributes["project_id"])
	}

	p = prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"project_id": "other"}))
	state, _ = p.MustRefresh(fileName, state)
	plan, diags := p.Plan(fileName, state, config)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "The scope of the provider has changed")
	if len(plan.Replace) == 0 {
		t.Error("nothing is replaced")
	}
}
