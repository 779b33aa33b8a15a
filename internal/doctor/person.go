// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"crypto/rand"
	"slices"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// examinePerson reads consent and profile of the one person that was named.
func (x *examination) examinePerson(ctx context.Context) {
	if x.options.Identity == "" {
		return
	}
	if x.use == nil {
		x.report.add(GroupConsent, "access", Unknown, "none of the given credentials are accepted for people, or no path family answers")
		return
	}

	x.examineConsent(ctx)
	x.examineNobody(ctx)
	x.examineProfile(ctx)
}

// Fields of a consent record (section 2).
const (
	fieldTime    = "agreement_time"
	fieldAddress = "user_ipv6"
	fieldManual  = "manual"
)

// examineConsent reports which fields of the person's consent are recognised.
func (x *examination) examineConsent(ctx context.Context) {
	held, err := x.use.client.GetConsent(ctx, x.scope, x.options.Identity)
	if transport.IsClass(err, transport.ClassNotFound) {
		x.report.add(GroupConsent, "shape", Unknown, "the service holds no consent of this person ("+describe(err)+"), so no record was seen")
		return
	}

	if err != nil {
		x.report.add(GroupConsent, "shape", Broken, describe(err))
		return
	}

	x.report.add(GroupConsent, "shape", OK, "a record was found")
	var lacking, unknown []string
	for i, name := range answer.ClauseNames {
		if !isSet(held.Clauses[i]) {
			lacking = append(lacking, name)
		}
	}
	for name, has := range map[string]bool{fieldTime: isSet(held.AgreementTime), fieldAddress: isSet(held.UserIPv6), fieldManual: isSet(held.Manual)} {
		if !has {
			lacking = append(lacking, name)
		}
	}
	for _, p := range jsonvalue.Outline(held.JSON, x.hides) {
		if len(p.Path) > 0 && p.Kind != '{' && p.Name() != jsonvalue.Each && !answer.IsConsentMember(p.Name()) {
			unknown = append(unknown, p.Name())
		}
	}
	x.reportFields(GroupConsent, lacking, unknown, lacksClause(held))
}

func lacksClause(held answer.Consent) bool {
	return slices.ContainsFunc(held.Clauses[:], func(c answer.Optional[bool]) bool { return !isSet(c) })
}

// examineNobody reads the consent of an invented person, whom the service does not know. The
// provider must recognise that answer, and it must not look like a choice.
func (x *examination) examineNobody(ctx context.Context) {
	_, err := x.use.client.GetConsent(ctx, x.scope, "doctor-"+rand.Text())

	switch {
	case transport.IsClass(err, transport.ClassNotFound):
		x.report.add(GroupConsent, "unknown person", OK, "recognised as a person without a consent")
	case err == nil:
		x.report.add(GroupConsent, "unknown person", Differs, "the service answers a record for a person whom it cannot know; creating a consent will find a choice there")
	default:
		x.report.add(GroupConsent, "unknown person", Differs, "not recognised as a person without a consent ("+describe(err)+"), so creating a consent with keep_later_choice fails")
	}
}

// examineProfile reports what the person's profile looks like.
func (x *examination) examineProfile(ctx context.Context) {
	profile, err := x.use.client.GetProfile(ctx, x.scope, x.options.Identity, nil)
	if transport.IsClass(err, transport.ClassNotFound) {
		x.report.add(GroupProfile, "shape", Unknown, "the service holds no profile of this person, so none was seen")
		return
	}
	if err != nil {
		x.report.add(GroupProfile, "shape", Broken, describe(err))
		return
	}

	names := jsonvalue.Names(profile.Members)
	if x.wire.ProfileMember == "" && len(names) == 1 && profile.Members[names[0]].Kind() == '{' {
		if !x.hides(names[0]) {
			x.wire.ProfileMember = names[0]
		}
		x.report.add(GroupProfile, "shape", Differs, "the only member is an object, "+x.shown(names)+"; wire.profile_member reads the profile from it, and has to be left out if it is a member of the profile")
		return
	}

	x.report.add(GroupProfile, "shape", OK, "an object with "+counted(len(names), "member", "members"))
}
