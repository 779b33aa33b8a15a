// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// heldWith returns a changed copy of held.
func heldWith(change func(*mockserver.ConsentRecord)) *mockserver.ConsentRecord {
	record := held
	change(&record)
	return &record
}

// TestConsent_successWithoutContent has updates whose success shows nothing, and readings that fail.
func TestConsent_successWithoutContent(t *testing.T) {
	t.Parallel()
	for shows, readings := range map[bool]int{false: 0, true: 1} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(
				mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: http.StatusNoContent},
				mockserver.Fault{Operation: mockserver.OpGetConsent, Status: http.StatusForbidden})
			result, err := c.UpdateConsent(t.Context(), jane, client.ConsentWrite{Record: allTrue(), Blind: true, ReadBack: shows})
			if noError(t, err); !result.Sent || result.Shown != (choice.Print{}) {
				t.Errorf("%+v", result)
			}
			wantCount(t, service, mockserver.OpUpdateConsent, 1)
			wantCount(t, service, mockserver.OpGetConsent, readings)
		}, useSecretKey)
	}
}

// TestConsent_oneUpdate updates the consent of a person once. A lost answer is resolved by reading:
// what then is neither the record from before nor what was sent is somebody's choice.
func TestConsent_oneUpdate(t *testing.T) {
	t.Parallel()

	refusal, rejected := &transport.Error{Class: transport.ClassReadOnly}, &transport.Error{Class: transport.ClassRejected, Attempts: 1}
	later := func(r *mockserver.ConsentRecord) { r.AgreementTime = "2026-01-02T00:00:00Z" }
	otherClause := func(r *mockserver.ConsentRecord) { r.Clauses[4] = false }
	naming := func(who string) *mockserver.ConsentRecord {
		return heldWith(func(r *mockserver.ConsentRecord) { r.Extra = map[string]any{"identityId": who} })
	}
	lostAfter, lostBefore := []mockserver.Fault{{Cut: mockserver.CutAfterCommit}}, []mockserver.Fault{{Cut: mockserver.CutBeforeCommit}}
	saying := func(body string) []mockserver.Fault {
		return []mockserver.Fault{{Status: 200, Body: []byte(body)}}
	}
	for name, tc := range map[string]struct {
		held    *mockserver.ConsentRecord
		faults  []mockserver.Fault        // of updates by default
		then    *mockserver.ConsentRecord // that the service holds behind a fault
		update  choice.Evidence
		patches int
		want    choice.Act
		failed  *transport.Error // its class, Ambiguous, Attempts, and a part of its Detail

		isReadOnly bool // a read-only client refuses only a write that is needed
	}{
		"nothing is held":   {update: onlyDifferent(), patches: 1, want: choice.Send},
		"all of it is held": {held: &held, update: onlyDifferent(), want: choice.Nothing},
		"another clause":    {held: heldWith(otherClause), update: onlyDifferent(), patches: 1, want: choice.Send},
		"a later choice":    {held: heldWith(later), update: onlyDifferent(), want: choice.Stand},
		"from a cache": {
			held: &held, faults: []mockserver.Fault{{Operation: mockserver.OpGetConsent, Header: http.Header{"Age": {"45"}}}},
			update: onlyDifferent(), want: choice.Refuse,
		},

		"of another person":         {held: naming("somebody-else"), update: onlyDifferent(), failed: &transport.Error{Class: transport.ClassPayload, Attempts: 1, Detail: "another person"}},
		"of the person, respelled":  {held: naming(strings.ToUpper(person)), update: onlyDifferent(), want: choice.Nothing},
		"read-only, a later choice": {held: heldWith(later), update: protected(), want: choice.Stand, isReadOnly: true},
		"read-only, another clause": {held: heldWith(otherClause), update: onlyDifferent(), failed: refusal, isReadOnly: true},
		"read-only, not read":       {held: &held, update: unprotected(), failed: refusal, isReadOnly: true},

		"a lost answer":                   {faults: lostAfter, update: unprotected(), patches: 1, want: choice.Nothing},
		"408 after the change":            {faults: []mockserver.Fault{{Status: 408}}, then: &held, update: unprotected(), patches: 1, want: choice.Nothing},
		"a later choice meanwhile stands": {faults: lostBefore, then: heldWith(later), update: protected(), patches: 1, want: choice.Stand},
		"a choice meanwhile with an earlier time stands": {
			held: &mockserver.ConsentRecord{AgreementTime: "2020-01-01T00:00:00Z", Manual: new(true)}, faults: lostBefore,
			then:   &mockserver.ConsentRecord{Clauses: [5]bool{true}, AgreementTime: "2020-01-01T00:00:00Z", Manual: new(false)},
			update: protected(), patches: 1, want: choice.Stand,
		},
		"a lost answer, and reading fails": {
			faults: []mockserver.Fault{{Cut: mockserver.CutAfterCommit}, {Operation: mockserver.OpGetConsent, Status: 502, Times: -1}},
			update: unprotected(), patches: 1,
			failed: &transport.Error{Class: transport.ClassUnknownOutcome, Ambiguous: true, Attempts: 1, Detail: "failed as well"},
		},
		"a lost answer, and the record needs a setting": {
			faults: []mockserver.Fault{{Cut: mockserver.CutAfterCommit}, {
				Operation: mockserver.OpGetConsent, Times: -1, Status: 200,
				Body: []byte(`{` + allClauses + `,"agreement_time":"2026-02-01T08:00:00"}`),
			}},
			update: unprotected(), patches: 1,
			failed: &transport.Error{Class: transport.ClassUnknownOutcome, Ambiguous: true, Attempts: 1, Detail: `wire.consent.time_format = "utc"`},
		},
		"two lost answers":                  {faults: append(lostBefore, lostAfter...), update: unprotected(), patches: 2, want: choice.Nothing},
		"a lost answer, and then a refusal": {faults: append(lostBefore, mockserver.Fault{Status: 403}), update: unprotected(), patches: 2, failed: &transport.Error{Class: transport.ClassForbidden, Attempts: 1}},
		"it is sent again only once":        {faults: []mockserver.Fault{{Status: 500, Times: -1}}, update: unprotected(), patches: 2, failed: &transport.Error{Class: transport.ClassServer, Ambiguous: true, Attempts: 2}},

		"each request is repeated as often as any": {
			faults: []mockserver.Fault{{Status: 429, Times: 4}, {Operation: mockserver.OpGetConsent, Status: 503, Times: 4}},
			update: onlyDifferent(), patches: 5, want: choice.Send,
		},

		"a success that says nothing, and wrote nothing": {faults: saying(`{"status":"denied"}`), update: unprotected(), patches: 1, failed: rejected},
		"a success that says nothing, and a copy": {
			held: &held, faults: append(saying(`{"note":"thanks"}`), mockserver.Fault{Operation: mockserver.OpGetConsent, Times: -1, Header: http.Header{"Age": {"45"}}}),
			update: unprotected(), patches: 1, failed: &transport.Error{Class: transport.ClassUnknownOutcome, Ambiguous: true, Attempts: 1},
		},
		"a success that says nothing, and is one": {faults: saying(`{"error":"","errors":[],"success":true}`), then: &held, update: unprotected(), patches: 1, want: choice.Send},
		"a success that says no":                  {held: &held, faults: saying(`{"error":"no"}`), update: unprotected(), patches: 1, failed: rejected},
		"a success that shows another clause":     {faults: saying(`{` + strings.Replace(allClauses, "true", "false", 1) + `}`), update: unprotected(), patches: 1, failed: rejected},
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

				act, result, err := updateConsent(t.Context(), c, jane, tc.update)
				wantCount(t, service, mockserver.OpUpdateConsent, tc.patches)
				if tc.want == choice.Stand {
					if record, _ := service.Consent(serverScope, person); record.Clauses != cmp.Or(tc.then, tc.held).Clauses {
						t.Error("the person's choice was overwritten")
					}
				}
				if tc.failed != nil {
					e := wantClass(t, err, tc.failed.Class)
					if e.Ambiguous != tc.failed.Ambiguous || e.Attempts != tc.failed.Attempts || !strings.Contains(e.Detail, tc.failed.Detail) {
						t.Errorf("%+v", e)
					}
					return
				}

				noError(t, err)
				if act != tc.want || result.Sent != (act == choice.Send) {
					t.Errorf("what was done is %v, and the result is %+v", act, result)
				}
			}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.ReadOnly = tc.isReadOnly })
		})
	}
}

