package consentbatch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
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
func (f *batchFile) config(others acctest.Attributes) acctest.Attributes {
	return acctest.Attributes{"source": f.path}.With(others)
}

// createdBatch returns a batch that was created, and clears the request log.
func createdBatch(t *testing.T, p *acctest.Provider, service *mocktest.Instance, config acctest.Attributes) *acctest.State {
	t.Helper()
	state, _ := p.MustCreate(batchName, config)
	service.Reset()
	return state
}

// wantEmptyBatchPlan refreshes and plans, and fails the test unless the plan is empty.
func wantEmptyBatchPlan(t *testing.T, p *acctest.Provider, state *acctest.State, config acctest.Attributes) acctest.Diagnostics {
	t.Helper()
	state, _ = p.MustRefresh(batchName, state)
	return p.WantEmptyPlan(batchName, state, config)
}

// counts holds the counts in state.
type counts struct{ Rows, ToWrite, Kept, Written, Missing float64 }

// wantResults fails the test if the counts in state differ.
func wantResults(t *testing.T, state *acctest.State, want counts) {
	t.Helper()
	if state == nil {
		t.Fatal("there is no state")
	}

	count := func(name string) float64 {
		n, _ := state.Attributes[name].(float64)
		return n
	}
	got := counts{count("rows"), count("to_write"), count("kept"), count("written"), count("missing")}

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
	acctest.WantText(t, diags.Warnings(), "To write: 50 of 50 rows", "later choice of the person: 0.")
	wantRequests(t, service, 50, 0)

	if plan.Attributes["rows"] != 50.0 || plan.Attributes["written"] != acctest.Unknown {
		t.Errorf("the plan is %v", plan.Attributes)
	}

	service.Reset()
	state, diags := p.Apply(t.Context(), batchName, nil, plan)
	p.NoErrors(diags)
	wantRequests(t, service, 50, 50)
	wantResults(t, state, counts{Rows: 50, ToWrite: 50, Written: 50})

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
	config := acctest.Attributes{"content_wo": content, "content_wo_version": 1}
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

	service.DeleteConsent(scope, userName(9))
	state, diags := p.Update(batchName, state, f.config(nil))
	p.NoErrors(diags)
	acctest.WantText(t, diags.Warnings(), "To write: 3 of 20 rows", "In place: 17.")
	wantRequests(t, service, 40, 3)
	wantResults(t, state, counts{Rows: 20, ToWrite: 3, Written: 3})

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
	acctest.WantText(t, diags.Warnings(), "agreement_time in 25 of 30 rows", "lines 2, 3, 4, 5,", ", 21 and 5 more.", "What to do:")
	wantResults(t, state, counts{Rows: 30, ToWrite: 5, Kept: 25, Written: 5})
	wantRow(t, service, 0, [5]bool{})
	wantRow(t, service, 25, configured)
	acctest.WantText(t, wantEmptyBatchPlan(t, p, state, f.config(nil)).Warnings(), "later choice")

	overwrite := f.config(acctest.Attributes{"keep_later_choice": false})
	state, diags = p.Update(batchName, state, overwrite)
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 30, ToWrite: 25, Written: 25})
	wantRow(t, service, 0, configured)
	wantEmptyBatchPlan(t, p, state, overwrite)
}

func TestConsentBatch_countsRowsWithoutTimeAndRemovedRows(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(5)+rowOf(5, "")+rowOf(6, ""))
	state, diags := p.Create(batchName, f.config(nil))
	p.NoErrors(diags)
	acctest.WantText(t, diags.Warnings(), "2 of 7 rows have no agreement_time")
	f.write(people(4))
	service.Reset()
	state, diags = p.Update(batchName, state, f.config(nil))
	p.NoErrors(diags)
	acctest.WantText(t, diags.Warnings(), "no longer managed", "3 rows fewer")
	wantRequests(t, service, 8, 0)
	wantResults(t, state, counts{Rows: 4})
	wantRow(t, service, 6, configured)

	for _, warning := range wantEmptyBatchPlan(t, p, state, f.config(nil)).Warnings() {
		t.Errorf("the plan says %s", warning)
	}
}

