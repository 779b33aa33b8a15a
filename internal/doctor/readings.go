// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// examineExport reads the beginning of a day. A service that selects the kind by a parameter may name it in its error.
func (x *examination) examineExport(ctx context.Context) {
	if x.exports == nil {
		return
	}

	r := &reading{
		group: "Export", check: "day", way: x.exports, read: exportOf{x.options.project(), x.options.Day}.read, propose: infer.Export,
		whenEmpty: "the day " + client.FormatDay(x.options.Day) + " has no records; -day chooses another one",
	}
	_, err := x.examine(ctx, r)
	if transport.IsClass(err, transport.ClassRejected) {
		r.propose = infer.KindParameters
		_, _ = x.examine(ctx, r) // the finding has the error
	}
	x.addFinding(r)
}

// examinePending reads the list of pending requests. A rehearsal finds its own requests there later.
func (x *examination) examinePending(ctx context.Context) {
	r := x.pending()
	got, err := x.examine(ctx, r)
	isBlank := err == nil && got.isEmpty() && !r.differs
	if !isBlank || !x.options.Rehearse {
		x.addFinding(r)
	}
}

// pending returns a reading of the list.
func (x *examination) pending() *reading {
	return &reading{
		group: "Pending requests", check: "list", read: pendingOf(x.scope).read, whenEmpty: "the list is empty, so no record was seen",
		propose: func(a infer.Answer) []infer.Settings { return infer.Pending(a, x.known...) },
	}
}

// examinePeople reads an invented person, whose answers say that there is nothing, and the person of the
// options.
func (x *examination) examinePeople(ctx context.Context) {
	readings := nothingOf(x.person(invented()), "invented person")
	if x.options.Identity != "" {
		who := x.person(x.options.Identity)
		const whenEmpty = "the service holds none of this person, so none was seen"
		readings = append(readings,
			&reading{group: "Consent", check: "record", read: who.consent, propose: infer.Consent, whenEmpty: whenEmpty},
			&reading{group: "Profile", check: "profile", read: who.readProfile, propose: who.proposeProfile, whenEmpty: whenEmpty})
	}

	for _, r := range readings {
		_, _ = x.examine(ctx, r) // the finding has the error
		x.addFinding(r)
	}
}

func (x *examination) person(identity string) person {
	return person{Person: client.Person{Scope: x.scope, Identity: identity}}
}

// nothingOf returns readings of a person whom the service does not know. A profile may also be empty.
func nothingOf(p person, check string) []*reading {
	return []*reading{
		{group: "Consent", check: check, read: nothing{p.consent}.read, propose: infer.Absent},
		{group: "Profile", check: check, read: nothing{p.readProfile}.read, propose: func(a infer.Answer) []infer.Settings {
			return append(infer.Absent(a), p.proposeProfile(a)...)
		}},
	}
}

// proposeProfile proposes where the profile is, by the members of it that are known.
func (p person) proposeProfile(a infer.Answer) []infer.Settings {
	return infer.Profile(a, slices.Sorted(maps.Keys(p.profile)))
}

// invented returns an identity that nobody has.
func invented() string {
	return "doctor-" + strings.ToLower(rand.Text()) + "@example.invalid"
}
