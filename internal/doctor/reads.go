// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// What a report says of a reading.
const (
	asItIs  = "read as configured"
	withNew = "read with the wire settings below"
)

// show adds the finding about a reading that has read something.
func (x *examination) show(r *reading, differs bool) {
	x.report.group = r.group
	switch {
	case r.err != nil:
		x.report.add(r.what, Broken, x.describe(r.err)+"; no setting was found with which it is read")
	case r.seen.lacking > 0:
		x.report.add(r.what, Differs, "it is read, but not every field that the provider needs; no setting was found that names the others")
	case differs:
		x.report.add(r.what, Differs, withNew+x.structure(r))
	default:
		x.report.add(r.what, OK, asItIs)
	}
}

// structure returns what the answer to a reading consists of, which shows why settings are needed.
func (x *examination) structure(r *reading) string {
	v, err := jsonvalue.Parse(r.answers[0].body)
	if err != nil {
		return ""
	}
	text := "; the answer is " + answer.Structure(v)
	if x.hides(text) {
		return ""
	}

	return text
}

// unseen adds the finding about a reading that has read nothing, in place of show.
func (x *examination) unseen(r *reading, differs bool, why string) {
	x.report.group = r.group
	word := map[bool]Word{true: Differs, false: Unknown}[differs]
	x.report.add(r.what, word, why)
}

// examinePending reads the list of pending requests.
func (x *examination) examinePending(ctx context.Context) {
	r := x.pending()
	differs := x.examine(ctx, r)
	switch {
	case r.err != nil || r.seen.text != "empty":
		x.show(r, differs)
	case !x.options.Rehearse: // which looks at its own requests
		x.unseen(r, differs, "the list is empty, so no record was seen")
	}
}

// pending returns a reading of the list.
func (x *examination) pending() *reading {
	return &reading{
		group: "Pending requests", what: "list", way: x.use, read: readPending(x.family.scope),
		propose: func(a infer.Answer) []infer.Settings { return infer.Pending(a, x.known...) },
	}
}

// errSomething is the error of a reading that should show that there is nothing.
var errSomething = errors.New("the service shows something about a person who does not exist")

// readNone returns a reader that wants to read that there is nothing.
func readNone(read reader) reader {
	return func(ctx context.Context, c *client.Client) (seen, error) {
		s, err := read(ctx, c)
		if err == nil && s.text != none && s.text != "{}" {
			return s, errSomething
		}
		return seen{text: none}, err
	}
}

// examinePeople reads an invented person, who shows what it looks like that there is nothing, and
// the person of the options.
func (x *examination) examinePeople(ctx context.Context) {
	nobody := client.Person{Scope: x.family.scope, Identity: invented()}
	for _, r := range []*reading{
		{group: "Consent", what: "invented person", way: x.use, read: readNone(readConsent(nobody)), propose: infer.Absent},
		{group: "Profile", what: "invented person", way: x.use, read: readNone(readProfile(nobody, nil)), propose: noProfile},
	} {
		x.show(r, x.examine(ctx, r))
	}
	if x.options.Identity == "" {
		return
	}

	who := client.Person{Scope: x.family.scope, Identity: x.options.Identity}
	for _, r := range []*reading{
		{group: "Consent", what: "record", way: x.use, read: readConsent(who), propose: infer.Consent},
		{group: "Profile", what: "profile", way: x.use, read: readProfile(who, nil), propose: proposeProfile()},
	} {
		differs := x.examine(ctx, r)
		if r.err == nil && r.seen.text == none {
			x.unseen(r, differs, "the service holds none of this person, so none was seen")
		} else {
			x.show(r, differs)
		}
	}
}

// noProfile proposes what says that there is no profile: that there is nothing, or an empty one.
func noProfile(a infer.Answer) []infer.Settings {
	return append(infer.Absent(a), infer.Profile(a, nil)...)
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
	x.report.group = "Export"
	if x.exporter == nil {
		if x.options.Scope.OrgID != "" {
			x.report.add("day", Unknown, "none of the given credentials are accepted for an export, or there is no such project")
		}
		return
	}

	r := x.day()
	differs := x.examine(ctx, r)
	if e, ok := errors.AsType[*transport.Error](r.err); ok && e.Class == transport.ClassRejected && x.tryParameters(ctx, e) {
		r = x.day()
		differs = true
		x.examine(ctx, r)
	}

	day := client.FormatDay(x.options.Day)
	switch {
	case r.err == nil && r.seen.text == "empty":
		x.unseen(r, differs, "the day "+day+" has no records; -day chooses another one")
	case transport.IsClass(r.err, transport.ClassNotFound, transport.ClassNotReady):
		x.unseen(r, differs, "the day "+day+" is not there ("+x.describe(r.err)+")")
	case transport.IsClass(r.err, transport.ClassRejected):
		x.report.add(r.what, Broken, x.describe(r.err)+"; if a parameter selects the kind, wire.export.kind_parameter and wire.export.kind_values name it and its values")
	default:
		x.show(r, differs)
	}
}

// day returns a reading of the beginning of the day.
func (x *examination) day() *reading {
	return &reading{group: "Export", what: "day", way: x.exporter, read: readDay(x.options.Scope, x.options.Day), propose: infer.Export}
}

// tryParameters looks for the parameter that selects the kind among the fields of an error, and
// adopts the first one with which there are records.
func (x *examination) tryParameters(ctx context.Context, e *transport.Error) (found bool) {
	before := x.settings
	for _, f := range e.Fields {
		if f.Field == "utcDate" || x.hides(f.Field) {
			continue
		}

		s := infer.Settings{"export": map[string]any{"kind_parameter": f.Field}}
		if values := infer.Kinds(f.Message); values != nil {
			s = s.Merge(infer.Settings{"export": map[string]any{"kind_values": values}})
		}
		x.settings = before.Merge(s)
		r := x.day()
		if x.examine(ctx, r); r.err == nil && r.seen.text != "empty" {
			return true
		}
		x.settings = before
	}

	return false
}

// jsonText returns a text as a JSON value.
func jsonText(text string) jsontext.Value {
	v, _ := jsontext.AppendQuote(nil, text) // of ASCII
	return v
}
