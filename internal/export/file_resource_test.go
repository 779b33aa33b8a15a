// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// lines returns the content of the file of a day.
const lines = `{"kind":"person","record":{"id":"p-2026-03-01","name":"Jane Canary"}}
{"kind":"session","record":{"id":"s-2026-03-01"}}
{"kind":"event","record":{"id":"e1-2026-03-01"}}
{"kind":"event","record":{"id":"e2-2026-03-01"}}
`

func TestExportFile_writtenToAFileAndToNothingElse(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := target(t)
	config := file(path, nil)
	plan, diags := p.Plan(fileName, nil, config)
	p.NoErrors(diags)
	if plan.Attributes["sha256"] != prototest.Unknown || plan.Attributes["counts"] != prototest.Unknown {
		t.Errorf("planned is %v", plan.Attributes)
	}

	state := created(t, p, config)
	sum := sha256.Sum256([]byte(lines))
	want := prototest.Attributes{
		"utc_date": day, "path": path, "kinds": nil, "compression": "none", "with_kind": true, "max_bytes": nil, "overwrite": false, "allow_incomplete_day": false,
		"create_directories": false, "triggers": nil, "verify": "stat", "on_destroy": "remove",
		"org_id": mocktest.Org, "project_id": mocktest.Project, "account_id": nil,
		"complete": true, "sha256": hex.EncodeToString(sum[:]), "bytes": float64(len(lines)),
		"counts":               prototest.Attributes{"persons": 1.0, "sessions": 1.0, "events": 2.0, "unknown": 0.0},
		"invalid_utf8_records": 0.0,
		"files":                nil,
	}

	if diff := cmp.Diff(want, state.Attributes); diff != "" {
		t.Errorf("unexpected state (-want +got):\n%s", diff)
	}

	wantContent(t, path, lines)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}

	wantNoPerson(t, string(state.Private))

	p = nextRun(t, service)
	state, diags = p.Refresh(fileName, state)
	p.NoErrors(diags)
	p.WantEmptyPlan(fileName, state, config)
	wantCount(t, service, 1)
	gone, diags := p.Destroy(fileName, state)
	p.NoErrors(diags)
	if gone != nil || len(diags.Warnings()) > 0 {
		t.Errorf("destroyed with %v", diags.Warnings())
	}

	wantNothing(t, path)
}

func TestExportFile_compression(t *testing.T) {
	t.Parallel()

	for compression, open := range map[string]func(io.Reader) (io.Reader, error){
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
	} {
		t.Run(compression, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			path := target(t)
			config := file(path, prototest.Attributes{"compression": compression})
			state := created(t, p, config)
			packed, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer packed.Close()
			r, err := open(packed)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := io.ReadAll(r); err != nil || string(text) != lines {
				t.Errorf("it holds %q, %v", text, err)
			}

			p = nextRun(t, service)
			state, diags := p.Refresh(fileName, state)
			p.NoErrors(diags)
			p.WantEmptyPlan(fileName, state, config)
		})
	}
}

func TestExportFile_linesWithoutKind(t *testing.T) {
	t.Parallel()

	const pretty = mockserver.PlainText("{\"events\":[\n  {\n    \"id\":\"e1-2026-03-01\"},\n  {\"id\":\n\"e2-2026-03-01\"}\n]}")
	p, service := start(t, func(s *mockserver.Server) {
		mockserver.Reshape(s, func(any) any { return pretty }, mockserver.OpExportRecords)
	})
	path := target(t)
	state := created(t, p, file(path, prototest.Attributes{"kinds": []any{"events"}, "with_kind": false}))
	wantContent(t, path, "{\"id\":\"e1-2026-03-01\"}\n{\"id\":\"e2-2026-03-01\"}\n")
	if diff := cmp.Diff(prototest.Attributes{"persons": nil, "sessions": nil, "events": 2.0, "unknown": 0.0}, state.Attributes["counts"]); diff != "" {
		t.Error(diff)
	}

	wantCount(t, service, 1)
	for _, kinds := range []any{nil, []any{"events", "persons"}} {
		diags := p.Validate(fileName, file(path, prototest.Attributes{"kinds": kinds, "with_kind": false}))
		prototest.WantText(t, diags.Errors(), "with_kind", "exactly one kind")
	}

	for _, kinds := range []any{[]any{}, []any{"devices"}, []any{"event"}} {
		if diags := p.Validate(fileName, file(path, prototest.Attributes{"kinds": kinds})); len(diags.Errors()) == 0 {
			t.Errorf("%v is accepted", kinds)
		}
	}
}

