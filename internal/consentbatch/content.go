package consentbatch

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

type (
	// secretText is text with personal data, which no log and no message shows.
	secretText = customtypes.Text[secretFormat, string]
	// secretTextType is the type of secretText.
	secretTextType = customtypes.TextType[secretFormat, string]
)

type secretFormat struct{}

func (secretFormat) Parse(text string) (string, error) { return text, nil }

func (secretFormat) Equal(a, b string) bool { return a == b }

// input holds the checked rows of source or content_wo.
type input struct {
	rows []rows.Row
	sum  contentSum
}

// place returns the position of a row as text.
func (in input) place(row int) string { return in.rows[row].String() }

// read reads and checks the content. Only the model of a configuration holds content_wo.
func (m *model) read(inState string, diags *diag.Diagnostics) (input, bool) {
	if !m.isWriteOnly() {
		return m.readSource(inState, diags)
	}

	text := m.ContentWO.ValueString()
	format := rows.Format(m.Format.ValueString())
	if format == "" {
		format = rows.FormatIn(text)
	}

	return m.readContent(strings.NewReader(text), format, diagnosed{path.Root("content_wo"), inState, diags})
}

func (m *model) readSource(inState string, diags *diag.Diagnostics) (input, bool) {
	format := rows.Format(m.Format.ValueString())
	if format == "" {
		format = rows.FormatOf(m.Source.ValueString())
	}

	report := diagnosed{path.Root("source"), inState, diags}
	f, err := openSource(m.Source.ValueString())
	if err != nil {
		report.unreadable(err)
		return input{}, false
	}
	defer f.Close()

	return m.readContent(f, format, report)
}

var errNotRegular = errors.New("it is no regular file")

// openSource opens a regular file. Any other file cannot be read twice, or may have no end.
func openSource(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}

	return os.Open(name)
}

// readContent reads and checks all rows, and returns those of the shard. It reports why they
// cannot be used.
func (m *model) readContent(in io.Reader, format rows.Format, report diagnosed) (input, bool) {
	sum := sha256.New()
	shard := shardOf(m.Shard)

	list, err := rows.ReadShard(io.TeeReader(in, sum), format, shard)
	if problems, bad := errors.AsType[*rows.Error](err); bad {
		report.unusable(problems)
		return input{}, false
	}
	if err != nil {
		report.unreadable(err)
		return input{}, false
	}

	read := input{rows: list}
	if shard.Count > 0 { // so that a change of other rows changes nothing
		read.sum = rows.Sum(list)
		return read, true
	}

	sum.Sum(read.sum[:0])

	return read, true
}

// diagnosed reports errors about a content.
type diagnosed struct {
	attribute path.Path
	inState   string
	diags     *diag.Diagnostics
}

// unusable reports rows that are wrong.
func (d diagnosed) unusable(problems *rows.Error) {
	tfkit.Problem{
		Summary: "Unusable rows",
		Detail:  problems.Error(),
		InState: d.inState,
		Do:      "correct these lines; nothing is sent before all of them are right. Values are not shown, because they are personal data.",
		At:      d.attribute,
	}.AddError(d.diags)
}

// unreadable reports a file that cannot be read, without its path.
func (d diagnosed) unreadable(err error) {
	advice := "check the path, which is relative to the folder in which Terraform runs (begin it with ${path.module} for one beside the configuration), and the permissions of the file."
	if errors.Is(err, fs.ErrNotExist) {
		advice += " If another object makes the file in the same apply, take the path from an attribute of that object which is known only after apply, such as the output of a terraform_data: the file is not read before it exists then. The guide \"Seeding thousands\" has an example."
	}

	tfkit.Problem{
		Summary: "The rows cannot be read",
		Detail:  "The file cannot be read: " + withoutPath(err).Error() + ".",
		InState: d.inState,
		Do:      advice,
		At:      d.attribute,
	}.AddError(d.diags)
}

// withoutPath returns an error of the file system without the path.
func withoutPath(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
