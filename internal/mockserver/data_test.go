// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestAllData_answeredFromFulfilmentUntilExpiry(t *testing.T) {
	t.Parallel()

	for retention, kept := range map[time.Duration]time.Duration{0: time.Hour, time.Minute: time.Minute} {
		t.Run(retention.String(), func(t *testing.T) {
			t.Parallel()

			inBothFamilies(t, func(s *service, f family) {
				ask := func(status, queued int) {
					s.t.Helper()
					if got := s.withKey(http.MethodGet, f.allData(), ""); got.status != status || len(s.Queue()) != queued {
						s.t.Errorf("%d %s with %d in the queue, want %d with %d", got.status, got.body, len(s.Queue()), status, queued)
					}
				}

				ask(http.StatusAccepted, 1)
				ask(http.StatusAccepted, 2) // two requests for data are two entries of the queue
				s.Forget("request-2")
				s.advance(time.Minute)
				ask(http.StatusOK, 2)
				s.advance(kept - time.Nanosecond)
				ask(http.StatusOK, 2)
				s.advance(time.Nanosecond)
				ask(http.StatusAccepted, 3)
			}, delayed, func(s *mockserver.Server) { s.DataRetention = retention })
		})
	}
}

func TestAllData_failedRequestLeavesNothingToFetch(t *testing.T) {
	t.Parallel()

	for name, fate := range map[string]mockserver.Fate{"failed": mockserver.Failed, "gone": mockserver.FailedGone, "vanished": mockserver.Vanished, "never": mockserver.Never} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			inBothFamilies(t, func(s *service, f family) {
				s.withKey(http.MethodGet, f.allData(), "")
				if got := s.withKey(http.MethodGet, f.allData(), ""); got.status != http.StatusAccepted || len(s.Queue()) != 2 {
					s.t.Errorf("%d %s", got.status, got.body)
				}
			}, func(s *mockserver.Server) {
				s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{Fate: fate} }
			})
		})
	}
}

func TestAllData_asOfTheFulfilment(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		s.PutProfile(f.scope, "user-1", `{"age":9007199254740993}`)
		s.PutConsent(f.scope, "user-1", mockserver.ConsentRecord{Extra: map[string]any{"region": "eu"}})
		s.PutData(f.scope, "user-1", map[string]any{"events": []int{1, 2}, "devices": 3})
		s.withKey(http.MethodGet, f.allData(), "")
		s.advance(time.Minute)
		// Nothing has read the data since; the first to do so gets them as of the fulfilment.
		s.withKey(http.MethodPatch, f.consent(), allClauses())

		first := s.withKey(http.MethodGet, f.allData(), "")
		for _, part := range []string{`"identity":"user-1"`, `"profile":{"age":9007199254740993}`, `"clause_1_consent":false`, `"region":"eu"`, `"sessions":[]`, `"events":[1,2]`, `"devices":3`} {
			if !strings.Contains(first.body, part) {
				s.t.Errorf("%s is not in %s", part, first.body)
			}
		}

		s.PutProfile(f.scope, "user-1", `{"age":37}`)
		s.PutData(f.scope, "user-1", "other")
		s.DeleteConsent(f.scope, "user-1")

		if second := s.withKey(http.MethodGet, f.allData(), ""); second.body != first.body {
			s.t.Errorf("it has become %s", second.body)
		}
	}, delayed)
}

func TestAllData_unknownPersonHasEmptyData(t *testing.T) {
	t.Parallel()
	inBothFamilies(t, func(s *service, f family) {
		s.withKey(http.MethodGet, f.allData(), "")
		want := map[string]any{"identity": "user-1", "profile": nil, "consent": nil, "sessions": []any{}, "events": []any{}}
		if diff := cmp.Diff(want, s.withKey(http.MethodGet, f.allData(), "").json()); diff != "" {
			s.t.Error(diff)
		}
	})
}

func TestPutData_valueThatIsNoObjectBecomesAMember(t *testing.T) {
	t.Parallel()
	inBothFamilies(t, func(s *service, f family) {
		s.PutData(f.scope, "user-1", []string{"a"})
		s.withKey(http.MethodGet, f.allData(), "")
		if got := s.withKey(http.MethodGet, f.allData(), ""); !strings.Contains(got.body, `"data":["a"]`) {
			s.t.Errorf("%d %s", got.status, got.body)
		}
	})
}

func TestReshape_replacesTheData(t *testing.T) {
	t.Parallel()

	large := strings.Repeat("x", 4<<20)
	inBothFamilies(t, func(s *service, f family) {
		s.PutProfile(f.scope, "user-1", `{"name":"Ada"}`)
		s.withKey(http.MethodGet, f.allData(), "")

		for range 2 { // the hook changes a copy
			if got := s.withKey(http.MethodGet, f.allData(), ""); got.status != http.StatusOK || got.body != `{"for":"user-1","large":"`+large+`","name":"Ada"}` {
				s.t.Errorf("%d %.100s", got.status, got.body)
			}
		}
	}, func(s *mockserver.Server) {
		mockserver.Reshape(s, func(data map[string]any) any {
			profile, _ := data["profile"].(map[string]any)
			profile["for"], profile["large"] = data["identity"], large
			return profile
		}, mockserver.OpGetAllData)
	})
}

func TestDeletion_removesProfileAndDataAndKeepsConsent(t *testing.T) {
	t.Parallel()

	inBothFamilies(t, func(s *service, f family) {
		s.PutProfile(f.scope, "user-1", `{}`)
		s.PutData(f.scope, "user-1", map[string]any{})
		s.PutProfile(f.scope, "user-2", `{}`)
		s.withKey(http.MethodPatch, f.consent(), allClauses())
		s.withKey(http.MethodGet, f.allData(), "")
		s.advance(time.Minute)
		s.withKey(http.MethodDelete, f.allData(), "")

		if !s.HasData(f.scope, "user-1") {
			s.t.Error("the data are gone before the deletion is fulfilled")
		}

		s.advance(time.Minute)
		if got := s.withKey(http.MethodGet, f.profile(), ""); got.status != http.StatusNotFound || s.HasData(f.scope, "user-1") {
			s.t.Errorf("%d %s", got.status, got.body)
		}

		if got := s.withKey(http.MethodGet, f.consent(), ""); got.status != http.StatusOK || got.json()["clause_1_consent"] != true {
			s.t.Errorf("consent: %d %s", got.status, got.body)
		}

		// The prepared data are gone too.
		if got := s.withKey(http.MethodGet, f.allData(), ""); got.status != http.StatusAccepted {
			s.t.Errorf("all data: %d %s", got.status, got.body)
		}

		if !s.HasData(f.scope, "user-2") {
			s.t.Error("somebody else's data are gone")
		}
	}, delayed)
}

func TestDeletion_unknownPersonIsAccepted(t *testing.T) {
	t.Parallel()
	inBothFamilies(t, func(s *service, f family) {
		if got := s.withKey(http.MethodDelete, f.allData(), ""); got.status != http.StatusAccepted || len(s.list(f)) != 0 {
			s.t.Errorf("%d %s", got.status, got.body)
		}
	})
}
