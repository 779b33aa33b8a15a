// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// The outcomes of a row: what follows from its judgement, or why there is none.
const (
	inPlace     = choice.Nothing
	written     = choice.Send     // or to be written, in a plan
	absent      = choice.Ask      // without a record, by a plan or by one reading of a withdrawal
	kept        = choice.Stand    // a choice of the person stands
	superseded  = choice.Withhold // not withdrawn, because another object of the run writes it
	missing     = choice.Report   // not withdrawn, because two readings show no record
	notTried    = choice.NumActs
	failed      = choice.NumActs + 1
	numOutcomes = choice.NumActs + 2 // how many there are
)

const (
	// outageStreak is how many rows fail one after the other until the service counts as down. In
	// random order, so many are not all of one part of the file.
	outageStreak = 50

	// Limits of a message.
	limitShownCauses = 8
	limitShownLines  = 20 // of one cause
)

// Why a pass has ended early.
const (
	interrupted  = "the run was interrupted"
	inTheSameWay = "they would have failed in the same way"
)

// concernOneRow lists the failures that a row itself causes, by its values or its person.
// Every other failure may concern all rows.
var concernOneRow = []transport.ErrorClass{
	transport.ClassRejected, transport.ClassConflict, transport.ClassInvalid, transport.ClassPayload,
}

// concernAllRows are the failures after which no other row is worth a try, and why.
var concernAllRows = map[transport.ErrorClass]string{
	transport.ClassReadOnly: inTheSameWay, transport.ClassAuthentication: inTheSameWay, transport.ClassCancelled: interrupted,
}

// progress holds the progress of one run and what became of its rows. It is safe for concurrent use while
// a pass over them lasts.
type progress struct {
	mu       sync.Mutex
	rows     []rows.Row
	all      []int // the indexes of the rows
	outcomes []choice.Act
	causes   map[int]*transport.Error // by row that has failed

	streak  int       // failures since the last success, without those that concern one row
	stopped string    // why a pass has ended early; empty if none has
	logged  time.Time // when progress was logged
}

// newProgress returns the progress of rows that were not tried yet.
func newProgress(of []rows.Row) *progress {
	p := &progress{rows: of, outcomes: slices.Repeat([]choice.Act{notTried}, len(of)), causes: map[int]*transport.Error{}, logged: time.Now()}
	p.all = p.rowsThatAre(notTried)

	return p
}

// run calls do once for each of these rows that has not failed, by several workers at once and in
// random order. It returns the errors of panics when every row is done, when the service as a whole is
// down, or when the context ends, and no worker is left.
func (p *progress) run(ctx context.Context, of []int, workers int, do func(ctx context.Context, row int) (choice.Act, error)) (panics diag.Diagnostics) {
	var order []int
	for _, at := range rand.Perm(len(of)) { //nolint:gosec // needs no secrecy
		if row := of[at]; p.outcomes[row] != failed {
			order = append(order, row)
			p.outcomes[row] = notTried
		}
	}

	panics = tfkit.InParallel(ctx, workers, order, func(row int) (goesOn bool) {
		as, err := do(ctx, row)
		return p.record(ctx, row, as, err)
	})
	if slices.ContainsFunc(order, func(row int) bool { return p.outcomes[row] == notTried }) {
		p.stopped = cmp.Or(p.stopped, interrupted)
	}

	return panics
}

// record records the outcome of a row, and reports whether others are worth a try.
func (p *progress) record(ctx context.Context, row int, as choice.Act, err error) (goesOn bool) {
	p.mu.Lock()
	defer p.mu.Unlock()

	e, _ := errors.AsType[*transport.Error](err)
	switch {
	case err == nil:
		p.outcomes[row], p.streak = as, 0
	case e != nil && e.Class == transport.ClassCancelled && !e.Ambiguous:
		p.stopped = interrupted // and nothing was sent
	default:
		p.fail(row, cmp.Or(e, &transport.Error{Class: transport.ClassInternal}))
	}

	const interval = 5 * time.Second
	if time.Since(p.logged) >= interval {
		p.logged = time.Now()
		tflog.Info(ctx, "Consent batch under way", map[string]any{"done": len(p.rows) - p.count(notTried), "rows": len(p.rows)})
	}

	return p.stopped == ""
}

// fail records why a row has failed, and whether the others would fail too.
func (p *progress) fail(row int, e *transport.Error) {
	p.outcomes[row], p.causes[row] = failed, e
	if !slices.Contains(concernOneRow, e.Class) {
		p.streak++
	}
	if p.streak >= outageStreak {
		p.stopped = fmt.Sprintf("the service failed for %d rows in a row, from all over the file", outageStreak)
	}
	p.stopped = cmp.Or(concernAllRows[e.Class], p.stopped)
}

// count returns how many rows have an outcome.
func (p *progress) count(as choice.Act) int { return len(p.rowsThatAre(as)) }

// missed returns how many rows are not as they should be.
func (p *progress) missed() int { return p.count(failed) + p.count(notTried) }

// toWrite returns how many rows a plan has found to be written, or an apply has written.
func (p *progress) toWrite() int { return p.count(written) + p.count(absent) }

