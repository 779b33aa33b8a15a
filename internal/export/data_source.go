package export

import (
	"context"
	"errors"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ datasource.DataSourceWithConfigure = (*exportDataSource)(nil)

// What may be read into plan and state, in bytes of JSON text: Terraform needs many
// times the size of a value, and its plugin protocol fails at 256 MiB.
const (
	presetMaxBytes = 1 << 20
	limitMaxBytes  = 32 << 20
)

// NewDataSource is the data source analytics_export.
func NewDataSource() datasource.DataSource { return &exportDataSource{} }

type exportDataSource struct{ tfkit.DataSource }

type dataSourceModel struct {
	tfkit.Scope

	UTCDate  types.String `tfsdk:"utc_date"`
	Kinds    types.Set    `tfsdk:"kinds"`
	MaxBytes types.Int64  `tfsdk:"max_bytes"`
	Persons  types.String `tfsdk:"persons"`
	Sessions types.String `tfsdk:"sessions"`
	Events   types.String `tfsdk:"events"`
	Unknown  types.String `tfsdk:"unknown"`
	Counts   types.Object `tfsdk:"counts"`
	Complete types.Bool   `tfsdk:"complete"`
	Replaced types.Int64  `tfsdk:"invalid_utf8_records"`
}

func (d *exportDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_export"
}

func (d *exportDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(kind string) schema.Attribute {
		return schema.StringAttribute{
			Computed:            true,
			Sensitive:           true,
			MarkdownDescription: kind + " as the text of a JSON array, for `jsondecode`, each record as the service gave it. Null where the kind was not asked for. Sensitive, because it holds personal data.",
		}
	}
	counts := map[string]schema.Attribute{}
	for name, description := range countDescriptions {
		counts[name] = schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The records of one UTC day, for small days: in plans, `check` blocks and modules. What is read is in plan and state, so a day larger than `max_bytes` is refused; `analytics_export_file` writes a day of any size to a file, and none of it into state.\n\n" +
			"The service documents neither the shape of an export nor how a kind is selected. An array, lines and objects of arrays are understood; the provider block's `wire.export_kind_parameter` has one request sent for each kind. In the older account path family there is no export.",
		Attributes: tfkit.AddDataSourceScope(map[string]schema.Attribute{
			"utc_date": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{dayValidator{}},
				MarkdownDescription: dayDescription + " For the current day, which is not complete, there is a warning.",
			},
			"kinds": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: kindsValidators(),
				MarkdownDescription: kindsDescription,
			},
			"max_bytes": schema.Int64Attribute{
				Optional:            true,
				Validators:          []validator.Int64{maxBytesValidator{}, int64validator.AtLeast(1)},
				MarkdownDescription: "Largest size of all records together, in bytes of JSON text; a larger day is an error. From 1 to " + strconv.Itoa(limitMaxBytes) + " (32 MiB); defaults to " + strconv.Itoa(presetMaxBytes) + " (1 MiB).",
			},
			"persons":  text("Person records"),
			"sessions": text("Session records"),
			"events":   text("Event records"),
			"unknown":  text("Records whose kind the answer does not tell"),
			"counts":   schema.SingleNestedAttribute{Computed: true, Attributes: counts, MarkdownDescription: countsDescription},
			"invalid_utf8_records": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "Number of records in which bytes that are not valid UTF-8 were replaced. Always 0 unless `wire.export_invalid_utf8` of the provider block is `replace`.",
			},
			"complete": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the day was over when it was read, by the clock of this machine and by that of the service."},
		}),
	}
}

// maxBytesValidator points to the file where somebody wants more in state than
// Terraform can carry.
type maxBytesValidator struct{}

func (maxBytesValidator) Description(context.Context) string {
	return "at most " + strconv.Itoa(limitMaxBytes)
}

func (v maxBytesValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (maxBytesValidator) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if req.ConfigValue.ValueInt64() > limitMaxBytes {
		resp.Diagnostics.AddAttributeError(req.Path, "Too large for a data source",
			"At most "+strconv.Itoa(limitMaxBytes)+" bytes can be read into a plan: Terraform needs many times the size of a value.\n\nWhat to do: use the resource analytics_export_file, which writes a day of any size to a file.")
	}
}

func (d *exportDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.RecoverAndReport(ctx, &resp.Diagnostics)
	var m dataSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	today := d.Today()
	day, ok := checkDay(m.UTCDate, today, warn, &resp.Diagnostics)
	if !ok {
		return
	}
	c, scope, ok := d.ClientAndScope(m.Scope, &resp.Diagnostics)
	if !ok {
		return
	}
	limit := int64(presetMaxBytes)
	if !m.MaxBytes.IsNull() {
		limit = m.MaxBytes.ValueInt64()
	}
	kinds := kindsOf(ctx, m.Kinds)
	texts := &textSink{limit: limit}
	exported, err := c.Export(ctx, scope, client.ExportQuery{Day: day, Kinds: kinds}, texts)
	if errors.Is(err, errTooMuch) {
		resp.Diagnostics.AddAttributeError(path.Root("max_bytes"), "The day is too large for a data source",
			"The records of the day are larger than "+strconv.FormatInt(limit, 10)+" bytes. Nothing of them was kept.\n\n"+
				"What to do: use the resource analytics_export_file, which writes a day of any size to a file and none of it into state; or ask for fewer kinds; or raise max_bytes.")
		return
	}
	if err != nil {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.NotInState)
		return
	}
	for _, k := range kinds {
		*m.text(k) = texts.array(k)
	}
	m.Unknown = texts.array(records.Unknown)
	m.Counts = countsOf(exported.Counts, kinds)
	m.Replaced = types.Int64Value(exported.InvalidUTF8)
	warnInvalidUTF8(exported.InvalidUTF8, &resp.Diagnostics)
	m.Complete = types.BoolValue(exported.Over(day, today))
	if !m.Complete.ValueBool() && day.Before(today) {
		warnUnfinished(exported.Date, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

func (m *dataSourceModel) text(k records.Kind) *types.String {
	switch k {
	case records.Person:
		return &m.Persons
	case records.Session:
		return &m.Sessions
	case records.Event:
		return &m.Events
	case records.Unknown:
	}
	return &m.Unknown
}
