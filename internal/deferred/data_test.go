// SPDX-License-Identifier: MPL-2.0

package deferred_test

import (
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// An acknowledgement with status 200 is not the data, and data that resembles an
// acknowledgement or a pending record is the data, by the member that it has at its top.
func TestDeferred_acknowledgementIsNeverTheData(t *testing.T) {
	t.Parallel()
	for answer, member := range map[string]string{
		`{}`: "", `[]`: "", `"ok"`: "", `{"ok":true}`: "",
		`{"id":"request-1","status":"pending","operation":"getAllData"}`: "",

		`{"id":"user-1","status":"pending","profile":{"plan":"free"},"sessions":[{"id":"s1"}]}`:                 "sessions",
		`{"identity":"user-1","type":"customer","name":"deleteAllData","message":"hello","profile":{"age":36}}`: "profile",
		`[{"kind":"event","name":"getAllData"},{"kind":"session","id":"s1"}]`:                                   "kind",
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			want, answers := `"free"`, mocktest.AnswerQueueing(200, answer)
			if member != "" {
				want, answers = answer, mocktest.AnswerData(answer)
			}
			bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
				var file strings.Builder
				r := newRun(t, service, func(cfg *client.Config) { cfg.Wire.AllDataMember = member })
				s, _ := r.mustSubmit(t, r.access(&file))
				if file.Len() > 0 || s.State == deferred.Fulfilled {
					t.Errorf("taken for the data: %q, %+v", file.String(), s)
				}

				service.PutProfile(serverScope, person, `{"plan":"free"}`)
				s, _ = r.Await(t.Context(), r.access(nil), s, time.Hour)
				wantState(t, s, deferred.Fulfilled)

				s, _ = r.mustSubmit(t, r.fetch(&file))
				if !strings.Contains(file.String(), want) || s.State != deferred.Fulfilled {
					t.Errorf("the data is %q, %+v", file.String(), s)
				}
				wantQueued(t, service, 1)
			}, answers, func(s *mockserver.Server) { s.FulfilmentDelay = time.Minute })
		})
	}
}

// answerLikeData is an answer that looks like a person's data.
const answerLikeData = `{"profile":{"name":"Jane"},"events":[{"type":"click"}]}`

func withProfileInData(cfg *client.Config) { cfg.Wire.AllDataMember = "profile" }

// While a request is pending for the person, or may be because the list cannot be read, no
// answer is the data. If the list can be read later, the answer stays the data until then.
func TestDeferred_answerThatLooksLikeTheData(t *testing.T) {
	t.Parallel()
	noPerson := func(s *mockserver.Server) { s.RenamePending("identityId", "") }
	listIsDown := func(s *mockserver.Server) {
		s.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 500})
	}
	for name, tc := range map[string]struct {
		after     time.Duration // it is carried out
		configure func(*mockserver.Server)
		lag       string
		state     deferred.State
	}{
		"beside a pending request":                {time.Minute, func(*mockserver.Server) {}, client.DefaultPendingListLag, deferred.Listed},
		"beside an unreadable list":               {time.Minute, noPerson, client.DefaultPendingListLag, deferred.Accepted},
		"beside an unreadable list without a lag": {time.Minute, noPerson, "0s", deferred.Accepted},
		"while the list is down for a moment":     {-1, listIsDown, client.DefaultPendingListLag, deferred.Fulfilled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
				r := newRun(t, service, withProfileInData, func(cfg *client.Config) { cfg.Wire.PendingListLag, cfg.MaxRetries = tc.lag, 0 })
				var file strings.Builder
				s, report := r.mustSubmit(t, r.access(&file))
				wantState(t, s, tc.state)

				isListed, isUnreadable := s.ID == service.Queue()[0].ID, report.Gap != ""
				if isListed != (tc.state == deferred.Listed) || isUnreadable != (tc.state == deferred.Accepted) {
					t.Errorf("%+v %+v", s, report)
				}
				if tc.state == deferred.Fulfilled && file.String() != answerLikeData {
					t.Errorf("the data is %s", file.String())
				}
			}, mocktest.AnswerQueueing(200, answerLikeData), tc.configure, becomes(mockserver.Outcome{After: tc.after}))
		})
	}
}

func TestDeferred_answerWithData(t *testing.T) {
	t.Parallel()
	// Larger than an acknowledgement may be; in a soak, larger than an answer in memory.
	large := `{"events":["x"` + strings.Repeat(`,"`+strings.Repeat("y", 1<<16)+`"`, soak.Size(1<<20, 2*transport.LimitJSON)>>16) + `]}`
	play(t, map[string]scenario{
		// Where the list is not read, the member that the data has shows that it is the data.
		"without the list": {mocktest.AnswerQueueing(200, answerLikeData), func(t *testing.T, service *mocktest.Instance, _ run) {
			var file strings.Builder
			r := newRun(t, service, withProfileInData, ignoringTheList)
			s, _ := r.mustSubmit(t, r.access(&file))
			wantState(t, s, deferred.Fulfilled)
			if file.String() != answerLikeData {
				t.Errorf("the data is %s", file.String())
			}

			r = newRun(t, service, ignoringTheList)
			_, _, err := r.Submit(t.Context(), r.access(io.Discard), deferred.Submission{})
			if e := wantClass(t, err, transport.ClassInvalid); !strings.Contains(e.Detail, "wire.all_data_member") {
				t.Errorf("the detail is %s", e.Detail)
			}
			wantCount(t, service, mockserver.OpGetAllData, 1)
		}},

		// A listing that is being read when the answer comes does not show what was sent after it
		// began.
		"during an old listing": {mocktest.AnswerQueueing(200, answerLikeData), func(t *testing.T, service *mocktest.Instance, _ run) {
			service.FulfilmentDelay = time.Minute
			r := newRun(t, service, withProfileInData)
			service.Inject(
				mockserver.Fault{Operation: mockserver.OpGetAllData, Delay: 2 * time.Second, Commit: true},
				mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Commit: true, Then: func() { <-time.After(3 * time.Second) }},
			)

			// While the request is on its way, somebody else begins to wait.
			var group sync.WaitGroup
			group.Go(func() {
				<-time.After(100 * time.Millisecond)
				r.Await(t.Context(), r.deletion("user-1001"), deferred.Submission{State: deferred.Accepted, ID: "theirs"}, 10*time.Second)
			})

			s, _ := r.mustSubmit(t, r.access(io.Discard))
			wantState(t, s, deferred.Listed)
			group.Wait()
		}},

		"of any size": {mocktest.AnswerData(large), func(t *testing.T, service *mocktest.Instance, r run) {
			service.FulfilmentDelay = time.Minute
			s, _ := r.mustSubmit(t, r.access(io.Discard))
			s, _ = r.Await(t.Context(), r.access(nil), s, time.Hour)
			wantState(t, s, deferred.Fulfilled)

			var file strings.Builder
			s, _ = r.mustSubmit(t, r.fetch(&file))
			wantState(t, s, deferred.Fulfilled)
			if file.String() != large {
				t.Errorf("%d bytes of %d", file.Len(), len(large))
			}
		}},

		// The answers after a slow one are not older than the request.
		"after a slow list": {never, func(t *testing.T, service *mocktest.Instance, r run) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Delay: 5 * time.Second, Commit: true})
			s, _ := r.mustSubmit(t, r.access(nil))
			wantState(t, s, deferred.Accepted)
			s, report := r.mustRefresh(t, r.access(nil), s, 0)
			wantState(t, s, deferred.Listed)
			if report.Gap != "" {
				t.Errorf("the list is not understood: %s", report.Gap)
			}
		}},
	})
}
