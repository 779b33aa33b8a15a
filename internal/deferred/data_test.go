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

// acknowledgements are bodies with which other services acknowledge a request with
// status 200. None of them is data of a person.
var acknowledgements = []string{
	`{}`,
	`[]`,
	`null`,
	`true`,
	`"ok"`,
	`{"ok":true}`,
	`{"success":true}`,
	`{"id":"request-1"}`,
	`{"requestId":"request-1"}`,
	`{"message":"accepted"}`,
	`{"status":"queued"}`,
	`{"id":"request-1","status":"pending","operation":"getAllData"}`,
}

// dataLikeAcknowledgements are data of a person that resemble an acknowledgement, a
// rejection or a pending record, by a member that each has at its top.
var dataLikeAcknowledgements = map[string]string{
	`{"identity":"user-1","status":"active","profile":{"name":"Ada"},"events":[]}`:                                "profile",
	`{"id":"user-1","status":"pending","profile":{"plan":"free"},"sessions":[{"id":"s1"}]}`:                       "sessions",
	`{"identity":"user-1","errors":[{"message":"a page crashed","at":"2026-01-15"}],"events":[{"name":"click"}]}`: "events",
	`{"identity":"user-1","error":"none","profile":{"name":"Ada"}}`:                                               "profile",
	`{"identity":"user-1","operation":"access_all_data_export","profile":{"name":"Delete Profile"},"events":[]}`:  "profile",
	`{"identity":"user-1","type":"customer","name":"deleteAllData","message":"hello","profile":{"age":36}}`:       "profile",
	`[{"kind":"event","name":"getAllData"},{"kind":"session","id":"s1"}]`:                                         "kind",
}

// An acknowledgement is not the data, and data is not an acknowledgement.
func TestDeferred_acknowledgementIsNeverTheData(t *testing.T) {
	t.Parallel()
	for _, body := range acknowledgements {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
				var file strings.Builder
				s, _ := r.mustSubmit(t, r.access(&file))
				if file.Len() > 0 || s.State == deferred.Fulfilled {
					t.Errorf("taken for the data: %q, %+v", file.String(), s)
				}

				service.PutProfile(serverScope, person, `{"plan":"free"}`)

				s, _ = r.Await(t.Context(), r.access(nil), s, time.Hour)
				wantState(t, s, deferred.Fulfilled)

				s, _ = r.mustSubmit(t, r.fetch(&file))
				if !strings.Contains(file.String(), `"free"`) || s.State != deferred.Fulfilled {
					t.Errorf("the data is %q, %+v", file.String(), s)
				}
				wantQueued(t, service, 1)
			}, mocktest.AnswerQueueing(200, body), func(s *mockserver.Server) { s.FulfilmentDelay = time.Minute })
		})
	}
}

func TestDeferred_dataThatLooksLikeAnAcknowledgementIsTheData(t *testing.T) {
	t.Parallel()
	for body, member := range dataLikeAcknowledgements {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
				r := newRun(t, service, func(cfg *client.Config) { cfg.Wire.AllDataMember = member })
				s, _ := r.mustSubmit(t, r.access(io.Discard))
				s, _ = r.Await(t.Context(), r.access(nil), s, time.Hour)
				wantState(t, s, deferred.Fulfilled)

				var file strings.Builder
				s, _ = r.mustSubmit(t, r.fetch(&file))
				if file.String() != body || s.State != deferred.Fulfilled {
					t.Errorf("the data is %q, %+v", file.String(), s)
				}
				wantQueued(t, service, 1)
			}, mocktest.AnswerData(body), func(s *mockserver.Server) { s.FulfilmentDelay = time.Minute })
		})
	}
}

// answerLikeData is an answer that looks like a person's data.
const answerLikeData = `{"profile":{"name":"Jane"},"events":[{"type":"click"}]}`

func withProfileInData(cfg *client.Config) { cfg.Wire.AllDataMember = "profile" }

