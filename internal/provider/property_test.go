// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest/objects"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

var randomFaults = []mockserver.Fault{
	{Cut: mockserver.CutBeforeCommit},
	{Cut: mockserver.CutAfterCommit},
	{Cut: mockserver.CutBody, CutAt: 7},
	{Status: 500},
	{Status: 500, Commit: true},
	{Status: 503, Header: map[string][]string{"Retry-After": {"2"}}},
	{Status: 429, Header: map[string][]string{"Retry-After": {"1"}}},
	{Status: 401},
	{Hang: true},
	{Hang: true, Commit: true},
	{Status: 403, Body: []byte("{}")},
	{Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>Sign in</p>")},
}

// disorder chooses a fault for some of the requests while it is on.
type disorder struct {
	mu   sync.Mutex
	rand *rand.Rand
	off  bool
}

func (d *disorder) choose(mockserver.Request) *mockserver.Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off || d.rand.IntN(3) > 0 {
		return nil
	}
	fault := randomFaults[d.rand.IntN(len(randomFaults))]
	return &fault
}

// end ends the faults.
func (d *disorder) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = true
}

// TestProvider_convergesUnderRandomFaults applies random objects under
// random faults, each apply a process of its own, until none fails; then no accepted
// request may be lost, none may have been sent twice, and the plan has to be empty.
// Nothing is retried within an apply, so that an answer and the look for it are often
// lost both. A request that no answer has shown before it ended is known to be carried out
// only where the service goes on listing it, and data that is ready only where the
// configuration names a member of it: every second schedule has both, and proves everything.
func TestProvider_convergesUnderRandomFaults(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(4, 2000) {
		seed := soak.Seed(i)
		soak.Add(soak.Tried, 1)
		folder := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("seed %d", seed)
				}
			}()

			d := &disorder{rand: rand.New(rand.NewPCG(seed, 3))}
			list := objects.Random(d.rand, folder)
			proves := d.rand.IntN(2) == 0
			settings := prototest.Attributes{}
			if proves {
				settings["wire"] = prototest.Attributes{"all_data_member": "events"}
			}
			service := mocktest.StartPipe(t, func(s *mockserver.Server) {
				s.FaultFor, s.FulfilmentDelay = d.choose, 45*time.Minute // three applies
				s.DataRetention = 1000 * time.Hour                       // data that is offered for an hour only is asked for anew
				s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{KeepListed: proves} }
			})

			converge(t, service, d, list, settings)
			if at := slices.IndexFunc(list, func(o *objects.Object) bool { return o.Unproven }); proves && at >= 0 {
				t.Errorf("%s is not fulfilled, and the service shows that it is: %v", list[at].Resource, list[at].State.Attributes)
			}
		})
	}
}

// converge applies the objects until none waits, by a provider with more settings.
func converge(t *testing.T, service *mocktest.Instance, d *disorder, list []*objects.Object, settings prototest.Attributes) {
	t.Helper()

	for round := 0; ; round++ {
		p, c := startInMemory(t, service, settings)
		objects.ApplyAll(t.Context(), p, list)
		c.close()
		waiting := slices.IndexFunc(list, func(o *objects.Object) bool { return !o.Settled() })
		if waiting < 0 {
			break
		}

		if round == 150 {
			t.Errorf("%s does not converge: %v", list[waiting].Resource, list[waiting].State)
			return
		}

		<-time.After(5 * time.Minute)
	}

	d.end()
	p, c := startInMemory(t, service, settings)
	defer c.close()

	if open := objects.Open(p, list); open != "" {
		t.Errorf("without faults, %s", open)
	}
	objects.WantKept(t, service, list)
	// A login outlives the caller that began it; it has to end in the bubble.
	<-time.After(10 * time.Minute)
}

// connections closes the connections of a provider, which otherwise last until its process
// ends.
type connections struct{ close func() }

func startInMemory(t *testing.T, service *mocktest.Instance, settings prototest.Attributes) (*prototest.Provider, connections) {
	t.Helper()
	opened, closeAll := service.Tracked()
	config := prototest.Config(service).With(prototest.Attributes{"max_retries": 0}).With(settings)
	p := prototest.MustStart(t, config, func(cfg *client.Config) { cfg.DialContext = opened })
	return p, connections{closeAll}
}
