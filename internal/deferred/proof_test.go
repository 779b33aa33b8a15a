// SPDX-License-Identifier: MPL-2.0

package deferred_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// listedAs returns an option for a list whose records are changed.
func listedAs(change func(record map[string]any)) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.ReshapePending(func(record map[string]any) map[string]any {
			change(record)
			return record
		})
	}
}

// While the list holds the request in any of these ways, it is not said to be fulfilled, nor
// to have been dropped.
func TestDeferred_heldRequestIsNeverFulfilled(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(record map[string]any){
		"lower case":      func(r map[string]any) { r["identityId"] = strings.ToLower(fmt.Sprint(r["identityId"])) },
		"percent-encoded": func(r map[string]any) { r["identityId"] = url.QueryEscape(fmt.Sprint(r["identityId"])) },
		"decomposed": func(r map[string]any) {
			r["identityId"] = strings.ReplaceAll(fmt.Sprint(r["identityId"]), "é", "e\u0301")
		},
		"part of a longer text": func(r map[string]any) { r["identityId"] = "user:" + fmt.Sprint(r["identityId"]) },
		"an object":             func(r map[string]any) { r["identityId"] = map[string]any{"id": r["identityId"]} },
		"somebody else":         func(r map[string]any) { r["identityId"] = "4711" },
		"nobody":                func(r map[string]any) { delete(r, "identityId") },
		"another id":            func(r map[string]any) { r["id"] = "a-" + fmt.Sprint(r["id"]) },
		"another id and lower case": func(r map[string]any) {
			r["id"], r["identityId"] = "a-"+fmt.Sprint(r["id"]), strings.ToLower(fmt.Sprint(r["identityId"]))
		},
		"a time of its end, and no status": func(r map[string]any) {
			delete(r, "status")
			r["completedAt"] = nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
				const person = "Jané@example.com"
				service.PutProfile(serverScope, person, `{"plan":"free"}`)
				s, _ := r.mustSubmit(t, r.deletion(person))
				service.DeleteProfile(serverScope, person) // its data are gone before it is over

				s, _ = r.Await(t.Context(), r.deletion(person), s, time.Minute)
				for range 3 {
					if !s.State.IsOpen() {
						t.Fatalf("it is %+v", s)
					}

					<-time.After(time.Minute)
					var err error
					s, _, err = r.Refresh(t.Context(), r.deletion(person), s)
					noError(t, err)
				}
			}, listedAs(change), becomes(mockserver.Outcome{Fate: mockserver.Never}))
		})
	}
}

// One list that does not show the request proves nothing, even if it has shown it before.
func TestDeferred_oneBlankReadingProvesNothing(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		s, _ := r.mustSubmit(t, r.access(nil))
		refresh := func() {
			<-time.After(time.Minute)
			var err error
			s, _, err = r.Refresh(t.Context(), r.access(nil), s)
			noError(t, err)
		}
		refresh()
		wantState(t, s, deferred.Listed)

		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 200, Body: []byte("[]")})
		refresh()
		wantState(t, s, deferred.Listed)
		refresh() // it is there again
		wantState(t, s, deferred.Listed)

		service.FulfilAll()
		refresh()
		wantState(t, s, deferred.Listed)
		refresh()
		wantState(t, s, deferred.Fulfilled)
	}, becomes(mockserver.Outcome{Fate: mockserver.Never}))
}

