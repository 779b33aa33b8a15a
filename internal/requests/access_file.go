package requests

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// accessModel is the resource analytics_data_access_request: a request, and the file
// that it ends in.
type accessModel struct {
	requestModel
	OutputPath types.String `tfsdk:"output_path"`
	SHA256     types.String `tfsdk:"sha256"`
	Bytes      types.Int64  `tfsdk:"bytes"`
	Overwrite  types.Bool   `tfsdk:"overwrite"`
}

func (m *accessModel) keepFile(state accessModel) { m.SHA256, m.Bytes = state.SHA256, state.Bytes }

func (m *accessModel) planFile() { m.SHA256, m.Bytes = types.StringUnknown(), types.Int64Unknown() }

// fromAccepted takes over a request whose data are not written: also one that the
// service has carried out is not fulfilled for Terraform before that.
func (m *accessModel) fromAccepted(s deferred.Submission) {
	m.fromSubmission(s)
	m.Fulfilled, m.FulfilledAt = types.BoolValue(false), types.StringNull()
	if m.SHA256.IsUnknown() { // otherwise they describe the file that is there still
		m.SHA256, m.Bytes = types.StringNull(), types.Int64Null()
	}
}

// fromFile takes over data that are written.
func (m *accessModel) fromFile(written outfile.File) {
	m.SHA256, m.Bytes = types.StringValue(written.SHA256), types.Int64Value(written.Bytes)
	m.fulfil(time.Now())
}

// fetch is a data access request on its way into its file.
type fetch struct {
	*dataAccessRequestResource
	model   *accessModel
	client  *client.Client
	scope   client.Scope
	inState string // what is in state where submitting fails
	diags   *diag.Diagnostics

	reserved *outfile.Reservation // of output_path; nil before it is needed
	written  bool                 // the object has written its file before

	submission deferred.Submission
	unanswered deferred.Submission // of a submission that failed
	report     deferred.Report
}

func (r *dataAccessRequestResource) fetch(m *accessModel, inState string, diags *diag.Diagnostics) (*fetch, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, diags)
	return &fetch{dataAccessRequestResource: r, model: m, client: c, scope: scope, inState: inState, diags: diags}, ok
}

// request returns the request for the data, which are written to w.
func (f *fetch) request(w io.Writer) deferred.Request {
	identity := f.model.IdentityID.ValueString()
	request := deferred.Request{
		Scope: f.scope, Identity: identity, Type: client.RequestDataAccess, Occasion: f.model.occasion(),
		Against: []string{client.RequestDataDeletion},
		Adopts:  true,
		Send: func(ctx context.Context) (client.Receipt, error) {
			return f.client.FetchData(ctx, f.scope, identity, w)
		},
	}
	f.model.Apply(&request)
	return request
}

var errNoData = errors.New("the service has given no data")

// reserve makes output_path this object's own before anything is asked for. What the
// object has written itself may be replaced.
func (f *fetch) reserve() error {
	if f.reserved != nil {
		return nil
	}

	reserved, err := f.Files.Reserve(outfile.Target{
		Path:    f.model.OutputPath.ValueString(),
		Replace: f.written || f.model.Overwrite.ValueBool(),
	})
	f.reserved = reserved
	return err
}

// close lets go of output_path. An accepted request keeps the path for the rest of the
// run: its data are still to come.
func (f *fetch) close() {
	if f.reserved == nil {
		return
	}
	if f.submission.State.IsOpen() || f.submission.State == deferred.Fulfilled {
		f.reserved.Keep()
	}
	f.reserved.Close()
}

// deliver submits the request. Data that the service gives at once are written to the
// file, which then is the first result; otherwise the error is errNoData. Further
// errors are *client.Error, or the file's. The path has to be reserved.
func (f *fetch) deliver(ctx context.Context, prior deferred.Submission) (outfile.File, error) {
	w, err := f.reserved.Writer(0)
	if err != nil {
		return outfile.File{}, err
	}
	defer f.reserved.Discard(0) // does nothing to a file that is in its place

	s, report, err := f.Deferred.Submit(ctx, f.request(w), prior)
	f.report = report
	if err != nil {
		f.unanswered = s
		return outfile.File{}, err
	}
	f.submission, f.unanswered = s, deferred.Submission{}
	if s.State != deferred.Fulfilled {
		return outfile.File{}, errNoData
	}

	files, err := f.reserved.Commit()
	if err != nil {
		return outfile.File{}, err
	}
	return files[0], nil
}

// submit sends the request, after it is known that its data can be written. It
// reports false where there is nothing to wait for.
func (f *fetch) submit(ctx context.Context, prior deferred.Submission) bool {
	if err := f.reserve(); err != nil {
		f.refuseTarget(err)
		return false
	}

	written, err := f.deliver(ctx, prior)
	if client.IsError(err) {
		tfkit.AddError(f.diags, err, f.inState)
		return false
	}
	if err != nil && !errors.Is(err, errNoData) {
		f.refuseFile("The file could not be written", err, "The service has given the data; they are dropped.", "remove the cause and apply again")
		return false
	}

	access.warnSubmitted(f.diags, f.submission, f.report)
	f.model.fromAccepted(f.submission)
	if err == nil {
		f.model.RequestID = types.StringNull()
		f.model.fromFile(written)
	}
	return true
}

