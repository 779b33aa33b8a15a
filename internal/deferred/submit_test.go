// SPDX-License-Identifier: MPL-2.0

package deferred_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// The first list after the lost answer comes from a cache, and the next ones lag.
func TestDeferred_lostAnswerIsFoundAndNothingSentAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockserver.Fault{
		"cut after acceptance":  {Cut: mockserver.CutAfterCommit},
		"500 after acceptance":  {Status: 500, Commit: true},
		"hang after acceptance": {Hang: true, Commit: true},
		"half an answer":        {Cut: mockserver.CutBody, CutAt: 4},
		"a page after it":       {Status: 200, Commit: true, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>ok</p>")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
				_, err := r.CurrentUser(t.Context()) // the connection is a used one: the HTTP stack repeats a GET on those
				noError(t, err)
				fault := fault
				fault.Operation = q.operation
				service.Inject(fault, mockserver.Fault{
					Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 200, Body: []byte("[]"), Header: oldAnswers["an Age"],
				})
				service.SetPendingLag(mockserver.Lag{Looks: 2})

				s, report := r.mustSubmit(t, q.of(r))
				wantState(t, s, proof.Listed)
				wantQueued(t, service, 1)
				if s.ShownID() != service.Queue()[0].ID || report.Adopted || s.At.IsZero() {
					t.Errorf("found %+v %+v", s, report)
				}
				wantCount(t, service, q.operation, 1)
			})
		})
	}
}

// loses submits a request whose answer is lost, and that the list may not show.
func (r run) loses(t *testing.T, service *mocktest.Instance, q deferred.Request, lost mockserver.Fault) proof.Submission {
	t.Helper()
	service.Inject(lost, mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 403, Body: []byte("{}")})
	unknown, _, err := r.Submit(t.Context(), q, proof.Submission{})
	_ = wantClass(t, err, transport.ClassUnknownOutcome)
	return unknown
}

// What becomes of a submission of either queueing call.
func TestDeferred_submission(t *testing.T) {
	t.Parallel()
	// answered is when the answer comes after the interrupt; 0 is never.
	isInterrupted := func(answered time.Duration, lag mockserver.Lag, isKnown bool) func(*testing.T, *mocktest.Instance, run, queueing) {
		return func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()

			service.SetPendingLag(lag)
			interrupted := time.Time{}
			service.Inject(mockserver.Fault{Operation: q.operation, Commit: true, Hang: answered == 0, Then: func() {
				interrupted = time.Now()
				cancel()
				<-time.After(answered)
			}})

			s, _, err := r.Submit(ctx, q.of(r), proof.Submission{})
			if late := time.Since(interrupted); late > 1600*time.Millisecond {
				t.Errorf("it ended %v after the interrupt", late)
			}
			wantQueued(t, service, 1)
			if isKnown {
				noError(t, err)
			} else if e := wantClass(t, err, transport.ClassUnknownOutcome); !e.Queued || s.State != proof.Unanswered {
				t.Errorf("the error is %+v, and the request is %+v", e, s)
			}
			if isFound := s.ShownID() == service.Queue()[0].ID; isFound != isKnown {
				t.Errorf("found %+v", s)
			}
		}
	}

	for name, test := range map[string]func(t *testing.T, service *mocktest.Instance, r run, q queueing){
		"interrupted, and never answered":                         isInterrupted(0, mockserver.Lag{}, true),
		"interrupted, answered after the grace, and not listed":   isInterrupted(1200*time.Millisecond, mockserver.Lag{Looks: 9}, false),
		"interrupted, and answered just before the grace is over": isInterrupted(690*time.Millisecond, mockserver.Lag{Looks: 9}, true),

		// Nothing is sent in place of the request of somebody else that comes to nothing.
		"adopts one that fails": func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
			id := enqueue(service, q.operation, 0)
			s, _ := r.mustSubmit(t, q.of(r))
			time.AfterFunc(time.Minute, func() { service.Conclude(id, mockserver.Outcome{Fate: mockserver.Failed}) })
			s, _ = r.Await(t.Context(), q.of(r), s, 3*time.Hour)
			wantState(t, s, proof.Failed)
			wantQueued(t, service, 1)
			if s.ID != id || !s.IsToSend() {
				t.Errorf("it is %+v", s)
			}

			again := newRun(t, service)
			s, _ = again.mustSubmit(t, q.of(again)) // the next apply
			wantQueued(t, service, 2)
			if s.ID == id || s.Adopted {
				t.Errorf("it stands for the one that failed: %+v", s)
			}
		},

		"is interrupted before sending": func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
			ctx, cancel := context.WithCancel(t.Context())
			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Commit: true, Then: cancel})
			_, _, err := r.Submit(ctx, q.of(r), proof.Submission{})
			if e := wantClass(t, err, transport.ClassCancelled); e.Ambiguous {
				t.Errorf("the error is %+v", e)
			}
			wantQueued(t, service, 0)
		},

		"of a client that is read-only": func(t *testing.T, service *mocktest.Instance, _ run, q queueing) {
			r := newRun(t, service, func(cfg *client.Config) { cfg.ReadOnly = true })
			_, _, err := r.Submit(t.Context(), q.of(r), proof.Submission{})
			_ = wantClass(t, err, transport.ClassReadOnly)
			wantCount(t, service, q.operation, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachQueueing(t, test)
		})
	}
}

