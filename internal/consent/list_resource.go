// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ list.ListResourceWithConfigure = (*consentList)(nil)

// The largest numbers of people: in identity_ids, taken from a day, and of those who may fail to be read
// before the list fails.
const (
	limitIdentityIDs = 10_000
	limitDayPeople   = 100_000
	limitFailures    = 10
)

// concernEveryone are the classes of failures that would repeat for every other person.
var concernEveryone = []transport.ErrorClass{
	transport.ClassAuthentication, transport.ClassForbidden, transport.ClassEndpointNotFound, transport.ClassLoginAnswer,
	transport.ClassTLS, transport.ClassProxyAuth, transport.ClassRedirect,
}

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
		run := &listing{Service: l.Service, request: req, known: map[string]bool{}}
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

	request  list.ListRequest
	scope    client.Scope
	inEffect tfkit.Scope      // is scope as attributes
	diags    diag.Diagnostics // about the source; with an error, there is nothing to list

	people []string // of the source, each once
	known  map[string]bool
	isCut  bool // the source has more people than a list takes

	persons int    // Person records of a day
	unnamed int    // of them, those without a usable identity
	example string // the members of the first of those

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
	l.inEffect = m.Scope
	l.ResolveScope(&l.inEffect)
	if !m.UTCDate.IsNull() {
		l.readDay(ctx, m)
		return
	}

	var identities []string
	l.diags.Append(m.IdentityIDs.ElementsAs(ctx, &identities, false)...)
	for _, identity := range identities {
		l.add(identity)
	}
}

// add adds a person, unless the person is known.
func (l *listing) add(identity string) {
	if !l.known[identity] {
		l.known[identity] = true
		l.people = append(l.people, identity)
	}
}

// readDay reads the people of a day, before anybody is looked up: an export that stays open
// keeps one of the client's slots while the requests about its people wait for one, and the
// service waits for its reader.
func (l *listing) readDay(ctx context.Context, m listModel) {
	day, ok := tfkit.StartedDay(m.UTCDate, l.Client.Today(), &l.diags)
	if !ok {
		return
	}
	if !day.Before(l.Client.Today()) {
		tfkit.Problem{
			Summary: "The day is not over",
			Detail:  tfkit.WhyNotOver + " No request was sent.",
			Do:      "list the people of a day that is over.",
			At:      tfkit.AtUTCDate,
		}.AddError(&l.diags)

		return
	}

	// The interface shows no field of such a record (section 2), so the names are our assumption.
	fields := []string{"identityId", "identity_id"}
	if !m.IdentityField.IsNull() {
		fields = []string{m.IdentityField.ValueString()}
	}
	query := client.ExportQuery{Day: day, Kinds: []records.Kind{records.Person}, Finished: true}
	_, err := l.Client.Export(ctx, l.scope, query, func(day client.Records) error {
		l.take(day, fields)
		return nil
	})
	if err != nil {
		tfkit.ProblemOf(err, "").AddError(&l.diags)
		return
	}

	l.reportUnnamed(fields)
}

// take takes the people of a day, up to the largest number, in place of those of a reading that has failed.
func (l *listing) take(day client.Records, fields []string) {
	l.people, l.persons, l.unnamed = nil, 0, 0
	clear(l.known)
	for _, record := range day {
		l.persons++
		identity, ok := identityIn(record, fields)
		switch {
		case !ok:
			l.unnamed++
			l.example = cmp.Or(l.example, answer.Members(record, ""))
		case len(l.people) == limitDayPeople && !l.known[identity]:
			l.isCut = true
			return
		default:
			l.add(identity)
		}
	}
}

// identityIn returns the identity in a record: the text of a string, or a whole number as
// it is written. It is that of the first field which holds one, if it can be used. One that is
// not in NFC is a person who is refused when looked up.
func identityIn(record jsontext.Value, fields []string) (identity string, ok bool) {
	members := jsonvalue.Members(record)
	for _, field := range fields {
		value := members[field]
		if value.Kind() == '"' {
			identity = cmp.Or(identity, jsonvalue.Text(value))
		} else if strings.Trim(string(value), "0123456789") == "" {
			identity = cmp.Or(identity, string(value))
		}
	}

	err := client.ValidateSegment(identity)

	return identity, err == nil || errors.Is(err, client.ErrNotNFC)
}

// reportUnnamed reports records that were not taken for people.
func (l *listing) reportUnnamed(fields []string) {
	problem := tfkit.Problem{
		Summary: "Person records without an identity",
		Detail: fmt.Sprintf("%d of the %d Person records that were read are skipped, because they have no usable identity in ", l.unnamed, l.persons) +
			`"` + strings.Join(fields, `" or "`) + `".`,
		Do: "if another member holds the identity, set identity_field to its name.",
		At: path.Root("identity_field"),
	}
	if l.example != "" {
		problem.Detail += " The first one has none there" + l.example + "."
	}

	switch l.unnamed {
	case 0:
	case l.persons:
		problem.AddError(&l.diags)
	default:
		problem.AddWarning(&l.diags)
	}
}

