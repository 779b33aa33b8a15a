// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestEnqueue_asFromAnotherClient(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		body := map[string]any{"name": "Ada"}
		first := s.Enqueue(mockserver.QueuedRequest{Scope: f.scope, Identity: "user-1", Operation: mockserver.OpUpdateProfile, Body: body})
		body["name"] = "changed later"
		s.Queue()[0].Body["name"] = "changed here"
		s.Enqueue(mockserver.QueuedRequest{
			ID: "theirs", Scope: f.scope, Identity: "user-2", Operation: mockserver.OpDeleteAllData, At: epoch.Add(-30 * time.Second), Status: "QUEUED_V2",
			Done: true, FulfilledAt: epoch, Code: "c", Message: "m",
		})

		s.withKey(http.MethodGet, f.allData(), "")
		listed := s.list(f)
		if diff := cmp.Diff([]any{first, "theirs", "request-3"}, values(listed, "id")); diff != "" {
			s.t.Error(diff)
		}

		if diff := cmp.Diff([]any{"pending", "QUEUED_V2", "pending"}, values(listed, "status")); diff != "" {
			s.t.Error(diff)
		}

		s.advance(30 * time.Second)
		if diff := cmp.Diff([]any{first, "request-3"}, values(s.list(f), "id")); diff != "" {
			s.t.Error(diff)
		}

		s.advance(30 * time.Second)
		if got := s.withKey(http.MethodGet, f.profile(), ""); got.body != `{"name":"Ada"}` {
			s.t.Errorf("%d %s", got.status, got.body)
		}
	}, delayed)
}

func TestEnqueue_duplicateIDs(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		for _, id := range []string{"a", "a", "b"} {
			s.Enqueue(mockserver.QueuedRequest{ID: id, Scope: f.scope, Identity: "user-1", Operation: mockserver.OpDeleteAllData})
		}

		if diff := cmp.Diff([]any{"a", "a", "b"}, values(s.list(f), "id")); diff != "" {
			s.t.Error(diff)
		}

		s.Forget("a")
		if diff := cmp.Diff([]any{"b"}, values(s.list(f), "id")); diff != "" {
			s.t.Error(diff)
		}
	}, delayed)
}

func TestFulfilAll_fulfilsWhatIsPending(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		s.withKey(http.MethodPatch, f.profile(), `{"n":1}`)
		s.withKey(http.MethodPatch, f.profile(), `{"n":2}`)
		s.Conclude("request-2", mockserver.Outcome{Fate: mockserver.Failed})
		s.withKey(http.MethodPatch, f.profile(), `{"n":3}`)
		s.Conclude("request-3", mockserver.Outcome{Fate: mockserver.Never})
		s.advance(time.Second)
		s.FulfilAll()

		if got := s.withKey(http.MethodGet, f.profile(), ""); got.body != `{"n":3}` {
			s.t.Errorf("%d %s", got.status, got.body)
		}

		if diff := cmp.Diff([]any{"request-2"}, values(s.list(f), "id")); diff != "" {
			s.t.Error(diff)
		}

		// No outcome is applied a second time.
		s.PutProfile(f.scope, "user-1", `{}`)
		s.advance(time.Hour)
		s.FulfilAll()

		if got := s.withKey(http.MethodGet, f.profile(), ""); got.body != `{}` || !s.Queue()[2].FulfilledAt.Equal(epoch.Add(time.Second)) {
			s.t.Errorf("%s %+v", got.body, s.Queue()[2])
		}
	}, delayed)
}

func TestConclude_overridesTheDecision(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		s.withKey(http.MethodPatch, f.profile(), `{"n":1}`)
		conclude := func(o mockserver.Outcome, listed ...any) {
			s.t.Helper()
			s.Conclude("request-1", o)
			if diff := cmp.Diff(append([]any{}, listed...), values(s.list(f), "status")); diff != "" {
				s.t.Errorf("%+v: %s", o, diff)
			}
		}

		conclude(mockserver.Outcome{Fate: mockserver.Never, After: -1}, "pending")
		s.advance(time.Hour) // past the time that was decided first
		conclude(mockserver.Outcome{Fate: mockserver.Failed, Code: "quota"}, "failed")
		conclude(mockserver.Outcome{Fate: mockserver.Vanished})

		if q := s.Queue()[0]; q.Code != "" || q.Status != mockserver.StatusVanished {
			s.t.Errorf("%+v", q)
		}

		conclude(mockserver.Outcome{Fate: mockserver.Never, Status: "QUEUED_V2"}, "QUEUED_V2")
		if _, ok := s.Profile(f.scope, "user-1"); ok {
			s.t.Error("it has an effect")
		}

		conclude(mockserver.Outcome{After: time.Hour})
		conclude(mockserver.Outcome{Fate: mockserver.Never})

		if q := s.Queue()[0]; q.Status != mockserver.StatusFulfilled || !q.FulfilledAt.Equal(epoch.Add(time.Hour)) {
			s.t.Errorf("%+v", q)
		}
	}, delayed)
}

func TestConclude_happensOnce(t *testing.T) {
	t.Parallel()
	inBothFamilies(t, func(s *service, f family) {
		s.withKey(http.MethodPatch, f.profile(), `{"n":1}`)
		s.Conclude("request-1", mockserver.Outcome{})
		s.DeleteProfile(f.scope, "user-1")
		s.advance(time.Hour)
		if got := s.withKey(http.MethodGet, f.profile(), ""); got.status != http.StatusNotFound || !s.Queue()[0].FulfilledAt.Equal(epoch) {
			s.t.Errorf("%d %s", got.status, got.body)
		}
	}, delayed)
}

func TestConclude_unknownIDPanics(t *testing.T) {
	t.Parallel()

	for name, call := range map[string]func(*mockserver.Server){
		"Enqueue": func(s *mockserver.Server) { s.Enqueue(mockserver.QueuedRequest{Operation: mockserver.OpGetProfile}) },
		"Forget":  func(s *mockserver.Server) { s.Forget("request-1") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s accepts it", name)
				}
			}()
			call(&mockserver.Server{})
		}()
	}
}
