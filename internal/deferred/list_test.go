// SPDX-License-Identifier: MPL-2.0

package deferred_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// A list that is not understood stops a submission before anything is sent, and the error
// names a way out.
func TestDeferred_listThatIsNotUnderstoodStopsTheSubmission(t *testing.T) {
	t.Parallel()
	type variant struct {
		configure func(*mockserver.Server)
		setting   string // that the error names
		solved    func(*client.Config)
		adopts    bool // with the setting
	}

	takePart := func(cfg *client.Config) { cfg.Wire.PendingList = client.ListPartial }
	const partial = `wire.pending_list = "partial"`
	variants := map[string]variant{
		"person under another name": {
			func(s *mockserver.Server) { s.RenamePending("identityId", "personId") },
			"wire.pending_identity_field", func(cfg *client.Config) { cfg.Wire.PendingIdentityField = "personId" }, true,
		},
		"no person": {func(s *mockserver.Server) { s.RenamePending("identityId", "") }, partial, takePart, false},
		"operation under another name": {func(s *mockserver.Server) {
			s.ReshapePending(func(record map[string]any) map[string]any {
				record["operation"] = "purge"
				return record
			})
		}, partial, takePart, false},
		"entries that are no objects": {func(s *mockserver.Server) {
			mockserver.Reshape(s, func([]map[string]any) any { return []any{"request-1"} }, mockserver.OpListPendingRequests)
		}, partial, takePart, false},
		"a Link header": {pagedBy("link"), partial, takePart, false},
	}

	for _, sign := range []string{"has_more", "next", "total"} {
		ignored := sign
		variants["signs of pages: "+ignored] = variant{
			pagedBy(sign), `wire.pending_ignored_members = "` + ignored + `"`,
			func(cfg *client.Config) { cfg.Wire.PendingIgnoredMembers = ignored }, false,
		}
	}

	for name, v := range variants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
				service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: "somebody else", Operation: q.operation})
				service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: person, Operation: q.operation})

				_, _, err := r.Submit(t.Context(), q.of(r), deferred.Submission{})
				e := wantClass(t, err, transport.ClassPayload)
				for _, way := range []string{v.setting, "nothing was sent"} {
					if !strings.Contains(e.Detail, way) {
						t.Errorf("the detail does not name %s: %s", way, e.Detail)
					}
				}

				if strings.Contains(e.Detail, person) || strings.Contains(e.Detail, "somebody") {
					t.Errorf("the detail names a person: %s", e.Detail)
				}
				wantCount(t, service, q.operation, 0)

				solved := newRun(t, service, v.solved)
				s, report := solved.mustSubmit(t, q.of(solved))
				if v.adopts && (!report.Adopted || s.ID != "request-2") {
					t.Errorf("with the setting it is %+v %+v", s, report)
				}
			}, v.configure)
		})
	}
}

// pagedBy returns an option for pages of one record.
func pagedBy(sign string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		if err := s.Speak(mockserver.Dialect{"pages": sign}); err != nil {
			panic(err)
		}
	}
}

func ignoringTheList(cfg *client.Config) { cfg.Wire.PendingList = client.ListIgnored }

// A list that is not understood does not end a wait either.
func TestDeferred_listThatIsNotUnderstoodEndsNoWait(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		s, _ := r.mustSubmit(t, r.access(nil))
		mockserver.Reshape(service.Server, func(records []map[string]any) any {
			slices.Reverse(records) // ours is on the page that is not shown
			return records
		}, mockserver.OpListPendingRequests)
		pagedBy("has_more")(service.Server)
		for i := range 3 {
			service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: fmt.Sprint("user-", i), Operation: mockserver.OpGetAllData, At: time.Now().Add(-time.Hour)})
		}

		s, report := r.Await(t.Context(), r.access(nil), s, 5*time.Minute)
		if !s.State.IsOpen() || report.Gap == "" {
			t.Errorf("%+v %+v", s, report)
		}
	}, becomes(mockserver.Outcome{Fate: mockserver.Never}))
}