// stream hands over the people with a consent record, in the order of the source, as many
// as the limit allows. Terraform reads no further than that, and says nothing of its own
// about the limit, so the last result carries what there is to say about the list.
func (l *listing) stream(ctx context.Context, push func(list.ListResult) bool) {
	for l.next < len(l.people) && ctx.Err() == nil {
		answers, panics := l.lookUp(ctx)
		if panics.HasError() {
			push(list.ListResult{Diagnostics: panics})
			return
		}
		if ctx.Err() != nil {
			break
		}

		for _, answered := range answers {
			if !l.pushNext(ctx, answered, push) {
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
	width := min(l.Client.Concurrency, len(l.people)-l.next)
	if limit := int(l.request.Limit); limit > 0 {
		width = min(width, limit-l.found)
	}

	answers = make([]answered, width)
	positions := make([]int, width)
	for i := range positions {
		positions[i] = i
	}
	panics = tfkit.InParallel(ctx, width, positions, func(i int) (goesOn bool) {
		person := client.Person{Scope: l.scope, Identity: l.people[l.next+i]}
		answers[i].held, answers[i].err = l.Client.GetConsent(ctx, person)
		return true
	})

	return answers, panics
}

// pushNext hands over the result for the next person, and reports whether the list goes on.
func (l *listing) pushNext(ctx context.Context, answered answered, push func(list.ListResult) bool) (goesOn bool) {
	result, ok := l.result(ctx, answered)
	if !ok {
		return true
	}

	isLast := l.request.Limit > 0 && l.found == int(l.request.Limit)
	if isLast {
		l.conclude(ctx, &result.Diagnostics)
	}

	return push(result) && !isLast && !result.Diagnostics.HasError()
}

// result returns the result for the next person, or false for one without a record. Of a person who could
// not be read, it is a warning, or an error if the list as a whole has failed, with the position in the
// source.
func (l *listing) result(ctx context.Context, answered answered) (result list.ListResult, ok bool) {
	identity := l.people[l.next]
	l.next++
	switch {
	case answered.err == nil:
		l.found++
		return l.resultOf(ctx, identity, answered.held), true
	case transport.IsClass(answered.err, transport.ClassNotFound):
		l.missing++
		return result, false
	}

	l.failed++
	problem := tfkit.ProblemOf(answered.err, "")
	isTooOften := l.failed == limitFailures
	if isTooOften || transport.IsClass(answered.err, concernEveryone...) {
		problem.Detail = fmt.Sprintf("The list ended at person %d: %d of its people could not be read.\n\n%s", l.next, l.failed, problem.Detail)
		problem.AddError(&result.Diagnostics)

		return result, true
	}

	problem.Detail = fmt.Sprintf("Person %d of the source, in which each counts once, could not be read and is not listed.\n\n%s. %s", l.next, problem.Summary, problem.Detail)
	problem.Summary = "A person could not be read"
	problem.AddWarning(&result.Diagnostics)

	return result, true
}

// resultOf returns the result for a person with a consent record.
func (l *listing) resultOf(ctx context.Context, identity string, held answer.Consent) list.ListResult {
	m := &resourceModel{Identity: tfkit.Identity{Scope: l.inEffect, IdentityID: types.StringValue(identity)}}
	result := l.request.NewListResult(ctx)
	result.DisplayName = identity
	result.Diagnostics.Append(result.Identity.Set(ctx, m.Identity)...)
	if !l.request.IncludeResource {
		return result
	}

	// Neither the scope of the provider block nor a default is written down. "terraform query
	// -json" would print the address, and no generated configuration holds it.
	m.fromAPI(held)
	if l.scope == l.DefaultScope {
		m.Scope = tfkit.Scope{}
	}
	if m.Manual.ValueBool() {
		m.Manual = types.BoolNull()
	}
	m.UserIPv6 = types.StringNull()
	result.Diagnostics.Append(result.Resource.Set(ctx, m)...)

	return result
}

// conclude adds what is known at the end of the list.
func (l *listing) conclude(ctx context.Context, diags *diag.Diagnostics) {
	defer l.RecoverAndReport(ctx, diags)

	diags.Append(l.diags...)
	if l.missing > 0 {
		tfkit.Problem{
			Summary: "People without a consent record",
			Detail:  fmt.Sprintf("The service has no consent record of some people in the source: %d. There is nothing to list or to import of them.", l.missing),
		}.AddWarning(diags)
	}

	isRest := l.isCut || l.next < len(l.people)
	switch {
	case l.found > 0 && l.found == int(l.request.Limit) && isRest:
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
	case isRest:
		tfkit.Problem{
			Summary: "Too many people for one list",
			Detail:  fmt.Sprintf("The day has more than %d people, and a list takes no more. The others were not looked up.", limitDayPeople),
			Do:      "export the day with analytics_export_file, and list its people by identity_ids; or manage them with analytics_consent_batch.",
			At:      tfkit.AtUTCDate,
		}.AddError(diags)
	}
}
