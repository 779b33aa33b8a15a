// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"cmp"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// read reads and checks all rows of source or content_wo, and keeps those of the shard, or
// reports why they cannot be used.
func (b *batch) read() (ok bool) {
	problem := tfkit.Problem{InState: b.inState(), At: path.Root("source")}
	format := rows.Format(b.model.Format.ValueString())

	var err error
	if b.model.isWriteOnly() {
		text := b.model.ContentWO.ValueString()
		problem.At = path.Root("content_wo")
		b.rows, err = rows.Read(strings.NewReader(text), rows.Options{Format: format, Shard: shardOf(b.model.Shard)})
	} else {
		b.rows, err = b.model.readSource(cmp.Or(format, rows.FormatOf(b.model.Source.ValueString())))
	}
	if err == nil {
		b.sum = rows.Sum(b.rows)
		b.scope, b.isScopeKnown = b.resource.KnownScope(b.model.Scope)

		return true
	}

	if problems, bad := errors.AsType[*rows.Error](err); bad {
		problem.Summary = "Unusable rows"
		problem.Detail = problems.Error()
		problem.Do = "correct these lines; nothing is sent before all of them are right. Values are not shown, because they are personal data."
		problem.AddError(b.diags)

		return false
	}

	problem.Summary = "The rows cannot be read"
	problem.Detail = "The file cannot be read: " + outfile.Pathless(err).Error() + "."
	problem.Do = "check the path, which is relative to the folder in which Terraform runs (begin it with ${path.module} for one beside the configuration), and the permissions of the file."
	if errors.Is(err, fs.ErrNotExist) {
		problem.Do += " If another resource makes the file in the same apply, take the path from an attribute of that resource which is known only after apply, such as the output of a terraform_data: the file is not read before it exists then. The guide \"Batches in detail\" has an example."
	}
	problem.AddError(b.diags)

	return false
}

var errNotRegular = errors.New("it is not a regular file")

// readSource reads a regular file. Any other file cannot be read twice, or may have no end.
func (m *model) readSource(format rows.Format) ([]rows.Row, error) {
	name := m.Source.ValueString()
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}

	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	return rows.Read(f, rows.Options{Format: format, Shard: shardOf(m.Shard)})
}

// A digest in state shows whether the rows have changed, and must not tell who is in them: a
// plain hash of few people could be compared with the hashes of guessed ones.
// So it is salted, and slow to compute.
const (
	digestIterations = 200_000
	digestSaltBytes  = 9 // as many of the key are kept
)

// keyIterations is digestIterations, except in tests: with the race detector, one digest of
// so many takes a second.
var keyIterations = digestIterations

// digestLike returns the digest of the content with the salt of another digest, so that two
// plans of the same change are equal. For a content that has none in state, the salt is derived
// from what both plans of an apply know: the scope, and the path of the file.
func (b *batch) digestLike(other string) string {
	encoded, _, _ := strings.Cut(other, ".")
	salt, _ := base64.RawURLEncoding.DecodeString(encoded)
	if len(salt) != digestSaltBytes {
		from := fmt.Sprintf("analytics_consent_batch\n%q\n%q\n%q\n%q", b.scope.OrgID, b.scope.ProjectID, b.scope.AccountID, b.model.Source.ValueString())
		place := sha256.Sum256([]byte(from))
		salt = place[:digestSaltBytes]
	}

	key, err := pbkdf2.Key(sha256.New, string(b.sum[:]), salt, keyIterations, digestSaltBytes)
	if err != nil { // salt and key are too short, which they are not
		panic(err)
	}

	encode := base64.RawURLEncoding.EncodeToString

	return encode(salt) + "." + encode(key)
}
