// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// isShown reports whether there is an answer with what was asked for. Otherwise it adds a finding
// that says why not: none if the service holds nothing or not yet, and advice if the answer
// is not recognised.
func (x *examination) isShown(err error, none, advice string) bool {
	if transport.IsClass(err, transport.ClassNotFound, transport.ClassNotReady) {
		x.report.add("shape", Unknown, none+" ("+describe(err)+")")
	} else if err != nil {
		x.report.add("shape", Broken, describe(err)+advice)
	}
	return err == nil
}

// reportFields reports the fields that a record lacks, and the members that were found in their
// place. A field that is missing is optional, unless it is needed.
func (x *examination) reportFields(lacking map[string]bool, unknown []string, needed ...string) {
	maps.DeleteFunc(lacking, func(_ string, lacks bool) bool { return !lacks })
	word, text := OK, "all fields are recognised"
	if len(lacking) > 0 {
		text = "not recognised: " + list(slices.Sorted(maps.Keys(lacking)))
	}
	if len(unknown) > 0 {
		text += "; unknown members: " + x.shown(unknown)
	}
	if len(unknown) > 0 || slices.ContainsFunc(needed, func(name string) bool { return lacking[name] }) {
		word = Differs
	}

	x.report.add("fields", word, text)
}

// isSet reports whether a field was recognised, and is not null.
func isSet[T any](o answer.Optional[T]) bool {
	_, set := o.Get()
	return set
}

// examinePending reports what the list of pending requests looks like.
func (x *examination) examinePending() {
	x.report.group = "Pending requests"
	if !x.isShown(x.family.err, "there is no list", `; wire.pending.use = "ignored" does without the list`) {
		return
	}

	pending := x.family.list
	if len(pending.Records) == 0 {
		x.report.add("shape", Unknown, "the list is empty, so no record was seen")
	} else {
		x.report.add("shape", OK, fmt.Sprintf("records: %d", len(pending.Records)))
		x.examineRecords(pending.Records)
	}

	if pending.Gap != "" {
		x.report.add("pages", Differs, pending.Gap+"; requests are not sent while the list is not whole")
	}
}

// examineRecords reports which fields and statuses of the records are recognised, and finds
// the member that holds the person who was given. Of several, only a person can choose one.
func (x *examination) examineRecords(pending []answer.PendingRecord) {
	lacking, holders := map[string]bool{}, map[string]bool{}
	var unknown []string
	unclear := 0
	for _, r := range pending {
		for name, has := range map[string]bool{
			"id": isSet(r.ID), "identity": isSet(r.Identity), "request_type": isSet(r.RequestType), "status": isSet(r.Status), "created_at": isSet(r.CreatedAt),
		} {
			lacking[name] = lacking[name] || !has
		}
		if r.Progress == answer.Unclear {
			unclear++
		}

		for name, v := range jsonvalue.Members(r.JSON) {
			if !isSet(r.Identity) && x.options.Identity != "" && jsonvalue.Text(v) == x.options.Identity {
				holders[name] = true
			} else if !answer.IsPendingMember(name, x.wire.Pending.Identity.LastToken()) {
				unknown = append(unknown, name)
			}
		}
	}

	names := slices.Collect(maps.Keys(holders))
	if len(names) == 1 && !x.hides(names[0]) {
		x.wire.Pending.Identity = jsontext.Pointer("").AppendToken(names[0])
		unknown = slices.DeleteFunc(unknown, func(name string) bool { return name == names[0] }) // in records of other people
	} else if len(names) > 0 {
		x.report.add("person", Differs, x.shown(names)+" hold the person; wire.pending.identity names the member that says whose request a record is")
	}

	x.reportFields(lacking, unknown, "identity", "request_type")
	if unclear > 0 {
		x.report.add("statuses", Differs, fmt.Sprintf("records with a status that the provider does not know, and treats as pending: %d; wire.pending.statuses names the statuses of ended requests", unclear))
	}
}

// errEnough ends an export whose beginning was read.
var errEnough = errors.New("enough records were read")

// sampleRecords is how many records of a day, or of each kind, are read at most.
const sampleRecords = 100

// sample is the beginning of a day, as far as it could be read.
type sample struct {
	way     *way
	records int
	err     error // nil if the day or enough of it was read
}

// read counts the records of a day, or of one kind. A record that is counted twice, because an
// answer broke off, is one nevertheless.
func (s *sample) read(day client.Records) error {
	for range day {
		if s.records++; s.records%sampleRecords == 0 {
			return errEnough
		}
	}
	return nil
}

// readDay reads the beginning of the day. With a parameter that selects a kind, it reads the
// beginning of each kind.
func (x *examination) readDay(ctx context.Context, w *way) *sample {
	s := &sample{way: w}
	var c *client.Client
	if c, s.err = x.connect(w, x.wire, 1); s.err != nil {
		return s
	}

	kinds := [][]records.Kind{nil}
	if x.wire.Export.KindParameter != "" {
		kinds = [][]records.Kind{{records.Person}, {records.Session}, {records.Event}}
	}
	scope := client.Scope{OrgID: x.options.Scope.OrgID, ProjectID: x.options.Scope.ProjectID}
	for _, of := range kinds {
		if _, err := c.Export(ctx, scope, client.ExportQuery{Day: x.options.Day, Kinds: of}, s.read); err != nil && !errors.Is(err, errEnough) {
			s.err = err
			break
		}
	}

	return s
}

