// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

const day = "2026-03-01"

func TestExport_shapes(t *testing.T) {
	t.Parallel()

	whole := mockserver.ExportDay{
		Persons: []any{map[string]any{"id": "p"}}, Sessions: []any{map[string]any{"id": "s"}},
		Events: []any{map[string]any{"id": "e1"}, map[string]any{}},
	}
	const arrays, none = `"persons":[{"id":"p"}],"sessions":[{"id":"s"}],"events":[{"id":"e1"},{}]`, `"persons":[],"sessions":[],"events":[]`
	for _, tc := range []struct {
		answer      mockserver.ExportAnswer
		full, empty string
	}{
		{mockserver.ExportAnswer{}, `{` + arrays + `}`, `{` + none + `}`},
		{
			mockserver.ExportAnswer{Shape: mockserver.ExportArray},
			`[{"type":"person","id":"p"},{"type":"session","id":"s"},{"type":"event","id":"e1"},{"type":"event"}]`, `[]`,
		},
		{
			mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON, Discriminator: "k"},
			strings.ReplaceAll("{'k':'person','id':'p'}\n{'k':'session','id':'s'}\n{'k':'event','id':'e1'}\n{'k':'event'}\n", "'", `"`), ``,
		},
	} {
		s := start(t, func(s *mockserver.Server) { s.Export = tc.answer })
		s.PutExport(projectScope, day, whole)
		for date, want := range map[string]string{day: tc.full, "2026-03-02": tc.empty} {
			got := s.get(exportPath + "?utcDate=" + date)
			if diff := cmp.Diff(want, got.body); diff != "" || got.status != http.StatusOK || got.err != nil {
				t.Errorf("%+v: %d, %v (-want +got):\n%s", tc.answer, got.status, got.err, diff)
			}
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

	seen := map[any]bool{}
	for _, record := range slices.Concat(got.Persons, got.Sessions, got.Events) {
		seen[record["id"]] = true
	}
	if len(got.Persons) != 3 || len(got.Sessions) != 13 || len(got.Events) != 250 || len(seen) != 266 || got.Events[249]["timestamp"] != day+"T00:29:03.249Z" {
		t.Errorf("%d, %d and %d records, and %d of them differ: %v", len(got.Persons), len(got.Sessions), len(got.Events), len(seen), got.Events)
	}
	for _, last := range []map[string]any{got.Persons[2], got.Sessions[12], got.Events[249]} {
		if last["identityId"] != "user-000000002@example.com" {
			t.Errorf("the last record of its kind is of another person: %v", last)
		}
	}
	if ask(exportPath, day) != body || ask(exportPath, "2026-03-02") == body || ask("/v1/org/org-demo/project/app/export", day) == body {
		t.Error("another time it is another day, or another day or project is the same")
	}
}
