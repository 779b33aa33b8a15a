// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// examinePending reads the list of pending requests. A rehearsal finds its own requests there later.
func (x *examination) examinePending(ctx context.Context) {
	r := x.pending()
	x.examine(ctx, r)
	isBlank := r.err == nil && r.decoded.isEmpty() && !r.differs
	if !isBlank || !x.options.Rehearse {
		x.addFinding(r)
	}
}

// pending returns a reading of the list.
func (x *examination) pending() *reading {
	return &reading{
		group: "Pending requests", check: "list", read: readPending(x.family.scope), whenEmpty: "the list is empty, so no record was seen",
		propose: func(a infer.Answer) []infer.Settings { return infer.Pending(a, x.known...) },
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
			&reading{group: "Profile", check: "profile", read: who.readProfile, propose: proposeProfile(), whenEmpty: whenEmpty})
	}

	for _, r := range readings {
		x.examine(ctx, r)
		x.addFinding(r)
	}
}

func (x *examination) person(identity string) person {
	return person{Person: client.Person{Scope: x.family.scope, Identity: identity}}
}

// nothingOf returns readings of a person whom the service does not know. A profile may also be empty.
func (x *examination) nothingOf(p person, check string) []*reading {
	emptyProfile := func(a infer.Answer) []infer.Settings { return append(infer.Absent(a), infer.Profile(a, nil)...) }
	return []*reading{
		{group: "Consent", check: check, read: readNone(p.consent), propose: infer.Absent},
		{group: "Profile", check: check, read: readNone(p.readProfile), propose: emptyProfile},
	}
}

// proposeProfile returns what proposes where a profile is that has one of these members.
func proposeProfile(managed ...string) func(infer.Answer) []infer.Settings {
	return func(a infer.Answer) []infer.Settings { return infer.Profile(a, managed) }
}

// invented returns an identity that nobody has.
func invented() string {
	return "doctor-" + strings.ToLower(rand.Text()) + "@example.invalid"
}

// examineExport reads the beginning of a day. A service that selects the kind by a parameter may
// name it in its error.
func (x *examination) examineExport(ctx context.Context) {
	if x.exporter == nil {
		if x.options.Scope.OrgID != "" {
			x.report.add("Export", "day", Unknown, "none of the given credentials are accepted for an export, or there is no such project")
		}
		return
	}

	r := x.day()
	x.examine(ctx, r)
	if e, ok := errors.AsType[*transport.Error](r.err); ok && e.Class == transport.ClassRejected {
		r = x.tryParameters(ctx, r, e)
	}

	day := client.FormatDay(x.options.Day)
	switch {
	case transport.IsClass(r.err, transport.ClassNotFound, transport.ClassNotReady):
		x.report.add(r.group, r.check, Unknown, "the day "+day+" is not there ("+x.describe(r.err)+")")
	case transport.IsClass(r.err, transport.ClassRejected):
		x.report.add(r.group, r.check, Broken, x.describe(r.err)+"; if a parameter selects the kind, wire.export.kind_parameter and wire.export.kind_values name it and its values")
	default:
		x.addFinding(r)
	}
}

// day returns a reading of the beginning of the day.
func (x *examination) day() *reading {
	return &reading{
		group: "Export", check: "day", way: x.exporter, read: readDay(x.options.Scope, x.options.Day), propose: infer.Export,
		whenEmpty: "the day " + client.FormatDay(x.options.Day) + " has no records; -day chooses another one",
	}
}

// tryParameters tries the fields of an error, or the names in its message, as the parameter that selects the
// kind, and adopts the first one with which there are records. It returns the reading with it, or the rejected one.
func (x *examination) tryParameters(ctx context.Context, rejected *reading, e *transport.Error) *reading {
	fields := e.Fields
	if len(fields) == 0 {
		for _, name := range infer.KindParameters(e.Message) {
			fields = append(fields, transport.FieldError{Field: name, Message: e.Message})
		}
	}

	before, readings := x.wire, slices.Clone(x.readings)
	for _, f := range fields {
		s := infer.Settings{"/export/kind_parameter": f.Field}.Merge(infer.Kinds(f.Message))
		wire, err := before.With(s)
		if err != nil || slices.ContainsFunc(s.Texts(), x.hides) {
			continue
		}

		x.wire = wire
		r := x.day()
		x.examine(ctx, r)
		if r.err == nil && !r.decoded.isEmpty() {
			r.differs = true
			return r
		}
		x.wire, x.readings = before, readings
	}

	return rejected
}
