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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	batchName   = "analytics_consent_batch"
	singleName  = "analytics_consent"
	batchHeader = "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time\n"

	early  = "2026-01-31T12:00:00Z"
	middle = "2026-02-15T12:00:00Z"
	late   = "2026-03-31T12:00:00Z"
)

var (
	scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

	// configured are the clauses of the usual row.
	configured = [5]bool{true, true, false, true, true}

	// uncompared is the setting of a plan that asks the service nothing.
	uncompared  = prototest.Attributes{"compare_at_plan": false}
	withdrawing = prototest.Attributes{"on_destroy": "withdraw"}
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

// reportPath returns a path for a report beside the file.
func (f *batchFile) reportPath() string { return filepath.Join(filepath.Dir(f.path), "report.ndjson") }

// config returns a batch of the file, overridden by others.
func (f *batchFile) config(others prototest.Attributes) prototest.Attributes {
	return prototest.Attributes{"source": f.path}.With(others)
}

// shard returns the configuration of one shard.
func shard(index, count any) prototest.Attributes {
	return prototest.Attributes{"shard": prototest.Attributes{"index": index, "count": count}}
}

// single returns the configuration of an analytics_consent for the person of row i.
func single(i int, others prototest.Attributes) prototest.Attributes {
	return prototest.Attributes{
		"identity_id": userName(i), "agreement_time": middle,
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": false, "clause_4_consent": true, "clause_5_consent": true,
	}.With(others)
}

// start starts a mock server and a provider for it.
func start(t *testing.T) (*prototest.Provider, *mocktest.Instance) {
	t.Helper()
	service := mocktest.Start(t)
	return prototest.MustStart(t, prototest.Config(service)), service
}

// createdBatch returns a batch that was created, and clears the request log.
func createdBatch(t *testing.T, p *prototest.Provider, service *mocktest.Instance, config prototest.Attributes) *prototest.State {
	t.Helper()
	state, _ := p.MustUpdate(batchName, nil, config)
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

// rejecting returns a fault for one update of each of the rows.
func rejecting(status int, rows ...int) []mockserver.Fault {
	var faults []mockserver.Fault
	for _, i := range rows {
		faults = append(faults, mockserver.Fault{
			Operation: mockserver.OpUpdateConsent, Identity: userName(i), Status: status,
			Body: []byte(`{"error":{"code":"E42","message":"no such thing as ` + userName(i) + `"}}`),
		})
	}
	return faults
}

// every returns the numbers from 0 on, below an end.
func every(step, end int) (rows []int) {
	for i := 0; i < end; i += step {
		rows = append(rows, i)
	}
	return rows
}
