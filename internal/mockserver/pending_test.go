package mockserver_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

func TestPending_listHasOnlyItsScope(t *testing.T) {
	t.Parallel()
	s := start(t, delayed)
	for _, f := range families {
		s.withKey(http.MethodDelete, f.allData(), "")
	}
	s.Enqueue(mockserver.QueuedRequest{Scope: mockserver.Scope{OrgID: "org-demo", ProjectID: "app"}, Identity: "user-1", Operation: mockserver.OpDeleteAllData})
	for name, f := range families {
		if got := s.list(f); len(got) != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestPendingOrder_shufflesTheList(t *testing.T) {
	t.Parallel()

	reversed := func(n int, swap func(i, j int)) {
		for i := range n / 2 {
			swap(i, n-1-i)
		}
	}

	inBothFamilies(t, func(s *service, f family) {
		for range 3 {
			s.withKey(http.MethodDelete, f.allData(), "")
		}

		if diff := cmp.Diff([]any{"request-3", "request-2", "request-1"}, values(s.list(f), "id")); diff != "" {
			s.t.Error(diff)
		}

		if q := s.Queue(); q[0].ID != "request-1" {
			s.t.Error("the order of acceptance is lost")
		}
	}, delayed, func(s *mockserver.Server) { s.PendingOrder = reversed })
}

func TestPendingAnswer_replacesTheList(t *testing.T) {
	t.Parallel()

	mongo := func(records []map[string]any) any {
		for i, r := range records {
			records[i] = map[string]any{"_id": map[string]any{"$oid": r["id"]}, "identity_id": r["identityId"]}
		}
		return map[string]any{"requests": records, "next": nil}
	}

	inBothFamilies(t, func(s *service, f family) {
		s.withKey(http.MethodDelete, f.allData(), "")

		for range 2 { // the hook changes a copy
			got := s.withKey(http.MethodGet, f.pending(), "")
			if got.body != `{"next":null,"requests":[{"_id":{"$oid":"request-1"},"identity_id":"user-1"}]}` {
				s.t.Errorf("%d %s", got.status, got.body)
			}
		}
	}, delayed, func(s *mockserver.Server) { s.PendingAnswer = mongo })
}

func TestQueueAnswer_replacesTheRecord(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		answer func(map[string]any) any
		status int
		body   string
	}{
		"wrapped": {func(r map[string]any) any { return map[string]any{"request": r["id"]} }, http.StatusAccepted, `{"request":"request-1"}`},
		"nothing": {func(map[string]any) any { return mockserver.NoContent }, http.StatusNoContent, ""},
		"null":    {func(map[string]any) any { return nil }, http.StatusAccepted, "null"},
	} {
		for _, operation := range deferredOperations {
			t.Run(name+" "+operation, func(t *testing.T) {
				t.Parallel()

				inBothFamilies(t, func(s *service, f family) {
					if got := deferrals[operation](s, f); got.status != tc.status || got.body != tc.body {
						s.t.Errorf("%d %s", got.status, got.body)
					}
					if len(s.Queue()) != 1 || !s.Requests()[0].Committed {
						s.t.Error("it is not in the queue")
					}
				}, func(s *mockserver.Server) { s.QueueAnswer = tc.answer })
			})
		}
	}
}

func TestPending_veryLongListIsAnswered(t *testing.T) {
	t.Parallel()

	length := soak.Size(1_000, 100_000)
	s := start(t, delayed)
	f := families["project"]
	for i := range length {
		s.Enqueue(mockserver.QueuedRequest{Scope: f.scope, Identity: fmt.Sprintf("user-%d", i), Operation: mockserver.OpGetAllData})
	}

	if got := s.withKey(http.MethodDelete, f.allData(), ""); got.status != http.StatusAccepted {
		t.Errorf("%d %s", got.status, got.body)
	}

	got := s.withKey(http.MethodGet, f.pending(), "")
	if n := strings.Count(got.body, `"identityId":`); n != length+1 || !strings.Contains(got.body, fmt.Sprintf(`"user-%d"`, length-1)) {
		t.Errorf("%d with %d of them", got.status, n)
	}
}
