package consentbatch

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure      = (*batchResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*batchResource)(nil)
	_ resource.ResourceWithValidateConfig = (*batchResource)(nil)
)

// What on_destroy accepts.
const (
	retain   = "retain"
	withdraw = "withdraw"
)

// NewResource is the resource analytics_consent_batch.
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
			MarkdownDescription: "Path of the file with the rows, relative to the folder in which Terraform runs: CSV with a header, NDJSON, or a JSON array of objects. " +
				"Columns or members are named as the attributes of `analytics_consent`: `identity_id` and `clause_1_consent` to `clause_5_consent` are required, `user_ipv6`, `agreement_time` and `manual` (`true` where absent) are optional. An empty cell and a null are absent values. " +
				"The file is read at plan and again at apply, and not copied anywhere. For a file that is made in the same apply, take the path from an attribute that is known only after apply. Exactly one of `source` and `content_wo` is needed.",
		},
		"content_wo": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			WriteOnly:           true,
			CustomType:          secretTextType{},
			Validators:          []validator.String{stringvalidator.AlsoRequires(path.MatchRoot("content_wo_version"))},
			MarkdownDescription: "The same as text, kept out of plan and state; needs Terraform 1.11 or newer. Without `format` it is recognised by its first character: `[` is JSON, `{` is NDJSON, everything else is CSV.",
		},
		"content_wo_version": schema.Int64Attribute{
			Optional:            true,
			Validators:          []validator.Int64{int64validator.AlsoRequires(path.MatchRoot("content_wo"))},
			MarkdownDescription: "A number of your own; a change of it writes `content_wo` again. It is needed where the plan cannot notice a change itself: with `compare_at_plan = false`, or while the content is known only after apply.",
		},
		"format": schema.StringAttribute{
			Optional:            true,
			Validators:          []validator.String{stringvalidator.OneOf(string(rows.CSV), string(rows.NDJSON), string(rows.JSON))},
			MarkdownDescription: "Format of the rows: `csv`, `ndjson` or `json`. Defaults to what the extension of `source` says (`.csv`, `.ndjson`, `.jsonl`, `.json`), and for `content_wo` to what its first character says.",
		},
		"keep_later_choice": schema.BoolAttribute{
			Optional: true,
			Computed: true,
			Default:  booldefault.StaticBool(true),
			MarkdownDescription: "Whether a later choice of a person stands. Where the service holds a later `agreement_time` than a row, the row is not written, also when the object is destroyed, and a warning names its line. " +
				"It protects only rows that have an `agreement_time`. Defaults to `true`; with `false` the rows overwrite whatever the service holds.",
		},
		"compare_at_plan": schema.BoolAttribute{
			Optional: true,
			Computed: true,
			Default:  booldefault.StaticBool(true),
			MarkdownDescription: "Whether a plan asks the service about every row, and so notices what has changed there. Defaults to `true`; with `false` a plan asks nothing, and only a changed `source` or `content_wo_version` is noticed. " +
				"Terraform plans once more when it applies, so that an apply compares three times; what it writes it compares in any case.",
		},
		"on_destroy": schema.StringAttribute{
			Optional:   true,
			Computed:   true,
			Default:    stringdefault.StaticString(retain),
			Validators: []validator.String{stringvalidator.OneOf(retain, withdraw)},
			MarkdownDescription: "What destroying the object does at the service: `retain` (default) leaves all consent as it is and warns, `withdraw` sets the five clauses of every row to false, unless the service knows no consent of the person. " +
				"`withdraw` needs `source`: the file is read once more then, and has to be the one that was applied. Do not combine it with `create_before_destroy`.",
		},
		"report_path": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			MarkdownDescription: "Path of a file that says what became of each row, in a folder that exists: NDJSON, readable by its owner only, with a summary in the first line and then one object for each row that is not simply in place. " +
				"`line` is the row's line (and `element` its number in a JSON array), `outcome` is `written`, `kept` (a later choice of the person stands), `superseded` (not withdrawn, since another object of the run writes it), `failed` or `not_tried`; a failed row has `error` and, where the service gave them, `status`, `code`, `message` and `fields`. No value of a row is in it. " +
				"Each apply that compares rows writes it as a whole, also one that fails or is interrupted, and so does a destroy that withdraws. A plan and a change of settings alone write none. " +
				"An earlier report at the path is replaced, any other file is an error. Destroying the object leaves the file.",
		},
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The consent of thousands of people in one object, seeded from a file. No person is in plan or state: state holds a digest of the file and counts. " +
			"Rows are checked at plan and compared with the service, and an apply writes only those that differ. A row that fails does not stop the others; the error names its line, and the next apply writes what is missing.\n\n" +
			"A refresh asks the service nothing and changes nothing: what has changed there is found by the comparison of a plan. A row that is taken out of the file is no longer managed and stays at the service as it is. There is no import.\n\n" +
			"Destroying the object leaves the consent at the service as it is, with a warning, unless `on_destroy` is `withdraw`.",
		Attributes: tfkit.AddKeptScope(addResults(attributes)),
		Blocks:     map[string]schema.Block{"timeouts": timeoutsBlock()},
	}
}

