// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/listresourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ list.ListResourceWithConfigure        = (*consentList)(nil)
	_ list.ListResourceWithConfigValidators = (*consentList)(nil)
)

// limitIdentityIDs is the largest number of identities that a list accepts.
const limitIdentityIDs = 10_000

// defaultIdentityFields are the members of a Person record that hold the identity. The
// interface shows no field of such a record (section 2), so they are our assumption.
var defaultIdentityFields = []string{"identityId", "identity_id"}

// NewListResource returns the list resource analytics_consent.
func NewListResource() list.ListResource { return &consentList{} }

type consentList struct{ tfkit.Resource }

// listModel holds the configuration of the list resource analytics_consent.
type listModel struct {
	tfkit.Scope
	UTCDate       types.String `tfsdk:"utc_date"`
	IdentityIDs   types.List   `tfsdk:"identity_ids"`
	IdentityField types.String `tfsdk:"identity_field"`
}

func (l *consentList) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_consent"
}

func (l *consentList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	attributes := map[string]schema.Attribute{
		"utc_date": schema.StringAttribute{
			Optional: true,
			Validators: []validator.String{
				tfkit.Day(),
				stringvalidator.ConflictsWith(path.MatchRoot("account_id")),
			},
			MarkdownDescription: "UTC day whose Person records name the people, such as `2026-01-31`. Conflicts with `identity_ids` and `account_id`.",
		},
		"identity_ids": schema.ListAttribute{
			Optional:    true,
			ElementType: types.StringType,
			Validators: []validator.List{
				listvalidator.SizeBetween(1, limitIdentityIDs),
				listvalidator.NoNullValues(),
				listvalidator.ValueStringsAre(tfkit.Segment()),
			},
			MarkdownDescription: "Identities of the people, from 1 to " + strconv.Itoa(limitIdentityIDs) + ", each listed once, in this order.",
		},
		"identity_field": schema.StringAttribute{
			Optional: true,
			Validators: []validator.String{
				stringvalidator.LengthAtLeast(1),
				stringvalidator.AlsoRequires(path.MatchRoot("utc_date")),
			},
			MarkdownDescription: "Member of a Person record that holds the identity. Defaults to `identityId`, or else `identity_id`.",
		},
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists people who have a consent record, so that `terraform query` shows them and writes the configuration that imports them.",
		Attributes:          tfkit.AddListScope(attributes),
	}
}

func (l *consentList) ListResourceConfigValidators(context.Context) []list.ConfigValidator {
	return []list.ConfigValidator{
		listresourcevalidator.ExactlyOneOf(path.MatchRoot("utc_date"), path.MatchRoot("identity_ids")),
	}
}

// List streams the people. Everything happens while the stream is read; a panic is left to
// the guard of the stream.
func (l *consentList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	stream.Results = func(push func(list.ListResult) bool) {
		var diags diag.Diagnostics
		run, ok := l.newListing(ctx, req, &diags)
		if !ok {
			push(list.ListResult{Diagnostics: diags})
			return
		}

		run.warnings = diags
		run.stream(ctx, push)
	}
}

// newListing returns the listing of the configured people, or reports why there is none. It
// reads the day.
func (l *consentList) newListing(ctx context.Context, req list.ListRequest, diags *diag.Diagnostics) (run *listing, ok bool) {
	var m listModel
	diags.Append(req.Config.Get(ctx, &m)...)
	if diags.HasError() {
		return nil, false
	}

	c, scope, ok := l.ClientAndScope(m.Scope, diags)
	if !ok {
		return nil, false
	}

	run = &listing{request: req, service: l.Service, client: c, scope: scope}
	if !m.UTCDate.IsNull() {
		run.readDay(ctx, m, diags)
		return run, !diags.HasError()
	}

	var identities []string
	diags.Append(m.IdentityIDs.ElementsAs(ctx, &identities, false)...)
	run.placed = "identity_ids[%d]"
	for i, identity := range identities {
		run.add(identity, i)
	}

	return run, !diags.HasError()
}