// What is known of other requests about the person decides whether one is sent.
func TestDeferred_submissionBesideOthers(t *testing.T) {
	t.Parallel()
	pending := func(s *mockserver.Server) { s.FulfilmentDelay = time.Hour }
	listedLater := func(s *mockserver.Server) {
		s.FulfilmentDelay = time.Hour
		s.SetPendingLag(mockserver.Lag{Time: 5 * time.Second})
	}

	isLostUpdate := func(cut mockserver.Cut, sends int) func(*testing.T, *mocktest.Instance, run) {
		return func(t *testing.T, service *mocktest.Instance, r run) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateProfile, Cut: cut})
			r.mustSubmit(t, r.update(gold))
			wantQueued(t, service, 1)
			wantCount(t, service, mockserver.OpUpdateProfile, sends)
		}
	}

	play(t, map[string]scenario{
		"lost update that is pending":    {pending, isLostUpdate(mockserver.CutAfterCommit, 1)},
		"lost update that never arrived": {pending, isLostUpdate(mockserver.CutBeforeCommit, 2)},

		"lost update that never arrived, and is refused the second time": {pending, func(t *testing.T, service *mocktest.Instance, r run) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateProfile, Cut: mockserver.CutBeforeCommit}, mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: 422})
			_, _, err := r.Submit(t.Context(), r.update(gold), proof.Submission{})
			if e := wantClass(t, err, transport.ClassUnknownOutcome); !strings.Contains(e.Detail, "rejected the request") {
				t.Errorf("the error is %+v", e)
			}
		}},

		"lost deletion that is sought in a cached listing first": {pending, func(t *testing.T, service *mocktest.Instance, r run) {
			lost := mockserver.Fault{Operation: mockserver.OpDeleteAllData, Cut: mockserver.CutBeforeCommit}
			service.Inject(lost, mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 200, Body: []byte("[]"), Header: oldAnswers["an Age"]})
			_, _, err := r.Submit(t.Context(), r.deletion(person), proof.Submission{})
			if e := wantClass(t, err, transport.ClassUnknownOutcome); strings.Contains(e.Detail, "cannot be read") || !strings.Contains(e.Detail, "no such request is pending") {
				t.Errorf("it says %q", e.Detail)
			}
		}},

		"listing for another person while it is sent": {pending, func(t *testing.T, service *mocktest.Instance, r run) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpDeleteAllData, Delay: 3 * time.Second, Commit: true})
			time.AfterFunc(2*time.Second, func() {
				r.Await(t.Context(), r.access(nil), proof.Submission{State: proof.Accepted, ID: "1"}, time.Second/2)
			})
			s, _ := r.mustSubmit(t, r.deletion("user-1001"))
			s, _ = r.mustRefresh(t, r.deletion("user-1001"), s, 0)
			wantState(t, s, proof.Listed)
		}},

		"effect that cannot be read before it is sent": {pending, func(t *testing.T, service *mocktest.Instance, r run) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 403})
			if s, _ := r.mustSubmit(t, r.deletion(person)); !s.Explained {
				t.Error("the effect counts, although nobody knows whether it was there before")
			}
		}},

		// The second request of a run conflicts, or is adopted, even if the list does not show the
		// first one yet.
		"conflict of this run": {listedLater, func(t *testing.T, _ *mocktest.Instance, r run) {
			r.mustSubmit(t, r.update(gold))
			_, _, err := r.Submit(t.Context(), r.deletion(person), proof.Submission{})
			_ = wantClass(t, err, transport.ClassConflict)
		}},

		"equal one of this run": {listedLater, func(t *testing.T, service *mocktest.Instance, r run) {
			first, _ := r.mustSubmit(t, r.deletion(person))
			another := r.deletion(person)
			another.IdempotencyKey = "another"
			if s, report := r.mustSubmit(t, another); !report.Adopted || s.ShownID() != first.ID {
				t.Errorf("%+v %+v", s, report)
			}
			wantCount(t, service, mockserver.OpDeleteAllData, 1)
		}},
		"conflict sent since the list was read for another person": {pending, func(t *testing.T, service *mocktest.Instance, r run) {
			r.mustSubmit(t, r.deletion("user-1001"))
			<-time.After(2 * time.Second)
			enqueue(service, mockserver.OpUpdateProfile, 0)
			_, _, err := r.Submit(t.Context(), r.deletion(person), proof.Submission{})
			_ = wantClass(t, err, transport.ClassConflict)
			wantCount(t, service, mockserver.OpDeleteAllData, 1)
		}},

		"conflict with one of an unknown status": {pending, func(t *testing.T, service *mocktest.Instance, r run) {
			service.Conclude(enqueue(service, mockserver.OpGetAllData, time.Minute), mockserver.Outcome{KeepListed: true, FinalStatus: "delivered"})
			_, _, err := r.Submit(t.Context(), r.deletion(person), proof.Submission{})
			e := wantClass(t, err, transport.ClassConflict)
			if strings.Contains(e.Detail, "delivered") || !strings.Contains(e.Detail, "wire.pending.statuses") {
				t.Errorf("the detail is %q", e.Detail)
			}
		}},

		"conflict with an id that names the person": {pending, func(t *testing.T, service *mocktest.Instance, r run) {
			service.Enqueue(mockserver.QueuedRequest{ID: "del-customer-4711", Scope: serverScope, Identity: "customer-4711", Operation: mockserver.OpGetAllData})
			_, _, err := r.Submit(t.Context(), r.deletion("customer-4711"), proof.Submission{})
			if e := wantClass(t, err, transport.ClassConflict); strings.Contains(e.Detail, "4711") || !strings.Contains(e.Detail, "request del-[redacted] (") {
				t.Errorf("the detail is %q", e.Detail)
			}
		}},

		// A second object of the same run does not send what the first one may have sent: the
		// user has not seen its error yet.
		"unknown outcome of the same run": {becomes(mockserver.Outcome{After: -1}), func(t *testing.T, service *mocktest.Instance, r run) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpDeleteAllData, Cut: mockserver.CutAfterCommit})
			for range 2 { // the person has no profile, so that no effect tells
				_, _, err := r.Submit(t.Context(), r.deletion(person), proof.Submission{})
				_ = wantClass(t, err, transport.ClassUnknownOutcome)
			}
			wantCount(t, service, mockserver.OpDeleteAllData, 1)
		}},

		// An unknown outcome says nothing about a request for another key: that one is sent,
		// even if what the service shows is the effect of the first.
		"unknown outcome of another key": {becomes(mockserver.Outcome{After: -1}), func(t *testing.T, service *mocktest.Instance, r run) {
			service.PutProfile(serverScope, person, `{"plan":"free"}`)
			monday := r.deletion(person)
			monday.IdempotencyKey = "monday"
			unknown := r.loses(t, service, monday, mockserver.Fault{Operation: mockserver.OpDeleteAllData, Cut: mockserver.CutAfterCommit})

			<-time.After(time.Minute)
			again := newRun(t, service)
			friday := again.deletion(person)
			friday.IdempotencyKey = "friday"
			_, _, err := again.Submit(t.Context(), friday, unknown)
			noError(t, err)
			wantQueued(t, service, 2)
		}},

		// Who learns that the list lags for longer sets that, and the next run does not send it again.
		"unknown outcome of a run that took the lag for too short": {never, func(t *testing.T, service *mocktest.Instance, r run) {
			service.PutProfile(serverScope, person, `{"plan":"free"}`)
			service.SetPendingLag(mockserver.Lag{Time: 5 * time.Minute})
			service.Inject(mockserver.Fault{Operation: mockserver.OpDeleteAllData, Cut: mockserver.CutAfterCommit})
			lost, _, err := r.Submit(t.Context(), r.deletion(person), proof.Submission{})
			_ = wantClass(t, err, transport.ClassUnknownOutcome)
			wantState(t, lost, proof.Unanswered)

			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 500})
			again := newRun(t, service, func(cfg *client.Config) { cfg.Wire.Lag, cfg.MaxRetries = "10m", 0 })
			s, _, err := again.Submit(t.Context(), again.deletion(person), lost)
			noError(t, err)
			wantOurs(t, service, s, 0)
			wantCount(t, service, mockserver.OpDeleteAllData, 1)
		}},
	})
}

