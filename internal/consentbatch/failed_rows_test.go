// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// rejecting returns a fault for one update of each of the rows.
func rejecting(status int, of ...int) []mockserver.Fault {
	var faults []mockserver.Fault
	for _, i := range of {
		faults = append(faults, mockserver.Fault{
			Operation: mockserver.OpUpdateConsent, Identity: userName(i), Status: status,
			Body: []byte(`{"error":{"code":"E42","message":"no such thing as ` + userName(i) + `"}}`),
		})
	}
	return faults
}

func TestConsentBatch_failedCreateNamesRowsAndIsNotInState(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(60))

	var bad []int
	for i := 0; i < 60; i += 2 {
		bad = append(bad, i)
	}

	service.Inject(rejecting(422, bad...)...)
	service.Inject(rejecting(409, 51)...)
	state, diags := p.Create(batchName, f.config(prototest.Attributes{"on_destroy": "withdraw"}))
	if state != nil {
		t.Error("a create that failed is in state, and would be tainted")
	}
	if n := len(diags.Errors()); n != 1 {
		t.Errorf("%d errors", n)
	}

	prototest.WantText(t, diags.Errors(), "31 of 60 rows failed", "29 are in place, 29 of them since now", "31 failed",
		"The service rejected the request (30): lines 2, 4, 6,", "40 and 10 more", "HTTP status: 422", `"E42"`, "Changed elsewhere (1): 1 line\n",
		"Update consent: PATCH /v1/org/{orgId}", "In state now: nothing", "the rows that were written stay at the service", "What to do:", "just the missing ones are written")

	if text := strings.Join(diags.Errors(), ""); strings.Contains(text, "example.com") {
		t.Errorf("a person is in the error:\n%s", text)
	}

	service.Reset()
	state, diags = p.Create(batchName, f.config(nil))
	p.NoErrors(diags)
	wantRequests(t, service, 120, 31)
	wantResults(t, state, counts{Rows: 60, Written: 31})
	wantEmptyBatchPlan(t, p, state, f.config(nil))
}

func TestConsentBatch_failedUpdateCountsMissingRows(t *testing.T) {
	t.Parallel()
	for _, compare := range []bool{true, false} {
		p, service := start(t, nil)
		f := newFile(t, people(10))
		config := f.config(prototest.Attributes{"compare_at_plan": compare})
		state := createdBatch(t, p, service, config)
		f.write(strings.ReplaceAll(people(10), "true,true,false", "true,true,true"))
		service.Inject(rejecting(400, 1, 4)...)
		after, diags := p.Update(batchName, state, config)
		prototest.WantText(t, diags.Errors(), "2 of 10 rows failed", "lines 3, 6\n", "In state now: this object with the present content, and how many rows are missing")
		wantResults(t, after, counts{Rows: 10, Written: 8, Missing: 2})

		if after.Attributes["digest"] == state.Attributes["digest"] {
			t.Error("state has the digest of the old file")
		}

		service.Reset()
		after, diags = p.Update(batchName, after, config)
		p.NoErrors(diags)
		wantResults(t, after, counts{Rows: 10, Written: 2})
		if n := service.Count(mockserver.OpUpdateConsent); n != 2 {
			t.Errorf("%d rows were written", n)
		}

		wantEmptyBatchPlan(t, p, after, config)
	}
}

func TestConsentBatch_failedUpdateOfWriteOnlyContent(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	config := prototest.Attributes{"content_wo": people(4), "content_wo_version": 1, "compare_at_plan": false}
	state := createdBatch(t, p, service, config)
	config = config.With(prototest.Attributes{"content_wo": people(5), "content_wo_version": 2})
	service.Inject(rejecting(400, 4)...)
	state, diags := p.Update(batchName, state, config)
	prototest.WantText(t, diags.Errors(), "1 of 5 rows failed", "line 6\n")
	wantResults(t, state, counts{Rows: 5, Missing: 1})
	bad := config.With(prototest.Attributes{"content_wo": "{", "content_wo_version": 3})
	plan, diags := p.Plan(batchName, state, bad)
	prototest.WantText(t, diags.Errors(), "the JSON ends in the middle", "In state now: this object as it was before")

	if plan.Changes {
		t.Error("bad rows are planned")
	}

	state, diags = p.Update(batchName, state, config)
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: 5, Written: 1})
}