// TestAdmission_property lets a person choose at a random time, while other callers,
// limits, Retry-After and logins delay the update. Each update arrives together with the answer to
// its comparison, so that it overwrites no choice that was made before. Each place is left again:
// otherwise the last request never ends.
func TestAdmission_property(t *testing.T) {
	t.Parallel()

	for i := range soak.Schedules(150, 20_000) {
		seed := soak.Seed(i)
		soak.Add(soak.Tried, 1)
		r := rand.New(rand.NewPCG(seed, 11))
		latency := time.Duration(r.IntN(200)) * time.Millisecond
		settings := func(_ *mocktest.Instance, cfg *client.Config) {
			cfg.MaxConcurrency = 1 + r.IntN(3)
			cfg.RequestsPerSecond = []float64{0, 0.05, 0.5, 5}[r.IntN(4)]
		}

		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Latency = latency
			service.Inject(randomHolds(r)...)

			if r.IntN(2) == 0 {
				lifetime := int64(5 + r.IntN(100))
				service.Claims = func(now time.Time) map[string]any {
					return map[string]any{"iat": now.Unix(), "exp": now.Unix() + lifetime}
				}
			}

			var wg sync.WaitGroup
			for i := range r.IntN(6) {
				wg.Go(func() {
					_, _, _ = updateConsent(t.Context(), c, client.Person{Scope: scope, Identity: fmt.Sprint("other-", i)}, protected())
				})
			}
			wg.Go(func() { _, _, _ = updateConsent(t.Context(), c, jane, protected()) })

			<-time.After(time.Duration(r.Int64N(int64(100 * time.Second)))) // in virtual time
			chosen := time.Now()
			service.PutConsent(serverScope, person, mockserver.ConsentRecord{AgreementTime: "2026-02-01T00:00:00Z", Manual: new(false)}) // after agreedAt
			wg.Wait()
			synctest.Wait()

			compared := map[string]time.Time{}
			for _, request := range service.Requests() {
				at := compared[request.Identity]
				isOverwritten := request.Identity == person && request.Committed && chosen.Before(at)
				switch {
				case request.Operation == mockserver.OpGetConsent:
					compared[request.Identity] = request.At.Add(request.Took)
				case request.Operation == mockserver.OpUpdateConsent && (isOverwritten || !request.At.Equal(at)):
					t.Errorf("seed %d: %s was compared at %v, chose at %v, and was written at %v", seed, request.Identity, at, chosen, request.At)
				}
			}

			_, err := c.CurrentUser(t.Context())
			noError(t, err)
		}, settings)

		if t.Failed() {
			return
		}
	}
}

// randomHolds returns faults that delay updates.
func randomHolds(r *rand.Rand) (faults []mockserver.Fault) {
	for range r.IntN(5) {
		f := []mockserver.Fault{
			{Status: 429, Header: http.Header{"Retry-After": {fmt.Sprint(r.IntN(120))}}},
			{Status: 503, Header: http.Header{"Retry-After": {fmt.Sprint(r.IntN(60))}}},
			{Status: 401},
			{Status: 403},
			{Cut: mockserver.CutBeforeCommit},
		}[r.IntN(5)]
		f.Operation, f.Skip = []string{mockserver.OpGetConsent, mockserver.OpUpdateConsent}[r.IntN(2)], r.IntN(3)
		faults = append(faults, f)
	}

	return faults
}
