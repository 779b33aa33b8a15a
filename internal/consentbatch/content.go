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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

type (
	// secretText is text that holds data of people: no log and no message shows it.
	secretText = tfkit.Spelled[secretSpelling, string]
	// secretTextType is the type of secretText.
	secretTextType = tfkit.SpelledType[secretSpelling, string]
)

type secretSpelling struct{}

func (secretSpelling) Read(text string) (string, error) { return text, nil }

func (secretSpelling) Same(a, b string) bool { return a == b }

// input is what was read of a source or of a write-only content.
type input struct {
	*rows.Rows
	sum contentSum
}

// read reads and checks the content. The model is that of a configuration where the
// content is write-only.
func (m *model) read(inState string, diags *diag.Diagnostics) (input, bool) {
	if !m.isWriteOnly() {
		return m.readSource(inState, diags)
	}
	text := m.ContentWO.ValueString()
	format := rows.Format(m.Format.ValueString())
	if format == "" {
		format = rows.FormatIn(text)
	}
	return readContent(strings.NewReader(text), format, path.Root("content_wo"), inState, diags)
}

func (m *model) readSource(inState string, diags *diag.Diagnostics) (input, bool) {
	at := path.Root("source")
	format := rows.Format(m.Format.ValueString())
	if format == "" {
		format = rows.FormatOf(m.Source.ValueString())
	}
	f, err := openSource(m.Source.ValueString())
	if err != nil {
		addUnreadable(diags, at, err, inState)
		return input{}, false
	}
	defer f.Close()
	return readContent(f, format, at, inState, diags)
}

var errNotRegular = errors.New("it is no regular file")

// openSource opens regular files only: another can neither be read twice nor has it
// an end that can be relied on.
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

func readContent(in io.Reader, format rows.Format, at path.Path, inState string, diags *diag.Diagnostics) (input, bool) {
	sum := sha256.New()
	list, err := rows.Read(io.TeeReader(in, sum), format)
	switch problems, bad := errors.AsType[*rows.Error](err); {
	case bad:
		diags.AddAttributeError(at, "Unusable rows", problems.Error()+"\n\nIn state now: "+inState+".\n"+
			"What to do: correct these lines; nothing is sent before all of them are right. Values are not shown, since they are people's.")
		return input{}, false
	case err != nil:
		addUnreadable(diags, at, err, inState)
		return input{}, false
	}
	read := input{Rows: list}
	sum.Sum(read.sum[:0])
	return read, true
}

func addUnreadable(diags *diag.Diagnostics, at path.Path, err error, inState string) {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		err = wrapped.Err
	}
	diags.AddAttributeError(at, "The rows cannot be read", "The file cannot be read: "+err.Error()+".\n\nIn state now: "+inState+".\n"+
		"What to do: check the path, which is relative to the folder in which Terraform runs (begin it with ${path.module} for one beside the configuration), and the permissions of the file.")
}
