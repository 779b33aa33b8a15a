// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// TestConsentBatch_outageEndsTheApply has failures of every row, when it is read or when it is
// written. So many in a row, and those under way, show that the service is down. Where the
// credentials are rejected, going on could lock the account.
func TestConsentBatch_outageEndsTheApply(t *testing.T) {
	t.Parallel()
	read, write := mockserver.OpGetConsent, mockserver.OpUpdateConsent
	const down, inTheSameWay = "because the service failed for 50 rows in a row", "because they would have failed in the same way"

	for name, tc := range map[string]struct {
		fault       mockserver.Fault
		title, says string
		most        int // requests; a write may be tried twice
	}{
		"cut":         {mockserver.Fault{Operation: read, Cut: mockserver.CutBeforeCommit, Skip: 1}, "Connection lost", down, 52},
		"written 500": {mockserver.Fault{Operation: write, Status: 500}, "The service failed", down, 2 * 52},
		"written 401": {mockserver.Fault{Operation: write, Status: 401}, "Authentication rejected", inTheSameWay, 2 * 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, prototest.Attributes{"max_retries": 0, "max_concurrency": 2})
			f := newFile(t, people(100))
			tc.fault.Times = -1
			service.Inject(tc.fault)
			if tc.fault.Operation == read {
				for _, rows := range []int{100, 3} { // the first answer is the only one
					_, diags := p.Plan(batchName, nil, newFile(t, people(rows)).config(nil))
					prototest.WantText(t, diags.Errors(), tc.title, "were not compared", "In state now: nothing", "compare_at_plan = false")
				}
				service.Reset()
			}

			state, diags := p.Create(batchName, f.config(uncompared))
			prototest.WantText(t, diags.Errors(), tc.title, "of 100 rows were not written", "rows were not tried, "+tc.says, "What to do:")
			sent, logins := service.Count(tc.fault.Operation), service.Count(mockserver.OpLogin)
			if state != nil || len(diags.Errors()) != 1 || sent > tc.most || logins > 2 {
				t.Errorf("state %v, %d errors, %d requests, %d logins", state != nil, len(diags.Errors()), sent, logins)
			}
		})
	}
}

// TestConsentBatch_convergesUnderRandomFaults creates and changes a batch under random faults,
// each apply a run of its own, until none fails. People choose between two applies, and now and
// then before the client hears of an answer. Then every row has to be right, no later choice
// overwritten, and nothing have been written twice.
func TestConsentBatch_convergesUnderRandomFaults(t *testing.T) {
	t.Parallel()
	rows := soak.Size(soak.Raced(50, 100), 200)

	for i := range soak.Schedules(2, 500) {
		seed := soak.Seed(i)
		soak.Add(soak.Tried, 1)
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			var chosen sync.Map // identities of those who have taken all clauses back, later than the rows were agreed to
			choose := func(service *mocktest.Instance, identity string) {
				service.PutConsent(scope, identity, mockserver.ConsentRecord{AgreementTime: late, Manual: new(false)})
				chosen.Store(identity, true)
			}

			chooseFault, endFaults := mocktest.Disorder(seed, 20)
			choosePerson, _ := mocktest.Disorder(seed+1, 4)
			prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
				p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"max_retries": 2}))
				service.FaultFor = func(r mockserver.Request) *mockserver.Fault {
					fault := chooseFault(r)
					if fault != nil && r.Identity != "" && choosePerson(r) != nil {
						fault.Then = func() { choose(service, r.Identity) }
					}
					return fault
				}

				b := &batchTest{T: t, p: p, service: service, f: newFile(t, "")}
				for _, clauses := range []string{"true,true,false", "false,true,true"} {
					b.f.write(strings.ReplaceAll(people(rows), "true,true,false", clauses))
					b.converge(func(round int) { choose(service, userName(round%rows)) })
				}
				endFaults()

				b.p.NewRun()
				state, diags := b.p.Update(batchName, b.state, b.f.config(nil))
				b.p.NoErrors(diags)
				wantEmptyBatchPlan(t, p, state, b.f.config(nil))
				for i := range rows {
					want := [5]bool{false, true, true, true, true}
					if _, has := chosen.Load(userName(i)); has {
						want = [5]bool{}
					}
					wantRow(t, service, i, want)
				}
			}, func(s *mockserver.Server) { s.Check = nil })
		})
	}
}

// converge applies until no row is missing, and lets somebody choose between two applies. A plan
// before that writes nothing, and fails with one error at most. No row is carried out twice: what
// is in place is compared only, also if the answer was lost.
func (b *batchTest) converge(choose func(round int)) {
	b.Helper()
	b.service.Reset()
	_, diags := b.p.Plan(batchName, b.state, b.f.config(nil))
	if sent := b.service.Count(mockserver.OpUpdateConsent); len(diags.Errors()) > 1 || sent > 0 {
		b.Errorf("the plan has sent %d updates, and reports %q", sent, diags.Errors())
	}

	for round := 0; ; round++ {
		b.p.NewRun()
		after, diags := b.p.Update(batchName, b.state, b.f.config(uncompared))
		if after == nil && b.state != nil {
			b.Fatal("the object is gone")
		}
		b.state = after
		if len(diags.Errors()) == 0 {
			break
		}
		if round == 200 {
			b.Fatalf("no end after %d applies: %v", round, diags.Errors())
		}

		choose(round)
		<-time.After(time.Minute)
	}

	updates := written(b.service)
	if len(updates) == 0 {
		b.Error("nothing was written")
	}
	for identity, n := range updates {
		if n > 1 {
			soak.Add(soak.Duplicated, n-1)
			b.Errorf("%s was written %d times", identity, n)
		}
	}
}
