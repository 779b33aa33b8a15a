// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	dataName = "analytics_export"
	fileName = "analytics_export_file"
	person   = "Jane Canary"

	// day is over in every test, and tomorrow has not begun.
	day       = "2026-03-01"
	yesterday = "2026-03-09"
	today     = "2026-03-10"
	tomorrow  = "2026-03-11"
)

var (
	scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

	// evening is late on today in UTC.
	evening = time.Date(2026, 3, 10, 23, 59, 0, 0, time.UTC)
)

// start returns a provider and its mock server.
func start(t *testing.T, configure ...func(*mockserver.Server)) (*prototest.Provider, *mocktest.Instance) {
	t.Helper()
	service := startService(t, configure...)

	return nextRun(t, service), service
}

// startService starts a mock server that holds records of each kind for each day of the
// tests.
func startService(t *testing.T, configure ...func(*mockserver.Server)) *mocktest.Instance {
	t.Helper()
	service := mocktest.Start(t, configure...)
	for _, date := range []string{day, yesterday, today} {
		service.PutExport(scope, date, mockserver.ExportDay{
			Persons:  []any{map[string]any{"id": "p-" + date, "name": person}},
			Sessions: []any{map[string]any{"id": "s-" + date}},
			Events:   []any{map[string]any{"id": "e1-" + date}, map[string]any{"id": "e2-" + date}},
		})
	}

	return service
}

// nextRun returns a provider for another run of Terraform, in the evening.
func nextRun(t *testing.T, service *mocktest.Instance) *prototest.Provider {
	t.Helper()
	return runAt(t, service, evening, nil)
}

func runAt(t *testing.T, service *mocktest.Instance, now time.Time, settings prototest.Attributes) *prototest.Provider {
	t.Helper()
	config := prototest.Config(service).With(settings)
	return prototest.MustStart(t, config, func(cfg *client.Config) { cfg.Now = func() time.Time { return now } })
}

// record returns a record without anything that shows its kind.
func record(n int) any { return map[string]any{"id": n} }

// target returns the path of a file in a new folder.
func target(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "day.ndjson")
}

// file returns the configuration of a file. others override it.
func file(path string, others prototest.Attributes) prototest.Attributes {
	return prototest.Attributes{"utc_date": day, "path": path}.With(others)
}

// created exports a file and fails the test on an error.
func created(t *testing.T, p *prototest.Provider, config prototest.Attributes) *prototest.State {
	t.Helper()
	state, _ := p.MustUpdate(fileName, nil, config)
	return state
}

// wantContent fails the test if a file has other content, or is not alone in its folder.
func wantContent(t *testing.T, path, want string) {
	t.Helper()
	if got := content(t, path); got != want {
		t.Errorf("the file holds %q; want %q", got, want)
	}
	prototest.WantAlone(t, path)
}

func wantCount(t *testing.T, service *mocktest.Instance, want int) {
	t.Helper()
	if got := service.Count(mockserver.OpExportRecords); got != want {
		t.Errorf("%d exports were asked for, want %d", got, want)
	}
}

// splitPath returns a path with a folder for each kind, and a function that returns the
// path for one kind.
func splitPath(t *testing.T) (path string, of func(kind string) string) {
	t.Helper()
	root := t.TempDir()
	at := func(kind string) string { return filepath.Join(root, kind, "dt="+day, "part-0.ndjson") }
	return at("{kind}"), at
}

func splitFile(path string, others prototest.Attributes) prototest.Attributes {
	return file(path, prototest.Attributes{"create_directories": true}.With(others))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func wantNothingOf(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("%s is there, %v", filepath.Base(path), err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

// fileTest is an analytics_export_file, as the applies of a test have left it.
type fileTest struct {
	*testing.T

	service *mocktest.Instance
	state   *prototest.State
}

// fileStep is a refresh and an apply in a run of their own, and what is expected of them.
type fileStep struct {
	before   func()               // what happens before; nil for nothing
	at       time.Time            // of the run; zero for the evening
	settings prototest.Attributes // of the provider
	config   prototest.Attributes // nil for the end of the object

	errors, warnings []string             // words of one; nil for none at all
	exports          int                  // that were asked for
	state            prototest.Attributes // attributes that it has
	files            map[string]string    // contents by path; each is alone in its folder
	gone             []string             // paths without a file
}

// applyAll applies the steps of tests, each with a service and a path of its own.
func applyAll(t *testing.T, tests map[string]func(f *fileTest, path string) []fileStep) {
	t.Helper()
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fileTest{T: t, service: startService(t)}
			f.apply(steps(f, target(t))...)
		})
	}
}

// fails returns what lets the next export fail.
func (f *fileTest) fails(fault mockserver.Fault) func() {
	fault.Operation = mockserver.OpExportRecords
	return func() { f.service.Inject(fault) }
}

// holds returns what gives the day other records.
func (f *fileTest) holds(records mockserver.ExportDay) func() {
	return func() { f.service.PutExport(scope, day, records) }
}

// apply applies the steps one after the other. It fails the test where an error has changed the
// state, or the plan after a step without one is not empty.
func (f *fileTest) apply(steps ...fileStep) {
	f.Helper()
	for i, s := range steps {
		f.service.Reset()
		if s.before != nil {
			s.before()
		}
		if s.at.IsZero() {
			s.at = evening
		}
		p := runAt(f.T, f.service, s.at, prototest.Attributes{"max_retries": 0}.With(s.settings))

		var refreshed prototest.Diagnostics
		if f.state != nil {
			f.state, refreshed = p.Refresh(fileName, f.state)
		}
		after, diags := p.Update(fileName, f.state, s.config)
		diags = append(refreshed, diags...)
		wantSaid(f.T, "errors", diags.Errors(), s.errors)
		wantSaid(f.T, "warnings", diags.Warnings(), s.warnings)

		if s.config != nil && s.errors == nil {
			p.WantEmptyPlan(fileName, after, s.config)
			prototest.WantNoCanary(f.T, "private state", string(after.Private), person)
		} else if s.errors != nil && (after == nil) != (f.state == nil) || after != nil && !cmp.Equal(f.state.Attributes, after.Attributes) {
			f.Errorf("an error has changed the state to %v", after)
		}
		f.state = after

		wantCount(f.T, f.service, s.exports)
		for name, want := range s.state {
			if diff := cmp.Diff(want, after.Attributes[name]); diff != "" {
				f.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		for path, want := range s.files {
			wantContent(f.T, path, want)
		}
		for _, path := range s.gone {
			wantNothingOf(f.T, path)
		}
		if f.Failed() {
			f.Fatalf("in step %d", i)
		}
	}
}

// wantSaid fails the test unless one of the messages has the words, or if there are messages
// although there are no words.
func wantSaid(t *testing.T, what string, texts, words []string) {
	t.Helper()
	prototest.WantText(t, texts, words...)
	prototest.WantNoCanary(t, what, strings.Join(texts, "\n"), person)
}

// write writes a file of somebody else.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}