// examineExport reports what the beginning of a day looks like. What may be ignored or replaced in
// it, only a person can tell: the error names the setting.
func (x *examination) examineExport(ctx context.Context) {
	x.report.group = "Export"
	if x.day == nil {
		if x.options.Scope.OrgID != "" {
			x.report.add("access", Unknown, "none of the given credentials are accepted for an export, or there is no such project")
		}
		return
	}

	// A service that selects the kind by a parameter may name it in its error.
	s := x.day
	if e, ok := errors.AsType[*transport.Error](s.err); ok && e.Class == transport.ClassRejected && x.wire.Export.KindParameter == "" {
		i := slices.IndexFunc(e.Fields, func(f transport.FieldError) bool { return f.Field != "utcDate" && !x.hides(f.Field) })
		if i >= 0 {
			x.wire.Export.KindParameter = e.Fields[i].Field
			s = x.readDay(ctx, s.way)
		}
		if transport.IsClass(s.err, transport.ClassRejected) || s.err == nil && s.records == 0 { // nothing shows what it selects
			s, x.wire.Export.KindParameter = x.day, ""
		}
	}

	advice := ""
	if transport.IsClass(s.err, transport.ClassRejected) {
		advice = "; if a parameter selects the kind, name it and its values in wire.export.kind_parameter and wire.export.kind_values, and choose a -day with records"
	}
	if !x.isShown(s.err, "the day "+client.FormatDay(x.options.Day)+" is not there", advice) {
		return
	}

	word := asConfigured[s == x.day]
	text := map[Word]string{OK: "read as configured", Differs: "read with the wire settings below"}[word]
	if s.records == 0 {
		word, text = Unknown, "the day "+client.FormatDay(x.options.Day)+" has no records; -day chooses another one"
	}
	x.report.add("shape", word, text)
}

// person returns the person of the command line.
func (x *examination) person() client.Person {
	return client.Person{Scope: x.family.scope, Identity: x.options.Identity}
}

// getConsent reads the consent of the person.
func (x *examination) getConsent(ctx context.Context) (answer.Consent, error) {
	return x.use.client.GetConsent(ctx, x.person())
}

// examineConsent reports which fields of the person's consent are recognised, and whether the
// answer about an invented person is, whom the service does not know: it must not look like a
// choice.
func (x *examination) examineConsent(ctx context.Context) {
	x.report.group = "Consent"
	held, err := x.getConsent(ctx)
	if x.isShown(err, "the service holds no consent of this person, so no record was seen", "") {
		x.report.add("shape", OK, "a record was found")
		lacking := map[string]bool{"agreement_time": held.IsUntimed(), "user_ipv6": !isSet(held.UserIPv6), "manual": !isSet(held.Manual)}
		for i, name := range answer.ClauseNames {
			lacking[name] = !isSet(held.Clauses[i])
		}
		var unknown []string
		var look func(v jsontext.Value)
		look = func(v jsontext.Value) {
			for name, value := range jsonvalue.Members(v) {
				if look(value); value.Kind() != '{' && !answer.IsConsentMember(name) {
					unknown = append(unknown, name)
				}
			}
			for _, element := range jsonvalue.Elements(v) {
				look(element)
			}
		}
		look(held.JSON)
		x.reportFields(lacking, unknown, answer.ClauseNames[:]...)
	}

	_, err = x.use.client.GetConsent(ctx, client.Person{Scope: x.family.scope, Identity: "doctor-" + rand.Text()})
	if !transport.IsClass(err, transport.ClassNotFound) {
		x.report.add("unknown person", Differs, "not recognised as a person without a consent, so creating a consent with keep_later_choice fails, or finds a choice there")
	}
}

// examineProfile reports what the person's profile looks like.
func (x *examination) examineProfile(ctx context.Context) {
	x.report.group = "Profile"
	// Without a member that is known to be the profile's, an answer that says no is none.
	profile, err := x.use.client.GetProfile(ctx, x.person(), map[string]jsontext.Value{"": nil})
	if !x.isShown(err, "the service holds no profile of this person, so none was seen", "") {
		return
	}

	names := jsonvalue.Names(profile.Members)
	if x.wire.Profile.At != nil || len(names) != 1 || profile.Members[names[0]].Kind() != '{' {
		x.report.add("shape", OK, fmt.Sprintf("an object with members: %d", len(names)))
		return
	}
	if !x.hides(names[0]) {
		at := jsontext.Pointer("").AppendToken(names[0])
		x.wire.Profile.At = &at
	}
	x.report.add("shape", Differs, "the only member is an object, "+x.shown(names)+"; wire.profile.at reads the profile from it, and has to be left out if it is a member of the profile")
}
