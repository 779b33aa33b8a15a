// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
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
func (x *examination) findIdentity(records []answer.PendingRecord) {
	var holders []string
	for _, r := range records {
		for name, v := range jsonvalue.Members(r.JSON) {
			if !isSet(r.Identity) && x.options.Identity != "" && jsonvalue.Text(v) == x.options.Identity {
				holders = appendNew(holders, name)
			}
		}
	}

	if len(holders) == 1 && !x.hides(holders[0]) {
		x.wire.PendingIdentityField = holders[0]
	} else if len(holders) > 0 {
		x.report.add(GroupPending, "person", Differs, x.shown(holders)+" hold the person; wire.pending_identity_field names the member that says whose request a record is")
	}
}

// examineRecords reports which fields of the records are recognised, and which of their
// statuses.
func (x *examination) examineRecords(records []answer.PendingRecord) {
	var lacking, unknown []string
	unclear := 0
	for _, r := range records {
		for name, has := range map[string]bool{
			"id": isSet(r.ID), "identity": isSet(r.Identity), "request_type": isSet(r.RequestType), "status": isSet(r.Status), "created_at": isSet(r.CreatedAt),
		} {
			if !has {
				lacking = appendNew(lacking, name)
			}
		}
		for name := range jsonvalue.Members(r.JSON) {
			if !answer.IsPendingMember(name, x.wire.PendingIdentityField) {
				unknown = appendNew(unknown, name)
			}
		}
		if r.Progress() == answer.Unclear {
			unclear++
		}
	}

	x.reportFields(GroupPending, lacking, unknown, slices.Contains(lacking, "identity") || slices.Contains(lacking, "request_type"))
	if unclear > 0 {
		x.report.add(GroupPending, "statuses", Differs, counted(unclear, "record has", "records have")+
			" a status that the provider does not know, which it treats as pending; wire.ended_statuses names those of ended requests")
	}
}

// reportFields reports the fields that were not recognised, and the members that were found in
// their place. Fields alone are optional, unless they are needed.
func (x *examination) reportFields(group string, lacking, unknown []string, areNeeded bool) {
	word, text := OK, "all fields are recognised"
	if len(lacking) > 0 {
		slices.Sort(lacking)
		text = "not recognised: " + list(lacking)
	}
	if len(unknown) > 0 {
		text += "; unknown members: " + x.shown(unknown)
	}
	if len(unknown) > 0 || areNeeded {
		word = Differs
	}

	x.report.add(group, "fields", word, text)
}

func isSet[T any](o answer.Optional[T]) bool {
	_, set := o.Get()
	return set
}
