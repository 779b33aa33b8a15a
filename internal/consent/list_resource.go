// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ list.ListResource = (*consentList)(nil)

// The largest numbers of people: in identity_ids, in a list, and of failures before the list fails.
const (
	limitIdentityIDs = 10_000
	limitPeople      = 100_000
	limitFailures    = 10
)

// NewListResource returns the list resource analytics_consent.
func NewListResource(s *tfkit.Service) list.ListResource { return &consentList{s} }

type consentList struct{ *tfkit.Service }

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
				formats.Day,
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
				listvalidator.ValueStringsAre(formats.Segment),
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

// List lists the people once the stream is read. A panic is left to the guard of the stream. Terraform
// reads as many people as the limit allows, so what there is to say about the list comes first.
func (l *consentList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	stream.Results = func(push func(list.ListResult) bool) {
		run := &listing{Service: l.Service, request: req, known: map[string]bool{}}
		run.gather(ctx)
		if len(run.diags) > 0 && !push(list.ListResult{Diagnostics: run.diags}) {
			return
		}

		for _, found := range run.found {
			if !push(run.resultOf(ctx, found)) {
				return
			}
		}
	}
}

// listing is one list of people.
type listing struct {
	*tfkit.Service

	request  list.ListRequest
	scope    client.Scope
	inEffect tfkit.Scope // is scope as attributes
	diags    diag.Diagnostics

	people []*listed       // of the source
	known  map[string]bool // their identities: each is taken once
	isCut  bool            // the source has more people, who are not listed

	found, failed []*listed
	missing       int // have no record
}

// listed is a person of the source, and what the service says about them.
type listed struct {
	number   int // in the source, from 1 on
	identity string
	held     decode.Consent
	err      error
}

// gather finds the people to list, and reports everything about the list.
func (l *listing) gather(ctx context.Context) {
	defer l.RecoverAndReport(ctx, &l.diags)

	l.readSource(ctx)
	if l.diags.HasError() {
		return
	}

	l.lookUp(ctx)
	if !l.diags.HasError() {
		l.report()
	}
}

// readSource takes the people of the configured source. A day is read before anybody is looked up: an
// export that stays open keeps one of the client's slots while the requests about its people wait for one.
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
	l.inEffect = cmp.Or(m.Scope, l.DefaultScope)

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

// add adds a person, unless the person is known, or there are as many as a list takes.
func (l *listing) add(identity string) {
	switch {
	case l.known[identity]:
	case len(l.people) == limitPeople:
		l.isCut = true
	default:
		l.known[identity] = true
		l.people = append(l.people, &listed{identity: identity, number: len(l.known)})
	}
}

// readDay reads the people of a day, and reports records that were not taken for people.
func (l *listing) readDay(ctx context.Context, m listModel) {
	day, ok := tfkit.StartedDay(m.UTCDate, l.Client.Today(), &l.diags)
	if !ok {
		return
	}

	// The interface shows no field of such a record (section 2), so the names are our assumption.
	fields := []string{"identityId", "identity_id"}
	if !m.IdentityField.IsNull() {
		fields = []string{m.IdentityField.ValueString()}
	}
	var persons, unnamed int
	var example string // the members of the first record without an identity
	query := client.ExportQuery{Day: day, Kinds: []records.Kind{records.Person}, Finished: true}
	_, err := l.Client.Export(ctx, l.scope, query, func(day client.Records) error {
		l.people, l.known, l.isCut = nil, map[string]bool{}, false // in place of those of a reading that has failed
		persons, unnamed, example = 0, 0, ""
		for _, record := range day {
			persons++
			if identity, ok := identityIn(record, fields); ok {
				l.add(identity)
			} else {
				unnamed++
				example = cmp.Or(example, decode.Members(record, ""))
			}
		}

		return nil
	})

	problem := tfkit.Problem{
		Summary: "Person records without an identity",
		Detail:  fmt.Sprintf("%d of the %d Person records that were read are skipped, because they have no usable identity in %q. The first one has none there%s.", unnamed, persons, fields, example),
		Do:      "if another member holds the identity, set identity_field to its name.",
		At:      path.Root("identity_field"),
	}
	switch {
	case err != nil:
		tfkit.ProblemOf(err, "").AddError(&l.diags)
	case unnamed == 0:
	case unnamed == persons:
		problem.AddError(&l.diags)
	default:
		problem.AddWarning(&l.diags)
	}
}

