// SPDX-License-Identifier: MPL-2.0

package deferred_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

func TestDeferred_waitEndsWithWhatBecameOfTheRequest(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		outcome mockserver.Outcome
		ended   []string // ended_statuses
		state   deferred.State
		code    string
		unknown bool
	}{
		"fulfilled":                          {mockserver.Outcome{After: time.Minute}, nil, deferred.Fulfilled, "", false},
		"fulfilled at once":                  {mockserver.Outcome{After: -1}, nil, deferred.Fulfilled, "", false},
		"fulfilled and still listed":         {mockserver.Outcome{After: time.Minute, KeepListed: true}, nil, deferred.Fulfilled, "", false},
		"never":                              {mockserver.Outcome{Fate: mockserver.Never}, nil, deferred.Listed, "", false},
		"failed":                             {mockserver.Outcome{Fate: mockserver.Failed, After: time.Minute, Code: "E42"}, nil, deferred.Failed, "E42", false},
		"vanished":                           {mockserver.Outcome{Fate: mockserver.Vanished, After: time.Minute}, nil, deferred.Dropped, "", false},
		"an unknown status":                  {mockserver.Outcome{After: time.Minute, Status: "QUEUED_V2"}, nil, deferred.Fulfilled, "", false},
		"unknown for ever":                   {mockserver.Outcome{Fate: mockserver.Never, Status: "QUEUED_V2"}, nil, deferred.Listed, "", true},
		"an unknown final status":            {mockserver.Outcome{After: time.Minute, KeepListed: true, FinalStatus: "archived"}, nil, deferred.Listed, "", true},
		"a final status that the user names": {mockserver.Outcome{After: time.Minute, KeepListed: true, FinalStatus: "archived"}, []string{"Archived"}, deferred.Fulfilled, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
				service.PutProfile(serverScope, person, `{"plan":"gold"}`)
				r := newRun(t, service, func(cfg *client.Config) { cfg.Wire.EndedStatuses = strings.Join(tc.ended, ",") })
				q := r.deletion(person)

				s, _ := r.mustSubmit(t, q)

				began := time.Now()
				s, report := r.Await(t.Context(), q, s, time.Hour)
				wantState(t, s, tc.state)
				if late := time.Since(began) - time.Hour; late > 50*time.Millisecond || report.Interrupted {
					t.Errorf("the wait ended %v late: %+v", late, report)
				}
				if report.Code != tc.code || report.UnknownStatus != tc.unknown || report.Err != nil {
					t.Errorf("the report is %+v", report)
				}

				again, _ := r.mustRefresh(t, q, s, 0)
				wantState(t, again, tc.state)
				wantQueued(t, service, 1)
			}, becomes(tc.outcome))
		})
	}
}

// If the request has an ID, only the record with that ID is its own; otherwise only a
// record that was not there before is.
func TestDeferred_otherRequestsFateIsNotTakenForOurs(t *testing.T) {
	t.Parallel()
	for name, outcome := range map[string]mockserver.Outcome{
		"an old one that failed":    {Fate: mockserver.Failed, Code: "E_OLD"},
		"an old one that is done":   {KeepListed: true},
		"an old one that is closed": {KeepListed: true, FinalStatus: "expired"},
	} {
		for answered, answer := range map[string]func(*mockserver.Server){"with an id": func(*mockserver.Server) {}, "without an id": withoutIDs} {
			t.Run(name+", answered "+answered, func(t *testing.T) {
				t.Parallel()
				eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
					for i := range 3 {
						service.Conclude(enqueue(service, q.operation, time.Duration(i+1)*time.Hour), outcome)
					}
					service.PutProfile(serverScope, person, `{"plan":"free"}`)

					s, report := r.mustSubmit(t, q.of(r))
					if report.Adopted {
						t.Error("it was adopted")
					}

					s, report = r.Await(t.Context(), q.of(r), s, time.Minute)
					wantState(t, s, deferred.Listed)
					if report.Code != "" || s.ID != service.Queue()[3].ID {
						t.Errorf("%+v %+v", s, report)
					}

					s, _ = r.Await(t.Context(), q.of(r), s, 10*time.Minute)
					wantState(t, s, deferred.Fulfilled)
					wantQueued(t, service, 4)
				}, answer)
			})
		}
	}
}

// wantOurs fails the test if a request is not pending, or not the one of the queue that was
// sent for it.
func wantOurs(t *testing.T, service *mocktest.Instance, s deferred.Submission, at int) {
	t.Helper()
	wantState(t, s, deferred.Listed)
	if ours := service.Queue()[at].ID; s.ID != ours {
		t.Errorf("the request is taken for %q, and ours is %q", s.ID, ours)
	}
}

