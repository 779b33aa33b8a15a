package doctor

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

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

	x.options.Progress("reading the consent of the person")
	x.examineConsent(ctx)
	x.options.Progress("reading the consent of an invented person")
	x.examineNobody(ctx)
	x.options.Progress("reading the profile of the person")
	x.examineProfile(ctx)
}

// adopt looks for credentials and a path family that answer about the person, where none
// answered for the list of pending requests. It reports whether there are any.
func (x *examination) adopt(ctx context.Context) bool {
	for _, f := range x.families {
		for _, w := range x.usable() {
			_, err := w.client.GetConsent(ctx, f.scope, x.options.Identity)
			if err == nil || client.IsClass(err, client.ClassNotFound, client.ClassPayload) {
				x.use, x.scope = w, f.scope
				return true
			}
		}
	}

	return false
}

// examineConsent reports which fields of the person's consent are recognised.
func (x *examination) examineConsent(ctx context.Context) {
	held, err := x.use.client.GetConsent(ctx, x.scope, x.options.Identity)
	places := x.seen.body(opGetConsent)

	if client.IsClass(err, client.ClassNotFound) {
		x.report.add(GroupConsent, "shape", Unknown, "the service holds no consent of this person ("+describe(err)+"), so no record was seen")
		return
	}
	if err != nil {
		x.report.add(GroupConsent, "shape", Broken, describe(err)+misfits(places))
		x.reportConsentStrangers(places, client.Consent{})
		return
	}

	x.report.add(GroupConsent, "shape", OK, "the record is at "+recordPath(places))
	x.reportConsentFields(places, held)
	x.reportTimeForm(places)
	x.reportConsentStrangers(places, held)
}

// misfits says which parts of a consent answer are not what the provider expects.
func misfits(places []jsonvalue.Place) string {
	var found []string
	for _, p := range places {
		if text := misfit(p); text != "" {
			found = append(found, text)
		}
	}

	if len(found) == 0 {
		return ""
	}

	return "; " + list(found)
}

// misfit says why a known place of a consent answer is not what the provider expects; empty
// if it is.
func misfit(p jsonvalue.Place) string {
	if len(p.Path) == 0 && p.Kind != '{' {
		return "the answer is " + jsonvalue.KindName(p.Kind)
	}
	if p.Kind == 'n' || !answer.IsConsentMember(p.Name()) {
		return ""
	}

	readable := p.Form == jsonvalue.FormRFC3339 || p.Form == jsonvalue.FormMilliseconds
	if p.Name() == fieldTime && !readable {
		return p.Name() + " holds " + orDefault(string(p.Form), jsonvalue.KindName(p.Kind))
	}
	if strings.HasPrefix(p.Name(), "clause_") && p.Kind != 't' {
		return p.Name() + " is " + jsonvalue.KindName(p.Kind)
	}

	return ""
}

