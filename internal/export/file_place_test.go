package export_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestExportFile_changedPathWritesTheNewFileFirst(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	old, path := target(t), target(t)
	state := created(t, nextRun(t, service), file(old, nil))

	p := nextRun(t, service)
	plan, diags := p.Plan(fileName, state, file(path, nil))
	p.NoErrors(diags)
	if len(plan.Replace) > 0 || plan.Attributes["sha256"] != acctest.Unknown {
		t.Errorf("planned is %v, replacing for %v", plan.Attributes, plan.Replace)
	}

	state, diags = p.Apply(t.Context(), fileName, state, plan)
	p.NoErrors(diags)
	if len(diags.Warnings()) > 0 {
		t.Error(diags.Warnings())
	}

	wantNothing(t, old)
	wantContent(t, path, lines)
	p.WantEmptyPlan(fileName, state, file(path, nil))
}

func TestExportFile_changedPathThatFailsKeepsTheOldFile(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	old, path := target(t), target(t)
	state := created(t, nextRun(t, service), file(old, nil))
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Status: 403, Body: []byte("{}"), Times: -1})

	p := nextRun(t, service)
	after, diags := p.Update(fileName, state, file(path, nil))
	acctest.WantText(t, diags.Errors(), "Not permitted", "In state now: this object as it was before")
	if diff := cmp.Diff(state.Attributes, after.Attributes); diff != "" {
		t.Errorf("state has changed (-before +after):\n%s", diff)
	}

	wantContent(t, old, lines)
	wantNothing(t, path)

	// The new path is somebody else's.
	taken := target(t)
	if err := os.WriteFile(taken, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}

	_, diags = p.Update(fileName, state, file(taken, nil))
	acctest.WantText(t, diags.Errors(), "There is a file already", "overwrite = true")
	wantContent(t, old, lines)
	wantContent(t, taken, "theirs")
	wantCount(t, service, 2)
}

