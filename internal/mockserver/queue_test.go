// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestQueue_requestIsAcceptedListedAndFulfilled(t *testing.T) {
	t.Parallel()

	for _, operation := range deferredOperations {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()

			inBothFamilies(t, func(s *service, f family) {
				record := map[string]any{"id": "request-1", "identityId": "user-1", "operation": operation, "status": "pending", "createdAt": "2026-01-15T09:30:00Z"}
				got := deferrals[operation](s, f)
				if diff := cmp.Diff(record, got.json()); diff != "" || got.status != http.StatusAccepted {
					s.t.Errorf("%d\n%s", got.status, diff)
				}

				s.advance(59 * time.Second)
				if diff := cmp.Diff([]map[string]any{record}, s.list(f)); diff != "" {
					s.t.Error(diff)
				}

				want := mockserver.QueuedRequest{
					ID: "request-1", Scope: f.scope, Identity: "user-1", Operation: operation, At: epoch, Status: mockserver.StatusPending,
				}

				if operation == mockserver.OpUpdateProfile {
					want.Body = map[string]any{"name": "Ada"}
				}

				if diff := cmp.Diff([]mockserver.QueuedRequest{want}, s.Queue()); diff != "" {
					s.t.Error(diff)
				}

				// FulfilledAt is the due time, however late the queue is read.
				s.advance(time.Hour)

				want.Status, want.Done, want.FulfilledAt = mockserver.StatusFulfilled, true, epoch.Add(time.Minute)
				if diff := cmp.Diff([]mockserver.QueuedRequest{want}, s.Queue()); diff != "" || len(s.list(f)) != 0 {
					s.t.Error(diff)
				}
			}, delayed)
		})
	}
}

func TestQueue_withoutDelayTheNextRequestFindsItFulfilled(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		if got := s.withKey(http.MethodPatch, f.profile(), `{"name":"Ada"}`); got.json()["status"] != "pending" {
			s.t.Errorf("%d %s", got.status, got.body)
		}

		if got := s.withKey(http.MethodGet, f.pending(), ""); got.body != "[]" {
			s.t.Errorf("the list is %s", got.body)
		}

		if got := s.withKey(http.MethodGet, f.profile(), ""); got.body != `{"name":"Ada"}` {
			s.t.Errorf("%d %s", got.status, got.body)
		}
	})
}

func TestFulfil_decidesTheOutcome(t *testing.T) {
	t.Parallel()

	const second, minute, year = time.Second, time.Minute, 365 * 24 * time.Hour
	failed := mockserver.Outcome{Fate: mockserver.Failed, Code: "quota", Message: "Too much."}
	named := mockserver.Outcome{Fate: mockserver.Failed, Status: "REJECTED"}
	for name, tc := range map[string]struct {
		outcome mockserver.Outcome
		after   time.Duration
		listed  []any
		status  string // in the queue
		done    bool
		effect  bool
	}{
		"not yet":               {mockserver.Outcome{}, minute - second, []any{"pending"}, "pending", false, false},
		"fulfilled":             {mockserver.Outcome{}, minute, []any{}, "fulfilled", true, true},
		"later than others":     {mockserver.Outcome{After: 2 * minute}, minute, []any{"pending"}, "pending", false, false},
		"sooner than others":    {mockserver.Outcome{After: second}, second, []any{}, "fulfilled", true, true},
		"at once":               {mockserver.Outcome{After: -1}, 0, []any{}, "fulfilled", true, true},
		"never":                 {mockserver.Outcome{Fate: mockserver.Never}, year, []any{"pending"}, "pending", false, false},
		"unknown status":        {mockserver.Outcome{Status: "QUEUED_V2"}, second, []any{"QUEUED_V2"}, "QUEUED_V2", false, false},
		"unknown, fulfilled":    {mockserver.Outcome{Status: "QUEUED_V2"}, minute, []any{}, "fulfilled", true, true},
		"unknown, never":        {mockserver.Outcome{Fate: mockserver.Never, Status: "QUEUED_V2"}, year, []any{"QUEUED_V2"}, "QUEUED_V2", false, false},
		"not yet failed":        {failed, second, []any{"pending"}, "pending", false, false},
		"failed":                {failed, year, []any{"failed"}, "failed", true, false},
		"failed otherwise":      {named, minute, []any{"REJECTED"}, "REJECTED", true, false},
		"failed and gone":       {mockserver.Outcome{Fate: mockserver.FailedGone}, minute, []any{}, "failed", true, false},
		"vanished":              {mockserver.Outcome{Fate: mockserver.Vanished}, minute, []any{}, "vanished", true, false},
		"vanished, but not yet": {mockserver.Outcome{Fate: mockserver.Vanished}, second, []any{"pending"}, "pending", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			inBothFamilies(t, func(s *service, f family) {
				s.withKey(http.MethodPatch, f.profile(), `{"name":"Ada"}`)
				s.advance(tc.after)

				if diff := cmp.Diff(tc.listed, values(s.list(f), "status")); diff != "" {
					s.t.Error(diff)
				}

				q := s.Queue()[0]
				if _, effect := s.Profile(f.scope, "user-1"); effect != tc.effect || q.Status != tc.status || q.Done != tc.done || q.FulfilledAt.IsZero() == tc.effect || q.Done && effect && q.FulfilledAt.Before(q.At) {
					s.t.Errorf("effect %v, %+v", effect, q)
				}
			}, delayed, func(s *mockserver.Server) {
				s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return tc.outcome }
			})
		})
	}
}

