package requests_test

import (
	"os"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// wantTheirs fails the test where a file of somebody else was touched.
func wantTheirs(t *testing.T, path string) {
	t.Helper()
	if content, err := os.ReadFile(path); err != nil || string(content) != "theirs" {
		t.Errorf("the file holds %q, %v", content, err)
	}
	acctest.WantAlone(t, path)
}

func TestDataAccess_fileOfSomebodyElse(t *testing.T) {
	t.Parallel()
	p, service := start(t)
	path := output(t)
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	state, diags := p.Create(accessName, accessTo(path, nil))
	acctest.WantText(t, diags.Errors(), "There is a file already", "Nothing was sent", "overwrite = true", "output_path")
	if state != nil {
		t.Error("something is in state")
	}
	wantTheirs(t, path)
	wantQueued(t, service, mockserver.OpGetAllData, 0)

	state, _ = p.MustCreate(accessName, accessTo(path, acctest.Attributes{"overwrite": true}))
	wantFile(t, state, path)
}

// TestDataAccess_alteredFileIsNotReplaced: what has replaced the data may be those of
// another person, written by another object.
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
	acctest.WantText(t, diags.Warnings(), "refuses to replace", "overwrite", "output_path")
	_, diags = p.Create(accessName, accessTo(path, nil))
	acctest.WantText(t, diags.Errors(), "There is a file already")
	wantTheirs(t, path)
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

func TestDataAccess_twoObjectsOnePath(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]acctest.Attributes{
		"written": {"overwrite": true},
		"pending": {"overwrite": true, "wait_for_fulfilment": false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, service := start(t)
			path := output(t)
			p.MustCreate(accessName, accessTo(path, more))
			state, diags := p.Create(accessName, accessTo(path, more).With(acctest.Attributes{"identity_id": "ada@example.com"}))
			acctest.WantText(t, diags.Errors(), "Two objects with one file", "Nothing was sent", "output_path")
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
	var other *acctest.Provider
	tried := make(chan acctest.Diagnostics, 2)
	p, service := start(t, func(s *mockserver.Server) {
		s.OnRequest = func(r mockserver.Request) {
			if r.Operation == mockserver.OpGetAllData {
				_, diags := other.Create(accessName, accessTo(path, acctest.Attributes{"identity_id": "ada@example.com"}))
				tried <- diags
			}
		}
	})
	other = nextRun(t, service)
	state, _ := p.MustCreate(accessName, accessTo(path, nil))
	acctest.WantText(t, (<-tried).Errors(), "Two objects with one file", "another process", "Nothing was sent")
	wantFile(t, state, path)
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

// TestDataAccess_replacedInPlace: the object that is replaced leaves its file, and the
// one that replaces it in the same run may write it.
func TestDataAccess_replacedInPlace(t *testing.T) {
	t.Parallel()
	p, service := start(t)
	path := output(t)
	state, _ := p.MustCreate(accessName, accessTo(path, nil))

	p = nextRun(t, service)
	if _, diags := p.Destroy(accessName, state); len(diags.Errors()) > 0 {
		t.Fatal(diags.Errors())
	}
	state, _ = p.MustCreate(accessName, accessTo(path, nil))
	wantFile(t, state, path)

	_, diags := nextRun(t, service).Create(accessName, accessTo(path, nil))
	acctest.WantText(t, diags.Errors(), "There is a file already")
}
