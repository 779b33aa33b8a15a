// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// lines returns the content of the file of a day.
const lines = `{"kind":"person","record":{"id":"p-2026-03-01","name":"Jane Canary"}}
{"kind":"session","record":{"id":"s-2026-03-01"}}
{"kind":"event","record":{"id":"e1-2026-03-01"}}
{"kind":"event","record":{"id":"e2-2026-03-01"}}
`

// eventRecords are the lines of its events without their kind.
const eventRecords = `{"id":"e1-2026-03-01"}
{"id":"e2-2026-03-01"}
`

// TestExportFile_compression writes one file again in each compression.
func TestExportFile_compression(t *testing.T) {
	t.Parallel()

	f, path := &fileTest{T: t, service: startService(t)}, target(t)
	for compression, open := range map[string]func(io.Reader) (io.Reader, error){
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
	} {
		f.apply(fileStep{config: file(path, prototest.Attributes{"compression": compression}), exports: 1})
		r, err := open(strings.NewReader(content(t, path)))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil || string(text) != lines {
			t.Errorf("it holds %q, %v", text, err)
		}
	}
}

// counts returns an attribute counts; a negative one is null.
func counts(persons, sessions, events float64) prototest.Attributes {
	attributes := prototest.Attributes{}
	for name, n := range map[string]float64{"persons": persons, "sessions": sessions, "events": events} {
		attributes[name] = nil
		if n >= 0 {
			attributes[name] = n
		}
	}

	return attributes
}

// TestExportFile_changes writes a file, and then what is left after another apply.
func TestExportFile_changes(t *testing.T) {
	t.Parallel()

	tests := map[string]func(f *fileTest, path string) []fileStep{
		"late records by triggers, and a missing file": func(f *fileTest, path string) []fileStep {
			late := fileStep{
				before: f.holds(mockserver.ExportDay{Events: []any{map[string]any{"id": "late"}}}),
				config: file(path, prototest.Attributes{"triggers": prototest.Attributes{"late": "1"}}), exports: 1,
				files: map[string]string{path: "{\"kind\":\"event\",\"record\":{\"id\":\"late\"}}\n"},
			}
			missing := late
			missing.before = func() { _ = os.Remove(path) }

			return []fileStep{{config: file(path, nil), exports: 1, files: map[string]string{path: lines}}, late, missing}
		},
		"lines without kind, and invalid UTF-8": func(f *fileTest, path string) []fileStep {
			pretty := []byte("{\"events\":[\n  {\n    \"id\":\"\xff\"},\n  {\"id\":\n\"b\"}\n]}")

			return []fileStep{{
				before:   f.fails(mockserver.Fault{Body: pretty, Header: http.Header{"Content-Type": {"application/json"}}}),
				settings: prototest.Attributes{"wire": prototest.Attributes{"export": prototest.Attributes{"invalid_utf8": "replace"}}},
				config:   file(path, prototest.Attributes{"kinds": []any{"events"}, "with_kind": false}), exports: 1,
				warnings: []string{"Invalid UTF-8 was replaced", "1 records"},
				state:    prototest.Attributes{"counts": counts(-1, -1, 2), "invalid_utf8_records": 1.0},
				files:    map[string]string{path: "{\"id\":\"\ufffd\"}\n{\"id\":\"b\"}\n"},
			}}
		},
	}
	for name, c := range map[string]struct {
		change  prototest.Attributes
		exports int
		want    string
	}{
		"another day":    {prototest.Attributes{"utc_date": yesterday}, 1, strings.ReplaceAll(lines, day, yesterday)},
		"the same kinds": {prototest.Attributes{"kinds": []any{"events", "persons", "sessions"}}, 0, lines},
		"the default":    {prototest.Attributes{"with_kind": true}, 0, lines},
		"another limit":  {prototest.Attributes{"max_bytes": 5000, "overwrite": true, "allow_incomplete_day": true}, 0, lines},
	} {
		tests[name] = func(_ *fileTest, path string) []fileStep {
			return []fileStep{
				{config: file(path, nil), exports: 1, files: map[string]string{path: lines}},
				{
					config: file(path, c.change), exports: c.exports,
					state: prototest.Attributes{"sha256": digest(c.want)}, files: map[string]string{path: c.want},
				},
			}
		}
	}

	// A failure leaves the old file, or nothing at a new path.
	for says, c := range map[string]struct {
		change prototest.Attributes
		fault  mockserver.Fault
	}{
		"larger than max_bytes": {prototest.Attributes{"max_bytes": 100}, mockserver.Fault{}},
		"Connection lost":       {nil, mockserver.Fault{Cut: mockserver.CutBody, CutAt: -2}},
	} {
		tests[says] = func(f *fileTest, path string) []fileStep {
			change := prototest.Attributes{"utc_date": yesterday}.With(c.change)

			return []fileStep{
				{
					before: f.fails(c.fault), config: file(path, change), exports: 1,
					errors: []string{says, "In state now: nothing"}, gone: []string{path},
				},
				{before: func() { prototest.WantAlone(f, path) }, config: file(path, nil), exports: 1},
				{
					before: f.fails(c.fault), config: file(path, change), exports: 1, files: map[string]string{path: lines},
					errors: []string{says, "In state now: this resource as it was before", "the old file is as it was", "What to do"},
				},
			}
		}
	}
	applyAll(t, tests)
}