func TestDeferred_ignoredListIsNotAskedFor(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
		service.PutProfile(serverScope, person, `{"plan":"free"}`)
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 403, Times: -1})
		r := newRun(t, service, ignoringTheList)
		q := r.deletion(person)

		s, _ := r.mustSubmit(t, q)
		s, _ = r.Await(t.Context(), q, s, time.Hour)
		wantState(t, s, deferred.Fulfilled)
		wantCount(t, service, mockserver.OpListPendingRequests, 0)
		if looks := service.Count(mockserver.OpGetProfile); looks > 90 {
			t.Errorf("%d looks at the profile in ten minutes", looks)
		}
	}, func(s *mockserver.Server) { s.FulfilmentDelay = 10 * time.Minute })
}

func TestDeferred_waitOutlivesAListThatIsDown(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		service.PutProfile(serverScope, person, `{"plan":"free"}`)

		s, _ := r.mustSubmit(t, r.deletion(person))
		service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 503, Times: 40})

		s, _ = r.Await(t.Context(), r.deletion(person), s, 2*time.Hour)
		wantState(t, s, deferred.Fulfilled)
	}, func(s *mockserver.Server) { s.FulfilmentDelay = 30 * time.Minute })
}

// A submission does not look for ever at a list that cannot be read completely.
func TestDeferred_lostAnswerBesideAnUnreadableListEnds(t *testing.T) {
	t.Parallel()
	eachQueueing(t, func(t *testing.T, service *mocktest.Instance, r run, q queueing) {
		service.Inject(mockserver.Fault{Operation: q.operation, Cut: mockserver.CutBeforeCommit, Then: func() {
			service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: "user-1001", Operation: q.operation})
		}})

		began := time.Now()
		_, _, err := r.Submit(t.Context(), q.of(r), deferred.Submission{})
		_ = wantClass(t, err, transport.ClassUnknownOutcome)
		if took := time.Since(began); took > time.Minute {
			t.Errorf("it took %v", took)
		}
	}, func(s *mockserver.Server) { s.RenamePending("identityId", "") })
}

// A request that was listed once is completed by its effect if the list is no longer
// read.
func TestDeferred_ignoredListCompletesWhatWasListed(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
		service.PutProfile(serverScope, person, `{"plan":"free"}`)

		s, _ := r.mustSubmit(t, r.deletion(person))
		s, _ = r.Await(t.Context(), r.deletion(person), s, time.Minute)
		wantState(t, s, deferred.Listed)

		service.FulfilAll()
		r = newRun(t, service, ignoringTheList)
		q := r.deletion(person)

		s, _, err := r.Refresh(t.Context(), q, s)
		noError(t, err)
		wantState(t, s, deferred.Fulfilled)
	}, becomes(mockserver.Outcome{Fate: mockserver.Never}))
}

// The service respells the person in its list. Without an id, a record that may be about
// the person stops a submission; with one, the request is found, even if the record names
// somebody else.
func TestDeferred_personInAnotherSpelling(t *testing.T) {
	t.Parallel()
	for name, spell := range map[string]func(string) string{
		"lower case":      strings.ToLower,
		"upper case":      strings.ToUpper,
		"percent-encoded": url.PathEscape,
		"decomposed":      norm.NFD.String,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, r run) {
				const person = "Jané/Doe@example.com"
				service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: person, Operation: mockserver.OpDeleteAllData})
				_, _, err := r.Submit(t.Context(), r.deletion(person), deferred.Submission{})
				e := wantClass(t, err, transport.ClassPayload)
				if !strings.Contains(e.Detail, "another spelling") {
					t.Errorf("the detail is %s", e.Detail)
				}
				wantCount(t, service, mockserver.OpDeleteAllData, 0)

				r = newRun(t, service, func(cfg *client.Config) { cfg.Wire.PendingList = client.ListPartial })
				s, _ := r.mustSubmit(t, r.deletion(person))
				service.Conclude(s.ID, mockserver.Outcome{Fate: mockserver.Failed, After: -1})
				s, _, err = r.Refresh(t.Context(), r.deletion(person), s)
				noError(t, err)
				wantState(t, s, deferred.Failed)
			}, respelled(spell), becomes(mockserver.Outcome{Fate: mockserver.Never}))
		})
	}
}

// respelled returns an option for a list that names each person in another spelling.
func respelled(spell func(string) string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.ReshapePending(func(record map[string]any) map[string]any {
			record["identityId"] = spell(fmt.Sprint(record["identityId"]))
			return record
		})
	}
}