func TestExportFile_changedPathLeavesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	for name, c := range map[string]struct {
		change acctest.Attributes
		alter  bool
		says   string
	}{
		"altered":  {nil, true, "it is not what this object wrote there"},
		"retained": {acctest.Attributes{"on_destroy": "retain"}, false, `on_destroy is "retain"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			old, path := target(t), target(t)
			state := created(t, nextRun(t, service), file(old, nil))
			want := lines
			if c.alter {
				want = "theirs"
				if err := os.WriteFile(old, []byte(want), 0o600); err != nil {
					t.Fatal(err)
				}
			}

			p := nextRun(t, service)
			_, diags := p.Update(fileName, state, file(path, c.change))
			p.NoErrors(diags)
			acctest.WantText(t, diags.Warnings(), "The old file stays", c.says, "path")
			wantContent(t, old, want)
			wantContent(t, path, lines)
		})
	}

	// Another spelling is the same file, and no old one is removed.
	path := target(t)
	state := created(t, nextRun(t, service), file(path, nil))
	spelled := filepath.Dir(path) + "/./" + filepath.Base(path)
	p := nextRun(t, service)
	state, diags := p.Update(fileName, state, file(spelled, nil))
	p.NoErrors(diags)
	wantContent(t, path, lines)
	p.WantEmptyPlan(fileName, state, file(spelled, nil))
}

func TestExportFile_triggersExportInPlace(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	path := target(t)
	state := created(t, nextRun(t, service), file(path, nil))
	service.PutExport(scope, day, mockserver.ExportDay{Events: []any{map[string]any{"id": "late"}}})
	config := file(path, acctest.Attributes{"triggers": acctest.Attributes{"late": "1"}})

	p := acctest.MustStart(t, acctest.Config(service).With(acctest.Attributes{"max_retries": 0}))
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutBody, CutAt: -2, Times: 1})
	_, diags := p.Update(fileName, state, config)
	acctest.WantText(t, diags.Errors(), "Connection lost", "the old file is as it was")
	wantContent(t, path, lines)

	p = nextRun(t, service)
	state, diags = p.Update(fileName, state, config)
	p.NoErrors(diags)
	wantContent(t, path, "{\"kind\":\"event\",\"record\":{\"id\":\"late\"}}\n")
	p.WantEmptyPlan(fileName, state, config)
}

// TestExportFile_verify alters a file and puts its size and time back, which only a
// digest notices.
func TestExportFile_verify(t *testing.T) {
	t.Parallel()

	for verify, noticed := range map[string]bool{"stat": false, "digest": true} {
		t.Run(verify, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			path := target(t)
			config := file(path, acctest.Attributes{"verify": verify})
			state := created(t, p, config)
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}

			rewrite(t, path, strings.ToUpper(lines), info.ModTime())
			state, diags := nextRun(t, service).MustRefresh(fileName, state)
			if got := len(diags.Warnings()) > 0; got != noticed {
				t.Errorf("noticed: %t", got)
			}
			if got := state.Attributes["sha256"] == nil; got != noticed {
				t.Errorf("noticed in state: %t", got)
			}

			// Another time has the file hashed, and what is the same stays the same.
			rewrite(t, path, lines, info.ModTime().Add(time.Hour))
			if noticed {
				return // exported again already
			}

			state, _ = nextRun(t, service).MustRefresh(fileName, state)
			p.WantEmptyPlan(fileName, state, config)
			rewrite(t, path, strings.ToUpper(lines), info.ModTime())
			if state, _ = nextRun(t, service).MustRefresh(fileName, state); state.Attributes["sha256"] != nil {
				t.Error("the stamp of the last refresh is not the one that counts")
			}
		})
	}
}

// rewrite changes a file in place, so that its inode stays.
func rewrite(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestExportFile_retainedWhenDestroyed(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := target(t)
	state := created(t, p, file(path, acctest.Attributes{"on_destroy": "retain"}))
	gone, diags := nextRun(t, service).Destroy(fileName, state)
	p.NoErrors(diags)
	if gone != nil {
		t.Error("it is still in state")
	}

	wantContent(t, path, lines)
}

func TestExportFile_createDirectories(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	root := t.TempDir()
	path := filepath.Join(root, "events", "dt="+day, "part-0.ndjson")
	_, diags := p.Create(fileName, file(path, nil))
	acctest.WantText(t, diags.Errors(), "The folder does not exist", "create_directories = true")
	wantCount(t, service, 0)

	config := file(path, acctest.Attributes{"create_directories": true})
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Status: 403, Body: []byte("{}")})
	_, diags = p.Create(fileName, config)
	acctest.WantText(t, diags.Errors(), "Not permitted")
	if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
		t.Errorf("left behind are %v, %v", entries, err)
	}

	created(t, p, config)
	wantContent(t, path, lines)
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v, %v", info.Mode(), err)
	}
}

// TestExportFile_twoConfigurationsOnePath has a second configuration of the provider
// try the path while the first is reading the day.
func TestExportFile_twoConfigurationsOnePath(t *testing.T) {
	t.Parallel()

	path := target(t)
	config := file(path, acctest.Attributes{"overwrite": true})
	var other *acctest.Provider
	tried := make(chan acctest.Diagnostics, 1)
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
	acctest.WantText(t, (<-tried).Errors(), "Two writers with one file", "another process", "Nothing was asked", "path")
	wantContent(t, path, lines)
	wantCount(t, service, 1)
}

// splitPath is the path of one file for each kind, with a folder for each.
func splitPath(t *testing.T) (path string, of func(kind string) string) {
	t.Helper()
	root := t.TempDir()
	at := func(kind string) string { return filepath.Join(root, kind, "dt="+day, "part-0.ndjson") }
	return at("{kind}"), at
}

func splitFile(path string, others acctest.Attributes) acctest.Attributes {
	return file(path, acctest.Attributes{"create_directories": true}.With(others))
}

func TestExportFile_oneFileForEachKind(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path, of := splitPath(t)
	config := splitFile(path, nil)
	plan, diags := p.Plan(fileName, nil, config)
	p.NoErrors(diags)
	if plan.Attributes["with_kind"] != false || plan.Attributes["sha256_by_kind"] != acctest.Unknown {
		t.Errorf("planned is %v", plan.Attributes)
	}

	state := created(t, p, config)
	texts := map[string]string{
		"persons":  `{"id":"p-2026-03-01","name":"Jane Canary"}` + "\n",
		"sessions": `{"id":"s-2026-03-01"}` + "\n",
		"events":   `{"id":"e1-2026-03-01"}` + "\n" + `{"id":"e2-2026-03-01"}` + "\n",
	}

	paths, digests, sizes := acctest.Attributes{}, acctest.Attributes{}, acctest.Attributes{}
	list, total := "", 0
	for _, kind := range []string{"persons", "sessions", "events"} {
		wantContent(t, of(kind), texts[kind])
		paths[kind], digests[kind], sizes[kind] = of(kind), digest(texts[kind]), float64(len(texts[kind]))
		list += digest(texts[kind]) + "  " + kind + "\n"
		total += len(texts[kind])
	}

	want := acctest.Attributes{
		"paths": paths, "sha256_by_kind": digests, "bytes_by_kind": sizes,
		"sha256": digest(list), "bytes": float64(total),
		"counts": acctest.Attributes{"persons": 1.0, "sessions": 1.0, "events": 2.0, "unknown": 0.0},
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

func TestExportFile_emptyAndUnknownKinds(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	path, of := splitPath(t)
	service.PutExport(scope, day, mockserver.ExportDay{Events: []any{1}, Others: []any{map[string]any{"x": 2}}})
	config := splitFile(path, acctest.Attributes{"kinds": []any{"events", "persons"}})
	p := nextRun(t, service)
	state, diags := p.Create(fileName, config)
	p.NoErrors(diags)
	acctest.WantText(t, diags.Warnings(), "Records of unknown kind")
	wantContent(t, of("events"), "1\n")
	wantContent(t, of("persons"), "")
	wantContent(t, of("unknown"), "{\"x\":2}\n")
	wantNothingOf(t, of("sessions"))

	// The next export has no records of unknown kind, and other kinds are wanted.
	service.PutExport(scope, day, mockserver.ExportDay{Sessions: []any{3}})
	config = config.With(acctest.Attributes{"kinds": []any{"sessions", "persons"}})

	p = nextRun(t, service)
	state, diags = p.Update(fileName, state, config)
	p.NoErrors(diags)
	if len(diags.Warnings()) > 0 {
		t.Error(diags.Warnings())
	}

	wantContent(t, of("sessions"), "3\n")
	wantContent(t, of("persons"), "")
	wantNothing(t, of("events"))
	wantNothing(t, of("unknown"))
	p.WantEmptyPlan(fileName, state, config)
}

func TestExportFile_oneOfSeveralFilesIsLost(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		harm func(path string) error
		says string
	}{
		"missing": {os.Remove, "A file is missing"},
		"altered": {func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) }, "The file is another one"},
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
			acctest.WantText(t, diags.Warnings(), c.says)
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
		change  acctest.Attributes
		prepare func(t *testing.T, service *mocktest.Instance, of func(string) string)
		says    string
	}{
		"too large": {acctest.Attributes{"max_bytes": 100}, nil, "larger than max_bytes"},
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

			p := acctest.MustStart(t, acctest.Config(service).With(acctest.Attributes{"max_retries": 0}))
			state, diags := p.Create(fileName, splitFile(path, c.change))
			acctest.WantText(t, diags.Errors(), c.says, "In state now: nothing")
			if state != nil {
				t.Error("something is in state")
			}

			wantNothingOf(t, of("persons"))
			wantNothingOf(t, filepath.Dir(of("sessions")))
		})
	}
}

// TestExportFile_secondTry breaks an answer off after records of unknown kind, which the
// second one does not have.
func TestExportFile_secondTry(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	service.PutExport(scope, day, mockserver.ExportDay{Events: []any{1}, Others: []any{map[string]any{"x": 2}}})
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutBody, CutAt: -1, Then: func() {
		service.PutExport(scope, day, mockserver.ExportDay{Events: []any{7, 8}})
	}})
	path, of := splitPath(t)
	state := created(t, nextRun(t, service), splitFile(path, nil))
	wantContent(t, of("events"), "7\n8\n")
	wantNothingOf(t, filepath.Dir(of("unknown")))
	if diff := cmp.Diff(acctest.Attributes{"persons": 0.0, "sessions": 0.0, "events": 2.0, "unknown": 0.0}, state.Attributes["counts"]); diff != "" {
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

// TestExportFile_scopeOfTheProviderMoves: the day in the file is that of the scope it
// was exported from, whatever the provider block says later.
func TestExportFile_scopeOfTheProviderMoves(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	config := file(target(t), nil)
	state := created(t, p, config)
	if state.Attributes["project_id"] != acctest.Project {
		t.Errorf("state has %v", state.Attributes["project_id"])
	}

	p = acctest.MustStart(t, acctest.Config(service).With(acctest.Attributes{"project_id": "other"}))
	plan, diags := p.Plan(fileName, state, config)
	p.NoErrors(diags)
	acctest.WantText(t, diags.Warnings(), "The scope of the provider has changed")
	if len(plan.Replace) == 0 {
		t.Error("nothing is replaced")
	}
}

// TestExportFile_invalidUTF8 counts and warns of what was replaced on its way into the
// file.
func TestExportFile_invalidUTF8(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	service.Inject(mockserver.Fault{
		Operation: mockserver.OpExportRecords,
		Body:      []byte("{\"events\":[{\"a\":\"\xff\"},{\"a\":\"b\"}]}"),
		Header:    http.Header{"Content-Type": {"application/json"}},
	})
	wire := acctest.Attributes{"export_invalid_utf8": "replace"}
	p := acctest.MustStart(t, acctest.Config(service).With(acctest.Attributes{"wire": wire}))
	path := target(t)
	state, diags := p.MustCreate(fileName, file(path, acctest.Attributes{"kinds": []any{"events"}, "with_kind": false}))
	acctest.WantText(t, diags.Warnings(), "Invalid UTF-8 was replaced", "1 records")
	if got := state.Attributes["invalid_utf8_records"]; got != 1.0 {
		t.Errorf("%v records are counted", got)
	}

	wantContent(t, path, "{\"a\":\"\ufffd\"}\n{\"a\":\"b\"}\n")
}
