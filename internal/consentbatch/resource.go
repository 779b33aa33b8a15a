package consentbatch

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure      = (*batchResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*batchResource)(nil)
	_ resource.ResourceWithValidateConfig = (*batchResource)(nil)
)

// The values of on_destroy.
const (
	retain   = "retain"
	withdraw = "withdraw"
)

// NewResource returns the resource analytics_consent_batch.
func NewResource() resource.Resource { return &batchResource{} }

type batchResource struct{ tfkit.Resource }

func (r *batchResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_consent_batch"
}

func (r *batchResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"source": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1), stringvalidator.ExactlyOneOf(path.MatchRoot("source"), path.MatchRoot("content_wo"))},
			MarkdownDescription: "Path of the file with the rows, relative to the folder in which Terraform runs. The file is CSV with a header, NDJSON, or a JSON array of objects. " +
				"Columns or members have the names of the attributes of `analytics_consent`: `identity_id` and `clause_1_consent` to `clause_5_consent` are required; `user_ipv6`, `agreement_time` and `manual` (default `true`) are optional. An empty cell and a null are absent values. " +
				"The file is read at plan and again at apply, and is not copied. If the file is created in the same apply, take the path from an attribute that is known only after apply. Exactly one of `source` and `content_wo` is required.",
		},
		"content_wo": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			WriteOnly:           true,
			CustomType:          secretTextType{},
			Validators:          []validator.String{stringvalidator.AlsoRequires(path.MatchRoot("content_wo_version"))},
			MarkdownDescription: "The rows as text, which is kept out of plan and state. Requires Terraform 1.11 or later. Without `format`, the first character tells the format: `[` is JSON, `{` is NDJSON, anything else is CSV.",
		},
		"content_wo_version": schema.Int64Attribute{
			Optional:            true,
			Validators:          []validator.Int64{int64validator.AlsoRequires(path.MatchRoot("content_wo"))},
			MarkdownDescription: "Version of `content_wo`, any number. If it changes, `content_wo` is written again. This is needed if the plan cannot detect a change itself: with `compare_at_plan = false`, or while the content is known only after apply.",
		},
		"format": schema.StringAttribute{
			Optional:            true,
			Validators:          []validator.String{stringvalidator.OneOf(string(rows.CSV), string(rows.NDJSON), string(rows.JSON))},
			MarkdownDescription: "Format of the rows: `csv`, `ndjson` or `json`. Defaults to the format of the extension of `source` (`.csv`, `.ndjson`, `.jsonl`, `.json`), or of the first character of `content_wo`.",
		},
		"shard": shardAttribute(),
		"keep_later_choice": schema.BoolAttribute{
			Optional: true,
			Computed: true,
			Default:  booldefault.StaticBool(true),
			MarkdownDescription: "Whether a later choice of a person stands. If the service holds a later `agreement_time` than a row, the row is not written and a warning names its line. This also applies when the object is destroyed. " +
				"Only rows with an `agreement_time` are protected. Defaults to `true`. If `false`, the rows overwrite any record at the service.",
		},
		"compare_at_plan": schema.BoolAttribute{
			Optional: true,
			Computed: true,
			Default:  booldefault.StaticBool(true),
			MarkdownDescription: "Whether a plan compares every row with the service, and so detects what has changed there. Defaults to `true`. If `false`, a plan does not ask the service and detects only a changed `source` or `content_wo_version`. " +
				"Terraform plans once more when it applies, so an apply compares three times. A row is compared before it is written in any case.",
		},
		"on_destroy": schema.StringAttribute{
			Optional:   true,
			Computed:   true,
			Default:    stringdefault.StaticString(retain),
			Validators: []validator.String{stringvalidator.OneOf(retain, withdraw)},
			MarkdownDescription: "What destroying the object does at the service. `retain` (default) leaves all consent as it is, with a warning. `withdraw` sets the five clauses of every row to `false`, unless the service has no consent record of the person. " +
				"`withdraw` requires `source`: the file is read once more, and must be the one that was applied. Do not combine it with `create_before_destroy`.",
		},
		"report_path": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Path of a file for the outcome of each row, in a folder that exists. The file is NDJSON and readable by its owner only. Its first line is a summary; then follows one object for each row, except rows that were already in place. " +
				"`line` is the row's line (and `element` its number in a JSON array). `outcome` is `written`, `kept` (a later choice of the person stands), `superseded` (not withdrawn, because another object of the run writes it), `failed`, `unknown` (interrupted on its way) or `not_tried`. A failed row has `error` and, if the service returned them, `status`, `code`, `message` and `fields`. The file holds no value of a row. " +
				"Each apply that compares rows writes the whole file, also if it fails or is interrupted, and so does a destroy that withdraws. A plan, or a change of settings alone, writes none. " +
				"An earlier report at the path is replaced; any other file is an error. Destroying the object keeps the file.",
		},
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the consent of thousands of people from one file. No personal data is in plan or state: state holds a digest of the file and counts. " +
			"A plan checks the rows and compares them with the service, and an apply writes only those that differ. A row that fails does not stop the others: the error names its line, and the next apply writes what is missing.\n\n" +
			"A refresh does not ask the service and changes nothing; the comparison of a plan detects what has changed there. A row that is removed from the file is no longer managed, and the service keeps its record. Import is not supported.\n\n" +
			"Destroying the object leaves the consent at the service as it is, with a warning, unless `on_destroy` is `withdraw`.",
		Attributes: tfkit.AddKeptScope(addResults(attributes)),
		Blocks:     map[string]schema.Block{"timeouts": timeoutsBlock()},
	}
}

