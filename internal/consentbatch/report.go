package consentbatch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

const reportName = "analytics_consent_batch"

// reportMark begins every report, so that one is recognised.
var reportMark = []byte(`{"report":"` + reportName + `"`)

var (
	errForeignFile = errors.New("there is a file at that path that is not a report of an analytics_consent_batch")
	errReportTaken = errors.New("another object of this run writes its report to that path")
)

// reportSummary is the first line of a report.
type reportSummary struct {
	Report     string `json:"report"`
	Rows       int    `json:"rows"`
	InPlace    int    `json:"in_place"`
	Written    int    `json:"written"`
	Kept       int    `json:"kept"`
	Superseded int    `json:"superseded,omitempty"`
	Failed     int    `json:"failed"`
	Unknown    int    `json:"unknown,omitempty"`
	NotTried   int    `json:"not_tried"`
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

// reportWords holds the outcomes as a report names them. Rows that were in place are left out.
var reportWords = map[outcome]string{
	written:    "written",
	kept:       "kept",
	superseded: "superseded",
	failed:     "failed",
	unknown:    "unknown",
	notTried:   "not_tried",
}

// checkReport returns an error if a report cannot be written to a path. A file there may be
// replaced only if it is a report, or empty. Errors name no path.
func checkReport(name string) error {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return outfile.ErrNotRegular
	}

	f, err := os.Open(name)
	if err != nil {
		return withoutPath(err)
	}
	defer f.Close()

	return checkMark(f)
}

// checkMark returns an error unless a file is a report or empty.
func checkMark(f io.Reader) error {
	begin := make([]byte, len(reportMark))

	n, err := io.ReadFull(f, begin)
	if n == 0 && errors.Is(err, io.EOF) {
		return nil
	}
	if !bytes.Equal(begin[:n], reportMark) {
		return errForeignFile
	}

	return nil
}

// openReport reserves the path of the report, before anything is sent.
func (b *batch) openReport() (ok bool) {
	if b.model.ReportPath.IsNull() {
		return true
	}

	if err := b.reserveReport(); err != nil {
		b.addUnusableReport(err)
		return false
	}

	return true
}

// openReportIfPossible reserves the path of the report for a destroy, which goes on without a
// report.
func (b *batch) openReportIfPossible() {
	if b.model.ReportPath.IsNull() {
		return
	}

	if err := b.reserveReport(); err != nil {
		b.warnNoReport(err)
	}
}

// closeReport gives up a report that was not written.
func (b *batch) closeReport() {
	if b.report != nil {
		b.report.Close()
	}
}

// keepReport keeps the path from other objects of this run.
func (b *batch) keepReport() {
	if b.report != nil {
		b.report.Keep()
	}
}

// planReport refuses a report_path with a file that is not a report.
func (p *planner) planReport() (ok bool) {
	at := p.model.ReportPath
	if at.IsNull() || at.IsUnknown() {
		return true
	}

	if err := checkReport(at.ValueString()); err != nil {
		p.addUnusableReport(err)
		return false
	}

	return true
}

func (b *batch) reserveReport() error {
	name := b.model.ReportPath.ValueString()
	if err := checkReport(name); err != nil {
		return err
	}

	reservation, err := b.resource.Files.Reserve(outfile.Target{Path: name, Replace: true})
	if errors.Is(err, outfile.ErrInUse) {
		return errReportTaken
	}
	b.report = reservation

	return err
}

func (b *batch) addUnusableReport(err error) {
	tfkit.Problem{
		Summary: "The report cannot be written",
		Detail:  "The file cannot be used: " + err.Error() + ". Nothing was written.",
		InState: b.inState,
		Do:      "give report_path a path of its own in a folder that exists, or remove what is there.",
		At:      path.Root("report_path"),
	}.AddError(b.diags)
}

// writeReport writes the outcome of each row to the file. A failure is only a warning: the
// rows themselves are written, or named in an error.
func (b *batch) writeReport(t *tally) {
	if b.report == nil {
		return
	}

	if err := b.replaceReport(t); err != nil {
		b.closeReport()
		b.report = nil
		b.warnNoReport(err)
	}
}

func (b *batch) replaceReport(t *tally) error {
	if err := checkReport(b.model.ReportPath.ValueString()); err != nil {
		return err
	}
	out, err := b.report.Writer(0)
	if err != nil {
		return err
	}
	if err := b.encodeReport(out, t); err != nil {
		return err
	}

	_, err = b.report.Commit()

	return err
}

func (b *batch) warnNoReport(err error) {
	tfkit.Problem{
		Summary: "The report was not written",
		Detail:  "The report cannot be written: " + withoutPath(err).Error() + ". What was done to the rows is not affected.",
		Do:      "give report_path a path of its own in a folder that exists, or remove what is there. The next apply that compares rows writes a report.",
		At:      path.Root("report_path"),
	}.AddWarning(b.diags)
}

// encodeReport writes the lines of a report.
func (b *batch) encodeReport(to io.Writer, t *tally) error {
	out := bufio.NewWriterSize(to, 64<<10)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)

	err := lines.Encode(reportSummary{
		Report:     reportName,
		Rows:       len(t.results),
		InPlace:    t.counts[inPlace],
		Written:    t.counts[written],
		Kept:       t.counts[kept],
		Superseded: t.counts[superseded],
		Failed:     t.counts[failed],
		Unknown:    t.counts[unknown],
		NotTried:   t.rest(),
	})
	if err != nil {
		return err
	}

	reasons := t.failures.reportFailures()
	for row, result := range t.results {
		word, reported := reportWords[result]
		if !reported {
			continue
		}

		at := b.content.rows[row].Position
		line := reportLine{Line: at.Line, Element: at.Element, Outcome: word, reportFailure: reasons[int32(row)]}
		if err := lines.Encode(line); err != nil {
			return err
		}
	}

	return out.Flush()
}

// reportFailures returns the failures by row.
func (f *failures) reportFailures() map[int32]*reportFailure {
	byRow := make(map[int32]*reportFailure, f.Count)

	for _, c := range f.causes {
		reason := reasonOf(c.error)
		for _, row := range c.rows {
			byRow[row] = reason
		}
	}

	return byRow
}

func reasonOf(e *client.Error) *reportFailure {
	reason := &reportFailure{Error: e.Title(), Operation: e.Operation, Status: e.Status, Code: e.Code, Message: e.Message}
	for _, f := range e.Fields {
		reason.Fields = append(reason.Fields, reportField{Field: f.Field, Message: f.Message})
	}

	return reason
}

// withoutPath returns an error of the file system without the path.
func withoutPath(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
