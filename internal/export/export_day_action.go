// SPDX-License-Identifier: MPL-2.0

package export

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ action.ActionWithModifyPlan = (*exportDayAction)(nil)

// NewExportDayAction returns the action analytics_export_day.
func NewExportDayAction(s *tfkit.Service) action.Action { return &exportDayAction{s} }

type exportDayAction struct{ *tfkit.Service }

func (a *exportDayAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_export_day"
}

// Schema names the defaults of Invoke, since an action cannot declare them.
func (a *exportDayAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Writes the records of one UTC day to NDJSON files and keeps nothing in state, for runners that lose their disk.",
		Attributes: tfkit.AddScope(tfkit.TextAttribute.Action, map[string]schema.Attribute{
			"utc_date": schema.StringAttribute{
				Required: true, Validators: []validator.String{formats.Day},
				MarkdownDescription: dayDescription + " The current day needs `allow_incomplete_day`.",
			},
			"kinds": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: kindsValidators,
				MarkdownDescription: kindsDescription,
			},

			"path": schema.StringAttribute{
				Required: true, Validators: pathValidators,
				MarkdownDescription: pathDescription,
			},
			"compression": schema.StringAttribute{
				Optional: true, Validators: compressionValidators,
				MarkdownDescription: compressionDescription,
			},
			"with_kind": schema.BoolAttribute{Optional: true, MarkdownDescription: withKindDescription},

			"max_bytes": schema.Int64Attribute{
				Optional: true, Validators: maxBytesValidators,
				MarkdownDescription: "Maximum size of all files together, in bytes after compression. A larger day is an error.",
			},

			"overwrite": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether existing files may be replaced, once the new ones are complete. Defaults to `false`.",
			},
			"create_directories": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether to create missing directories of `path`, with mode 0700. Defaults to `false`.",
			},

			"allow_incomplete_day": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether the current UTC day may be exported, with a warning. Defaults to `false`.",
			},
		}),
	}
}

// ModifyPlan reports in the plan what Invoke would refuse. It asks nothing of the service, and looks
// only at paths that are known.
func (a *exportDayAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	defer a.RecoverAndReport(ctx, &resp.Diagnostics)

	var m dayModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if !m.checkScope(a.Service, &resp.Diagnostics) {
		return
	}
	a.PlanScope(m.Scope, &resp.Diagnostics)
	m.checkLines(ctx, &resp.Diagnostics)
	m.checkDay(a.Today(), &resp.Diagnostics)
	if !m.filesKnown(ctx) {
		return
	}

	export := dayExport{day: &m, inState: "nothing, and no request was sent", diags: &resp.Diagnostics}
	for _, o := range export.outputsOf(kindsOf(ctx, m.Kinds)) {
		if err := outfile.Check(o.Target); err != nil {
			export.fail(err, o)
			return
		}
	}
}

// Invoke exports the day, and shows how far it is.
func (a *exportDayAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	defer a.RecoverAndReport(ctx, &resp.Diagnostics)

	var m dayModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.checkLines(ctx, &resp.Diagnostics)
	m.checkDay(a.Today(), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	export := dayExport{
		Service: a.Service,
		day:     &m,
		inState: "nothing, since an action has no state; what was at path before is as it was",
		diags:   &resp.Diagnostics,
	}

	tfkit.Say(resp, "Exporting "+m.UTCDate.ValueString()+".")
	var ok bool
	tfkit.During(ctx, func() { ok = export.run(ctx) }, func(time.Duration) {
		tfkit.Say(resp, humanize.Comma(export.records.Load())+" records, "+sizeOf(export.bytes.Load())+" so far.")
	})
	if !ok {
		return
	}

	warnOf(export.result, &resp.Diagnostics)
	tfkit.Say(resp, export.String())
}

// String says what was written: how many records, and the size and digests of the files.
func (e *dayExport) String() string {
	var digests []string
	for _, o := range e.outputs {
		switch {
		case o.name == wholeFile:
			digests = append(digests, o.written.SHA256)
		case o.written.SHA256 != "":
			digests = append(digests, "of "+o.name+" "+o.written.SHA256)
		}
	}

	return fmt.Sprintf("Written: %s records, %s, SHA-256 %s.", humanize.Comma(e.result.Counts.Total()), sizeOf(e.bytes.Load()), strings.Join(digests, ", "))
}

func sizeOf(bytes int64) string { return humanize.IBytes(uint64(max(bytes, 0))) }
