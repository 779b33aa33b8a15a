// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithModifyPlan     = (*batchResource)(nil)
	_ resource.ResourceWithValidateConfig = (*batchResource)(nil)
)

// The values of on_destroy.
const (
	retain   = "retain"
	withdraw = "withdraw"
)

// limitShards is the largest count of shards.
const limitShards = 4096

// NewResource returns the resource analytics_consent_batch.
func NewResource(s *tfkit.Service) resource.Resource { return &batchResource{s} }

type batchResource struct{ *tfkit.Service }

func (r *batchResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_consent_batch"
}

func (r *batchResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"source": text("Path of a CSV, NDJSON or JSON file with one row per person, read at plan and at apply. Exactly one of `source` and `content_wo` is required.",
			stringvalidator.LengthAtLeast(1), stringvalidator.ExactlyOneOf(path.MatchRoot("source"), path.MatchRoot("content_wo"))),
		"content_wo": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			WriteOnly:           true,
			Validators:          []validator.String{stringvalidator.AlsoRequires(path.MatchRoot("content_wo_version"))},
			MarkdownDescription: "The rows as text, never stored in plan or state. Requires Terraform 1.11 or later.",
		},
		"content_wo_version": number("Version of `content_wo`, any number. Changing it compares the rows again.", int64validator.AlsoRequires(path.MatchRoot("content_wo"))),
		"format": text("Format of the rows: `csv`, `ndjson` or `json`. Defaults to that of the first character.",
			stringvalidator.OneOf(string(rows.CSV), string(rows.NDJSON), string(rows.JSON))),
		"shard": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "Part of the rows that this resource manages, so that several workspaces or machines share one file.",
			Attributes: map[string]schema.Attribute{
				"index": schema.Int64Attribute{
					Required:            true,
					Validators:          []validator.Int64{int64validator.Between(0, limitShards-1)},
					MarkdownDescription: "Number of the shard, from 0 to `count` - 1.",
				},
				"count": schema.Int64Attribute{
					Required:            true,
					Validators:          []validator.Int64{int64validator.Between(1, limitShards)},
					MarkdownDescription: "Number of shards, from 1 to 4096; the same in all workspaces.",
				},
			},
		},
		"keep_later_choice": setting("Whether a choice of a person after the row's `agreement_time` stands; a warning names its line. Defaults to `true`."),
		"compare_at_plan":   setting("Whether a plan compares every row with the service. If `false`, a plan sends nothing and detects only changed rows. Defaults to `true`."),
		"on_destroy": schema.StringAttribute{
			Optional:            true,
			Computed:            true,
			Default:             stringdefault.StaticString(retain),
			Validators:          []validator.String{stringvalidator.OneOf(retain, withdraw)},
			MarkdownDescription: "What a destroy does: `retain` (default) leaves all consent as it is; `withdraw` sets the five clauses of every row to `false`.",
		},
		"report_path": text("Path of an NDJSON file to which each apply writes the outcome of every row that was not in place. It holds no value of a row, and replaces a former report and no other file.",
			stringvalidator.LengthAtLeast(1)),
		"max_new_records": number("How many rows may be the first record of a person, which nothing can remove. More are an error before the first write. Defaults to the number of added rows, once all rows were applied.",
			int64validator.AtLeast(0)),

		"digest": schema.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Salted digest of the rows of the last apply. If rows change after the plan, the apply fails before it writes anything.",
		},
		"rows":    count("Number of rows in the file, or in its shard."),
		"kept":    count("Number of rows that the last apply left alone, because a later choice stands."),
		"written": count("Number of rows that the last apply has written."),
		"missing": count("Number of rows that were still not as configured after the last apply. The next apply writes them."),
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the consent of thousands of people from one file, with none of their data in plan or state.",
		Attributes:          tfkit.AddScope(tfkit.TextAttribute.Resource, attributes),
	}
}

func count(description string) schema.Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
}

func setting(description string) schema.Attribute {
	return schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(true), MarkdownDescription: description}
}

func text(description string, rules ...validator.String) schema.Attribute {
	return schema.StringAttribute{Optional: true, Validators: rules, MarkdownDescription: description}
}

func number(description string, rules ...validator.Int64) schema.Attribute {
	return schema.Int64Attribute{Optional: true, Validators: rules, MarkdownDescription: description}
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
			Summary: "Withdrawing needs source",
			Detail:  "on_destroy is \"withdraw\": destroying reads the rows once more, and content_wo is not available then.",
			At:      path.Root("on_destroy"),
		}.AddError(&resp.Diagnostics)
	}
	if shard := shardOf(config.Shard); shard.Count > 0 && shard.Index >= shard.Count { // both are 0 while they are unknown
		tfkit.Problem{
			Summary: "No such shard",
			Detail:  "shard.index is not below shard.count: the shards are numbered from 0 to count - 1.",
			At:      path.Root("shard").AtName("index"),
		}.AddError(&resp.Diagnostics)
	}
}

// planned returns the plan with the content_wo of the configuration. The other attributes of the configuration
// of an apply have what ignore_changes hides.
func planned(ctx context.Context, plan tfsdk.Plan, config tfsdk.Config, diags *diag.Diagnostics) (m model, ok bool) {
	diags.Append(plan.Get(ctx, &m)...)
	diags.Append(config.GetAttribute(ctx, path.Root("content_wo"), &m.ContentWO)...)

	return m, !diags.HasError()
}

func (r *batchResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	plan, ok := planned(ctx, req.Plan, req.Config, &resp.Diagnostics)
	if !ok {
		return
	}

	r.ResolveScope(&plan.Scope)
	b := r.newBatch(plan, nil, objectOf(ctx, plan, resp.Private), &resp.Diagnostics)
	if b.apply(ctx) {
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

	r.ReadScope(&state.Scope)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *batchResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state model
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	plan, ok := planned(ctx, req.Plan, req.Config, &resp.Diagnostics)
	if !ok {
		return
	}

	if settingsOnly, _ := req.Private.GetKey(ctx, keySettingsOnly); settingsOnly != nil {
		plan.results = state.results
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}

	b := r.newBatch(plan, &state, objectOf(ctx, plan, resp.Private), &resp.Diagnostics)
	if b.apply(ctx) {
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

	if state.OnDestroy.ValueString() == withdraw { // otherwise the plan has warned
		r.newBatch(state, &state, objectOf(ctx, state, resp.Private), &resp.Diagnostics).destroy(ctx)
	}
}
