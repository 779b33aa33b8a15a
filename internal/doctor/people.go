// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// fields are the fields of records, and whether each record has one that is recognised.
type fields struct {
	recognised map[string]bool
	unknown    []string // members that are not recognised
}

func isSet[T any](o answer.Optional[T]) bool {
	_, set := o.Get()
	return set
}

// reportFields reports the fields that were not recognised, and the members that were found
// in their place. A field that is missing is optional, unless it is needed.
func (x *examination) reportFields(group string, f fields, needed ...string) {
	lacking := slices.Sorted(maps.Keys(f.recognised))
	lacking = slices.DeleteFunc(lacking, func(name string) bool { return f.recognised[name] })

	word, text := OK, "all fields are recognised"
	if len(lacking) > 0 {
		text = "not recognised: " + list(lacking)
	}
	if len(f.unknown) > 0 {
		text += "; unknown members: " + x.shown(f.unknown)
	}
	if len(f.unknown) > 0 || slices.ContainsFunc(needed, func(name string) bool { return slices.Contains(lacking, name) }) {
		word = Differs
	}

	x.report.add(group, "fields", word, text)
}

// examinePending reports what the list of pending requests looks like.
func (x *examination) examinePending() {
	if x.use == nil {
		return
	}
	if x.family.err != nil {
		x.report.add(GroupPending, "shape", Broken, describe(x.family.err)+`; wire.pending_list = "ignored" does without the list`)
		return
	}

	pending := x.family.list
	if len(pending.Records) == 0 {
		x.report.add(GroupPending, "shape", Unknown, "the list is empty, so no record was seen")
	} else {
		x.report.add(GroupPending, "shape", OK, fmt.Sprintf("records: %d", len(pending.Records)))
		x.examineRecords(pending.Records)
	}

	if pending.Gap == "" {
		x.report.add(GroupPending, "pages", OK, "nothing says that there are more")
		return
	}
	if x.mayIgnore(pending.Beside) {
		x.wire.PendingIgnoredMembers = strings.Join(pending.Beside, ",")
	}
	x.report.add(GroupPending, "pages", Differs, pending.Gap+"; requests are not sent while the list is not whole")
}

// examineRecords reports which fields and statuses of the records are recognised, and finds
// the member that holds the person who was given.
func (x *examination) examineRecords(records []answer.PendingRecord) {
	f := fields{recognised: map[string]bool{"id": true, "identity": true, "request_type": true, "status": true, "created_at": true}}
	holders := map[string]bool{}
	unclear := 0
	for _, r := range records {
		for name, has := range map[string]bool{
			"id": isSet(r.ID), "identity": isSet(r.Identity), "request_type": isSet(r.RequestType), "status": isSet(r.Status), "created_at": isSet(r.CreatedAt),
		} {
			f.recognised[name] = f.recognised[name] && has
		}
		if r.Progress() == answer.Unclear {
			unclear++
		}

		for name, v := range jsonvalue.Members(r.JSON) {
			if !answer.IsPendingMember(name, x.wire.PendingIdentityField) {
				f.unknown = append(f.unknown, name)
			}
			if !isSet(r.Identity) && x.options.Identity != "" && jsonvalue.Text(v) == x.options.Identity {
				holders[name] = true
			}
		}
	}

	names := slices.Collect(maps.Keys(holders))
	if len(names) == 1 && !x.hides(names[0]) {
		x.wire.PendingIdentityField = names[0]
		f.unknown = slices.DeleteFunc(f.unknown, func(name string) bool { return name == names[0] })
	} else if len(names) > 0 {
		x.report.add(GroupPending, "person", Differs, x.shown(names)+" hold the person; wire.pending_identity_field names the member that says whose request a record is")
	}

	x.reportFields(GroupPending, f, "identity", "request_type")
	if unclear > 0 {
		x.report.add(GroupPending, "statuses", Differs, fmt.Sprintf("records with a status that the provider does not know, and treats as pending: %d; wire.ended_statuses names the statuses of ended requests", unclear))
	}
}

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
	x.examineProfile(ctx)
}

// examineConsent reports which fields of the person's consent are recognised, and whether the
// answer about an invented person is, whom the service does not know: it must not look like a
// choice.
func (x *examination) examineConsent(ctx context.Context) {
	held, err := x.use.client.GetConsent(ctx, x.family.scope, x.options.Identity)
	switch {
	case transport.IsClass(err, transport.ClassNotFound):
		x.report.add(GroupConsent, "shape", Unknown, "the service holds no consent of this person ("+describe(err)+"), so no record was seen")
	case err != nil:
		x.report.add(GroupConsent, "shape", Broken, describe(err))
	default:
		x.report.add(GroupConsent, "shape", OK, "a record was found")
		x.examineConsentFields(held)
	}

	_, err = x.use.client.GetConsent(ctx, x.family.scope, "doctor-"+rand.Text())
	switch {
	case transport.IsClass(err, transport.ClassNotFound):
		x.report.add(GroupConsent, "unknown person", OK, "recognised as a person without a consent")
	case err == nil:
		x.report.add(GroupConsent, "unknown person", Differs, "the service answers a record for a person whom it cannot know; creating a consent will find a choice there")
	default:
		x.report.add(GroupConsent, "unknown person", Differs, "not recognised as a person without a consent ("+describe(err)+"), so creating a consent with keep_later_choice fails")
	}
}

func (x *examination) examineConsentFields(held answer.Consent) {
	f := fields{recognised: map[string]bool{
		"agreement_time": isSet(held.AgreementTime), "user_ipv6": isSet(held.UserIPv6), "manual": isSet(held.Manual),
	}}
	for i, name := range answer.ClauseNames {
		f.recognised[name] = isSet(held.Clauses[i])
	}
	for _, p := range jsonvalue.Outline(held.JSON, x.hides) {
		if len(p.Path) > 0 && p.Kind != '{' && p.Name() != jsonvalue.Each && !answer.IsConsentMember(p.Name()) {
			f.unknown = append(f.unknown, p.Name())
		}
	}

	x.reportFields(GroupConsent, f, answer.ClauseNames[:]...)
}

// examineProfile reports what the person's profile looks like.
func (x *examination) examineProfile(ctx context.Context) {
	profile, err := x.use.client.GetProfile(ctx, x.family.scope, x.options.Identity, nil)
	names := jsonvalue.Names(profile.Members)
	switch {
	case transport.IsClass(err, transport.ClassNotFound):
		x.report.add(GroupProfile, "shape", Unknown, "the service holds no profile of this person, so none was seen")
	case err != nil:
		x.report.add(GroupProfile, "shape", Broken, describe(err))
	case x.wire.ProfileMember == "" && len(names) == 1 && profile.Members[names[0]].Kind() == '{':
		if !x.hides(names[0]) {
			x.wire.ProfileMember = names[0]
		}
		x.report.add(GroupProfile, "shape", Differs, "the only member is an object, "+x.shown(names)+"; wire.profile_member reads the profile from it, and has to be left out if it is a member of the profile")
	default:
		x.report.add(GroupProfile, "shape", OK, fmt.Sprintf("an object with members: %d", len(names)))
	}
}
