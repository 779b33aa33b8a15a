package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// examinePending reads the list of pending requests, which touches nobody.
func (x *examination) examinePending(ctx context.Context) {
	if x.use == nil {
		return
	}

	pending, err := x.use.client.ListPending(ctx, x.scope)
	if err != nil {
		x.report.add(GroupPending, "shape", Broken, describe(err)+`; wire.pending_list = "ignored" does without the list`)
		x.report.stranger("list of pending requests", x.seen.members(opListPending))
		return
	}

	if len(pending.Records) == 0 {
		x.report.add(GroupPending, "shape", Unknown, "the list is empty, so no record was seen")
	} else {
		x.report.add(GroupPending, "shape", OK, counted(len(pending.Records), "record", "records"))
		x.findIdentity(pending.Records)
		x.examineRecords(pending.Records)
	}

	if pending.Gap == "" {
		x.report.add(GroupPending, "pages", OK, "nothing says that there are more")
		return
	}

	// What may lead to a further page is never ignored.
	mayNotIgnore := func(name string) bool { return answer.MayLeadOn(name) || x.hides(name) }
	if len(pending.Beside) > 0 && !slices.ContainsFunc(pending.Beside, mayNotIgnore) {
		x.wire.PendingIgnoredMembers = strings.Join(pending.Beside, ",")
	}
	x.report.add(GroupPending, "pages", Differs, pending.Gap+"; requests are not sent while the list is not whole")
}

// findIdentity sets pending_identity_field where one unknown member holds the person that was
// given. Of several, the person who runs the examination has to choose.
func (x *examination) findIdentity(list []answer.PendingRecord) {
	var holders []string
	for _, r := range list {
		for name, v := range jsonvalue.Members(r.JSON) {
			if !isSet(r.Identity) && x.options.Identity != "" && jsonvalue.Text(v) == x.options.Identity {
				holders = appendNew(holders, x.shown(name))
			}
		}
	}
	slices.Sort(holders)

	switch {
	case len(holders) == 1 && holders[0] != jsonvalue.AnyName:
		x.wire.PendingIdentityField = holders[0]
	case len(holders) > 0:
		x.report.add(GroupPending, "person", Differs, fmt.Sprintf("%q hold the person; wire.pending_identity_field names the member that says whose request a record is", holders))
	}
}

// shown returns a name of a member as the report has it.
func (x *examination) shown(name string) string {
	if x.hides(name) {
		return jsonvalue.AnyName
	}
	return name
}

// examineRecords reports which fields of the records are recognised, and which of their
// statuses.
func (x *examination) examineRecords(records []answer.PendingRecord) {
	var strange, lacking []string
	unclear := 0
	for _, r := range records {
		for name, has := range fieldsOf(r) {
			if !has {
				lacking = appendNew(lacking, name)
			}
		}
		for name := range jsonvalue.Members(r.JSON) {
			if !answer.IsPendingMember(name, x.wire.PendingIdentityField) {
				strange = appendNew(strange, x.shown(name))
			}
		}
		if r.Progress() == answer.Unclear {
			unclear++
		}
	}

	slices.Sort(strange)
	x.report.stranger("record of a pending request", strange)
	x.reportFields(GroupPending, fieldsOf(answer.PendingRecord{}), lacking, len(strange) > 0 || slices.Contains(lacking, "identity") || slices.Contains(lacking, "request_type"))
	if unclear > 0 {
		x.report.add(GroupPending, "statuses", Differs, counted(unclear, "record has", "records have")+
			" a status that the provider does not know, which it treats as pending; wire.ended_statuses names those of ended requests")
	}
}

// fieldsOf returns whether a record has each field that the provider knows.
func fieldsOf(r answer.PendingRecord) map[string]bool {
	return map[string]bool{
		"id": isSet(r.ID), "identity": isSet(r.Identity), "request_type": isSet(r.RequestType), "status": isSet(r.Status), "created_at": isSet(r.CreatedAt),
	}
}

// reportFields reports which fields a record has. Lacking ones differ where matters says so.
func (x *examination) reportFields(group string, fields map[string]bool, lacking []string, matters bool) {
	for _, name := range lacking {
		delete(fields, name)
	}

	word, text := OK, "recognised "+list(slices.Sorted(maps.Keys(fields)))
	if len(lacking) > 0 {
		slices.Sort(lacking)
		text += "; not recognised: " + list(lacking)
		if matters {
			word = Differs
		}
	}
	x.report.add(group, "fields", word, text)
}

func isSet[T any](o answer.Optional[T]) bool {
	_, set := o.Get()
	return set
}
