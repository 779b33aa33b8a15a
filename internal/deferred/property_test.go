// SPDX-License-Identifier: MPL-2.0

package deferred_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// chaos chooses a fault for one request in six. The seed determines the faults, but not
// which requests they hit, since many goroutines ask for them.
type chaos struct {
	mu   sync.Mutex
	rand *rand.Rand
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
	{Status: 401},
	{Status: 408},
	{Hang: true},
	{Hang: true, Commit: true},
	{Delay: 20 * time.Second},
	{Status: 200, Header: html, Body: []byte("<p>Sign in</p>")},
	{Status: 302, Header: map[string][]string{"Location": {"https://elsewhere.example.com/"}}},
	{Status: 403, Body: []byte("{}")},
}

func (c *chaos) choose(mockserver.Request) *mockserver.Fault {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.rand.IntN(6) > 0 {
		return nil
	}

	fault := chaoticFaults[c.rand.IntN(len(chaoticFaults))]

	return &fault
}

// wish is one object of a configuration: a person and a request type. No person has two,
// so that none conflict.
type wish struct {
	identity    string
	requestType string
	accepted    bool
	submission  deferred.Submission
	unknown     int // outcomes that were reported as unknown
	done        bool
}

// TestDeferred_randomFaultsLoseNothingAndSendNothingTwice applies random wishes under
// random faults, as a series of processes would, until all are fulfilled. The service's
// queue then has to hold each exactly once.
func TestDeferred_randomFaultsLoseNothingAndSendNothingTwice(t *testing.T) {
	t.Parallel()

	const batch = 2
	schedules := soak.Schedules(soak.Raced(2, 4), 5000)
	for first := 0; first < schedules; first += batch {
		t.Run(fmt.Sprintf("from %d", first), func(t *testing.T) {
			t.Parallel()
			for i := range min(batch, schedules-first) {
				seed := soak.Seed(first + i)
				soak.Add(soak.Tried, 1)
				disorder := &chaos{rand: rand.New(rand.NewPCG(seed, 2))}
				bubble(t, func(t *testing.T, service *mocktest.Instance, _ run) {
					defer func() {
						if t.Failed() {
							t.Logf("seed %d", seed)
						}
					}()
					fulfilWishes(t, service, disorder)
				}, func(s *mockserver.Server) { s.FaultFor, s.FulfilmentDelay = disorder.choose, 3*time.Hour })
			}
		})
	}
}

func fulfilWishes(t *testing.T, service *mocktest.Instance, disorder *chaos) {
	t.Helper()
	var wishes []*wish
	for i := range 2 + disorder.rand.IntN(5) {
		identity := fmt.Sprintf("user-%d", i)
		service.PutProfile(serverScope, identity, `{"plan":"free"}`)
		wishes = append(wishes, &wish{identity: identity, requestType: answer.RequestTypes[disorder.rand.IntN(3)]})
	}

	for round := 0; !allDone(wishes); round++ {
		if round == 60 {
			t.Errorf("not done after %d applies: %+v", round, *wishes[0])
			return
		}

		r := newRun(t, service)
		var wg sync.WaitGroup
		for _, w := range wishes {
			wg.Go(func() { w.apply(t.Context(), r) })
		}

		wg.Wait()
		r.Close()
		<-time.After(5 * time.Minute)
	}

	wantEachOnce(t, service, wishes)
}

func allDone(wishes []*wish) bool {
	for _, w := range wishes {
		if !w.done {
			return false
		}
	}
	return true
}

// request returns what the wish sends. The data of an access is not fetched.
func (w *wish) request(r run) deferred.Request {
	switch w.requestType {
	case answer.RequestDataDeletion:
		return r.deletion(w.identity)
	case answer.RequestDataAccess:
		return r.access(w.identity, io.Discard)
	}

	return r.update(w.identity, gold)
}

// apply does what an object does in one apply: it sends what has not been accepted, and
// waits for a while.
func (w *wish) apply(ctx context.Context, r run) {
	if w.done {
		return
	}

	q := w.request(r)
	if !w.accepted {
		s, _, err := r.Submit(ctx, q, deferred.Submission{})
		if transport.IsClass(err, transport.ClassUnknownOutcome) {
			w.unknown++
		}
		if err != nil {
			return
		}

		w.accepted, w.submission = true, s
	}

	w.submission, _ = r.Await(ctx, q, w.submission, 20*time.Minute)
	w.done = w.submission.State == deferred.Fulfilled
	w.accepted = !w.submission.State.IsOver()
}

// wantEachOnce fails the test unless the service has accepted each wish once.
func wantEachOnce(t *testing.T, service *mocktest.Instance, wishes []*wish) {
	t.Helper()
	requestTypes := map[string]string{
		mockserver.OpDeleteAllData: answer.RequestDataDeletion, mockserver.OpGetAllData: answer.RequestDataAccess, mockserver.OpUpdateProfile: answer.RequestProfileUpdate,
	}

	accepted := map[string]int{}
	for _, q := range service.Queue() {
		accepted[q.Identity+" "+requestTypes[q.Operation]]++
	}

	for _, w := range wishes {
		// The values of an update are absolute: after an unknown outcome it is sent again.
		limit := 1
		if w.requestType == answer.RequestProfileUpdate {
			limit += w.unknown
		}
		if n := accepted[w.identity+" "+w.requestType]; n < 1 || n > limit {
			soak.Add(soak.Lost, max(0, 1-n))
			soak.Add(soak.Duplicated, max(0, n-limit))
			t.Errorf("%s of %s was accepted %d times, and %d outcomes were unknown", w.requestType, w.identity, n, w.unknown)
		}

		delete(accepted, w.identity+" "+w.requestType)
	}

	for what := range accepted {
		t.Errorf("nobody wished for %s", what)
	}
}
