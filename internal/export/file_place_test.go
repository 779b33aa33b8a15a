// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// TestExportFile_place changes where the file is, and how that is spelled, which is the same file. An
// old file that is not removed stays with a warning.
func TestExportFile_place(t *testing.T) {
	t.Parallel()

	tests := map[string]func(f *fileTest, path string) []fileStep{}
	for says, c := range map[string]struct {
		change prototest.Attributes
		found  string // at the old path
	}{
		"it is not what was written there": {nil, "theirs"},
		`on_destroy is "retain"`:           {prototest.Attributes{"on_destroy": "retain"}, lines},
	} {
		tests[says] = func(f *fileTest, old string) []fileStep {
			path := target(f.T)
			spelled := filepath.Dir(path) + "/./" + filepath.Base(path)
			kept, warnings := map[string]string{old: c.found, path: lines}, []string{says, "The old file stays", "path"}

			return []fileStep{
				{config: file(old, nil), exports: 1},
				{before: func() { write(f.T, old, c.found) }, config: file(path, c.change), exports: 1, warnings: warnings, files: kept},
				{config: file(spelled, c.change), exports: 1, files: kept},
			}
		}
	}
	applyAll(t, tests)
}

// TestExportFile_severalFiles applies steps to files of one kind each.
func TestExportFile_severalFiles(t *testing.T) {
	t.Parallel()

	applyAll(t, map[string]func(f *fileTest, path string) []fileStep{
		"one for each kind, and back": func(f *fileTest, whole string) []fileStep {
			path, of := splitPath(f.T)
			texts, files, list, total := map[string]string{}, prototest.Attributes{}, "", 0
			for i, text := range []string{`{"id":"p-2026-03-01","name":"Jane Canary"}` + "\n", `{"id":"s-2026-03-01"}` + "\n", eventRecords} {
				kind := []string{"persons", "sessions", "events"}[i]
				texts[of(kind)] = text
				files[kind] = prototest.Attributes{"path": of(kind), "sha256": digest(text), "bytes": float64(len(text)), "records": float64(strings.Count(text, "\n"))}
				list += digest(text) + "  " + kind + "\n"
				total += len(text)
			}

			return []fileStep{
				{config: file(whole, nil), exports: 1},
				{
					config: splitFile(path, nil), exports: 1, files: texts, gone: []string{whole},
					state: prototest.Attributes{"files": files, "sha256": digest(list), "bytes": float64(total), "counts": counts(1, 1, 2)},
				},
				{config: file(whole, nil), exports: 1, files: map[string]string{whole: lines}, gone: []string{of("sessions")}},
			}
		},
		"empty and other kinds": func(f *fileTest, _ string) []fileStep {
			path, of := splitPath(f.T)

			return []fileStep{
				{
					before: f.holds(mockserver.ExportDay{Events: []any{record(1)}}),
					config: splitFile(path, prototest.Attributes{"kinds": []any{"events", "persons"}}), exports: 1,
					files: map[string]string{of("events"): "{\"id\":1}\n", of("persons"): ""},
					gone:  []string{of("sessions")},
				},
				{
					before: f.holds(mockserver.ExportDay{Sessions: []any{record(3)}}),
					config: splitFile(path, prototest.Attributes{"kinds": []any{"sessions", "persons"}}), exports: 1,
					files: map[string]string{of("sessions"): "{\"id\":3}\n", of("persons"): ""}, gone: []string{of("events")},
				},
			}
		},
		"an answer that breaks off": func(f *fileTest, _ string) []fileStep {
			settings := prototest.Attributes{"max_retries": 1}
			breaksOff := func() {
				f.holds(mockserver.ExportDay{Events: []any{record(1)}})()
				second := f.holds(mockserver.ExportDay{Events: []any{record(7), record(8)}})
				f.fails(mockserver.Fault{Cut: mockserver.CutBody, CutAt: -1, Then: second})()
			}
			path, of := splitPath(f.T)

			return []fileStep{
				{
					before: breaksOff, settings: settings, config: splitFile(path, nil), exports: 2,
					state: prototest.Attributes{"counts": counts(0, 0, 2)},
					files: map[string]string{of("events"): "{\"id\":7}\n{\"id\":8}\n"},
				},
			}
		},
		"one that is missing": func(f *fileTest, _ string) []fileStep {
			path, of := splitPath(f.T)

			return []fileStep{
				{config: splitFile(path, nil), exports: 1, state: prototest.Attributes{"bytes": 111.0}},
				{
					before: func() { _ = os.Remove(of("persons")) }, config: splitFile(path, nil), exports: 1,
					warnings: []string{"A file is not as it was written"}, state: prototest.Attributes{"bytes": 111.0},
				},
			}
		},
		// All files, or none.
		"larger together than max_bytes": func(f *fileTest, _ string) []fileStep {
			path, of := splitPath(f.T)

			return []fileStep{{
				config: splitFile(path, prototest.Attributes{"max_bytes": 100}), exports: 1,
				errors: []string{"larger than max_bytes", "In state now: nothing"}, gone: []string{of("persons"), of("events")},
			}}
		},
		"one that is somebody else's": func(f *fileTest, _ string) []fileStep {
			path, of := splitPath(f.T)
			write(f.T, of("events"), "theirs")

			return []fileStep{{
				config: splitFile(path, nil), errors: []string{"The file of events", "In state now: nothing"}, gone: []string{of("persons"), of("sessions")},
			}}
		},
	})
}

