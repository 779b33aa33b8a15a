// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
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

func TestExportFile_emptyAndUnknownKinds(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	path, of := splitPath(t)
	service.PutExport(scope, day, mockserver.ExportDay{Events: []any{record(1)}, Others: []any{map[string]any{"x": 2}}})
	config := splitFile(path, prototest.Attributes{"kinds": []any{"events", "persons"}})
	p := unkinded(t, service)
	state, diags := p.Create(fileName, config)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "Records of unknown kind")
	wantContent(t, of("events"), "{\"id\":1}\n")
	wantContent(t, of("persons"), "")
	wantContent(t, of("unknown"), "{\"x\":2}\n")
	wantNothingOf(t, of("sessions"))

	// The next export has no records of unknown kind, and other kinds are wanted.
	service.PutExport(scope, day, mockserver.ExportDay{Sessions: []any{record(3)}})
	config = config.With(prototest.Attributes{"kinds": []any{"sessions", "persons"}})

	p = nextRun(t, service)
	state, diags = p.Update(fileName, state, config)
	p.NoErrors(diags)
	if len(diags.Warnings()) > 0 {
		t.Error(diags.Warnings())
	}

	wantContent(t, of("sessions"), "{\"id\":3}\n")
	wantContent(t, of("persons"), "")
	wantNothing(t, of("events"))
	wantNothing(t, of("unknown"))
	p.WantEmptyPlan(fileName, state, config)
}

// TestExportFile_overwriteLeavesNothingOfAnotherDay finds a file of unknown kinds that another
// object has written, for a day that has none.
func TestExportFile_overwriteLeavesNothingOfAnotherDay(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := filepath.Join(t.TempDir(), "{kind}.ndjson")
	unknown := strings.ReplaceAll(path, "{kind}", "unknown")
	if err := os.WriteFile(unknown, []byte("of another day"), 0o600); err != nil {
		t.Fatal(err)
	}

	_, diags := p.Create(fileName, file(path, nil))
	prototest.WantText(t, diags.Errors(), "There is a file already", "The file of unknown")
	wantCount(t, service, 0)

	created(t, nextRun(t, service), file(path, prototest.Attributes{"overwrite": true}))
	wantNothingOf(t, unknown)
}

func TestExportFile_oneOfSeveralFilesIsLost(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		harm func(path string) error
		says string
	}{
		"missing": {os.Remove, "A file is missing"},
		"altered": {func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) }, "The file was altered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			path, of := splitPath(t)
			config := splitFile(path, nil)
			state := created(t, p, config)
			if err := c.harm(of("events")); err != nil {
				t.Fatal(err)
			}

			p = nextRun(t, service)
			state, diags := p.MustRefresh(fileName, state)
			prototest.WantText(t, diags.Warnings(), c.says)
			state, diags = p.Update(fileName, state, config)
			p.NoErrors(diags)
			wantContent(t, of("events"), "{\"id\":\"e1-2026-03-01\"}\n{\"id\":\"e2-2026-03-01\"}\n")
			p.WantEmptyPlan(fileName, state, config)
		})
	}
}

func TestExportFile_allOfSeveralFilesOrNone(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		change  prototest.Attributes
		prepare func(t *testing.T, service *mocktest.Instance, of func(string) string)
		says    string
	}{
		"too large": {prototest.Attributes{"max_bytes": 100}, nil, "larger than max_bytes"},
		"a file of somebody else": {nil, func(t *testing.T, _ *mocktest.Instance, of func(string) string) {
			if err := os.MkdirAll(filepath.Dir(of("events")), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(of("events"), []byte("theirs"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "The file of events"},
		"cut": {nil, func(_ *testing.T, service *mocktest.Instance, _ func(string) string) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutBody, CutAt: -2, Times: -1})
		}, "Connection lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, service := start(t)
			path, of := splitPath(t)
			if c.prepare != nil {
				c.prepare(t, service, of)
			}

			p := prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"max_retries": 0}))
			state, diags := p.Create(fileName, splitFile(path, c.change))
			prototest.WantText(t, diags.Errors(), c.says, "In state now: nothing")
			if state != nil {
				t.Error("something is in state")
			}

			wantNothingOf(t, of("persons"))
			wantNothingOf(t, filepath.Dir(of("sessions")))
		})
	}
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

func TestExportFile_fromOneFileToOneForEachKind(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	old := target(t)
	state := created(t, nextRun(t, service), file(old, nil))
	path, of := splitPath(t)
	p := nextRun(t, service)
	state, diags := p.Update(fileName, state, splitFile(path, nil))
	p.NoErrors(diags)
	wantNothing(t, old)
	wantContent(t, of("sessions"), "{\"id\":\"s-2026-03-01\"}\n")

	p = nextRun(t, service)
	state, diags = p.Update(fileName, state, file(old, nil))
	p.NoErrors(diags)
	wantContent(t, old, lines)
	wantNothing(t, of("sessions"))
	p.WantEmptyPlan(fileName, state, file(old, nil))
}