// Where the list is not read, the member that the data has shows that an answer is the data.
func TestDeferred_dataWithoutTheList(t *testing.T) {
	t.Parallel()
	const body = `{"profile":{"name":"Jane"},"events":[]}`
	bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
		var file strings.Builder
		r := newRun(t, service, withProfileInData, ignoringTheList)
		s, _ := r.mustSubmit(t, r.access(&file))
		wantState(t, s, deferred.Fulfilled)
		if file.String() != body {
			t.Errorf("the data is %s", file.String())
		}

		r = newRun(t, service, ignoringTheList)
		_, _, err := r.Submit(t.Context(), r.access(io.Discard), deferred.Submission{})
		if e := wantClass(t, err, transport.ClassInvalid); !strings.Contains(e.Detail, "wire.all_data_member") {
			t.Errorf("the detail is %s", e.Detail)
		}
		wantCount(t, service, mockserver.OpGetAllData, 1)
	}, mocktest.AnswerQueueing(200, body))
}

// An answer that is not understood stands for a request that was sent, and its structure is
// reported.
func TestDeferred_answerThatIsNotUnderstoodIsKeptAsSent(t *testing.T) {
	t.Parallel()
	eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
		s, report := r.mustSubmit(t, q.of(r))
		if s.State != deferred.Accepted || s.ID != "" || !strings.Contains(report.NotUnderstood, "$.simmering (a string)") || strings.Contains(report.NotUnderstood, "little") {
			t.Errorf("%+v %+v", s, report)
		}
		wantCount(t, service, q.operation, 1)
	}, mocktest.AnswerQueueing(200, `{"simmering":"a little"}`))
}

// An answer that says no is an error, whatever its status, and nothing was sent.
func TestDeferred_refusalUnderAStatusOfSuccess(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"accepted":false}`, `{"status":"rejected"}`, `{"success":false,"reason":"quota"}`} {
		eachQueueing(t, func(t *testing.T, _ *mocktest.Instance, r run, q queueing) {
			s, _, err := r.Submit(t.Context(), q.of(r), deferred.Submission{})
			_ = wantClass(t, err, transport.ClassRejected)
			wantState(t, s, deferred.Idle)
		}, mocktest.AnswerQueueing(202, body))
	}
}

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

				switch tc.state {
				case deferred.Listed:
					if s.ID != service.Queue()[0].ID {
						t.Errorf("%+v", s)
					}
				case deferred.Accepted:
					if report.Gap == "" {
						t.Error("it does not say that the list cannot be read")
					}
				case deferred.Fulfilled:
					if file.String() != answerLikeData {
						t.Errorf("the data is %s", file.String())
					}
				}
			}, mocktest.AnswerQueueing(200, answerLikeData), tc.configure, becomes(mockserver.Outcome{After: tc.after}))
		})
	}
}

// The answers after a slow one are not older than the request.
func TestDeferred_dateOfASlowAnswer(t *testing.T) {
	t.Parallel()
	eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Delay: 5 * time.Second, Commit: true})
		s, _ := r.mustSubmit(t, q.of(r))
		wantState(t, s, deferred.Accepted)

		s, report, err := r.Refresh(t.Context(), q.of(r), s)
		noError(t, err)
		wantState(t, s, deferred.Listed)
		if report.Gap != "" {
			t.Errorf("the list is not understood: %s", report.Gap)
		}
	})
}

// A listing that is being read when the answer comes does not show what was sent after it
// began.
func TestDeferred_answerDuringAnOldListingIsNotTheData(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
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
	}, mocktest.AnswerQueueing(200, answerLikeData), func(s *mockserver.Server) { s.FulfilmentDelay = time.Minute })
}

func TestDeferred_dataOfAnySizeIsCollected(t *testing.T) {
	t.Parallel()
	// Larger than an acknowledgement may be; in a soak, larger than an answer in memory.
	size := soak.Size(1<<20, 2*transport.LimitJSON)
	body := `{"events":["x"` + strings.Repeat(`,"`+strings.Repeat("y", 1<<16)+`"`, size>>16) + `]}`
	bubble(t, func(t *testing.T, _ *mocktest.Instance, r run) {
		s, _ := r.mustSubmit(t, r.access(io.Discard))
		s, _ = r.Await(t.Context(), r.access(nil), s, time.Hour)
		wantState(t, s, deferred.Fulfilled)

		var written counter
		s, _ = r.mustSubmit(t, r.fetch(&written))
		wantState(t, s, deferred.Fulfilled)
		if int(written) != len(body) {
			t.Errorf("%d bytes of %d", written, len(body))
		}
	}, mocktest.AnswerData(body), func(s *mockserver.Server) { s.FulfilmentDelay = time.Minute })
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