func TestExportFile_recordsOfUnknownKindAreKept(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	p := unkinded(t, service)
	service.PutExport(scope, day, mockserver.ExportDay{Events: []any{record(1)}, Others: []any{map[string]any{"x": 2}}})
	path := target(t)
	state, diags := p.Create(fileName, file(path, prototest.Attributes{"kinds": []any{"persons"}}))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "Records of unknown kind", "1 records", "wire.export_kind_parameter")
	wantContent(t, path, "{\"kind\":\"unknown\",\"record\":{\"x\":2}}\n")
	if diff := cmp.Diff(prototest.Attributes{"persons": 0.0, "sessions": nil, "events": nil, "unknown": 1.0}, state.Attributes["counts"]); diff != "" {
		t.Error(diff)
	}
}

func TestExportFile_dayWithoutRecordsIsAnEmptyFile(t *testing.T) {
	t.Parallel()

	same := func(stream any) any { return stream }
	for _, body := range []func(any) any{same, func(any) any { return mockserver.NoContent }, func(any) any { return mockserver.PlainText("") }} {
		p, _ := start(t, func(s *mockserver.Server) { mockserver.Reshape(s, body, mockserver.OpExportRecords) })
		path := target(t)
		state := created(t, p, file(path, prototest.Attributes{"utc_date": "2026-01-01"}))
		wantContent(t, path, "")
		if state.Attributes["bytes"] != 0.0 {
			t.Errorf("%v bytes", state.Attributes["bytes"])
		}
	}
}

func TestExportFile_missingOrAlteredFileIsWrittenAgain(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := target(t)
	config := file(path, nil)
	state := created(t, p, config)
	if err := os.WriteFile(path, []byte("altered"), 0o600); err != nil {
		t.Fatal(err)
	}

	p = nextRun(t, service)
	state, diags := p.Refresh(fileName, state)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "The file was altered", "path")
	plan, diags := p.Plan(fileName, state, config)
	p.NoErrors(diags)
	if !plan.Changes || len(plan.Replace) > 0 || plan.Attributes["sha256"] != prototest.Unknown {
		t.Errorf("planned is %v", plan.Attributes)
	}

	state, diags = p.Apply(t.Context(), fileName, state, plan)
	p.NoErrors(diags)
	wantContent(t, path, lines)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}

	p = nextRun(t, service)
	if gone, diags := p.Refresh(fileName, state); gone != nil {
		t.Errorf("it is still in state, %v", diags.Errors())
	}

	created(t, p, config)
	wantContent(t, path, lines)
}

func TestExportFile_changeWritesTheFileAnewInPlace(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	for name, c := range map[string]struct {
		change prototest.Attributes
		anew   bool
	}{
		"another day":         {prototest.Attributes{"utc_date": yesterday}, true},
		"other kinds":         {prototest.Attributes{"kinds": []any{"events"}}, true},
		"the same kinds":      {prototest.Attributes{"kinds": []any{"events", "persons", "sessions"}}, false},
		"another compression": {prototest.Attributes{"compression": "gzip"}, true},
		"another limit":       {prototest.Attributes{"max_bytes": 5000, "overwrite": true, "allow_incomplete_day": true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			path := target(t)
			state := created(t, nextRun(t, service), file(path, nil))
			p := nextRun(t, service)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}

			state, diags := p.Update(fileName, state, file(path, c.change))
			p.NoErrors(diags)
			after, err := os.ReadFile(path)
			if err != nil || bytes.Equal(after, before) == c.anew {
				t.Errorf("anew: %t, %v", !bytes.Equal(after, before), err)
			}

			sum := sha256.Sum256(after)
			if state.Attributes["sha256"] != hex.EncodeToString(sum[:]) {
				t.Error("state has another sum")
			}

			p.WantEmptyPlan(fileName, state, file(path, c.change))
		})
	}

	p, path := nextRun(t, service), target(t)
	state := created(t, p, file(path, nil))
	plan, diags := p.Plan(fileName, state, file(path, prototest.Attributes{"project_id": "other", "org_id": mocktest.Org}))
	p.NoErrors(diags)
	if len(plan.Replace) == 0 {
		t.Error("another project replaces nothing")
	}
}

