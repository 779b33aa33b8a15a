package export

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure      = (*fileResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*fileResource)(nil)
	_ resource.ResourceWithValidateConfig = (*fileResource)(nil)
)

// NewFileResource is the resource analytics_export_file.
func NewFileResource() resource.Resource { return &fileResource{} }

type fileResource struct{ tfkit.Resource }

func (r *fileResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_export_file"
}

func (r *fileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	counts := map[string]schema.Attribute{}
	for name, description := range countDescriptions {
		counts[name] = schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The records of one UTC day in a file, as NDJSON (one JSON text to a line), whatever the size of the day: records pass through in constant memory, and none of them is in plan, state or log.\n\n" +
			"The file has mode 0600 and appears as a whole or not at all; an export that breaks off begins again or fails, and is never a short file. Every refresh compares the file with `sha256`: a missing file is planned to be created, an altered one to be written again, so state and file belong on the same machine. " +
			"Destroying the object removes the file that it wrote, and only that: a file that was altered since stays, with a warning. There is no import.\n\n" +
			"The service documents neither the shape of an export nor how a kind is selected. An array, lines and objects of arrays are understood; the provider block's `wire.export_kind_parameter` has one request sent for each kind. In the older account path family there is no export.",
		Attributes: tfkit.AddScope(map[string]schema.Attribute{
			"utc_date": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{dayValidator{}},
				MarkdownDescription: dayDescription + " The current day is refused unless `allow_incomplete_day` is set. A change writes the file anew, in place.",
			},
			"kinds": schema.SetAttribute{
				Optional: true, ElementType: types.StringType, Validators: kindsValidators(),
				MarkdownDescription: kindsDescription + " A change writes the file anew, in place.",
			},
			"path": schema.StringAttribute{
				Required:      true,
				Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "Path of the file; a relative one begins where Terraform runs. The folder has to exist. Folders, symbolic links and devices are refused, and so is a file that this object did not write, unless `overwrite` is set. " +
					"Two objects with one path are an error. A change replaces the object.",
			},
			"compression": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(uncompressed),
				Validators:          []validator.String{stringvalidator.OneOf(uncompressed, gzipped, zstandard)},
				MarkdownDescription: "Compression of the file: `none` (default), `gzip` or `zstd`. The name in `path` stays as it is. A change writes the file anew, in place.",
			},
			"with_kind": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(true),
				MarkdownDescription: "Whether each line says the kind of its record: `{\"kind\":\"event\",\"record\":{…}}`, with `person`, `session`, `event` or `unknown`. Defaults to `true`; with `false` a line is the record alone, as the service gave it, which needs exactly one kind in `kinds`; records of unknown kind are among them, and counted. A change writes the file anew, in place.",
			},
			"max_bytes": schema.Int64Attribute{
				Optional:            true,
				Validators:          []validator.Int64{int64validator.AtLeast(1)},
				MarkdownDescription: "Largest size of the file in bytes, after compression; at least 1. A day that is larger is an error and leaves the old file as it was. By default only the disk is a limit, of which 64 MiB are left free.",
			},
			"overwrite": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether a file that is there already, and that this object did not write, may be replaced when the object is created. Defaults to `false`.",
			},
			"allow_incomplete_day": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether the current UTC day may be exported, with a warning. It is exported again once it is over. Defaults to `false`.",
			},
			"complete": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the day was over when it was exported. Null where it was not and is now, so that it is exported again."},
			"sha256":   schema.StringAttribute{Computed: true, MarkdownDescription: "SHA-256 of the file, in hexadecimal. Null where a refresh found another file."},
			"bytes":    schema.Int64Attribute{Computed: true, MarkdownDescription: "Size of the file in bytes. Null where a refresh found another file."},
			"counts":   schema.SingleNestedAttribute{Computed: true, Attributes: counts, MarkdownDescription: countsDescription},
		}),
	}
}

// ValidateConfig refuses lines that could not be told apart.
func (r *fileResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config fileModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		config.checkLines(ctx, &resp.Diagnostics)
	}
}

// ModifyPlan plans an export where there is anything to export, and says at plan what
// apply would refuse.
func (r *fileResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan fileModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if scope, known := r.KnownScope(plan.Scope); known && scope.Account() {
		addNoExport(&resp.Diagnostics)
		return
	}
	plan.checkLines(ctx, &resp.Diagnostics) // also where validation could not know
	if req.State.Raw.IsNull() {
		plan.check(r.Today(), &resp.Diagnostics)
		return
	}
	var state fileModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.PlanScope(plan.Scope, state.Scope, resp)
	if resp.Diagnostics.HasError() || len(resp.RequiresReplace) > 0 || !plan.Path.Equal(state.Path) {
		return // planned again, as an object to create
	}
	if plan.exportsAgain(ctx, state) {
		plan.check(r.Today(), &resp.Diagnostics)
		plan.expect()
	} else {
		plan.keep(state)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *fileResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var plan fileModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	to := newFile
	if plan.Overwrite.ValueBool() {
		to = anyFile
	}
	if plan.export(ctx, r.Service, to, tfkit.NothingSaved+"; what was at path before is as it was", &resp.Diagnostics) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

// Read compares the file with what was written. The service is not asked: a day that
// is over does not change.
func (r *fileResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var state fileModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !state.look(ctx, r.Today(), &resp.Diagnostics) {
		resp.State.RemoveResource(ctx)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *fileResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var plan fileModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.SHA256.IsUnknown() && !plan.export(ctx, r.Service, anyFile, tfkit.PriorKept+", and the old file is as it was", &resp.Diagnostics) {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *fileResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var state fileModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if !resp.Diagnostics.HasError() {
		state.remove(ctx, &r.Files, &resp.Diagnostics)
	}
}