// Only a request whose status is known to be open is taken over. Once the configuration says
// that the other one is over, the own request is sent.
func TestDeferred_requestThatMayBeOverIsNotAdopted(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(record map[string]any){
		"unknown status":        func(r map[string]any) { r["status"] = "archived" },
		"a time of its end":     func(r map[string]any) { delete(r, "status"); r["completedAt"] = "2019-05-01T00:00:00Z" },
		"open, and with an end": func(r map[string]any) { r["completedAt"] = "2019-05-01T00:00:00Z" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
				service.Enqueue(mockserver.QueuedRequest{ID: "of-2019", Scope: serverScope, Identity: person, Operation: q.operation})
				_, _, err := r.Submit(t.Context(), q.of(r), deferred.Submission{})
				if e := wantClass(t, err, transport.ClassPayload); !strings.Contains(e.Detail, "wire.ended_statuses") {
					t.Errorf("the detail is %s", e.Detail)
				}
				wantCount(t, service, q.operation, 0)
				if name != "unknown status" {
					return
				}

				r = newRun(t, service, func(cfg *client.Config) { cfg.Wire.EndedStatuses = "archived" })
				s, report := r.mustSubmit(t, q.of(r))
				if report.Adopted || s.ID == "of-2019" {
					t.Errorf("%+v %+v", s, report)
				}
				wantCount(t, service, q.operation, 1)
			}, func(s *mockserver.Server) {
				s.ReshapePending(func(record map[string]any) map[string]any {
					if record["id"] == "of-2019" {
						change(record)
					}
					return record
				})
			})
		})
	}
}

// A request that is listed as done is fulfilled, whatever the profile looks like.
func TestDeferred_listedAsDoneIsProofBesideATombstone(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		service.PutProfile(serverScope, person, `{"plan":"free"}`)
		s, _ := r.mustSubmit(t, r.deletion(person))
		service.Conclude(s.ID, mockserver.Outcome{KeepListed: true})
		service.PutProfile(serverScope, person, `{"deletedAt":"2026-01-31T12:00:00Z"}`)
		s, _ = r.Await(t.Context(), r.deletion(person), s, time.Hour)
		wantState(t, s, deferred.Fulfilled)
	}, becomes(mockserver.Outcome{Fate: mockserver.Never}))
}

// oldAnswers are headers of answers that come from a cache, or are older than the request.
var oldAnswers = map[string]http.Header{
	"an Age":      {"Age": {"30"}},
	"an old Date": {"Date": {"Fri, 31 Dec 1999 23:00:00 GMT"}},
}

// Neither do old answers show the effect of a request, also where they say that there is no
// profile.
func TestDeferred_effectOfACacheProvesNothing(t *testing.T) {
	t.Parallel()
	for name, header := range oldAnswers {
		for body, status := range map[string]int{`{"error":{"code":"not_found"}}`: 404, `{}`: 200, `{"plan":"gold"}`: 200} {
			t.Run(name+" "+body, func(t *testing.T) {
				t.Parallel()
				bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
					service.PutProfile(serverScope, person, `{"plan":"free"}`)
					request := r.deletion(person)
					if strings.Contains(body, "gold") {
						request = r.update(gold)
					}

					s, _ := r.mustSubmit(t, request)
					service.Forget(s.ID)
					service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: status, Body: []byte(body), Header: header, Times: -1})

					s, _ = r.Await(t.Context(), request, s, 2*time.Minute)
					wantState(t, s, deferred.Accepted)
				}, becomes(mockserver.Outcome{Fate: mockserver.Never}))
			})
		}
	}
}

// An answer of a cache, or one that is older than the request, proves nothing about it. Each
// look asks caches to ask the service.
func TestDeferred_answerOfACacheProvesNothing(t *testing.T) {
	t.Parallel()
	for name, header := range oldAnswers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
				s, _ := r.mustSubmit(t, r.access(nil))
				s, _ = r.Await(t.Context(), r.access(nil), s, 20*time.Second)
				wantState(t, s, deferred.Listed)

				service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 200, Body: []byte("[]"), Header: header, Times: -1})
				s, report := r.Await(t.Context(), r.access(nil), s, 5*time.Minute)
				if s.State != deferred.Listed || !strings.Contains(report.Gap, "cache") {
					t.Errorf("%+v %+v", s, report)
				}

				for _, got := range service.Requests() {
					if got.Operation == mockserver.OpListPendingRequests && got.Header.Get("Cache-Control") != "no-cache" {
						t.Fatalf("a look has the header %v", got.Header)
					}
				}
			}, becomes(mockserver.Outcome{Fate: mockserver.Never}))
		})
	}
}
