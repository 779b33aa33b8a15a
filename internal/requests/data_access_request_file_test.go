// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// wantData fails the test if a file does not hold the person's data, may be read by others, or
// has others beside it. It returns the content.
func wantData(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	var data struct{ Identity string }
	if err := json.Unmarshal(content, &data); err != nil || data.Identity != person || !strings.Contains(string(content), "Jane Canary") {
		t.Errorf("the file holds %q (%v)", content, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	prototest.WantAlone(t, path)

	return content
}

// wantFile fails the test if state does not describe the file, or holds what is in it.
func wantFile(t *testing.T, state *prototest.State, path string) {
	t.Helper()
	content := wantData(t, path)
	sum := sha256.Sum256(content)
	wantAttributes(t, state, prototest.Attributes{
		"fulfilled": true, "sha256": hex.EncodeToString(sum[:]), "bytes": float64(len(content)),
	})

	for name, value := range state.Attributes {
		if text, _ := value.(string); strings.Contains(text, "Canary") {
			t.Errorf("the data are in state, in %s", name)
		}
	}
	if strings.Contains(string(state.Private), "Canary") {
		t.Error("the data are in private state")
	}
}

func TestDataAccess_lostOrAlteredFileIsRequestedAnew(t *testing.T) {
	t.Parallel()

	for name, harm := range map[string]func(path string) error{
		"lost":     os.Remove,
		"altered":  func(path string) error { return os.WriteFile(path, []byte("{}"), 0o600) },
		"replaced": func(path string) error { return os.Symlink(path+".old", replaced(path)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			path := output(t)
			state, _ := p.MustCreate(accessName, accessTo(path, nil))
			if err := harm(path); err != nil {
				t.Fatal(err)
			}

			p = nextRun(t, service)
			gone, diags := p.Refresh(accessName, state)
			p.NoErrors(diags)
			if gone != nil {
				t.Error("the object is still in state")
			}

			prototest.WantText(t, diags.Warnings(), "requested again", "output_path")
			wantNoPerson(t, diags)
		})
	}
}

// replaced moves a file away and returns its path.
func replaced(path string) string {
	if err := os.Rename(path, path+".old"); err != nil {
		return ""
	}

	return path
}

func TestDataAccess_unwritablePathIsRefusedBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()

	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "theirs"), []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("theirs", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}

	p, service := start(t)
	for _, path := range []string{folder, filepath.Join(folder, "missing", "data.json"), filepath.Join(folder, "link"), folder + "/"} {
		state, diags := p.Create(accessName, accessTo(path, nil))
		prototest.WantText(t, diags.Errors(), "cannot be written", "Nothing was sent", "output_path")
		if state != nil {
			t.Error("something is in state")
		}
	}

	if n := len(service.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
	if content, err := os.ReadFile(filepath.Join(folder, "theirs")); err != nil || string(content) != "theirs" {
		t.Errorf("the link was followed: %q, %v", content, err)
	}
}

func TestDataAccess_dataThatCannotBeWrittenAreFetchedAgain(t *testing.T) {
	t.Parallel()

	path := output(t)
	var blocked atomic.Bool
	service := mocktest.Start(t, func(s *mockserver.Server) {
		s.OnRequest = func(r mockserver.Request) {
			if r.Operation == mockserver.OpGetAllData && !blocked.Swap(true) {
				_ = os.Mkdir(path, 0o700)
			}
		}
	}, finishedAccessIsListed)
	service.PutProfile(scope, person, `{"name":"Jane Canary"}`)
	p := nextRun(t, service)
	state, diags := p.MustCreate(accessName, accessTo(path, nil))
	prototest.WantText(t, diags.Warnings(), "could not be written", "no regular file")
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "request_id": "request-1"})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}

	p = nextRun(t, service)
	state, _ = p.MustRefresh(accessName, state)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "request_id": "request-1"})
	state, diags = p.Update(accessName, state, accessTo(path, nil))
	p.NoErrors(diags)
	wantFile(t, state, path)
	wantAttributes(t, state, prototest.Attributes{"request_id": "request-1"})
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

// wantTheirs fails the test if a file of somebody else was changed.
func wantTheirs(t *testing.T, path string) {
	t.Helper()
	if content, err := os.ReadFile(path); err != nil || string(content) != "theirs" {
		t.Errorf("the file holds %q, %v", content, err)
	}

	prototest.WantAlone(t, path)
}

func TestDataAccess_fileOfSomebodyElse(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := output(t)
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}

	state, diags := p.Create(accessName, accessTo(path, nil))
	prototest.WantText(t, diags.Errors(), "There is a file already", "Nothing was sent", "overwrite = true", "output_path")
	if state != nil {
		t.Error("something is in state")
	}

	wantTheirs(t, path)
	wantQueued(t, service, mockserver.OpGetAllData, 0)

	state, _ = p.MustCreate(accessName, accessTo(path, prototest.Attributes{"overwrite": true}))
	wantFile(t, state, path)
}

