// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// population is a random source of people, and how a list of it is read.
type population struct {
	source []string // with repetitions
	people map[string]somebody

	limit, width int
	reads        int // results that are read; 0: all
}

// somebody is a person who has a record, has none, or cannot be read.
type somebody struct {
	fails, absent bool
	delay         time.Duration
}

// slowest is above the delay of everybody.
const slowest = 50 * time.Millisecond

func newPopulation(r *rand.Rand) population {
	p := population{people: map[string]somebody{}, limit: max(0, r.IntN(18)-6), width: 1 + r.IntN(8), reads: max(0, r.IntN(10)-5)}
	failing, absent, people := r.IntN(6), r.IntN(6), 1+r.IntN(60)

	for range r.IntN(80) {
		identity := fmt.Sprintf("user-%d", r.IntN(people))
		fails := r.IntN(10) < failing
		p.source = append(p.source, identity)
		p.people[identity] = somebody{fails, !fails && r.IntN(10) < absent, time.Duration(r.Int64N(int64(slowest)))}
	}

	return p
}

// expectation is what a list has to show.
type expectation struct {
	names    []string
	failed   []int // positions in the source
	missing  int
	lookedUp int
	isCut    bool // at the limit, before the end of the source
}

func (p population) expectation() (want expectation) {
	seen := map[string]bool{}
	for _, identity := range p.source {
		if seen[identity] {
			continue
		}
		seen[identity] = true
		if p.limit > 0 && len(want.names) == p.limit {
			want.isCut = true
			return want
		}

		want.lookedUp++
		switch person := p.people[identity]; {
		case person.absent:
			want.missing++
		case person.fails:
			if want.failed = append(want.failed, want.lookedUp); len(want.failed) == 10 {
				return want
			}
		default:
			want.names = append(want.names, identity)
		}
	}

	return want
}

// TestConsentList_showsExactlyWhatItShould lists random people with random delays, some of
// whom have no record or cannot be read, from both sources. Reading may end early.
func TestConsentList_showsExactlyWhatItShould(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(60, 5_000) {
		seed := soak.Seed(i)
		r := rand.New(rand.NewPCG(seed, 14))
		people := newPopulation(r)
		prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
			p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"max_retries": 0, "max_concurrency": people.width}))
			for identity, person := range people.people {
				if !person.absent && !person.fails {
					putConsents(service, identity)
				}
			}

			req := listOf(people.source...)
			if r.IntN(2) == 0 || len(people.source) == 0 {
				service.PutExport(scope, exportDay, mockserver.ExportDay{Persons: personRecords(people.source...)})
				req = listDay(nil)
			}
			req.Limit = int64(people.limit)

			began := time.Now()
			var results prototest.ListResults
			p.ListUntil(t.Context(), name, req, func(result prototest.ListResult) bool {
				results = append(results, result)
				return len(results) != people.reads
			})
			people.check(t, results, service, time.Since(began))
		}, func(s *mockserver.Server) { s.FaultFor = people.fault })

		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// fault returns the faults of the service: a delay for everybody, and errors.
func (p population) fault(r mockserver.Request) *mockserver.Fault {
	if r.Operation != mockserver.OpGetConsent {
		return nil
	}

	fault := &mockserver.Fault{Delay: p.people[r.Identity].delay}
	if p.people[r.Identity].fails {
		fault.Status, fault.Body = http.StatusInternalServerError, []byte(`{}`)
	}

	return fault
}

func (p population) check(t *testing.T, results prototest.ListResults, service *mocktest.Instance, took time.Duration) {
	t.Helper()
	wantNobodyNamed(t, results)
	want, diags := p.expectation(), results.Diagnostics()
	if len(results) == p.reads {
		if names := results.Names(); len(names) > len(want.names) || !slices.Equal(names, want.names[:len(names)]) {
			t.Errorf("the first results are %v, want %v", names, want.names)
		}
		return
	}

	wantNames(t, results, want.names...)
	for i, position := range want.failed {
		if i == 9 {
			prototest.WantText(t, diags.Errors(), fmt.Sprintf("The list ended at person %d: 10 of its people could not be read", position))
			return
		}
		prototest.WantText(t, diags.Warnings(), "A person could not be read", fmt.Sprintf("Person %d of the source", position))
	}
	warnings := strings.Join(diags.Warnings(), "\n")
	if n := strings.Count(warnings, "A person could not be read"); n != len(want.failed) || len(diags.Errors()) > 0 {
		t.Errorf("%d warnings are about failures, want %d; errors: %v", n, len(want.failed), diags.Errors())
	}
	if text := fmt.Sprintf("some people in the source: %d.", want.missing); strings.Contains(warnings, text) != (want.missing > 0) {
		t.Errorf("%d have no record, and it says %s", want.missing, warnings)
	}

	// Terraform reads no further than the limit, so the last result has to say it.
	says := fmt.Sprintf("The list ended at its limit of %d, and its source has more people, who were not looked up", p.limit)
	if want.isCut {
		prototest.WantText(t, results[len(results)-1].Warnings(), says)
	} else if strings.Contains(warnings, "limit") {
		t.Errorf("it warns of the limit: %s", warnings)
	}
	if p.limit > 0 && len(want.names) == p.limit && results[len(results)-1].Identity == nil {
		t.Error("the result after the last one is never read")
	}

	if n := service.Count(mockserver.OpGetConsent); n != want.lookedUp || service.Count(mockserver.OpExportRecords) > 1 {
		t.Errorf("%d people were looked up, want %d, of %d exports", n, want.lookedUp, service.Count(mockserver.OpExportRecords))
	}
	if rounds := (want.lookedUp + p.width - 1) / p.width; p.limit == 0 && took > time.Duration(rounds)*slowest {
		t.Errorf("it took %s for %d people, %d at a time", took, want.lookedUp, p.width)
	}
}
