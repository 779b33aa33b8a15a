package tfkit

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
)

// Response is the part of the responses to Create, Read and Update that holds an object
// which stands for a deferred request.
type Response struct {
	State   *tfsdk.State
	Private PrivateWriter
	Diags   *diag.Diagnostics
}

// ResponseToCreate returns the part of a response to Create that holds the object.
func ResponseToCreate(resp *resource.CreateResponse) Response {
	return Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics}
}

// ResponseToRead returns the part of a response to Read that holds the object.
func ResponseToRead(resp *resource.ReadResponse) Response {
	return Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics}
}

// ResponseToUpdate returns the part of a response to Update that holds the object.
func ResponseToUpdate(resp *resource.UpdateResponse) Response {
	return Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics}
}

// Save writes a model into state, and the submission that it stands for into private state
// under KeySubmission.
func (r Response) Save(ctx context.Context, model any, s deferred.Submission) {
	r.Diags.Append(r.State.Set(ctx, model)...)
	r.Diags.Append(WriteSubmission(ctx, r.Private, KeySubmission, s)...)
}
