// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	errReportOfRows = errors.New("it is the file with the rows")
	errReportTaken  = errors.New("another resource of this run writes its report to that path")
)

// reportName is what the first line of a report identifies it by.
const reportName = "analytics_consent_batch"

// reported are the counts in the first line of a report, and the outcomes of its other lines. Rows that
// were in place have no line.
var reported = []struct {
	outcome outcome
	name    string
	always  bool // the first line has the count even if it is 0
}{
	{inPlace, "in_place", true},
	{written, "written", true},
	{kept, "kept", true},
	{superseded, "superseded", false},
	{missing, "missing", false},
	{failed, "failed", true},
	{unknown, "unknown", false},
	{notTried, "not_tried", true},
}

// reportLine is the outcome of one row. It names the row by its place in the file, and holds
// no value of it.
type reportLine struct {
	Line    int32  `json:"line"`
	Element int32  `json:"element,omitempty"`
	Outcome string `json:"outcome"`
	*reportFailure
}

// reportFailure is why a row failed.
type reportFailure struct {
	Error     string        `json:"error"`
	Operation string        `json:"operation,omitempty"`
	Status    int           `json:"status,omitempty"`
	Code      string        `json:"code,omitempty"`
	Message   string        `json:"message,omitempty"`
	Fields    []reportField `json:"fields,omitempty"`
}

type reportField struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// reportReplacesRows reports whether the report would replace the file with the rows.
func (m *model) reportReplacesRows() bool {
	return m.ReportPath.ValueString() != "" && outfile.SamePath(m.ReportPath.ValueString(), m.Source.ValueString())
}

// openReport reserves the path of the report, if there is one, before anything is sent.
func (b *batch) openReport() (err error) {
	if b.model.ReportPath.IsNull() {
		return nil
	}
	if b.model.reportReplacesRows() {
		return errReportOfRows
	}

	to := b.model.ReportPath.ValueString()
	b.report, err = b.resource.Files.Reserve(outfile.Target{Path: to, Replace: isReport(to)})
	if errors.Is(err, outfile.ErrInUse) {
		return errReportTaken
	}

	return err
}

// isReport reports whether there is a report at a path, by its first line: no state identifies that
// of a create that failed.
func isReport(path string) bool {
	if _, err := outfile.StampAt(path); err != nil { // a pipe could not be read
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()

	const longest = 4 << 10 // of a first line
	var first struct{ Report string }
	err = json.NewDecoder(io.LimitReader(f, longest)).Decode(&first)

	return err == nil && first.Report == reportName
}

// closeReport gives up a report that was not written.
func (b *batch) closeReport() {
	if b.report != nil {
		b.report.Close()
	}
}

// writeReport writes the outcome of each row, in place of a former report. A failure is only a
// warning: the rows themselves are written, or named in an error.
func (b *batch) writeReport(t *tally) {
	if b.report == nil {
		return
	}

	out, err := b.report.Writer(0)
	if err == nil {
		err = b.encodeReport(out, t)
	}
	if err == nil {
		_, err = b.report.Commit()
	}

	if err != nil {
		b.closeReport()
		b.report = nil
		b.warnNoReport(err)
	}
}

func (b *batch) warnNoReport(err error) {
	tfkit.Problem{
		Summary: "The report was not written",
		Detail:  "The report cannot be written: " + err.Error() + ". What was done to the rows is not affected.",
		Do:      "give report_path a path of its own in a folder that exists, or remove what is there. The next apply that compares rows writes a report.",
		At:      path.Root("report_path"),
	}.AddWarning(b.diags)
}

// encodeReport writes the lines of a report.
func (b *batch) encodeReport(to io.Writer, t *tally) error {
	out := bufio.NewWriterSize(to, 64<<10)
	words := map[outcome]string{}
	fmt.Fprintf(out, `{"report":%q,"rows":%d`, reportName, len(t.results))
	for _, r := range reported {
		if r.outcome != inPlace {
			words[r.outcome] = r.name
		}
		if n := t.counts[r.outcome]; n > 0 || r.always {
			fmt.Fprintf(out, `,%q:%d`, r.name, n)
		}
	}
	fmt.Fprintln(out, "}")

	reasons := map[int]*reportFailure{}
	for _, c := range t.failures.causes {
		e := c.error
		reason := &reportFailure{Error: e.Title(), Operation: e.Operation, Status: e.Status, Code: e.Code, Message: e.Message}
		for _, f := range e.Fields {
			reason.Fields = append(reason.Fields, reportField(f))
		}
		for _, row := range c.rows {
			reasons[row] = reason
		}
	}

	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for row, result := range t.results {
		word, isReported := words[result]
		if !isReported {
			continue
		}

		at := b.rows[row].Position
		line := reportLine{Line: at.Line, Element: at.Element, Outcome: word, reportFailure: reasons[row]}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}

	return out.Flush()
}