func TestQueue_failedRequestHasItsError(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		s.withKey(http.MethodDelete, f.allData(), "")
		want := []any{map[string]any{"code": "quota", "message": "Too much."}}
		if diff := cmp.Diff(want, values(s.list(f), "error")); diff != "" {
			s.t.Error(diff)
		}

		if q := s.Queue()[0]; q.Code != "quota" || q.Message != "Too much." {
			s.t.Errorf("%+v", q)
		}
	}, func(s *mockserver.Server) {
		s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome {
			return mockserver.Outcome{Fate: mockserver.Failed, Code: "quota", Message: "Too much."}
		}
	})
}

func TestQueue_effectsByDueTimeThenAcceptance(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		minutes []int   // after which the first request is due, the second, ...
		want    float64 // the number of the request that takes effect last
	}{
		"at the same time": {[]int{1, 1, 1, 1}, 3},
		"in their order":   {[]int{1, 2, 3, 4}, 3},
		"the other way":    {[]int{4, 3, 2, 1}, 0},
		"mixed":            {[]int{2, 4, 4, 1, 3}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			inBothFamilies(t, func(s *service, f family) {
				for i := range tc.minutes {
					s.withKey(http.MethodPatch, f.profile(), fmt.Sprintf(`{"last":%d}`, i))
				}

				s.advance(time.Hour)
				if got := s.withKey(http.MethodGet, f.profile(), "").json()["last"]; got != tc.want {
					s.t.Errorf("the last word has %v, want %v", got, tc.want)
				}
			}, func(s *mockserver.Server) {
				accepted := 0
				s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome {
					accepted++
					return mockserver.Outcome{After: time.Duration(tc.minutes[accepted-1]) * time.Minute}
				}
			})
		})
	}
}

