package requests

import (
	"context"
	"io"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// fetch is one Create, Read or Update of a data access request. Create and Update call
// its steps in this order: submit, then await and finish.
type fetch struct {
	attempt

	model   *accessModel
	client  *client.Client
	scope   client.Scope
	files   *outfile.PathsInUse
	inState string        // what is in state if submit fails
	limit   time.Duration // of await

	reservation *outfile.Reservation // of output_path; nil until reserve
	hasWritten  bool                 // the object has written its file before
}

// fetch returns the fetch of a model that is saved in resp.
func (r *dataAccessRequestResource) fetch(m *accessModel, resp tfkit.Response, inState string) (*fetch, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, resp.Diags)
	if !ok {
		return nil, false
	}

	return &fetch{
		attempt: attempt{Response: resp, engine: r.Deferred},
		model:   m,
		client:  c,
		scope:   scope,
		files:   &r.Files,
		inState: inState,
	}, true
}

// request returns the request for the data, which are written to w.
func (f *fetch) request(w io.Writer) deferred.Request {
	identity := f.model.IdentityID.ValueString()
	request := deferred.Request{
		Scope:    f.scope,
		Identity: identity,
		Type:     client.RequestDataAccess,
		Occasion: f.model.occasion(),
		Against:  []string{client.RequestDataDeletion},
		Adopts:   true,
		Send: func(ctx context.Context) (client.Receipt, error) {
			return f.client.FetchData(ctx, f.scope, identity, w)
		},
	}

	f.model.Apply(&request)

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

	access.warnSubmitted(f.Diags, f.submission, f.report)
	f.model.fromAccepted(f.submission)
	if f.submission.State == deferred.Fulfilled { // the service gave the data at once
		f.model.RequestID = types.StringNull()
		f.model.fromFile(written)
	}

	f.Save(ctx, f.model, f.submission)

	return true
}

// await waits for a pending request, if the configuration says so.
func (f *fetch) await(ctx context.Context) {
	if f.model.Wait.ValueBool() && f.submission.State.IsOpen() {
		f.attempt.await(ctx, f.request(nil), f.limit)
	}
}

// finish fetches the data if the request is carried out, and saves the object. What
// prevents that is a warning, because the request is accepted and has to stay in state.
// A request that is still pending is a warning only if the configuration waits for it.
func (f *fetch) finish(ctx context.Context) {
	if f.submission.State == deferred.Fulfilled {
		f.fetchReady(ctx)
	} else {
		f.model.fromAccepted(f.submission)
		if f.model.waits() {
			access.warnAwaited(f.Diags, f.submission, f.report)
		}
	}

	f.Save(ctx, f.model, f.submission)
}

// fetchReady fetches the data of a request that is carried out. The service may answer
// with another request instead; the object stands for that one then.
func (f *fetch) fetchReady(ctx context.Context) {
	carriedOut := f.submission
	f.model.fromAccepted(carriedOut)

	if err := f.reserve(); err != nil {
		f.warnNotReserved(err)
		return
	}

	written, err := f.deliver(ctx, deferred.Submission{})
	if err != nil {
		f.submission = carriedOut
		f.warnNotDelivered(err)
		return
	}

	if f.submission.State != deferred.Fulfilled {
		f.model.fromAccepted(f.submission)
		warnNoData(f.Diags, f.submission)
		return
	}

	f.submission = carriedOut
	f.model.fromSubmission(carriedOut)
	f.model.fromFile(written)
}

// deliver submits the request and writes the data to the reserved file if the service
// answers with them: f.submission is fulfilled then, and only then a file is returned.
// Errors are *client.Error, or those of outfile.
func (f *fetch) deliver(ctx context.Context, prior deferred.Submission) (outfile.File, error) {
	w, err := f.reservation.Writer(0)
	if err != nil {
		return outfile.File{}, err
	}
	defer f.reservation.Discard(0) // no effect after Commit

	err = f.attempt.submit(ctx, f.request(w), prior)
	if err != nil || f.submission.State != deferred.Fulfilled {
		return outfile.File{}, err
	}

	files, err := f.reservation.Commit()
	if err != nil {
		return outfile.File{}, err
	}

	return files[0], nil
}

// reserve reserves output_path, unless that is done. A file that the object itself has
// written may be replaced.
func (f *fetch) reserve() error {
	if f.reservation != nil {
		return nil
	}

	reservation, err := f.files.Reserve(outfile.Target{
		Path:    f.model.OutputPath.ValueString(),
		Replace: f.hasWritten || f.model.Overwrite.ValueBool(),
	})
	f.reservation = reservation

	return err
}

// close releases output_path. An accepted request keeps it for the rest of the run,
// because its data are still to be written.
func (f *fetch) close() {
	if f.reservation == nil {
		return
	}

	if f.submission.State.IsOpen() || f.submission.State == deferred.Fulfilled {
		f.reservation.Keep()
	}
	f.reservation.Close()
}

// rejection returns the error of a request that the service accepted and then failed.
func (f *fetch) rejection() error { return f.request(nil).Rejection(f.submission, f.report) }
