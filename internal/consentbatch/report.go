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
)

// reportName is how a report is recognised: by the first member of its first line.
const reportName = "analytics_consent_batch"

var reportMark = []byte(`{"report":"` + reportName + `"`)

// Why a report cannot be written. Errors name no path.
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
	NotTried   int    `json:"not_tried"`
}

// reportLine is what became of one row. It names the row by its place in the file, and no
// value of it.
type reportLine struct {
	Line    int    `json:"line"`
	Element int    `json:"element,omitempty"`
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

// reportWords are the outcomes of a report. Rows that were in place are not in it.
var reportWords = map[outcome]string{written: "written", kept: "kept", superseded: "superseded", failed: "failed", notTried: "not_tried"}

// report is the file of report_path.
type report struct {
	path    string
	release func() // gives the path to other objects of this run
}

// checkReport reports what stands against writing a report to a path. A file there is
// replaced only if it is a report, or empty.
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

// openReportIfPossible is openReport for a destroy, which no report stands against.
func (b *batch) openReportIfPossible() {
	if b.model.ReportPath.IsNull() {
		return
	}
	if err := b.claimReport(); err != nil {
		b.warnNoReport(err)
	}
}

// releaseReport gives the path to an object that replaces this one.
func (b *batch) releaseReport() {
	if b.report != nil {
		b.report.release()
	}
}

// planReport refuses a report_path at which there is a file of somebody else.
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

// openReport claims the report's path, before anything is sent.
func (b *batch) openReport() (ok bool) {
	if b.model.ReportPath.IsNull() {
		return true
	}
	if err := b.claimReport(); err != nil {
		b.addUnusableReport(err)
		return false
	}
	return true
}

func (b *batch) claimReport() error {
	name := b.model.ReportPath.ValueString()
	if err := checkReport(name); err != nil {
		return err
	}
	if err := outfile.Check(name); err != nil {
		return err
	}

	release, free := b.resource.Files.Take(name)
	if !free {
		return errReportTaken
	}
	b.report = &report{path: name, release: release}
	return nil
}

func (b *batch) addUnusableReport(err error) {
	b.diags.AddAttributeError(path.Root("report_path"), "The report cannot be written",
		"The file cannot be used: "+err.Error()+". Nothing was written.\n\nIn state now: "+b.inState+".\n"+
			"What to do: give report_path a path of its own in a folder that exists, or remove what is there.")
}

// writeReport writes what became of the rows. It adds a warning if that fails: the rows
// themselves are written, or named in an error.
func (b *batch) writeReport(t *tally) {
	if b.report == nil {
		return
	}

	err := checkReport(b.report.path)
	if err == nil {
		_, err = outfile.Write(b.report.path, func(w *outfile.Writer) error { return b.fillReport(w, t) })
	}
	if err != nil {
		b.report = nil
		b.warnNoReport(err)
	}
}

func (b *batch) warnNoReport(err error) {
	b.diags.AddAttributeWarning(path.Root("report_path"), "The report was not written",
		"The report cannot be written: "+withoutPath(err).Error()+". What was done to the rows is not affected.\n\n"+
			"What to do: give report_path a path of its own in a folder that exists, or remove what is there. The next apply that compares rows writes a report.")
}

// fillReport writes the lines of a report.
func (b *batch) fillReport(to io.Writer, t *tally) error {
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
		line := reportLine{Outcome: word, reportFailure: reasons[int32(row)]}
		line.Line, line.Element = b.content.Position(row)
		if err := lines.Encode(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// reportFailures returns why each failed row failed.
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

// withoutPath drops the path from an error of the file system.
func withoutPath(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
