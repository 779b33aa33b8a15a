// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// lives is a course in which nothing is retried within an apply, so that an answer and the look for it are often lost
// both.
type lives struct {
	course

	endFaults func()
	rand      *rand.Rand
	// proves reports that the service lists requests also once they are over, and that the
	// configuration names a member of all data of a person: what was carried out can be seen.
	proves bool
	// hasOperator reports that another operator sends requests about the same people, which are carried out,
	// fail or vanish.
	hasOperator bool
}

// Two of the ways to live.
const (
	alone        = "alone"
	withOperator = "with another operator"
)

// TestProvider_livesUnderFaults applies random objects under random faults until nothing is
// left to do. Then every person has what they chose or else what is configured, and no request
// was lost, or sent again without a reason.
func TestProvider_livesUnderFaults(t *testing.T) {
	t.Parallel()
	for name, schedules := range map[string]int{alone: soak.Schedules(4, 2000), "with people, interrupts and kills": soak.Schedules(3, 2000), withOperator: soak.Schedules(50, 1000)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i := range schedules {
				seed := soak.Seed(i)
				soak.Add(soak.Tried, 1)
				folder := t.TempDir()
				synctest.Test(t, func(t *testing.T) {
					// The time of a bubble begins in the year 2000, and the people agreed later.
					<-time.After(time.Until(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))
					newLives(t, name, seed, folder).live(name == alone)
					<-time.After(10 * time.Minute) // a login outlives the caller that began it
				})
			}
		})
	}
}

// newLives starts a service with faults.
func newLives(t *testing.T, name string, seed uint64, folder string) *lives {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	chooseFault, endFaults := mocktest.Disorder(seed, 3)
	l := &lives{course: course{t: t, pause: 5 * time.Minute}, endFaults: endFaults, rand: rand.New(rand.NewPCG(seed, 4)), hasOperator: name == withOperator}
	for i := range 2 + l.rand.IntN(5) {
		resource := []string{profileName, deletionName, dataAccessName, consentName}[l.rand.IntN(4)]
		l.objects = append(l.objects, newInstance(resource, fmt.Sprintf("user-%d", i), folder))
	}
	l.proves = name == alone && l.rand.IntN(2) == 0
	l.service = mocktest.StartPipe(t, mocktest.AnswerData(`{"profile":{"plan":"gold"},"events":[]}`), func(s *mockserver.Server) {
		s.FaultFor, s.FulfilmentDelay = chooseFault, 45*time.Minute
		s.DataRetention = 1000 * time.Hour // data that is offered for an hour only is asked for anew
		s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{KeepListed: l.proves} }
	})

	l.config = prototest.Config(l.service).With(prototest.Attributes{"max_retries": 0})
	if l.proves {
		l.config["wire"] = prototest.Attributes{"all_data": prototest.Attributes{"at": "/events"}}
	}
	l.options = []provider.Option{func(cfg *client.Config) { cfg.DialContext = l.service.DialContext }}

	return l
}

// live applies with disorder and then without, until nothing is left to do. Between and during the applies,
// people choose, configurations change, and processes are interrupted, or killed and lose their state, unless
// the objects are alone.
func (l *lives) live(isAlone bool) {
	l.t.Helper()
	for range 3 + l.rand.IntN(12) {
		end := calm
		if !isAlone {
			end = l.rand.IntN(4)
			for _, o := range l.objects {
				l.disturb(o)
			}
		}
		l.applyUntil(end)
	}

	l.endFaults()
	l.wantSettled(30)
	for _, o := range l.objects {
		// Data that come at once, as a request that was lost is carried out, count once the list has been read twice.
		mayComeAtOnce := o.resource == dataAccessName && o.unknown > 0
		if l.proves && o.unproven && !mayComeAtOnce {
			l.t.Errorf("%s is not fulfilled, and the service shows that it is: %v", o.resource, o.state.Attributes)
		}
	}
	wantKept(l.t, l.service, l.objects)
}

// disturb lets a person choose, changes the configuration of an object, or has another operator send a request.
func (l *lives) disturb(o *instance) {
	action := l.rand.IntN(6)
	switch {
	case action == 0 && o.resource == consentName:
		during := time.Duration(l.rand.Int64N(int64(time.Minute))) // of the apply that follows
		time.AfterFunc(during, o.choose(l.service))
	case action == 1:
		o.change()
	case action == 2 && l.hasOperator:
		fates := []mockserver.Fate{mockserver.Fulfilled, mockserver.Failed, mockserver.Vanished}
		outcome := mockserver.Outcome{Fate: fates[l.rand.IntN(len(fates))]}
		during := time.Duration(l.rand.Int64N(int64(40 * time.Minute)))
		id := o.operate(l.service, l.rand)
		time.AfterFunc(during, func() { l.service.Conclude(id, outcome) })
	}
}

// calm is an apply that comes to its end. Two others are interrupted and killed.
const calm, interrupted, killed = 0, 1, 2

// applyUntil applies until the end, which comes within a minute if it is not calm.
func (l *lives) applyUntil(end int) {
	ctx, stop := context.WithCancel(l.t.Context())
	defer stop()
	if end == interrupted || end == killed {
		timer := time.AfterFunc(time.Duration(l.rand.Int64N(int64(time.Minute))), stop)
		defer timer.Stop()
	}
	l.apply(ctx, l.start(), end == killed)
}