func TestConsentBatch_outageEndsTheApply(t *testing.T) {
	t.Parallel()
	page := map[string][]string{"Content-Type": {"text/html"}}
	json := []byte(`{"error":{"code":"E1","message":"x"}}`)

	for name, tc := range map[string]struct {
		fault mockserver.Fault
		words string
	}{
		"401":       {mockserver.Fault{Status: 401, Body: json}, "Authentication rejected"},
		"403":       {mockserver.Fault{Status: 403, Body: json}, "Not permitted"},
		"404 page":  {mockserver.Fault{Status: 404, Body: []byte("<h1>")}, "Endpoint not found"},
		"redirect":  {mockserver.Fault{Status: 302, Header: map[string][]string{"Location": {"https://elsewhere.example.com/"}}}, "Unexpected redirect"},
		"429":       {mockserver.Fault{Status: 429, Body: json}, "Rate limited"},
		"page":      {mockserver.Fault{Status: 200, Header: page, Body: []byte("<p>Back soon")}, "Not JSON"},
		"500":       {mockserver.Fault{Status: 500, Body: json}, "The service failed"},
		"connected": {mockserver.Fault{Cut: mockserver.CutBeforeCommit}, "Connection lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, prototest.Attributes{"max_retries": 0, "max_concurrency": 2})
			f := newFile(t, people(500))
			tc.fault.Operation, tc.fault.Times = mockserver.OpGetConsent, -1
			config := f.config(prototest.Attributes{"compare_at_plan": false})
			plan, diags := p.Plan(batchName, nil, config)
			p.NoErrors(diags)
			service.Inject(tc.fault)
			state, diags := p.Apply(t.Context(), batchName, nil, plan)
			if state != nil || len(diags.Errors()) != 1 {
				t.Errorf("state %v, %d errors", state != nil, len(diags.Errors()))
			}

			prototest.WantText(t, diags.Errors(), tc.words, "of 500 rows failed", "rows were not tried any more", "What to do:")
			if n := service.Count(mockserver.OpGetConsent); n > failuresAtMost {
				t.Errorf("%d requests, although all fail alike", n)
			}

			if _, diags := p.Plan(batchName, nil, f.config(nil)); len(diags.Errors()) != 1 {
				t.Errorf("a plan reports %v", diags.Errors())
			} else {
				prototest.WantText(t, diags.Errors(), tc.words, "were compared", "In state now: nothing", "compare_at_plan = false")
			}
		})
	}
}

// failuresAtMost is how many rows are tried before a service counts as down: a streak, those
// under way, and the one repetition after a 401.
const failuresAtMost = 50 + 2 + 1

// TestConsentBatch_failingRowsStopNoneOfTheOthers has a file whose first forty rows fail in
// ways that could be those of every row, when they are read or when they are written.
func TestConsentBatch_failingRowsStopNoneOfTheOthers(t *testing.T) {
	t.Parallel()
	const refused, rows = 40, 100
	json := []byte(`{}`)

	for name, fault := range soak.SomeOf(4, map[string]mockserver.Fault{
		"422":                    {Operation: mockserver.OpUpdateConsent, Status: 422, Body: json},
		"500":                    {Operation: mockserver.OpUpdateConsent, Status: 500, Body: json},
		"403":                    {Operation: mockserver.OpUpdateConsent, Status: 403, Body: json},
		"404 page":               {Operation: mockserver.OpUpdateConsent, Status: 404, Body: []byte("<h1>")},
		"connection":             {Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutBeforeCommit},
		"500 when it is read":    {Operation: mockserver.OpGetConsent, Status: 500, Body: json},
		"429 when it is read":    {Operation: mockserver.OpGetConsent, Status: 429, Body: json},
		"redirected when read":   {Operation: mockserver.OpGetConsent, Status: 302, Header: map[string][]string{"Location": {"https://elsewhere.example.com/"}}},
		"unreachable when read ": {Operation: mockserver.OpGetConsent, Cut: mockserver.CutBeforeCommit},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failing := map[string]bool{}
			for i := range refused {
				failing[userName(i)] = true
			}

			p, service := start(t, prototest.Attributes{"max_concurrency": 2, "max_retries": 0}, func(s *mockserver.Server) {
				s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
					if r.Operation == fault.Operation && failing[r.Identity] {
						return &fault
					}
					return nil
				}
			})

			f := newFile(t, people(rows))

			state, diags := p.Create(batchName, f.config(prototest.Attributes{"compare_at_plan": false}))
			prototest.WantText(t, diags.Errors(), fmt.Sprintf("%d of %d rows failed", refused, rows), "60 are in place, 60 of them since now", "0 were not done")
			if state != nil {
				t.Error("there is state")
			}

			for i := refused; i < rows; i++ {
				wantRow(t, service, i, configured)
			}
		})
	}
}

// TestConsentBatch_incomparableRowStopsNoneOfTheOthers never succeeds in reading one person.
func TestConsentBatch_incomparableRowStopsNoneOfTheOthers(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Identity: userName(7), Status: 400, Body: []byte(`{}`), Times: -1})
	f := newFile(t, people(60))
	plan, diags := p.Plan(batchName, nil, f.config(nil))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "1 of 60 rows could not be compared", "line 9", "An apply tries them again")
	_, diags = p.Apply(t.Context(), batchName, nil, plan)
	prototest.WantText(t, diags.Errors(), "1 of 60 rows failed", "line 9", "59 are in place")
	wantRow(t, service, 59, configured)
}

