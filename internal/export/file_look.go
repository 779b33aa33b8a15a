package export

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
)

// stamps are size, time and inode of files as they were written or last hashed, by the
// name of an output. They are in private state: a file that still has its stamp is not
// read again.
type stamps map[string]outfile.Stamp

const stampsKey = "files"

// privateState is what requests and responses of the framework have of private state.
type (
	privateReader interface {
		GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	}
	privateWriter interface {
		SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
	}
)

// readStamps returns the stamps in private state. What is not understood is dropped;
// the files are hashed then.
func readStamps(ctx context.Context, from privateReader) stamps {
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

func (s stamps) write(ctx context.Context, to privateWriter, diags *diag.Diagnostics) {
	text, err := json.Marshal(s)
	if err != nil {
		return
	}
	diags.Append(to.SetKey(ctx, stampsKey, text)...)
}

func stampsOf(outputs []output, files []outfile.File) stamps {
	s := stamps{}
	for i, file := range files {
		if file.SHA256 != "" {
			s[outputs[i].name] = file.Stamp
		}
	}
	return s
}

// Verdicts on a file that was written.
type verdict int

const (
	unchanged verdict = iota
	altered
	missing
	notRegular
)

// look compares the files with what was written. known are updated. It reports false
// where none of them is there, or an error was added.
func (m *fileModel) look(ctx context.Context, known stamps, diags *diag.Diagnostics) bool {
	found := map[verdict]int{}
	written := m.written(ctx)
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
	switch {
	case found[notRegular] > 0:
		warnNotRegular(diags)
	case found[altered] > 0:
		warnAltered(diags)
	default:
		warnMissing(diags)
	}
	return true
}

// compare judges one file by its stamp, or by its digest where the stamp is another one
// or verify asks for that.
func (m *fileModel) compare(ctx context.Context, o output, known stamps) (verdict, error) {
	stamp, noted := known[o.name]
	if noted && o.sha256 != "" && m.Verify.ValueString() != verifyDigest {
		if now, err := outfile.Look(o.path); err == nil && now == stamp {
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
	if err != nil {
		return altered, err
	}

	if file.SHA256 != o.sha256 {
		return altered, nil
	}
	known[o.name] = file.Stamp
	return unchanged, nil
}

// restore fills in the digest of several files again, once all of them are as they were
// written.
func (m *fileModel) restore(ctx context.Context) {
	if m.Paths.IsNull() || !m.SHA256.IsNull() {
		return
	}
	var digests map[string]string
	var sizes map[string]int64
	m.SHA256ByKind.ElementsAs(ctx, &digests, false)
	m.BytesByKind.ElementsAs(ctx, &sizes, false)

	var total int64
	for _, size := range sizes {
		total += size
	}
	m.SHA256, m.Bytes = types.StringValue(digestOf(digests)), types.Int64Value(total)
}

// remove removes the files that this object wrote, and no others.
func (m *fileModel) remove(ctx context.Context, files *outfile.PathsInUse, diags *diag.Diagnostics) {
	if m.OnDestroy.ValueString() == destroyRetains {
		return
	}

	stays := false
	for _, o := range m.written(ctx) {
		gone, err := files.Remove(ctx, o.path, o.sha256)
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
