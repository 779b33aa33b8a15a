// SPDX-License-Identifier: MPL-2.0

package export

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ datasource.DataSource = (*exportDataSource)(nil)

// Values of max_bytes, in bytes of JSON text. Terraform needs many times the size of a
// value, and its plugin protocol fails at 256 MiB.
const (
	defaultMaxBytes = 1 << 20
	largestMaxBytes = 32 << 20
)

// NewDataSource returns the data source analytics_export.
func NewDataSource(s *tfkit.Service) datasource.DataSource { return &exportDataSource{s} }

type exportDataSource struct{ *tfkit.Service }

// dataSourceModel is the model of analytics_export.
type dataSourceModel struct {
	tfkit.Scope

	UTCDate  types.String `tfsdk:"utc_date"`
	Kinds    types.Set    `tfsdk:"kinds"`
	MaxBytes types.Int64  `tfsdk:"max_bytes"`
	Persons  types.String `tfsdk:"persons"`
	Sessions types.String `tfsdk:"sessions"`
	Events   types.String `tfsdk:"events"`
	Counts   types.Object `tfsdk:"counts"`
	Complete types.Bool   `tfsdk:"complete"`
	Replaced types.Int64  `tfsdk:"invalid_utf8_records"`
}

func (d *exportDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_export"
}

func (d *exportDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(records string) schema.Attribute {
		return schema.StringAttribute{
			Computed:            true,
			Sensitive:           true,
			MarkdownDescription: records + ", as the text of a JSON array, for `jsondecode`. Null if the kind was not requested. Sensitive.",
		}
	}

	counts := map[string]schema.Attribute{}
	for name, description := range countDescriptions {
		counts[name] = schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the records of one small UTC day into plan and state, for plans, `check` blocks and modules.",
		Attributes: tfkit.AddScope(tfkit.TextAttribute.DataSource, map[string]schema.Attribute{
			"utc_date": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{formats.Day},
				MarkdownDescription: dayDescription + " The current day is incomplete and causes a warning.",
			},
			"kinds": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: kindsValidators,
				MarkdownDescription: kindsDescription,
			},

			"max_bytes": schema.Int64Attribute{
				Optional:            true,
				Validators:          []validator.Int64{int64validator.Between(1, largestMaxBytes)},
				MarkdownDescription: "Maximum size of all records in bytes of JSON, up to " + strconv.Itoa(largestMaxBytes) + ". A larger day is an error. Defaults to " + strconv.Itoa(defaultMaxBytes) + ".",
			},

			"persons":  text("Person records"),
			"sessions": text("Session records"),
			"events":   text("Event records"),

			"counts":               schema.SingleNestedAttribute{Computed: true, Attributes: counts, MarkdownDescription: countsDescription},
			"invalid_utf8_records": schema.Int64Attribute{Computed: true, MarkdownDescription: invalidUTF8Description},
			"complete": schema.BoolAttribute{
				Computed:            true,
				MarkdownDescription: "Whether the day was over when it was read.",
			},
		}),
	}
}

func (d *exportDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	defer d.RecoverAndReport(ctx, &resp.Diagnostics)

	var m dataSourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}

	day, ok := tfkit.StartedDay(m.UTCDate, d.Today(), &resp.Diagnostics)
	if !ok {
		return
	}
	c, scope, ok := d.ClientAndScope(m.Scope, &resp.Diagnostics)
	if !ok {
		return
	}

	kinds := kindsOf(ctx, m.Kinds)
	texts := &dayTexts{limit: cmp.Or(m.MaxBytes.ValueInt64(), defaultMaxBytes)}
	exported, err := c.Export(ctx, scope, client.ExportQuery{Day: day, Kinds: kinds}, texts.read)
	if errors.Is(err, errTooMuch) {
		tfkit.Problem{
			Summary: "The day is too large for a data source",
			Detail:  "The records of the day are larger than " + strconv.FormatInt(texts.limit, 10) + " bytes. None of them was kept.",
			Do:      "use the resource analytics_export_file, which writes a day of any size to a file and none of it into state; or ask for fewer kinds; or raise max_bytes.",
			At:      path.Root("max_bytes"),
		}.AddError(&resp.Diagnostics)
		return
	}
	if err != nil {
		tfkit.ProblemOf(err, tfkit.NotInState).AddError(&resp.Diagnostics)
		return
	}

	for kind, text := range map[records.Kind]*types.String{records.Person: &m.Persons, records.Session: &m.Sessions, records.Event: &m.Events} {
		if slices.Contains(kinds, kind) {
			*text = types.StringValue("[" + string(texts.of[kind]) + "]")
		}
	}
	m.Counts, m.Replaced = countsOf(exported.Counts, kinds), types.Int64Value(exported.InvalidUTF8)
	m.Complete = types.BoolValue(exported.Complete)
	warnOf(exported, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// errTooMuch ends the export of a day that is larger than max_bytes.
var errTooMuch = errors.New("the day is larger than max_bytes")

// dayTexts holds the records of each kind as the elements of a JSON array.
type dayTexts struct {
	limit int64 // of all together, in bytes
	of    [len(records.Counts{})][]byte
}

// read takes the records of a day, in place of those before.
func (t *dayTexts) read(day client.Records) error {
	*t = dayTexts{limit: t.limit}
	var size int64
	for kind, record := range day {
		if size += int64(len(record)) + 1; size > t.limit {
			return errTooMuch
		}

		if len(t.of[kind]) > 0 {
			t.of[kind] = append(t.of[kind], ',')
		}
		t.of[kind] = append(t.of[kind], record...)
	}

	return nil
}
