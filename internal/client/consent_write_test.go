package client_test

import (
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// heldWith returns a changed copy of held.
func heldWith(change func(*mockserver.ConsentRecord)) *mockserver.ConsentRecord {
	record := held
	change(&record)
	return &record
}

func TestConsent_onlyWhatDiffersIsSent(t *testing.T) {
	t.Parallel()

	const unchanged, written, kept = client.ConsentUnchanged, client.ConsentWritten, client.ConsentKept
	for name, tc := range map[string]struct {
		held *mockserver.ConsentRecord
		want client.ConsentOutcome
	}{
		"nothing is held":     {nil, written},
		"all of it":           {&held, unchanged},
		"without manual":      {heldWith(func(r *mockserver.ConsentRecord) { r.Manual = nil }), unchanged},
		"another clause":      {heldWith(func(r *mockserver.ConsentRecord) { r.Clauses[4] = false }), written},
		"another manual":      {heldWith(func(r *mockserver.ConsentRecord) { r.Manual = new(false) }), written},
		"an earlier time":     {heldWith(func(r *mockserver.ConsentRecord) { r.AgreementTime = "2025-12-31T00:00:00Z" }), written},
		"no time, as null":    {heldWith(func(r *mockserver.ConsentRecord) { r.Extra = map[string]any{"agreement_time": nil} }), written},
		"a later choice":      {heldWith(func(r *mockserver.ConsentRecord) { r.AgreementTime = "2026-01-02T00:00:00Z" }), kept},
		"a time unmentioned":  {heldWith(func(r *mockserver.ConsentRecord) { r.AgreementTime = nil }), unchanged},
		"an address of one's": {heldWith(func(r *mockserver.ConsentRecord) { r.UserIPv6 = new("2001:db8::1") }), unchanged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				if tc.held != nil {
					service.PutConsent(serverScope, person, *tc.held)
				}

				found, err := c.CompareConsent(t.Context(), scope, person, onlyDifferent())
				noError(t, err)
				wantCount(t, service, mockserver.OpGetConsent, 1)
				result, err := c.UpdateConsent(t.Context(), scope, person, onlyDifferent())
				noError(t, err)

				if found != tc.want || result.Outcome != tc.want || (result.Kept != nil) != (tc.want == kept) {
					t.Errorf("compared %v, updated %+v, want %v", found, result, tc.want)
				}

				patches := 0
				if tc.want == written {
					patches = 1
				}

				wantCount(t, service, mockserver.OpGetConsent, 2)
				wantCount(t, service, mockserver.OpUpdateConsent, patches)
			}, useSecretKey)
		})
	}
}

func TestConsent_protectedUpdateThatDiffersNeedsATimeToCompareWith(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		_, err := c.CompareConsent(t.Context(), scope, person, onlyDifferent())
		_ = wantClass(t, err, client.ClassPayload)
		_, err = c.UpdateConsent(t.Context(), scope, person, onlyDifferent())
		_ = wantClass(t, err, client.ClassPayload)
		wantCount(t, service, mockserver.OpUpdateConsent, 0)
	}, useSecretKey)
}

func TestConsent_withdrawnInAnotherWayNeedsNoWithdrawal(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{Manual: new(false)})
		withdrawal := client.ConsentUpdate{Manual: true, OnlyKnown: true, Skip: client.SkipSameClauses, KeepLaterThan: agreedAt}
		result, err := c.UpdateConsent(t.Context(), scope, person, withdrawal)
		noError(t, err)

		if result.Outcome != client.ConsentUnchanged {
			t.Errorf("the outcome is %v", result.Outcome)
		}

		_, err = c.UpdateConsent(t.Context(), scope, "nobody", withdrawal)
		_ = wantClass(t, err, client.ClassNotFound)
		wantCount(t, service, mockserver.OpUpdateConsent, 0)
	}, useSecretKey)
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

				committed := 0
				for _, r := range service.Requests() {
					if r.Operation == mockserver.OpUpdateConsent && r.Committed {
						committed++
					}
				}

				if committed != 1 {
					t.Errorf("the change was made %d times, want exactly once", committed)
				}

				wantCount(t, service, mockserver.OpGetConsent, 1)
				if record, ok := service.Consent(serverScope, person); !ok || !record.Clauses[4] {
					t.Errorf("the service holds %+v %v", record, ok)
				}
			}, useSecretKey)
		})
	}
}

func TestConsent_secondLostAnswerIsResolvedToo(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutBeforeCommit},
			mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutAfterCommit})
		err := update(t.Context(), c)
		rec, ok := service.Consent(serverScope, person)
		if err != nil && ok {
			t.Errorf("the service holds %v and the error says %v", rec.Clauses, err)
		}
	}, useSecretKey)
}

