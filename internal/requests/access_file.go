package requests

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// accessModel is the resource analytics_data_access_request: a ticket, and the file
// that it ends in.
type accessModel struct {
	ticket
	OutputPath types.String `tfsdk:"output_path"`
	SHA256     types.String `tfsdk:"sha256"`
	Bytes      types.Int64  `tfsdk:"bytes"`
}

func (m *accessModel) keepFile(state accessModel) { m.SHA256, m.Bytes = state.SHA256, state.Bytes }

func (m *accessModel) expectFile() { m.SHA256, m.Bytes = types.StringUnknown(), types.Int64Unknown() }

// request sends the request, after it is known that its data can be written. Data
// that come at once are written at once.
func (m *accessModel) request(ctx context.Context, o *order, inState string, diags *diag.Diagnostics) bool {
	if err := outfile.Check(m.OutputPath.ValueString()); err != nil {
		diags.AddAttributeError(path.Root("output_path"), "The file cannot be written",
			unwritable(err)+"\n\nNothing was sent to the service.\nIn state now: "+inState+".\nWhat to do: correct output_path, or what is at that path.")
		return false
	}
	got, err := o.client.RequestData(ctx, o.scope, m.IdentityID.ValueString())
	if err != nil {
		o.fail(err, inState, diags)
		return false
	}
	access.warnAdopted(diags, got)
	m.accept(tfkit.SentRequest{ID: got.ID, At: got.At})
	m.SHA256, m.Bytes = types.StringNull(), types.Int64Null()
	if got.Data == nil {
		return true
	}
	if err := m.store(o.files, got.Data); err != nil {
		diags.AddAttributeError(path.Root("output_path"), "The file could not be written",
			unwritable(err)+"\n\nThe service has given the data; they are dropped.\nIn state now: "+inState+".\nWhat to do: remove the cause and apply again.")
		return false
	}
	return true
}

// collect fetches the data of a request that is no longer pending. Whatever stands
// against it is a warning: the request was accepted, and is in state.
func (m *accessModel) collect(ctx context.Context, o *order, diags *diag.Diagnostics) note {
	got, err := o.client.CollectData(ctx, o.scope, m.IdentityID.ValueString())
	switch {
	case err != nil:
		diags.AddWarning("The data could not be fetched", "The service has carried out the data access request, and fetching the data failed: "+err.Error()+".\n\n"+
			"In state now: the request, with fulfilled = false.\nWhat to do: remove the cause and apply again; it fetches them.")
		return ready
	case got.Data == nil:
		m.accept(tfkit.SentRequest{ID: got.ID, At: got.At})
		diags.AddWarning("The service gave no data", "The data access request is no longer pending, and in the place of the data the service has accepted another one, request "+named(got.ID)+".\n\n"+
			"In state now: the other request, with fulfilled = false.\nWhat to do: apply again once it is carried out. Where it comes to the same, ask the operator of the service how the data are handed out.")
		return none
	}
	if err := m.store(o.files, got.Data); err != nil {
		diags.AddAttributeWarning(path.Root("output_path"), "The file could not be written", "The service has given the data. "+unwritable(err)+"\n\n"+
			"In state now: the request, with fulfilled = false.\nWhat to do: remove the cause and apply again; it fetches the data again.")
		return ready
	}
	return none
}

// errOtherObject: two objects with one file.
var errOtherObject = errors.New("another object of this run has written that file; each object needs a path of its own")

// store writes the data, and with that the request is fulfilled.
func (m *accessModel) store(files *outfile.Claims, data []byte) error {
	release, free := files.Claim(m.OutputPath.ValueString())
	if !free {
		return errOtherObject
	}
	written, err := outfile.Write(m.OutputPath.ValueString(), func(w *outfile.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		release()
		return err
	}
	m.SHA256, m.Bytes = types.StringValue(written.SHA256), types.Int64Value(written.Bytes)
	m.fulfil(time.Now())
	return nil
}

// holdsFile compares the file with what was written.
func (m *accessModel) holdsFile(ctx context.Context, diags *diag.Diagnostics) bool {
	got, err := outfile.Read(ctx, m.OutputPath.ValueString())
	switch {
	case err == nil && got.SHA256 == m.SHA256.ValueString():
		return true
	case err == nil:
		warnLost(diags, "The file at output_path is not what was written to it.")
	case errors.Is(err, fs.ErrNotExist):
		warnLost(diags, "The file at output_path is not there any more.")
	case errors.Is(err, outfile.ErrNotRegular):
		warnLost(diags, "At output_path there is something that is no regular file.")
	default:
		diags.AddAttributeError(path.Root("output_path"), "The file cannot be read",
			unwritable(err)+"\n\nIn state now: "+tfkit.PriorKept+".\nWhat to do: make the file readable for whoever runs Terraform.")
	}
	return false
}

func warnLost(diags *diag.Diagnostics, what string) {
	diags.AddAttributeWarning(path.Root("output_path"), "The data are requested anew",
		what+" The plan therefore requests the data of the person once more and writes them there.\n\nWhat to do: nothing, or put the file back, or take the object out of the configuration and the state.")
}

// unwritable says what stands against the file, without its path.
func unwritable(err error) string { return "The reason: " + err.Error() + "." }

func (m *accessModel) warnKept(diags *diag.Diagnostics) {
	if m.Fulfilled.ValueBool() {
		diags.AddWarning("The file with the data stays",
			"Destroying this object only makes Terraform forget it. The file at output_path holds all data of a person and stays where it is; delete it yourself where it is not needed any more.")
		return
	}
	diags.AddWarning("The data access request cannot be undone",
		"Destroying this object only makes Terraform forget it. The request that it stands for, "+named(m.RequestID.ValueString())+", has been accepted: it stays pending at the service, which has no way to call it back.")
}