// TestDataAccess_alteredFileIsNotReplaced keeps a file that was altered: it may hold the
// data of another person, written by another object.
func TestDataAccess_alteredFileIsNotReplaced(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := output(t)
	state, _ := p.MustCreate(accessName, accessTo(path, nil))
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}

	p = nextRun(t, service)
	gone, diags := p.Refresh(accessName, state)
	p.NoErrors(diags)
	if gone != nil {
		t.Error("it is still in state")
	}

	prototest.WantText(t, diags.Warnings(), "only if it is a regular file", "overwrite", "output_path")
	_, diags = p.Create(accessName, accessTo(path, nil))
	prototest.WantText(t, diags.Errors(), "There is a file already")
	wantTheirs(t, path)
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

func TestDataAccess_twoObjectsOnePath(t *testing.T) {
	t.Parallel()

	for name, more := range map[string]prototest.Attributes{
		"written": {"overwrite": true},
		"pending": {"overwrite": true, "wait_for_fulfilment": false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			path := output(t)
			p.MustCreate(accessName, accessTo(path, more))
			state, diags := p.Create(accessName, accessTo(path, more).With(prototest.Attributes{"identity_id": "ada@example.com"}))
			prototest.WantText(t, diags.Errors(), "Two resources write the same file", "Nothing was sent", "output_path")
			if state != nil {
				t.Error("something is in state")
			}

			wantQueued(t, service, mockserver.OpGetAllData, 1)
		})
	}
}

func TestDataAccess_twoConfigurationsOnePath(t *testing.T) {
	t.Parallel()

	path := output(t)
	var other *prototest.Provider
	tried := make(chan prototest.Diagnostics, 2)
	p, service := start(t, func(s *mockserver.Server) {
		s.OnRequest = func(r mockserver.Request) {
			if r.Operation == mockserver.OpGetAllData {
				_, diags := other.Create(accessName, accessTo(path, prototest.Attributes{"identity_id": "ada@example.com"}))
				tried <- diags
			}
		}
	})
	other = nextRun(t, service)
	state, _ := p.MustCreate(accessName, accessTo(path, nil))
	prototest.WantText(t, (<-tried).Errors(), "Two resources write the same file", "another process", "Nothing was sent")
	wantFile(t, state, path)
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

// TestDataAccess_replacedInPlace replaces an object in one run: the new object may write the
// file that the old one leaves.
func TestDataAccess_replacedInPlace(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := output(t)
	state, _ := p.MustCreate(accessName, accessTo(path, nil))

	p = nextRun(t, service)
	withWire(p, service, profileInData)
	if _, diags := p.Destroy(accessName, state); len(diags.Errors()) > 0 {
		t.Fatal(diags.Errors())
	}

	state, _ = p.MustCreate(accessName, accessTo(path, nil))
	wantFile(t, state, path)

	_, diags := nextRun(t, service).Create(accessName, accessTo(path, nil))
	prototest.WantText(t, diags.Errors(), "There is a file already")
}

// A file of somebody else is replaced with overwrite only, and two objects cannot use one
// path.
func TestDataAccess_otherFilesStay(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	path := output(t)
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}

	state, diags := p.Create(accessName, accessTo(path, nil))
	prototest.WantText(t, diags.Errors(), "There is a file already", "overwrite = true", "Nothing was sent")
	if content, err := os.ReadFile(path); state != nil || err != nil || string(content) != "theirs" {
		t.Errorf("state %v, file %q (%v)", state, content, err)
	}

	wantQueued(t, service, mockserver.OpGetAllData, 0)

	finishedAccessIsListed(service.Server)
	overwriting := prototest.Attributes{"overwrite": true}
	state, _ = p.MustCreate(accessName, accessTo(path, overwriting))
	wantFile(t, state, path)
	_, diags = p.Create(accessName, accessTo(path, overwriting).With(prototest.Attributes{"identity_id": "user-1001"}))
	prototest.WantText(t, diags.Errors(), "Two resources write the same file")
	wantFile(t, state, path)
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

// Data that are requested again replace the file that the object itself has written.
func TestDataAccess_ownFileIsReplaced(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	path := output(t)
	state, _ := p.MustCreate(accessName, accessTo(path, nil))

	never(service.Server)
	service.DataRetention = time.Nanosecond
	again := accessTo(path, atOnce).With(prototest.Attributes{"triggers": prototest.Attributes{"on": "friday"}})

	p = nextRun(t, service)
	state, diags := p.Update(accessName, state, again)
	p.NoErrors(diags)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false})

	service.DataRetention = time.Hour
	service.FulfilAll()

	p = nextRun(t, service)
	state, _ = p.MustRefresh(accessName, state)
	state, diags = p.Update(accessName, state, again)
	p.NoErrors(diags)
	wantFile(t, state, path)
	p.WantEmptyPlan(accessName, state, again)
}
