// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// heldWith returns a changed copy of held.
func heldWith(change func(*mockserver.ConsentRecord)) *mockserver.ConsentRecord {
	record := held
	change(&record)
	return &record
}

func TestConsent_addressIsTheSameInAnySpelling(t *testing.T) {
	t.Parallel()

	u := allTrue()
	u.UserIPv6 = netip.MustParseAddr("::ffff:192.0.2.1")
	for text, isSame := range map[string]bool{"::ffff:192.0.2.1": true, "192.0.2.1": true, "::FFFF:C000:201": true, "192.0.2.2": false, "::192.0.2.1": false, "home": false} {
		record, err := answer.ReadConsent(jsontext.Value(`{` + allClauses + `,"user_ipv6":"` + text + `"}`))
		noError(t, err)
		if names := u.Differences(record); slices.Contains(names, "user_ipv6") == isSame {
			t.Errorf("%s: %v", text, names)
		}
	}
}

func TestConsent_supersededIsNotSent(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		u := allTrue()
		u.Superseded = func() bool { return true }
		result, err := c.UpdateConsent(t.Context(), scope, person, u)
		noError(t, err)
		if result.Outcome != client.ConsentSuperseded {
			t.Errorf("the result is %+v", result)
		}
		wantCount(t, service, "", 0)
	}, useSecretKey)
}

// TestConsent_interruptEndsAWait has a service that asks for a minute.
func TestConsent_interruptEndsAWait(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 429, Header: http.Header{"Retry-After": {"60"}}})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)

		_, err := c.UpdateConsent(ctx, scope, person, allTrue())
		_ = wantClass(t, err, transport.ClassCancelled)
		wantCount(t, service, "", 1)
	}, useSecretKey)
}

