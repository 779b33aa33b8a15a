// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
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

	service *mocktest.Instance

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
// random faults, each apply a process of its own, until none fails. Then every row has
// to be right, no later choice overwritten, and nothing have been written twice.
func TestConsentBatch_convergesUnderRandomFaults(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(2, 500) {
		seed := soak.Seed(i)
		soak.Add(soak.Tried, 1)
		f := newFile(t, people(propertyRows))
		bubble(t, func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("seed %d", seed)
				}
			}()

			s := &storm{Disorder: mocktest.NewDisorder(seed, 20), rand: rand.New(rand.NewPCG(seed, 5)), chosen: map[string]bool{}}
			s.service = mocktest.StartPipe(t, func(server *mockserver.Server) { server.FaultFor, server.Wrap = s.hit, nil })
			state := s.converge(t, nil, f)
			f.write(strings.ReplaceAll(people(propertyRows), "true,true,false", "false,true,true"))
			state = s.converge(t, state, f)
			s.End()
			s.wantAllRight(t, state, f)
		})
	}
}

// converge applies until no row is missing.
func (s *storm) converge(t *testing.T, state *prototest.State, f *batchFile) *prototest.State {
	t.Helper()
	config := f.config(uncompared)
	s.service.Reset()

	for round := 0; ; round++ {
		p, closeAll := s.process(t)
		if round == 0 {
			s.planOnly(t, p, state, f)
		}

		after, diags := p.Update(batchName, state, config)
		closeAll()
		if after == nil && state != nil {
			t.Fatal("the object is gone")
		}

		state = after
		if len(diags.Errors()) == 0 {
			s.wantWrittenOnce(t)
			return state
		}

		if round == 200 {
			t.Fatalf("no end after %d applies: %v", round, diags.Errors())
		}

		s.choose(userName(s.intN(propertyRows))) // people choose between two applies as well
		<-time.After(time.Minute)
	}
}

// planOnly checks that a plan writes nothing, and fails with one error at most.
func (s *storm) planOnly(t *testing.T, p *prototest.Provider, state *prototest.State, f *batchFile) {
	t.Helper()
	if _, diags := p.Plan(batchName, state, f.config(nil)); len(diags.Errors()) > 1 {
		t.Errorf("the plan reports %d errors", len(diags.Errors()))
	}
	if n := s.service.Count(mockserver.OpUpdateConsent); n > 0 {
		t.Errorf("the plan has sent %d updates", n)
	}
}

// process starts another provider, with a login of its own.
func (s *storm) process(t *testing.T) (p *prototest.Provider, closeAll func()) {
	t.Helper()
	dial, closeAll := s.service.Tracked()
	settings := prototest.Attributes{"max_retries": 2}
	return prototest.MustStart(t, prototest.Config(s.service).With(settings), func(cfg *client.Config) { cfg.DialContext = dial }), closeAll
}

// wantWrittenOnce checks that no row was carried out twice since the last reset: what is
// in place is compared only, also if the answer was lost.
func (s *storm) wantWrittenOnce(t *testing.T) {
	t.Helper()
	for identity, n := range written(s.service) {
		if n > 1 {
			soak.Add(soak.Duplicated, n-1)
			t.Errorf("%s was written %d times", identity, n)
		}
	}
}

func (s *storm) wantAllRight(t *testing.T, state *prototest.State, f *batchFile) {
	t.Helper()
	p, closeAll := s.process(t)
	defer closeAll()
	config := f.config(nil) // which compares
	state, diags := p.Update(batchName, state, config)
	p.NoErrors(diags)
	wantEmptyBatchPlan(t, p, state, config)
	if n := s.service.Count(mockserver.OpUpdateConsent); n == 0 {
		t.Error("the second file wrote nothing")
	}

	for i := range propertyRows {
		want := [5]bool{false, true, true, true, true}
		if s.chosen[userName(i)] {
			want = [5]bool{}
		}

		s.countWrong(i, want)
		wantRow(t, s.service, i, want)
	}
}

// countWrong counts a row for make soak that is not what it should be.
func (s *storm) countWrong(row int, want [5]bool) {
	record, _ := s.service.Consent(scope, userName(row))
	switch {
	case record.Clauses == want:
	case s.chosen[userName(row)]:
		soak.Add(soak.Overwritten, 1)
	default:
		soak.Add(soak.Lost, 1)
	}
}
