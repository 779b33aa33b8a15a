package provider_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

const (
	agreedAt = "2026-01-01T00:00:00Z"
	choseAt  = "2026-02-01T00:00:00Z"
)

var livesScope = mockserver.Scope{OrgID: acctest.Org, ProjectID: acctest.Project}

// lives are objects with a service over many applies. What happens between and during
// the applies is random: faults, people who choose, changed configurations, interrupts,
// and kills that lose the state of an apply.
type lives struct {
	t       *testing.T
	service *mocktest.Instance
	faults  *disorder
	rand    *rand.Rand
	list    []*life
}

// life is one object, with a person of its own.
type life struct {
	object

	chosen  bool // the person has chosen later than the configuration says
	changes int  // of the configuration
	lost    int  // applies whose state was lost
}

// TestProvider_livesUnderFaultsPeopleInterruptsAndKills applies random objects until
// nothing is left to do. Then every person has what they chose or else what is configured,
// and no request was lost, or sent again without a reason.
func TestProvider_livesUnderFaultsPeopleInterruptsAndKills(t *testing.T) {
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

			// The time of a bubble begins in the year 2000, and the people agreed later.
			<-time.After(time.Until(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))
			l := &lives{t: t, faults: &disorder{rand: rand.New(rand.NewPCG(seed, 3))}, rand: rand.New(rand.NewPCG(seed, 4))}
			for _, o := range randomObjects(l.rand, folder) {
				switch o.resource {
				case consentName:
					o.config["agreement_time"] = agreedAt
				case "analytics_data_access_request":
					o.config["overwrite"] = true // a killed apply leaves a file that no state knows
				}
				l.list = append(l.list, &life{object: *o})
			}

			l.service = mocktest.StartPipe(t, func(s *mockserver.Server) {
				s.FaultFor, s.FulfilmentDelay, s.DataRetention = l.faults.choose, 45*time.Minute, 1000*time.Hour
			})
			l.play()
			<-time.After(10 * time.Minute) // a login outlives the caller that began it
		})
	}
}

// play applies with disorder, then without, and checks what the service holds.
func (l *lives) play() {
	l.t.Helper()
	for range 3 + l.rand.IntN(12) {
		for _, o := range l.list {
			l.disturb(o)
		}
		l.apply(l.rand.IntN(4))
		<-time.After(5 * time.Minute)
	}

	l.faults.mu.Lock()
	l.faults.off = true
	l.faults.mu.Unlock()

	for round := 0; ; round++ {
		open := l.open()
		if open == "" {
			break
		}
		if round == 30 {
			l.t.Errorf("after %d applies without faults, %s", round, open)
			break
		}
		l.apply(calm)
		<-time.After(5 * time.Minute)
	}

	for _, o := range l.list {
		l.check(o)
	}
}

// disturb lets a person choose, or changes the configuration of an object.
func (l *lives) disturb(o *life) {
	switch l.rand.IntN(6) {
	case 0:
		if o.resource == consentName {
			o.chosen = true
			person := o.person()
			during := time.Duration(l.rand.Int64N(int64(time.Minute))) // of the apply that follows
			time.AfterFunc(during, func() {
				l.service.PutConsent(livesScope, person, mockserver.ConsentRecord{AgreementTime: choseAt})
			})
		}

	case 1:
		o.changes++
		switch o.resource {
		case consentName:
			o.config["clause_3_consent"] = o.changes%2 == 0
		case "analytics_profile":
			o.config["profile"] = fmt.Sprintf(`{"plan":"plan %d"}`, o.changes)
		}
	}
}

// calm is an apply that comes to its end. Two others are interrupted and killed.
const calm, interrupted, killed = 0, 1, 2

// apply applies all objects at once, in a process of its own.
func (l *lives) apply(end int) {
	p, c := startInMemory(l.t, l.service)
	ctx, stop := context.WithCancel(l.t.Context())
	if end == interrupted || end == killed {
		timer := time.AfterFunc(time.Duration(l.rand.Int64N(int64(time.Minute))), stop)
		defer timer.Stop()
	}

	var wg sync.WaitGroup
	for _, o := range l.list {
		wg.Go(func() { o.apply(ctx, p, end == killed) })
	}
	wg.Wait()
	stop()
	c.close()
}

// apply refreshes, plans and applies. The interrupt of ctx meets the last of these. A kill
// loses the state.
//
//nolint:contextcheck // see above
func (o *life) apply(ctx context.Context, p *acctest.Provider, kill bool) {
	prior := o.state
	if prior != nil {
		refreshed, diags := p.Refresh(o.resource, prior)
		if len(diags.Errors()) > 0 {
			return
		}
		prior = refreshed
	}

	plan, diags := p.Plan(o.resource, prior, o.config)
	if len(diags.Errors()) > 0 {
		return
	}
	if !plan.Changes {
		o.state = prior
		return
	}

	state, diags := p.Apply(ctx, o.resource, prior, plan)
	if kill {
		o.lost++
		return
	}

	o.state = state
	for _, text := range diags.Errors() {
		if strings.Contains(text, "Outcome unknown") {
			o.unknown++
		}
	}
}

// open says what an object still waits for or changes; empty if there is none.
func (l *lives) open() string {
	p, c := startInMemory(l.t, l.service)
	defer c.close()

	for _, o := range l.list {
		if o.state == nil {
			return o.resource + " is not in state"
		}

		state, diags := p.Refresh(o.resource, o.state)
		p.NoErrors(diags)
		plan, diags := p.Plan(o.resource, state, o.config)
		if plan.Changes {
			return fmt.Sprintf("%s with %v has a change to %v %v", o.resource, o.state.Attributes, plan.Attributes, diags.Errors())
		}
		if o.queued != "" && o.state.Attributes["fulfilled"] != true {
			return fmt.Sprintf("%s is not fulfilled: %v", o.resource, o.state.Attributes)
		}
	}

	return ""
}

// check compares what the service holds and has accepted with what was configured.
func (l *lives) check(o *life) {
	l.t.Helper()
	if o.resource == consentName {
		l.checkConsent(o)
		return
	}

	accepted := 0
	for _, q := range l.service.Queue() {
		if q.Operation == o.queued && q.Identity == o.person() {
			accepted++
		}
	}

	// Terraform knows nothing of what was accepted in an apply whose state was lost, and the
	// values of an update are absolute: after an unknown outcome it is sent again.
	limit := 1 + o.lost
	if o.queued == mockserver.OpUpdateProfile {
		limit += o.unknown + o.changes
	}
	if accepted < 1 || accepted > limit {
		soak.Add(soak.Lost, max(0, 1-accepted))
		soak.Add(soak.Duplicated, max(0, accepted-limit))
		l.t.Errorf("%s of %s was accepted %d times; %d unknown outcomes, %d lost states, %d changes", o.queued, o.person(), accepted, o.unknown, o.lost, o.changes)
	}
}

func (l *lives) checkConsent(o *life) {
	l.t.Helper()
	want := [5]bool{true, true, o.config["clause_3_consent"] == true, true, true}
	figure := soak.Lost
	if o.chosen {
		want, figure = [5]bool{}, soak.Overwritten
	}

	if held, _ := l.service.Consent(livesScope, o.person()); held.Clauses != want {
		soak.Add(figure, 1)
		l.t.Errorf("the service holds %v of %s, want %v (chose later: %t)", held.Clauses, o.person(), want, o.chosen)
	}
}

func (o *life) person() string { return fmt.Sprint(o.config["identity_id"]) }