// TestConsent_oneUpdate updates the consent of a person once.
func TestConsent_oneUpdate(t *testing.T) {
	t.Parallel()

	withdrawal := client.ConsentUpdate{Manual: true, OnlyKnown: true, Skip: client.SkipSameClauses, KeepLaterThan: agreedAt}
	withAddress := protected()
	withAddress.UserIPv6 = netip.MustParseAddr("2001:db8::44")
	lost := func(then *mockserver.ConsentRecord, cut mockserver.Cut) func(*mocktest.Instance) []mockserver.Fault {
		return func(service *mocktest.Instance) []mockserver.Fault {
			put := func() {
				if then != nil {
					service.PutConsent(serverScope, person, *then)
				}
			}
			return []mockserver.Fault{{Operation: mockserver.OpUpdateConsent, Cut: cut, Then: put}}
		}
	}
	always := func(faults ...mockserver.Fault) func(*mocktest.Instance) []mockserver.Fault {
		return func(*mocktest.Instance) []mockserver.Fault { return faults }
	}

	refusal := &transport.Error{Class: transport.ClassReadOnly}
	otherClause := func(r *mockserver.ConsentRecord) { r.Clauses[4] = false }
	later := func(r *mockserver.ConsentRecord) { r.AgreementTime = "2026-01-02T00:00:00Z" }
	for name, tc := range map[string]struct {
		held    *mockserver.ConsentRecord
		faults  func(*mocktest.Instance) []mockserver.Fault
		update  client.ConsentUpdate
		patches int
		want    client.ConsentOutcome
		failed  *transport.Error // its class, Ambiguous, Attempts, and a part of its Detail

		isReadOnly bool // a read-only client refuses only a write that is needed
	}{
		"nothing is held":   {update: onlyDifferent(), patches: 1, want: client.ConsentWritten},
		"all of it is held": {held: &held, update: onlyDifferent(), want: client.ConsentUnchanged},
		"manual is not held": {
			held: heldWith(func(r *mockserver.ConsentRecord) { r.Manual = nil }), update: onlyDifferent(), want: client.ConsentUnchanged,
		},
		"a time that is not mentioned": {
			held: heldWith(func(r *mockserver.ConsentRecord) { r.AgreementTime = nil }), update: onlyDifferent(), want: client.ConsentUnchanged,
		},
		"an address of one's own": {
			held: heldWith(func(r *mockserver.ConsentRecord) { r.UserIPv6 = new("2001:db8::1") }), update: onlyDifferent(), want: client.ConsentUnchanged,
		},
		"another clause": {held: heldWith(otherClause), update: onlyDifferent(), patches: 1, want: client.ConsentWritten},
		"another manual": {
			held:   heldWith(func(r *mockserver.ConsentRecord) { r.Manual = new(false) }),
			update: onlyDifferent(), patches: 1, want: client.ConsentWritten,
		},
		"an earlier time": {
			held:   heldWith(func(r *mockserver.ConsentRecord) { r.AgreementTime = "2025-12-31T00:00:00Z" }),
			update: onlyDifferent(), patches: 1, want: client.ConsentWritten,
		},
		"no time, as null": {
			held:   heldWith(func(r *mockserver.ConsentRecord) { r.Extra = map[string]any{"agreement_time": nil} }),
			update: onlyDifferent(), patches: 1, want: client.ConsentWritten,
		},

		"read-only, in place":       {held: &held, update: onlyDifferent(), want: client.ConsentUnchanged, isReadOnly: true},
		"read-only, a later choice": {held: heldWith(later), update: protected(), want: client.ConsentKept, isReadOnly: true},
		"read-only, another clause": {held: heldWith(otherClause), faults: always(), update: onlyDifferent(), failed: refusal, isReadOnly: true},
		"read-only, not compared":   {held: &held, faults: always(), update: allTrue(), failed: refusal, isReadOnly: true},

		"a protected one needs a time to compare with": {
			held: &mockserver.ConsentRecord{}, update: onlyDifferent(), failed: &transport.Error{Class: transport.ClassPayload, Attempts: 1},
		},
		"withdrawn in another way": {held: &mockserver.ConsentRecord{Manual: new(false)}, update: withdrawal, want: client.ConsentUnchanged},
		"nothing to withdraw":      {update: withdrawal, failed: &transport.Error{Class: transport.ClassNotFound, Attempts: 1}},
		"a later choice stands":    {held: heldWith(later), update: onlyDifferent(), want: client.ConsentKept},
		"a choice one millisecond later stands": {
			held: &mockserver.ConsentRecord{AgreementTime: "2026-01-01T00:00:00.001Z"}, update: protected(), want: client.ConsentKept,
		},
		"a lost answer of a service that stores another address": {
			faults: lost(heldWith(func(r *mockserver.ConsentRecord) { r.UserIPv6 = new("2001:db8::") }), mockserver.CutAfterCommit),
			update: withAddress, patches: 1, want: client.ConsentWritten,
		},
		"a later choice during a lost answer stands": {
			faults: lost(&mockserver.ConsentRecord{AgreementTime: "2026-02-01T00:00:00Z"}, mockserver.CutBeforeCommit), update: protected(), patches: 1, want: client.ConsentKept,
		},
		"a lost answer, and reading fails": {
			faults: always(
				mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutAfterCommit},
				mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 502, Times: -1}),
			update: allTrue(), patches: 1, failed: &transport.Error{Class: transport.ClassUnknownOutcome, Ambiguous: true, Attempts: 1, Detail: "looking at the service failed"},
		},
		"two lost answers": {
			faults: always(
				mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutBeforeCommit},
				mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutAfterCommit}),
			update: allTrue(), patches: 2, want: client.ConsentWritten,
		},
		"a success that says no": {
			faults: always(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 200, Body: []byte(`{"error":"no"}`)}),
			update: allTrue(), patches: 1, failed: &transport.Error{Class: transport.ClassRejected, Attempts: 1},
		},
		"a success that shows another clause": {
			faults: always(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 200, Body: []byte(`{` + strings.Replace(allClauses, "true", "false", 1) + `}`)}),
			update: allTrue(), patches: 1, failed: &transport.Error{Class: transport.ClassRejected, Attempts: 1},
		},
		"a success with empty errors": {
			faults: always(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 200, Body: []byte(`{"error":"","errors":[],"success":true}`)}),
			update: allTrue(), patches: 1, want: client.ConsentWritten,
		},
		"it is sent again only once": {
			faults: always(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 500, Times: -1}),
			update: allTrue(), patches: 2, failed: &transport.Error{Class: transport.ClassServer, Ambiguous: true, Attempts: 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				if tc.held != nil {
					service.PutConsent(serverScope, person, *tc.held)
				}
				if tc.faults != nil {
					service.Inject(tc.faults(service)...)
				}

				if tc.faults == nil { // comparing has the outcome that updating would have
					found, err := c.CompareConsent(t.Context(), scope, person, tc.update)
					if tc.failed != nil {
						_ = wantClass(t, err, tc.failed.Class)
					} else if err != nil || found != tc.want {
						t.Errorf("compared %v, %v", found, err)
					}
				}

				result, err := c.UpdateConsent(t.Context(), scope, person, tc.update)
				wantCount(t, service, mockserver.OpUpdateConsent, tc.patches)
				if tc.failed != nil {
					e := wantClass(t, err, tc.failed.Class)
					if e.Ambiguous != tc.failed.Ambiguous || e.Attempts != tc.failed.Attempts || !strings.Contains(e.Detail, tc.failed.Detail) {
						t.Errorf("%+v", e)
					}
					return
				}

				noError(t, err)
				if tc.faults == nil {
					wantCount(t, service, mockserver.OpGetConsent, 2) // one each
				}
				if result.Outcome != tc.want || (result.Kept != nil) != (tc.want == client.ConsentKept) {
					t.Errorf("the result is %+v", result)
				}
				if record, _ := service.Consent(serverScope, person); tc.held != nil && tc.want == client.ConsentKept && record.Clauses != tc.held.Clauses {
					t.Error("the person's choice was overwritten")
				}
			}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.ReadOnly = tc.isReadOnly })
		})
	}
}