// TestExportFile_verify alters a file and restores its size and time, which only a digest
// detects. A file with another time is hashed.
func TestExportFile_verify(t *testing.T) {
	t.Parallel()

	written, upper := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC), strings.ToUpper(lines)
	tests := map[string]func(f *fileTest, path string) []fileStep{}
	for verify, runs := range map[string][]struct {
		text    string
		at      time.Time
		exports int // if it is noticed
	}{
		"stat":   {{upper, written, 0}, {lines, written.Add(time.Hour), 0}, {upper, written, 1}},
		"digest": {{lines, written, 0}, {upper, written, 1}},
	} {
		tests[verify] = func(f *fileTest, path string) []fileStep {
			rewrite := func(text string, at time.Time) func() { // in place, with the same inode
				return func() {
					if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, at, at)); err != nil {
						f.Fatal(err)
					}
				}
			}
			config := file(path, prototest.Attributes{"verify": verify})
			steps := []fileStep{{config: config, exports: 1}, {before: rewrite(lines, written), config: config}} // which is stamped
			for _, run := range runs {
				step := fileStep{before: rewrite(run.text, run.at), config: config, exports: run.exports, files: map[string]string{path: run.text}}
				if run.exports > 0 {
					step.warnings, step.files[path] = []string{"A file is not as it was written"}, lines
				}
				steps = append(steps, step)
			}

			return steps
		}
	}
	applyAll(t, tests)
}

// TestExportFile_destroyed removes what the object has written, and what a killed run of it left
// with records of a kind that the files in state do not have.
func TestExportFile_destroyed(t *testing.T) {
	t.Parallel()

	applyAll(t, map[string]func(f *fileTest, path string) []fileStep{
		"retained": func(_ *fileTest, path string) []fileStep {
			return []fileStep{
				{config: file(path, prototest.Attributes{"on_destroy": "retain"}), exports: 1},
				{files: map[string]string{path: lines}},
			}
		},
		"altered": func(f *fileTest, path string) []fileStep {
			return []fileStep{
				{config: file(path, nil), exports: 1},
				{before: func() { write(f.T, path, "theirs") }, warnings: []string{"The file stays"}, files: map[string]string{path: "theirs"}},
			}
		},
		"several, and leftovers": func(f *fileTest, _ string) []fileStep {
			path, of := splitPath(f.T)
			left := filepath.Join(filepath.Dir(of("events")), ".analytics-"+digest("part-0.ndjson")[:16]+".tmp")

			return []fileStep{
				{config: splitFile(path, prototest.Attributes{"kinds": []any{"persons"}}), exports: 1},
				{before: func() { write(f.T, left, person) }, gone: []string{of("persons"), left}},
			}
		},
	})
}

// TestExportFile_twoConfigurationsOnePath lets a second configuration of the provider write to the
// path while the first one reads the day, and then a second object of the first one.
func TestExportFile_twoConfigurationsOnePath(t *testing.T) {
	t.Parallel()

	path := target(t)
	config := file(path, prototest.Attributes{"overwrite": true})
	var other *prototest.Provider
	tried := make(chan prototest.Diagnostics, 1)
	p, service := start(t, func(s *mockserver.Server) {
		s.OnRequest = func(r mockserver.Request) {
			if r.Operation == mockserver.OpExportRecords {
				_, diags := other.Update(fileName, nil, config)
				tried <- diags
			}
		}
	})
	other = nextRun(t, service)
	created(t, p, config)
	prototest.WantText(t, (<-tried).Errors(), "Another run writes the same file", "another process", "No request was sent", "path")

	config["path"] = filepath.Dir(path) + "/./" + filepath.Base(path)
	_, diags := p.Update(fileName, nil, config)
	prototest.WantText(t, diags.Errors(), "Two resources write the same file", "path", "In state now: nothing")
	wantContent(t, path, lines)
	wantCount(t, service, 1)
}

// TestExportDay_killedInTheCommit leaves the first of three files in its place, as a run does that is killed before
// all of them are. The next run of the same configuration writes all of them.
func TestExportDay_killedInTheCommit(t *testing.T) {
	t.Parallel()
	p, service := start(t)
	path, of := splitPath(t)
	invoked(t, p, splitFile(path, nil))
	whole := map[string]string{}
	for _, kind := range []string{"persons", "sessions", "events"} {
		whole[kind] = content(t, of(kind))
		prototest.KillUnrecorded(t, of(kind))
	}
	if err := errors.Join(os.Remove(of("sessions")), os.Remove(of("events"))); err != nil {
		t.Fatal(err)
	}

	p = nextRun(t, service)
	p.NoErrors(p.PlanAction(actionName, splitFile(path, nil)))
	invoked(t, p, splitFile(path, nil))
	for kind, want := range whole {
		wantContent(t, of(kind), want)
	}
}
