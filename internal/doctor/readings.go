// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

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
		propose: x.proposePending,
	}
}

// examinePeople reads an invented person, whose answers say that there is nothing, and the person of the
// options.
func (x *examination) examinePeople(ctx context.Context) {
	readings := x.nothingOf(x.person(invented()), "invented person")
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

func (x *examination) proposePending(a infer.Answer) []infer.Settings {
	return infer.Pending(a, x.known...)
}

// nothingOf returns readings of a person whom the service does not know. A profile may also be empty.
func (x *examination) nothingOf(p person, check string) []*reading {
	return []*reading{
		{group: "Consent", check: check, read: nothing{p.consent}.read, propose: infer.Absent},
		{group: "Profile", check: check, read: nothing{p.readProfile}.read, propose: p.proposeNoProfile},
	}
}

// proposeProfile proposes where the profile is, by the members of it that are known.
func (p person) proposeProfile(a infer.Answer) []infer.Settings {
	return infer.Profile(a, slices.Sorted(maps.Keys(p.profile)))
}

// proposeNoProfile also proposes what says that there is none.
func (p person) proposeNoProfile(a infer.Answer) []infer.Settings {
	return append(infer.Absent(a), p.proposeProfile(a)...)
}

// invented returns an identity that nobody has.
func invented() string {
	return "doctor-" + strings.ToLower(rand.Text()) + "@example.invalid"
}

// examineExport reads the beginning of a day, with the first credentials that are accepted for it; those of the
// report come first.
func (x *examination) examineExport(ctx context.Context) {
	if x.options.Scope.OrgID == "" || len(x.ways) == 0 {
		return
	}

	for _, w := range firstOf(x.ways, x.use) {
		r := x.examineDay(ctx, w)
		if !transport.IsClass(r.err, transport.ClassAuthentication, transport.ClassForbidden, transport.ClassNotFound, transport.ClassEndpointNotFound, transport.ClassNotReady) {
			x.addFinding(r)
			return
		}
	}
	x.report.add("Export", "day", Unknown, "none of the given credentials are accepted for an export, or the project or the day "+client.FormatDay(x.options.Day)+" is not there")
}

// examineDay reads the beginning of the day in one way. A service that selects the kind by a parameter may name
// it in its error.
func (x *examination) examineDay(ctx context.Context, w *way) *reading {
	r := &reading{
		group: "Export", check: "day", way: w, read: exportOf{x.options.Scope, x.options.Day}.read, propose: infer.Export,
		whenEmpty: "the day " + client.FormatDay(x.options.Day) + " has no records; -day chooses another one",
		hint:      "; if a parameter selects the kind, wire.export.kind_parameter and wire.export.kind_values name it and its values",
	}
	_, err := x.examine(ctx, r)
	e, ok := errors.AsType[*transport.Error](err)
	if !ok || e.Class != transport.ClassRejected {
		return r
	}

	message := e.Message
	var names []string
	for _, f := range e.Fields {
		names, message = append(names, f.Field), message+" "+f.Message
	}
	for _, s := range infer.KindParameters(message, names...) {
		if selected := x.examineDayWith(ctx, *r, s); selected != nil {
			return selected
		}
	}

	return r
}

// examineDayWith reads the day with a parameter for the kind, and adopts it if there are records; otherwise it
// returns nil.
func (x *examination) examineDayWith(ctx context.Context, r reading, s infer.Settings) *reading {
	before, readings := x.wire, slices.Clone(x.readings)
	wire, err := before.With(s)
	if err != nil || slices.ContainsFunc(s.Texts(), x.hides) {
		return nil
	}

	x.wire = wire
	read, err := x.examine(ctx, &r)
	if err != nil || read.isEmpty() {
		x.wire, x.readings = before, readings
		return nil
	}
	r.differs = true

	return &r
}
