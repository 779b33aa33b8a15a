package requests

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// How many requests come into state: each is written and compared by Terraform with
// every run.
const (
	presetMaxRequests = 1_000
	limitMaxRequests  = 10_000
)

// unknownOperation counts the requests whose operation was not recognised.
const unknownOperation = "unknown"

var _ datasource.DataSourceWithConfigure = (*pendingRequestsDataSource)(nil)

// NewPendingRequestsDataSource is the data source analytics_pending_requests.
func NewPendingRequestsDataSource() datasource.DataSource { return &pendingRequestsDataSource{} }

type pendingRequestsDataSource struct{ tfkit.DataSource }

type pendingRequestsModel struct {
	tfkit.Scope
	IdentityID  types.String         `tfsdk:"identity_id"`
	Operation   types.String         `tfsdk:"operation"`
	MaxRequests types.Int64          `tfsdk:"max_requests"`
	Requests    []pendingRecordModel `tfsdk:"requests"`
	Total       types.Int64          `tfsdk:"total"`
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
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the list of requests that the service has accepted and carries out later: profile updates, data access and data deletion. " +
			"The form of its records is not documented by the service. What is recognised is given in attributes of its own, what is not is null there, and each record's complete JSON is given as well.\n\n" +
			"The order is by time, then id, then text, whatever the order of the service. A failed request counts too as long as the service lists it.",
		Attributes: tfkit.AddDataSourceScope(map[string]schema.Attribute{
			"identity_id": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Reads only requests about this person, where it is set. " + tfkit.IdentityDescription,
				Validators:          []validator.String{tfkit.Segment()},
			},
			"operation": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Reads only requests of this operation, where it is set: `profile_update`, `data_access` or `data_deletion`.",
				Validators:          []validator.String{stringvalidator.OneOf(client.Operations...)},
			},
			"max_requests": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: fmt.Sprintf("How many requests may come into state, from 0 to %d. More of them are an error that points to the filters, so that a long list does not swell the state. "+
					"With `0` only the counts are read, of a list of any length. Defaults to `%d`.", limitMaxRequests, presetMaxRequests),
				Validators: []validator.Int64{int64validator.Between(0, limitMaxRequests)},
			},
			"requests": schema.ListNestedAttribute{
				Computed:            true,
				Sensitive:           true,
				MarkdownDescription: "The requests that match the filters, the oldest first. Sensitive, because they name people. Empty where `max_requests` is `0`.",
				NestedObject:        schema.NestedAttributeObject{Attributes: recordAttributes()},
			},
			"total": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "How many requests match the filters, also where `max_requests` is `0`.",
			},
			"counts_by_operation": schema.MapAttribute{
				Computed:    true,
				ElementType: types.Int64Type,
				MarkdownDescription: "How many requests match the filters, by operation. The keys `profile_update`, `data_access`, `data_deletion` and `unknown` (an operation that was not recognised) are always there, " +
					"and their values add up to `total`.",
			},
		}),
	}
}

func recordAttributes() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"id":          text("Identifier of the request. Null where none was recognised."),
		"identity_id": text("Identifier of the person whom the request is about. Null where none was recognised."),
		"operation":   text("What is requested: `profile_update`, `data_access` or `data_deletion`. Null where it was not recognised."),
		"created_at":  text("Time at which the service accepted the request, in RFC 3339, UTC. Null where none was recognised."),
		"status":      text("Status of the request, as the service writes it. Null where none was recognised."),
		"json": schema.StringAttribute{
			Computed:            true,
			Sensitive:           true,
			MarkdownDescription: "The complete record as JSON text, for `jsondecode`. Sensitive, because it may hold personal data.",
		},
	}
}

func (d *pendingRequestsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.Finish(ctx, &resp.Diagnostics)
	var m pendingRequestsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	c, scope, ok := d.Reach(m.Scope, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !ok {
		return
	}
	records, err := c.ListPending(ctx, scope)
	if err != nil {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.NotInState)
		return
	}
	m.fill(records, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// fill counts what matches and takes it over, or says that it is too much.
func (m *pendingRequestsModel) fill(records []client.PendingRecord, diags *diag.Diagnostics) {
	limit := int64(presetMaxRequests)
	if !m.MaxRequests.IsNull() {
		limit = m.MaxRequests.ValueInt64()
	}
	m.Requests = []pendingRecordModel{}
	m.Counts = map[string]int64{unknownOperation: 0}
	for _, operation := range client.Operations {
		m.Counts[operation] = 0
	}
	count := int64(0)
	for _, r := range records {
		if !m.matches(r) {
			continue
		}
		count++
		m.Counts[operationOf(r)]++
		if count <= limit {
			m.Requests = append(m.Requests, recordOf(r))
		}
	}
	m.Total = types.Int64Value(count)
	if limit > 0 && count > limit {
		diags.AddAttributeError(path.Root("max_requests"), "Too many pending requests",
			fmt.Sprintf("%d pending requests match, and max_requests allows %d in state.\n\n", count, limit)+
				"In state now: "+tfkit.NotInState+".\n"+
				fmt.Sprintf("What to do: narrow the list with identity_id or operation, set max_requests = 0 to read the counts alone, or raise it (at most %d).", limitMaxRequests))
	}
}

func (m *pendingRequestsModel) matches(r client.PendingRecord) bool {
	identity, _ := r.Identity.Get()
	operation, _ := r.Operation.Get()
	return (m.IdentityID.IsNull() || identity == m.IdentityID.ValueString()) &&
		(m.Operation.IsNull() || operation == m.Operation.ValueString())
}

func operationOf(r client.PendingRecord) string {
	if operation, ok := r.Operation.Get(); ok {
		return operation
	}
	return unknownOperation
}

func recordOf(r client.PendingRecord) pendingRecordModel {
	m := pendingRecordModel{
		ID: textOf(r.ID), IdentityID: textOf(r.Identity), Operation: textOf(r.Operation), Status: textOf(r.Status),
		JSON: types.StringValue(string(r.JSON)),
	}
	if at, ok := r.CreatedAt.Get(); ok {
		m.CreatedAt = instant(at)
	}
	return m
}

func textOf(o client.Optional[string]) types.String {
	if s, ok := o.Get(); ok {
		return types.StringValue(s)
	}
	return types.StringNull()
}
