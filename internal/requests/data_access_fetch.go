// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// fetch is the run of a data access request, and the file that its data go to.
type fetch struct {
	tfkit.Run

	client      *client.Client
	files       *outfile.PathsInUse
	target      outfile.Target
	reservation *outfile.Reservation // of the target; nil before the first deliver
	// seen reports that the request was in the pending list and has left it, so that the
	// service's next answer may be the data.
	seen bool
}

// about makes the run one of a data access request of a person.
func (f *fetch) about(c *client.Client, scope client.Scope, identity, occasion string) {
	f.client = c
	f.Request = deferred.Request{
		Scope:    scope,
		Identity: identity,
		Type:     answer.RequestDataAccess,
		Occasion: occasion,
		Against:  []string{answer.RequestDataDeletion},
		Adopts:   true,
	}
}

// deliver submits the request, and puts the file in place if the service answers with the
// data. Otherwise no file is returned, and there is none. The file is reserved first: nothing
// is sent if the data cannot be written. Errors are *reserveError, *transport.Error, or those
// of outfile.
func (f *fetch) deliver(ctx context.Context) (*outfile.File, error) {
	if f.reservation == nil {
		reservation, err := f.files.Reserve(f.target)
		if err != nil {
			return nil, &reserveError{err}
		}
		f.reservation = reservation
	}

	w, err := f.reservation.Writer(0)
	if err != nil {
		return nil, err
	}
	defer f.reservation.Discard(0) // no effect after Commit

	f.Request.Send = func(ctx context.Context) (answer.Receipt, error) {
		return f.client.FetchData(ctx, f.Request.Scope, answer.DataCall{Person: f.Request.Identity, Seen: f.seen}, w)
	}
	if err := f.Submit(ctx); err != nil || !f.Report.Delivered {
		return nil, err
	}

	files, err := f.reservation.Commit()
	if err != nil {
		return nil, err
	}
	f.reservation.Keep()

	return &files[0], nil
}

// fetchReady fetches the data of a request that is carried out. The service may answer with
// another request instead; the run stands for that one then.
func (f *fetch) fetchReady(ctx context.Context) (*outfile.File, *tfkit.Problem) {
	carriedOut := f.Submission
	f.seen, f.Unanswered = true, deferred.Submission{}

	written, err := f.deliver(ctx)
	if err != nil {
		f.Submission, f.Unanswered = carriedOut, deferred.Submission{}
		problem := f.problemOf(err)
		problem.Detail = "The service has carried out the data access request, and its data is not in the file. " + problem.Detail
		if transport.IsError(err) {
			problem.Do = "remove the cause and run again."
		}

		return nil, &problem
	}

	if written == nil {
		return nil, &tfkit.Problem{
			Summary: "The service gave no data",
			Detail:  "The data access request is no longer pending, but the service did not answer with the data: it accepted another request, " + tfkit.QuoteID(f.Submission.ID, f.Request.Identity) + ".",
			Do:      "run again once that request is carried out. If the result is the same and the answer was the data, name a member that the data has at its top in wire.all_data_member.",
		}
	}

	f.Submission = carriedOut

	return written, nil
}

// close releases output_path. An accepted request keeps it for the rest of the run,
// because its data is still to be written.
func (f *fetch) close() {
	if f.reservation == nil {
		return
	}
	if f.Submission.State.IsOpen() {
		f.reservation.Keep()
	}
	f.reservation.Close()
}

// reserveError is the error of outfile for a path that cannot be written to.
type reserveError struct{ error }

func (e *reserveError) Unwrap() error { return e.error }

var atOutputPath = path.Root("output_path")

// because returns the sentence that gives the reason of an error about the file. The
// errors of outfile hold no path.
func because(err error) string { return "The reason: " + err.Error() + "." }

// problemOf returns the problem that an error of deliver is.
func (f *fetch) problemOf(err error) tfkit.Problem {
	if reserve, ok := errors.AsType[*reserveError](err); ok {
		return reserveProblem(reserve.error)
	}
	if transport.IsError(err) {
		return f.ProblemOf(err)
	}

	return tfkit.Problem{
		Summary: "The file could not be written",
		Detail:  because(err) + " The service has sent the data, and they were discarded.",
		Do:      "remove the cause and run again.",
		At:      atOutputPath,
	}
}

// reserveProblem returns the problem that output_path cannot be written to, before
// anything is sent.
func reserveProblem(err error) tfkit.Problem {
	problem := tfkit.Problem{
		Summary: "The file cannot be written",
		Detail:  because(err) + " Nothing was sent to the service.",
		Do:      "correct output_path, or what is at that path.",
		At:      atOutputPath,
	}

	if errors.Is(err, outfile.ErrExists) {
		problem.Summary = "There is a file already"
		problem.Detail = because(err) + " It may hold the data of somebody else, so it is left as it is. Nothing was sent to the service."
		problem.Do = "choose another output_path, move the file away, or set overwrite = true if it may be replaced."
	}
	if errors.Is(err, outfile.ErrInUse) || errors.Is(err, outfile.ErrBusy) {
		problem.Summary = "Two resources write the same file"
		problem.Do = "give each resource an output_path of its own, also in other workspaces and under other provider configurations."
	}

	return problem
}
