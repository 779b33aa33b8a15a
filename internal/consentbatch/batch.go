package consentbatch

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
)

// batch is one plan or apply of a batchResource.
type batch struct {
	resource *batchResource
	model    model
	inState  string // what an error says is in state
	diags    *diag.Diagnostics

	content input
	client  *client.Client
	scope   client.Scope
}

// reach finds the client and the scope.
func (b *batch) reach() (ok bool) {
	b.client, b.scope, ok = b.resource.Reach(b.model.Scope, b.diags)
	return ok
}

// open reads the content for an apply. What the plan has said of it has to hold.
func (b *batch) open(config model) (ok bool) {
	if b.content, ok = config.read(b.inState, b.diags); !ok || !b.reach() {
		return false
	}
	as := b.model.results
	same := as.Rows.IsUnknown() || as.Rows.ValueInt64() == int64(b.content.Len())
	if same && !as.Digest.IsUnknown() {
		same, ok = b.isDigest(as.Digest.ValueString())
	}
	if ok && !same {
		b.diags.AddError("The rows are not those that were planned",
			"The content has changed since the plan, so what was reviewed is not what would be written. Nothing was sent.\n\nIn state now: "+b.inState+".\nWhat to do: plan again, and apply that plan.")
	}
	return ok && same
}

// isDigest reports whether a digest is that of the content.
func (b *batch) isDigest(of string) (same, ok bool) {
	digest, ok := b.digest(of)
	return sameDigest(of, digest), ok
}

// digest is that of the content, with the salt of another one where that has any. It
// takes a moment, so it is computed where it is needed only.
func (b *batch) digest(like string) (string, bool) {
	digest, err := digestLike(like, b.content.sum)
	if err != nil {
		b.diags.AddError("Internal error", "The digest of the content cannot be computed, so that changes of it could not be noticed. Please report this to the maintainers of the provider.\n\nIn state now: "+b.inState+".")
	}
	return digest, err == nil
}

// reopen reads the file that was applied once more, to withdraw by it.
func (b *batch) reopen() (ok bool) {
	if b.content, ok = b.model.read(b.inState, b.diags); !ok {
		return false
	}
	same, ok := b.isDigest(b.model.Digest.ValueString())
	if ok && !same {
		b.diags.AddAttributeError(path.Root("source"), "The file is not the one that was applied",
			"The file has changed since it was applied, so withdrawing by it could take back the consent of the wrong people. Nothing was sent.\n\nIn state now: "+b.inState+".\n"+
				"What to do: put the file back that was applied, or apply the present one first; to withdraw nothing, apply on_destroy = \"retain\" and destroy then.")
	}
	return ok && same && b.reach()
}

// run does something with every row, as many at once as the client sends requests.
func (b *batch) run(ctx context.Context, do func(context.Context, *client.Client, client.Scope, rows.Row) (client.ConsentOutcome, error)) *tally {
	w := runner{
		rows: b.content.Len(), workers: b.client.Concurrency(), interval: progressInterval,
		do: func(ctx context.Context, row int) (client.ConsentOutcome, error) {
			return do(ctx, b.client, b.scope, b.content.At(row))
		},
	}
	t := w.run(ctx)
	b.diags.Append(t.diags...)
	return t
}

// write brings every row to the service.
func (b *batch) write(ctx context.Context) *tally {
	return b.run(ctx, func(ctx context.Context, c *client.Client, scope client.Scope, row rows.Row) (client.ConsentOutcome, error) {
		result, err := c.UpdateConsent(ctx, scope, row.Identity, b.model.update(row))
		return result.Outcome, err
	})
}

// save puts an apply into the model; prior is the digest before it.
func (b *batch) save(t *tally, prior string) (ok bool) {
	digest := b.model.Digest.ValueString()
	if b.model.Digest.IsUnknown() {
		if digest, ok = b.digest(prior); !ok {
			return false
		}
	}
	b.model.fill(digest, b.content, t)
	return true
}

// compare asks the service about every row.
func (b *batch) compare(ctx context.Context) *tally {
	return b.run(ctx, func(ctx context.Context, c *client.Client, scope client.Scope, row rows.Row) (client.ConsentOutcome, error) {
		return c.CompareConsent(ctx, scope, row.Identity, b.model.update(row))
	})
}

func (b *batch) warnKept(t *tally) {
	if len(t.kept) == 0 {
		return
	}
	b.diags.AddWarning("Later choices of people stand", fmt.Sprintf(
		"The service holds a later choice of the person than the row's agreement_time in %d of %d rows: %s. They are left alone: it is the person's turn, not Terraform's.\n\n"+
			"What to do: nothing, or bring the rows up to the choices. To overwrite them on legal grounds, set keep_later_choice = false, or a later agreement_time.",
		len(t.kept), b.content.Len(), nameSome(t.kept, namedLines, b.content.Place)))
}

// warnKeptUnplanned names later choices where no plan has looked for them.
func (b *batch) warnKeptUnplanned(t *tally) {
	if !b.model.CompareAtPlan.ValueBool() {
		b.warnKept(t)
	}
}

// namedLines is how many lines a message names.
const namedLines = 20
