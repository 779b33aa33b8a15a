// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// stampsKey is the key in private state of size, time and inode of the files as they were written
// or last hashed, by the name of the output. A file that still has its stamp is not read again.
const stampsKey = "files"

// readStamps sets the stamps of files to those in private state. Text that is not understood
// counts as none: the files are hashed then.
func readStamps(ctx context.Context, outputs []*output, from tfkit.Private) {
	text, _ := from.GetKey(ctx, stampsKey)
	var stamps map[string]outfile.Stamp
	if json.Unmarshal(text, &stamps) != nil {
		return
	}

	for _, o := range outputs {
		o.written.Stamp = stamps[o.name]
	}
}

// writeStamps stores the stamps of files in private state.
func writeStamps(ctx context.Context, outputs []*output, to tfkit.Private, diags *diag.Diagnostics) {
	stamps := map[string]outfile.Stamp{}
	for _, o := range outputs {
		if o.written.Stamp != (outfile.Stamp{}) {
			stamps[o.name] = o.written.Stamp
		}
	}

	if text, err := json.Marshal(stamps); err == nil {
		diags.Append(to.SetKey(ctx, stampsKey, text)...)
	}
}

// verify compares the files with what was written, and updates their stamps. A difference makes sha256 and bytes null,
// which plans another export. It reports false if none of the files exists.
func (m *fileModel) verify(ctx context.Context, written []*output, diags *diag.Diagnostics) bool {
	var missing, altered int
	for _, o := range written {
		switch err := m.compare(ctx, o); {
		case err == nil:
			outfile.Confirm(o.Path)
		case errors.Is(err, fs.ErrNotExist):
			missing++
		case isAnother(err):
			altered++
		default:
			fileProblem("The file cannot be read", err, "make the file readable for the user that runs Terraform.").AddError(diags)
			return true
		}
	}

	if missing == len(written) {
		return false
	}
	if missing+altered > 0 {
		fileDiffers.AddWarning(diags)
		m.SHA256, m.Bytes = types.StringNull(), types.Int64Null()
	}

	return true
}

// compare compares one file with what was written: by its stamp, unless verify asks for the
// digest, or else by its digest. It returns why they differ.
func (m *fileModel) compare(ctx context.Context, o *output) error {
	now, err := outfile.StampAt(o.Path)
	if err == nil && now == o.written.Stamp && m.Verify.ValueString() != verifyDigest {
		return nil
	}

	file, err := outfile.Read(ctx, o.Path)
	if err != nil {
		return err
	}
	if file.SHA256 != o.written.SHA256 {
		return outfile.ErrAltered
	}
	o.written.Stamp = file.Stamp

	return nil
}

// isAnother reports whether an error of outfile says that something else is in the place of a file.
func isAnother(err error) bool {
	return errors.Is(err, outfile.ErrAltered) || errors.Is(err, outfile.ErrNotRegular)
}

// fileProblem returns the problem of a file that is in state and stays as it is.
func fileProblem(summary string, reason error, do string) tfkit.Problem {
	return tfkit.Problem{Summary: summary, Detail: "The reason: " + reason.Error() + ".", InState: tfkit.PriorKept, Do: do, At: atPath}
}

// remove removes the unchanged files of this object, unless on_destroy retains them.
func (m *fileModel) remove(ctx context.Context, files *outfile.PathsInUse, diags *diag.Diagnostics) {
	if m.OnDestroy.ValueString() == destroyRetains {
		return
	}

	for _, o := range m.written(ctx) {
		err := files.Remove(ctx, o.Path, o.written.SHA256)
		if isAnother(err) {
			tfkit.Problem{
				Summary: "The file stays",
				Detail:  "What is at path is not what this resource wrote there, so it is left as it is; it may hold personal data. Delete it yourself when it is no longer needed.",
			}.AddWarning(diags)
		} else if err != nil {
			fileProblem("The file could not be removed", err, "remove the cause and destroy again, or remove the file yourself and destroy then.").AddError(diags)
		}
	}

	// A killed run may have left an unfinished file of another kind.
	for _, o := range (&dayExport{day: &m.dayModel}).outputsOf(records.Kinds) {
		_ = files.Remove(ctx, o.Path, "")
	}
}

// removePrevious removes previous files that are not among the new ones. A file that stays
// is a warning, because the new files are in their places.
func (m *fileModel) removePrevious(ctx context.Context, export *dayExport) {
	for _, old := range export.previous {
		if slices.ContainsFunc(export.outputs, old.isAt) {
			continue
		}

		err := errRetained
		if m.OnDestroy.ValueString() != destroyRetains {
			err = export.Files.Remove(ctx, old.Path, old.written.SHA256)
		}
		if err != nil {
			tfkit.Problem{
				Summary: "The old file stays",
				Detail:  "The day is in its new place. A file that this resource wrote before stays where it is: " + err.Error() + ". It holds personal data, and no resource manages it any more.",
				Do:      "delete it yourself when it is no longer needed.",
				At:      atPath,
			}.AddWarning(export.diags)
		}
	}
}

var errRetained = errors.New("on_destroy is \"retain\"")
