// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

var propertyRows = soak.Size(soak.Raced(50, 100), 200)

// storm is disorder in which now and then the person concerned chooses before the client hears
// of the answer.
type storm struct {
	*mocktest.Disorder
	batchTest

	mu     sync.Mutex
	rand   *rand.Rand
	chosen map[string]bool // who has chosen for themselves
}

func (s *storm) hit(r mockserver.Request) *mockserver.Fault {
	fault := s.Choose(r)
	if fault != nil && r.Identity != "" && s.intN(4) == 0 {
		fault.Then = func() { s.choose(r.Identity) }
	}
	return fault
}

func (s *storm) intN(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rand.IntN(n)
}

// choose takes all clauses back, later than the rows were agreed to.
func (s *storm) choose(identity string) {
	s.service.PutConsent(scope, identity, mockserver.ConsentRecord{AgreementTime: late, Manual: new(false)})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chosen[identity] = true
}

// TestConsentBatch_convergesUnderRandomFaults creates and changes a batch under
// random faults, each apply a run of its own, until none fails. Then every row has
// to be right, no later choice overwritten, and nothing have been written twice.
func TestConsentBatch_convergesUnderRandomFaults(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(2, 500) {
		seed := soak.Seed(i)
		soak.Add(soak.Tried, 1)
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			s := &storm{Disorder: mocktest.NewDisorder(seed, 20), rand: rand.New(rand.NewPCG(seed, 5)), chosen: map[string]bool{}}
			prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
				p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"max_retries": 2}))
				s.batchTest = batchTest{t, p, service, newFile(t, people(propertyRows)), nil}
				s.converge()
				s.f.write(strings.ReplaceAll(people(propertyRows), "true,true,false", "false,true,true"))
				s.converge()
				s.End()
				s.wantAllRight()
			}, func(server *mockserver.Server) { server.FaultFor, server.Wrap = s.hit, nil })
		})
	}
}

// converge applies until no row is missing. A plan before that writes nothing, and fails with one
// error at most. No row is carried out twice: what is in place is compared only, also if the
// answer was lost.
func (s *storm) converge() {
	s.Helper()
	s.service.Reset()
	_, diags := s.p.Plan(batchName, s.state, s.f.config(nil))
	if sent := s.service.Count(mockserver.OpUpdateConsent); len(diags.Errors()) > 1 || sent > 0 {
		s.Errorf("the plan has sent %d updates, and reports %q", sent, diags.Errors())
	}

	for round := 0; ; round++ {
		s.p.NewRun()
		after, diags := s.p.Update(batchName, s.state, s.f.config(uncompared))
		if after == nil && s.state != nil {
			s.Fatal("the object is gone")
		}
		s.state = after
		if len(diags.Errors()) == 0 {
			break
		}
		if round == 200 {
			s.Fatalf("no end after %d applies: %v", round, diags.Errors())
		}

		s.choose(userName(s.intN(propertyRows))) // people choose between two applies as well
		<-time.After(time.Minute)
	}

	for identity, n := range written(s.service) {
		if n > 1 {
			soak.Add(soak.Duplicated, n-1)
			s.Errorf("%s was written %d times", identity, n)
		}
	}
}

func (s *storm) wantAllRight() {
	s.Helper()
	s.p.NewRun()
	config := s.f.config(nil) // which compares
	state, diags := s.p.Update(batchName, s.state, config)
	s.p.NoErrors(diags)
	wantEmptyBatchPlan(s.T, s.p, state, config)
	if n := s.service.Count(mockserver.OpUpdateConsent); n == 0 {
		s.Error("the second file wrote nothing")
	}

	for i := range propertyRows {
		want, figure := [5]bool{false, true, true, true, true}, soak.Lost
		if s.chosen[userName(i)] {
			want, figure = [5]bool{}, soak.Overwritten
		}
		if record, _ := s.service.Consent(scope, userName(i)); record.Clauses != want {
			soak.Add(figure, 1)
			s.Errorf("of row %d the service holds %v, want %v", i, record.Clauses, want)
		}
	}
}
