// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
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

// answering lets the service answer each export with a body.
func answering(body any) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		mockserver.Reshape(s, func(any) any { return body }, mockserver.OpExportRecords)
	}
}

func TestExportFile_linesWithoutKind(t *testing.T) {
	t.Parallel()

	const pretty = mockserver.PlainText("{\"events\":[\n  {\n    \"id\":\"e1-2026-03-01\"},\n  {\"id\":\n\"e2-2026-03-01\"}\n]}")
	path := target(t)
	f := &fileTest{T: t, service: startService(t, answering(pretty))}
	f.apply(fileStep{
		config: file(path, prototest.Attributes{"kinds": []any{"events"}, "with_kind": false}), exports: 1,
		files: map[string]string{path: "{\"id\":\"e1-2026-03-01\"}\n{\"id\":\"e2-2026-03-01\"}\n"},
	})
	if diff := cmp.Diff(prototest.Attributes{"persons": nil, "sessions": nil, "events": 2.0, "unknown": 0.0}, f.state.Attributes["counts"]); diff != "" {
		t.Error(diff)
	}
}

func TestExportFile_recordsOfUnknownKindAreKept(t *testing.T) {
	t.Parallel()

	path := target(t)
	f := &fileTest{T: t, service: startService(t)}
	f.service.PutExport(scope, day, mockserver.ExportDay{Events: []any{record(1)}, Others: []any{map[string]any{"x": 2}}})
	f.apply(fileStep{
		settings: anyRecord, config: file(path, prototest.Attributes{"kinds": []any{"persons"}}), exports: 1,
		warnings: []string{"Records of unknown kind", "1 records", "wire.export_kind_parameter"},
		files:    map[string]string{path: "{\"kind\":\"unknown\",\"record\":{\"x\":2}}\n"},
	})
	if diff := cmp.Diff(prototest.Attributes{"persons": 0.0, "sessions": nil, "events": nil, "unknown": 1.0}, f.state.Attributes["counts"]); diff != "" {
		t.Error(diff)
	}
}

func TestExportFile_dayWithoutRecordsIsAnEmptyFile(t *testing.T) {
	t.Parallel()

	for name, configure := range map[string][]func(*mockserver.Server){
		"no records": nil, "204": {answering(mockserver.NoContent)}, "nothing": {answering(mockserver.PlainText(""))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			path := target(t)
			f := &fileTest{T: t, service: startService(t, configure...)}
			f.apply(fileStep{config: file(path, prototest.Attributes{"utc_date": "2026-01-01"}), exports: 1, files: map[string]string{path: ""}})
			if f.state.Attributes["bytes"] != 0.0 {
				t.Errorf("%v bytes", f.state.Attributes["bytes"])
			}
		})
	}
}

func TestExportFile_missingOrAlteredFileIsWrittenAgain(t *testing.T) {
	t.Parallel()

	path := target(t)
	config, files := file(path, nil), map[string]string{path: lines}
	f := &fileTest{T: t, service: startService(t)}
	f.apply(
		fileStep{config: config, exports: 1, files: files},
		fileStep{
			before: func() { write(t, path, "altered") }, config: config,
			warnings: []string{"The file was altered", "path"}, exports: 1, files: files,
		},
		fileStep{before: func() { _ = os.Remove(path) }, config: config, exports: 1, files: files},
	)
}

// TestExportFile_changeWritesTheFileAnewInPlace expects a change of compression to be read
// elsewhere.
func TestExportFile_changeWritesTheFileAnewInPlace(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		change  prototest.Attributes
		exports int
		want    string // empty for what is no text
	}{
		"another day":         {prototest.Attributes{"utc_date": yesterday}, 1, strings.ReplaceAll(lines, day, yesterday)},
		"other kinds":         {prototest.Attributes{"kinds": []any{"events"}}, 1, eventLines},
		"the same kinds":      {prototest.Attributes{"kinds": []any{"events", "persons", "sessions"}}, 0, lines},
		"another compression": {prototest.Attributes{"compression": "gzip"}, 1, ""},
		"another limit":       {prototest.Attributes{"max_bytes": 5000, "overwrite": true, "allow_incomplete_day": true}, 0, lines},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			path := target(t)
			f := &fileTest{T: t, service: startService(t)}
			f.apply(
				fileStep{config: file(path, nil), exports: 1, files: map[string]string{path: lines}},
				fileStep{config: file(path, c.change), exports: c.exports},
			)
			got := content(t, path)
			if f.state.Attributes["sha256"] != digest(got) || c.want != "" && got != c.want || got == lines && c.exports == 1 {
				t.Errorf("the file holds %q, and state is %v", got, f.state.Attributes)
			}
		})
	}
}

