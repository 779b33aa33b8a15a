// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

var forced = prototest.Attributes{"keep_later_choice": false}

// newRecords allows so many rows without a record.
func newRecords(n int) prototest.Attributes { return prototest.Attributes{"max_new_records": n} }

// refusedReport is the line of a report for a row that was rejected.
const refusedReport = `"outcome":"failed","error":"The service rejected the request","operation":"Update consent","status":422,"code":"E42","message":"no such thing as [redacted]"}`

// keptRows is the warning about rows that are left alone.
const keptRows = "Later choices of people stand"

// firstLine returns the first line of a report, with the counts that are not 0.
func firstLine(rows int, counts map[string]int) string {
	line := fmt.Sprintf(`{"report":"analytics_consent_batch","rows":%d`, rows)
	for _, word := range []string{"in_place", "written", "kept", "missing", "superseded", "not_tried", "failed"} {
		line += fmt.Sprintf(`,%q:%d`, word, counts[word])
	}
	return line + "}"
}

func TestConsentBatch_appliesOneAfterTheOther(t *testing.T) {
	t.Parallel()
	writeOnly := func(content any, version int, compare bool) prototest.Attributes {
		return prototest.Attributes{"content_wo": content, "content_wo_version": version, "compare_at_plan": compare}
	}

	object := func(i int) string {
		return `{"identity_id":"` + userName(i) + `","clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":false,"clause_4_consent":true,"clause_5_consent":true}`
	}
	ofAccount := uncompared.With(forced).With(prototest.Attributes{"account_id": "acct-7"})
	gone := func(rows ...int) func(b *batchTest) { // people choose, and a gateway answers that there is no record
		return func(b *batchTest) {
			for _, i := range rows {
				chooseFor(b.service, i, late)
				b.service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Identity: userName(i), Status: 404, Body: []byte(`{"message":"no route"}`), Times: -1})
			}
		}
	}
	unreadable := func(row, times int) func(b *batchTest) { // in a plan, and once or twice in an apply
		return func(b *batchTest) {
			b.service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Identity: userName(row), Status: 400, Body: []byte(`{}`), Times: times})
		}
	}
	const get, set = mockserver.OpGetConsent, mockserver.OpUpdateConsent
	oneByOne := prototest.Attributes{"max_retries": 0, "max_concurrency": 1}
	answering := func(status int, body string) func(b *batchTest) {
		return func(b *batchTest) {
			b.service.Inject(mockserver.Fault{Operation: set, Status: status, Body: []byte(body)})
		}
	}
	down := func(operation string, status int) func(b *batchTest) {
		return func(b *batchTest) {
			b.service.Inject(mockserver.Fault{Operation: operation, Status: status, Body: []byte(`{}`), Times: -1})
		}
	}
	unchanged, willWithdraw := []string{"In state now: this resource as it was before"}, []string{"will be withdrawn"}
	const notes = `{"report":"by Jane"}`
	notFound := []string{"Not found", "cannot remove one", "a gateway"}
	ofShard := func(index, count int) prototest.Attributes { return shard(index, count).With(withdrawing) }
	cannotMove := []string{"The shard cannot change", `on_destroy = "retain"`, "In state now: this resource as it was before", "shard"}

	for name, tc := range map[string]struct {
		content  string
		settings prototest.Attributes
		steps    []step
	}{
		"only rows that differ are written, and a destroy retains them": {people(10), nil, []step{
			{gets: 20, patches: 10, counts: counts{Rows: 10, Written: 10}, held: map[int][5]bool{0: configured, 9: configured}},
			{
				before:   inOrder(choosing(middle, 3, 7), func(b *batchTest) { b.service.DeleteConsent(scope, userName(9)) }),
				errors:   []string{"More first records than expected", "for 1 of 10 rows: line 11.", "at most 0 are expected", "max_new_records = 1."},
				warnings: []string{"More first records than expected"}, gets: 13, counts: counts{Rows: 10, Written: 10},
			},
			{
				config: newRecords(1), gets: 23, patches: 3, counts: counts{Rows: 10, Written: 3},
				held: map[int][5]bool{3: configured, 7: configured, 9: configured},
			},

			// Settings alone send nothing, and the counts are those of the last apply that had anything to do.
			{config: withdrawing, gets: 10, counts: counts{Rows: 10, Written: 3}, report: []string{}},
			{before: choosing(early, 1), config: withdrawing, gets: 20, patches: 1, counts: counts{Rows: 10, Written: 1}},
			{gets: 10, counts: counts{Rows: 10, Written: 1}},
			{destroy: true, warnings: []string{"stays at the service", "withdraw"}, held: map[int][5]bool{1: configured}},
		}},
		"later choices stand": {people(30), nil, []step{
			{
				before: choosing(late, every(1, 25)...), warnings: []string{keptRows, "25 of 30 rows are left alone", "lines 2, 3, 4, 5,", ", 21 and 5 more.", "What to do:"},
				gets: 60, patches: 5, counts: counts{Rows: 30, Kept: 25, Written: 5}, held: map[int][5]bool{0: {}, 25: configured},
			},
			{config: forced, gets: 60, patches: 25, counts: counts{Rows: 30, Written: 25}, held: map[int][5]bool{0: configured}},
		}},
		"a record without a time stands": {people(3), nil, []step{
			{
				before: func(b *batchTest) {
					mockserver.Reshape(b.service.Server, func(r map[string]any) any { delete(r, "agreement_time"); return r }, mockserver.OpGetConsent, mockserver.OpUpdateConsent)
					chooseFor(b.service, 1, early)
				},
				config: uncompared.With(withdrawing), gets: 3, patches: 2, counts: counts{Rows: 3, Kept: 1, Written: 2},
				held:     map[int][5]bool{1: {}, 2: configured},
				warnings: []string{keptRows, "1 of 3 rows are left alone: line 3.", "without two times", "set keep_later_choice = false, or an agreement_time after the record's"},
			},
			{config: withdrawing, gets: 3, counts: counts{Rows: 3, Kept: 1, Written: 2}, warnings: []string{keptRows}},
			{
				before: func(b *batchTest) {
					b.service.PutConsent(scope, userName(1), mockserver.ConsentRecord{Clauses: [5]bool{0: true}, AgreementTime: early})
				},
				destroy: true, gets: 3, patches: 2, held: map[int][5]bool{1: {0: true}, 2: {}},
				warnings: []string{"will be withdrawn", keptRows, "line 3"},
			},
		}},
		"a failed create names rows and is not in state": {people(60), nil, []step{
			{
				before: inOrder(failing(422, every(2, 60)...), failing(409, 51)),
				config: uncompared.With(withdrawing), gets: 60, patches: 60,
				errors: []string{
					"31 of 60 rows were not written",
					"The service rejected the request (30): lines 2, 4, 6,", "40 and 10 more", "HTTP status: 422", `"E42"`, "Changed elsewhere (1): line 53\n",
					"Update consent: PATCH /v1/org/{orgId}", "In state now: nothing", "What to do:", "just the missing ones are written",
				},
			},
			{config: uncompared, gets: 60, patches: 31, counts: counts{Rows: 60, Written: 31}},
		}},
		"a row that cannot be compared stops none of the others, and the next apply follows": {people(10), nil, []step{
			{
				before: unreadable(7, 2), warnings: []string{"1 of 10 rows were not compared", "line 9", "An apply tries these rows again"},
				errors: []string{"1 of 10 rows were not written", "line 9"}, gets: 20, patches: 9, held: map[int][5]bool{9: configured},
			},
			{gets: 20, patches: 1, counts: counts{Rows: 10, Written: 1}},
			{
				before: unreadable(7, 2), warnings: []string{"1 of 10 rows were not compared", "line 9"}, errors: []string{"1 of 10 rows were not written", "line 9"},
				gets: 20, counts: counts{Rows: 10, Missing: 1},
			},
			{gets: 20, counts: counts{Rows: 10}},
		}},
		"an apply that is interrupted goes on in the next one": {people(1), nil, []step{
			{
				config: uncompared, between: interrupting(mockserver.OpGetConsent, false), gets: 1,
				errors: []string{"1 of 1 rows were not written", "1 rows were not tried, because the run was interrupted", "In state now: nothing", "apply again"},
				report: []string{
					firstLine(1, map[string]int{"not_tried": 1}), `{"line":2,"outcome":"not_tried"}`,
				},
			},
			{config: uncompared, gets: 1, patches: 1, counts: counts{Rows: 1, Written: 1}},
			{
				content: strings.ReplaceAll(people(1), "true,true,false", "true,true,true"), config: uncompared,
				between: interrupting(mockserver.OpUpdateConsent, true), gets: 2, patches: 1, counts: counts{Rows: 1, Missing: 1},
				errors: []string{"1 of 1 rows were not written", "The service may have carried the request out", "In state now: this resource with the present content", "apply again"},
				report: []string{
					firstLine(1, map[string]int{"failed": 1}), `{"line":2,"outcome":"failed","error":"Cancelled","operation":"Update consent"}`,
				},
			},
			{config: uncompared, gets: 1, counts: counts{Rows: 1}, held: map[int][5]bool{0: {0: true, 1: true, 2: true, 3: true, 4: true}}},
		}},
		"a read-only provider writes nothing, and refuses only what is not in place": {people(2), prototest.Attributes{"read_only": true}, []step{
			{errors: []string{"The provider is read-only", "remove read_only"}, gets: 2},
			{
				before: given(0, 1), gets: 4, counts: counts{Rows: 2},
			},
		}},
		"a create does not write a record that its plan has seen and that is gone": {people(3), nil, []step{
			{
				before: func(b *batchTest) {
					chooseFor(b.service, 1, early)
					b.service.PutConsent(scope, userName(2), mockserver.ConsentRecord{}) // which has no time
				},
				between: gone(1, 2), errors: append(notFound, "(2): lines 3, 4\n"), gets: 6, patches: 1, held: map[int][5]bool{1: {}, 2: {}},
			},
		}},
		"nor does an update of the same rows, since the last apply has left a record of each": {people(3), nil, []step{
			{gets: 6, patches: 3, counts: counts{Rows: 3, Written: 3}},
			{ // the rows have to be those of the plan
				content: people(4), between: func(b *batchTest) { b.f.write(strings.ReplaceAll(people(4), "user-2@", "user-5@")) },
				errors: []string{"not those that were planned or applied", "In state now: this resource as it was before"}, gets: 4, counts: counts{Rows: 3, Written: 3},
			},
			{
				content: people(3), config: uncompared.With(forced), errors: []string{"More first records than expected", "line 3"}, gets: 4, counts: counts{Rows: 3, Written: 3}, held: map[int][5]bool{1: {}},
				between: func(b *batchTest) {
					b.p.NewRun()
					gone(1)(b)
				},
			},
		}},
		"a row that cannot be compared is not written where first records are bound": {people(3), nil, []step{
			{
				before: inOrder(given(0, 2), unreadable(1, 1)),
				config: uncompared.With(newRecords(0)), errors: []string{"1 of 3 rows were not written", "line 3\n"}, gets: 5,
			},
			{config: uncompared.With(newRecords(0)), errors: []string{"More first records than expected", "line 3."}, gets: 3},
		}},
		"an outage ends a plan, and an apply": {people(60), oneByOne, []step{
			{before: down(set, 500), config: uncompared, errors: []string{"60 of 60 rows were not written", "The service failed", "10 rows were not tried"}, gets: 150, patches: 100}, // each is read back, and sent once more
			{before: down(get, 500), config: uncompared, errors: []string{"60 of 60 rows were not written", "10 rows were not tried, because the service failed for 50 rows in a row"}, gets: 50},
			{config: uncompared.With(newRecords(0)), errors: []string{"60 of 60 rows were not compared", "10 rows were not tried"}, gets: 50},
			{errors: []string{"60 of 60 rows were not compared", "In state now: nothing", "compare_at_plan = false"}, gets: 50},
		}},
		"credentials that are rejected end it at once, since the account could be locked": {people(60), oneByOne, []step{
			{before: down(set, 401), config: uncompared, errors: []string{"60 of 60 rows were not written", "Authentication rejected", "59 rows were not tried, because they would have failed in the same way"}, gets: 2, patches: 2},
		}},
		"a refusal in a success is no write": {people(1), nil, []step{
			{before: answering(200, `{"status":"denied"}`), config: uncompared, errors: []string{"1 of 1 rows were not written"}, gets: 2, patches: 1},
			{config: uncompared, gets: 1, patches: 1, counts: counts{Rows: 1, Written: 1}},
		}},
		"a plan that can compare no row is an error": {people(2), oneByOne, []step{{before: down(get, 400), errors: []string{"2 of 2 rows were not compared"}, gets: 2}}},
		"a shard withdraws its own rows alone, and is not changed before": {people(8), nil, []step{
			{
				before: given(every(1, 8)...), config: shard(1, 2), gets: 12, counts: counts{Rows: 6},
			},
			{config: ofShard(0, 2), errors: cannotMove, counts: counts{Rows: 6}},
			{config: ofShard(1, 2), gets: 6, counts: counts{Rows: 6}},
			{config: shard(1, 3), errors: cannotMove, counts: counts{Rows: 6}},
			{
				destroy: true, warnings: willWithdraw, gets: 6, patches: 6,
				held: map[int][5]bool{0: {}, 1: configured, 2: {}, 3: {}, 4: {}, 5: {}, 6: configured, 7: {}},
			},
		}},
		"a shard may have no rows": {people(1), nil, []step{{config: shard(0, 2)}, {config: shard(1, 2), gets: 2, patches: 1, counts: counts{Rows: 1, Written: 1}}}},
		"another shard has other rows": {"", nil, []step{
			{config: shard(0, 2).With(writeOnly(people(8), 1, false)), gets: 2, patches: 2, counts: counts{Rows: 2, Written: 2}},
			{config: shard(1, 2).With(writeOnly(people(8), 1, false)), gets: 6, patches: 6, counts: counts{Rows: 6, Written: 6}},
		}},
		"rows without a time, and rows that are removed": {people(5) + rowOf(5, "") + rowOf(6, ""), nil, []step{
			{gets: 14, patches: 7, counts: counts{Rows: 7, Written: 7}}, // all of them are first records
			{before: choosing(early, 6), warnings: []string{keptRows, "1 of 7 rows are left alone: line 8."}, gets: 7, counts: counts{Rows: 7, Written: 7}},
			{before: choosing(early, 6), config: forced, gets: 14, patches: 1, counts: counts{Rows: 7, Written: 1}},
			{
				content: people(4), gets: 8, counts: counts{Rows: 4},
			},
		}},
		"a write-only content is not in state": {"", nil, []step{
			{config: writeOnly(people(3), 1, true), gets: 6, patches: 3, counts: counts{Rows: 3, Written: 3}},
			{config: writeOnly(people(4), 1, true), gets: 9, patches: 1, counts: counts{Rows: 4, Written: 1}}, // a comparison notices it
			{
				config: writeOnly(people(4), 1, false), counts: counts{Rows: 4, Written: 1},
				after: func(b *batchTest) {
					wantEmptyBatchPlan(b.T, b.p, b.state, writeOnly(prototest.Unknown, 1, false))
					if plan, _ := b.p.Plan(batchName, b.state, writeOnly(prototest.Unknown, 2, false)); plan.Attributes["digest"] != prototest.Unknown {
						b.Error("another version of an unknown content plans nothing")
					}
					wantRequests(b.T, b.service, 0, 0)
				},
			},
			{ // the rows have changed, and the service has no record of the one that is missing
				before: failing(400, 4), config: writeOnly(people(5), 1, false),
				errors: []string{"1 of 5 rows were not written", "line 6\n"}, gets: 10, patches: 1, counts: counts{Rows: 5, Missing: 1},
			},
			{config: writeOnly(people(5), 2, false), gets: 5, patches: 1, counts: counts{Rows: 5, Written: 1}},
			{before: choosing(early, 0), config: writeOnly(people(5), 3, false), gets: 10, patches: 1, counts: counts{Rows: 5, Written: 1}}, // another version compares them again
		}},
		"a report has what was not in place": {people(6), nil, []step{
			{
				before: inOrder(choosing(late, 1), given(2), failing(422, 4)),
				config: uncompared, errors: []string{"1 of 6 rows were not written"},
				warnings: []string{keptRows},
				gets:     6, patches: 4,
				report: []string{
					firstLine(6, map[string]int{"in_place": 1, "written": 3, "kept": 1, "failed": 1}),
					`{"line":2,"outcome":"written"}`, `{"line":3,"outcome":"kept"}`, `{"line":5,"outcome":"written"}`, `{"line":6,` + refusedReport,
					`{"line":7,"outcome":"written"}`,
				},
			},
			{
				config: uncompared, warnings: []string{keptRows}, gets: 6, patches: 1, counts: counts{Rows: 6, Kept: 1, Written: 1},
				report: []string{
					firstLine(6, map[string]int{"in_place": 4, "written": 1, "kept": 1}),
					`{"line":3,"outcome":"kept"}`, `{"line":6,"outcome":"written"}`,
				},
			},
		}},
		"a report replaces no other file": {people(2), nil, []step{
			{
				before: func(b *batchTest) { b.must(os.WriteFile(b.f.reportPath(), []byte(notes), 0o600)) },
				config: uncompared, errors: []string{"The report cannot be written", "a file is at that path already", "a path of its own", "In state now: nothing"}, report: []string{notes},
			},
			{ // the unfinished report is removed while the rows are written
				before: func(b *batchTest) {
					b.must(os.Remove(b.f.reportPath()))
					b.service.OnRequest = func(mockserver.Request) {
						unfinished, _ := filepath.Glob(filepath.Join(filepath.Dir(b.f.path), ".analytics-*.tmp"))
						for _, path := range unfinished {
							_ = os.Remove(path)
						}
					}
				},
				config: uncompared, warnings: []string{"The report cannot be written", "was removed by somebody else"},
				gets: 2, patches: 2, counts: counts{Rows: 2, Written: 2}, report: []string{},
			},
		}},
		"rows of an array on one line are named by element": {"", nil, []step{
			{
				before: func(b *batchTest) {
					b.f.path = filepath.Join(filepath.Dir(b.f.path), "consents.json")
					failing(422, 1)(b)
				},
				content: "[" + object(0) + "," + object(1) + "]", config: ofAccount,
				errors: []string{"line 1 (element 2)\n", "PATCH /v1/account/{accountId}/compliance"}, gets: 2, patches: 2,
				report: []string{
					firstLine(2, map[string]int{"written": 1, "failed": 1}),
					`{"line":1,"element":1,"outcome":"written"}`, `{"line":1,"element":2,` + refusedReport,
				},
			},
			{config: ofAccount, gets: 2, patches: 1, counts: counts{Rows: 2, Written: 1}},
			{content: object(0) + "\n" + object(1), config: ofAccount.With(prototest.Attributes{"format": "ndjson"}), counts: counts{Rows: 2, Written: 1}},
		}},
		"a destroy withdraws by the file that was applied": {people(6), nil, []step{
			{config: withdrawing, gets: 12, patches: 6, counts: counts{Rows: 6, Written: 6}},
			{content: people(3), destroy: true, warnings: willWithdraw, errors: append(unchanged, "not those that were planned or applied")},
			{before: func(b *batchTest) { b.must(os.Remove(b.f.path)) }, destroy: true, warnings: willWithdraw, errors: append(unchanged, "no such file")},
			{before: func(b *batchTest) { b.must(os.Mkdir(b.f.path, 0o700)) }, destroy: true, warnings: willWithdraw, errors: append(unchanged, "not a regular file")},
			{
				before: func(b *batchTest) {
					b.must(os.Remove(b.f.path))
					chooseFor(b.service, 1, early) // has withdrawn already, in another way
					b.service.DeleteConsent(scope, userName(2))
					b.service.PutConsent(scope, userName(3), mockserver.ConsentRecord{Clauses: configured, AgreementTime: late})
				},
				content: people(6), destroy: true, warnings: []string{"will be withdrawn", "1 of 6 rows are left alone: line 5.", "A consent record is missing", "a missing record was not withdrawn. It concerns 1 of 6 rows: line 4."}, gets: 7, patches: 3,
				held: map[int][5]bool{0: {}, 1: {}, 3: configured, 4: {}, 5: {}},
				after: func(b *batchTest) {
					if _, known := b.service.Consent(scope, userName(2)); known {
						b.Error("a record was made of a person who is gone")
					}
					if record, _ := b.service.Consent(scope, userName(1)); *record.Manual {
						b.Error("who has withdrawn already was withdrawn again")
					}
				},
			},
		}},
		"a failed withdrawal goes on, with a report": {people(4), nil, []step{
			{
				config: uncompared.With(withdrawing), gets: 4, patches: 4, counts: counts{Rows: 4, Written: 4},
				report: []string{
					firstLine(4, map[string]int{"written": 4}),
					`{"line":2,"outcome":"written"}`, `{"line":3,"outcome":"written"}`, `{"line":4,"outcome":"written"}`, `{"line":5,"outcome":"written"}`,
				},
			},
			{
				before: func(b *batchTest) { // another object of the run writes one of them
					b.p.MustUpdate(singleName, nil, single(3, nil))
					b.service.Reset()
					failing(422, 1)(b)
				},
				destroy: true, gets: 4, patches: 3, warnings: []string{"Not withdrawn, another resource writes it"},
				errors: []string{"1 of 4 rows were not withdrawn", "line 3\n", "destroy again", "rows that are withdrawn stay so"},
				report: []string{
					firstLine(4, map[string]int{"written": 2, "superseded": 1, "failed": 1}),
					`{"line":2,"outcome":"written"}`, `{"line":3,` + refusedReport, `{"line":4,"outcome":"written"}`, `{"line":5,"outcome":"superseded"}`,
				},
			},
			{ // no report stands against a destroy
				before: func(b *batchTest) {
					b.must(os.Remove(b.f.reportPath()), os.Mkdir(b.f.reportPath(), 0o700))
				},
				destroy: true, gets: 4, patches: 2, held: map[int][5]bool{1: {}, 3: {}},
				warnings: []string{"will be withdrawn", "The report cannot be written"},
			},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBatch(t, tc.content, tc.settings, func(_ *testing.T, b *batchTest) { b.apply(tc.steps...) })
		})
	}
}