// TestExportFile_largeDayInConstantMemory exports a day of 90 MB, and looks at the memory when all but the end of the
// answer was taken. make bench does so for days of gigabytes.
func TestExportFile_largeDayInConstantMemory(t *testing.T) {
	t.Parallel()
	var live atomic.Uint64 // in bytes
	p, service := start(t, func(s *mockserver.Server) {
		s.ExportRecords = 200_000
		s.Wrap = func(service http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				service.ServeHTTP(w, r)
				var now runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&now)
				live.Store(now.HeapAlloc)
			})
		}
	})
	created(t, p, file(target(t), prototest.Attributes{"utc_date": "2026-01-01"}))
	wantCount(t, service, 1)
	if n := live.Load(); n == 0 || n > 64<<20 {
		t.Errorf("%d bytes are in use", n)
	}
}

// TestExportFile_incompleteDay has a day that is not over, by this machine's clock or by that of the
// service.
func TestExportFile_incompleteDay(t *testing.T) {
	t.Parallel()

	applyAll(t, map[string]func(f *fileTest, path string) []fileStep{
		"by this machine": func(f *fileTest, path string) []fileStep {
			refused := file(path, prototest.Attributes{"utc_date": today})
			config := refused.With(prototest.Attributes{"allow_incomplete_day": true})

			return []fileStep{
				{config: refused, errors: []string{"not over", "allow_incomplete_day", "02:00 UTC"}, gone: []string{path}},
				{
					config: config, warnings: []string{"not over", "a part of the day"}, exports: 1,
					state: prototest.Attributes{"complete": false}, files: map[string]string{path: strings.ReplaceAll(lines, day, today)},
				},
				{config: config},
				{
					before: func() { f.service.PutExport(scope, today, mockserver.ExportDay{Events: []any{record(1)}}) },
					at:     evening.Add(time.Minute), config: config, exports: 1,
					state: prototest.Attributes{"complete": true}, files: map[string]string{path: "{\"kind\":\"event\",\"record\":{\"id\":1}}\n"},
				},
			}
		},
		"by the service": func(f *fileTest, path string) []fileStep {
			refused := file(path, prototest.Attributes{"utc_date": yesterday})
			evening := f.fails(mockserver.Fault{Header: http.Header{"Date": {"Mon, 09 Mar 2026 23:59:00 GMT"}}})
			says := []string{"Not ready yet", "2026-03-09 23:59"}

			return []fileStep{{before: evening, config: refused, errors: says, exports: 1, gone: []string{path}}}
		},
	})
}

// TestExportFile_midnightBetweenPlanAndApply plans before midnight and again after it,
// without a refresh in between, as an apply does.
func TestExportFile_midnightBetweenPlanAndApply(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := target(t)
	config := file(path, prototest.Attributes{"utc_date": today, "allow_incomplete_day": true})
	state := created(t, p, config)
	changed := config.With(prototest.Attributes{"max_bytes": 5000})
	before, _ := p.MustPlan(fileName, state, changed)
	after, _ := runAt(t, service, evening.Add(2*time.Minute), nil).MustPlan(fileName, state, changed)
	if diff := cmp.Diff(before.Attributes, after.Attributes); diff != "" {
		t.Errorf("the second plan differs (-first +second):\n%s", diff)
	}
}

// TestExportFile_unknownValues leaves them to the apply, and to the invocation of the action.
func TestExportFile_unknownValues(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	shared := []string{
		"utc_date", "path", "kinds", "compression", "with_kind", "max_bytes", "overwrite", "allow_incomplete_day", "create_directories",
	}
	for _, name := range append(shared, "triggers", "verify", "on_destroy") {
		config := file(target(t), prototest.Attributes{name: prototest.Unknown})
		p.NoErrors(p.Validate(fileName, config))
		p.MustPlan(fileName, nil, config)
	}

	path := target(t)
	state := created(t, p, file(path, nil))
	for _, name := range []string{"utc_date", "path", "kinds"} {
		plan, _ := p.MustPlan(fileName, state, file(path, prototest.Attributes{name: prototest.Unknown}))
		if plan.Attributes["sha256"] != prototest.Unknown || (plan.Attributes["files"] == prototest.Unknown) != (name == "path") {
			t.Errorf("where %s is not known, planned is %v", name, plan.Attributes)
		}
	}
	wantCount(t, service, 1)

	for _, name := range append(shared, "org_id") {
		p.NoErrors(p.PlanAction(actionName, file(target(t), prototest.Attributes{name: prototest.Unknown})))
	}
	outfile.Confirm(path)
	for _, name := range []string{"path", "kinds", "overwrite"} { // which may not lead to the file that is there
		p.NoErrors(p.PlanAction(actionName, file(path, prototest.Attributes{name: prototest.Unknown})))
	}

	// What becomes known is checked in the plan.
	unknown, known := file(path, prototest.Attributes{"kinds": []any{prototest.Unknown}, "with_kind": false}), prototest.Attributes{"kinds": []any{"events", "persons"}}
	p.NoErrors(p.Validate(fileName, unknown))
	_, diags := p.Plan(fileName, nil, unknown.With(known))
	prototest.WantText(t, diags.Errors(), "with_kind", "exactly one kind")
	prototest.WantText(t, p.PlanAction(actionName, unknown, known).Errors(), "with_kind", "exactly one kind")
}
