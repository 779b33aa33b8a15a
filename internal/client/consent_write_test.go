// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

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

// TestConsent_interruptEndsAWait has a service that asks for a minute.
func TestConsent_interruptEndsAWait(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 429, Header: http.Header{"Retry-After": {"60"}}})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)

		_, err := c.UpdateConsent(ctx, jane, allTrue())
		_ = wantClass(t, err, transport.ClassCancelled)
		wantCount(t, service, "", 1)
	}, useSecretKey)
}

// TestConsent_oneUpdate updates the consent of a person once. A lost answer is resolved by reading:
// what then is neither the record from before nor what was sent is somebody's choice.
func TestConsent_oneUpdate(t *testing.T) {
	t.Parallel()

	const unchanged, written, kept = client.ConsentUnchanged, client.ConsentWritten, client.ConsentKept
	withdrawal := client.ConsentUpdate{Manual: true, OnlyKnown: true, Skip: client.SkipSameClauses, KeepLaterThan: agreedAt}
	withIPv4, withAddress, superseded, ofOurs := onlyDifferent(), protected(), allTrue(), protected()
	withIPv4.UserIPv6 = netip.MustParseAddr("::ffff:192.0.2.1")
	withAddress.UserIPv6 = netip.MustParseAddr("2001:db8::44")
	superseded.Superseded = func() bool { return true }
	ofOurs.LastWritten = func() *client.Choice { return &client.Choice{Manual: true} }

	refusal, rejected := &transport.Error{Class: transport.ClassReadOnly}, &transport.Error{Class: transport.ClassRejected, Attempts: 1}
	ofNoChoice, later := "2020-01-01T00:00:00Z", func(r *mockserver.ConsentRecord) { r.AgreementTime = "2026-01-02T00:00:00Z" }
	otherClause := func(r *mockserver.ConsentRecord) { r.Clauses[4] = false }
	address := func(text string) func(*mockserver.ConsentRecord) {
		return func(r *mockserver.ConsentRecord) { r.UserIPv6 = &text }
	}
	lostAfter, lostBefore := []mockserver.Fault{{Cut: mockserver.CutAfterCommit}}, []mockserver.Fault{{Cut: mockserver.CutBeforeCommit}}
	none := []mockserver.Fault{}
	withoutTime := &transport.Error{Class: transport.ClassPayload, Attempts: 1, Cause: client.ErrUntimed}
	saying := func(body string) []mockserver.Fault { return []mockserver.Fault{{Status: 200, Body: []byte(body)}} }
	for name, tc := range map[string]struct {
		held    *mockserver.ConsentRecord
		faults  []mockserver.Fault        // of updates by default; with nil, comparing has the same outcome
		then    *mockserver.ConsentRecord // that the service holds behind a fault
		update  client.ConsentUpdate
		patches int
		want    client.ConsentOutcome
		failed  *transport.Error // its class, Ambiguous, Attempts, Cause, and a part of its Detail

		isReadOnly bool // a read-only client refuses only a write that is needed
	}{
		"nothing is held":   {update: onlyDifferent(), patches: 1, want: written},
		"all of it is held": {held: &held, update: onlyDifferent(), want: unchanged},
		"manual is not held": {
			held: heldWith(func(r *mockserver.ConsentRecord) { r.Manual = nil }), update: onlyDifferent(), want: unchanged,
		},
		"a time that is not mentioned": {
			held: heldWith(func(r *mockserver.ConsentRecord) { r.AgreementTime = nil }), update: onlyDifferent(), want: unchanged,
		},
		"an address in another spelling": {held: heldWith(address("192.0.2.1")), update: withIPv4, want: unchanged},
		"another address":                {held: heldWith(address("::192.0.2.1")), update: withIPv4, patches: 1, want: written},
		"an address that is none":        {held: heldWith(address("home")), update: withIPv4, patches: 1, want: written},
		"an address of one's own":        {held: heldWith(address("2001:db8::1")), update: onlyDifferent(), want: unchanged},
		"another clause":                 {held: heldWith(otherClause), update: onlyDifferent(), patches: 1, want: written},
		"another manual": {
			held:   heldWith(func(r *mockserver.ConsentRecord) { r.Manual = new(false) }),
			update: onlyDifferent(), patches: 1, want: written,
		},
		"an earlier time": {
			held:   heldWith(func(r *mockserver.ConsentRecord) { r.AgreementTime = "2025-12-31T00:00:00Z" }),
			update: onlyDifferent(), patches: 1, want: written,
		},
		"no time, as null": {
			held:   heldWith(func(r *mockserver.ConsentRecord) { r.Extra = map[string]any{"agreement_time": nil} }),
			update: onlyDifferent(), patches: 1, want: written,
		},
		"superseded": {faults: none, update: superseded, want: client.ConsentSuperseded},

		"read-only, in place":       {held: &held, update: onlyDifferent(), want: unchanged, isReadOnly: true},
		"read-only, a later choice": {held: heldWith(later), update: protected(), want: kept, isReadOnly: true},
		"read-only, another clause": {held: heldWith(otherClause), faults: none, update: onlyDifferent(), failed: refusal, isReadOnly: true},
		"read-only, not compared":   {held: &held, faults: none, update: allTrue(), failed: refusal, isReadOnly: true},

		"a protected one needs a time to compare with": {
			held: &mockserver.ConsentRecord{}, update: onlyDifferent(), failed: withoutTime,
		},
		"withdrawn in another way": {held: &mockserver.ConsentRecord{Manual: new(false)}, update: withdrawal, want: unchanged},
		"nothing to withdraw":      {update: withdrawal, failed: &transport.Error{Class: transport.ClassNotFound, Attempts: 1}},
		"a later choice stands":    {held: heldWith(later), update: onlyDifferent(), want: kept},
		"a choice one millisecond later stands": {
			held: &mockserver.ConsentRecord{AgreementTime: "2026-01-01T00:00:00.001Z"}, update: protected(), want: kept,
		},

		"a lost answer":        {faults: lostAfter, update: allTrue(), patches: 1, want: written},
		"408 after the change": {faults: []mockserver.Fault{{Status: 408}}, then: &held, update: allTrue(), patches: 1, want: written},
		"a service that stores another address": {
			faults: lostAfter, then: heldWith(address("2001:db8::")),
			update: withAddress, patches: 1, want: written,
		},
		"a later choice meanwhile stands": {
			faults: lostBefore, then: &mockserver.ConsentRecord{AgreementTime: "2026-02-01T00:00:00Z"},
			update: protected(), patches: 1, want: kept,
		},
		"an untimed choice meanwhile stands": {
			held:   &mockserver.ConsentRecord{Manual: new(true)},
			faults: lostBefore, then: &mockserver.ConsentRecord{Clauses: [5]bool{true}, Manual: new(false)},
			update: ofOurs, patches: 1,
			failed: &transport.Error{Class: transport.ClassUnknownOutcome, Ambiguous: true, Attempts: 1, Cause: client.ErrUntimed},
		},
		"a choice meanwhile with an earlier time stands": {
			held: &mockserver.ConsentRecord{AgreementTime: ofNoChoice, Manual: new(true)}, faults: lostBefore,
			then:   &mockserver.ConsentRecord{Clauses: [5]bool{true}, AgreementTime: ofNoChoice, Manual: new(false)},
			update: ofOurs, patches: 1, want: kept,
		},
		"a lost answer, and reading fails": {
			faults: []mockserver.Fault{{Cut: mockserver.CutAfterCommit}, {Operation: mockserver.OpGetConsent, Status: 502, Times: -1}},
			update: allTrue(), patches: 1,
			failed: &transport.Error{Class: transport.ClassUnknownOutcome, Ambiguous: true, Attempts: 1, Detail: "looking at the service failed"},
		},
		"two lost answers": {
			faults: []mockserver.Fault{{Cut: mockserver.CutBeforeCommit}, {Cut: mockserver.CutAfterCommit}},
			update: allTrue(), patches: 2, want: written,
		},
		"it is sent again only once": {
			faults: []mockserver.Fault{{Status: 500, Times: -1}},
			update: allTrue(), patches: 2, failed: &transport.Error{Class: transport.ClassServer, Ambiguous: true, Attempts: 2},
		},

		"a success with empty errors": {
			faults: saying(`{"error":"","errors":[],"success":true}`), update: allTrue(), patches: 1, want: written,
		},
		"a success that says no": {faults: saying(`{"error":"no"}`), update: allTrue(), patches: 1, failed: rejected},
		"a success that shows another clause": {
			faults: saying(`{` + strings.Replace(allClauses, "true", "false", 1) + `}`), update: allTrue(), patches: 1, failed: rejected,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				if tc.held != nil {
					service.PutConsent(serverScope, person, *tc.held)
				}
				for _, fault := range tc.faults {
					fault.Operation = cmp.Or(fault.Operation, mockserver.OpUpdateConsent)
					if tc.then != nil {
						fault.Then = func() { service.PutConsent(serverScope, person, *tc.then) }
					}
					service.Inject(fault)
				}

				if tc.faults == nil {
					found, err := c.CompareConsent(t.Context(), jane, tc.update)
					if tc.failed != nil {
						_ = wantClass(t, err, tc.failed.Class)
					} else if err != nil || found != tc.want {
						t.Errorf("compared %v, %v", found, err)
					}
				}

				result, err := c.UpdateConsent(t.Context(), jane, tc.update)
				wantCount(t, service, mockserver.OpUpdateConsent, tc.patches)
				if tc.then != nil || tc.want == client.ConsentKept {
					if record, _ := service.Consent(serverScope, person); record.Clauses != cmp.Or(tc.then, tc.held).Clauses {
						t.Error("the person's choice was overwritten")
					}
				}
				if tc.failed != nil {
					e := wantClass(t, err, tc.failed.Class)
					isSame := e.Ambiguous == tc.failed.Ambiguous && e.Attempts == tc.failed.Attempts && errors.Is(e.Cause, tc.failed.Cause)
					if !isSame || !strings.Contains(e.Detail, tc.failed.Detail) {
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
			}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.ReadOnly = tc.isReadOnly })
		})
	}
}