// A service that keeps whole minutes shows all rows of the last apply in another way. Records that nobody here
// has written show nothing of that.
func TestConsentBatch_alteredRowsNameTheSetting(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t, mocktest.KeepsTimes(time.Minute))
	p := prototest.MustStart(t, prototest.Config(service))
	f := newFile(t, batchHeader+rowOf(0, "2026-02-15T12:00:30Z")+rowOf(1, "2026-02-15T12:00:40Z"))
	given(0, 1)(&batchTest{service: service})
	if _, diags := p.Plan(batchName, nil, f.config(nil)); strings.Contains(strings.Join(diags.Warnings(), "\n"), "time_kept") {
		t.Errorf("the first plan says %q", diags.Warnings())
	}
	state := createdBatch(t, p, service, f.config(nil))

	p.NewRun()
	state, _ = p.MustRefresh(batchName, state)
	_, diags := p.Plan(batchName, state, f.config(nil))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "does not show rows as they were written", `time_kept = "minute"`)

	chooseFor(service, 1, late) // not every row is shown in that way
	if _, diags := p.Plan(batchName, state, f.config(nil)); strings.Contains(strings.Join(diags.Warnings(), "\n"), "time_kept") {
		t.Errorf("of one row of two, the plan says %q", diags.Warnings())
	}
}

func TestConsentBatch_wrongConfigurations(t *testing.T) {
	t.Parallel()
	p, service := start(t)
	f := newFile(t, people(1))

	for words, config := range map[string]prototest.Attributes{
		"No attribute specified":   {},
		"content_wo_version":       {"content_wo": people(1)},
		"Withdrawing needs source": {"content_wo": people(1), "content_wo_version": 1, "on_destroy": "withdraw"},
		"retain":                   f.config(prototest.Attributes{"on_destroy": "delete"}),
		"value must be one of":     f.config(prototest.Attributes{"format": "xml"}),
		"No such shard":            f.config(shard(2, 2)),
		"value must be between":    f.config(shard(4096, 4097)),
	} {
		prototest.WantText(t, p.Validate(batchName, config).Errors(), words)
	}

	_, diags := p.Update(batchName, nil, prototest.Attributes{"source": f.path + ".csv"})
	prototest.WantText(t, diags.Errors(), "The rows cannot be read", "no such file", "${path.module}", "Batches in detail")
	wantRequests(t, service, 0, 0)
}