func TestExportFile_incompleteDayIsRefusedOrExportedAgain(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := target(t)
	config := file(path, prototest.Attributes{"utc_date": today})
	_, diags := p.Plan(fileName, nil, config)
	prototest.WantText(t, diags.Errors(), "not over", "allow_incomplete_day", "02:00 UTC")

	config = config.With(prototest.Attributes{"allow_incomplete_day": true})
	state, diags := p.Create(fileName, config)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "not over", "complete = false")
	if state.Attributes["complete"] != false {
		t.Error("it is complete")
	}

	p = nextRun(t, service)
	p.WantEmptyPlan(fileName, state, config)

	service.PutExport(scope, today, mockserver.ExportDay{Events: []any{record(1), record(2), record(3)}})
	p = runAt(t, service, time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC))
	state, _ = p.MustRefresh(fileName, state)
	state, diags = p.Update(fileName, state, config)
	p.NoErrors(diags)
	if state.Attributes["complete"] != true || len(diags.Warnings()) > 0 || strings.Count(content(t, path), "\n") != 3 {
		t.Errorf("afterwards it is %v, %v", state.Attributes, diags.Warnings())
	}

	p.WantEmptyPlan(fileName, state, config)
}

// TestExportFile_midnightBetweenPlanAndApply plans before midnight and again after it,
// without a refresh in between, as an apply does.
func TestExportFile_midnightBetweenPlanAndApply(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	config := file(target(t), prototest.Attributes{"utc_date": today, "allow_incomplete_day": true})
	state := created(t, p, config)
	changed := config.With(prototest.Attributes{"max_bytes": 5000})
	before, diags := p.Plan(fileName, state, changed)
	p.NoErrors(diags)
	after, diags := runAt(t, service, time.Date(2026, 3, 11, 0, 1, 0, 0, time.UTC)).Plan(fileName, state, changed)
	p.NoErrors(diags)
	if diff := cmp.Diff(before.Attributes, after.Attributes); diff != "" {
		t.Errorf("the second plan differs (-first +second):\n%s", diff)
	}
}

func TestExportFile_createBeforeDestroyKeepsTheNewFile(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	path := target(t)
	config := file(path, prototest.Attributes{"overwrite": true})
	old := created(t, nextRun(t, service), config)
	p := nextRun(t, service)
	created(t, p, config)
	gone, diags := p.Destroy(fileName, old)
	p.NoErrors(diags)
	if gone != nil {
		t.Error("the old object is still there")
	}

	wantContent(t, path, lines)
	// In the usual order, the old file is removed first.
	p = nextRun(t, service)
	if _, diags := p.Destroy(fileName, old); len(diags.Errors()) > 0 {
		t.Error(diags.Errors())
	}

	wantNothing(t, path)
	created(t, p, config)
	wantContent(t, path, lines)
}

func TestExportFile_unknownKindsAreCheckedInThePlan(t *testing.T) {
	t.Parallel()

	p, _ := start(t)
	config := file(target(t), prototest.Attributes{"kinds": []any{prototest.Unknown}, "with_kind": false})
	p.NoErrors(p.Validate(fileName, config))
	if _, diags := p.Plan(fileName, nil, config); len(diags.Errors()) > 0 {
		t.Error(diags.Errors())
	}

	_, diags := p.Plan(fileName, nil, config.With(prototest.Attributes{"kinds": []any{"events", "persons"}}))
	prototest.WantText(t, diags.Errors(), "with_kind", "exactly one kind")
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

func TestExportFile_fileOfSomebodyElseStays(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := target(t)
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}

	state, diags := p.Create(fileName, file(path, nil))
	prototest.WantText(t, diags.Errors(), "There is a file already", "overwrite = true", "path")
	if state != nil {
		t.Error("something is in state")
	}

	wantContent(t, path, "theirs")
	wantCount(t, service, 0)

	state = created(t, p, file(path, prototest.Attributes{"overwrite": true}))
	wantContent(t, path, lines)
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}

	p = nextRun(t, service)
	gone, diags := p.Destroy(fileName, state)
	p.NoErrors(diags)
	if gone != nil {
		t.Error("it is still in state")
	}

	prototest.WantText(t, diags.Warnings(), "The file stays")
	wantContent(t, path, "theirs")
}

