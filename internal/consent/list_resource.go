// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ list.ListResourceWithConfigure = (*consentList)(nil)

// limitIdentityIDs is the largest number of identities that a list accepts.
const limitIdentityIDs = 10_000

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
				tfkit.Day,
				stringvalidator.ExactlyOneOf(path.MatchRoot("utc_date"), path.MatchRoot("identity_ids")),
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
				listvalidator.ValueStringsAre(tfkit.Segment),
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
		Attributes:          tfkit.AddScope(tfkit.TextAttribute.List, attributes),
	}
}

// List streams the people. Everything happens while the stream is read; a panic is left to
// the guard of the stream.
func (l *consentList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	stream.Results = func(push func(list.ListResult) bool) {
		run := &listing{Service: l.Service, request: req}
		run.readSource(ctx)
		if run.diags.HasError() {
			push(list.ListResult{Diagnostics: run.diags})
			return
		}

		run.stream(ctx, push)
	}
}

// listing is one list of people while it is streamed.
type listing struct {
	*tfkit.Service

	request list.ListRequest
	scope   client.Scope
	source  source
	diags   diag.Diagnostics // about the source; with an error, there is nothing to list

	next    int // the person to look up next
	found   int // results
	missing int // people without a consent record
	failed  int // people who could not be read
}

// readSource takes the people of the configured source. It reads the day.
func (l *listing) readSource(ctx context.Context) {
	var m listModel
	l.diags.Append(l.request.Config.Get(ctx, &m)...)
	if l.diags.HasError() {
		return
	}

	var ok bool
	if _, l.scope, ok = l.ClientAndScope(m.Scope, &l.diags); !ok {
		return
	}
	if !m.UTCDate.IsNull() {
		l.readDay(ctx, m)
		return
	}

	var identities []string
	l.diags.Append(m.IdentityIDs.ElementsAs(ctx, &identities, false)...)
	for _, identity := range identities {
		l.source.add(identity)
	}
}

// stream hands over the people with a consent record, in the order of the source, as many
// as the limit allows. Terraform reads no further than that, and says nothing of its own
// about the limit, so the last result carries what there is to say about the list.
func (l *listing) stream(ctx context.Context, push func(list.ListResult) bool) {
	for l.next < len(l.source.people) {
		answers, panics := l.lookUp(ctx)
		if panics.HasError() {
			push(list.ListResult{Diagnostics: panics})
			return
		}
		if ctx.Err() != nil {
			break
		}

		for _, answered := range answers {
			identity := l.source.people[l.next]
			l.next++
			if transport.IsClass(answered.err, transport.ClassNotFound) {
				l.missing++
				continue
			}

			result := list.ListResult{Diagnostics: l.failure(answered.err)}
			if answered.err == nil {
				result = l.result(ctx, identity, answered.held)
			}
			if !push(result) || l.isFull() || result.Diagnostics.HasError() {
				return
			}
		}
	}

	var diags diag.Diagnostics
	l.conclude(ctx, &diags)
	if len(diags) > 0 {
		push(list.ListResult{Diagnostics: diags})
	}
}

// answered is what the service says about a person.
type answered struct {
	held answer.Consent
	err  error
}

// lookUp asks the service about the next people: as many at a time as the client sends
// requests, and not more than are still wanted.
func (l *listing) lookUp(ctx context.Context) (answers []answered, panics diag.Diagnostics) {
	width := min(l.Client.Concurrency, len(l.source.people)-l.next)
	if limit := int(l.request.Limit); limit > 0 {
		width = min(width, limit-l.found)
	}

	answers = make([]answered, width)
	positions := make([]int, width)
	for i := range positions {
		positions[i] = i
	}
	panics = tfkit.InParallel(ctx, width, positions, func(i int) (goesOn bool) {
		person := client.Person{Scope: l.scope, Identity: l.source.people[l.next+i]}
		answers[i].held, answers[i].err = l.Client.GetConsent(ctx, person)
		return true
	})

	return answers, panics
}

// isFull reports whether there are as many results as the limit allows; 0 means that there is no limit.
func (l *listing) isFull() bool { return l.request.Limit > 0 && l.found >= int(l.request.Limit) }

