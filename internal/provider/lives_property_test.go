// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest/objects"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// lives are objects with a service over many applies. What happens between and during
// the applies is random: faults, people who choose, changed configurations, interrupts,
// and kills that lose the state of an apply.
type lives struct {
	t       *testing.T
	service *mocktest.Instance
	faults  *disorder
	rand    *rand.Rand
	list    []*objects.Object
}

// TestProvider_livesUnderFaultsPeopleInterruptsAndKills applies random objects until
// nothing is left to do. Then every person has what they chose or else what is configured,
// and no request was lost, or sent again without a reason.
func TestProvider_livesUnderFaultsPeopleInterruptsAndKills(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(3, 2000) {
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
			l.list = objects.Random(l.rand, folder)
			for _, o := range l.list {
				switch o.Resource {
				case objects.Consent:
					o.Config["agreement_time"] = objects.AgreedAt
				case objects.DataAccess:
					o.Config["overwrite"] = true // a killed apply leaves a file that no state knows
				}
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

	l.faults.end()

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

	objects.WantKept(l.t, l.service, l.list)
}

// disturb lets a person choose, or changes the configuration of an object.
func (l *lives) disturb(o *objects.Object) {
	switch l.rand.IntN(6) {
	case 0:
		if o.Resource == objects.Consent {
			during := time.Duration(l.rand.Int64N(int64(time.Minute))) // of the apply that follows
			time.AfterFunc(during, o.Chooses(l.service))
		}

	case 1:
		o.Change()
	}
}

// calm is an apply that comes to its end. Two others are interrupted and killed.
const calm, interrupted, killed = 0, 1, 2

// apply applies all objects at once, in a process of its own.
func (l *lives) apply(end int) {
	p, c := startInMemory(l.t, l.service, nil)
	ctx, stop := context.WithCancel(l.t.Context())
	if end == interrupted || end == killed {
		timer := time.AfterFunc(time.Duration(l.rand.Int64N(int64(time.Minute))), stop)
		defer timer.Stop()
	}

	var wg sync.WaitGroup
	for _, o := range l.list {
		wg.Go(func() {
			if end == killed {
				o.Kill(ctx, p)
				return
			}
			o.Apply(ctx, p)
		})
	}
	wg.Wait()
	stop()
	c.close()
}

// open says what is still waited for; empty if there is nothing.
func (l *lives) open() string {
	p, c := startInMemory(l.t, l.service, nil)
	defer c.close()

	return objects.Open(p, l.list)
}
