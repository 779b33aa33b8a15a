package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// examinePending reads the list of pending requests, which touches nobody.
func (x *examination) examinePending(ctx context.Context) {
	if x.use == nil {
		return
	}

	x.options.Progress("reading the list of pending requests")
	x.seen.forget(opListPending)
	pending, err := x.use.client.ListPending(ctx, x.scope)
	places := x.seen.body(opListPending)
	if err != nil {
		x.report.add(GroupPending, "shape", Broken, describe(err)+`; wire.pending_list = "ignored" does without the list`)
		x.report.stranger(Stranger{Where: "list of pending requests", Members: namesOf(places)})
		return
	}

	if len(pending.Records) == 0 {
		x.report.add(GroupPending, "shape", Unknown, "the list is empty ("+arrayIn(places)+"), so no record was seen")
	} else {
		x.report.add(GroupPending, "shape", OK, counted(len(pending.Records), "record", "records")+" in "+arrayIn(places))
		x.examineRecords(pending.Records)
	}

	x.examineBeside(pending)
}

// arrayIn describes where the array of records is.
func arrayIn(places []jsonvalue.Place) string {
	for _, p := range places {
		if p.Kind == '[' {
			if len(p.Path) == 0 {
				return "an array"
			}
			return "an array at " + p.String()
		}
	}

	return "no array"
}

// examineBeside reports what keeps the list from being whole, and sets
// pending_ignored_members where nothing of it may lead to a further page.
func (x *examination) examineBeside(pending client.PendingList) {
	if pending.Gap == "" {
		x.report.add(GroupPending, "pages", OK, "nothing says that there are more")
		return
	}

	mayNotIgnore := func(name string) bool { return answer.MayLeadOn(name) || x.hides(name) }
	if len(pending.Beside) > 0 && !slices.ContainsFunc(pending.Beside, mayNotIgnore) {
		x.wire.PendingIgnoredMembers = strings.Join(pending.Beside, ",")
	}
	x.report.add(GroupPending, "pages", Differs, pending.Gap+"; requests are not sent while the list is not whole")
}

// pendingField is a field of a pending record.
type pendingField struct {
	name    string // as the provider calls it
	missing int    // records without it
	needed  bool   // the provider cannot do without it
}

// examineRecords reports which fields of the records are recognised.
func (x *examination) examineRecords(records []client.PendingRecord) {
	fields := missingFields(records)

	var known, lacking []string
	for _, f := range fields {
		if f.missing == 0 {
			known = append(known, f.name)
		} else {
			lacking = append(lacking, f.name)
		}
	}

	strange := x.strangers(records)
	candidates := x.pendingCandidates(records, strange, fields)
	x.useIdentityField(records)

	word, text := OK, "recognised "+list(known)
	if len(lacking) > 0 {
		text += "; not recognised in some or all: " + list(lacking)
		if len(candidates) > 0 || slices.ContainsFunc(fields, func(f pendingField) bool { return f.needed && f.missing > 0 }) {
			word = Differs
		}
	}
	x.report.add(GroupPending, "fields", word, text)
	x.report.stranger(Stranger{Where: "record of a pending request", Members: strange, Candidates: candidates})

	x.examineStatuses(records)
}

func missingFields(records []client.PendingRecord) []pendingField {
	fields := []pendingField{{name: "id"}, {name: "identity", needed: true}, {name: "request_type", needed: true}, {name: "status"}, {name: "created_at"}}
	for _, r := range records {
		for i, has := range []bool{isSet(r.ID), isSet(r.Identity), isSet(r.RequestType), isSet(r.Status), isSet(r.CreatedAt)} {
			if !has {
				fields[i].missing++
			}
		}
	}

	return fields
}

func isSet[T any](o client.Optional[T]) bool {
	_, set := o.Get()
	return set
}

