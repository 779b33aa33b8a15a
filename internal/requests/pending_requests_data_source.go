// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// Values of max_requests. Terraform writes and compares each request in every run.
const (
	defaultMaxRequests = 1_000
	largestMaxRequests = 10_000
)

var _ datasource.DataSource = (*pendingRequestsDataSource)(nil)

// NewPendingRequestsDataSource returns the data source analytics_pending_requests.
func NewPendingRequestsDataSource(s *tfkit.Service) datasource.DataSource {
	return &pendingRequestsDataSource{s}
}

type pendingRequestsDataSource struct{ *tfkit.Service }

type pendingRequestsModel struct {
	tfkit.Scope
	IdentityID  types.String         `tfsdk:"identity_id"`
	Operation   types.String         `tfsdk:"operation"`
	MaxRequests types.Int64          `tfsdk:"max_requests"`
	Requests    []pendingRecordModel `tfsdk:"requests"`
	Total       types.Int64          `tfsdk:"total"`
	Uncertain   types.Int64          `tfsdk:"uncertain"`
	Complete    types.Bool           `tfsdk:"complete"`
	Counts      map[string]int64     `tfsdk:"counts_by_operation"`
}

type pendingRecordModel struct {
	ID         types.String `tfsdk:"id"`
	IdentityID types.String `tfsdk:"identity_id"`
	Operation  types.String `tfsdk:"operation"`
	CreatedAt  types.String `tfsdk:"created_at"`
	Status     types.String `tfsdk:"status"`
	JSON       types.String `tfsdk:"json"`
}

func (d *pendingRequestsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_pending_requests"
}

func (d *pendingRequestsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	// The list is sensitive and its elements are not: Terraform compares each value with every sensitive path below a
	// list, which takes 50 seconds for 4,000 requests.
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the requests that the service has accepted and not carried out yet: profile updates, data access and deletions.",

		Attributes: tfkit.AddScope(tfkit.TextAttribute.DataSource, map[string]schema.Attribute{
			"identity_id": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Limits the list to requests about this person.",
				Validators:          []validator.String{formats.Segment},
			},
			"operation": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Limits the list to requests of this type: `profile_update`, `data_access` or `data_deletion`.",
				Validators:          []validator.String{stringvalidator.OneOf(decode.RequestTypes...)},
			},

			"max_requests": schema.Int64Attribute{
				Optional:            true,
				MarkdownDescription: fmt.Sprintf("Maximum number of requests in `requests`, the oldest first, from 0 to %d. Defaults to `%d`.", largestMaxRequests, defaultMaxRequests),
				Validators:          []validator.Int64{int64validator.Between(0, largestMaxRequests)},
			},

			"requests": schema.ListNestedAttribute{
				Computed:            true,
				Sensitive:           true,
				MarkdownDescription: "Requests that match the filters, the oldest first. Sensitive as a whole.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"id":          text("Identifier of the request. Null if none was recognised."),
					"identity_id": text("Identifier of the person that the request is about. Null if none was recognised."),
					"operation":   text("Type of the request: `profile_update`, `data_access` or `data_deletion`. Null if it was not recognised."),
					"created_at":  text("Time at which the service accepted the request, in RFC 3339 format and UTC. Null if none was recognised."),
					"status":      text("Status of the request, as the service writes it. Null if none was recognised."),
					"json":        text("The complete record as JSON text, for `jsondecode`. It may hold personal data."),
				}},
			},

			"total": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "Number of requests that match the filters, regardless of `max_requests`.",
			},
			"uncertain": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "Number of further requests that may match the filters: they name the person in another spelling or place, or no person or operation at all.",
			},
			"complete": schema.BoolAttribute{
				Computed:            true,
				MarkdownDescription: "Whether the service answered with the whole list, and `uncertain` is 0. If `false`, there may be more requests than `total`.",
			},
			"counts_by_operation": schema.MapAttribute{
				Computed:            true,
				ElementType:         types.Int64Type,
				MarkdownDescription: "Number of requests that match the filters, by operation: `profile_update`, `data_access`, `data_deletion` and `unknown`.",
			},
		}),
	}
}

func (d *pendingRequestsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.RecoverAndReport(ctx, &resp.Diagnostics)

	var m pendingRequestsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	c, scope, ok := d.ClientAndScope(m.Scope, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !ok {
		return
	}

	list, err := c.ListPending(ctx, scope)
	if err != nil {
		tfkit.ProblemOf(err, tfkit.NotInState).AddError(&resp.Diagnostics)
		return
	}

	m.fromAPI(list, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// fromAPI counts the records that match the filters and maps the first of them. It warns if there may be more.
func (m *pendingRequestsModel) fromAPI(list decode.PendingList, diags *diag.Diagnostics) {
	matching, uncertain := m.filter(list.Records)
	gap := list.Gap
	if uncertain > 0 {
		gap = cmp.Or(gap, fmt.Sprintf("%d more do not say in a way that is recognised whether they match", uncertain))
	}
	m.Total, m.Uncertain, m.Complete = types.Int64Value(int64(len(matching))), types.Int64Value(int64(uncertain)), types.BoolValue(gap == "")
	if gap != "" {
		tfkit.Problem{
			Summary: "The list of pending requests is not complete",
			Detail:  "There may be more than total says (complete = false): " + gap + ".",
			Do:      "set wire.pending, or ask the operator of the service for the whole list. Require complete = true where a decision depends on it.",
		}.AddWarning(diags)
	}

	limit := defaultMaxRequests
	if !m.MaxRequests.IsNull() {
		limit = int(m.MaxRequests.ValueInt64())
	}
	m.Requests = []pendingRecordModel{}
	for _, r := range matching[:min(limit, len(matching))] {
		m.Requests = append(m.Requests, pendingRecordModel{
			textOf(r.ID), textOf(r.Identity), textOf(r.RequestType), textOf(client.FormatInstant(r.CreatedAt)), textOf(r.Status), types.StringValue(string(r.JSON)),
		})
	}
	if limit > 0 && limit < len(matching) {
		tfkit.Problem{
			Summary: "List of pending requests is cut",
			Detail:  fmt.Sprintf("%d pending requests match, and max_requests keeps %d of them.", len(matching), limit),
			Do:      "narrow the list with identity_id or operation, raise max_requests, or set max_requests = 0 to read the counts alone.",
		}.AddWarning(diags)
	}
}

// filter returns the records that match the filters, counts them by operation, and returns how many more
// may match: they do not name the person or the operation, or name the person in another spelling or place.
func (m *pendingRequestsModel) filter(records []decode.PendingRecord) (matching []decode.PendingRecord, uncertain int) {
	m.Counts = map[string]int64{decode.RequestProfileUpdate: 0, decode.RequestDataAccess: 0, decode.RequestDataDeletion: 0, "unknown": 0}
	for _, r := range records {
		isPerson, mayBePerson := matches(m.IdentityID, r.Identity)
		isOperation, mayBeOperation := matches(m.Operation, r.RequestType)
		mayBePerson = mayBePerson || slices.Contains(r.PersonKeys(), decode.PersonKey(m.IdentityID.ValueString()))
		if isPerson && isOperation {
			matching = append(matching, r)
			m.Counts[cmp.Or(r.RequestType, "unknown")]++
		} else if mayBePerson && mayBeOperation {
			uncertain++
		}
	}

	return matching, uncertain
}

func textOf(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

// matches reports whether a field matches a filter, which is null for any, and whether it may because it is not known.
func matches(filter types.String, field string) (does, may bool) {
	does = filter.IsNull() || field == filter.ValueString()
	return does, does || field == ""
}
