// SPDX-License-Identifier: MPL-2.0

package deferred_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// becomes returns a setting of the server that decides what happens to every request that
// is accepted.
func becomes(o mockserver.Outcome) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return o }
	}
}

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

				s, report := r.Await(t.Context(), q, s, time.Hour)
				wantState(t, s, tc.state)
				if report.Code != tc.code || report.UnknownStatus != tc.unknown || report.Err != nil {
					t.Errorf("the report is %+v", report)
				}

				again, _, err := r.Refresh(t.Context(), q, s)
				noError(t, err)
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
	old := map[string]mockserver.Outcome{
		"an old one that failed":    {Fate: mockserver.Failed, Code: "E_OLD"},
		"an old one that is done":   {KeepListed: true},
		"an old one that is closed": {KeepListed: true, FinalStatus: "expired"},
	}

	answers := map[string]func(map[string]any) any{
		"with an id":    func(r map[string]any) any { return r },
		"without an id": func(map[string]any) any { return map[string]any{"ok": true} },
	}

	for name, outcome := range old {
		for answered, answer := range answers {
			t.Run(name+", answered "+answered, func(t *testing.T) {
				t.Parallel()
				eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
					for i := range 3 {
						id := service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: person, Operation: q.operation, At: time.Now().Add(-time.Duration(i+1) * time.Hour)})
						service.Conclude(id, outcome)
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
				}, func(s *mockserver.Server) { s.ReshapeReceipts(answer) })
			})
		}
	}
}

// A request without an ID may appear beside an older one that the list did not show
// before. As long as one of them is pending, it is ours.
func TestDeferred_pendingRecordIsOursRatherThanOneThatIsOver(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]mockserver.Outcome{"failed": {Fate: mockserver.Failed}, "done": {KeepListed: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
				s, _ := r.mustSubmit(t, q.of(r))
				theirs := service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: person, Operation: q.operation, At: time.Now().Add(-time.Minute)})
				service.Conclude(theirs, over)
				service.PutProfile(serverScope, person, `{"plan":"free"}`)

				s, _ = r.Await(t.Context(), q.of(r), s, 3*time.Minute)
				wantState(t, s, deferred.Listed)
				if ours := service.Queue()[0].ID; s.ID != ours {
					t.Errorf("the request is taken for %q, and ours is %q", s.ID, ours)
				}
			}, func(s *mockserver.Server) {
				s.ReshapeReceipts(func(map[string]any) any { return map[string]any{"ok": true} })
			})
		})
	}
}

// What this process has sent is not taken for a later request without an ID, even if the
// list did not show it when that one was sent.
func TestDeferred_earlierRequestOfThisProcessIsNotTakenForALaterOne(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		r.mustSubmit(t, r.update(gold))
		<-time.After(4 * time.Second) // so that the list shows the first for a while before the second
		service.ReshapeReceipts(func(map[string]any) any { return map[string]any{"ok": true} })
		silver := r.update(map[string]jsontext.Value{"plan": jsontext.Value(`"silver"`)})
		s, _ := r.mustSubmit(t, silver)

		s, _ = r.Await(t.Context(), silver, s, time.Minute)
		wantState(t, s, deferred.Listed)
		if ours := service.Queue()[1].ID; s.ID != ours {
			t.Errorf("the request is taken for %q, and ours is %q", s.ID, ours)
		}
	}, func(s *mockserver.Server) {
		s.FulfilmentDelay, s.PendingLag = time.Hour, mockserver.Lag{Time: 5 * time.Second}
		s.RenamePending("createdAt", "")
	})
}

// A record that is over at once is that of a request without an ID, if it is from the time when
// the request was sent.
func TestDeferred_failureOfARequestWithoutAnID(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		service.ReshapeReceipts(func(map[string]any) any { return map[string]any{"ok": true} })
		s, _ := r.mustSubmit(t, r.deletion(person))
		s, _ = r.Await(t.Context(), r.deletion(person), s, time.Minute)
		wantState(t, s, deferred.Failed)
	}, becomes(mockserver.Outcome{Fate: mockserver.Failed, After: -1}))
}

// An effect counts only if it was absent before. Otherwise the list decides: once it has
// shown the request, or after the time that it may lag.
func TestDeferred_effectThatWasThereBeforeProvesNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		profile string
		lag     time.Duration
		atLeast time.Duration
	}{
		"no profile, and the list lags": {"", 5 * time.Second, 5 * time.Minute},
		"a profile, and the list lags":  {`{"plan":"free"}`, 5 * time.Second, 5 * time.Minute},
		"no profile":                    {"", 0, 5 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
				if tc.profile != "" {
					service.PutProfile(serverScope, person, tc.profile)
				}

				began := time.Now()
				s, _ := r.mustSubmit(t, r.deletion(person))
				s, _ = r.Await(t.Context(), r.deletion(person), s, 10*time.Minute)
				wantState(t, s, deferred.Fulfilled)
				if took := time.Since(began); took < tc.atLeast {
					t.Errorf("it is said to be fulfilled after %v", took)
				}
			}, func(s *mockserver.Server) {
				s.FulfilmentDelay, s.PendingLag = 5*time.Minute, mockserver.Lag{Time: tc.lag}
			})
		})
	}
}