func TestDeferred_requestWithoutAnID(t *testing.T) {
	t.Parallel()
	play(t, map[string]scenario{
		// As long as one of two new records is pending, it is ours.
		"beside an older one that failed": {func(s *mockserver.Server) { s.FulfilmentDelay = 5 * time.Minute }, func(t *testing.T, service *mocktest.Instance, r run) {
			withoutIDs(service.Server)
			s, _ := r.mustSubmit(t, r.access(nil))
			service.Conclude(enqueue(service, mockserver.OpGetAllData, time.Minute), mockserver.Outcome{Fate: mockserver.Failed})
			s, _ = r.Await(t.Context(), r.access(nil), s, 3*time.Minute)
			wantOurs(t, service, s, 0)
		}},

		// What this process has sent is not taken for a later request, even if the list did not
		// show it when that one was sent.
		"after one of this process": {func(s *mockserver.Server) {
			s.FulfilmentDelay = time.Hour
			s.SetPendingLag(mockserver.Lag{Time: 5 * time.Second})
			s.RenamePending("createdAt", "")
		}, func(t *testing.T, service *mocktest.Instance, r run) {
			r.mustSubmit(t, r.update(gold))
			<-time.After(4 * time.Second) // so that the list shows the first for a while before the second
			withoutIDs(service.Server)
			silver := r.update(map[string]jsontext.Value{"plan": jsontext.Value(`"silver"`)})
			s, _ := r.mustSubmit(t, silver)
			s, _ = r.Await(t.Context(), silver, s, time.Minute)
			wantOurs(t, service, s, 1)
		}},

		// A record that is over at once is its own, if it is from the time of sending.
		"fails at once": {becomes(mockserver.Outcome{Fate: mockserver.Failed, After: -1}), func(t *testing.T, service *mocktest.Instance, r run) {
			withoutIDs(service.Server)
			s, _ := r.mustSubmit(t, r.deletion(person))
			s, _ = r.Await(t.Context(), r.deletion(person), s, time.Minute)
			wantState(t, s, deferred.Failed)
		}},
	})
}

// Once the list has shown that a request is over, its effect counts even if it was there before,
// and once it lists the request as done, no effect is asked for.
func TestDeferred_effectThatTheListDecidesAbout(t *testing.T) {
	t.Parallel()
	play(t, map[string]scenario{
		"of a dropped request": {becomes(mockserver.Outcome{Fate: mockserver.Vanished, After: time.Minute}), func(t *testing.T, service *mocktest.Instance, r run) {
			s, _ := r.mustSubmit(t, r.deletion(person)) // of a person without a profile
			service.PutProfile(serverScope, person, `{"plan":"free"}`)
			s, _ = r.Await(t.Context(), r.deletion(person), s, time.Hour)
			wantState(t, s, deferred.Dropped)

			service.DeleteProfile(serverScope, person)
			s, _ = r.mustRefresh(t, r.deletion(person), s, 0)
			wantState(t, s, deferred.Fulfilled)
		}},

		"a tombstone beside a request that is listed as done": {never, func(t *testing.T, service *mocktest.Instance, r run) {
			s, _ := r.mustSubmit(t, r.deletion(person))
			service.Conclude(s.ID, mockserver.Outcome{KeepListed: true})
			service.PutProfile(serverScope, person, `{"deletedAt":"2026-01-31T12:00:00Z"}`)
			s, _ = r.Await(t.Context(), r.deletion(person), s, time.Hour)
			wantState(t, s, deferred.Fulfilled)
		}},
	})
}

// A request that the list has never shown, and whose effect cannot be measured, is never
// said to be fulfilled. Waiting for it ends, and each refresh looks again.
func TestDeferred_requestThatIsNeverListedIsNotFulfilled(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		began := time.Now()
		s, _ := r.mustSubmit(t, r.deletion(person)) // of a person without a profile
		s, report := r.Await(t.Context(), r.deletion(person), s, time.Hour)
		if took := time.Since(began); took < 20*time.Second || took > 25*time.Second {
			t.Errorf("the wait ended after %v", took)
		}

		for range 3 {
			if s.State != deferred.Accepted || !report.Unproven {
				t.Fatalf("it is %+v, %+v", s, report)
			}
			looks := service.Count(mockserver.OpListPendingRequests)
			s, report = r.mustRefresh(t, r.deletion(person), s, time.Hour)
			wantCount(t, service, mockserver.OpListPendingRequests, looks+1)
		}
	}, becomes(mockserver.Outcome{After: -1}))
}

// The refreshes of one run share a listing, also those that come while it is read. Another
// refresh of the same request looks again.
func TestDeferred_refreshesShareAListing(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		const people, atOnce = 100, 10
		refreshAll := func() {
			places := make(chan struct{}, atOnce)
			var group sync.WaitGroup
			for i := range people {
				group.Go(func() {
					places <- struct{}{}
					defer func() { <-places }()

					s, _, err := r.Refresh(t.Context(), r.deletion(fmt.Sprint("user-", i)), deferred.Submission{State: deferred.Accepted, ID: fmt.Sprint("request-", i+1)})
					if err != nil || s.State != deferred.Listed {
						t.Errorf("%+v: %v", s, err)
					}
				})
			}
			group.Wait()
		}

		for i := range people {
			service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: fmt.Sprint("user-", i), Operation: mockserver.OpDeleteAllData})
		}
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Delay: 3 * time.Second, Commit: true})
		for want := range 2 {
			refreshAll()
			wantCount(t, service, mockserver.OpListPendingRequests, want+1)
		}
	}, func(s *mockserver.Server) { s.FulfilmentDelay = time.Hour })
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
