// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const (
	batchName   = "analytics_consent_batch"
	batchHeader = "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time\n"
)

// userName returns the identity of row i.
func userName(i int) string { return fmt.Sprintf("user-%d@example.com", i) }

// rowOf returns a row of CSV with the usual clauses.
func rowOf(i int, agreed string) string {
	return userName(i) + ",true,true,false,true,true," + agreed + "\n"
}

// people returns a CSV of n rows that agreed at the middle time. Row i is on line i+2.
func people(n int) string {
	var b strings.Builder
	b.WriteString(batchHeader)
	for i := range n {
		b.WriteString(rowOf(i, middle))
	}
	return b.String()
}

// batchFile is a file of rows in a folder of the test.
type batchFile struct {
	t    *testing.T
	path string
}

func newFile(t *testing.T, content string) *batchFile {
	t.Helper()
	f := &batchFile{t, filepath.Join(t.TempDir(), "consents.csv")}
	f.write(content)
	return f
}

func (f *batchFile) write(content string) {
	f.t.Helper()
	if err := os.WriteFile(f.path, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// config returns a batch of the file, overridden by others.
func (f *batchFile) config(others prototest.Attributes) prototest.Attributes {
	return prototest.Attributes{"source": f.path}.With(others)
}

// createdBatch returns a batch that was created, and clears the request log.
func createdBatch(t *testing.T, p *prototest.Provider, service *mocktest.Instance, config prototest.Attributes) *prototest.State {
	t.Helper()
	state, _ := p.MustCreate(batchName, config)
	service.Reset()
	return state
}

// wantEmptyBatchPlan refreshes and plans, and fails the test unless the plan is empty.
func wantEmptyBatchPlan(t *testing.T, p *prototest.Provider, state *prototest.State, config prototest.Attributes) prototest.Diagnostics {
	t.Helper()
	state, _ = p.MustRefresh(batchName, state)
	return p.WantEmptyPlan(batchName, state, config)
}

// counts holds the counts in state.
type counts struct{ Rows, Kept, Written, Missing float64 }

// wantResults fails the test if the counts in state differ.
func wantResults(t *testing.T, state *prototest.State, want counts) {
	t.Helper()
	if state == nil {
		t.Fatal("there is no state")
	}

	count := func(name string) float64 {
		n, _ := state.Attributes[name].(float64)
		return n
	}
	got := counts{count("rows"), count("kept"), count("written"), count("missing")}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the counts in state (-want +got):\n%s", diff)
	}
}

// wantRow fails the test if the service holds other clauses for row i.
func wantRow(t *testing.T, service *mocktest.Instance, i int, want [5]bool) {
	t.Helper()
	if record, ok := service.Consent(scope, userName(i)); !ok || record.Clauses != want {
		t.Errorf("of row %d the service holds %v (%v), want %v", i, record.Clauses, ok, want)
	}
}

// wantWritten fails the test unless the service has carried out so many updates of each person.
func wantWritten(t *testing.T, service *mocktest.Instance, want map[string]int) {
	t.Helper()
	if diff := cmp.Diff(want, written(service)); diff != "" {
		t.Errorf("updates by person (-want +got):\n%s", diff)
	}
}

// written counts the updates that the service has carried out by person.
func written(service *mocktest.Instance) map[string]int {
	updates := map[string]int{}
	for _, r := range service.Requests() {
		if r.Operation == mockserver.OpUpdateConsent && r.Committed {
			updates[r.Identity]++
		}
	}

	return updates
}

// wantRequests fails the test if the number of requests differs. A GET more for every ten is
// as good: on a machine that stands still between a comparison and its write, the provider
// compares again.
func wantRequests(t *testing.T, service *mocktest.Instance, gets, patches int) {
	t.Helper()
	g, p := service.Count(mockserver.OpGetConsent), service.Count(mockserver.OpUpdateConsent)
	if g < gets || g > gets+gets/10 || p != patches {
		t.Errorf("the service received %d GET and %d PATCH, want %d and %d", g, p, gets, patches)
	}
}

// chooseFor records a choice of the person of row i.
func chooseFor(service *mocktest.Instance, i int, at string) {
	service.PutConsent(scope, userName(i), mockserver.ConsentRecord{AgreementTime: at, Manual: new(false)})
}

// batchTest is a batch of a file, as the applies of a test have left it.
type batchTest struct {
	*testing.T

	p       *prototest.Provider
	service *mocktest.Instance
	f       *batchFile
	state   *prototest.State
}

func newBatchTest(t *testing.T, content string, settings prototest.Attributes) *batchTest {
	t.Helper()
	p, service := start(t, settings)
	return &batchTest{t, p, service, newFile(t, content), nil}
}

// step is a refresh, a plan and its apply in a process of their own, and what is expected of them.
type step struct {
	before  func()               // what happens before; nil for nothing
	content string               // of the file from now on; empty for the same
	config  prototest.Attributes // the file is the source unless it has content_wo

	errors, warnings []string // words of the only one; nil for none
	gets, patches    int      // requests
	counts           counts   // in state
}

// apply applies the steps one after the other. It fails the test where a message names a person,
// a create that failed is in state, or the plan after a step without an error is not empty.
func (b *batchTest) apply(steps ...step) {
	b.Helper()
	for i, s := range steps {
		b.p.NewRun()
		b.service.Reset()
		if s.before != nil {
			s.before()
		}
		if s.content != "" {
			b.f.write(s.content)
		}
		config := s.config
		if config["content_wo"] == nil {
			config = b.f.config(s.config)
		}

		wasThere := b.state != nil
		if wasThere {
			b.state, _ = b.p.MustRefresh(batchName, b.state)
		}
		state, diags := b.p.Update(batchName, b.state, config)
		b.state = state
		b.wantSaid(i, "errors", diags.Errors(), s.errors)
		b.wantSaid(i, "warnings", diags.Warnings(), s.warnings)
		wantRequests(b.T, b.service, s.gets, s.patches)

		if s.errors != nil && !wasThere {
			if state != nil {
				b.Errorf("step %d: a create that failed is in state, and would be tainted", i)
			}
			continue
		}
		wantResults(b.T, state, s.counts)
		if s.errors == nil {
			b.wantDone(i, config, s)
		}
		if b.Failed() {
			b.Fatalf("in step %d", i)
		}
	}
}

// wantSaid fails the test unless there is one message with the words, or none if there are no
// words.
func (b *batchTest) wantSaid(number int, what string, texts, words []string) {
	b.Helper()
	if want := min(len(words), 1); len(texts) != want {
		b.Errorf("step %d: the %s are %q", number, what, texts)
	}
	if strings.Contains(strings.Join(texts, ""), "@example.com") {
		b.Errorf("step %d: a person is in the %s: %q", number, what, texts)
	}
	if words != nil {
		prototest.WantText(b.T, texts, words...)
	}
}

// wantDone fails the test unless the next plan is empty. It asks nothing if it does not compare,
// and otherwise warns of later choices alone.
func (b *batchTest) wantDone(number int, config prototest.Attributes, s step) {
	b.Helper()
	said := wantEmptyBatchPlan(b.T, b.p, b.state, config).Warnings()
	if config["compare_at_plan"] == false {
		wantRequests(b.T, b.service, s.gets, s.patches)
	} else if s.counts.Kept > 0 {
		prototest.WantText(b.T, said, "Later choices of people stand")
		return
	}
	if len(said) > 0 {
		b.Errorf("step %d: the next plan says %q", number, said)
	}
}

// uncompared is the setting of a plan that asks the service nothing.
var uncompared = prototest.Attributes{"compare_at_plan": false}

func TestConsentBatch_nextPlanIsEmpty(t *testing.T) {
	t.Parallel()
	b := newBatchTest(t, people(10), nil)
	b.apply(step{gets: 20, patches: 10, counts: counts{Rows: 10, Written: 10}})

	for i := range 10 {
		wantRow(t, b.service, i, configured)
	}
}

func TestConsentBatch_sendsEveryField(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	content := `[{"identity_id":"a/b","clause_1_consent":true,"clause_2_consent":false,"clause_3_consent":false,"clause_4_consent":false,"clause_5_consent":true,` +
		`"user_ipv6":"192.0.2.7","agreement_time":"2026-01-31T13:00:00.5+01:00","manual":false}]`
	config := prototest.Attributes{"content_wo": content, "content_wo_version": 1}
	state := createdBatch(t, p, service, config)
	record, _ := service.Consent(scope, "a/b")
	if record.Clauses != [5]bool{0: true, 4: true} || *record.UserIPv6 != "::ffff:192.0.2.7" || record.AgreementTime != "2026-01-31T12:00:00.5Z" || *record.Manual {
		t.Errorf("the service holds %+v", record)
	}
	wantEmptyBatchPlan(t, p, state, config)
}

func TestConsentBatch_writesOnlyRowsThatDiffer(t *testing.T) {
	t.Parallel()
	b := newBatchTest(t, people(20), nil)
	drift := func() {
		chooseFor(b.service, 3, middle)
		chooseFor(b.service, 7, middle)
		b.service.DeleteConsent(scope, userName(9))
	}
	b.apply(
		step{gets: 40, patches: 20, counts: counts{Rows: 20, Written: 20}},
		step{
			before: drift, warnings: []string{"Records that the service says it no longer has", "for 1 of 20 rows: line 11."},
			gets: 40, patches: 3, counts: counts{Rows: 20, Written: 3},
		},
	)

	for i := range 20 {
		wantRow(t, b.service, i, configured)
	}
}

func TestConsentBatch_laterChoicesStand(t *testing.T) {
	t.Parallel()
	b := newBatchTest(t, people(30), nil)
	choose := func() {
		for i := range 25 {
			chooseFor(b.service, i, late)
		}
	}
	b.apply(step{
		before: choose, warnings: []string{"agreement_time in 25 of 30 rows", "lines 2, 3, 4, 5,", ", 21 and 5 more.", "What to do:"},
		gets: 60, patches: 5, counts: counts{Rows: 30, Kept: 25, Written: 5},
	})
	wantRow(t, b.service, 0, [5]bool{})
	wantRow(t, b.service, 25, configured)

	b.apply(step{config: prototest.Attributes{"keep_later_choice": false}, gets: 60, patches: 25, counts: counts{Rows: 30, Written: 25}})
	wantRow(t, b.service, 0, configured)
}

func TestConsentBatch_warnsOfRowsWithoutTimeAndOfRemovedRows(t *testing.T) {
	t.Parallel()
	b := newBatchTest(t, people(5)+rowOf(5, "")+rowOf(6, ""), nil)
	_, diags := b.p.Plan(batchName, nil, b.f.config(uncompared))
	prototest.WantText(t, diags.Warnings(), "Rows without agreement_time", "2 of 7 rows", "lines 7, 8.")

	choose := func() { chooseFor(b.service, 6, early) }
	b.apply(
		step{gets: 14, patches: 7, counts: counts{Rows: 7, Written: 7}}, // overwrites nothing
		step{
			before: choose, warnings: []string{"Rows without agreement_time", "1 of 7 rows", "line 8."},
			gets: 14, patches: 1, counts: counts{Rows: 7, Written: 1},
		},
		step{before: choose, config: prototest.Attributes{"keep_later_choice": false}, gets: 14, patches: 1, counts: counts{Rows: 7, Written: 1}},
	)

	choose()
	b.p.NewRun()
	_, diags = b.p.Plan(batchName, b.state, b.f.config(nil)) // of an apply, after the plan that has warned
	if len(diags) != 0 {
		t.Errorf("the apply says %v", diags)
	}

	b.apply(step{content: people(4), warnings: []string{"no longer managed", "3 fewer rows"}, gets: 8, counts: counts{Rows: 4}})
}

func TestConsentBatch_writeOnlyContentIsNotInState(t *testing.T) {
	t.Parallel()
	b := newBatchTest(t, "", nil)
	config := func(content any, version int, compare bool) prototest.Attributes {
		return prototest.Attributes{"content_wo": content, "content_wo_version": version, "compare_at_plan": compare}
	}
	b.apply(
		step{config: config(people(3), 1, true), gets: 6, patches: 3, counts: counts{Rows: 3, Written: 3}},
		step{config: config(people(4), 1, true), gets: 8, patches: 1, counts: counts{Rows: 4, Written: 1}}, // a comparison notices it
		step{config: config(people(4), 1, false), counts: counts{Rows: 4, Written: 1}},
	)

	b.service.Reset()
	wantEmptyBatchPlan(t, b.p, b.state, config(people(5), 1, false))
	wantEmptyBatchPlan(t, b.p, b.state, config(prototest.Unknown, 1, false))
	wantRequests(t, b.service, 0, 0)
	if plan, _ := b.p.Plan(batchName, b.state, config(prototest.Unknown, 2, false)); plan.Attributes["digest"] != prototest.Unknown {
		t.Error("another version of an unknown content plans nothing")
	}

	b.apply(
		step{
			before: func() { b.service.Inject(rejecting(400, 4)...) }, config: config(people(5), 2, false),
			errors: []string{"1 of 5 rows failed", "line 6\n"}, gets: 5, patches: 1, counts: counts{Rows: 5, Missing: 1},
		},
		step{
			config: config("{", 3, false), errors: []string{"the JSON ends in the middle", "In state now: this resource as it was before"},
			counts: counts{Rows: 5, Missing: 1},
		},
		step{config: config(people(5), 2, false), gets: 5, patches: 1, counts: counts{Rows: 5, Written: 1}},
	)
	if b.state.Attributes["content_wo"] != nil {
		t.Error("the content is in state")
	}
}
