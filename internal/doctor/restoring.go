// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// restore writes the person's own record until it is read at a time when nothing that was
// sent can land any more. Where no form is known to work, each is tried, that of the last
// update first.
func (t *trial) restore(ctx context.Context) {
	last := len(t.sent) - 1
	forms := slices.Concat(t.forms[last:], t.forms[:last])
	if t.working != nil {
		forms = slices.Repeat([]client.Wire{*t.working}, len(forms))
	}

	why := "no form of an update is read back as it was written"
	held, err := t.settle(ctx)
	for _, form := range forms {
		if err == nil && t.isRestored(held) || ctx.Err() != nil {
			break
		}

		if err != nil {
			_ = transport.Pause(ctx, t.options.Settle)
		} else if err := t.send(ctx, form, t.original()); err != nil {
			why = describe(err)
		}
		held, err = t.settle(ctx)
	}

	if err == nil && t.isRestored(held) {
		t.reportRestored(held)
		return
	}
	if err != nil {
		why = "the service cannot be read (" + describe(err) + ")"
	}
	t.report.add(GroupWriting, "restored", Broken, "the person's consent may not be as it was: "+why+"; "+t.own.toPutBack())
}

// settle reads the record until nothing that was sent can change it any more, and returns
// what was read last.
func (t *trial) settle(ctx context.Context) (record, error) {
	for {
		asked := time.Now()
		held, err := t.look(ctx)

		var wait time.Duration
		for _, u := range t.sent {
			wait = max(wait, u.until.Sub(asked))
		}
		if wait == 0 {
			return held, err
		}
		if err := transport.Pause(ctx, min(wait, t.options.Settle/4)); err != nil {
			return held, err
		}
	}
}

// original returns the update that restores the person's own record. A person who had none
// gets one that refuses all clauses, since the interface has no request that removes a record.
func (t *trial) original() client.ConsentUpdate {
	u := client.ConsentUpdate{UserIPv6: addressOf(t.own.Consent)}
	for i, c := range t.own.Clauses {
		u.Clauses[i], _ = c.Get()
	}
	u.AgreementTime, _ = t.own.AgreementTime.Get()
	u.Manual, _ = t.own.Manual.Get()

	return u
}

// isRestored reports whether a record is the person's own, as far as an update can make it.
func (t *trial) isRestored(r record) bool {
	if !r.exists {
		return !t.own.exists
	}
	return len(t.original().Differences(r.Consent)) == 0
}

func (t *trial) reportRestored(held record) {
	changed := changedMembers(t.own.JSON, held.JSON)

	switch {
	case t.chosen:
		t.report.add(GroupWriting, "restored", Broken, "somebody else has changed the consent: a record that the trial has not sent is taken for the person's own choice and stands; if it is none, "+t.before.toPutBack())
	case held.exists && !t.own.exists:
		t.report.add(GroupWriting, "restored", Differs, "the person had no consent record, and the interface has no request that removes one; the record now refuses all clauses")
	case len(changed) > 0:
		t.report.add(GroupWriting, "restored", Differs, "the person's consent is as it was before, except "+t.shown(changed)+", which an update cannot take back")
	default:
		t.report.add(GroupWriting, "restored", OK, "the person's consent is as it was before")
	}
}

// toPutBack tells a person to put back the clauses of a record.
func (r record) toPutBack() string {
	if !r.exists {
		return "the person had no consent record"
	}

	var values []string
	for i, c := range r.Clauses {
		agreed, _ := c.Get()
		values = append(values, fmt.Sprintf("clause_%d_consent = %t", i+1, agreed))
	}

	return "put back " + list(values)
}

// changedMembers returns the members that have another value in one of two answers or are
// missing from it.
func changedMembers(before, after jsontext.Value) []string {
	was, is := jsonvalue.Members(before), jsonvalue.Members(after)
	all := slices.Concat(jsonvalue.Names(was), jsonvalue.Names(is))
	slices.Sort(all)

	var names []string
	for _, name := range slices.Compact(all) {
		if was[name] != nil && is[name] != nil && was[name].Kind() == '{' && is[name].Kind() == '{' {
			names = append(names, changedMembers(was[name], is[name])...)
			continue
		}
		if !isSameValue(was[name], is[name]) {
			names = append(names, name)
		}
	}

	return names
}

// isSameValue reports whether two members mean the same: texts also if they are one instant,
// in its full precision. A missing one is nil.
func isSameValue(a, b jsontext.Value) bool {
	if a == nil || b == nil {
		return false
	}
	if jsonvalue.Equal(a, b) {
		return true
	}

	at, errA := time.Parse(time.RFC3339Nano, jsonvalue.Text(a))
	bt, errB := time.Parse(time.RFC3339Nano, jsonvalue.Text(b))

	return errA == nil && errB == nil && at.Equal(bt)
}
