package consentbatch

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// batch is one plan, apply or destroy of a batchResource.
type batch struct {
	resource *batchResource
	model    model
	inState  string // what an error says is in state
	diags    *diag.Diagnostics

	content input
	client  *client.Client
	scope   client.Scope
	object  tfkit.Object // this batch among the objects of the run
	report  *report      // nil where there is none to write
}

// reach sets the client and the scope, or reports what is missing.
func (b *batch) reach() (ok bool) {
	b.client, b.scope, ok = b.resource.ClientAndScope(b.model.Scope, b.diags)
	if ok {
		b.identify()
	}
	return ok
}

// open reads the content for an apply. It refuses another content than the planned one.
func (b *batch) open(config model) (ok bool) {
	if b.content, ok = config.read(b.inState, b.diags); !ok {
		return false
	}
	if !b.reach() {
		return false
	}

	same, ok := b.isPlanned()
	if !ok {
		return false
	}
	if !same {
		b.diags.AddError("The rows are not those that were planned",
			"The content has changed since the plan, so what was reviewed is not what would be written. Nothing was sent.\n\n"+
				"In state now: "+b.inState+".\nWhat to do: plan again, and apply that plan.")
		return false
	}
	return b.openReport()
}

// isPlanned reports whether the content is the planned one, as far as the plan says.
func (b *batch) isPlanned() (same, ok bool) {
	planned := b.model.results
	if !planned.Rows.IsUnknown() && planned.Rows.ValueInt64() != int64(b.content.Len()) {
		return false, true
	}
	if planned.Digest.IsUnknown() {
		return true, true
	}
	return b.hasDigest(planned.Digest.ValueString())
}

// reopen reads the file that was applied, for a withdrawal by it. It refuses another file.
func (b *batch) reopen() (ok bool) {
	if b.content, ok = b.model.read(b.inState, b.diags); !ok {
		return false
	}

	same, ok := b.hasDigest(b.model.Digest.ValueString())
	if !ok {
		return false
	}
	if !same {
		b.diags.AddAttributeError(path.Root("source"), "The file is not the one that was applied",
			"The file has changed since it was applied, so withdrawing by it could take back the consent of the wrong people. Nothing was sent.\n\n"+
				"In state now: "+b.inState+".\n"+
				"What to do: put the file back that was applied, or apply the present one first. To withdraw nothing, apply on_destroy = \"retain\" and destroy then.")
		return false
	}

	b.openReportIfPossible()
	return b.reach()
}

// hasDigest reports whether a digest is that of the content.
func (b *batch) hasDigest(digest string) (same, ok bool) {
	own, ok := b.digestLike(digest)
	return sameDigest(digest, own), ok
}

// digestLike returns the digest of the content with the salt of another digest, or with a
// new salt where that has none. It is slow on purpose.
func (b *batch) digestLike(other string) (digest string, ok bool) {
	return b.checkDigest(digestLike(other, b.content.sum))
}

func (b *batch) checkDigest(digest string, err error) (string, bool) {
	if err != nil {
		b.diags.AddError("Internal error", "The digest of the content cannot be computed, so that changes of it could not be noticed. Please report this to the maintainers of the provider.\n\nIn state now: "+b.inState+".")
	}
	return digest, err == nil
}

// run calls do for every row, for as many at once as the client sends requests.
func (b *batch) run(ctx context.Context, do func(ctx context.Context, row int) (client.ConsentOutcome, error)) *tally {
	r := runner{
		rows: b.content.Len(), workers: b.client.Concurrency(), interval: progressInterval, do: do,
		ask: func(ctx context.Context, row int) error {
			_, err := b.client.GetConsent(ctx, b.scope, b.content.At(row).Identity)
			return err
		},
	}

	t := r.run(ctx)
	b.diags.Append(t.diags...)
	return t
}

// compare asks the service about every row.
func (b *batch) compare(ctx context.Context) *tally {
	return b.run(ctx, func(ctx context.Context, i int) (client.ConsentOutcome, error) {
		row := b.content.At(i)
		return b.client.CompareConsent(ctx, b.scope, row.Identity, b.model.update(row))
	})
}

// write brings every row that differs to the service.
func (b *batch) write(ctx context.Context) *tally {
	var shared overlap
	t := b.run(ctx, func(ctx context.Context, i int) (client.ConsentOutcome, error) {
		row := b.content.At(i)
		if other, also := b.resource.Written.Write(b.object, b.scope, row.Identity); also {
			shared.add(other, i)
		}

		u := b.model.update(row)
		if b.resource.Written.Withdrawn(b.scope, row.Identity) {
			u.LastWritten = &[client.Clauses]bool{} // what this run has withdrawn is no choice
		}
		result, err := b.client.UpdateConsent(ctx, b.scope, row.Identity, u)
		return result.Outcome, err
	})

	shared.warnShared(b.diags, b.content.Rows)
	return t
}

// withdraw takes the consent of every row back, except where another object of this run
// writes it.
func (b *batch) withdraw(ctx context.Context) *tally {
	var superseded overlap
	t := b.run(ctx, func(ctx context.Context, i int) (client.ConsentOutcome, error) {
		row := b.content.At(i)
		var other tfkit.Object
		u := b.model.withdrawal(row)
		u.Superseded = func() (yes bool) {
			other, yes = b.resource.Written.Withdraw(b.object, b.scope, row.Identity)
			return yes
		}

		result, err := b.client.UpdateConsent(ctx, b.scope, row.Identity, u)
		if client.IsClass(err, client.ClassNotFound) { // there is nothing to withdraw
			return client.ConsentUnchanged, nil
		}
		if errors.Is(err, client.ErrUntimed) { // may be a later choice
			return client.ConsentKept, nil
		}
		if err == nil && result.Outcome == client.ConsentSuperseded {
			superseded.add(other, i)
		}
		return result.Outcome, err
	})

	superseded.warnSuperseded(b.diags, b.content.Rows)
	return t
}

// save puts the results of an apply into the model. prior is the digest in state.
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
