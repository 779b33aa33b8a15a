package doctor

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// examinePerson reads consent and profile of the one person that was named.
func (x *examination) examinePerson(ctx context.Context) {
	if x.options.Identity == "" {
		return
	}
	if x.use == nil && !x.adopt(ctx) {
		x.report.add(GroupConsent, "access", Unknown, "none of the given credentials are accepted for people, or no path family answers")
		return
	}

	x.examineConsent(ctx)
	x.examineNobody(ctx)
	x.examineProfile(ctx)
}

// adopt looks for credentials and a path family that answer about the person, where none
// answered for the list of pending requests. It reports whether there are any.
func (x *examination) adopt(ctx context.Context) bool {
	for _, f := range x.families {
		for _, w := range x.ways {
			_, err := w.client.GetConsent(ctx, f, x.options.Identity)
			if err == nil || client.IsClass(err, client.ClassNotFound, client.ClassPayload) {
				x.use, x.scope = w, f
				return true
			}
		}
	}

	return false
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
	if client.IsClass(err, client.ClassNotFound) {
		x.report.add(GroupConsent, "shape", Unknown, "the service holds no consent of this person ("+describe(err)+"), so no record was seen")
		return
	}

	strange := slices.DeleteFunc(slices.Clone(x.seen.bodies[opGetConsent]), func(p jsonvalue.Place) bool {
		return answer.IsConsentMember(p.Name()) || p.Kind == '{'
	})
	x.report.stranger("consent record", namesOf(strange))
	if err != nil {
		x.report.add(GroupConsent, "shape", Broken, describe(err))
		return
	}

	x.report.add(GroupConsent, "shape", OK, "a record was found")

	fields := map[string]bool{fieldTime: isSet(held.AgreementTime), fieldAddress: isSet(held.UserIPv6), fieldManual: isSet(held.Manual)}
	for i, c := range held.Clauses {
		fields[fmt.Sprintf("clause_%d_consent", i+1)] = isSet(c)
	}
	var lacking []string
	for name, has := range fields {
		if !has {
			lacking = append(lacking, name)
		}
	}
	x.reportFields(GroupConsent, fields, lacking, len(namesOf(strange)) > 0 || lacksClause(held))
}

func lacksClause(held answer.Consent) bool {
	return slices.ContainsFunc(held.Clauses[:], func(c answer.Optional[bool]) bool { return !isSet(c) })
}

// examineNobody reads the consent of an invented person, whom the service does not know. The
// provider must recognise that answer, and it must not look like a choice.
func (x *examination) examineNobody(ctx context.Context) {
	_, err := x.use.client.GetConsent(ctx, x.scope, "doctor-"+rand.Text())

	switch {
	case client.IsClass(err, client.ClassNotFound):
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
	names := x.seen.members(opGetProfile)
	if client.IsClass(err, client.ClassNotFound) {
		x.report.add(GroupProfile, "shape", Unknown, "the service holds no profile of this person, so none was seen")
		return
	}
	if err != nil {
		x.report.add(GroupProfile, "shape", Broken, describe(err))
		x.report.stranger("profile", names)
		return
	}

	for name, v := range profile.Members {
		if x.wire.ProfileMember != "" || len(profile.Members) != 1 || v.Kind() != '{' {
			break
		}
		if !x.hides(name) {
			x.wire.ProfileMember = name
		}
		x.report.add(GroupProfile, "shape", Differs, "the only member is an object, "+x.shown(name)+"; wire.profile_member reads the profile from it, and has to be left out if it is a member of the profile")
		x.report.stranger("profile", names)

		return
	}
	x.report.add(GroupProfile, "shape", OK, "an object with "+counted(len(profile.Members), "member", "members"))
}
