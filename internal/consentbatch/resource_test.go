// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
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

// wantRequests fails the test if the number of requests differs. In real time, that of the GETs
// is not determined: on a machine that stands still between a comparison and its write, the
// provider compares again.
func wantRequests(t *testing.T, service *mocktest.Instance, gets, patches int) {
	t.Helper()
	if g, p := service.Count(mockserver.OpGetConsent), service.Count(mockserver.OpUpdateConsent); g != gets || p != patches {
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

// inBatch runs a test of a batch in a bubble.
func inBatch(t *testing.T, content string, settings prototest.Attributes, test func(t *testing.T, b *batchTest)) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		p, service := startPipe(t, settings)
		test(t, &batchTest{t, p, service, newFile(t, content), nil})
	})
}

// step is a refresh, a plan and its apply in a process of their own, and what is expected of them.
type step struct {
	before  func(b *batchTest)   // what happens before; nil for nothing
	content string               // of the file from now on; empty for the same
	config  prototest.Attributes // the file is the source unless it has content_wo

	errors, warnings []string           // words of the only one; nil for none
	gets, patches    int                // requests
	counts           counts             // in state
	held             map[int][5]bool    // clauses that the service holds afterwards, by row
	after            func(b *batchTest) // further checks
}

// apply applies the steps one after the other. It fails the test where a message names a person,
// a create that failed is in state, or the plan after a step without an error is not empty.
func (b *batchTest) apply(steps ...step) {
	b.Helper()
	for i, s := range steps {
		b.p.NewRun()
		b.service.Reset()
		if s.before != nil {
			s.before(b)
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
		for row, clauses := range s.held {
			wantRow(b.T, b.service, row, clauses)
		}

		if s.errors != nil && !wasThere {
			if state != nil {
				b.Errorf("step %d: a create that failed is in state, and would be tainted", i)
			}
		} else {
			wantResults(b.T, state, s.counts)
		}
		if s.errors == nil {
			b.wantDone(i, config, s)
		}
		if s.after != nil {
			s.after(b)
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

// choosing lets the people of rows choose.
func choosing(at string, rows ...int) func(b *batchTest) {
	return func(b *batchTest) {
		for _, i := range rows {
			chooseFor(b.service, i, at)
		}
	}
}

// failing lets the service reject an update of each of the rows.
func failing(status int, rows ...int) func(b *batchTest) {
	return func(b *batchTest) { b.service.Inject(rejecting(status, rows...)...) }
}

// every returns the numbers from 0 on, below an end.
func every(step, end int) (rows []int) {
	for i := 0; i < end; i += step {
		rows = append(rows, i)
	}
	return rows
}

// uncompared is the setting of a plan that asks the service nothing.
var uncompared = prototest.Attributes{"compare_at_plan": false}

func TestConsentBatch_appliesOneAfterTheOther(t *testing.T) {
	t.Parallel()
	readOnly, forced, withdrawing := prototest.Attributes{"read_only": true}, prototest.Attributes{"keep_later_choice": false}, prototest.Attributes{"on_destroy": "withdraw"}
	changed := strings.ReplaceAll(people(10), "true,true,false", "true,true,true")
	created := step{gets: 20, patches: 10, counts: counts{Rows: 10, Written: 10}, held: map[int][5]bool{0: configured, 9: configured}}
	createdUncompared := step{
		config: uncompared, gets: 10, patches: 10, counts: counts{Rows: 10, Written: 10},
		after: func(b *batchTest) {
			b.service.Reset()
			chooseFor(b.service, 1, early)
			wantEmptyBatchPlan(b.T, b.p, b.state, b.f.config(uncompared))
			wantRequests(b.T, b.service, 0, 0)
			b.service.PutConsent(scope, userName(1), mockserver.ConsentRecord{Clauses: configured, AgreementTime: middle, Manual: new(true)})
		},
	}
	missing := []string{"2 of 10 rows failed", "lines 3, 6\n", "In state now: this resource with the present content, and how many rows are missing"}

	for name, tc := range soak.SomeOf(4, map[string]struct {
		rows     int
		settings prototest.Attributes
		steps    []step
	}{
		"only rows that differ are written": {10, nil, []step{
			created,
			{
				before: func(b *batchTest) {
					choosing(middle, 3, 7)(b)
					b.service.DeleteConsent(scope, userName(9))
				},
				warnings: []string{"The service reports records as missing", "for 1 of 10 rows: line 11."},
				gets:     20, patches: 3, counts: counts{Rows: 10, Written: 3}, held: map[int][5]bool{3: configured, 7: configured, 9: configured},
			},
		}},
		"later choices stand": {30, nil, []step{
			{
				before: choosing(late, every(1, 25)...), warnings: []string{"agreement_time in 25 of 30 rows", "lines 2, 3, 4, 5,", ", 21 and 5 more.", "What to do:"},
				gets: 60, patches: 5, counts: counts{Rows: 30, Kept: 25, Written: 5}, held: map[int][5]bool{0: {}, 25: configured},
			},
			{config: forced, gets: 60, patches: 25, counts: counts{Rows: 30, Written: 25}, held: map[int][5]bool{0: configured}},
		}},
		"a plan without comparison asks nothing": {10, nil, []step{
			createdUncompared,
			{before: choosing(early, 1), content: people(11), config: uncompared, gets: 11, patches: 2, counts: counts{Rows: 11, Written: 2}},
			{before: choosing(late, 2), config: uncompared.With(forced), gets: 11, patches: 1, counts: counts{Rows: 11, Written: 1}},
		}},
		"settings alone send nothing": {10, nil, []step{ // the counts are those of the last apply that had anything to do
			created,
			{config: withdrawing, gets: 10, counts: counts{Rows: 10, Written: 10}},
			{before: choosing(early, 1), config: withdrawing, gets: 20, patches: 1, counts: counts{Rows: 10, Written: 1}},
		}},
		"a failed create names rows and is not in state": {60, nil, []step{
			{
				before: func(b *batchTest) {
					failing(422, every(2, 60)...)(b)
					failing(409, 51)(b)
				},
				config: uncompared.With(withdrawing), gets: 60, patches: 60,
				errors: []string{
					"31 of 60 rows failed", "29 are in place, 29 of them written by this run", "31 failed",
					"The service rejected the request (30): lines 2, 4, 6,", "40 and 10 more", "HTTP status: 422", `"E42"`, "Changed elsewhere (1): 1 line\n",
					"Update consent: PATCH /v1/org/{orgId}", "In state now: nothing", "the rows that were written stay at the service", "What to do:", "just the missing ones are written",
				},
			},
			{config: uncompared, gets: 60, patches: 31, counts: counts{Rows: 60, Written: 31}},
		}},
		"a failed update counts missing rows": {10, nil, []step{
			created,
			{before: failing(400, 1, 4), content: changed, errors: missing, gets: 20, patches: 10, counts: counts{Rows: 10, Written: 8, Missing: 2}},
			{gets: 20, patches: 2, counts: counts{Rows: 10, Written: 2}},
		}},
		"a failed update counts missing rows, uncompared": {10, nil, []step{
			createdUncompared,
			{before: failing(400, 1, 4), config: uncompared, content: changed, errors: missing, gets: 10, patches: 10, counts: counts{Rows: 10, Written: 8, Missing: 2}},
			{config: uncompared, gets: 10, patches: 2, counts: counts{Rows: 10, Written: 2}},
		}},
		"a row that is never read stops none of the others": {10, nil, []step{{
			before: func(b *batchTest) {
				b.service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Identity: userName(7), Status: 400, Body: []byte(`{}`), Times: -1})
			},
			warnings: []string{"1 of 10 rows could not be compared", "line 9", "An apply tries them again"},
			errors:   []string{"1 of 10 rows failed", "line 9", "9 are in place"},
			gets:     20, patches: 9, held: map[int][5]bool{9: configured},
		}}},
		"a read-only provider writes nothing, and refuses only what is not in place": {5, readOnly, []step{
			{errors: []string{"The provider is read-only", "remove read_only"}, gets: 5},
			{before: func(b *batchTest) {
				for i := range 5 {
					b.service.PutConsent(scope, userName(i), mockserver.ConsentRecord{Clauses: configured, AgreementTime: middle, Manual: new(true)})
				}
			}, gets: 10, counts: counts{Rows: 5}},
		}},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBatch(t, people(tc.rows), tc.settings, func(_ *testing.T, b *batchTest) { b.apply(tc.steps...) })
		})
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

// TestConsentBatch_manyRowsLeaveASmallState checks that neither state nor its private part
// grows with the rows. The requests themselves are held to the contract elsewhere.
func TestConsentBatch_manyRowsLeaveASmallState(t *testing.T) {
	t.Parallel()
	many := soak.Size(soak.Raced(50, 500), 5000)
	inBatch(t, people(many), nil, func(t *testing.T, b *batchTest) {
		b.apply(step{
			before: func(b *batchTest) { b.service.Wrap = nil },
			config: uncompared, gets: many, patches: many, counts: counts{Rows: float64(many), Written: float64(many)},
			held: map[int][5]bool{0: configured, many / 2: configured, many - 1: configured},
		})
		text, err := json.Marshal(b.state.Attributes)
		if err != nil || len(text)+len(b.state.Private) > 2000 {
			t.Errorf("the state has %d bytes and %d private ones (%v)", len(text), len(b.state.Private), err)
		}
	})
}

func TestConsentBatch_warnsOfRowsWithoutTimeAndOfRemovedRows(t *testing.T) {
	t.Parallel()
	inBatch(t, people(5)+rowOf(5, "")+rowOf(6, ""), nil, func(t *testing.T, b *batchTest) {
		_, diags := b.p.Plan(batchName, nil, b.f.config(uncompared))
		prototest.WantText(t, diags.Warnings(), "Rows without agreement_time", "2 of 7 rows", "lines 7, 8.")

		b.apply(
			step{gets: 14, patches: 7, counts: counts{Rows: 7, Written: 7}}, // overwrites nothing
			step{
				before: choosing(early, 6), warnings: []string{"Rows without agreement_time", "1 of 7 rows", "line 8."},
				gets: 14, patches: 1, counts: counts{Rows: 7, Written: 1},
			},
			step{before: choosing(early, 6), config: prototest.Attributes{"keep_later_choice": false}, gets: 14, patches: 1, counts: counts{Rows: 7, Written: 1}},
		)

		chooseFor(b.service, 6, early)
		b.p.NewRun()
		_, diags = b.p.Plan(batchName, b.state, b.f.config(nil)) // of an apply, after the plan that has warned
		if len(diags) != 0 {
			t.Errorf("the apply says %v", diags)
		}

		b.apply(step{content: people(4), warnings: []string{"no longer managed", "3 fewer rows"}, gets: 8, counts: counts{Rows: 4}})
	})
}

func TestConsentBatch_writeOnlyContentIsNotInState(t *testing.T) {
	t.Parallel()
	config := func(content any, version int, compare bool) prototest.Attributes {
		return prototest.Attributes{"content_wo": content, "content_wo_version": version, "compare_at_plan": compare}
	}
	inBatch(t, "", nil, func(t *testing.T, b *batchTest) {
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
				before: failing(400, 4), config: config(people(5), 2, false),
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
	})
}
