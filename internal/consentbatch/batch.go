// SPDX-License-Identifier: MPL-2.0

// Package consentbatch implements the resource analytics_consent_batch, the consent of
// thousands of people from one file.
package consentbatch

import (
	"cmp"
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// model holds the attributes of the resource analytics_consent_batch. State holds no rows,
// only a digest of them and counts.
type model struct {
	tfkit.Scope
	Source           types.String `tfsdk:"source"`
	ContentWO        types.String `tfsdk:"content_wo"`
	ContentWOVersion types.Int64  `tfsdk:"content_wo_version"`
	Format           types.String `tfsdk:"format"`
	Shard            types.Object `tfsdk:"shard"`
	KeepLaterChoice  types.Bool   `tfsdk:"keep_later_choice"`
	CompareAtPlan    types.Bool   `tfsdk:"compare_at_plan"`
	OnDestroy        types.String `tfsdk:"on_destroy"`
	ReportPath       types.String `tfsdk:"report_path"`
	MaxNewRecords    types.Int64  `tfsdk:"max_new_records"`
	results
}

// results holds the computed attributes.
type results struct {
	Digest  types.String `tfsdk:"digest"`
	Rows    types.Int64  `tfsdk:"rows"`
	Kept    types.Int64  `tfsdk:"kept"`
	Written types.Int64  `tfsdk:"written"`
	Missing types.Int64  `tfsdk:"missing"`
}

// isDone reports whether the last apply has left no row missing, and how rows are compared has not
// changed since, nor the version of content_wo.
func (m *model) isDone(prior *model) bool {
	if prior == nil || prior.Missing.ValueInt64() > 0 {
		return false
	}
	return m.KeepLaterChoice.Equal(prior.KeepLaterChoice) && m.ContentWOVersion.Equal(prior.ContentWOVersion)
}

// shardOf returns the shard that a value of shard names; all rows if it is null or unknown.
func shardOf(value types.Object) rows.Shard {
	index, _ := value.Attributes()["index"].(types.Int64)
	count, _ := value.Attributes()["count"].(types.Int64)

	return rows.Shard{Index: uint64(index.ValueInt64()), Count: uint64(count.ValueInt64())} //nolint:gosec // the validators refuse negative numbers
}

// batch is one plan, apply or destroy of an analytics_consent_batch.
type batch struct {
	*tfkit.Service
	*progress // of source or content_wo, once they were read

	model   model         // that is planned, applied or destroyed, with the content_wo of the configuration
	prior   *model        // in state; nil for a create
	object  *tfkit.Object // nil in the plan of a create
	scope   client.Scope
	diags   *diag.Diagnostics
	inState string // completes "In state now: …" of an error
	warns   bool   // the plan of an apply does not repeat the warnings of the one before it

	action   choice.Action // of the present pass
	isSecond bool          // the rows without a record are read a second time, a lag later

	sum   [sha256.Size]byte // of the rows
	grown int               // how many rows are new since an apply that left none missing; otherwise unbounded
	limit int               // how many rows may be the first record of a person

	report *outfile.Output // nil if none is written

	keeping choice.Keeping // how the service keeps records, by the setting and by the rows
	alike   int            // how many rows have shown that
}

const unbounded = math.MaxInt

// objectOf returns the object that private state belongs to.
func objectOf(ctx context.Context, m model, private tfkit.Private) *tfkit.Object {
	return tfkit.ObjectIn(ctx, private, fmt.Sprintf("analytics_consent_batch with source %q", m.Source.ValueString()))
}

// newBatch returns the batch of an object whose rows are not read yet. The object is nil in the plan of a
// create.
func (r *batchResource) newBatch(m model, prior *model, object *tfkit.Object, diags *diag.Diagnostics) *batch {
	b := &batch{Service: r.Service, progress: newProgress(nil), model: m, prior: prior, object: object, diags: diags, inState: tfkit.NothingSaved, warns: true}
	b.scope, _ = r.KnownScope(m.Scope)
	if prior != nil {
		b.inState, b.warns = tfkit.PriorKept, r.Plans()
	}

	return b
}

// person returns the person of a row.
func (b *batch) person(row int) client.Person {
	return client.Person{Scope: b.scope, Identity: b.rows[row].Identity}
}

// connect checks client and scope, and reports what is missing.
func (b *batch) connect() (ok bool) {
	_, b.scope, ok = b.ClientAndScope(b.model.Scope, b.diags)
	return ok
}

// refuse reports an error.
func (b *batch) refuse(problem tfkit.Problem) {
	problem.InState = cmp.Or(problem.InState, b.inState)
	problem.AddError(b.diags)
}

// read reads and checks all rows of source or content_wo, and keeps those of the shard, or
// reports why they cannot be used.
func (b *batch) read() (ok bool) {
	of, err := b.model.read()
	if err != nil {
		problem := tfkit.Problem{
			Summary: "The rows cannot be read",
			Detail:  "The file cannot be read: " + outfile.Pathless(err).Error() + ".",
			Do:      "check the path, which is relative to the folder in which Terraform runs (begin it with ${path.module} for one beside the configuration), and the permissions of the file. The guide \"Batches in detail\" shows how to read a file that is made in the same apply.",
			At:      path.Root("source"),
		}
		if problems, isBad := errors.AsType[*rows.Error](err); isBad {
			problem.Detail, problem.At = problems.Error(), path.Empty()
			problem.Do = "correct these lines; nothing is sent before all of them are right. Values are not shown, because they are personal data."
		}
		b.refuse(problem)

		return false
	}

	b.progress, b.sum = newProgress(of), rows.Sum(of)
	b.grown = unbounded
	if b.prior != nil && b.prior.Missing.ValueInt64() == 0 && b.model.Shard.Equal(b.prior.Shard) {
		b.grown = max(0, len(of)-int(b.prior.Rows.ValueInt64()))
	}
	b.limit = b.grown
	if !b.model.MaxNewRecords.IsNull() {
		b.limit = int(b.model.MaxNewRecords.ValueInt64())
	}

	return true
}

// read reads source or content_wo. A file that is not a regular one cannot be read twice, or has no end, and
// opening a pipe waits for its writer whatever happens to the run.
func (m *model) read() ([]rows.Row, error) {
	o := rows.Options{Format: rows.Format(m.Format.ValueString()), Shard: shardOf(m.Shard)}
	if m.Source.IsNull() {
		return rows.Read(strings.NewReader(m.ContentWO.ValueString()), o)
	}

	name := m.Source.ValueString()
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, outfile.ErrNotRegular
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	return rows.Read(f, o)
}

// A digest in state shows whether the rows have changed, and must not tell who is in them: a
// plain hash of few people could be compared with the hashes of guessed ones.
// So it is salted, and slow to compute.
const (
	digestIterations = 200_000
	digestBytes      = 15 // 20 characters: a plan shows the old and the new one within 80 columns
)

// keyIterations is digestIterations, except in tests: with the race detector, one digest of
// so many takes a second.
var keyIterations = digestIterations

// digest returns the digest of the rows. The salt is derived from the scope, which both plans of an apply know.
func (b *batch) digest() string {
	salt := sha256.Sum256(fmt.Appendf(nil, "analytics_consent_batch\n%q\n%q\n%q", b.scope.OrgID, b.scope.ProjectID, b.scope.AccountID))
	key, err := pbkdf2.Key(sha256.New, string(b.sum[:]), salt[:], keyIterations, digestBytes)
	if err != nil { // salt and key are too short, which they are not
		panic(err)
	}

	return base64.RawURLEncoding.EncodeToString(key)
}