// recordPath returns where the first clause of a record is.
func recordPath(places []jsonvalue.Place) string {
	for _, p := range places {
		if answer.IsConsentMember(p.Name()) {
			return jsonvalue.Place{Path: p.Path[:len(p.Path)-1]}.String()
		}
	}
	return "$"
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

// fieldTime and the others are fields of a consent record (section 2).
const (
	fieldTime    = "agreement_time"
	fieldAddress = "user_ipv6"
	fieldManual  = "manual"
)

func (x *examination) reportConsentFields(places []jsonvalue.Place, held client.Consent) {
	known, lacking := consentFields(held)

	word, text := OK, "recognised "+list(known)
	if len(lacking) > 0 {
		text += "; not recognised: " + list(lacking)
		if len(consentCandidates(consentStrangers(places), held)) > 0 {
			word = Differs
		}
	}
	if lacksClause(held) {
		word = Broken // no consent can be compared with a configuration
	}
	x.report.add(GroupConsent, "fields", word, text)
}

// consentFields returns the fields that the record has, and those that it has not.
func consentFields(held client.Consent) (known, lacking []string) {
	clauses := 0
	for _, c := range held.Clauses {
		if isSet(c) {
			clauses++
		}
	}

	if clauses == client.Clauses {
		known = append(known, "the five clauses")
	} else {
		lacking = append(lacking, counted(client.Clauses-clauses, "clause", "clauses"))
	}

	for _, f := range []struct {
		name string
		has  bool
	}{{fieldTime, isSet(held.AgreementTime)}, {fieldAddress, isSet(held.UserIPv6)}, {fieldManual, isSet(held.Manual)}} {
		if f.has {
			known = append(known, f.name)
		} else {
			lacking = append(lacking, f.name)
		}
	}

	return known, lacking
}

func lacksClause(held client.Consent) bool {
	return slices.ContainsFunc(held.Clauses[:], func(c client.Optional[bool]) bool { return !isSet(c) })
}

// reportTimeForm reports how the service writes agreement_time.
func (x *examination) reportTimeForm(places []jsonvalue.Place) {
	for _, p := range places {
		if p.Name() == fieldTime && p.Form.IsTime() {
			x.report.add(GroupConsent, "form of dates", OK, "agreement_time is read as "+string(p.Form))
			return
		}
	}
}

// consentStrangers returns the places of members that are no fields of a consent record.
func consentStrangers(places []jsonvalue.Place) []jsonvalue.Place {
	return slices.DeleteFunc(slices.Clone(places), func(p jsonvalue.Place) bool {
		return len(p.Path) == 0 || p.Name() == jsonvalue.Each || answer.IsConsentMember(p.Name()) || p.Kind == '{'
	})
}

func (x *examination) reportConsentStrangers(places []jsonvalue.Place, held client.Consent) {
	strange := consentStrangers(places)
	x.report.stranger(Stranger{Where: "consent record", Members: namesOf(strange), Candidates: consentCandidates(strange, held)})
}

// consentCandidates returns the members that may be fields that the record does not have.
func consentCandidates(strange []jsonvalue.Place, held client.Consent) []Candidate {
	var found []Candidate
	add := func(p jsonvalue.Place, field, because string) {
		c := Candidate{Member: strings.TrimPrefix(p.String(), "$."), Field: field, Because: because}
		if !slices.Contains(found, c) {
			found = append(found, c)
		}
	}

	for _, p := range strange {
		switch {
		case p.Form.IsTime() && !isSet(held.AgreementTime):
			add(p, fieldTime, "it holds "+string(p.Form))
		case p.Form == jsonvalue.FormAddress && !isSet(held.UserIPv6):
			add(p, fieldAddress, "it holds "+string(p.Form))
		case p.Kind == 't' && (lacksClause(held) || !isSet(held.Manual)):
			add(p, "a clause or manual", "it holds true or false")
		}
	}

	return found
}

// examineProfile reports what the person's profile looks like.
func (x *examination) examineProfile(ctx context.Context) {
	profile, err := x.use.client.GetProfile(ctx, x.scope, x.options.Identity, nil)
	places := x.seen.body(opGetProfile)

	if client.IsClass(err, client.ClassNotFound) {
		x.report.add(GroupProfile, "shape", Unknown, "the service holds no profile of this person, so none was seen")
		return
	}
	if err != nil {
		x.report.add(GroupProfile, "shape", Broken, describe(err))
		x.report.stranger(Stranger{Where: "profile", Members: namesOf(places)})
		return
	}

	names := namesOf(places)
	if wrapper := soleObject(places); wrapper != "" && x.wire.ProfileMember == "" && len(profile.Members) == 1 {
		if wrapper != jsonvalue.AnyName {
			x.wire.ProfileMember = wrapper
		}
		x.report.add(GroupProfile, "shape", Differs, "the only member is an object, "+wrapper+"; wire.profile_member reads the profile from it, and has to be left out if it is a member of the profile")
		x.report.stranger(Stranger{Where: "profile", Members: names})
		return
	}

	x.report.add(GroupProfile, "shape", OK, "an object with "+shortened(names))
}

// soleObject returns the name of the only member at the top if it is an object.
func soleObject(places []jsonvalue.Place) string {
	var top []jsonvalue.Place
	for _, p := range places {
		if len(p.Path) == 1 {
			top = append(top, p)
		}
	}

	if len(top) == 1 && top[0].Kind == '{' {
		return top[0].Name()
	}

	return ""
}
