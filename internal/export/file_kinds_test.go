// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestExportFile_oneFileForEachKind(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path, of := splitPath(t)
	config := splitFile(path, nil)
	plan, diags := p.Plan(fileName, nil, config)
	p.NoErrors(diags)
	if plan.Attributes["with_kind"] != false || plan.Attributes["files"] != prototest.Unknown {
		t.Errorf("planned is %v", plan.Attributes)
	}

	state := created(t, p, config)
	texts := map[string]string{
		"persons":  `{"id":"p-2026-03-01","name":"Jane Canary"}` + "\n",
		"sessions": `{"id":"s-2026-03-01"}` + "\n",
		"events":   `{"id":"e1-2026-03-01"}` + "\n" + `{"id":"e2-2026-03-01"}` + "\n",
	}

	files, numbers := prototest.Attributes{}, map[string]float64{"persons": 1, "sessions": 1, "events": 2}
	list, total := "", 0
	for _, kind := range []string{"persons", "sessions", "events"} {
		wantContent(t, of(kind), texts[kind])
		files[kind] = prototest.Attributes{"path": of(kind), "sha256": digest(texts[kind]), "bytes": float64(len(texts[kind])), "records": numbers[kind]}
		list += digest(texts[kind]) + "  " + kind + "\n"
		total += len(texts[kind])
	}

	want := prototest.Attributes{
		"files":  files,
		"sha256": digest(list), "bytes": float64(total),
		"counts": prototest.Attributes{"persons": 1.0, "sessions": 1.0, "events": 2.0, "unknown": 0.0},
	}

	for name, value := range want {
		if diff := cmp.Diff(value, state.Attributes[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	wantCount(t, service, 1)
	wantNothingOf(t, filepath.Dir(filepath.Dir(of("unknown"))))

	p = nextRun(t, service)
	state, _ = p.MustRefresh(fileName, state)
	p.WantEmptyPlan(fileName, state, config)
	gone, diags := p.Destroy(fileName, state)
	p.NoErrors(diags)
	if gone != nil || len(diags.Warnings()) > 0 {
		t.Errorf("destroyed with %v", diags.Warnings())
	}

	for kind := range texts {
		wantNothing(t, of(kind))
	}
}

// TestExportFile_severalFiles applies steps to files of one kind each.
func TestExportFile_severalFiles(t *testing.T) {
	t.Parallel()

	tests := map[string]func(f *fileTest, path string) []fileStep{
		"empty, unknown and other kinds": func(f *fileTest, _ string) []fileStep {
			path, of := splitPath(f.T)

			return []fileStep{
				{
					before:   f.holds(mockserver.ExportDay{Events: []any{record(1)}, Others: []any{map[string]any{"x": 2}}}),
					settings: anyRecord, config: splitFile(path, prototest.Attributes{"kinds": []any{"events", "persons"}}), exports: 1,
					warnings: []string{"Records of unknown kind"},
					files:    map[string]string{of("events"): "{\"id\":1}\n", of("persons"): "", of("unknown"): "{\"x\":2}\n"}, gone: []string{of("sessions")},
				},
				{
					before: f.holds(mockserver.ExportDay{Sessions: []any{record(3)}}),
					config: splitFile(path, prototest.Attributes{"kinds": []any{"sessions", "persons"}}), exports: 1,
					files: map[string]string{of("sessions"): "{\"id\":3}\n", of("persons"): ""}, gone: []string{of("events"), of("unknown")},
				},
			}
		},
		"overwrite leaves nothing of another day": func(f *fileTest, _ string) []fileStep {
			path := filepath.Join(f.TempDir(), "{kind}.ndjson")
			unknown := strings.ReplaceAll(path, "{kind}", "unknown")

			return []fileStep{
				{
					before: func() { write(f.T, unknown, "of another day") }, config: file(path, nil),
					errors: []string{"There is a file already", "The file of unknown"},
				},
				{config: file(path, prototest.Attributes{"overwrite": true}), exports: 1, gone: []string{unknown}},
			}
		},
		"from one file and back": func(f *fileTest, old string) []fileStep {
			path, of := splitPath(f.T)
			return []fileStep{
				{config: file(old, nil), exports: 1},
				{config: splitFile(path, nil), exports: 1, files: map[string]string{of("sessions"): "{\"id\":\"s-2026-03-01\"}\n"}, gone: []string{old}},
				{config: file(old, nil), exports: 1, files: map[string]string{old: lines}, gone: []string{of("sessions")}},
			}
		},
	}

	for says, harm := range map[string]func(f *fileTest, path string){
		"A file is missing":    func(_ *fileTest, path string) { _ = os.Remove(path) },
		"The file was altered": func(f *fileTest, path string) { write(f.T, path, "theirs") },
	} {
		tests[says] = func(f *fileTest, _ string) []fileStep {
			path, of := splitPath(f.T)
			return []fileStep{
				{config: splitFile(path, nil), exports: 1},
				{
					before: func() { harm(f, of("events")) }, config: splitFile(path, nil), warnings: []string{says}, exports: 1,
					files: map[string]string{of("events"): "{\"id\":\"e1-2026-03-01\"}\n{\"id\":\"e2-2026-03-01\"}\n"},
				},
			}
		}
	}

	// All files, or none.
	for says, c := range map[string]struct {
		change prototest.Attributes
		fault  mockserver.Fault
		theirs string // kind of a file of somebody else
	}{
		"larger than max_bytes": {change: prototest.Attributes{"max_bytes": 100}},
		"The file of events":    {theirs: "events"},
		"Connection lost":       {fault: mockserver.Fault{Cut: mockserver.CutBody, CutAt: -2}},
	} {
		tests[says] = func(f *fileTest, _ string) []fileStep {
			path, of := splitPath(f.T)
			step := fileStep{
				before: f.fails(c.fault), config: splitFile(path, c.change), errors: []string{says, "In state now: nothing"}, exports: 1,
				gone: []string{of("persons"), filepath.Dir(of("sessions"))},
			}
			if c.theirs != "" {
				step.before, step.exports = func() { write(f.T, of(c.theirs), "theirs") }, 0
			}

			return []fileStep{step}
		}
	}
	applyAll(t, tests)
}

// TestExportFile_secondTry breaks off an answer with records of unknown kind. The second
// answer has none, so their file must be gone.
func TestExportFile_secondTry(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	service.PutExport(scope, day, mockserver.ExportDay{Events: []any{record(1)}, Others: []any{map[string]any{"x": 2}}})
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutBody, CutAt: -1, Then: func() {
		service.PutExport(scope, day, mockserver.ExportDay{Events: []any{record(7), record(8)}})
	}})
	path, of := splitPath(t)
	state := created(t, unkinded(t, service), splitFile(path, nil))
	wantContent(t, of("events"), "{\"id\":7}\n{\"id\":8}\n")
	wantNothingOf(t, filepath.Dir(of("unknown")))
	if diff := cmp.Diff(prototest.Attributes{"persons": 0.0, "sessions": 0.0, "events": 2.0, "unknown": 0.0}, state.Attributes["counts"]); diff != "" {
		t.Error(diff)
	}
}