func (x *examination) examineStatuses(records []client.PendingRecord) {
	unclear := 0
	for _, r := range records {
		if r.Progress() == client.Unclear {
			unclear++
		}
	}

	if unclear > 0 {
		x.report.add(GroupPending, "statuses", Differs, fmt.Sprintf(
			"%s a status that the provider does not know, which it treats as pending; wire.ended_statuses names those of ended requests",
			counted(unclear, "record has", "records have")))
	}
}

// strangers returns the names of members that the client does not recognise in records.
func (x *examination) strangers(records []client.PendingRecord) []string {
	var names []string
	for _, p := range x.places(records) {
		if len(p.Path) == 1 && !answer.IsPendingMember(p.Name(), x.wire.PendingIdentityField) {
			names = appendNew(names, p.Name())
		}
	}
	return names
}

// places returns the structure of all records.
func (x *examination) places(records []client.PendingRecord) []jsonvalue.Place {
	var all []jsonvalue.Place
	for _, r := range records {
		all = append(all, jsonvalue.Outline(r.JSON, x.hides)...)
	}
	return all
}

// pendingCandidates returns the members that may be fields that no record has.
func (x *examination) pendingCandidates(records []client.PendingRecord, strange []string, fields []pendingField) []Candidate {
	var found []Candidate
	for _, f := range fields {
		if f.missing < len(records) {
			continue
		}

		switch f.name {
		case "created_at":
			found = append(found, timeCandidates(x.places(records), strange, f.name)...)
		case "identity":
			found = append(found, textCandidates(records, strange, Candidate{Field: f.name, Because: "it holds what looks like an e-mail address; try pending_identity_field"},
				func(text string) bool { return strings.Contains(text, "@") })...)
		case "request_type":
			found = append(found, textCandidates(records, strange, Candidate{Field: f.name, Because: "it holds the word for a request"},
				func(text string) bool { return answer.RequestTypeOf(text) != "" })...)
		case "status":
			found = append(found, textCandidates(records, strange, Candidate{Field: f.name, Because: "it holds the word for a state"}, isStatus)...)
		}
	}

	return found
}

// timeCandidates returns the strange members that hold a time.
func timeCandidates(places []jsonvalue.Place, strange []string, field string) []Candidate {
	var found []Candidate
	for _, p := range places {
		c := Candidate{Member: p.Name(), Field: field, Because: "it holds " + string(p.Form)}
		if p.Form.IsTime() && slices.Contains(strange, p.Name()) && !slices.Contains(found, c) {
			found = append(found, c)
		}
	}
	return found
}

// textCandidates returns c for each strange member whose text passes the test in a record.
func textCandidates(records []client.PendingRecord, strange []string, c Candidate, test func(text string) bool) []Candidate {
	var found []Candidate
	for _, name := range strange {
		if slices.ContainsFunc(records, func(r client.PendingRecord) bool { return test(jsonvalue.Text(jsonvalue.Members(r.JSON)[name])) }) {
			c.Member = name
			found = append(found, c)
		}
	}
	return found
}

// isStatus reports whether a text is a status that the provider knows.
func isStatus(text string) bool {
	return text != "" && client.PendingRecord{Status: client.Some(text)}.Progress() != client.Unclear
}

// useIdentityField sets pending_identity_field where an unknown member holds the person
// that was given.
func (x *examination) useIdentityField(records []client.PendingRecord) {
	if x.options.Identity == "" {
		return
	}

	for _, r := range records {
		if isSet(r.Identity) {
			continue
		}
		for name, v := range jsonvalue.Members(r.JSON) {
			if jsonvalue.Text(v) == x.options.Identity && !x.hides(name) {
				x.wire.PendingIdentityField = name
				return
			}
		}
	}
}

// namesOf returns the shown paths of the members in places.
func namesOf(places []jsonvalue.Place) []string {
	var names []string
	for _, p := range places {
		if len(p.Path) > 0 && p.Name() != jsonvalue.Each {
			names = appendNew(names, strings.TrimPrefix(p.String(), "$."))
		}
	}
	return names
}
