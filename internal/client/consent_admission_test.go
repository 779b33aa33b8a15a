// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

var chosenAt = agreedAt.AddDate(0, 1, 0)

// refuseAll makes the person refuse all clauses at chosenAt, after agreedAt.
func refuseAll(service *mocktest.Instance) {
	service.PutConsent(serverScope, person, mockserver.ConsentRecord{AgreementTime: chosenAt.Format(time.RFC3339), Manual: new(false)})
}

// wantRefused fails the test if the refusal was overwritten.
func wantRefused(t *testing.T, service *mocktest.Instance) {
	t.Helper()
	record, ok := service.Consent(serverScope, person)
	if !ok || record.Clauses != [5]bool{} {
		t.Errorf("the refusal was overwritten: the service holds %v", record.Clauses)
	}
}

func TestAdmission_refusalDuringTheWaitForTheRate(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := c.UpdateConsent(t.Context(), scope, person, protected()); err != nil {
				t.Error(err)
			}
		})

		<-time.After(5 * time.Second) // in virtual time
		refuseAll(service)
		wg.Wait()

		wantRefused(t, service)
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.RequestsPerSecond = 0.1 })
}

func TestAdmission_refusalDuringASiblingsRetryAfter(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, "sibling", held)
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 429, Header: map[string][]string{"Retry-After": {"120"}}})
		service.Latency = 100 * time.Millisecond
		var wg sync.WaitGroup

		// The sibling is told to wait while the comparison is under way.
		wg.Go(func() {
			if _, err := c.CurrentUser(t.Context()); err != nil {
				t.Error(err)
			}
		})

		<-time.After(50 * time.Millisecond) // in virtual time
		wg.Go(func() {
			if _, err := c.UpdateConsent(t.Context(), scope, person, protected()); err != nil {
				t.Error(err)
			}
		})

		<-time.After(time.Minute) // in virtual time
		refuseAll(service)
		wg.Wait()

		wantRefused(t, service)
	}, useSecretKey)
}

func TestAdmission_refusalDuringALogin(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 401, Then: func() { refuseAll(service) }})

		result, err := c.UpdateConsent(t.Context(), scope, person, protected())
		noError(t, err)

		if result.Outcome != client.ConsentKept {
			t.Errorf("the outcome is %v", result.Outcome)
		}

		wantRefused(t, service)
	})
}

func TestAdmission_comparisonAndWriteLeaveTogether(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				if _, err := c.UpdateConsent(t.Context(), scope, fmt.Sprint("person-", i), protected()); err != nil {
					t.Error(err)
				}
			})
		}

		began := time.Now()
		wg.Wait()

		requests := service.Requests()
		if len(requests) != 10 {
			t.Fatalf("%d requests", len(requests))
		}

		for i := 0; i < len(requests); i += 2 {
			if gap := requests[i+1].At.Sub(requests[i].At); gap != 0 {
				t.Errorf("write %d came %v after its comparison", i/2, gap)
			}
		}

		if took := time.Since(began); took < 90*time.Second || took > 100*time.Second {
			t.Errorf("10 requests at one in ten seconds took %v", took)
		}
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.RequestsPerSecond, cfg.MaxConcurrency = 0.1, 1 })
}

func TestAdmission_unusedTurnIsNotLost(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		for i := range 10 {
			service.PutConsent(serverScope, fmt.Sprint("person-", i), held)
		}

		began := time.Now()

		for i := range 10 {
			result, err := c.UpdateConsent(t.Context(), scope, fmt.Sprint("person-", i), onlyDifferent())
			noError(t, err)
			if result.Outcome != client.ConsentUnchanged {
				t.Errorf("the outcome is %v", result.Outcome)
			}
		}

		// Each update takes the turn of its comparison, and passes on that of its write.
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("10 comparisons at one a second took %v", took)
		}
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.RequestsPerSecond = 1 })
}

func TestAdmission_givesItsSlotBack(t *testing.T) {
	t.Parallel()

	for label, fault := range map[string]mockserver.Fault{
		"written":           {Operation: mockserver.OpListPendingRequests},
		"comparison fails":  {Operation: mockserver.OpGetConsent, Status: 403, Body: []byte(`{}`)},
		"write fails":       {Operation: mockserver.OpUpdateConsent, Status: 403, Body: []byte(`{}`)},
		"write is repeated": {Operation: mockserver.OpUpdateConsent, Status: 429},
		"answer is lost":    {Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutAfterCommit},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(fault)
			_, _ = c.UpdateConsent(t.Context(), scope, person, protected())

			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()

			if _, err := c.CurrentUser(ctx); err != nil {
				t.Errorf("%s: the slot is lost: %v", label, err)
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxConcurrency = 1 })
	}
}

// TestAdmission_property lets a person choose at a random time, while other callers,
// limits, Retry-After and logins delay the update. The update may overwrite a later choice
// only if it was made after the last comparison was answered.
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
				wg.Go(func() { _, _ = c.UpdateConsent(t.Context(), scope, fmt.Sprint("other-", i), protected()) })
			}

			var result client.ConsentResult
			var err error
			wg.Go(func() { result, err = c.UpdateConsent(t.Context(), scope, person, protected()) })

			<-time.After(time.Duration(r.Int64N(int64(100 * time.Second)))) // in virtual time
			chosen := time.Now()
			refuseAll(service)
			wg.Wait()

			record, _ := service.Consent(serverScope, person)
			if record.Clauses == [5]bool{} {
				return
			}

			compared, written := overwriting(service)
			if chosen.Before(compared) || !written.Equal(compared) {
				soak.Add(soak.Overwritten, 1)
				t.Errorf("seed %d: the choice at %v is overwritten; comparison answered at %v, write arrived at %v, outcome %v, error %v",
					seed, chosen, compared, written, result.Outcome, err)
			}
		}, settings)

		if t.Failed() {
			return
		}
	}
}

// randomHolds returns faults that delay updates.
func randomHolds(r *rand.Rand) (faults []mockserver.Fault) {
	operations := []string{mockserver.OpGetConsent, mockserver.OpUpdateConsent}
	for range r.IntN(5) {
		f := mockserver.Fault{Operation: operations[r.IntN(2)], Skip: r.IntN(3)}

		switch r.IntN(4) {
		case 0:
			f.Status, f.Header = 429, map[string][]string{"Retry-After": {fmt.Sprint(r.IntN(120))}}
		case 1:
			f.Status, f.Header = 503, map[string][]string{"Retry-After": {fmt.Sprint(r.IntN(60))}}
		case 2:
			f.Status = 401
		case 3:
			f.Cut = mockserver.CutBeforeCommit
		}

		faults = append(faults, f)
	}

	return faults
}

// overwriting returns when the write that the service carried out for the person arrived,
// and when the comparison before it was answered.
func overwriting(service *mocktest.Instance) (compared, written time.Time) {
	synctest.Wait()

	for _, request := range service.Requests() {
		switch {
		case request.Identity != person:
		case request.Operation == mockserver.OpUpdateConsent && request.Committed:
			return compared, request.At
		case request.Operation == mockserver.OpGetConsent:
			compared = request.At.Add(request.Took)
		}
	}

	return compared, written
}