func addResults(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	attributes["digest"] = schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "Digest of the content that was applied last, or of the rows of its shard, to detect changes of it. It is salted and slow to compute (PBKDF2 with SHA-256), so that the content cannot be found by guessing. " +
			"A plan holds the digest, so it is never applied with other rows: Terraform stops with \"Provider produced inconsistent final plan\" at `digest`, and a new plan is needed.",
	}

	for name, text := range map[string]string{
		"rows":     "Number of rows of the content, or of its shard.",
		"to_write": "Number of rows that differed from what the service held in the last apply. A warning of the plan tells how many it would write: as a known number, it could not change until the apply, while people go on choosing.",
		"kept":     "Number of rows that the last apply left alone, because a later choice of the person stands.",
		"written":  "Number of rows that the last apply has written.",
		"missing":  "Number of rows that were still not as configured after the last apply. The next apply writes them.",
	} {
		attributes[name] = schema.Int64Attribute{Computed: true, MarkdownDescription: text}
	}

	return attributes
}

// presetTimeout is the default of the block timeouts.
const presetTimeout = 2 * time.Hour

// timeoutsBlock returns the block timeouts with create, update and delete. It limits the work
// itself; tfkit.TimeoutsBlock limits the wait for the service.
func timeoutsBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Limits how long the work may take. When the time is over, the work ends as if it were interrupted: what is done stays done, and the next apply continues with the rest.",
		CustomType: timeouts.Type{ObjectType: types.ObjectType{
			AttrTypes: map[string]attr.Type{"create": types.StringType, "update": types.StringType, "delete": types.StringType},
		}},
		Attributes: map[string]schema.Attribute{
			"create": tfkit.TimeoutAttribute("How long creating the object may take.", presetTimeout),
			"update": tfkit.TimeoutAttribute("How long changing the object may take.", presetTimeout),
			"delete": tfkit.TimeoutAttribute("How long destroying the object may take.", presetTimeout),
		},
	}
}

// deleteTimeout returns the configured timeout for destroying, or else presetTimeout.
func deleteTimeout(ctx context.Context, t tfkit.Timeouts) time.Duration {
	d, _ := t.Delete(ctx, presetTimeout)
	return d
}

// ValidateConfig checks combinations of attributes.
func (r *batchResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if config.Source.IsNull() && config.OnDestroy.ValueString() == withdraw {
		tfkit.Problem{
			Summary: "Nothing to withdraw by",
			Detail:  "on_destroy = \"withdraw\" needs source: destroying reads the rows once more, and a write-only content is not there any more then.",
			At:      path.Root("on_destroy"),
		}.AddError(&resp.Diagnostics)
	}

	config.checkShard(&resp.Diagnostics)
	if config.hasUnknownExtension() {
		tfkit.Problem{
			Summary: "Unknown format",
			Detail:  "The extension of source names no format. Set format to csv, ndjson or json, or give the file the extension .csv, .ndjson, .jsonl or .json.",
			At:      path.Root("format"),
		}.AddError(&resp.Diagnostics)
	}
}

// hasUnknownExtension reports whether neither format nor the extension of source names a
// format.
func (m *model) hasUnknownExtension() bool {
	if m.Source.IsNull() || m.Source.IsUnknown() || !m.Format.IsNull() {
		return false
	}
	return rows.FormatOf(m.Source.ValueString()) == ""
}

func (r *batchResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var config, plan model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.Scope)
	ctx, cancel := context.WithTimeout(ctx, tfkit.CreateTimeout(ctx, plan.Timeouts, presetTimeout))
	defer cancel()

	b := &batch{resource: r, model: plan, object: plan.objectIn(ctx, resp.Private), inState: tfkit.NothingSaved, diags: &resp.Diagnostics}
	defer b.closeReport()
	if !b.open(config) {
		return
	}

	t := b.write(ctx)
	b.writeReport(t)
	b.keepReport()
	if t.failed() {
		b.reportFailed(t, createFailed)
		return
	}

	b.warnKeptUnplanned(t)
	if b.save(t, "") {
		resp.Diagnostics.Append(resp.State.Set(ctx, &b.model)...)
	}
}

// Read asks the service nothing: thousands of answers would change nothing in state.
func (r *batchResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&state.Scope)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *batchResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var config, plan, state model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if readSettingsOnly(ctx, req.Private) {
		plan.results = state.results
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}

	ctx, cancel := context.WithTimeout(ctx, tfkit.UpdateTimeout(ctx, plan.Timeouts, presetTimeout))
	defer cancel()

	b := &batch{resource: r, model: plan, object: plan.objectIn(ctx, resp.Private), inState: tfkit.PriorKept, diags: &resp.Diagnostics}
	defer b.closeReport()
	if !b.open(config) {
		return
	}

	t := b.write(ctx)
	b.writeReport(t)
	b.keepReport()
	if t.failed() {
		b.reportFailed(t, updateFailed)
	}

	b.warnKeptUnplanned(t)
	if b.save(t, state.Digest.ValueString()) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &b.model)...)
	}
}

func (r *batchResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if state.OnDestroy.ValueString() != withdraw {
		state.warnDestroyed(&resp.Diagnostics)
		return
	}

	ctx, cancel := context.WithTimeout(ctx, deleteTimeout(ctx, state.Timeouts))
	defer cancel()

	b := &batch{resource: r, model: state, object: state.objectIn(ctx, resp.Private), inState: tfkit.PriorKept, diags: &resp.Diagnostics}
	defer b.closeReport()
	if !b.reopen() {
		return
	}

	t := b.withdraw(ctx)
	b.writeReport(t)
	if t.failed() {
		b.reportFailed(t, deleteFailed)
		return
	}

	b.warnKept(t)
}
