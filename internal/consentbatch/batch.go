package consentbatch

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// batch is one plan, apply or destroy of an analytics_consent_batch.
type batch struct {
	resource *batchResource
	model    model
	object   tfkit.Object // zero in the plan of a create
	inState  string       // completes "In state now: …" of an error
	diags    *diag.Diagnostics

	content input
	client  *client.Client
	scope   client.Scope
	report  *outfile.Reservation // nil if none is written
}

// connect sets the client and the scope, or reports what is missing.
func (b *batch) connect() (ok bool) {
	b.client, b.scope, ok = b.resource.ClientAndScope(b.model.Scope, b.diags)
	return ok
}

// open reads the content for an apply and opens the report. It refuses a content other than
// the planned one.
func (b *batch) open(config model) (ok bool) {
	if b.content, ok = config.read(b.inState, b.diags); !ok {
		return false
	}
	if !b.connect() {
		return false
	}

	planned, ok := b.isPlanned()
	if !ok {
		return false
	}
	if !planned {
		tfkit.Problem{
			Summary: "The rows are not those that were planned",
			Detail:  "The content has changed since the plan, so what was reviewed is not what would be written. Nothing was sent.",
			InState: b.inState,
			Do:      "plan again, and apply that plan.",
		}.AddError(b.diags)

		return false
	}

	return b.openReport()
}

// isPlanned reports whether the content is the planned one, as far as the plan says.
func (b *batch) isPlanned() (planned, ok bool) {
	results := b.model.results
	if !results.Rows.IsUnknown() && results.Rows.ValueInt64() != int64(len(b.content.rows)) {
		return false, true
	}

	if results.Digest.IsUnknown() {
		return true, true
	}

	return b.hasDigest(results.Digest.ValueString())
}

// reopen reads the file that was applied, for a withdrawal, and opens the report.
func (b *batch) reopen() (ok bool) {
	if !b.readApplied() {
		return false
	}

	b.openReportIfPossible()

	return b.connect()
}

// readApplied reads the file that was applied. It refuses a file that has changed.
func (b *batch) readApplied() (ok bool) {
	if b.content, ok = b.model.read(b.inState, b.diags); !ok {
		return false
	}

	applied, ok := b.hasDigest(b.model.Digest.ValueString())
	if !ok {
		return false
	}
	if !applied {
		tfkit.Problem{
			Summary: "The file is not the one that was applied",
			Detail:  "The file has changed since it was applied, so withdrawing by it could take back the consent of the wrong people. Nothing was sent.",
			InState: b.inState,
			Do:      "put the file back that was applied, or apply the present one first. To withdraw nothing, apply on_destroy = \"retain\" and destroy then.",
			At:      path.Root("source"),
		}.AddError(b.diags)

		return false
	}

	return true
}

// hasDigest reports whether the content has a digest.
func (b *batch) hasDigest(digest string) (equal, ok bool) {
	own, ok := b.digestLike(digest)
	return sameDigest(digest, own), ok
}

// digestLike returns the digest of the content with the salt of another digest, or with a new
// salt if that has none. It is slow on purpose.
func (b *batch) digestLike(other string) (digest string, ok bool) {
	return b.checkDigest(digestLike(other, b.content.sum))
}

// checkDigest reports an error of computing a digest.
func (b *batch) checkDigest(digest string, err error) (string, bool) {
	if err != nil {
		tfkit.Problem{
			Summary: "Internal error",
			Detail:  "The digest of the content cannot be computed, so that changes of it could not be noticed. Please report this to the maintainers of the provider.",
			InState: b.inState,
		}.AddError(b.diags)
	}

	return digest, err == nil
}

// run calls do for every row, for as many at once as the client sends requests.
func (b *batch) run(ctx context.Context, do func(ctx context.Context, i int) (outcome, error)) *tally {
	r := runner{rows: len(b.content.rows), workers: b.client.Concurrency(), do: do}
	t := r.run(ctx)
	b.diags.Append(t.diags...)

	return t
}

// compare asks the service about every row.
func (b *batch) compare(ctx context.Context) *tally {
	return b.run(ctx, func(ctx context.Context, i int) (outcome, error) {
		row := b.content.rows[i]
		u := b.model.update(row)
		u.OnlyKnown = true

		result, err := b.client.CompareConsent(ctx, b.scope, row.Identity, u)
		if client.IsClass(err, client.ClassNotFound) {
			return absent, nil
		}
		if err == nil || errors.Is(err, client.ErrUntimed) {
			b.resource.Written.Show(b.scope, row.Identity)
		}

		return outcomeOf(result, err)
	})
}

// update sends the update of a row, whose outcome the run remembers. prior is what this batch
// has written before; nil if that is not known.
func (b *batch) update(ctx context.Context, identity string, u client.ConsentUpdate, prior *client.Choice) (client.ConsentResult, error) {
	known := &b.resource.Written
	u.LastWritten = func() *client.Choice { return known.Left(b.scope, identity, prior) }
	u.Confirmed = func() { known.Leave(u.Choice(), b.scope, identity) }

	return b.client.UpdateConsent(ctx, b.scope, identity, u)
}

// write writes every row that differs from what the service holds. A row is not written where
// the service says that it holds no record of the person although it held one, at the last
// apply of the same rows or in this run.
func (b *batch) write(ctx context.Context) *tally {
	isRecorded := b.model.bindsToRecords()

	var shared overlap
	t := b.run(ctx, func(ctx context.Context, i int) (outcome, error) {
		row := b.content.rows[i]
		if other, also := b.resource.Written.Keep(b.object, b.scope, row.Identity); also {
			shared.add(other, i)
		}

		u := b.model.update(row)
		u.OnlyKnown = isRecorded || b.resource.Written.IsShown(b.scope, row.Identity)
		result, err := b.update(ctx, row.Identity, u, nil)
		if e, ok := errors.AsType[*client.Error](err); ok && u.OnlyKnown && e.Class == client.ClassNotFound {
			gone := *e
			gone.Detail = "the service has held a record of this person, and none can be removed there; so this may be the answer of a gateway, and a later choice of the person cannot be excluded"
			err = &gone
		}

		return outcomeOf(result.Outcome, err)
	})

	shared.warnShared(b.diags, b.content.place)

	return t
}

// withdraw withdraws the consent of every row that no other object of this run writes.
func (b *batch) withdraw(ctx context.Context) *tally {
	var withheld overlap
	t := b.run(ctx, func(ctx context.Context, i int) (outcome, error) {
		row := b.content.rows[i]
		u := b.model.withdrawal(row)

		var other tfkit.Object
		u.Superseded = func() (yes bool) {
			other, yes = b.resource.Written.Keeper(b.object, b.scope, row.Identity)
			return yes
		}

		// The row is from the file that was applied, so it is what was written last.
		result, err := b.update(ctx, row.Identity, u, &client.Choice{Clauses: row.Clauses, Manual: row.Manual})
		if client.IsClass(err, client.ClassNotFound) { // there is nothing to withdraw
			return inPlace, nil
		}
		if err == nil && result.Outcome == client.ConsentSuperseded {
			withheld.add(other, i)
		}

		return outcomeOf(result.Outcome, err)
	})

	withheld.warnSuperseded(b.diags, b.content.place)

	return t
}

// save sets the results of an apply in the model. prior is the digest in state.
func (b *batch) save(t *tally, prior string) (ok bool) {
	digest := b.model.Digest.ValueString()
	if b.model.Digest.IsUnknown() {
		if digest, ok = b.digestLike(prior); !ok {
			return false
		}
	}

	b.model.results = resultsOf(digest, t)

	return true
}
