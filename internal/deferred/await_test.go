// SPDX-License-Identifier: MPL-2.0

package deferred_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// A request that leaves the list after a status that is not known says so.
func TestDeferred_requestThatLeavesWithAnUnknownStatus(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, _ *mocktest.Instance, r run) {
		s, _ := r.mustSubmit(t, r.access(nil))
		s, report := r.Await(t.Context(), r.access(nil), s, time.Hour)
		wantState(t, s, proof.Accepted)
		if !report.Unproven || !strings.Contains(report.Gap, "wire.pending.statuses") {
			t.Errorf("%+v", report)
		}
	}, becomes(mockserver.Outcome{After: 10 * time.Second, Status: "closed"}))
}

// The refreshes of one run share a listing, also those that come while it is read. Another
// refresh of the same request looks again.
func TestDeferred_refreshesShareAListing(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		const people = 100
		var sent [people]proof.Submission
		refreshAll := func() {
			var group sync.WaitGroup
			for i := range people {
				group.Go(func() {
					<-time.After(time.Duration(i/10) * 2 * time.Second)
					s, _, err := r.Refresh(t.Context(), r.deletion(fmt.Sprint("user-", i)), sent[i])
					sent[i] = s
					if err != nil || s.State != proof.Listed {
						t.Errorf("%+v: %v", s, err)
					}
				})
			}
			group.Wait()
		}

		for i := range people {
			service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: fmt.Sprint("user-", i), Operation: mockserver.OpDeleteAllData})
			later := time.Now().Add(time.Hour) // by the clock of another machine
			sent[i] = proof.Submission{State: proof.Accepted, ID: fmt.Sprint("request-", i+1), Sent: later, Seen: later}
		}
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Delay: 3 * time.Second, Commit: true})
		for want := range 2 {
			refreshAll()
			wantCount(t, service, mockserver.OpListPendingRequests, want+1)
		}
	}, within(time.Hour))
}

// answerLikeData is an answer that looks like a person's data.
const answerLikeData = `{"profile":{"name":"Jane"},"events":[{"type":"click"}]}`

func withProfileInData(cfg *client.Config) {
	at := jsontext.Pointer("/profile")
	cfg.Wire.AllData.At = &at
}

// While a request is pending for the person, or may be because the list cannot be read, no
// answer is the data. If the list can be read later, the answer stays the data until then.
func TestDeferred_answerThatLooksLikeTheData(t *testing.T) {
	t.Parallel()
	noPerson := func(s *mockserver.Server) { s.RenamePending("identityId", "") }
	listIsDown := func(s *mockserver.Server) {
		s.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 500})
	}
	isCut := func(s *mockserver.Server) {
		s.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Times: -1, Body: []byte(`{"requests":[],"has_more":true}`)})
	}
	later, soon, atOnce := mockserver.Outcome{After: time.Minute}, mockserver.Outcome{After: 5 * time.Second}, mockserver.Outcome{After: -1}
	ended := mockserver.Outcome{After: -1, KeepListed: true, FinalStatus: "archived"}
	for name, tc := range map[string]struct {
		outcome   mockserver.Outcome
		configure func(*mockserver.Server)
		use       string // of the list
		state     proof.State
	}{
		"beside a pending request":            {later, becomes(later), "", proof.Listed},
		"beside one that is carried out soon": {soon, becomes(soon), "", proof.Listed},
		"beside an unreadable list":           {later, noPerson, "", proof.Accepted},
		"beside a list that is cut":           {later, isCut, "", proof.Accepted},
		"while the list is down for a moment": {atOnce, listIsDown, "", proof.Fulfilled},
		"beside a request that has ended":     {ended, becomes(ended), "", proof.Fulfilled},
		"while the list is not read":          {later, becomes(later), client.ListIgnored, proof.Fulfilled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
				r := newRun(t, service, withProfileInData, func(cfg *client.Config) {
					cfg.Wire.Pending.Use = tc.use
					cfg.Wire.Pending.Statuses, cfg.MaxRetries = map[string][]string{decode.StatusEnded: {"archived"}}, 0
				})
				var file strings.Builder
				s, report := r.mustSubmit(t, r.access(&file))
				wantState(t, s, tc.state)

				isUnreadable := report.Gap != ""
				if report.Delivered != (tc.state == proof.Fulfilled) || isUnreadable != (tc.state == proof.Accepted) {
					t.Errorf("%+v %+v", s, report)
				}
				if report.Delivered && file.String() != answerLikeData {
					t.Errorf("the data is %s", file.String())
				}
			}, mocktest.AnswerQueueing(200, answerLikeData), tc.configure, becomes(tc.outcome))
		})
	}
}

// Larger than an acknowledgement may be; in a soak, larger than an answer in memory.
func TestDeferred_dataOfAnySize(t *testing.T) {
	t.Parallel()
	large := `{"events":["x"` + strings.Repeat(`,"`+strings.Repeat("y", 1<<16)+`"`, soak.Size(1<<20, 2*transport.LimitJSON)>>16) + `]}`
	bubble(t, func(t *testing.T, _ *mocktest.Instance, r run) {
		s, _ := r.mustSubmit(t, r.access(io.Discard))
		s, _ = r.Await(t.Context(), r.access(nil), s, time.Hour)
		wantState(t, s, proof.Fulfilled)

		var file strings.Builder
		fetch := r.access(nil)
		fetch.Send = func(ctx context.Context) (decode.Receipt, error) {
			return r.FetchData(ctx, about, decode.DataCall{Seen: true}, &file)
		}
		s, _ = r.mustSubmit(t, fetch)
		wantState(t, s, proof.Fulfilled)
		if file.String() != large {
			t.Errorf("%d bytes of %d", file.Len(), len(large))
		}
	}, mocktest.AnswerData(large), within(time.Minute))
}

// The answers after a slow list are not older than the request.
func TestDeferred_slowListBeforeSending(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Delay: 5 * time.Second, Commit: true})
		s, _ := r.mustSubmit(t, r.access(nil))
		s, report := r.mustRefresh(t, r.access(nil), s, 0)
		wantState(t, s, proof.Listed)
		if report.Gap != "" {
			t.Errorf("the list is not understood: %s", report.Gap)
		}
	}, within(time.Hour))
}