func TestConsent_lostAnswerIsResolvedByReading(t *testing.T) {
	t.Parallel()

	for name, fault := range map[string]mockserver.Fault{
		"cut after the change":     {Cut: mockserver.CutAfterCommit},
		"cut before the change":    {Cut: mockserver.CutBeforeCommit},
		"500 after the change":     {Status: 500, Commit: true},
		"500 before the change":    {Status: 500},
		"503 page before it":       {Status: 503, Body: []byte("<html>down</html>")},
		"408":                      {Status: 408},
		"hang after the change":    {Hang: true, Commit: true},
		"hang before the change":   {Hang: true},
		"half an answer":           {Cut: mockserver.CutBody, CutAt: 5},
		"half a chunked answer":    {Cut: mockserver.CutChunked, CutAt: 5},
		"JSON that ends too early": {Cut: mockserver.CutCloseDelimited, CutAt: 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				fault.Operation = mockserver.OpUpdateConsent
				service.Inject(fault)
				noError(t, update(t.Context(), c))

				wantCommitted(t, service, mockserver.OpUpdateConsent, 1)
				wantCount(t, service, mockserver.OpGetConsent, 1)
				if record, ok := service.Consent(serverScope, person); !ok || !record.Clauses[4] {
					t.Errorf("the service holds %+v %v", record, ok)
				}
			}, useSecretKey)
		})
	}
}

// TestConsent_choiceDuringALostAnswerStands has records whose time says nothing: what is
// neither the record from before nor what was sent is somebody's choice.
func TestConsent_choiceDuringALostAnswerStands(t *testing.T) {
	t.Parallel()

	for name, at := range map[string]any{"untimed": nil, "an earlier time": "2020-01-01T00:00:00Z"} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.PutConsent(serverScope, person, mockserver.ConsentRecord{AgreementTime: at, Manual: new(true)})
			choice := mockserver.ConsentRecord{Clauses: [5]bool{true}, AgreementTime: at, Manual: new(false)}
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutBeforeCommit, Then: func() {
				service.PutConsent(serverScope, person, choice)
			}})

			u := protected()
			u.LastWritten = func() *client.Choice { return &client.Choice{Manual: true} }
			result, err := c.UpdateConsent(t.Context(), scope, person, u)
			if at == nil && !errors.Is(err, client.ErrUntimed) || at != nil && result.Outcome != client.ConsentKept {
				t.Errorf("%s: the outcome is %v, the error %v", name, result.Outcome, err)
			}

			wantCount(t, service, mockserver.OpUpdateConsent, 1)
			if record, _ := service.Consent(serverScope, person); record.Clauses != choice.Clauses {
				t.Errorf("%s: the choice was overwritten with %v", name, record.Clauses)
			}
		}, useSecretKey)
	}
}