func TestConsentBatch_laterChoiceIsNamedByTheApply(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	later := mockserver.ConsentRecord{AgreementTime: "2026-10-01T00:00:00Z"}
	service.PutConsent(scope, userName(1), later)
	f := newFile(t, people(3))
	state, diags := p.Create(batchName, f.config(prototest.Attributes{"compare_at_plan": false}))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "Later choices of people stand", "line 3")
	wantResults(t, state, counts{Rows: 3, Kept: 1, Written: 2})
}

func TestConsentBatch_readOnlyProviderWritesNothing(t *testing.T) {
	t.Parallel()
	p, service := start(t, prototest.Attributes{"read_only": true})
	f := newFile(t, people(50))
	state, diags := p.Create(batchName, f.config(nil))
	prototest.WantText(t, diags.Errors(), "The provider is read-only", "remove read_only")
	if state != nil {
		t.Error("there is state")
	}
	wantRequests(t, service, 50, 0)
}

func TestConsentBatch_stoppedServiceEndsTheApply(t *testing.T) {
	t.Parallel()
	p, service := start(t, prototest.Attributes{"max_retries": 0})
	f := newFile(t, people(200))
	config := f.config(prototest.Attributes{"compare_at_plan": false})
	service.Stop()
	_, diags := p.Create(batchName, config)
	prototest.WantText(t, diags.Errors(), "Cannot reach the service", "rows were not tried any more")
}

func TestConsentBatch_wrongConfigurations(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(1))

	for words, config := range map[string]prototest.Attributes{
		"Invalid Attribute Combination":  f.config(prototest.Attributes{"content_wo": "x", "content_wo_version": 1}),
		"No attribute specified":         {},
		"content_wo_version":             {"content_wo": people(1)},
		"Nothing to withdraw by":         {"content_wo": people(1), "content_wo_version": 1, "on_destroy": "withdraw"},
		"value must be one of":           f.config(prototest.Attributes{"format": "xml"}),
		"extension of source names no":   {"source": "consents.txt"},
		"retain":                         f.config(prototest.Attributes{"on_destroy": "delete"}),
		"string length must be at least": {"source": ""},
	} {
		if _, diags := p.Create(batchName, config); len(diags.Errors()) == 0 {
			t.Errorf("%q: accepted", words)
		} else {
			prototest.WantText(t, diags.Errors(), words)
		}
	}

	_, diags := p.Create(batchName, prototest.Attributes{"source": f.path + ".csv"})
	prototest.WantText(t, diags.Errors(), "The rows cannot be read", "no such file", "${path.module}", "the output of a terraform_data", "Seeding thousands")
	wantRequests(t, service, 0, 0)
}

func TestConsentBatch_rowsOfAnArrayAreNamedByElement(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	object := func(i int) string {
		return `{"identity_id":"` + userName(i) + `","clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":false,"clause_4_consent":true,"clause_5_consent":true}`
	}

	f := &batchFile{t, filepath.Join(t.TempDir(), "consents.json")}
	f.write("[" + object(0) + "," + object(1) + "]")
	config := f.config(prototest.Attributes{"keep_later_choice": false, "account_id": "acct-7"})
	service.Inject(rejecting(422, 1)...)
	_, diags := p.Create(batchName, config)
	prototest.WantText(t, diags.Errors(), "line 1 (element 2)\n", "PATCH /v1/account/{accountId}/compliance")
	state := createdBatch(t, p, service, config)
	wantResults(t, state, counts{Rows: 2, Written: 1})
	f.write(object(0) + "\n" + object(1))
	_, diags = p.Plan(batchName, state, config)
	prototest.WantText(t, diags.Errors(), "line 1 (element 1): the JSON has to be one array of objects")
	lines := config.With(prototest.Attributes{"format": "ndjson"})
	state, diags = p.Update(batchName, state, lines)
	p.NoErrors(diags)
	wantEmptyBatchPlan(t, p, state, lines)
}

// TestConsentBatch_rejectedCredentialsStopTheRun has a service that answers every read and no
// write: going on could lock the account.
func TestConsentBatch_rejectedCredentialsStopTheRun(t *testing.T) {
	t.Parallel()
	p, service := start(t, prototest.Attributes{"max_concurrency": 4})
	service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 401, Times: -1})

	state, diags := p.Create(batchName, newFile(t, people(800)).config(nil))
	if state != nil {
		t.Error("a create that failed is in state")
	}
	prototest.WantText(t, diags.Errors(), "Authentication rejected", "rows were not tried any more, since the same would happen to them", "check the credentials")

	if sent := service.Count(mockserver.OpUpdateConsent); sent > 2*4 {
		t.Errorf("%d writes were sent", sent)
	}
	if logins := service.Count(mockserver.OpLogin); logins > 2 {
		t.Errorf("%d logins were sent", logins)
	}
}