func TestFulfil_calledOnceAndMayUseTheServer(t *testing.T) {
	t.Parallel()

	for name, f := range families {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var s *service
			var asked []mockserver.QueuedRequest
			s = start(t, func(m *mockserver.Server) {
				m.Clock = mockserver.NewManualClock(epoch)
				m.Fulfil = func(q mockserver.QueuedRequest) mockserver.Outcome {
					asked = append(asked, q)
					if len(m.Queue()) > 1 {
						return mockserver.Outcome{Fate: mockserver.Never}
					}
					return mockserver.Outcome{}
				}
			})

			s.withKey(http.MethodPatch, f.profile(), `{"age":9007199254740993}`)
			s.withKey(http.MethodDelete, f.allData(), "")
			s.list(f)
			queue := s.Queue()
			queue[0].Status, queue[0].Done, queue[0].FulfilledAt = mockserver.StatusPending, false, time.Time{}
			if diff := cmp.Diff(queue, asked); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestQueue_requestCutAfterTheCommitIsQueued(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		fault  mockserver.Fault
		queued int
	}{
		"reset before":     {mockserver.Fault{Cut: mockserver.CutBeforeCommit}, 0},
		"reset after":      {mockserver.Fault{Cut: mockserver.CutAfterCommit}, 1},
		"half an answer":   {mockserver.Fault{Cut: mockserver.CutBody, CutAt: 5}, 1},
		"an error instead": {mockserver.Fault{Status: 502}, 0},
		"an error after":   {mockserver.Fault{Status: 502, Commit: true}, 1},
	} {
		for _, operation := range deferredOperations {
			t.Run(name+" "+operation, func(t *testing.T) {
				t.Parallel()

				inBothFamilies(t, func(s *service, f family) {
					s.Inject(tc.fault)

					if got := deferrals[operation](s, f); got.err == nil && got.status != 502 {
						s.t.Errorf("%d %s", got.status, got.body)
					}

					if queue := s.Queue(); len(queue) != tc.queued || s.Requests()[0].Committed != (tc.queued == 1) {
						s.t.Errorf("the queue has %+v", queue)
					}
				}, delayed)
			})
		}
	}
}

func TestQueue_refusedRequestIsNotQueued(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		s.AllowViolations()

		for method, path := range map[string]string{http.MethodPatch: f.profile(), http.MethodDelete: f.allData(), http.MethodGet: f.allData()} {
			body := ""
			if method == http.MethodPatch {
				body = "{}"
			}

			if got := s.send(method, path+"?apiSecretToken=wrong", body); got.status != http.StatusUnauthorized {
				s.t.Errorf("%s: %d %s", method, got.status, got.body)
			}
		}

		if queue := s.Queue(); len(queue) != 0 {
			s.t.Errorf("the queue has %+v", queue)
		}
	})
}

func TestQueue_followsTheTimeOfABubble(t *testing.T) {
	t.Parallel()

	for name, f := range families {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				transport := &http.Transport{}
				instance := mocktest.StartPipe(t, delayed)
				transport.DialContext = instance.DialContext
				s := clientOf(t, instance, transport)
				s.withKey(http.MethodDelete, f.allData(), "")
				<-time.After(time.Minute - time.Nanosecond)

				if listed := s.list(f); len(listed) != 1 {
					t.Errorf("the list is %v", listed)
				}

				<-time.After(time.Nanosecond)
				if listed := s.list(f); len(listed) != 0 {
					t.Errorf("the list is %v", listed)
				}
			})
		})
	}
}

func TestQueue_concurrentClientsAreQueuedOnceEach(t *testing.T) {
	t.Parallel()

	const clients, each = 8, 25
	inBothFamilies(t, func(s *service, f family) {
		var wg sync.WaitGroup
		for client := range clients {
			wg.Go(func() {
				for i := range each {
					path := strings.Replace(f.profile(), "user-1", fmt.Sprintf("user-%d-%d", client, i), 1)
					if got := s.withKey(http.MethodPatch, path, `{"name":"Ada"}`); got.status != http.StatusAccepted {
						t.Errorf("%d %v", got.status, got.err)
					}
					s.list(f)
				}
			})
		}

		wg.Wait()
		var people, ids []string
		for _, q := range s.Queue() {
			people, ids = append(people, q.Identity), append(ids, q.ID)
			if _, ok := s.Profile(f.scope, q.Identity); !ok || !q.Done {
				t.Errorf("a request has no effect: %+v", q)
			}
		}

		for _, list := range [][]string{people, ids} {
			slices.Sort(list)
			if n := len(slices.Compact(list)); n != clients*each {
				t.Errorf("%d different ones in the queue", n)
			}
		}
	})
}
