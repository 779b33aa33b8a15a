// SPDX-License-Identifier: MPL-2.0

// Package requests implements the Terraform objects for what the service accepts now
// and carries out later: the resources analytics_data_deletion and
// analytics_data_access_request, an action for each, and analytics_pending_requests.
//
// The third type of request belongs to package profile.
package requests

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// requestModel is the part of a model that describes the request.
type requestModel struct {
	tfkit.Identity
	run.Waiting
	Triggers types.Map `tfsdk:"triggers"`
	outcome
}

type outcome struct {
	RequestID   types.String `tfsdk:"request_id"`
	RequestedAt types.String `tfsdk:"requested_at"`
	Fulfilled   types.Bool   `tfsdk:"fulfilled"`
	FulfilledAt types.String `tfsdk:"fulfilled_at"`
}

// outcomeOf returns the outcome of a submission. fulfilledAt is zero if it is not fulfilled.
func outcomeOf(s proof.Submission, fulfilledAt time.Time) outcome {
	o := outcome{Fulfilled: types.BoolValue(!fulfilledAt.IsZero())}
	for to, text := range map[*types.String]string{&o.RequestID: s.ShownID(), &o.RequestedAt: client.FormatInstant(s.At), &o.FulfilledAt: client.FormatInstant(fulfilledAt)} {
		if text != "" { // else it is null
			*to = types.StringValue(text)
		}
	}

	return o
}

// occasion returns the triggers as text, which distinguishes requests about one person, and whether all
// of them are known, as they are not always in a plan. No triggers and null are the same.
func (m *requestModel) occasion(ctx context.Context) (key string, known bool) {
	var triggers map[string]*string
	known = !m.Triggers.ElementsAs(ctx, &triggers, false).HasError()
	text, _ := json.Marshal(triggers, json.Deterministic(true)) // cannot fail for texts
	return string(text), known
}

// recall lets an object without private state, as in a state that was written by hand, stand for an accepted request.
func (m *requestModel) recall(s *proof.Submission) {
	if s.State == proof.Unsent {
		at, _ := time.Parse(time.RFC3339, m.RequestedAt.ValueString())
		sent := cmp.Or(at, time.Now()) // what was over before is not the request
		*s = proof.Submission{State: proof.Accepted, ID: m.RequestID.ValueString(), At: at, Begun: sent, Sent: sent, Explained: true}
	}
}

// next is what an apply does about a request.
type next int

const (
	keeps   next = iota // nothing
	waits               // goes on with the accepted request, or fetches its data
	submits             // submits another one
)

func (m *requestModel) next(ctx context.Context, state *requestModel, is run.Document) next {
	s := is.Submission
	before, _ := state.occasion(ctx)
	now, known := m.occasion(ctx)

	switch {
	case !known, now != before, s.IsToSend():
		return submits
	case s.State == proof.Fulfilled && !state.Fulfilled.ValueBool() && is.Asked < limitAsked: // its data are still to be fetched
		return waits
	case m.Resumes(state.Waiting, s):
		return waits
	}

	return keeps
}

// plan returns what an apply of m does, and plans its outcome. It warns of what the service may have already.
func (m *requestModel) plan(ctx context.Context, state *requestModel, is run.Document, diags *diag.Diagnostics) next {
	does := m.next(ctx, state, is)
	m.outcome = state.outcome
	if does != keeps {
		m.outcome = outcome{types.StringUnknown(), types.StringUnknown(), types.BoolUnknown(), types.StringUnknown()}
	}
	if does == submits && is.Unanswered.State == proof.Unanswered {
		tfkit.Problem{
			Summary: "The service may have this request already",
			Detail:  "An earlier apply sent a request for this resource and did not learn whether the service accepted it.",
			Do:      "look at analytics_pending_requests before you apply. The apply looks for the request first, and sends it only if nothing shows it.",
		}.AddWarning(diags)
	}

	return does
}

func (m *requestModel) warnForgotten(name, ending string, diags *diag.Diagnostics) {
	id := client.ShownID(m.RequestID.ValueString(), m.IdentityID.ValueString())
	tfkit.Problem{
		Summary: "The " + name + " cannot be undone",
		Detail:  "Destroying this resource only removes it from state. The " + name + " (request " + id + ") was sent, and the service offers no way to cancel it." + ending,
	}.AddWarning(diags)
}

