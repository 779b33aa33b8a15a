// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
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

func TestReshape_replacesTheList(t *testing.T) {
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
	}, delayed, func(s *mockserver.Server) { mockserver.Reshape(s, mongo, mockserver.OpListPendingRequests) })
}

func TestReshapeReceipts_replacesTheRecord(t *testing.T) {
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
				}, func(s *mockserver.Server) { s.ReshapeReceipts(tc.answer) })
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

// pendingForever leaves all requests pending.
func pendingForever(s *mockserver.Server) {
	s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{Fate: mockserver.Never} }
}

func TestPendingLag_looksAndTimeHaveToPass(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		lag    mockserver.Lag
		listed []int // after each read; a minute passes between two
	}{
		"none":          {mockserver.Lag{}, []int{1, 1, 1, 1}},
		"looks":         {mockserver.Lag{Looks: 2}, []int{0, 0, 1, 1}},
		"time":          {mockserver.Lag{Time: time.Minute}, []int{0, 1, 1, 1}},
		"the later one": {mockserver.Lag{Looks: 1, Time: 3 * time.Minute}, []int{0, 0, 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			inBothFamilies(t, func(s *service, f family) {
				s.withKey(http.MethodDelete, f.allData(), "")
				var listed []int
				for range tc.listed {
					listed = append(listed, len(s.list(f)))
					s.advance(time.Minute)
				}

				if diff := cmp.Diff(tc.listed, listed); diff != "" {
					s.t.Error(diff)
				}
			}, pendingForever, func(s *mockserver.Server) { s.PendingLag = tc.lag })
		})
	}
}

func TestPendingLag_looksAtAnotherScopeDoNotCount(t *testing.T) {
	t.Parallel()
	s := start(t, pendingForever, func(s *mockserver.Server) { s.PendingLag = mockserver.Lag{Looks: 1} })
	project, account := families["project"], families["account"]
	s.withKey(http.MethodDelete, project.allData(), "")
	s.list(account)
	if got := s.list(project); len(got) != 0 {
		t.Errorf("the first look shows %v", got)
	}
	if got := s.list(project); len(got) != 1 {
		t.Errorf("the second look shows %v", got)
	}
}

func TestHide_theServiceHasTheRequestAllTheSame(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		s.withKey(http.MethodPatch, f.profile(), `{"n":1}`)
		s.Hide("request-1")

		if got := s.list(f); len(got) != 0 {
			s.t.Errorf("the list is %v", got)
		}

		s.Show("request-1")
		if got := s.list(f); len(got) != 1 {
			s.t.Errorf("the list is %v", got)
		}

		s.Hide("request-1")
		s.advance(time.Minute)

		if got := s.withKey(http.MethodGet, f.profile(), ""); got.body != `{"n":1}` {
			s.t.Errorf("%d %s", got.status, got.body)
		}
	}, delayed)
}

func TestOutcome_whatHasEndedCanStayListed(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		outcome mockserver.Outcome
		listed  []any
		effect  bool
	}{
		"fulfilled":                {mockserver.Outcome{KeepListed: true}, []any{"fulfilled"}, true},
		"under an unknown status":  {mockserver.Outcome{KeepListed: true, FinalStatus: "delivered"}, []any{"delivered"}, true},
		"failed":                   {mockserver.Outcome{Fate: mockserver.Failed}, []any{"failed"}, false},
		"failed, unknown status":   {mockserver.Outcome{Fate: mockserver.Failed, FinalStatus: "closed"}, []any{"closed"}, false},
		"vanished is never listed": {mockserver.Outcome{Fate: mockserver.Vanished, KeepListed: true}, []any{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			inBothFamilies(t, func(s *service, f family) {
				s.withKey(http.MethodPatch, f.profile(), `{"n":1}`)

				if diff := cmp.Diff([]any{"pending"}, values(s.list(f), "status")); diff != "" {
					s.t.Error(diff)
				}

				s.advance(time.Minute)
				if diff := cmp.Diff(tc.listed, values(s.list(f), "status")); diff != "" {
					s.t.Error(diff)
				}

				if _, ok := s.Profile(f.scope, "user-1"); ok != tc.effect {
					s.t.Errorf("there is a profile: %v", ok)
				}
			}, delayed, func(s *mockserver.Server) {
				s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return tc.outcome }
			})
		})
	}
}

