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

// wantRequests fails the test if the number of requests differs.
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

func TestConsentBatch_nextPlanIsEmpty(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(50))
	plan, diags := p.Plan(batchName, nil, f.config(nil))
	p.NoErrors(diags)
	wantRequests(t, service, 50, 0)
	if len(diags) != 0 {
		t.Errorf("the plan says %v", diags.Warnings())
	}

	if plan.Attributes["rows"] != 50.0 || plan.Attributes["written"] != prototest.Unknown {
		t.Errorf("the plan is %v", plan.Attributes)
	}

	service.Reset()
	state, diags := p.Apply(t.Context(), batchName, nil, plan)
	p.NoErrors(diags)
	wantRequests(t, service, 50, 50)
	wantResults(t, state, counts{Rows: 50, Written: 50})

	for i := range 50 {
		wantRow(t, service, i, configured)
	}

	service.Reset()
	if diags := wantEmptyBatchPlan(t, p, state, f.config(nil)); len(diags) != 0 {
		t.Errorf("the plan says %v", diags.Warnings())
	}

	wantRequests(t, service, 50, 0)
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
	p, service := start(t, nil)
	f := newFile(t, people(20))
	state := createdBatch(t, p, service, f.config(nil))

	for _, i := range []int{3, 7} { // drift, at the same time of agreement
		chooseFor(service, i, middle)
	}

	p.NewRun()
	service.DeleteConsent(scope, userName(9))
	state, diags := p.Update(batchName, state, f.config(nil))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "Records that the service no longer holds", "for 1 of 20 rows: line 11.")
	wantRequests(t, service, 40, 3)
	wantResults(t, state, counts{Rows: 20, Written: 3})

	for i := range 20 {
		wantRow(t, service, i, configured)
	}

	wantEmptyBatchPlan(t, p, state, f.config(nil))
}

func TestConsentBatch_laterChoicesStand(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(30))

	for i := range 25 {
		chooseFor(service, i, late)
	}

	state, diags := p.Create(batchName, f.config(nil))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "agreement_time in 25 of 30 rows", "lines 2, 3, 4, 5,", ", 21 and 5 more.", "What to do:")
	if n := len(diags.Warnings()); n != 1 { // by the apply, and not by its plan
		t.Errorf("%d warnings", n)
	}
	wantResults(t, state, counts{Rows: 30, Kept: 25, Written: 5})
	wantRow(t, service, 0, [5]bool{})
	wantRow(t, service, 25, configured)
	prototest.WantText(t, wantEmptyBatchPlan(t, p, state, f.config(nil)).Warnings(), "later choice")

	overwrite := f.config(prototest.Attributes{"keep_later_choice": false})
	state, diags = p.Update(batchName, state, overwrite)
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 30, Written: 25})
	wantRow(t, service, 0, configured)
	wantEmptyBatchPlan(t, p, state, overwrite)
}

func TestConsentBatch_warnsOfRowsWithoutTimeAndOfRemovedRows(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(5)+rowOf(5, "")+rowOf(6, ""))
	state, diags := p.Create(batchName, f.config(nil)) // overwrites nothing
	if len(diags) != 0 {
		t.Errorf("the create says %v", diags)
	}

	chooseFor(service, 6, early)
	p.NewRun()
	_, diags = p.Plan(batchName, state, f.config(nil)) // of an apply, after the plan that has warned
	if len(diags) != 0 {
		t.Errorf("the apply says %v", diags)
	}
	state, _ = p.MustRefresh(batchName, state)
	_, diags = p.Plan(batchName, state, f.config(nil))
	prototest.WantText(t, diags.Warnings(), "Nothing to compare a later choice with", "1 of 7 rows", "line 8.")
	_, diags = p.Plan(batchName, state, f.config(prototest.Attributes{"keep_later_choice": false}))
	if len(diags) != 0 {
		t.Errorf("where overwriting is intended the plan says %v", diags)
	}
	_, diags = p.Plan(batchName, nil, f.config(prototest.Attributes{"compare_at_plan": false}))
	prototest.WantText(t, diags.Warnings(), "Nothing to compare a later choice with", "2 of 7 rows", "lines 7, 8.")
	state, diags = p.Update(batchName, state, f.config(nil))
	p.NoErrors(diags)

	f.write(people(4))
	service.Reset()
	state, diags = p.Update(batchName, state, f.config(nil))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "no longer managed", "3 rows fewer")
	wantRequests(t, service, 8, 0)
	wantResults(t, state, counts{Rows: 4})
	wantRow(t, service, 6, configured)

	for _, warning := range wantEmptyBatchPlan(t, p, state, f.config(nil)).Warnings() {
		t.Errorf("the plan says %s", warning)
	}
}

func TestConsentBatch_planIsBoundToWriteOnlyContent(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	config := func(content string) prototest.Attributes {
		return prototest.Attributes{"content_wo": content, "content_wo_version": 1}
	}
	others := strings.ReplaceAll(people(4), "user-3@", "user-5@")

	var state *prototest.State
	for range 2 { // a create, and a change
		planned, diags := p.Plan(batchName, state, config(people(4)))
		p.NoErrors(diags)
		p.NewRun()
		same, _ := p.Plan(batchName, state, config(people(4)))
		other, _ := p.Plan(batchName, state, config(others))
		if digest := planned.Attributes["digest"]; digest == prototest.Unknown || digest != same.Attributes["digest"] || digest == other.Attributes["digest"] {
			t.Errorf("planned %v, then %v, and with other rows %v", digest, same.Attributes["digest"], other.Attributes["digest"])
		}

		state = createdBatch(t, p, service, config(people(3)))
		p.NewRun()
	}
}

func TestConsentBatch_writeOnlyContentIsNotInState(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	config := func(n, version int, compare bool) prototest.Attributes {
		return prototest.Attributes{"content_wo": people(n), "content_wo_version": version, "compare_at_plan": compare}
	}

	state := createdBatch(t, p, service, config(3, 1, true))
	wantResults(t, state, counts{Rows: 3, Written: 3})
	wantEmptyBatchPlan(t, p, state, config(3, 1, true))
	state, diags := p.Update(batchName, state, config(4, 1, true)) // a comparison notices it without the version
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 4, Written: 1})
	state, diags = p.Update(batchName, state, config(4, 1, false))
	p.NoErrors(diags)
	service.Reset()
	wantEmptyBatchPlan(t, p, state, config(5, 1, false))
	unknown := config(0, 1, true).With(prototest.Attributes{"content_wo": prototest.Unknown, "compare_at_plan": false})
	wantEmptyBatchPlan(t, p, state, unknown)
	wantRequests(t, service, 0, 0)
	if plan, _ := p.Plan(batchName, state, unknown.With(prototest.Attributes{"content_wo_version": 2})); plan.Attributes["digest"] != prototest.Unknown {
		t.Error("another version of an unknown content plans nothing")
	}

	state, diags = p.Update(batchName, state, config(5, 2, false))
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 5, Written: 1})
	if state.Attributes["content_wo"] != nil {
		t.Error("the content is in state")
	}
}

func TestConsentBatch_anotherScopeReplaces(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(2))
	state := createdBatch(t, p, service, f.config(nil))
	plan, diags := p.Plan(batchName, state, f.config(prototest.Attributes{"account_id": "acct-7"}))
	p.NoErrors(diags)
	if len(plan.Replace) == 0 {
		t.Error("another scope replaces nothing")
	}
}
