// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// fetch is the run of a data access request, and the file that its data go to.
type fetch struct {
	run.Run

	client      *client.Client
	reservation *outfile.Reservation
}

// deliver submits the request, and puts the file in place if the service answers with the
// data. Otherwise no file is returned, and there is none. Errors are *transport.Error, or those
// of outfile.
func (f *fetch) deliver(ctx context.Context) (*outfile.File, error) {
	w, err := f.reservation.Writer(0)
	if err != nil {
		return nil, err
	}

	call := answer.DataCall{Seen: f.Request.Ready}
	if f.Request.Ready {
		call.Since = f.Submission.SentDate
	}
	f.Request.Send = func(ctx context.Context) (answer.Receipt, error) {
		return f.client.FetchData(ctx, f.Request.Person, call, w)
	}
	if err := f.Submit(ctx); err != nil || !f.Observed.Delivered {
		return nil, err
	}

	files, err := f.reservation.Commit()
	if err != nil {
		return nil, err
	}

	return &files[0], nil
}

// await waits for the request, and fetches its data if it is carried out. The problem is that of Await, or of
// the data.
func (f *fetch) await(ctx context.Context) (*outfile.File, *tfkit.Problem) {
	if problem := f.Await(ctx); f.Submission.State != deferred.Fulfilled {
		return nil, problem
	}
	return f.fetchReady(ctx)
}

// fetchReady fetches the data of a request that is carried out. The service may answer with
// another request instead; the run stands for the one that is carried out all the same.
func (f *fetch) fetchReady(ctx context.Context) (*outfile.File, *tfkit.Problem) {
	carriedOut := f.Submission
	f.Request.Ready, f.Unanswered = true, deferred.Submission{}

	written, err := f.deliver(ctx)
	f.Submission, f.Unanswered = carriedOut, deferred.Submission{}
	if err != nil {
		problem := f.problemOf(err)
		problem.Detail = "The service has carried out the data access request, and its data is not in the file. " + problem.Detail
		problem.Do = "remove the cause and run again."
		return nil, &problem
	}
	if written == nil {
		f.Asked++
		return nil, f.noData()
	}

	return written, nil
}

// limitAsked is how often the data of a request are asked for, if the service queues another request each time.
const limitAsked = 5

// noData returns the problem of a request that is carried out, if the service queued others in place of its data.
func (f *fetch) noData() *tfkit.Problem {
	return &tfkit.Problem{
		Summary: "The service gave no data",
		Detail:  fmt.Sprintf("The data access request is carried out, and the service was asked %d times for its data. Each time it accepted another request instead, so it is asked %d times at most.", f.Asked, limitAsked),
		InState: f.InState,
		Do:      f.Advice.Over + adviceAtOnce,
	}
}

// adviceAtOnce applies to a request whose answer may have been the data.
const adviceAtOnce = " If an answer was the data, set wire.all_data.at to a pointer to the data, and request them again."

// close releases output_path. An accepted request keeps it for the rest of the run,
// because its data is still to be written.
func (f *fetch) close() {
	if f.Submission.IsOpen() {
		f.reservation.Keep()
	}
	f.reservation.Close()
}

var atOutputPath = path.Root("output_path")

// problemOf returns the problem that an error of deliver is.
func (f *fetch) problemOf(err error) tfkit.Problem {
	if transport.IsError(err) {
		return f.ProblemOf(err)
	}
	return fileProblem(err, "The service has sent the data, and they were discarded.")
}

// nothingSent is what a file that cannot be written means before a request is sent.
const nothingSent = "Nothing was sent to the service."

// fileProblem returns the problem that the file cannot be written, and so what that means. The errors of
// outfile hold no path.
func fileProblem(err error, so string) tfkit.Problem {
	problem := tfkit.Problem{
		Summary: "The file cannot be written",
		Detail:  "The reason: " + err.Error() + ". " + so,
		Do:      "correct output_path, or what is at that path, and run again.",
		At:      atOutputPath,
	}
	switch {
	case errors.Is(err, outfile.ErrExists):
		problem.Do = "choose another output_path, move the file away, or set overwrite = true if it may be replaced."
	case errors.Is(err, outfile.ErrInUse), errors.Is(err, outfile.ErrBusy):
		problem.Do = "give each resource an output_path of its own, also in other workspaces and under other provider configurations."
	}

	return problem
}