func TestExportFile_incompleteDayIsRefusedOrExportedAgain(t *testing.T) {
	t.Parallel()

	path := target(t)
	f := &fileTest{T: t, service: startService(t)}
	refused := file(path, prototest.Attributes{"utc_date": today})
	config := refused.With(prototest.Attributes{"allow_incomplete_day": true})
	f.apply(
		fileStep{config: refused, errors: []string{"not over", "allow_incomplete_day", "02:00 UTC"}, gone: []string{path}},
		fileStep{config: config, warnings: []string{"not over", "complete = false"}, exports: 1, files: map[string]string{path: strings.ReplaceAll(lines, day, today)}},
	)
	if f.state.Attributes["complete"] != false {
		t.Error("it is complete")
	}

	f.apply(
		fileStep{config: config},
		fileStep{
			before: func() {
				f.service.PutExport(scope, today, mockserver.ExportDay{Events: []any{record(1)}})
			},
			at: time.Date(2026, 3, 11, 0, 0, 0, 0, time.UTC), config: config, exports: 1,
			files: map[string]string{path: "{\"kind\":\"event\",\"record\":{\"id\":1}}\n"},
		},
	)
	if f.state.Attributes["complete"] != true {
		t.Error("it is not complete")
	}
}

// TestExportFile_dayIsNotOverByTheServicesClock has answers of the evening of the day, and one
// that is no answer yet.
func TestExportFile_dayIsNotOverByTheServicesClock(t *testing.T) {
	t.Parallel()

	path := target(t)
	f := &fileTest{T: t, service: startService(t)}
	f.service.AllowViolations()
	answer := func(status int, name, value string) func() {
		return func() {
			f.service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Status: status, Header: http.Header{name: {value}}})
		}
	}
	config := file(path, prototest.Attributes{"utc_date": yesterday})
	f.apply(
		fileStep{before: answer(202, "Retry-After", "600"), config: config, errors: []string{"Not ready yet", "10m0s"}, exports: 1, gone: []string{path}},
		fileStep{
			before: answer(0, "Date", "Mon, 09 Mar 2026 23:59:00 GMT"), config: config,
			errors: []string{"Not ready yet", "2026-03-09 23:59"}, exports: 1, gone: []string{path},
		},
	)

	answer(0, "Date", "Mon, 09 Mar 2026 23:59:00 GMT")()
	state := created(t, nextRun(t, f.service), config.With(prototest.Attributes{"allow_incomplete_day": true}))
	if state.Attributes["complete"] != false {
		t.Errorf("complete is %v", state.Attributes["complete"])
	}
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

func TestExportFile_fileOfSomebodyElseStays(t *testing.T) {
	t.Parallel()

	path := target(t)
	f := &fileTest{T: t, service: startService(t)}
	f.apply(
		fileStep{
			before: func() { write(t, path, "theirs") }, config: file(path, nil),
			errors: []string{"There is a file already", "overwrite = true", "path", "In state now: nothing"}, files: map[string]string{path: "theirs"},
		},
		fileStep{config: file(path, prototest.Attributes{"overwrite": true}), exports: 1, files: map[string]string{path: lines}},
	)

	write(t, path, "theirs")
	p := nextRun(t, f.service)
	gone, diags := p.Destroy(fileName, f.state)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "The file stays")
	if gone != nil {
		t.Error("it is still in state")
	}
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
			prototest.WantText(t, diags.Errors(), "Two resources write the same file", "path")
			if state != nil {
				t.Error("something is in state")
			}
			wantContent(t, path, lines)
			wantCount(t, service, 1)
		})
	}
}

// TestExportFile_failureLeavesTheOldFile fails a change, and a create at another path.
func TestExportFile_failureLeavesTheOldFile(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		change prototest.Attributes
		fault  mockserver.Fault
		says   string
	}{
		"too large":        {prototest.Attributes{"max_bytes": 100}, mockserver.Fault{}, "larger than max_bytes"},
		"cut at its end":   {nil, mockserver.Fault{Cut: mockserver.CutBody, CutAt: -2}, "Connection lost"},
		"without a length": {nil, mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: -2}, "Truncated"},
		"not permitted":    {nil, mockserver.Fault{Status: 403, Body: []byte("{}")}, "Not permitted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			path, fresh := target(t), target(t)
			f := &fileTest{T: t, service: startService(t)}
			c.fault.Operation = mockserver.OpExportRecords
			fail := func() { f.service.Inject(c.fault) }
			change := prototest.Attributes{"utc_date": yesterday}.With(c.change)
			f.apply(
				fileStep{config: file(path, nil), exports: 1},
				fileStep{
					before: fail, config: file(path, change), exports: 1, files: map[string]string{path: lines},
					errors: []string{c.says, "In state now: this resource as it was before", "the old file is as it was", "What to do"},
				},
			)

			f.state = nil
			f.apply(fileStep{before: fail, config: file(fresh, change), errors: []string{c.says, "In state now: nothing"}, exports: 1, gone: []string{fresh}})
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

	// Kinds that become known are checked in the plan.
	config := file(path, prototest.Attributes{"kinds": []any{prototest.Unknown}, "with_kind": false})
	p.NoErrors(p.Validate(fileName, config))
	_, diags = p.Plan(fileName, nil, config)
	p.NoErrors(diags)
	_, diags = p.Plan(fileName, nil, config.With(prototest.Attributes{"kinds": []any{"events", "persons"}}))
	prototest.WantText(t, diags.Errors(), "with_kind", "exactly one kind")
}
