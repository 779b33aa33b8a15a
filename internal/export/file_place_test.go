// SPDX-License-Identifier: MPL-2.0

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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestExportFile_changedPathWritesTheNewFileFirst(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	old, path := target(t), target(t)
	state := created(t, nextRun(t, service), file(old, nil))

	p := nextRun(t, service)
	plan, diags := p.Plan(fileName, state, file(path, nil))
	p.NoErrors(diags)
	if len(plan.Replace) > 0 || plan.Attributes["sha256"] != prototest.Unknown {
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
	prototest.WantText(t, diags.Errors(), "Not permitted", "In state now: this object as it was before")
	if diff := cmp.Diff(state.Attributes, after.Attributes); diff != "" {
		t.Errorf("state has changed (-before +after):\n%s", diff)
	}

	wantContent(t, old, lines)
	wantNothing(t, path)

	// The file at the new path is somebody else's.
	taken := target(t)
	if err := os.WriteFile(taken, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}

	_, diags = p.Update(fileName, state, file(taken, nil))
	prototest.WantText(t, diags.Errors(), "There is a file already", "overwrite = true")
	wantContent(t, old, lines)
	wantContent(t, taken, "theirs")
	wantCount(t, service, 2)
}

func TestExportFile_changedPathLeavesWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	for name, c := range map[string]struct {
		change prototest.Attributes
		alter  bool
		says   string
	}{
		"altered":  {nil, true, "it is not what this object wrote there"},
		"retained": {prototest.Attributes{"on_destroy": "retain"}, false, `on_destroy is "retain"`},
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
			prototest.WantText(t, diags.Warnings(), "The old file stays", c.says, "path")
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
	config := file(path, prototest.Attributes{"triggers": prototest.Attributes{"late": "1"}})

	p := prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"max_retries": 0}))
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutBody, CutAt: -2, Times: 1})
	_, diags := p.Update(fileName, state, config)
	prototest.WantText(t, diags.Errors(), "Connection lost", "the old file is as it was")
	wantContent(t, path, lines)

	p = nextRun(t, service)
	state, diags = p.Update(fileName, state, config)
	p.NoErrors(diags)
	wantContent(t, path, "{\"kind\":\"event\",\"record\":{\"id\":\"late\"}}\n")
	p.WantEmptyPlan(fileName, state, config)
}

// TestExportFile_verify alters a file and restores its size and time, which only a digest
// detects.
func TestExportFile_verify(t *testing.T) {
	t.Parallel()

	for verify, noticed := range map[string]bool{"stat": false, "digest": true} {
		t.Run(verify, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			path := target(t)
			config := file(path, prototest.Attributes{"verify": verify})
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

			// A file with another time is hashed, and is unchanged.
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

// TestExportFile_verifyByDigestFromNowOn alters a file in a way that stat does not notice, and
// then asks for its digest.
func TestExportFile_verifyByDigestFromNowOn(t *testing.T) {
	t.Parallel()

	for name, alter := range map[string]bool{"altered": true, "as it was": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			path := target(t)
			state := created(t, p, file(path, nil))
			if alter {
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				rewrite(t, path, strings.ToUpper(lines), info.ModTime())
			}

			byDigest := file(path, prototest.Attributes{"verify": "digest"})
			p = nextRun(t, service)
			state, diags := p.MustRefresh(fileName, state)
			p.NoErrors(diags)
			state, diags = p.Update(fileName, state, byDigest)
			p.NoErrors(diags)
			wantContent(t, path, lines)
			if exports := service.Count(mockserver.OpExportRecords); (exports == 2) != alter {
				t.Errorf("%d exports", exports)
			}
			p.WantEmptyPlan(fileName, state, byDigest)
		})
	}
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

func TestExportFile_retainedWhenDestroyed(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := target(t)
	state := created(t, p, file(path, prototest.Attributes{"on_destroy": "retain"}))
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
	prototest.WantText(t, diags.Errors(), "The folder does not exist", "create_directories = true")
	wantCount(t, service, 0)

	config := file(path, prototest.Attributes{"create_directories": true})
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Status: 403, Body: []byte("{}")})
	_, diags = p.Create(fileName, config)
	prototest.WantText(t, diags.Errors(), "Not permitted")
	if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
		t.Errorf("left behind are %v, %v", entries, err)
	}

	created(t, p, config)
	wantContent(t, path, lines)
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v, %v", info.Mode(), err)
	}
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
	prototest.WantText(t, (<-tried).Errors(), "Two writers with one file", "another process", "No request was sent", "path")
	wantContent(t, path, lines)
	wantCount(t, service, 1)
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

// TestExportFile_invalidUTF8 expects replaced bytes to be counted, with a warning.
// TestExportFile_adviceOfARefusedAnswer does what the errors say, until the day is exported.
func TestExportFile_adviceOfARefusedAnswer(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	service.Inject(mockserver.Fault{
		Operation: mockserver.OpExportRecords, Times: -1,
		Body:   []byte(`{"hasMore":false,"tenant":"web","data":[{"uid":1},{"uid":2}]}`),
		Header: http.Header{"Content-Type": {"application/json"}},
	})
	path := target(t)

	for _, step := range []struct {
		wire prototest.Attributes
		says string
	}{
		{nil, `wire.export_ignored_members = "hasMore=false,tenant"`},
		{prototest.Attributes{"export_ignored_members": "hasMore=false,tenant"}, "wire.export_record_member"},
		{prototest.Attributes{"export_ignored_members": "hasMore=false,tenant", "export_record_member": "uid"}, ""},
	} {
		settings := prototest.Config(service)
		if step.wire != nil {
			settings = settings.With(prototest.Attributes{"wire": step.wire})
		}
		p := prototest.MustStart(t, settings)

		state, diags := p.Create(fileName, file(path, nil))
		if step.says != "" {
			prototest.WantText(t, diags.Errors(), "Unexpected response", step.says)
			wantNothing(t, path)
			continue
		}

		p.NoErrors(diags)
		wantContent(t, path, "{\"kind\":\"unknown\",\"record\":{\"uid\":1}}\n{\"kind\":\"unknown\",\"record\":{\"uid\":2}}\n")
		p.NewRun()
		p.WantEmptyPlan(fileName, state, file(path, nil))
	}
}

func TestExportFile_invalidUTF8(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	service.Inject(mockserver.Fault{
		Operation: mockserver.OpExportRecords,
		Body:      []byte("{\"events\":[{\"id\":\"\xff\"},{\"id\":\"b\"}]}"),
		Header:    http.Header{"Content-Type": {"application/json"}},
	})
	wire := prototest.Attributes{"export_invalid_utf8": "replace"}
	p := prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"wire": wire}))
	path := target(t)
	state, diags := p.MustCreate(fileName, file(path, prototest.Attributes{"kinds": []any{"events"}, "with_kind": false}))
	prototest.WantText(t, diags.Warnings(), "Invalid UTF-8 was replaced", "1 records")
	if got := state.Attributes["invalid_utf8_records"]; got != 1.0 {
		t.Errorf("%v records are counted", got)
	}

	wantContent(t, path, "{\"id\":\"\ufffd\"}\n{\"id\":\"b\"}\n")
}