func TestReshapePending_fieldsCanBeRenamedAndLost(t *testing.T) {
	t.Parallel()

	renamed := func(names ...string) func(*mockserver.Server) {
		return func(s *mockserver.Server) { s.RenamePending(names...) }
	}
	losesFirst := func(s *mockserver.Server) {
		s.ReshapePending(func(record map[string]any) map[string]any {
			if record["id"] == "request-1" {
				return nil
			}
			return record
		})
	}

	for name, tc := range map[string]struct {
		make func(*mockserver.Server)
		want []map[string]any
	}{
		"renamed": {renamed("identityId", "personId"), []map[string]any{{"id": "request-1", "personId": "user-1"}, {"id": "request-2", "personId": "user-1"}}},
		"lost":    {renamed("id", ""), []map[string]any{{"identityId": "user-1"}, {"identityId": "user-1"}}},
		"no such": {renamed("nothing", "other"), []map[string]any{{"id": "request-1", "identityId": "user-1"}, {"id": "request-2", "identityId": "user-1"}}},
		"dropped": {losesFirst, []map[string]any{{"id": "request-2", "identityId": "user-1"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			inBothFamilies(t, func(s *service, f family) {
				s.withKey(http.MethodDelete, f.allData(), "")
				s.withKey(http.MethodDelete, f.allData(), "")

				listed := s.list(f)
				for _, record := range listed {
					for _, other := range []string{"operation", "status", "createdAt"} {
						delete(record, other)
					}
				}

				if diff := cmp.Diff(tc.want, listed); diff != "" {
					s.t.Error(diff)
				}
			}, pendingForever, tc.make)
		})
	}
}

func TestPaged_saysThatThereIsMore(t *testing.T) {
	t.Parallel()

	const next = `"https://service.example.com/pending-requests?page=2"`
	for name, tc := range map[string]struct {
		size         int
		sign         mockserver.PageSign
		body, header string
	}{
		"silently":           {1, "", `[{}]`, ""},
		"has_more":           {1, mockserver.PageHasMore, `{"has_more":true,"requests":[{}]}`, ""},
		"has_more, only one": {2, mockserver.PageHasMore, `{"has_more":false,"requests":[{},{}]}`, ""},
		"next":               {1, mockserver.PageNext, `{"next":` + next + `,"requests":[{}]}`, ""},
		"next, only one":     {9, mockserver.PageNext, `{"next":null,"requests":[{},{}]}`, ""},
		"total":              {1, mockserver.PageTotal, `{"requests":[{}],"total":2}`, ""},
		"total, only one":    {2, mockserver.PageTotal, `{"requests":[{},{}],"total":2}`, ""},
		"Link":               {1, mockserver.PageLink, `[{}]`, `<https://service.example.com/pending-requests?page=2>; rel="next"`},
		"Link, only one":     {2, mockserver.PageLink, `[{},{}]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			inBothFamilies(t, func(s *service, f family) {
				s.withKey(http.MethodDelete, f.allData(), "")
				s.withKey(http.MethodDelete, f.allData(), "")
				got := s.withKey(http.MethodGet, f.pending(), "")
				if got.body != tc.body || got.header.Get("Link") != tc.header {
					s.t.Errorf("%s, Link %q", got.body, got.header.Get("Link"))
				}
			}, pendingForever, func(s *mockserver.Server) {
				s.ReshapePending(func(map[string]any) map[string]any { return map[string]any{} })
				s.Paged(tc.size, tc.sign)
			})
		})
	}
}

func TestReceipt_anAcknowledgementCanComeWith200(t *testing.T) {
	t.Parallel()

	for _, body := range mocktest.Acknowledgements {
		for _, operation := range deferredOperations {
			t.Run(operation+" "+body, func(t *testing.T) {
				t.Parallel()

				inBothFamilies(t, func(s *service, f family) {
					if got := deferrals[operation](s, f); got.status != http.StatusOK || got.body != body {
						s.t.Errorf("%d %s", got.status, got.body)
					}
					if len(s.Queue()) != 1 {
						s.t.Error("it is not in the queue")
					}
				}, mocktest.AnswerQueueing(http.StatusOK, body))
			})
		}
	}
}

func TestReshape_dataCanLookLikeAnAcknowledgement(t *testing.T) {
	t.Parallel()

	for body := range mocktest.DataLikeAcknowledgements {
		if !json.Valid([]byte(body)) {
			t.Errorf("no JSON: %s", body)
		}

		inBothFamilies(t, func(s *service, f family) {
			if got := s.withKey(http.MethodGet, f.allData(), ""); got.status != http.StatusAccepted {
				s.t.Errorf("%d %s", got.status, got.body)
			}
			if got := s.withKey(http.MethodGet, f.allData(), ""); got.status != http.StatusOK || got.body != body {
				s.t.Errorf("%d %s", got.status, got.body)
			}
		}, mocktest.AnswerData(body))
	}
}