// A request that is gone, and its effect cannot be seen is fulfilled once the effect is there,
// even if it was there before the request was sent: the list has shown that the request is
// over.
func TestDeferred_droppedRequestIsFulfilledOnceItsEffectIsVisible(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		s, _ := r.mustSubmit(t, r.deletion(person)) // of a person without a profile
		service.PutProfile(serverScope, person, `{"plan":"free"}`)
		s, _ = r.Await(t.Context(), r.deletion(person), s, time.Hour)
		wantState(t, s, deferred.Dropped)

		service.DeleteProfile(serverScope, person)
		s, _, err := r.Refresh(t.Context(), r.deletion(person), s)
		noError(t, err)
		wantState(t, s, deferred.Fulfilled)
	}, becomes(mockserver.Outcome{Fate: mockserver.Vanished, After: time.Minute}))
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
			<-time.After(time.Hour)
			var err error
			s, report, err = r.Refresh(t.Context(), r.deletion(person), s)
			noError(t, err)
			wantCount(t, service, mockserver.OpListPendingRequests, looks+1)
		}
	}, becomes(mockserver.Outcome{After: -1}))
}

func TestDeferred_waitThatMayNotLookSaysWhy(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		s, _ := r.mustSubmit(t, r.deletion(person))
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 403, Body: []byte("{}"), Times: -1})

		s, report := r.Await(t.Context(), r.deletion(person), s, time.Hour)
		_ = wantClass(t, report.Err, transport.ClassForbidden)
		if !s.State.IsOpen() {
			t.Errorf("the request is %+v", s)
		}
	}, func(s *mockserver.Server) { s.FulfilmentDelay = time.Hour })
}

func TestDeferred_readingThatBeganBeforeTheRequestProvesNothing(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		// The first look gets an old list, long after the request was sent.
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 200, Body: []byte("[]"), Delay: 8 * time.Second})

		s, _ := r.mustSubmit(t, r.access(nil))
		began := time.Now()
		s, _ = r.Await(t.Context(), r.access(nil), s, time.Hour)
		wantState(t, s, deferred.Fulfilled)
		if took := time.Since(began); took < 9*time.Minute {
			t.Errorf("the wait was over after %v", took)
		}
	}, func(s *mockserver.Server) { s.FulfilmentDelay = 10 * time.Minute })
}

func TestDeferred_manyWaitersPollNoMoreThanOne(t *testing.T) {
	t.Parallel()
	polls := func(t *testing.T, waiters int) (count int) {
		t.Helper()
		bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			var wg sync.WaitGroup
			for i := range waiters {
				identity := fmt.Sprint("user-", i)
				id := service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: identity, Operation: mockserver.OpDeleteAllData})
				wg.Go(func() {
					r.Await(ctx, r.deletion(identity), deferred.Submission{State: deferred.Accepted, ID: id}, time.Hour)
				})
			}

			wg.Wait()
			count = service.Count(mockserver.OpListPendingRequests)
		}, becomes(mockserver.Outcome{Fate: mockserver.Never}))

		return count
	}

	waiters := soak.Size(soak.Raced(20, 50), 1000)
	one, many := polls(t, 1), polls(t, waiters)
	if many > one+one/5+2 {
		t.Errorf("one waiter polls %d times in five minutes, %d of them %d times", one, waiters, many)
	}
}

func TestDeferred_longWaitEndsWithItsContextAndLeavesNothing(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		s, _ := r.mustSubmit(t, r.deletion(person))
		hours := soak.Size(soak.Raced(1, 3), 24)
		limit := time.Duration(hours) * time.Hour
		began := time.Now()
		s, report := r.Await(t.Context(), r.deletion(person), s, limit)
		if !s.State.IsOpen() || report.Err != nil || report.Interrupted {
			t.Errorf("%+v %+v", s, report)
		}
		if late := time.Since(began) - limit; late > 50*time.Millisecond {
			t.Errorf("the wait ended %v late", late)
		}
		if polls := service.Count(mockserver.OpListPendingRequests); polls > 170+130*hours {
			t.Errorf("%d polls in %d hours", polls, hours)
		}
	}, becomes(mockserver.Outcome{Fate: mockserver.Never}))
}

func TestDeferred_profileUpdateIsSentExactlyAndAwaited(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		service.PutProfile(serverScope, person, `{"theirs":1}`)
		changes, err := jsonvalue.ParseObject(`{"big":9007199254740993,"ratio":1.0,"zero":-0,"text":"<&\u2028>","nested":{"list":[1,"a",null,{"b":true}]}}`)
		noError(t, err)
		q := r.update(changes)
		q.EffectKnownAbsent = true

		s, _ := r.mustSubmit(t, q)
		s, _ = r.Await(t.Context(), q, s, time.Hour)
		wantState(t, s, deferred.Fulfilled)

		p, err := r.GetProfile(t.Context(), scope, person, nil)
		noError(t, err)
		if string(p.Members["big"]) != "9007199254740993" || string(p.Members["theirs"]) != "1" || !p.Holds(changes) {
			t.Errorf("the profile is %s", p.Members)
		}
		wantCount(t, service, mockserver.OpUpdateProfile, 1)
		wantCount(t, service, mockserver.OpGetProfile, 2) // once for the wait, once for this test
	}, func(s *mockserver.Server) { s.FulfilmentDelay = 40 * time.Second })
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
