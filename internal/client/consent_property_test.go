// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// chaos returns a random fault for some of the requests. The seed determines the
// sequence of faults, but not which request gets which: requests are concurrent.
type chaos struct {
	mu   sync.Mutex
	rand *rand.Rand
	on   bool
	// often is n for a fault in one of n requests; 0 is 20.
	often int
}

var chaoticFaults = []mockserver.Fault{
	{Cut: mockserver.CutBeforeCommit},
	{Cut: mockserver.CutAfterCommit},
	{Cut: mockserver.CutBody, CutAt: 7},
	{Cut: mockserver.CutChunked, CutAt: 7},
	{Cut: mockserver.CutCloseDelimited, CutAt: 7},
	{Status: 500},
	{Status: 500, Commit: true},
	{Status: 502, Body: []byte("<p>bad gateway</p>")},
	{Status: 503, Header: map[string][]string{"Retry-After": {"3"}}},
	{Status: 504, Commit: true},
	{Status: 429, Header: map[string][]string{"Retry-After": {"1"}}},
	{Status: 429, Header: map[string][]string{"Retry-After": {"9223372037"}}},
	{Status: 401},
	{Status: 408},
	{Status: 425},
	{Hang: true},
	{Hang: true, Commit: true},
	{Delay: 20 * time.Second},
	{Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>Sign in</p>")},
	{Status: 200, Body: []byte(`{"clause_1_consent":tr`)},
	{Status: 302, Header: map[string][]string{"Location": {"https://elsewhere.example.com/"}}},
	{Status: 403, Body: []byte("{}")},
}

// choose implements mockserver.Server.FaultFor.
func (c *chaos) choose(mockserver.Request) *mockserver.Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.on || c.rand.IntN(cmp.Or(c.often, 20)) > 0 {
		return nil
	}
	fault := chaoticFaults[c.rand.IntN(len(chaoticFaults))]
	return &fault
}

// TestConsent_randomFaultsConvergeWithoutOverwriting updates many people under random
// faults, again and again until all updates succeed, as repeated applies do. In between,
// some of the people choose for themselves.
func TestConsent_randomFaultsConvergeWithoutOverwriting(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(12, 2000) {
		seed := soak.Seed(i)
		soak.Add(soak.Tried, 1)
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			disorder := &chaos{rand: rand.New(rand.NewPCG(seed, 1)), on: true}
			bubble(t, func(t *testing.T, service *mocktest.Instance, _ *client.Client) {
				converge(t, service, disorder)
			}, func(service *mocktest.Instance, _ *client.Config) { service.FaultFor = disorder.choose })
		})
	}
}

// converge repeats the updates until all succeed, and checks the records.
func converge(t *testing.T, service *mocktest.Instance, disorder *chaos) {
	t.Helper()

	const people = 60
	configured := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

	pending := map[string]bool{}
	for i := range people {
		pending[fmt.Sprintf("user-%d", i)] = true
	}

	chosen := map[string]bool{}
	for round := 0; len(pending) > 0; round++ {
		if round == 20 {
			t.Fatalf("%d people are not done after %d applies", len(pending), round)
		}

		if round == 1 { // every fifth person chooses, whether updated or not
			for i := 0; i < people; i += 5 {
				identity := fmt.Sprintf("user-%d", i)
				service.PutConsent(serverScope, identity, mockserver.ConsentRecord{AgreementTime: "2026-02-01T00:00:00Z"})
				chosen[identity] = true
				pending[identity] = true
			}
		}

		c := connect(t, service) // each apply is a new process with a new login
		for identity := range applyAll(t, c, pending, configured) {
			delete(pending, identity)
		}

		c.Close()
		<-time.After(time.Minute)
	}

	disorder.mu.Lock()
	disorder.on = false
	disorder.mu.Unlock()

	for i := range people {
		identity := fmt.Sprintf("user-%d", i)
		record, ok := service.Consent(serverScope, identity)
		if want := !chosen[identity]; !ok || record.Clauses[0] != want {
			if chosen[identity] {
				soak.Add(soak.Overwritten, 1)
			} else {
				soak.Add(soak.Lost, 1)
			}
			t.Errorf("%s (chose for themselves: %v): the service holds %v %v", identity, chosen[identity], record.Clauses, ok)
		}
	}
}

// applyAll updates all people at once and returns those whose update succeeded.
func applyAll(t *testing.T, c *client.Client, pending map[string]bool, at time.Time) map[string]bool {
	t.Helper()

	var mu sync.Mutex
	var wg sync.WaitGroup
	done := map[string]bool{}
	for identity := range pending {
		wg.Go(func() {
			u := allTrue()
			u.AgreementTime, u.KeepLaterThan = at, at
			if _, err := c.UpdateConsent(t.Context(), scope, identity, u); err == nil {
				mu.Lock()
				defer mu.Unlock()
				done[identity] = true
			}
		})
	}

	wg.Wait()

	return done
}