// A listing that began before a submission ended proves nothing about it, even if it ends
// afterwards, and even if the list never lags.
func TestDeferred_twoDeletionsAtOnceSendOne(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
		service.FulfilmentDelay = time.Hour
		service.PutProfile(serverScope, person, `{"plan":"free"}`)
		// Each listing is slow, and shows the state in which it began.
		service.FaultFor = func(got mockserver.Request) *mockserver.Fault {
			if got.Operation != mockserver.OpListPendingRequests {
				return nil
			}
			return &mockserver.Fault{Commit: true, Hang: false, Then: func() { <-time.After(900 * time.Millisecond) }}
		}

		r := newRun(t, service, func(cfg *client.Config) { cfg.Wire.Lag = "0s" })
		var group sync.WaitGroup
		for i, key := range []string{"friday", "monday", "sunday"} {
			group.Go(func() {
				<-time.After(time.Duration(i) * 400 * time.Millisecond)
				q := r.deletion(person)
				q.IdempotencyKey = key
				if _, _, err := r.Submit(t.Context(), q, proof.Submission{}); err != nil {
					t.Error(err)
				}
			})
		}

		group.Wait()
		wantQueued(t, service, 1)
	})
}

// The run that sent the request, or saw it leave the list, had a clock that is an hour behind.
func TestDeferred_clockOfAnotherMachineProvesNothing(t *testing.T) {
	t.Parallel()
	anHourAgo := func(s proof.Submission) proof.Submission {
		s.Begun, s.At, s.Sent = s.Begun.Add(-time.Hour), s.At.Add(-time.Hour), s.Sent.Add(-time.Hour)
		if !s.Absent.At.IsZero() {
			s.Absent.At = s.Absent.At.Add(-time.Hour)
		}
		return s
	}

	eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
		unknown := r.loses(t, service, q.of(r), mockserver.Fault{Operation: q.operation, Cut: mockserver.CutAfterCommit})
		service.SetPendingLag(mockserver.Lag{Looks: 3})
		again := newRun(t, service)
		s, _, err := again.Submit(t.Context(), q.of(again), anHourAgo(unknown))
		noError(t, err)
		wantQueued(t, service, 1)

		for range 3 {
			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 200, Body: []byte("[]")})
			again = newRun(t, service)
			s, _ = again.mustRefresh(t, q.of(again), anHourAgo(s), time.Second)
			wantState(t, s, proof.Listed)
		}
	})
}

// Times that are computed from the service's clock are kept in private state, as RFC 3339 has them.
func TestDeferred_lastYearOfTheServiceIsNoDate(t *testing.T) {
	t.Parallel()
	eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Times: -1, Header: map[string][]string{"Date": {"Fri, 31 Dec 9999 23:59:59 GMT"}}})
		s, _ := r.mustSubmit(t, q.of(r))
		if text, err := json.Marshal(s); err != nil {
			t.Errorf("private state has %s: %v", text, err)
		}
	})
}
