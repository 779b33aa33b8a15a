// SPDX-License-Identifier: MPL-2.0

package deferred_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// cached is an empty list that a cache has kept.
var cached = mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 200, Body: []byte("[]"), Header: oldAnswers["an Age"]}

// The first list after the lost answer comes from a cache, and the next ones lag.
func TestDeferred_lostAnswerIsFoundAndNothingSentAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockserver.Fault{
		"cut after acceptance":  {Cut: mockserver.CutAfterCommit},
		"500 after acceptance":  {Status: 500, Commit: true},
		"409 after acceptance":  {Status: 409, Commit: true},
		"303 after acceptance":  {Status: 303, Commit: true, Header: map[string][]string{"Location": {"/v1/requests/1"}}},
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
				service.Inject(fault, cached)
				service.SetPendingLag(mockserver.Lag{Looks: 2})

				s, report := r.mustSubmit(t, q.of(r))
				wantOurs(t, service, s)
				if report.Adopted || s.At.IsZero() {
					t.Errorf("found %+v %+v", s, report)
				}
				wantCount(t, service, q.operation, 1)
			})
		})
	}
}

// An interrupt ends a submission within two seconds, and what may have been accepted by then is an unknown outcome.
func TestDeferred_interruptedSubmission(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answered time.Duration // after the interrupt; 0 is never
		lag      mockserver.Lag
		isKnown  bool
	}{
		"never answered":                         {0, mockserver.Lag{}, true},
		"answered after the grace, not listed":   {1200 * time.Millisecond, mockserver.Lag{Looks: 9}, false},
		"answered just before the grace is over": {690 * time.Millisecond, mockserver.Lag{Looks: 9}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				service.SetPendingLag(c.lag)
				interrupted := time.Time{}
				service.Inject(mockserver.Fault{Operation: q.operation, Commit: true, Hang: c.answered == 0, Then: func() {
					interrupted = time.Now()
					cancel()
					<-time.After(c.answered)
				}})

				s, _, err := r.Submit(ctx, q.of(r), proof.Submission{})
				if late := time.Since(interrupted); late > 1600*time.Millisecond {
					t.Errorf("it ended %v after the interrupt", late)
				}
				wantQueued(t, service, 1)
				if !c.isKnown {
					if e := wantClass(t, err, transport.ClassUnknownOutcome); !e.Ambiguous || s.State != proof.Unanswered {
						t.Errorf("the error is %+v, and the request is %+v", e, s)
					}
					return
				}
				noError(t, err)
				if s.ShownID() != service.Queue()[0].ID {
					t.Errorf("found %+v", s)
				}
			})
		})
	}
}

// A run that is interrupted while it waits for the person, or reads the list, has sent nothing and says so.
func TestDeferred_interruptBeforeSending(t *testing.T) {
	t.Parallel()
	eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
		ctx, cancel := context.WithCancel(t.Context())
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Commit: true, Delay: time.Second, Then: cancel})
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				_, _, err := r.Submit(ctx, q.of(r), proof.Submission{})
				if e := wantClass(t, err, transport.ClassCancelled); e.Ambiguous || e.Operation == "" {
					t.Errorf("the error is %+v", e)
				}
			})
		}
		group.Wait()
		wantQueued(t, service, 0)
	})
}

// lost makes the service lose the answer to a request, before or after it has accepted it.
func lost(operation string, cut mockserver.Cut) mockserver.Fault {
	return mockserver.Fault{Operation: operation, Cut: cut}
}