func TestConsentBatch_planWithoutComparisonAsksNothing(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(5))
	config := f.config(acctest.Attributes{"compare_at_plan": false})
	plan, diags := p.Plan(batchName, nil, config)
	p.NoErrors(diags)
	wantRequests(t, service, 0, 0)

	if plan.Attributes["to_write"] != acctest.Unknown {
		t.Errorf("the plan is %v", plan.Attributes)
	}

	state := createdBatch(t, p, service, config)
	wantResults(t, state, counts{Rows: 5, ToWrite: 5, Written: 5})
	chooseFor(service, 1, early)
	wantEmptyBatchPlan(t, p, state, config)
	wantRequests(t, service, 0, 0)
	f.write(people(6))
	state, diags = p.Update(batchName, state, config)
	p.NoErrors(diags)
	wantRequests(t, service, 6, 2)
	wantResults(t, state, counts{Rows: 6, ToWrite: 2, Written: 2})
	plan, _ = p.Plan(batchName, state, f.config(acctest.Attributes{"compare_at_plan": false, "keep_later_choice": false}))
	if plan.Attributes["written"] != acctest.Unknown {
		t.Error("rows that were protected are not looked at again")
	}
}

func TestConsentBatch_writeOnlyContentIsNotInState(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	config := func(n, version int, compare bool) acctest.Attributes {
		return acctest.Attributes{"content_wo": people(n), "content_wo_version": version, "compare_at_plan": compare}
	}

	state := createdBatch(t, p, service, config(3, 1, true))
	wantResults(t, state, counts{Rows: 3, ToWrite: 3, Written: 3})
	wantEmptyBatchPlan(t, p, state, config(3, 1, true))
	state, diags := p.Update(batchName, state, config(4, 1, true)) // a comparison notices it without the version
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 4, ToWrite: 1, Written: 1})
	state, diags = p.Update(batchName, state, config(4, 1, false))
	p.NoErrors(diags)
	service.Reset()
	wantEmptyBatchPlan(t, p, state, config(5, 1, false))
	unknown := config(0, 1, true).With(acctest.Attributes{"content_wo": acctest.Unknown, "compare_at_plan": false})
	wantEmptyBatchPlan(t, p, state, unknown)
	wantRequests(t, service, 0, 0)
	if plan, _ := p.Plan(batchName, state, unknown.With(acctest.Attributes{"content_wo_version": 2})); plan.Attributes["digest"] != acctest.Unknown {
		t.Error("another version of an unknown content plans nothing")
	}

	state, diags = p.Update(batchName, state, config(5, 2, false))
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 5, ToWrite: 1, Written: 1})
	if state.Attributes["content_wo"] != nil {
		t.Error("the content is in state")
	}
}

func TestConsentBatch_unknownValuesAreCheckedByTheApply(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	plan, diags := p.Plan(batchName, nil, acctest.Attributes{"source": acctest.Unknown})
	p.NoErrors(diags)
	wantRequests(t, service, 0, 0)

	for _, name := range []string{"digest", "rows", "to_write", "kept", "written", "missing"} {
		if plan.Attributes[name] != acctest.Unknown {
			t.Errorf("%s is planned as %v", name, plan.Attributes[name])
		}
	}

	f := newFile(t, batchHeader+"x\n")
	plan = p.Resolve(batchName, plan, f.config(nil))
	state, diags := p.Apply(t.Context(), batchName, nil, plan)
	acctest.WantText(t, diags.Errors(), "Unusable rows", "line 2: the row has 1 cells", "In state now: nothing")
	if state != nil {
		t.Error("there is state")
	}

	f.write(people(2))
	state, diags = p.Apply(t.Context(), batchName, nil, plan)
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 2, ToWrite: 2, Written: 2})
}

func TestConsentBatch_refusesAnotherFileThanThePlannedOne(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(3))
	first, diags := p.Plan(batchName, nil, f.config(nil))
	p.NoErrors(diags)
	state := createdBatch(t, p, service, f.config(nil))
	f.write(strings.ReplaceAll(people(3), "user-2@", "user-5@")) // as many rows, another person
	if none, diags := p.Apply(t.Context(), batchName, nil, first); none != nil {
		t.Error("there is state")
	} else {
		acctest.WantText(t, diags.Errors(), "not those that were planned", "In state now: nothing")
	}

	f.write(people(4))
	second, diags := p.Plan(batchName, state, f.config(nil))
	p.NoErrors(diags)
	service.Reset()
	if none, diags := p.Apply(t.Context(), batchName, nil, first); none != nil {
		t.Error("there is state")
	} else {
		acctest.WantText(t, diags.Errors(), "not those that were planned", "In state now: nothing")
	}

	f.write(strings.ReplaceAll(people(4), "user-3@", "user-5@")) // as many rows, another person
	after, diags := p.Apply(t.Context(), batchName, state, second)
	acctest.WantText(t, diags.Errors(), "not those that were planned", "In state now: this object as it was before")
	if diff := cmp.Diff(state.Attributes, after.Attributes); diff != "" {
		t.Errorf("the state changed:\n%s", diff)
	}

	wantRequests(t, service, 0, 0)
}