// refuseTarget reports what is in the way at output_path before anything is asked for.
func (f *fetch) refuseTarget(err error) {
	const nothing = "Nothing was sent to the service."
	if errors.Is(err, outfile.ErrExists) {
		f.refuseFile("There is a file already", err, "It may hold the data of somebody else, so it is left as it is. "+nothing,
			"choose another output_path, move the file away, or set overwrite = true where it may be replaced")
		return
	}
	if errors.Is(err, outfile.ErrInUse) || errors.Is(err, outfile.ErrBusy) {
		f.refuseFile("Two objects with one file", err, nothing, "give each object an output_path of its own, also in other workspaces and under other provider configurations")
		return
	}
	f.refuseFile("The file cannot be written", err, nothing, "correct output_path, or what is at that path")
}

func (f *fetch) refuseFile(summary string, reason error, happened, do string) {
	f.diags.AddAttributeError(path.Root("output_path"), summary,
		because(reason)+"\n\n"+happened+"\nIn state now: "+f.inState+".\nWhat to do: "+do+".")
}

// await waits until the request is no longer pending.
func (f *fetch) await(ctx context.Context, limit time.Duration) {
	f.submission, f.report = f.Deferred.Await(ctx, f.request(nil), f.submission, limit)
}

// finish fetches the data of a request that is carried out, or says why it is not.
// What stands against fetching is a warning: the request was accepted, and is in
// state.
func (f *fetch) finish(ctx context.Context) {
	if f.submission.State != deferred.Fulfilled {
		warnAwaited(f.diags, access, f.submission, f.report)
		f.model.fromAccepted(f.submission)
		return
	}

	carriedOut := f.submission
	if err := f.reserve(); err != nil {
		f.model.fromAccepted(carriedOut)
		f.diags.AddAttributeWarning(path.Root("output_path"), "The file cannot be written", "The service has carried out the data access request. "+because(err)+" The data were not fetched.\n\n"+
			"In state now: the request, with fulfilled = false.\nWhat to do: remove the cause and apply again; it fetches them. Where a file at output_path may be replaced, set overwrite = true.")
		return
	}
	written, err := f.deliver(ctx, deferred.Submission{})
	if err == nil {
		f.submission = carriedOut
		f.model.fromSubmission(carriedOut)
		f.model.fromFile(written)
		return
	}
	if errors.Is(err, errNoData) {
		f.model.fromAccepted(f.submission)
		f.diags.AddWarning("The service gave no data", "The data access request is no longer pending, and in the place of the data the service has accepted another one, request "+shownID(f.submission.ID)+".\n\n"+
			"In state now: the other request, with fulfilled = false.\nWhat to do: apply again once it is carried out. Where it comes to the same, ask the operator of the service how the data are handed out.")
		return
	}

	f.submission = carriedOut
	f.model.fromAccepted(carriedOut)
	if client.IsError(err) {
		f.diags.AddWarning("The data could not be fetched", "The service has carried out the data access request, and fetching the data failed: "+err.Error()+".\n\n"+
			"In state now: the request, with fulfilled = false.\nWhat to do: remove the cause and apply again; it fetches them.")
		return
	}
	f.diags.AddAttributeWarning(path.Root("output_path"), "The file could not be written", "The service has given the data. "+because(err)+"\n\n"+
		"In state now: the request, with fulfilled = false.\nWhat to do: remove the cause and apply again; it fetches the data again.")
}

// holdsFile compares the file with what was written.
func (m *accessModel) holdsFile(ctx context.Context, diags *diag.Diagnostics) bool {
	got, err := outfile.Read(ctx, m.OutputPath.ValueString())
	switch {
	case err == nil && got.SHA256 == m.SHA256.ValueString():
		return true
	case err == nil:
		warnAltered(diags, "The file at output_path is not what was written to it.")
	case errors.Is(err, fs.ErrNotExist):
		warnLost(diags, "The file at output_path is not there any more.")
	case errors.Is(err, outfile.ErrNotRegular):
		warnAltered(diags, "At output_path there is something that is no regular file.")
	default:
		diags.AddAttributeError(path.Root("output_path"), "The file cannot be read",
			because(err)+"\n\nIn state now: "+tfkit.PriorKept+".\nWhat to do: make the file readable for the user that runs Terraform.")
	}
	return false
}

func warnLost(diags *diag.Diagnostics, what string) {
	diags.AddAttributeWarning(path.Root("output_path"), "The data are requested anew",
		what+" The plan therefore requests the data of the person once more and writes them there.\n\nWhat to do: nothing, or put the file back, or take the object out of the configuration and the state.")
}

func warnAltered(diags *diag.Diagnostics, what string) {
	diags.AddAttributeWarning(path.Root("output_path"), "The data are requested anew",
		what+" The plan therefore requests the data of the person once more. Its apply refuses to replace what is there, and sends nothing, unless it is a regular file and overwrite is set.\n\nWhat to do: move away what is at output_path, or put the file back. Where two objects have this output_path, give each its own.")
}

// because names the reason of an error about the file, without its path.
func because(err error) string { return "The reason: " + err.Error() + "." }

func (m *accessModel) warnKept(diags *diag.Diagnostics) {
	if m.Fulfilled.ValueBool() {
		diags.AddWarning("The file with the data stays",
			"Destroying this object only makes Terraform forget it. The file at output_path holds all data of a person and stays where it is; delete it yourself where it is not needed any more.")
		return
	}
	diags.AddWarning("The data access request cannot be undone",
		"Destroying this object only makes Terraform forget it. The request that it stands for, "+shownID(m.RequestID.ValueString())+", has been accepted: it stays pending at the service, which has no way to call it back.")
}
