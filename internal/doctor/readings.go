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

// examinePending reads the list of pending requests. A rehearsal looks for its own requests.
func (x *examination) examinePending(ctx context.Context) {
	r := x.pending()
	x.examine(ctx, r)
	if isEmpty := r.err == nil && r.seen.isNothing(); !isEmpty || !x.options.Rehearse {
		x.show(r)
	}
}

// pending returns a reading of the list.
func (x *examination) pending() *reading {
	return &reading{
		group: "Pending requests", what: "list", way: x.use, read: readPending(x.family.scope), unseen: "the list is empty, so no record was seen",
		propose: func(a infer.Answer) []infer.Settings { return infer.Pending(a, x.known...) },
	}
}

// examinePeople reads an invented person, who shows what it looks like that there is nothing, and
// the person of the options.
func (x *examination) examinePeople(ctx context.Context) {
	nobody := client.Person{Scope: x.family.scope, Identity: invented()}
	readings := []*reading{x.noConsent(nobody, "invented person"), x.noProfile(nobody, "invented person")}
	if x.options.Identity != "" {
		who := client.Person{Scope: x.family.scope, Identity: x.options.Identity}
		const unseen = "the service holds none of this person, so none was seen"
		readings = append(readings,
			&reading{group: "Consent", what: "record", way: x.use, read: readConsent(who), propose: infer.Consent, unseen: unseen},
			&reading{group: "Profile", what: "profile", way: x.use, read: readProfile(who, nil), propose: proposeProfile(), unseen: unseen})
	}

	for _, r := range readings {
		x.examine(ctx, r)
		x.show(r)
	}
}

// noConsent and noProfile return readings of a person whom the service does not know.
func (x *examination) noConsent(nobody client.Person, what string) *reading {
	return &reading{group: "Consent", what: what, way: x.use, read: readNone(readConsent(nobody)), propose: infer.Absent}
}

func (x *examination) noProfile(nobody client.Person, what string) *reading {
	propose := func(a infer.Answer) []infer.Settings { return append(infer.Absent(a), infer.Profile(a, nil)...) } // it may be empty
	return &reading{group: "Profile", what: what, way: x.use, read: readNone(readProfile(nobody, nil)), propose: propose}
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
		r = x.tryParameters(ctx, r, e.Fields)
	}

	day := client.FormatDay(x.options.Day)
	switch {
	case transport.IsClass(r.err, transport.ClassNotFound, transport.ClassNotReady):
		x.report.add(r.group, r.what, Unknown, "the day "+day+" is not there ("+x.describe(r.err)+")")
	case transport.IsClass(r.err, transport.ClassRejected):
		x.report.add(r.group, r.what, Broken, x.describe(r.err)+"; if a parameter selects the kind, wire.export.kind_parameter and wire.export.kind_values name it and its values")
	default:
		x.show(r)
	}
}

// day returns a reading of the beginning of the day.
func (x *examination) day() *reading {
	return &reading{
		group: "Export", what: "day", way: x.exporter, read: readDay(x.options.Scope, x.options.Day), propose: infer.Export,
		unseen: "the day " + client.FormatDay(x.options.Day) + " has no records; -day chooses another one",
	}
}

// tryParameters looks for the parameter that selects the kind among the fields of an error, adopts the
// first one with which there are records, and returns the reading with it; the rejected one without.
func (x *examination) tryParameters(ctx context.Context, rejected *reading, fields []transport.FieldError) *reading {
	before := x.wire
	for _, f := range fields {
		s := infer.Settings{"/export/kind_parameter": f.Field}.Merge(infer.Kinds(f.Message))
		wire, err := before.With(s)
		if err != nil || slices.ContainsFunc(s.Texts(), x.hides) {
			continue
		}

		x.wire = wire
		r := x.day()
		x.examine(ctx, r)
		if r.err == nil && !r.seen.isNothing() {
			r.differs = true
			return r
		}
		x.wire = before
	}

	return rejected
}
