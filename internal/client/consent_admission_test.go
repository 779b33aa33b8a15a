// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

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