func addResults(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	attributes["digest"] = schema.StringAttribute{
		Computed: true,
		MarkdownDescription: "Digest of the content that was applied last, by which a change of it is noticed. It is salted and slow to compute (PBKDF2 with SHA-256), so that nobody finds out by guessing who is in the content. " +
			"A plan knows the digest of `source`, so a plan is never applied with another file: Terraform stops with \"Provider produced inconsistent final plan\" at `digest`, and a new plan is needed.",
	}
	for name, text := range map[string]string{
		"rows":     "How many rows the content has.",
		"to_write": "How many rows differed from what the service held when the last apply came to them. What a plan would write is in its warning: known in the plan, the number would have to stay the same until the apply, while people go on choosing.",
		"kept":     "How many rows the last apply left alone, because a later choice of the person stands.",
		"written":  "How many rows the last apply has written.",
		"missing":  "How many rows are still not as configured after the last apply. Where there are any, the next apply writes them.",
	} {
		attributes[name] = schema.Int64Attribute{Computed: true, MarkdownDescription: text}
	}
	return attributes
}

// ValidateConfig checks what attributes have to do with each other.
func (r *batchResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if config.Source.IsNull() && config.OnDestroy.ValueString() == withdraw {
		resp.Diagnostics.AddAttributeError(path.Root("on_destroy"), "Nothing to withdraw by",
			"on_destroy = \"withdraw\" needs source: destroying reads the rows once more, and a write-only content is not there any more then.")
	}
	if name := config.Source; !name.IsNull() && !name.IsUnknown() && config.Format.IsNull() && rows.FormatOf(name.ValueString()) == "" {
		resp.Diagnostics.AddAttributeError(path.Root("format"), "Unknown format",
			"The extension of source names no format. Set format to csv, ndjson or json, or give the file the extension .csv, .ndjson, .jsonl or .json.")
	}
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
	b := &batch{resource: r, model: plan, inState: tfkit.NothingSaved, diags: &resp.Diagnostics}
	if !b.open(config) {
		return
	}

	t := b.write(ctx)
	b.writeReport(t)
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

	settings := settingsOnlyOf(ctx, req.Private)
	resp.Diagnostics.Append(settingsOnly(false).write(ctx, resp.Private)...)
	if settings {
		plan.results = state.results
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}

	ctx, cancel := context.WithTimeout(ctx, tfkit.UpdateTimeout(ctx, plan.Timeouts, presetTimeout))
	defer cancel()
	b := &batch{resource: r, model: plan, inState: tfkit.PriorKept, diags: &resp.Diagnostics}
	if !b.open(config) {
		return
	}

	t := b.write(ctx)
	b.writeReport(t)
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
	b := &batch{resource: r, model: state, inState: tfkit.PriorKept, diags: &resp.Diagnostics}
	if !b.reopen() {
		return
	}

	t := b.withdraw(ctx)
	b.writeReport(t)
	b.releaseReport()
	if t.failed() {
		b.reportFailed(t, deleteFailed)
		return
	}
	b.warnKept(t)
}
