package client_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// wish is one object of a configuration: a person and a deferred operation. No
// person has two, so that none stands against another.
type wish struct {
	identity string
	kind     string
	accepted bool
	request  client.Request
	done     bool
}

// TestUnderRandomFaultsNoAcceptedRequestIsLostAndNoneIsSentTwice applies random
// wishes under random faults, again and again, as separate processes would, until
// all are fulfilled; then the service's own queue has to hold each exactly once.
func TestUnderRandomFaultsNoAcceptedRequestIsLostAndNoneIsSentTwice(t *testing.T) {
	t.Parallel()
	const batch = 5
	schedules := soak.Schedules(20, 5000)
	for first := 0; first < schedules; first += batch {
		t.Run(fmt.Sprintf("from %d", first), func(t *testing.T) {
			t.Parallel()
			for i := range min(batch, schedules-first) {
				seed := soak.Seed(first + i)
				disorder := &chaos{rand: rand.New(rand.NewPCG(seed, 2)), on: true, often: 6}
				bubble(t, func(t *testing.T, service *mocktest.Instance, _ *client.Client) {
					defer func() {
						if t.Failed() {
							t.Logf("seed %d", seed)
						}
					}()
					fulfilWishes(t, service, disorder)
				}, func(service *mocktest.Instance, _ *client.Config) {
					service.FaultFor = disorder.choose
					service.FulfilmentDelay = 45 * time.Minute // three applies
				})
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
		wishes = append(wishes, &wish{identity: identity, kind: client.Operations[disorder.rand.IntN(3)]})
	}
	for round := 0; !allDone(wishes); round++ {
		if round == 60 {
			t.Errorf("not done after %d applies: %+v", round, *wishes[0])
			return
		}
		c := connect(t, service)
		var wg sync.WaitGroup
		for _, w := range wishes {
			wg.Go(func() { w.apply(t.Context(), c) })
		}
		wg.Wait()
		c.Close()
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

var gold = map[string]jsontext.Value{"plan": jsontext.Value(`"gold"`)}

// apply is what an object does in one apply: it sends what was not accepted yet, and
// waits for a while.
func (w *wish) apply(ctx context.Context, c *client.Client) {
	if w.done {
		return
	}
	a := client.Awaited{Scope: scope, Identity: w.identity, Operation: w.kind}
	var send func() (client.Request, error)
	switch w.kind {
	case client.OperationDataDeletion:
		send = func() (client.Request, error) { return c.RequestDeletion(ctx, scope, w.identity) }
		a.Effect = c.ProfileGone(scope, w.identity)
	case client.OperationDataAccess:
		send = func() (client.Request, error) { return c.RequestData(ctx, scope, w.identity) }
	default:
		send = func() (client.Request, error) { return c.AdoptProfileUpdate(ctx, scope, w.identity, gold) }
		a.Effect = c.ProfileHolds(scope, w.identity, gold)
	}
	if !w.accepted {
		r, err := send()
		if err != nil {
			return
		}
		w.accepted, w.request = true, r
	}
	a.ID = w.request.ID
	ctx, cancel := context.WithTimeout(ctx, 20*time.Minute)
	defer cancel()
	switch c.Await(ctx, a).Ending {
	case client.Fulfilled:
		w.done = true
	case client.Gone, client.Rejected:
		w.accepted = false
	case client.StillPending:
	}
}

// wantEachOnce compares with what the service has accepted.
func wantEachOnce(t *testing.T, service *mocktest.Instance, wishes []*wish) {
	t.Helper()
	operations := map[string]string{
		mockserver.OpDeleteAllData: client.OperationDataDeletion, mockserver.OpGetAllData: client.OperationDataAccess, mockserver.OpUpdateProfile: client.OperationProfileUpdate,
	}
	accepted := map[string]int{}
	for _, q := range service.Queue() {
		accepted[q.Identity+" "+operations[q.Operation]]++
	}
	for _, w := range wishes {
		if n := accepted[w.identity+" "+w.kind]; n != 1 {
			t.Errorf("%s of %s was accepted %d times", w.kind, w.identity, n)
		}
		delete(accepted, w.identity+" "+w.kind)
	}
	for what := range accepted {
		t.Errorf("nobody wished for %s", what)
	}
}
