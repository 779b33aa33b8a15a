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

// verdict is the result of comparing a file with what was written. Of several files, the last
// one counts.
type verdict int

const (
	unchanged verdict = iota
	missing
	altered
	notRegular
)

// verify compares the files with what was written, and updates their stamps. A difference makes
// sha256 and bytes null, which plans another export. verify reports false if none of the
// files exists.
func (m *fileModel) verify(ctx context.Context, written []*output, diags *diag.Diagnostics) bool {
	worst, lost, size := unchanged, 0, int64(0)
	for _, o := range written {
		v, err := m.compare(ctx, o)
		if err != nil {
			tfkit.Problem{
				Summary: "The file cannot be read",
				Detail:  "The reason: " + err.Error() + ".",
				InState: tfkit.PriorKept,
				Do:      "make the file readable for the user that runs Terraform.",
				At:      atPath,
			}.AddError(diags)

			return true
		}

		switch v {
		case unchanged:
			outfile.Confirm(o.path)
		case missing:
			lost++
		}
		worst, size = max(worst, v), size+o.written.Bytes
	}

	if lost == len(written) {
		return false
	}
	if worst != unchanged {
		m.SHA256, m.Bytes = types.StringNull(), types.Int64Null()
		differences[worst].AddWarning(diags)
	} else if !m.Files.IsNull() { // a former refresh may have found others
		m.SHA256, m.Bytes = types.StringValue(digestOf(written)), types.Int64Value(size)
	}

	return true
}

// compare compares one file with what was written: by its stamp, unless verify asks for the
// digest, or else by its digest.
func (m *fileModel) compare(ctx context.Context, o *output) (verdict, error) {
	hasStamp := o.written.SHA256 != "" && o.written.Stamp != (outfile.Stamp{})
	if hasStamp && m.Verify.ValueString() != verifyDigest {
		if now, err := outfile.StampAt(o.path); err == nil && now == o.written.Stamp {
			return unchanged, nil
		}
	}

	file, err := outfile.Read(ctx, o.path)
	if errors.Is(err, fs.ErrNotExist) {
		return missing, nil
	}
	if errors.Is(err, outfile.ErrNotRegular) {
		return notRegular, nil
	}
	if err != nil || file.SHA256 != o.written.SHA256 {
		return altered, err
	}

	o.written.Stamp = file.Stamp

	return unchanged, nil
}

// remove removes the files that this object wrote and that are unchanged, unless on_destroy
// retains them.
func (m *fileModel) remove(ctx context.Context, files *outfile.PathsInUse, diags *diag.Diagnostics) {
	if m.OnDestroy.ValueString() == destroyRetains {
		return
	}

	stays, written := false, m.written(ctx)
	for _, o := range written {
		removed, err := files.Remove(ctx, o.path, o.written.SHA256)
		if err != nil {
			tfkit.Problem{
				Summary: "The file could not be removed",
				Detail:  "The reason: " + err.Error() + ".",
				InState: tfkit.PriorKept,
				Do:      "remove the cause and destroy again, or remove the file yourself and destroy then.",
				At:      atPath,
			}.AddError(diags)
		}
		if err == nil && !removed {
			stays = true
		}
	}

	// A killed run may have left an unfinished file of another kind.
	for _, o := range m.outputs(records.Kinds) {
		if !slices.ContainsFunc(written, o.isAt) {
			_, _ = files.Remove(ctx, o.path, "")
		}
	}

	if stays {
		tfkit.Problem{
			Summary: "The file stays",
			Detail:  "What is at path is not what this resource wrote there, so it is left as it is; it may hold personal data. Delete it yourself when it is no longer needed.",
		}.AddWarning(diags)
	}
}

// removePrevious removes previous files that are not among the new ones. A file that cannot
// be removed is a warning, because the new files are in their places.
func (m *fileModel) removePrevious(ctx context.Context, previous []*output, files *outfile.PathsInUse, diags *diag.Diagnostics) {
	written := m.written(ctx)
	for _, old := range previous {
		if slices.ContainsFunc(written, old.isAt) {
			continue
		}

		reason := "on_destroy is \"retain\""
		if m.OnDestroy.ValueString() != destroyRetains {
			removed, err := files.Remove(ctx, old.path, old.written.SHA256)
			if removed && err == nil {
				continue
			}
			reason = "it is not what this resource wrote there"
			if err != nil {
				reason = "it could not be removed: " + err.Error()
			}
		}

		tfkit.Problem{
			Summary: "The old file stays",
			Detail:  "The day is in its new place. A file that this resource wrote before stays where it is, because " + reason + ". It holds personal data, and no resource manages it any more.",
			Do:      "delete it yourself when it is no longer needed.",
			At:      atPath,
		}.AddWarning(diags)
	}
}
