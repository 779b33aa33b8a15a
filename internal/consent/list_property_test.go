// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// population is a random source of people, and what a list of it has to show.
type population struct {
	source  []string        // with repetitions
	failing map[string]bool // people who cannot be read
	without map[string]bool // people without a record

	limit, width int
}

func newPopulation(r *rand.Rand) population {
	p := population{failing: map[string]bool{}, without: map[string]bool{}, limit: r.IntN(12), width: 1 + r.IntN(8)}
	failing, without := r.IntN(6), r.IntN(6)
	people := 1 + r.IntN(60)

	for range r.IntN(80) {
		identity := fmt.Sprintf("user-%d", r.IntN(people))
		p.source = append(p.source, identity)
		p.failing[identity] = r.IntN(10) < failing
		p.without[identity] = !p.failing[identity] && r.IntN(10) < without
	}

	return p
}

// expectation is what a list has to show.
type expectation struct {
	names    []string
	failures int
	missing  int
	lookedUp int
	follows  string // what the last result says of further people
}

func (p population) expectation() (want expectation) {
	seen := map[string]bool{}
	for _, identity := range p.source {
		if seen[identity] {
			continue
		}
		seen[identity] = true
		if p.limit > 0 && len(want.names) == p.limit {
			want.follows = "its source has more people, who were not looked up"
			return want
		}

		want.lookedUp++
		switch {
		case p.without[identity]:
			want.missing++
		case p.failing[identity]:
			if want.failures++; want.failures == 10 {
				return want
			}
		default:
			want.names = append(want.names, identity)
		}
	}

	return want
}

// TestConsentList_showsExactlyWhatItShould lists random people with random delays, some of
// whom have no record or cannot be read, from both sources.
func TestConsentList_showsExactlyWhatItShould(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(60, 5_000) {
		seed := soak.Seed(i)
		r := rand.New(rand.NewPCG(seed, 14))
		people := newPopulation(r)
		prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
			p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"max_retries": 0, "max_concurrency": people.width}))
			for identity, has := range people.without {
				if !has && !people.failing[identity] {
					putConsents(service, identity)
				}
			}

			req := listOf(people.source...)
			if r.IntN(2) == 0 || len(people.source) == 0 {
				service.PutExport(scope, exportDay, mockserver.ExportDay{Persons: personRecords("identityId", people.source...)})
				req = listDay(nil)
			}
			req.Limit = int64(people.limit)

			people.check(t, p.List(name, req))
			people.checkRequests(t, service)
			people.checkPrefix(t, p, req, r.IntN(5))
		}, func(s *mockserver.Server) { s.FaultFor = people.fault(seed) })

		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// checkRequests fails the test if other people were looked up, or too many at a time. A look-up
// while the day is read would wait for ever where one request is allowed at a time.
func (p population) checkRequests(t *testing.T, service *mocktest.Instance) {
	t.Helper()
	if n, want := service.Count(mockserver.OpGetConsent), p.expectation(); n != want.lookedUp && want.failures < 10 {
		t.Errorf("%d people were looked up, want %d", n, want.lookedUp)
	}
	if n := service.Count(mockserver.OpExportRecords); n > 1 {
		t.Errorf("the day was asked for %d times", n)
	}

	most, requests := p.width, service.Requests()
	if p.limit > 0 {
		most = min(most, p.limit)
	}
	for _, r := range requests {
		flying := 0
		for _, other := range requests {
			if other.Operation == mockserver.OpGetConsent && !r.At.Before(other.At) && r.At.Before(other.At.Add(other.Took)) {
				flying++
			}
		}
		if flying > most {
			t.Errorf("%d requests were under way, want at most %d", flying, most)
		}
	}
}

// fault returns the faults of the service: a delay for everybody, and errors.
func (p population) fault(seed uint64) func(mockserver.Request) *mockserver.Fault {
	return func(r mockserver.Request) *mockserver.Fault {
		if r.Operation != mockserver.OpGetConsent {
			return nil
		}

		hash := seed
		for _, c := range r.Identity {
			hash = hash*31 + uint64(c)
		}
		fault := &mockserver.Fault{Delay: time.Duration(hash%50) * time.Millisecond}
		if p.failing[r.Identity] {
			fault.Status, fault.Body = http.StatusInternalServerError, []byte(`{}`)
		}

		return fault
	}
}

func (p population) check(t *testing.T, results prototest.ListResults) {
	t.Helper()
	want := p.expectation()
	wantNames(t, results, want.names...)
	wantNobodyNamed(t, results)

	diags := results.Diagnostics()
	failures := 0
	for _, text := range diags.Warnings() {
		if strings.HasPrefix(text, "A person could not be read") {
			failures++
		}
	}
	if want.failures == 10 {
		prototest.WantText(t, diags.Errors(), "10 of its people could not be read")
		return
	}

	if failures != want.failures || len(diags.Errors()) > 0 {
		t.Errorf("%d warnings are about failures, want %d; errors: %v", failures, want.failures, diags.Errors())
	}
	if want.missing > 0 {
		prototest.WantText(t, diags.Warnings(), fmt.Sprintf("some people in the source: %d.", want.missing))
	}
	// Terraform reads no further than the limit, so the last result has to say it.
	if last := results[max(0, len(results)-1):]; want.follows != "" {
		prototest.WantText(t, last.Diagnostics().Warnings(), "The list ends at its limit", want.follows)
	} else if strings.Contains(strings.Join(diags.Warnings(), "\n"), "limit") {
		t.Errorf("it warns of the limit: %v", diags.Warnings())
	}
	if p.limit > 0 && len(results.Names()) == p.limit && results[len(results)-1].Identity == nil {
		t.Error("the result after the last one is never read")
	}
}

// checkPrefix lists once more and reads no further than a number of results. The bubble
// fails the test where a goroutine stays.
func (p population) checkPrefix(t *testing.T, provider *prototest.Provider, req prototest.ListRequest, results int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	var got []string
	provider.ListUntil(ctx, name, req, func(result prototest.ListResult) bool {
		if result.Identity != nil {
			got = append(got, result.DisplayName)
		}
		return len(got) < results
	})

	want := p.expectation().names
	if len(want) > results {
		want = want[:max(1, results)]
	}
	if len(got) > 0 && cmp.Diff(want[:len(got)], got) != "" {
		t.Errorf("the first results are %v, want %v", got, want)
	}
}