func TestExportFile_twoObjectsOnePath(t *testing.T) {
	t.Parallel()

	for name, more := range map[string]prototest.Attributes{"new": nil, "overwriting": {"overwrite": true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			path := target(t)
			created(t, p, file(path, more))
			again := filepath.Join(filepath.Dir(path), "..", filepath.Base(filepath.Dir(path)), filepath.Base(path))
			state, diags := p.Create(fileName, file(again, more).With(prototest.Attributes{"utc_date": yesterday}))
			prototest.WantText(t, diags.Errors(), "Two objects with one file", "path")
			if state != nil {
				t.Error("something is in state")
			}

			wantContent(t, path, lines)
			wantCount(t, service, 1)
			if more != nil {
				return
			}

			// Another run does not know the first one, and finds its file.
			_, diags = nextRun(t, service).Create(fileName, file(path, nil))
			prototest.WantText(t, diags.Errors(), "There is a file already")
			wantContent(t, path, lines)
		})
	}
}

func TestExportFile_failureLeavesTheOldFile(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		change prototest.Attributes
		fault  mockserver.Fault
		says   string
	}{
		"too large":        {prototest.Attributes{"max_bytes": 100}, mockserver.Fault{Operation: mockserver.OpGetConsent}, "larger than max_bytes"},
		"cut at its end":   {nil, mockserver.Fault{Cut: mockserver.CutBody, CutAt: -2, Times: -1}, "Connection lost"},
		"without a length": {nil, mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: -2, Times: -1}, "Truncated"},
		"not permitted":    {nil, mockserver.Fault{Status: 403, Body: []byte("{}"), Times: -1}, "Not permitted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, service := start(t)
			path := target(t)
			state := created(t, nextRun(t, service), file(path, nil))
			if c.fault.Operation == "" {
				c.fault.Operation = mockserver.OpExportRecords
			}

			service.Inject(c.fault)
			p := prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"max_retries": 0}))
			after, diags := p.Update(fileName, state, file(path, prototest.Attributes{"utc_date": yesterday}.With(c.change)))
			prototest.WantText(t, diags.Errors(), c.says, "In state now: this object as it was before", "What to do")
			if diff := cmp.Diff(state.Attributes, after.Attributes); diff != "" {
				t.Errorf("state has changed (-before +after):\n%s", diff)
			}

			wantContent(t, path, lines)

			fresh := target(t)
			none, diags := p.Create(fileName, file(fresh, prototest.Attributes{"utc_date": yesterday}.With(c.change)))
			prototest.WantText(t, diags.Errors(), c.says, "In state now: nothing")
			if none != nil {
				t.Error("something is in state")
			}

			wantNothing(t, fresh)
		})
	}
}

func TestExportFile_unwritablePathIsRefusedBeforeAnythingIsAsked(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	folder := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}

	for _, path := range []string{folder, filepath.Join(folder, "missing", "day"), filepath.Join(folder, "link"), folder + "/"} {
		for _, overwrite := range []bool{false, true} {
			state, diags := p.Create(fileName, file(path, prototest.Attributes{"overwrite": overwrite}))
			prototest.WantText(t, diags.Errors(), "path", "In state now: nothing")
			if state != nil {
				t.Error("something is in state")
			}
		}
	}

	wantCount(t, service, 0)
}

func TestExportFile_unknownValuesAreCheckedAtApply(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	for _, name := range []string{"utc_date", "path", "kinds", "compression", "with_kind", "max_bytes", "overwrite", "allow_incomplete_day", "create_directories", "triggers", "verify", "on_destroy"} {
		config := file(target(t), prototest.Attributes{name: prototest.Unknown})
		p.NoErrors(p.Validate(fileName, config))
		if _, diags := p.Plan(fileName, nil, config); len(diags.Errors()) > 0 {
			t.Errorf("%s: %v", name, diags.Errors())
		}
	}

	path := target(t)
	state := created(t, p, file(path, nil))
	plan, diags := p.Plan(fileName, state, file(path, prototest.Attributes{"utc_date": prototest.Unknown}))
	p.NoErrors(diags)
	if plan.Attributes["sha256"] != prototest.Unknown {
		t.Errorf("planned is %v", plan.Attributes)
	}

	wantCount(t, service, 1)
}