func TestConsent_updateWhoseAnswerWasLostIsWritten(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutAfterCommit})
		result, err := c.UpdateConsent(t.Context(), scope, person, onlyDifferent())
		noError(t, err)
		if result.Outcome != client.ConsentWritten {
			t.Errorf("the outcome is %v", result.Outcome)
		}
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
	}, useSecretKey)
}

func TestConsent_lostAnswerIsAnUnknownOutcomeIfReadingFails(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(
			mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutAfterCommit},
			mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 502, Times: -1},
		)

		e := wantClass(t, update(t.Context(), c), client.ClassUnknownOutcome)
		if !e.Ambiguous || !strings.Contains(e.Detail, "looking at the service failed") {
			t.Errorf("%+v", e)
		}

		wantCount(t, service, mockserver.OpUpdateConsent, 1)
	}, useSecretKey)
}

func TestConsent_updateIsSentAgainOnlyOnce(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 500, Times: -1})
		e := wantClass(t, update(t.Context(), c), client.ClassServer)
		wantCount(t, service, mockserver.OpUpdateConsent, 2)
		if e.Attempts != 2 {
			t.Errorf("%d attempts are reported", e.Attempts)
		}
	}, useSecretKey)
}

func TestConsent_laterChoiceDuringALostAnswerStands(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		configured := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutBeforeCommit, Then: func() {
			service.PutConsent(serverScope, person, mockserver.ConsentRecord{AgreementTime: "2026-02-01T00:00:00Z"})
		}})

		u := allTrue()
		u.AgreementTime, u.KeepLaterThan = configured, configured
		result, err := c.UpdateConsent(t.Context(), scope, person, u)
		noError(t, err)

		if result.Outcome != client.ConsentKept || result.Kept == nil {
			t.Error("the update says that it is in place")
		}

		wantCount(t, service, mockserver.OpUpdateConsent, 1)
		if record, _ := service.Consent(serverScope, person); record.Clauses[0] {
			t.Error("the person's choice was overwritten")
		}
	}, useSecretKey)
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

func TestConsent_lostAnswerOfAServiceThatStoresAnotherAddress(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		u := protected()
		u.UserIPv6 = netip.MustParseAddr("2001:db8::44")
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutAfterCommit, Then: func() {
			anonymised := held
			anonymised.UserIPv6 = new("2001:db8::")
			service.PutConsent(serverScope, person, anonymised)
		}})

		result, err := c.UpdateConsent(t.Context(), scope, person, u)
		noError(t, err)
		if result.Outcome != client.ConsentWritten {
			t.Errorf("the outcome is %v", result.Outcome)
		}
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
	}, useSecretKey)
}

func TestConsent_choiceOneMillisecondLaterStands(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{AgreementTime: "2026-01-01T00:00:00.001Z"})
		result, err := c.UpdateConsent(t.Context(), scope, person, protected())
		noError(t, err)
		if result.Outcome != client.ConsentKept {
			t.Errorf("the outcome is %v", result.Outcome)
		}
	}, useSecretKey)
}

// TestConsent_writeWaitsForARetryAfterThatCameDuringItsComparison has a service that asks
// another caller for time while the comparison is under way.
func TestConsent_writeWaitsForARetryAfterThatCameDuringItsComparison(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 429, Header: map[string][]string{"Retry-After": {"60"}}})
		service.Latency = 100 * time.Millisecond

		began := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = c.CurrentUser(t.Context()) })
		<-time.After(50 * time.Millisecond)
		_, err := c.UpdateConsent(t.Context(), scope, person, protected())
		noError(t, err)
		wg.Wait()

		for _, r := range service.Requests() {
			if r.Operation == mockserver.OpUpdateConsent && r.At.Sub(began) < time.Minute {
				t.Errorf("the write was sent after %v", r.At.Sub(began))
			}
		}
		wantCount(t, service, mockserver.OpGetConsent, 2)
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
	}, useSecretKey)
}

func TestUpdateConsent_emptyErrorsAreNone(t *testing.T) {
	t.Parallel()

	for member, failed := range map[string]bool{
		`"errors":0`: false, `"errors":0.0`: false, `"errors":[]`: false, `"errors":[ ]`: false, `"errors":{ }`: false,
		`"error":{}`: false, `"error":{ }`: false, `"error":null`: false, `"error":false`: false, `"error":""`: false,
		`"error":" "`: false, `"success":true`: false, `"success":null`: false, `"truncated":0`: false,
		`"errors":1`: true, `"errors":[null]`: true, `"error":true`: true, `"error":"no"`: true, `"error":{"code":1}`: true, `"success":false`: true,
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 200, Body: []byte("{" + member + "}")})
			if err := update(t.Context(), c); client.IsClass(err, client.ClassRejected) != failed || !failed && err != nil {
				t.Errorf("%s: the error is %v", member, err)
			}
		}, useSecretKey)
	}
}