// requestSchema returns the schema of a resource for requests of that name, with a text and other attributes.
func requestSchema(text, name string, others map[string]schema.Attribute) schema.Schema {
	attributes := map[string]schema.Attribute{
		"triggers": schema.MapAttribute{
			Optional:            true,
			ElementType:         types.StringType,
			MarkdownDescription: "Arbitrary values, such as a date. Changing them submits another " + name + ", in place.",
		},
		"wait_for_fulfilment": schema.BoolAttribute{
			Optional:            true,
			Computed:            true,
			Default:             booldefault.StaticBool(true),
			MarkdownDescription: "Whether to wait until the " + name + " is carried out. Defaults to `true`.",
		},

		"request_id": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Identifier that the service assigned to the " + name + ". Null if it assigned none.",
		},
		"requested_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Time at which the service accepted the " + name + ", in RFC 3339 format and UTC.",
		},

		"fulfilled": schema.BoolAttribute{
			Computed:            true,
			MarkdownDescription: "Whether the " + name + " is known to be carried out. Every refresh checks it until then.",
		},
		"fulfilled_at": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Time at which the provider saw the " + name + " carried out, in RFC 3339 format and UTC. Null until then.",
		},
	}
	maps.Copy(attributes, others)

	return schema.Schema{
		MarkdownDescription: text,
		Blocks:              map[string]schema.Block{"timeouts": tfkit.TimeoutsBlock()},
		Attributes:          tfkit.AddPerson(tfkit.TextAttribute.Resource, attributes),
	}
}

// adviceTriggers applies to a request that came to nothing, and adviceAtOnce to one whose answer may have been the data.
const (
	adviceTriggers = "ask the operator of the service about the request. To send another one, change triggers."
	adviceAtOnce   = " If an answer was the data, point wire.all_data.at to them first."
)

// fetch is the run of a data access request, and the file that its data go to.
type fetch struct {
	run.Run

	client *client.Client
	output *outfile.Output
}

// deliver submits the request, and puts the file in place if the service answers with the data. Otherwise it returns no
// file. Errors are *transport.Error, or those of outfile.
func (f *fetch) deliver(ctx context.Context) (*outfile.File, error) {
	if err := f.output.Begin(); err != nil {
		return nil, err
	}

	call := decode.DataCall{Seen: f.Request.Ready}
	f.Request.Send = func(ctx context.Context) (decode.Receipt, error) {
		return f.client.FetchData(ctx, f.Request.Person, call, f.output)
	}
	if err := f.Submit(ctx); err != nil || !f.Observed.Delivered {
		return nil, err
	}

	files, err := outfile.Commit(f.output)
	if err != nil {
		return nil, err
	}

	return &files[0], nil
}

// limitAsked is how often data are asked for with one setting, as each call may queue another request.
const limitAsked = 5

// fetchReady fetches the data of a request that is carried out, and returns no file for any other. If the service queues
// another request in place of an answer with the data, the run still stands for the one that is carried out.
func (f *fetch) fetchReady(ctx context.Context) (*outfile.File, *tfkit.Problem) {
	carriedOut := f.Submission
	if carriedOut.State != proof.Fulfilled {
		return nil, nil
	}

	f.Request.Ready, f.Unanswered = true, proof.Submission{}

	written, err := f.deliver(ctx)
	f.Submission, f.Unanswered = carriedOut, proof.Submission{}
	switch {
	case err != nil:
		p := problemOf(err, "")
		p.Detail, p.InState, p.Do = "Carried out, and its data is not in the file.\n"+p.Detail, f.InState, "remove the cause and run again."
		return nil, &p
	case written == nil:
		if !f.Observed.Adopted { // else nothing was sent
			f.Asked++
		}
		return nil, f.problemOfData()
	}

	return written, nil
}

func (f *fetch) problemOfData() *tfkit.Problem {
	return &tfkit.Problem{
		Summary: "The service gave no data",
		Detail:  fmt.Sprintf("The request is carried out, and the service queues another one in place of the data. It was asked %d times, of %d at most with one setting.", f.Asked, limitAsked),
		InState: f.InState,
		Do:      "if an answer was the data, point wire.all_data.at to them. Otherwise, " + f.Over,
	}
}

// close releases output_path. An accepted request keeps it for the rest of the run,
// because its data is still to be written.
func (f *fetch) close() {
	if f.Submission.IsOpen() {
		f.output.Keep()
	}
	f.output.Close()
}

// problemOf returns the problem of an error of the service, or of the file with a last sentence. Those of outfile hold no path.
func problemOf(err error, ending string) tfkit.Problem {
	if transport.IsError(err) {
		return tfkit.ProblemOf(err, "")
	}

	return tfkit.Problem{
		Summary: "The file cannot be written",
		Detail:  "The reason: " + err.Error() + "." + ending,
		Do:      "correct output_path, or what is at that path, and run again. A file that may be replaced needs overwrite = true, and each resource an output_path of its own, also in other workspaces.",
		At:      path.Root("output_path"),
	}
}
