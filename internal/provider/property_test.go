package provider_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// object is one object of a random configuration, with a person of its own.
type object struct {
	resource, queued string // queued is the service's operation; empty if nothing is queued
	config           acctest.Attributes
	state            *acctest.State
	unknown          int // outcomes that were reported as unknown
}

func randomObjects(random *rand.Rand, folder string) []*object {
	var objects []*object
	for i := range 2 + random.IntN(5) {
		identity := fmt.Sprintf("user-%d", i)
		objects = append(objects, []*object{
			{resource: "analytics_profile", queued: mockserver.OpUpdateProfile, config: acctest.Attributes{"identity_id": identity, "profile": `{"plan":"gold"}`}},
			{resource: "analytics_data_deletion", queued: mockserver.OpDeleteAllData, config: acctest.Attributes{"identity_id": identity}},
			{resource: "analytics_data_access_request", queued: mockserver.OpGetAllData, config: acctest.Attributes{"identity_id": identity, "output_path": folder + "/" + identity + ".json"}},
			{resource: consentName, config: consentOf(identity)},
		}[random.IntN(4)])
	}

	return objects
}

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
	mu    sync.Mutex
	rand  *rand.Rand
	off   bool
	often int // n for a fault in one of n requests; 0 is 3
}

func (d *disorder) choose(mockserver.Request) *mockserver.Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off || d.rand.IntN(cmp.Or(d.often, 3)) > 0 {
		return nil
	}
	fault := randomFaults[d.rand.IntN(len(randomFaults))]
	return &fault
}

// TestProvider_convergesUnderRandomFaults applies random objects under
// random faults, each apply a process of its own, until none fails; then no accepted
// request may be lost, none may have been sent twice, and the plan has to be empty.
// Nothing is retried within an apply, so that an answer and the look for it are often
// lost both.
func TestProvider_convergesUnderRandomFaults(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(6, 2000) {
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
			objects := randomObjects(d.rand, folder)
			service := mocktest.StartPipe(t, func(s *mockserver.Server) {
				s.FaultFor, s.FulfilmentDelay = d.choose, 45*time.Minute // three applies
				s.DataRetention = 1000 * time.Hour                       // data that is offered for an hour only is asked for anew
			})

			converge(t, service, d, objects)
		})
	}
}

// TestProvider_manyResourcesConvergeUnderFaults applies many resources, where one request in
// twenty fails, until none is missing.
func TestProvider_manyResourcesConvergeUnderFaults(t *testing.T) {
	t.Parallel()
	seed := soak.Seed(0)
	synctest.Test(t, func(t *testing.T) {
		var objects []*object
		for i := range soak.Size(30, 2000) {
			objects = append(objects, &object{resource: consentName, config: consentOf(fmt.Sprintf("user-%d", i))})
		}
		d := &disorder{rand: rand.New(rand.NewPCG(seed, 6)), often: 20}
		service := mocktest.StartPipe(t, func(s *mockserver.Server) { s.FaultFor = d.choose })

		converge(t, service, d, objects)

		for _, o := range objects {
			if held, _ := service.Consent(livesScope, fmt.Sprint(o.config["identity_id"])); held.Clauses != [5]bool{true, true, true, true, true} {
				soak.Add(soak.Lost, 1)
				t.Errorf("seed %d: the service holds %v of %v", seed, held.Clauses, o.config["identity_id"])
			}
		}
	})
}

func converge(t *testing.T, service *mocktest.Instance, d *disorder, objects []*object) {
	t.Helper()

	for round := 0; ; round++ {
		p, c := startInMemory(t, service)
		applyAll(p, objects)
		c.close()
		if allFulfilled(objects) {
			break
		}

		if round == 150 {
			for _, o := range objects {
				t.Errorf("%s does not converge: %v", o.resource, o.state != nil)
			}
			return
		}

		<-time.After(5 * time.Minute)
	}

	d.mu.Lock()
	d.off = true
	d.mu.Unlock()
	p, c := startInMemory(t, service)
	defer c.close()

	for _, o := range objects {
		state, diags := p.Refresh(o.resource, o.state)
		p.NoErrors(diags)
		if plan, _ := p.Plan(o.resource, state, o.config); plan.Changes {
			t.Errorf("%s: the plan is not empty", o.resource)
		}
	}

	wantEachQueuedOnce(t, service, objects)
	// A login outlives the caller that began it; it has to end in the bubble.
	<-time.After(10 * time.Minute)
}

// connections closes the connections of a provider, which otherwise last until its process
// ends.
type connections struct{ close func() }

func startInMemory(t *testing.T, service *mocktest.Instance) (*acctest.Provider, connections) {
	t.Helper()
	opened, closeAll := service.Tracked()
	p := acctest.MustStart(t, acctest.Config(service).With(acctest.Attributes{"max_retries": 0}), func(cfg *client.Config) { cfg.DialContext = opened })
	return p, connections{closeAll}
}

// applyAll refreshes, plans and applies every object at once.
func applyAll(p *acctest.Provider, objects []*object) {
	var wg sync.WaitGroup
	for _, o := range objects {
		wg.Go(func() { o.apply(p) })
	}
	wg.Wait()
}

func (o *object) apply(p *acctest.Provider) {
	if o.state != nil {
		state, diags := p.Refresh(o.resource, o.state)
		if len(diags.Errors()) > 0 {
			return
		}

		o.state = state
	}

	state, diags := p.Update(o.resource, o.state, o.config)
	o.state = state
	for _, text := range diags.Errors() {
		if strings.Contains(text, "Outcome unknown") {
			o.unknown++
		}
	}
}

func allFulfilled(objects []*object) bool {
	for _, o := range objects {
		if o.state == nil || o.queued != "" && o.state.Attributes["fulfilled"] != true {
			return false
		}
	}
	return true
}

func wantEachQueuedOnce(t *testing.T, service *mocktest.Instance, objects []*object) {
	t.Helper()
	accepted := map[string]int{}
	for _, q := range service.Queue() {
		accepted[fmt.Sprint(q.Operation, " ", q.Identity)]++
	}

	for _, o := range objects {
		if o.queued == "" {
			continue
		}
		what := fmt.Sprint(o.queued, " ", o.config["identity_id"])
		// The values of an update are absolute: after an unknown outcome it is sent again.
		limit := 1
		if o.queued == mockserver.OpUpdateProfile {
			limit += o.unknown
		}
		if n := accepted[what]; n < 1 || n > limit {
			soak.Add(soak.Lost, max(0, 1-n))
			soak.Add(soak.Duplicated, max(0, n-limit))
			t.Errorf("%s was accepted %d times, and %d outcomes were unknown", what, n, o.unknown)
		}

		delete(accepted, what)
	}

	for what := range accepted {
		t.Errorf("nobody wished for %s", what)
	}
}
