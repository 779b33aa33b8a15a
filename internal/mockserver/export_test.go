// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

const day = "2026-03-01"

// exporting starts a server with a small day.
func exporting(t *testing.T, answer mockserver.ExportAnswer) *service {
	t.Helper()
	s := start(t, func(s *mockserver.Server) { s.Export = answer })
	s.PutExport(projectScope, day, mockserver.ExportDay{
		Persons: []any{map[string]any{"id": "p"}}, Sessions: []any{map[string]any{"id": "s"}},
		Events: []any{map[string]any{"id": "e1"}, map[string]any{}}, Others: []any{map[string]any{"id": "x"}},
	})
	return s
}

func TestExport_shapes(t *testing.T) {
	t.Parallel()

	for want, answer := range map[string]mockserver.ExportAnswer{
		`{"persons":[{"id":"p"}],"sessions":[{"id":"s"}],"events":[{"id":"e1"},{}],"others":[{"id":"x"}]}`:                                                               {},
		`{"data":{"persons":[{"id":"p"}],"sessions":[{"id":"s"}],"events":[{"id":"e1"},{}],"others":[{"id":"x"}]}}`:                                                      {Shape: mockserver.ExportNested},
		`{"a":1,"persons":[{"id":"` + "\xff" + `p"}],"sessions":[{"id":"` + "\xff" + `s"}],"events":[{"id":"` + "\xff" + `e1"},{}],"others":[{"id":"` + "\xff" + `x"}]}`: {Beside: `"a":1,`, Broken: true},
		`[{"type":"person","id":"p"},{"type":"session","id":"s"},{"type":"event","id":"e1"},{"type":"event"},{"id":"x"}]`:                                                {Shape: mockserver.ExportArray},
		"{\"k\":\"person\",\"id\":\"p\"}\n{\"k\":\"session\",\"id\":\"s\"}\n{\"k\":\"event\",\"id\":\"e1\"}\n{\"k\":\"event\"}\n{\"id\":\"x\"}\n":                        {Shape: mockserver.ExportNDJSON, Discriminator: "k"},
	} {
		s := exporting(t, answer)
		if answer.Broken {
			s.AllowViolations()
		}

		got := s.get(exportPath + "?utcDate=" + day)
		if diff := cmp.Diff(want, got.body); diff != "" || got.status != http.StatusOK || got.err != nil {
			t.Errorf("%d, %v (-want +got):\n%s", got.status, got.err, diff)
		}
	}
}

func TestExport_dayWithoutRecords(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		answer mockserver.ExportAnswer
		status int
		body   string
	}{
		{mockserver.ExportAnswer{}, 200, `{"persons":[],"sessions":[],"events":[]}`},
		{mockserver.ExportAnswer{Shape: mockserver.ExportArray}, 200, `[]`},
		{mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON}, 200, ""},
	} {
		s := start(t, func(s *mockserver.Server) { s.Export = c.answer })
		if got := s.get(exportPath + "?utcDate=" + day); got.status != c.status || got.body != c.body {
			t.Errorf("%d %q, want %d %q", got.status, got.body, c.status, c.body)
		}
	}
}

func TestExport_withoutDateOrCredentialIsRefused(t *testing.T) {
	t.Parallel()

	s := start(t)
	s.AllowViolations()

	for _, query := range []string{"", "?utcDate=", "?utcDate=2026-3-1", "?utcDate=2026-02-30", "?utcDate=today", "?utcDate=2026-03-01T00:00:00Z"} {
		if got := s.get(exportPath + query); got.status != http.StatusBadRequest || got.refused() != "invalid_parameters utcDate" {
			t.Errorf("%q: %d %s", query, got.status, got.body)
		}
	}

	if got := s.send(http.MethodGet, exportPath+"?utcDate="+day, ""); got.status != http.StatusUnauthorized {
		t.Errorf("without credentials: %d", got.status)
	}
}

func TestExport_parameterChoosesTheKind(t *testing.T) {
	t.Parallel()

	s := start(t, func(s *mockserver.Server) {
		s.Wire = mockserver.Wire{ExportKindParameter: "kind", ExportKindValues: [3]string{"P", "S", "E"}}
	})

	s.PutExport(projectScope, day, mockserver.ExportDay{Events: []any{1}, Others: []any{2}})
	for value, want := range map[string]string{"P": `{"persons":[]}`, "E": `{"events":[1]}`} {
		if got := s.get(exportPath + "?utcDate=" + day + "&kind=" + value); got.body != want {
			t.Errorf("%s: %d %s", value, got.status, got.body)
		}
	}

	s.AllowViolations()
	for _, query := range []string{"", "&kind=person", "&kind=", "&kind=P&kind=S"} {
		if got := s.get(exportPath + "?utcDate=" + day + query); got.status != http.StatusBadRequest || got.refused() != "invalid_parameters kind" {
			t.Errorf("%q: %d %s", query, got.status, got.body)
		}
	}
}

func TestGeneratedDay_isReproducibleWithoutDuplicates(t *testing.T) {
	t.Parallel()

	s := start(t, func(s *mockserver.Server) { s.ExportRecords = 250 })
	ask := func(path, date string) string { return s.get(path + "?utcDate=" + date).body }
	body := ask(exportPath, day)
	var got struct{ Persons, Sessions, Events []map[string]any }
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}

	if len(got.Persons) != 3 || len(got.Sessions) != 13 || len(got.Events) != 250 {
		t.Errorf("%d, %d and %d records", len(got.Persons), len(got.Sessions), len(got.Events))
	}

	seen := map[any]bool{}
	for _, list := range [][]map[string]any{got.Persons, got.Sessions, got.Events} {
		for _, record := range list {
			if seen[record["id"]] {
				t.Errorf("%v is there twice", record["id"])
			}
			seen[record["id"]] = true
		}
	}

	if ask(exportPath, day) != body {
		t.Error("another time it is another day")
	}

	if ask(exportPath, "2026-03-02") == body || ask("/v1/org/org-demo/project/app/export", day) == body {
		t.Error("another day or project is the same")
	}

	s.PutExport(projectScope, day, mockserver.ExportDay{})
	if got := ask(exportPath, day); got != `{"persons":[],"sessions":[],"events":[]}` {
		t.Errorf("a day that was put is %.80s", got)
	}
}

func TestGeneratedDay_isNotHeldInMemory(t *testing.T) {
	t.Parallel()

	records := soak.Size(10_000, 100_000)
	s := &mockserver.Server{ExportRecords: records}
	s.AddSecretKey("key")

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, exportPath+"?utcDate="+day+"&apiSecretToken=key", nil)
	if err != nil {
		t.Fatal(err)
	}

	req.Body = http.NoBody
	w := &counting{header: http.Header{}}
	s.ServeHTTP(w, req)

	if w.status != http.StatusOK || w.n < 300*records || w.largest > 1<<20 {
		t.Errorf("%d: %d bytes, at most %d at a time", w.status, w.n, w.largest)
	}
}

// counting is a ResponseWriter that counts and drops what is written.
type counting struct {
	header             http.Header
	status, n, largest int
}

func (w *counting) Header() http.Header { return w.header }

func (w *counting) WriteHeader(status int) { w.status = status }

func (w *counting) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.n += len(p)
	w.largest = max(w.largest, len(p))
	return len(p), nil
}