// rowsThatAre returns the rows with an outcome, in the order of the file.
func (p *progress) rowsThatAre(as choice.Act) (found []int) {
	for row, got := range p.outcomes {
		if got == as {
			found = append(found, row)
		}
	}

	return found
}

// lines returns the lines of some rows as text, and counts those that are too many to show.
func (p *progress) lines(some []int) string {
	var names []string
	for _, row := range some[:min(len(some), limitShownLines)] {
		names = append(names, p.rows[row].String())
	}

	text := "lines "
	if len(some) == 1 {
		text = "line "
	}
	text += strings.Join(names, ", ")
	if more := len(some) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}

	return text
}

// describe returns which rows failed and why, the most frequent causes first, and what to do
// about the most frequent one. There has to be a failure.
func (p *progress) describe() (text, advice string) {
	rowsOf := map[string][]int{}
	for _, row := range p.rowsThatAre(failed) {
		e := *p.causes[row]
		e.Attempts, e.RetryAfter = 0, 0
		rowsOf[e.Error()] = append(rowsOf[e.Error()], row)
	}
	causes := slices.SortedFunc(maps.Values(rowsOf), func(a, b []int) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0], b[0]))
	})

	var texts []string
	for _, some := range causes[:min(len(causes), limitShownCauses)] {
		e := p.causes[some[0]]
		texts = append(texts, fmt.Sprintf("%s (%d): %s\n%s", e.Title(), len(some), p.lines(some), e.Describe()))
	}
	if more := len(causes) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("%d more causes are not shown.", more))
	}

	return strings.Join(texts, "\n\n"), tfkit.Advice(p.causes[causes[0][0]])
}

// reportStart is what a report begins with, and is recognised by.
const reportStart = `{"report":"analytics_consent_batch"`

// words are the outcomes in a report. Its first line has a count of each, and its other lines have one
// each. Rows that were in place have no line.
var words = [numOutcomes]string{
	inPlace:    "in_place",
	written:    "written",
	kept:       "kept",
	superseded: "superseded",
	missing:    "missing",
	failed:     "failed",
	notTried:   "not_tried",
}

// reportLine is the outcome of one row, and why it failed. It names the row by its place in the file, and
// holds no value of it.
type reportLine struct {
	rows.Position

	Outcome   string `json:"outcome"`
	Error     string `json:"error,omitempty"`
	Operation string `json:"operation,omitempty"`
	Status    int    `json:"status,omitempty"`
	Code      string `json:"code,omitempty"`
	Message   string `json:"message,omitempty"`
}

// openReport reserves the path of the report, if there is one, before anything is sent.
func (b *batch) openReport() (ok bool) {
	to := b.model.ReportPath.ValueString()
	if to == "" {
		return true
	}

	report, err := b.Files.Reserve(outfile.Target{Path: to, Replace: isReport(to)})
	if err != nil && b.action != choice.Withdraw {
		b.refuse(noReport(err))
		return false
	}
	if err != nil { // no report stands against a destroy
		noReport(err).AddWarning(b.diags)
	}
	b.report = report

	return true
}

// closeReport gives up a report that was not written.
func (b *batch) closeReport() {
	if b.report != nil {
		b.report.Close()
	}
}

// noReport returns the problem that the report cannot be written.
func noReport(err error) tfkit.Problem {
	return tfkit.Problem{
		Summary: "The report cannot be written",
		Detail:  "The file of report_path cannot be used: " + err.Error() + ".",
		Do:      "give report_path a path of its own, in a folder that exists.",
		At:      path.Root("report_path"),
	}
}

// isReport reports whether there is a report at a path, by its beginning: after a failed create, no state identifies
// it.
func isReport(path string) bool {
	if _, err := outfile.StampAt(path); err != nil { // a pipe could not be read
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()

	start := make([]byte, len(reportStart))
	_, err = io.ReadFull(f, start)

	return err == nil && string(start) == reportStart
}

// writeReport writes the outcome of each row, in place of a former report. A failure is only a
// warning: the rows themselves are written, or named in an error.
func (b *batch) writeReport() {
	if b.report == nil {
		return
	}

	err := b.report.Begin()
	if err == nil {
		err = b.encode(b.report)
	}
	if err == nil {
		_, err = outfile.Commit(b.report)
	}
	if err != nil {
		noReport(err).AddWarning(b.diags)
		return
	}

	outfile.Confirm(b.report.Path) // the next run recognises a report by its content
}

// encode writes the lines of a report.
func (p *progress) encode(to io.Writer) error {
	out := bufio.NewWriterSize(to, 64<<10) // which keeps its first error
	fmt.Fprintf(out, reportStart+`,"rows":%d`, len(p.rows))
	for as, word := range words {
		if word != "" {
			fmt.Fprintf(out, `,%q:%d`, word, p.count(choice.Act(as)))
		}
	}
	fmt.Fprintln(out, "}")

	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for row, as := range p.outcomes {
		if as == inPlace {
			continue
		}
		e := cmp.Or(p.causes[row], &transport.Error{})
		_ = lines.Encode(reportLine{p.rows[row].Position, words[as], e.Title(), e.Operation, e.Status, e.Code, e.Message})
	}

	return out.Flush()
}
