// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestExport_shapes(t *testing.T) {
	t.Parallel()
	const lines = `{"k":"person","id":"p"}` + "\n" + `{"k":"session","id":"s"}` + "\n" + `{"k":"event","id":"e"}` + "\n" + `{"k":"event"}` + "\n"
	for _, tc := range []struct {
		answer      mockserver.ExportAnswer
		full, empty string
	}{
		{mockserver.ExportAnswer{}, `{"persons":[{"id":"p"}],"sessions":[{"id":"s"}],"events":[{"id":"e"},{}]}`, `{"persons":[],"sessions":[],"events":[]}`},
		{
			mockserver.ExportAnswer{Shape: mockserver.ExportArray},
			`[{"type":"person","id":"p"},{"type":"session","id":"s"},{"type":"event","id":"e"},{"type":"event"}]`, `[]`,
		},
		{mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON, Discriminator: "k"}, lines, ``},
	} {
		s := start(t, func(s *mockserver.Server) { s.Export = tc.answer })
		s.seed(`{"exports":[{"org_id":"org-demo","project_id":"web","utc_date":"2026-03-01","persons":[{"id":"p"}],"sessions":[{"id":"s"}],"events":[{"id":"e"},{}]}]}`)
		s.want("GET "+exportPath+"2026-03-01", "", "200 "+tc.full)
		s.want("GET "+exportPath+"2026-03-02", "", "200 "+tc.empty)
	}
}

func TestGeneratedDay_isReproducibleWithoutDuplicates(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *mockserver.Server) { s.ExportRecords = 250 })
	body := s.ask("GET "+exportPath+"2026-03-01", "")
	var got struct{ Persons, Sessions, Events []map[string]any }
	if err := json.Unmarshal([]byte(strings.TrimPrefix(body, "200 ")), &got); err != nil {
		t.Fatal(err)
	}

	seen, last := map[any]bool{}, got.Events[249]
	for _, record := range slices.Concat(got.Persons, got.Sessions, got.Events) {
		seen[record["id"]] = true
	}
	if len(got.Persons) != 3 || len(got.Sessions) != 13 || len(seen) != 266 || last["timestamp"] != "2026-03-01T00:29:03.249Z" {
		t.Errorf("%d persons, %d sessions, %d records that differ, %v", len(got.Persons), len(got.Sessions), len(seen), last)
	}
	if id := got.Persons[2]["identityId"]; got.Sessions[12]["identityId"] != id || last["identityId"] != id {
		t.Errorf("the last record of its kind is of another person than %v", id)
	}
	s.want("GET "+exportPath+"2026-03-01", "", body)
	if s.ask("GET "+exportPath+"2026-03-02", "") == body {
		t.Error("another day is the same")
	}
}