// What is known of other requests about the person decides whether one is sent.
func TestDeferred_submissionBesideOthers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T, service *mocktest.Instance, r run){
		"lost update that never arrived": func(t *testing.T, service *mocktest.Instance, r run) {
			service.Inject(lost(mockserver.OpUpdateProfile, mockserver.CutBeforeCommit))
			r.mustSubmit(t, r.update(gold))
			wantQueued(t, service, 1)
		},
		"lost update that never arrived, and is refused the second time": func(t *testing.T, service *mocktest.Instance, r run) {
			service.Inject(lost(mockserver.OpUpdateProfile, mockserver.CutBeforeCommit), mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: 422})
			_, _, err := r.Submit(t.Context(), r.update(gold), proof.Submission{})
			if e := wantClass(t, err, transport.ClassUnknownOutcome); !strings.Contains(e.Detail, "rejected the request") {
				t.Errorf("the error is %+v", e)
			}
		},

		"conflict sent since the list was read for another person": func(t *testing.T, service *mocktest.Instance, r run) {
			r.mustSubmit(t, r.deletion("user-1001"))
			<-time.After(2 * time.Second)
			enqueue(service, mockserver.OpUpdateProfile, 0)
			_, _, err := r.Submit(t.Context(), r.deletion(person), proof.Submission{})
			_ = wantClass(t, err, transport.ClassConflict)
			wantCount(t, service, mockserver.OpDeleteAllData, 1)
		},
		"conflict with an id that names the person, and an unknown status": func(t *testing.T, service *mocktest.Instance, r run) {
			service.Enqueue(mockserver.QueuedRequest{ID: "del-customer-4711", Scope: serverScope, Identity: "customer-4711", Operation: mockserver.OpGetAllData})
			service.Conclude("del-customer-4711", mockserver.Outcome{KeepListed: true, FinalStatus: "delivered"})
			_, _, err := r.Submit(t.Context(), r.deletion("customer-4711"), proof.Submission{})
			e := wantClass(t, err, transport.ClassConflict)
			isQuoted := strings.Contains(e.Detail, "4711") || strings.Contains(e.Detail, "delivered")
			if isQuoted || !strings.Contains(e.Detail, "del-[redacted]") || !strings.Contains(e.Detail, "wire.pending.statuses") {
				t.Errorf("the detail is %q", e.Detail)
			}
		},

		// The user has not seen the error of the first object yet. No effect tells of a person without a profile.
		"unknown outcome of the same run": func(t *testing.T, service *mocktest.Instance, r run) {
			service.SetPendingLag(mockserver.Lag{Time: time.Hour})
			service.Inject(lost(mockserver.OpDeleteAllData, mockserver.CutAfterCommit))
			for range 2 {
				_, _, err := r.Submit(t.Context(), r.deletion("user-1001"), proof.Submission{})
				_ = wantClass(t, err, transport.ClassUnknownOutcome)
			}
			wantCount(t, service, mockserver.OpDeleteAllData, 1)
		},

		// An unknown outcome says nothing about a request for another key: that one is sent, even if what the
		// service shows is the effect of the first.
		"unknown outcome of another key": func(t *testing.T, service *mocktest.Instance, r run) {
			service.FulfilmentDelay = time.Minute
			service.SetPendingLag(mockserver.Lag{Time: time.Hour})
			service.Inject(lost(mockserver.OpDeleteAllData, mockserver.CutAfterCommit))
			monday := r.deletion(person)
			monday.IdempotencyKey = "monday"
			unknown, _, err := r.Submit(t.Context(), monday, proof.Submission{})
			_ = wantClass(t, err, transport.ClassUnknownOutcome)

			<-time.After(time.Minute)
			again := newRun(t, service)
			_, _, err = again.Submit(t.Context(), again.deletion(person), unknown)
			noError(t, err)
			wantQueued(t, service, 2)
		},

		// Who learns that the list lags for longer sets that, and the next run does not send it again.
		"unknown outcome of a run that took the lag for too short": func(t *testing.T, service *mocktest.Instance, r run) {
			service.SetPendingLag(mockserver.Lag{Time: 5 * time.Minute})
			service.Inject(lost(mockserver.OpDeleteAllData, mockserver.CutAfterCommit))
			unknown, _, err := r.Submit(t.Context(), r.deletion(person), proof.Submission{})
			_ = wantClass(t, err, transport.ClassUnknownOutcome)

			again := newRun(t, service, func(cfg *client.Config) { cfg.Wire.Lag = "10m" })
			s, _, err := again.Submit(t.Context(), again.deletion(person), unknown)
			noError(t, err)
			wantOurs(t, service, s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, test, within(time.Hour), func(s *mockserver.Server) { s.PutProfile(serverScope, person, `{"plan":"free"}`) })
		})
	}
}

// A listing that began before a submission ended proves nothing about it, even if it ends
// afterwards, and even if the list never lags.
func TestDeferred_deletionsAtOnceSendOne(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
		// Each listing is slow, and shows the state in which it began.
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Commit: true, Then: func() { <-time.After(900 * time.Millisecond) }, Times: -1})
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
	}, within(time.Hour))
}
