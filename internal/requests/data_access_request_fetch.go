// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"io"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// fetch is one Create, Read or Update of a data access request. Create and Update call
// its steps in this order: submit, then await and finish.
type fetch struct {
	attempt
	delivery

	model   *accessModel
	inState string        // what is in state if submit fails
	limit   time.Duration // of await
}

// fetch returns the fetch of a model that is saved in resp.
func (r *dataAccessRequestResource) fetch(m *accessModel, resp tfkit.Response, inState string) (*fetch, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, resp.Diags)
	if !ok {
		return nil, false
	}

	return &fetch{
		attempt: attempt{Response: resp, Run: tfkit.Run{Engine: r.Deferred}},
		delivery: delivery{
			client:   c,
			scope:    scope,
			identity: m.IdentityID.ValueString(),
			files:    &r.Files,
			target:   outfile.Target{Path: m.OutputPath.ValueString(), Replace: m.Overwrite.ValueBool()},
		},
		model:   m,
		inState: inState,
	}, true
}

// request returns the request for the data, which are written to w.
func (f *fetch) request(w io.Writer) deferred.Request {
	request := f.delivery.request(w)
	request.Occasion = f.model.occasion()

	return request
}

// submit submits the request and saves the object, so that an accepted request is never
// forgotten. The file is reserved first: nothing is sent if the data cannot be written.
// It reports false after an error.
func (f *fetch) submit(ctx context.Context, prior deferred.Submission) bool {
	if err := f.reserve(); err != nil {
		f.addReserveError(err)
		return false
	}

	written, err := f.deliver(ctx, prior)
	if err != nil {
		f.addDeliverError(err)
		return false
	}

	access.warnSubmitted(f.Diags, f.identity, f.Submission, f.Report)
	f.model.fromAccepted(f.Submission)
	if f.Submission.State == deferred.Fulfilled { // the service gave the data at once
		f.model.RequestID = types.StringNull()
		f.model.fromFile(written)
	}

	f.Save(ctx, f.model, f.Submission)

	return true
}

// await waits for a pending request, if the configuration says so.
func (f *fetch) await(ctx context.Context) {
	if f.model.Wait.ValueBool() && f.Submission.State.IsOpen() {
		f.Run.Await(ctx, f.request(io.Discard), f.limit)
	}
}

// finish fetches the data if the request is carried out, and saves the object. What
// prevents that is a warning, because the request is accepted and has to stay in state.
// A request that is still pending is a warning only if the configuration waits for it.
func (f *fetch) finish(ctx context.Context) {
	if f.Submission.State == deferred.Fulfilled {
		f.fetchReady(ctx)
	} else {
		f.model.fromAccepted(f.Submission)
		if f.model.waits() {
			access.warnAwaited(f.Diags, f.identity, f.Submission, f.Report)
		}
	}

	f.Save(ctx, f.model, f.Submission)
}

// fetchReady fetches the data of a request that is carried out. The service may answer
// with another request instead; the object stands for that one then.
func (f *fetch) fetchReady(ctx context.Context) {
	carriedOut := f.Submission
	f.model.fromAccepted(carriedOut)
	f.seen = true

	if err := f.reserve(); err != nil {
		f.warnNotReserved(err)
		return
	}

	written, err := f.deliver(ctx, deferred.Submission{})
	if err != nil {
		f.Submission = carriedOut
		f.warnNotDelivered(err)
		return
	}

	if f.Submission.State != deferred.Fulfilled {
		f.model.fromAccepted(f.Submission)
		warnNoData(f.Diags, f.identity, f.Submission)
		return
	}

	f.Submission = carriedOut
	f.model.fromSubmission(carriedOut)
	f.model.fromFile(written)
}

// deliver submits the request and writes the data to the reserved file if the service
// answers with them: f.Submission is fulfilled then, and only then a file is returned.
// Errors are *transport.Error, or those of outfile.
func (f *fetch) deliver(ctx context.Context, prior deferred.Submission) (outfile.File, error) {
	return f.delivery.deliver(func(w io.Writer) (isWritten bool, err error) {
		err = f.Run.Submit(ctx, f.request(w), prior)
		return f.Submission.State == deferred.Fulfilled, err
	})
}

// close releases output_path. An accepted request keeps it for the rest of the run,
// because its data are still to be written.
func (f *fetch) close() {
	if f.reservation != nil && f.Submission.State.IsOpen() {
		f.reservation.Keep()
	}
	f.delivery.close()
}

// rejection returns the error of a request that the service accepted and then failed.
func (f *fetch) rejection() error { return f.request(nil).Rejection(f.Submission, f.Report) }
