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

// How many requests are kept: Terraform writes and compares each of them in every run.
const (
	defaultMaxRequests = 1_000
	largestMaxRequests = 10_000
)

// unknownOperation is the key that counts requests without a recognised operation.
const unknownOperation = "unknown"

var _ datasource.DataSourceWithConfigure = (*pendingRequestsDataSource)(nil)

// NewPendingRequestsDataSource returns the data source analytics_pending_requests.
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
			"The service does not document the form of its records. Fields that are recognised have attributes of their own, which are null where a field is not recognised; the complete JSON of each record is available as well.\n\n" +
			"The order is by time, then id, then text, whatever the order of the service. A failed request counts as long as the service lists it. " +
			"The counts are always complete: a list that grows beyond `max_requests` is cut, with a warning, and never fails a plan.",
		Attributes: tfkit.AddDataSourceScope(map[string]schema.Attribute{
			"identity_id": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Reads only requests about this person, where it is set. " + tfkit.IdentityDescription,
				Validators:          []validator.String{tfkit.Segment()},
			},
			"operation": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Reads only requests of this operation, where it is set: `profile_update`, `data_access` or `data_deletion`.",
				Validators:          []validator.String{stringvalidator.OneOf(client.RequestTypes...)},
			},
			"max_requests": schema.Int64Attribute{
				Optional: true,
				MarkdownDescription: fmt.Sprintf("How many requests `requests` keeps, from 0 to %d: the oldest ones that match the filters. A longer list is cut and a warning says so, `total` and `counts_by_operation` include all of it. "+
					"With `0` no request is kept and nothing is warned of. Defaults to `%d`.", largestMaxRequests, defaultMaxRequests),
				Validators: []validator.Int64{int64validator.Between(0, largestMaxRequests)},
			},
			"requests": schema.ListNestedAttribute{
				Computed:  true,
				Sensitive: true,
				MarkdownDescription: "The requests that match the filters, the oldest first, at most `max_requests` of them. Where `length(requests)` is less than `total`, the list was cut. " +
					"Sensitive as a whole, because the requests name people and `json` may hold more of their data.",
				NestedObject: schema.NestedAttributeObject{Attributes: recordAttributes()},
			},
			"total": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "How many requests match the filters, whatever `max_requests` is.",
			},
			"counts_by_operation": schema.MapAttribute{
				Computed:    true,
				ElementType: types.Int64Type,
				MarkdownDescription: "How many requests match the filters, by operation, whatever `max_requests` is. The keys `profile_update`, `data_access`, `data_deletion` and `unknown` (an operation that was not recognised) are always there, " +
					"and their values add up to `total`.",
			},
		}),
	}
}

// recordAttributes returns the attributes of one request. None of them is sensitive by
// itself, since the list is: Terraform compares each value with every sensitive path
// below a list, which takes 50 seconds for 4,000 requests.
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
		"json":        text("The complete record as JSON text, for `jsondecode`. It may hold personal data."),
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
		tfkit.AddError(&resp.Diagnostics, err, tfkit.NotInState)
		return
	}
	m.fromAPI(list.Records, &resp.Diagnostics)

	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// fromAPI counts the records that match the filters and keeps the first of them, with
// a warning where that leaves some out.
func (m *pendingRequestsModel) fromAPI(records []client.PendingRecord, diags *diag.Diagnostics) {
	limit := int64(defaultMaxRequests)
	if !m.MaxRequests.IsNull() {
		limit = m.MaxRequests.ValueInt64()
	}

	m.Requests = []pendingRecordModel{}
	m.Counts = map[string]int64{unknownOperation: 0}
	for _, operation := range client.RequestTypes {
		m.Counts[operation] = 0
	}

	total := int64(0)
	for _, r := range records {
		if !m.matches(r) {
			continue
		}

		total++
		m.Counts[operationOf(r)]++
		if total <= limit {
			m.Requests = append(m.Requests, recordFromAPI(r))
		}
	}
	m.Total = types.Int64Value(total)

	if 0 < limit && limit < total {
		warnCut(limit, total, diags)
	}
}

// warnCut says that the list is cut.
func warnCut(limit, total int64, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("max_requests"), "List of pending requests is cut",
		fmt.Sprintf("%d pending requests match, and max_requests keeps %d of them.\n\n", total, limit)+
			fmt.Sprintf("In state now: the oldest %d requests; total and counts_by_operation include all %d.\n", limit, total)+
			fmt.Sprintf("What to do: narrow the list with identity_id or operation, raise max_requests (at most %d), or set max_requests = 0 to read the counts alone.", largestMaxRequests))
}

// matches reports whether a record passes the filters.
func (m *pendingRequestsModel) matches(r client.PendingRecord) bool {
	identity, _ := r.Identity.Get()
	operation, _ := r.RequestType.Get()

	return (m.IdentityID.IsNull() || identity == m.IdentityID.ValueString()) &&
		(m.Operation.IsNull() || operation == m.Operation.ValueString())
}

// operationOf returns the key under which a record is counted.
func operationOf(r client.PendingRecord) string {
	if operation, ok := r.RequestType.Get(); ok {
		return operation
	}
	return unknownOperation
}

// recordFromAPI maps a record; fields that were not recognised are null.
func recordFromAPI(r client.PendingRecord) pendingRecordModel {
	m := pendingRecordModel{
		ID:         textOf(r.ID),
		IdentityID: textOf(r.Identity),
		Operation:  textOf(r.RequestType),
		Status:     textOf(r.Status),
		JSON:       types.StringValue(string(r.JSON)),
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
