// SPDX-License-Identifier: MPL-2.0

package deferred_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// oldAnswers are headers of answers that come from a cache, or are older than the request.
var oldAnswers = map[string]http.Header{
	"an Age":      {"Age": {"30"}},
	"an old Date": {"Date": {"Fri, 31 Dec 1999 23:00:00 GMT"}},
}

// A list of a cache, or one that is older than the request, proves nothing about it. Each look asks caches
// to ask the service.
func TestDeferred_answerOfACacheProvesNothing(t *testing.T) {
	t.Parallel()
	for name, header := range oldAnswers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
				s, _ := r.mustSubmit(t, r.access(nil))
				s, _ = r.Await(t.Context(), r.access(nil), s, 20*time.Second)
				wantState(t, s, proof.Listed)

				service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 200, Body: []byte("[]"), Header: header, Times: -1})
				s, report := r.Await(t.Context(), r.access(nil), s, 5*time.Minute)
				if s.State != proof.Listed || !strings.Contains(report.Gap, "cache") {
					t.Errorf("%+v %+v", s, report)
				}
				for _, got := range service.Requests() {
					if got.Operation == mockserver.OpListPendingRequests && got.Header.Get("Cache-Control") != "no-cache" {
						t.Fatalf("a look has the header %v", got.Header)
					}
				}
			}, within(time.Hour))
		})
	}
}

// A list that is not understood stops a submission before anything is sent, and the setting that the error
// names ends that.
func TestDeferred_listThatIsNotUnderstoodStopsTheSubmission(t *testing.T) {
	t.Parallel()
	isCut := mockserver.Fault{Operation: mockserver.OpListPendingRequests, Times: -1, Body: []byte(`{"requests":[],"has_more":true}`)}
	isPartial := func(cfg *client.Config) { cfg.Wire.Pending.Use = client.ListPartial }
	for name, c := range map[string]struct {
		configure func(*mockserver.Server)
		setting   string // that the error names
		solved    func(*client.Config)
		adopts    bool // with the setting
	}{
		"person under another name": {
			func(s *mockserver.Server) { s.RenamePending("identityId", "personId") },
			"wire.pending.identity", func(cfg *client.Config) { cfg.Wire.Pending.Identity = "/personId" }, true,
		},
		"no person":          {func(s *mockserver.Server) { s.RenamePending("identityId", "") }, `wire.pending.use = "partial"`, isPartial, false},
		"more than it shows": {func(s *mockserver.Server) { s.Inject(isCut) }, "wire.ignored", isPartial, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
				service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: "somebody else", Operation: q.operation})
				enqueue(service, q.operation, 0)

				_, _, err := r.Submit(t.Context(), q.of(r), proof.Submission{})
				e := wantClass(t, err, transport.ClassPayload)
				isNamed := strings.Contains(strings.ToLower(e.Detail), person) || strings.Contains(e.Detail, "somebody")
				if isNamed || !strings.Contains(e.Detail, c.setting) || !strings.Contains(e.Detail, "nothing was sent") {
					t.Errorf("the detail is %s", e.Detail)
				}
				wantCount(t, service, q.operation, 0)

				solved := newRun(t, service, c.solved)
				s, report := solved.mustSubmit(t, q.of(solved))
				if c.adopts && (!report.Adopted || s.ShownID() != "request-2") {
					t.Errorf("with the setting it is %+v %+v", s, report)
				}
			}, c.configure)
		})
	}
}

// A submission does not look for ever for a lost request. If the user asks for it again, a list that cannot be read
// does not let it be sent again.
func TestDeferred_lostWithoutAList(t *testing.T) {
	t.Parallel()
	for use, isSentAgain := range map[string]bool{client.ListIgnored: true, client.ListWhole: false} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
			service.PutProfile(serverScope, person, `{"plan":"free"}`)
			service.RenamePending("identityId", "")
			fault := lost(mockserver.OpDeleteAllData, mockserver.CutBeforeCommit)
			fault.Then = func() {
				service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: "user-1001", Operation: mockserver.OpDeleteAllData})
			}
			service.Inject(fault)

			uses := func(cfg *client.Config) { cfg.Wire.Pending.Use = use }
			r, began := newRun(t, service, uses), time.Now()
			s, _, err := r.Submit(t.Context(), r.deletion(person), proof.Submission{})
			_ = wantClass(t, err, transport.ClassUnknownOutcome)
			wantCount(t, service, mockserver.OpDeleteAllData, 1)
			if took := time.Since(began); took < r.Lag || took > time.Minute {
				t.Errorf("%s: it took %v", use, took)
			}

			again := newRun(t, service, uses)
			_, _, err = again.Submit(t.Context(), again.deletion(person), s)
			if calls := service.Count(mockserver.OpDeleteAllData); isSentAgain != (err == nil) || isSentAgain != (calls == 2) {
				t.Errorf("%s: the next run ends with %v after %d calls in all", use, err, calls)
			}
		}, within(time.Hour))
	}
}
