// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// keepsSeconds lets the service keep agreement_time to the second.
func keepsSeconds(to func(time.Time, time.Duration) time.Time) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.ReshapeConsents(func(r map[string]any) any {
			if text, ok := r["agreement_time"].(string); ok {
				at, _ := time.Parse(time.RFC3339Nano, text)
				r["agreement_time"] = to(at, time.Second).Format(time.RFC3339)
			}
			return r
		})
	}
}

var precisions = map[string]func(time.Time, time.Duration) time.Time{"cut": time.Time.Truncate, "rounded": time.Time.Round}

func TestConsent_fractionOfASecondThatTheServiceDoesNotKeep(t *testing.T) {
	t.Parallel()
	for label, to := range precisions {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil, keepsSeconds(to))
			fraction := prototest.Attributes{"agreement_time": "2026-01-31T12:00:00.6Z"}
			state := created(t, p, service, fraction)
			state, diags := wantEmptyPlan(t, p, state, config(fraction))
			if len(diags) != 0 {
				t.Errorf("warnings: %v", diags.Warnings())
			}

			changed := config(fraction).With(prototest.Attributes{"clause_3_consent": true})
			state, diags = p.Update(name, state, changed)
			p.NoErrors(diags)
			wantHeld(t, service, [5]bool{true, true, true, true, true})
			state, _ = wantEmptyPlan(t, p, state, changed)

			imported, diags := p.Import(name, person)
			p.NoErrors(diags)
			imported, diags = p.Update(name, imported, changed)
			p.NoErrors(diags)
			wantEmptyPlan(t, p, imported, changed)

			service.PutConsent(scope, person, choose("2026-01-31T12:00:01Z"))
			_, diags = wantEmptyPlan(t, p, state, changed)
			prototest.WantText(t, diags.Warnings(), "A later choice of the person stands")
		})
	}
}
