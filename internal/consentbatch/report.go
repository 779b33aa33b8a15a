// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

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