func TestConsentBatch_settingsAloneSendNothing(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(3))
	state := createdBatch(t, p, service, f.config(nil))
	after, diags := p.Update(batchName, state, f.config(acctest.Attributes{"on_destroy": "withdraw", "timeouts": acctest.Attributes{"delete": "5m"}}))
	p.NoErrors(diags)
	wantRequests(t, service, 3, 0)                                 // the comparison of the plan
	wantResults(t, after, counts{Rows: 3, ToWrite: 3, Written: 3}) // those of the last apply that had anything to do

	if after.Attributes["digest"] != state.Attributes["digest"] || after.Attributes["on_destroy"] != "withdraw" {
		t.Errorf("the state is %v", after.Attributes)
	}

	chooseFor(service, 1, early)
	after, diags = p.Update(batchName, after, f.config(acctest.Attributes{"on_destroy": "withdraw"}))
	p.NoErrors(diags)
	wantResults(t, after, counts{Rows: 3, ToWrite: 1, Written: 1})
}

// TestConsentBatch_secondPlanMayFindMore plans twice, as an apply does: Terraform
// refuses a second plan in which a known value has changed.
func TestConsentBatch_secondPlanMayFindMore(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(4))
	state := createdBatch(t, p, service, f.config(nil))
	drift := func(i int) func() { return func() { chooseFor(service, i, early) } }

	for _, tc := range []struct {
		name          string
		others        acctest.Attributes
		before, after func()
	}{
		{"settings, then drift", acctest.Attributes{"on_destroy": "withdraw"}, func() {}, drift(0)},
		{"drift, then more of it", nil, drift(1), drift(2)},
		{"drift, then a later choice", nil, drift(3), func() { chooseFor(service, 3, late) }},
	} {
		tc.before()
		first, diags := p.Plan(batchName, state, f.config(tc.others))
		p.NoErrors(diags)
		tc.after()
		second, diags := p.Plan(batchName, state, f.config(tc.others))
		p.NoErrors(diags)

		for _, attribute := range []string{"digest", "rows", "to_write", "kept", "written", "missing"} {
			if planned := first.Attributes[attribute]; planned != acctest.Unknown && planned != second.Attributes[attribute] {
				t.Errorf("%s: %s was planned as %v and then as %v", tc.name, attribute, planned, second.Attributes[attribute])
			}
		}
	}
}

// TestConsentBatch_digestOfACreateIsPlanned checks that two plans of one create have the
// same digest, that it depends on the path of the file, and that state holds it.
func TestConsentBatch_digestOfACreateIsPlanned(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f, other := newFile(t, people(2)), newFile(t, people(2))
	digest := func(config acctest.Attributes) string {
		plan, diags := p.Plan(batchName, nil, config)
		p.NoErrors(diags)
		text, _ := plan.Attributes["digest"].(string)
		if !strings.HasPrefix(text, "pbkdf2-sha256$200000$") || strings.Count(text, "$") != 3 {
			t.Errorf("the digest is %v", plan.Attributes["digest"])
		}

		return text
	}

	first := digest(f.config(nil))
	if second := digest(f.config(nil)); second != first {
		t.Errorf("two plans of one create say %s and %s", first, second)
	}
	if state := createdBatch(t, p, service, f.config(nil)); state.Attributes["digest"] != first {
		t.Errorf("planned was %s, and in state is %v", first, state.Attributes["digest"])
	}

	for name, config := range map[string]acctest.Attributes{
		"another path":  other.config(nil),
		"another scope": f.config(acctest.Attributes{"account_id": "acct-7"}),
	} {
		if digest(config) == first {
			t.Errorf("%s: the same content has the same digest", name)
		}
	}

	f.write(strings.ReplaceAll(people(2), "user-1@", "user-5@"))
	if digest(f.config(nil)) == first {
		t.Error("another content of as many rows has the same digest")
	}
}

func TestConsentBatch_anotherScopeReplaces(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(2))
	state := createdBatch(t, p, service, f.config(nil))
	plan, diags := p.Plan(batchName, state, f.config(acctest.Attributes{"account_id": "acct-7"}))
	p.NoErrors(diags)
	if len(plan.Replace) == 0 {
		t.Error("another scope replaces nothing")
	}
}
