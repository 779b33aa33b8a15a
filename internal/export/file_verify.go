// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// stamps holds size, time and inode of the files as they were written or last hashed, by
// the name of the output. They are in private state: a file that still has its stamp is not
// read again.
type stamps map[string]outfile.Stamp

const stampsKey = "files"

// readStamps returns the stamps in private state. Text that is not understood
// counts as none: the files are hashed then.
func readStamps(ctx context.Context, from tfkit.PrivateReader) stamps {
	text, diags := from.GetKey(ctx, stampsKey)
	if diags.HasError() || text == nil {
		return stamps{}
	}

	s := stamps{}
	if json.Unmarshal(text, &s) != nil || s == nil {
		return stamps{}
	}

	return s
}

// write stores the stamps in private state.
func (s stamps) write(ctx context.Context, to tfkit.PrivateWriter, diags *diag.Diagnostics) {
	text, err := json.Marshal(s)
	if err != nil {
		return
	}

	diags.Append(to.SetKey(ctx, stampsKey, text)...)
}

// stampsOf returns the stamps of the files of a day.
func stampsOf(exported exportedDay) stamps {
	s := stamps{}
	for _, o := range exported.outputs {
		if o.written.SHA256 != "" {
			s[o.name] = o.written.Stamp
		}
	}
	return s
}

// verdict is the result of comparing a file with what was written.
type verdict int

const (
	unchanged verdict = iota
	altered
	missing
	notRegular
)

// verify compares the files with what was written, and updates known. A difference makes
// sha256 and bytes null, which plans another export. verify reports false if none of the
// files exists.
func (m *fileModel) verify(ctx context.Context, known stamps, diags *diag.Diagnostics) bool {
	written := m.written(ctx)
	found := map[verdict]int{}
	for _, o := range written {
		v, err := m.compare(ctx, o, known)
		if err != nil {
			addUnreadable(err, diags)
			return true
		}

		found[v]++
	}

	if found[missing] == len(written) {
		return false
	}
	if found[unchanged] == len(written) {
		m.restore(ctx)
		return true
	}

	m.SHA256, m.Bytes = types.StringNull(), types.Int64Null()
	warnDifferent(found, diags)

	return true
}

// compare compares one file with what was written: by its stamp, or else by its digest.
func (m *fileModel) compare(ctx context.Context, o *output, known stamps) (verdict, error) {
	if m.hasStamp(o, known) {
		return unchanged, nil
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

	known[o.name] = file.Stamp

	return unchanged, nil
}

// hasStamp reports whether a file need not be read, because it still has its stamp and
// verify does not ask for its digest.
func (m *fileModel) hasStamp(o *output, known stamps) bool {
	stamp, noted := known[o.name]
	if !noted || o.written.SHA256 == "" || m.Verify.ValueString() == verifyDigest {
		return false
	}

	now, err := outfile.Look(o.path)
	return err == nil && now == stamp
}

// restore sets the digest and size of several files again, after a refresh has found all of
// them unchanged.
func (m *fileModel) restore(ctx context.Context) {
	if m.Files.IsNull() || !m.SHA256.IsNull() {
		return
	}

	var files map[string]writtenFile
	m.Files.ElementsAs(ctx, &files, false)

	var total int64
	for _, file := range files {
		total += file.Bytes
	}
	m.SHA256, m.Bytes = types.StringValue(digestOf(files)), types.Int64Value(total)
}

// markOver sets complete to null if the day was not over when it was exported and is now. A
// plan decides by state and not by the clock, because Terraform plans again when it applies.
func (m *fileModel) markOver(today time.Time) {
	day, err := client.ParseDay(m.UTCDate.ValueString())
	if err == nil && !m.Complete.ValueBool() && day.Before(today) {
		m.Complete = types.BoolNull()
	}
}

// remove removes the files that this object wrote and that are unchanged, unless on_destroy
// retains them.
func (m *fileModel) remove(ctx context.Context, files *outfile.PathsInUse, diags *diag.Diagnostics) {
	if m.OnDestroy.ValueString() == destroyRetains {
		return
	}

	stays := false
	for _, o := range m.written(ctx) {
		gone, err := files.Remove(ctx, o.path, o.written.SHA256)
		if err != nil {
			addNotRemoved(err, diags)
		} else if !gone {
			stays = true
		}
	}

	if stays {
		warnStays(diags)
	}
}

// removePrevious removes previous files that are not among the new ones. A file that cannot
// be removed is a warning, because the new files are in their places.
func (m *fileModel) removePrevious(ctx context.Context, previous []*output, files *outfile.PathsInUse, diags *diag.Diagnostics) {
	written := m.written(ctx)
	for _, old := range previous {
		if slices.ContainsFunc(written, func(o *output) bool { return outfile.SamePath(old.path, o.path) }) {
			continue
		}

		if reason := m.removeOld(ctx, old, files); reason != "" {
			warnOldStays(diags, reason)
		}
	}
}

// removeOld removes one previous file. It returns why the file stays; empty if it is gone.
func (m *fileModel) removeOld(ctx context.Context, old *output, files *outfile.PathsInUse) string {
	if m.OnDestroy.ValueString() == destroyRetains {
		return "on_destroy is \"retain\""
	}

	gone, err := files.Remove(ctx, old.path, old.written.SHA256)
	if err != nil {
		return "it could not be removed: " + err.Error()
	}
	if !gone {
		return "it is not what this object wrote there"
	}

	return ""
}
