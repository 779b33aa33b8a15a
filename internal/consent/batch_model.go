package consent

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consent/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// batchModel is the resource analytics_consent_batch. Of the rows, state holds a digest
// and counts.
type batchModel struct {
	tfkit.Scope
	Source           types.String   `tfsdk:"source"`
	ContentWO        tfkit.Content  `tfsdk:"content_wo"`
	ContentWOVersion types.Int64    `tfsdk:"content_wo_version"`
	Format           types.String   `tfsdk:"format"`
	KeepLaterChoice  types.Bool     `tfsdk:"keep_later_choice"`
	CompareAtPlan    types.Bool     `tfsdk:"compare_at_plan"`
	OnDestroy        types.String   `tfsdk:"on_destroy"`
	Timeouts         tfkit.Timeouts `tfsdk:"timeouts"`
	batchResults
}

// batchResults are the computed attributes.
type batchResults struct {
	Digest  types.String `tfsdk:"digest"`
	Rows    types.Int64  `tfsdk:"rows"`
	ToWrite types.Int64  `tfsdk:"to_write"`
	Kept    types.Int64  `tfsdk:"kept"`
	Written types.Int64  `tfsdk:"written"`
	Missing types.Int64  `tfsdk:"missing"`
}

func unknownResults() batchResults {
	return batchResults{
		Digest: types.StringUnknown(), Rows: types.Int64Unknown(), ToWrite: types.Int64Unknown(),
		Kept: types.Int64Unknown(), Written: types.Int64Unknown(), Missing: types.Int64Unknown(),
	}
}

// isWriteOnly reports whether the content is that of the write-only attribute, which
// state shows by its version only.
func (m *batchModel) isWriteOnly() bool { return m.Source.IsNull() }

// asksAnew reports whether another question is asked of the service than in state, so that
// the answer may differ although neither content nor service do.
func (m *batchModel) asksAnew(state batchModel) bool {
	return !m.KeepLaterChoice.Equal(state.KeepLaterChoice) || !m.ContentWOVersion.Equal(state.ContentWOVersion) && m.isWriteOnly()
}

// batchContent is what was read of a source or of a write-only content.
type batchContent struct {
	*rows.Rows
	sum contentSum
}

// read reads and checks the content. The model is that of a configuration where the
// content is write-only.
func (m *batchModel) read(inState string, diags *diag.Diagnostics) (batchContent, bool) {
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

func (m *batchModel) readSource(inState string, diags *diag.Diagnostics) (batchContent, bool) {
	at := path.Root("source")
	format := rows.Format(m.Format.ValueString())
	if format == "" {
		format = rows.FormatOf(m.Source.ValueString())
	}
	f, err := openSource(m.Source.ValueString())
	if err != nil {
		addUnreadable(diags, at, err, inState)
		return batchContent{}, false
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

func readContent(in io.Reader, format rows.Format, at path.Path, inState string, diags *diag.Diagnostics) (batchContent, bool) {
	sum := sha256.New()
	read, err := rows.Read(io.TeeReader(in, sum), format)
	switch problems, bad := errors.AsType[*rows.Error](err); {
	case bad:
		diags.AddAttributeError(at, "Unusable rows", problems.Error()+"\n\nIn state now: "+inState+".\n"+
			"What to do: correct these lines; nothing is sent before all of them are right. Values are not shown, since they are people's.")
		return batchContent{}, false
	case err != nil:
		addUnreadable(diags, at, err, inState)
		return batchContent{}, false
	}
	content := batchContent{Rows: read}
	sum.Sum(content.sum[:0])
	return content, true
}

func addUnreadable(diags *diag.Diagnostics, at path.Path, err error, inState string) {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		err = wrapped.Err
	}
	diags.AddAttributeError(at, "The rows cannot be read", "The file cannot be read: "+err.Error()+".\n\nIn state now: "+inState+".\n"+
		"What to do: check the path, which is relative to the folder in which Terraform runs (begin it with ${path.module} for one beside the configuration), and the permissions of the file.")
}

// update is what is sent for a row.
func (m *batchModel) update(row rows.Row) client.ConsentUpdate {
	u := client.ConsentUpdate{
		Clauses: row.Clauses, UserIPv6: row.Address, AgreementTime: row.Agreed, Manual: row.Manual, OnlyDifferent: true,
	}
	u.KeepLaterThan = m.protects(row)
	return u
}

// withdrawal takes a row's consent back, by the rules of the single resource.
func (m *batchModel) withdrawal(row rows.Row) client.ConsentUpdate {
	return client.ConsentUpdate{
		Manual: row.Manual, UserIPv6: row.Address, OnlyKnown: true, OnlyDifferent: true, ClausesDecide: true, KeepLaterThan: m.protects(row),
	}
}

// protects is the time after which a person's choice stands; zero where none does.
func (m *batchModel) protects(row rows.Row) time.Time {
	if !m.KeepLaterChoice.ValueBool() {
		return time.Time{}
	}
	return row.Agreed
}

// fill takes the results of an apply.
func (m *batchModel) fill(digest string, content batchContent, t *tally) {
	m.batchResults = batchResults{
		Digest: types.StringValue(digest), Rows: types.Int64Value(int64(content.Len())),
		ToWrite: types.Int64Value(int64(t.written + t.failures.Count)), Kept: types.Int64Value(int64(len(t.kept))),
		Written: types.Int64Value(int64(t.written)), Missing: types.Int64Value(int64(content.Len() - t.succeeded())),
	}
}