// result returns the result for a person: the person as they would be configured. The last one that
// the limit allows says what there is to say about the list.
func (l *listing) result(ctx context.Context, identity string, held answer.Consent) list.ListResult {
	l.found++
	result := l.request.NewListResult(ctx)
	result.DisplayName = identity

	m := &resourceModel{Identity: tfkit.Identity{Scope: tfkit.NewScope(l.scope), IdentityID: types.StringValue(identity)}}
	result.Diagnostics.Append(result.Identity.Set(ctx, m.Identity)...)
	if l.request.IncludeResource {
		m.fromAPI(held)

		// Neither the scope of the provider block nor a default is written down. "terraform query
		// -json" would print the address, and no generated configuration holds it.
		if l.scope == l.DefaultScope {
			m.Scope = tfkit.Scope{}
		}
		if m.Manual.ValueBool() {
			m.Manual = types.BoolNull()
		}
		m.UserIPv6 = types.StringNull()

		result.Diagnostics.Append(result.Resource.Set(ctx, m)...)
	}
	if l.isFull() {
		l.conclude(ctx, &result.Diagnostics)
	}

	return result
}

// mostFailures is how many people may fail to be read before the list fails.
const mostFailures = 10

// concernEveryone are the classes of failures that would repeat for every other person.
var concernEveryone = []transport.ErrorClass{
	transport.ClassAuthentication, transport.ClassForbidden, transport.ClassEndpointNotFound, transport.ClassLoginAnswer,
	transport.ClassTLS, transport.ClassProxyAuth, transport.ClassRedirect,
}

// failure returns the diagnostics about the latest person if they could not be read: a warning, or an
// error if the list as a whole has failed. A person is named by the position in the source.
func (l *listing) failure(err error) (diags diag.Diagnostics) {
	if err == nil {
		return nil
	}

	l.failed++
	problem := tfkit.ProblemOf(err, "")
	if l.failed == mostFailures || transport.IsClass(err, concernEveryone...) {
		problem.Detail = fmt.Sprintf("The list ended at person %d: %d of its people could not be read.\n\n%s", l.next, l.failed, problem.Detail)
		problem.AddError(&diags)

		return diags
	}

	problem.Detail = fmt.Sprintf("Person %d of the source, in which each counts once, could not be read and is not listed.\n\n%s. %s", l.next, problem.Summary, problem.Detail)
	problem.Summary = "A person could not be read"
	problem.AddWarning(&diags)

	return diags
}

// conclude adds what is known at the end of the list.
func (l *listing) conclude(ctx context.Context, diags *diag.Diagnostics) {
	l.AddNotices(diags)
	diags.Append(l.diags...)
	if l.missing > 0 {
		tfkit.Problem{
			Summary: "People without a consent record",
			Detail:  fmt.Sprintf("The service has no consent record of some people in the source: %d. There is nothing to list or to import of them.", l.missing),
		}.AddWarning(diags)
	}

	more := l.source.isCut || l.next < len(l.source.people)
	switch {
	case l.isFull() && more:
		tfkit.Problem{
			Summary: "The list ends at its limit",
			Detail:  fmt.Sprintf("The list ended at its limit of %d, and its source has more people, who were not looked up.", l.found),
			Do:      "raise limit in the list block to see more of them.",
		}.AddWarning(diags)
	case ctx.Err() != nil:
		// Without an error, Terraform takes what was listed so far for the whole list.
		tfkit.Problem{
			Summary: "The list was interrupted",
			Detail:  "The run was interrupted before all people were looked up.",
			Do:      "run the query again.",
		}.AddError(diags)
	case more:
		tfkit.Problem{
			Summary: "Too many people for one list",
			Detail:  fmt.Sprintf("The day has more than %d people, and a list takes no more. The others were not looked up.", limitDayPeople),
			Do:      "export the day with analytics_export_file, and list its people by identity_ids; or manage them with analytics_consent_batch.",
			At:      tfkit.AtUTCDate,
		}.AddError(diags)
	}
}
