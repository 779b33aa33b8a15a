package client_test

import (
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

var (
	agreedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	held     = mockserver.ConsentRecord{Clauses: [5]bool{true, true, true, true, true}, AgreementTime: "2026-01-01T00:00:00Z", Manual: new(true)}
)

// onlyDifferent is the usual update, protected and sent only where it differs.
func onlyDifferent() client.ConsentUpdate {
	u := allTrue()
	u.AgreementTime, u.KeepLaterThan, u.OnlyDifferent = agreedAt, agreedAt, true
	return u
}

// heldWith is what the service holds with a change.
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
		_ = wantKind(t, err, client.ClassPayload)
		_, err = c.UpdateConsent(t.Context(), scope, person, onlyDifferent())
		_ = wantKind(t, err, client.ClassPayload)
		wantCount(t, service, mockserver.OpUpdateConsent, 0)
	}, useSecretKey)
}

func TestConsent_withdrawnInAnotherWayNeedsNoWithdrawal(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{Manual: new(false)})
		withdrawal := client.ConsentUpdate{Manual: true, OnlyKnown: true, OnlyDifferent: true, ClausesDecide: true, KeepLaterThan: agreedAt}
		result, err := c.UpdateConsent(t.Context(), scope, person, withdrawal)
		noError(t, err)
		if result.Outcome != client.ConsentUnchanged {
			t.Errorf("the outcome is %v", result.Outcome)
		}
		_, err = c.UpdateConsent(t.Context(), scope, "nobody", withdrawal)
		_ = wantKind(t, err, client.ClassNotFound)
		wantCount(t, service, mockserver.OpUpdateConsent, 0)
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

func TestConsent_clientTellsHowMuchItDoesAtOnce(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		limited := connect(t, service, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxConcurrency = 3 })
		if c.Concurrency() != client.DefaultMaxConcurrency || limited.Concurrency() != 3 {
			t.Errorf("%d and %d", c.Concurrency(), limited.Concurrency())
		}
	})
}