// identityIn returns the identity in a record: a text, or a number as it is written, of the first field with one. A
// person whose identity is not in NFC is refused when looked up.
func identityIn(record jsontext.Value, fields []string) (identity string, ok bool) {
	members := jsonvalue.Members(record)
	for _, field := range fields {
		identity = cmp.Or(identity, jsonvalue.Scalar(members[field]))
	}

	err := client.ValidateSegment(identity)

	return identity, err == nil || errors.Is(err, client.ErrNotNFC)
}

// lookUp asks the service about the people in order, until there are enough records or too many failures.
func (l *listing) lookUp(ctx context.Context) {
	var mu sync.Mutex
	limit := cmp.Or(int(l.request.Limit), math.MaxInt)
	panics := tfkit.InParallel(ctx, l.Client.Concurrency, l.people, func(p *listed) (goesOn bool) {
		p.held, p.err = l.Client.GetConsent(ctx, client.Person{Scope: l.scope, Identity: p.identity})
		p.held.JSON = nil // takes more than all else, of 100,000 people

		mu.Lock()
		defer mu.Unlock()

		switch {
		case p.err == nil:
			l.found = append(l.found, p)
		case transport.IsClass(p.err, transport.ClassNotFound):
			l.missing++
		default:
			l.failed = append(l.failed, p)
		}

		return len(l.found) < limit && len(l.failed) < limitFailures
	})
	l.diags.Append(panics...)
	if ctx.Err() != nil { // without an error, Terraform takes what was found so far for the whole list
		tfkit.Problem{
			Summary: "The list was interrupted",
			Detail:  "The run was interrupted before all people were looked up.",
			Do:      "run the query again.",
		}.AddError(&l.diags)
	}

	slices.SortFunc(l.found, inOrder)
	slices.SortFunc(l.failed, inOrder)
	l.found = l.found[:min(len(l.found), limit)]
	l.isCut = l.isCut || len(l.people) > len(l.found)+len(l.failed)+l.missing
}

func inOrder(a, b *listed) int { return a.number - b.number }

// report reports who is not listed. The list has failed if too many people, or all, could not be read.
func (l *listing) report() {
	if l.missing > 0 {
		tfkit.Problem{
			Summary: "People without a consent record",
			Detail:  fmt.Sprintf("The service has no consent record of some people in the source: %d. There is nothing to list or to import of them.", l.missing),
		}.AddWarning(&l.diags)
	}

	if len(l.failed) > 0 {
		cause := tfkit.ProblemOf(l.failed[0].err, "")
		problem := tfkit.Problem{
			Summary: "People could not be read",
			Detail:  fmt.Sprintf("Some people in the source could not be read, and are not listed: %d. The first of them is person %d in the source, where each counts once.\n\n%s. %s", len(l.failed), l.failed[0].number, cause.Summary, cause.Detail),
			Do:      cause.Do,
		}
		if len(l.failed) >= limitFailures || len(l.found) == 0 {
			problem.With("\n\nThe list has ended.").AddError(&l.diags)
			return
		}
		problem.AddWarning(&l.diags)
	}

	if l.isCut {
		tfkit.Problem{
			Summary: "The list ends at its limit",
			Detail:  fmt.Sprintf("The list ends after %d people, and its source has more.", len(l.found)),
			Do:      fmt.Sprintf("raise limit in the list block to see more of them. Of a day, a list takes %d people; name others by identity_ids.", limitPeople),
		}.AddWarning(&l.diags)
	}
}

// resultOf returns the result for a person with a consent record.
func (l *listing) resultOf(ctx context.Context, found *listed) list.ListResult {
	m := &resourceModel{Identity: tfkit.Identity{Scope: l.inEffect, IdentityID: types.StringValue(found.identity)}}
	result := l.request.NewListResult(ctx)
	result.DisplayName = found.identity
	result.Diagnostics.Append(result.Identity.Set(ctx, m.Identity)...)
	if !l.request.IncludeResource {
		return result
	}

	// Neither the scope of the provider block nor a default is written down. "terraform query
	// -json" would print the address, and no generated configuration holds it.
	m.fromAPI(found.held)
	if l.inEffect == l.DefaultScope {
		m.Scope = tfkit.Scope{}
	}
	if m.Manual.ValueBool() {
		m.Manual = types.BoolNull()
	}
	m.UserIPv6 = types.StringNull()
	result.Diagnostics.Append(result.Resource.Set(ctx, m)...)

	return result
}