// TestExportFile_severalFilesThatAreBackAreNotExportedAgain refreshes while one is away.
func TestExportFile_severalFilesThatAreBackAreNotExportedAgain(t *testing.T) {
	t.Parallel()

	path, of := splitPath(t)
	f := &fileTest{T: t, service: startService(t)}
	f.apply(fileStep{config: splitFile(path, nil), exports: 1})
	whole, events := f.state.Attributes, content(t, of("events"))

	if err := os.Remove(of("events")); err != nil {
		t.Fatal(err)
	}
	f.state, _ = nextRun(t, f.service).MustRefresh(fileName, f.state)
	if f.state.Attributes["sha256"] != nil {
		t.Errorf("state is %v", f.state.Attributes)
	}

	write(t, of("events"), events)
	f.apply(fileStep{config: splitFile(path, nil)})
	if diff := cmp.Diff(whole, f.state.Attributes); diff != "" {
		t.Errorf("state has changed (-before +after):\n%s", diff)
	}
}

// TestExportFile_destroyRemovesWhatAKilledRunLeft has a run that was killed while it wrote the
// day again, with records of a kind that the files in state do not have.
func TestExportFile_destroyRemovesWhatAKilledRunLeft(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := filepath.Join(t.TempDir(), "{kind}")
	state := created(t, p, file(path, prototest.Attributes{"kinds": []any{"events"}}))
	for _, kind := range []string{"persons", "events", "unknown"} {
		write(t, filepath.Join(filepath.Dir(path), ".analytics-"+digest(kind)[:16]+".tmp"), "Jane Canary")
	}
	write(t, strings.ReplaceAll(path, "{kind}", "sessions"), "theirs")

	gone, diags := nextRun(t, service).Destroy(fileName, state)
	p.NoErrors(diags)
	if gone != nil || len(diags.Warnings()) > 0 {
		t.Errorf("destroyed with %v", diags.Warnings())
	}
	wantContent(t, strings.ReplaceAll(path, "{kind}", "sessions"), "theirs")
}
