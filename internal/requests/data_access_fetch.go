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

	client       *client.Client
	reservation  *outfile.Reservation
	adviceUnread string // what to do about data that were not recognised
}

// accessRequest returns the request for a person's data, without what sends it.
func accessRequest(p client.Person, key string) deferred.Request {
	return deferred.Request{Person: p, Type: answer.RequestDataAccess, IdempotencyKey: key}
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
	another := f.Submission
	f.Submission, f.Unanswered = carriedOut, deferred.Submission{}
	if err != nil {
		problem := f.problemOf(err)
		problem.Detail = "The service has carried out the data access request, and its data is not in the file. " + problem.Detail
		problem.Do = "remove the cause and run again."
		return nil, &problem
	}
	if written != nil {
		return written, nil
	}

	if settings := f.client.AllData; f.Unread != settings {
		f.Unread, f.Asked = settings, 0
	}
	f.Asked++

	return nil, &tfkit.Problem{
		Summary: "The service gave no data",
		Detail:  "The data access request is carried out, but the service did not answer with the data: it accepted another request, " + deferred.QuoteID(another.ID, f.Request.Identity) + fmt.Sprintf(". It was asked %d times with the same setting, and is asked %d times at most, since each call may queue one more.", f.Asked, limitAsked),
		Do:      f.adviceUnread,
	}
}

// close releases output_path. An accepted request keeps it for the rest of the run,
// because its data is still to be written.
func (f *fetch) close() {
	if f.Submission.IsOpen() {
		f.reservation.Keep()
	}
	f.reservation.Close()
}

var atOutputPath = path.Root("output_path")

// because returns the sentence that gives the reason of an error about the file. The
// errors of outfile hold no path.
func because(err error) string { return "The reason: " + err.Error() + "." }

// problemOf returns the problem that an error of deliver is.
func (f *fetch) problemOf(err error) tfkit.Problem {
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
	problem := tfkit.Problem{Summary: "The file cannot be written", Do: "correct output_path, or what is at that path.", At: atOutputPath}
	switch {
	case errors.Is(err, outfile.ErrExists):
		problem.Summary = "There is a file already"
		problem.Do = "choose another output_path, move the file away, or set overwrite = true if it may be replaced."
	case errors.Is(err, outfile.ErrInUse), errors.Is(err, outfile.ErrBusy):
		problem.Summary = "Two resources write the same file"
		problem.Do = "give each resource an output_path of its own, also in other workspaces and under other provider configurations."
	}
	problem.Detail = because(err) + " Nothing was sent to the service."

	return problem
}
