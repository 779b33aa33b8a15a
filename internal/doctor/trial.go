// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// Bounds of a trial.
const (
	// restoreLimit is how long the restoration of a consent may take, and requestLimit how
	// long one request may take.
	restoreLimit = 2 * time.Minute
	requestLimit = restoreLimit / 8
	// lateFactor times the settling time is how long an update without an answer may land.
	lateFactor = 5
)

// examineWriting writes the consent of the test person in each form until one is read
// back as written, and restores what was there before.
func (x *examination) examineWriting(ctx context.Context) {
	if !x.options.Write || x.use == nil || ctx.Err() != nil {
		return
	}

	t := &trial{examination: x}
	t.get = func(ctx context.Context) (answer.Consent, error) {
		return x.use.client.GetConsent(ctx, x.scope, x.options.Identity)
	}
	t.patch = t.updateOnce
	t.run(ctx)
}

// updateOnce sends an update at most once: the client repeats one whose answer is lost, which
// could overwrite what the person has chosen since.
func (t *trial) updateOnce(ctx context.Context, form client.Wire, u client.ConsentUpdate) error {
	c, err := t.connect(t.use, form, 0)
	if err != nil {
		return err
	}

	begun := false
	u.Superseded = func() bool {
		again := begun
		begun = true
		return again
	}

	result, err := c.UpdateConsent(ctx, t.scope, t.options.Identity, u)
	if err == nil && result.Outcome == client.ConsentSuperseded {
		return &transport.Error{Class: transport.ClassUnknownOutcome, Ambiguous: true}
	}

	return err
}

// trial writes test values into the consent of one person.
type trial struct {
	*examination

	get   func(ctx context.Context) (answer.Consent, error)
	patch func(ctx context.Context, form client.Wire, u client.ConsentUpdate) error

	before record
	// own is the last record that the trial has not made: before, or a choice of the person.
	own    record
	chosen bool // own is not before
	sent   []sentUpdate

	forms   []client.Wire // the settings for each way to send an update, the configured one first
	working *client.Wire  // the form that was read back as written; nil if there is none
	timed   bool          // its agreement_time was read back too
}

// record is what the service holds about the person.
type record struct {
	answer.Consent
	exists bool
}

// sentUpdate is an update that was sent.
type sentUpdate struct {
	client.ConsentUpdate
	until time.Time // it may land until then; zero once it was seen
}

// run carries out the trial. An interrupt ends it, and never its restoration.
func (t *trial) run(ctx context.Context) {
	before, err := t.read(ctx)
	if err != nil {
		t.report.add(GroupWriting, "form", Unknown, "nothing was written, since the consent of the person cannot be read completely and could not be restored")
		return
	}

	t.before, t.own = before, before
	for _, in := range firstOf(client.Placements, t.wire.ConsentParametersIn) {
		for _, format := range firstOf(client.TimeFormats, t.wire.AgreementTimeFormat) {
			form := t.wire
			form.ConsentParametersIn, form.AgreementTimeFormat = in, format
			t.forms = append(t.forms, form)
		}
	}

	t.tryForms(ctx)
	if len(t.sent) == 0 {
		return
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreLimit)
	defer cancel()
	t.restore(ctx)
}

// tryForms writes in each form until one is read back as written. A form whose record has
// no time is used only if no other form shows one.
func (t *trial) tryForms(ctx context.Context) {
	var reasons []string
	for i, form := range t.forms {
		reason, next := t.try(ctx, i, form)
		reasons = append(reasons, form.ConsentParametersIn+" with "+form.AgreementTimeFormat+": "+reason)
		if !next || t.chosen || ctx.Err() != nil {
			break
		}
	}

	if t.working == nil {
		t.report.add(GroupWriting, "form", Broken, "no form was read back as it was written ("+list(reasons)+")")
		return
	}

	word, in := OK, t.working.ConsentParametersIn
	if !t.timed {
		t.report.add(GroupWriting, "form", Unknown, "parameters as "+in+" are read back as written; the record has no agreement_time that the provider recognises, so nothing shows in which format it is understood")
	} else {
		if !maps.Equal(settingsOf(*t.working), settingsOf(t.wire)) {
			word = Differs
		}
		t.report.add(GroupWriting, "form", word, "read back as written: parameters as "+in+", agreement_time as "+t.working.AgreementTimeFormat+inURL(in))
	}
	t.wire = *t.working
}

// try writes one update. It returns why the update is not read back as written, and
// whether another form may be.
func (t *trial) try(ctx context.Context, i int, form client.Wire) (reason string, next bool) {
	if _, err := t.look(ctx); err != nil || t.chosen {
		return "not sent, since the record cannot be read or has changed", false
	}

	u := t.testUpdate(i)
	if err := t.send(ctx, form, u); err != nil {
		return describe(err), transport.IsClass(err, transport.ClassRejected, transport.ClassNotFound, transport.ClassEndpointNotFound)
	}

	held, err := t.settle(ctx)
	if err != nil {
		return "accepted, and reading it failed: " + describe(err), false
	}
	if names := u.Differences(held.Consent); len(names) > 0 {
		return "accepted, and read back with another " + list(names), true
	}

	t.timed = isSet(held.AgreementTime)
	if t.timed || t.working == nil {
		t.working = &form
	}

	return "accepted, and read back without agreement_time", !t.timed
}

// send sends an update, and notes how long it may land: longer without an answer.
func (t *trial) send(ctx context.Context, form client.Wire, u client.ConsentUpdate) error {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	err := t.patch(ctx, form, u)

	late := t.options.Settle
	e, ok := errors.AsType[*transport.Error](err)
	if err != nil && (!ok || e.Ambiguous || ctx.Err() != nil) {
		late *= lateFactor
	}
	t.sent = append(t.sent, sentUpdate{u, time.Now().Add(late)})

	return err
}

// read reads the record. One that lacks a clause is an error, since it could not be restored.
func (t *trial) read(ctx context.Context) (record, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()

	held, err := t.get(ctx)
	if transport.IsClass(err, transport.ClassNotFound) {
		return record{}, nil
	}
	if err == nil && lacksClause(held) {
		err = &transport.Error{Class: transport.ClassPayload}
	}

	return record{held, true}, err
}

// look reads the record, and notes which updates have landed. A record that is neither the
// person's as known nor made by an update that was sent is a choice of the person.
func (t *trial) look(ctx context.Context) (record, error) {
	r, err := t.read(ctx)
	if err != nil {
		return record{}, err
	}

	landed := false
	for i, u := range t.sent {
		if t.hasMade(u.ConsentUpdate, r) {
			t.sent[i].until = time.Time{}
			landed = true
		}
	}
	if !landed && !t.own.isSame(r) {
		t.own, t.chosen = r, true
	}

	return r, nil
}

// isSame reports whether two records have the same fields with the same values.
func (r record) isSame(other record) bool {
	return r.exists == other.exists && r.Clauses == other.Clauses && r.AgreementTime == other.AgreementTime &&
		r.UserIPv6 == other.UserIPv6 && r.Manual == other.Manual
}

// hasMade reports whether a record is what an update makes of the person's own: it has the
// five clauses of the update, and each other field is the update's or the person's.
func (t *trial) hasMade(u client.ConsentUpdate, r record) bool {
	isOwn := map[string]bool{
		fieldTime: r.AgreementTime == t.own.AgreementTime, fieldAddress: r.UserIPv6 == t.own.UserIPv6, fieldManual: r.Manual == t.own.Manual,
	}
	others := slices.DeleteFunc(u.Differences(r.Consent), func(name string) bool { return isOwn[name] })

	return r.exists && len(others) == 0
}

// testUpdate returns values that tell the forms apart. Each update differs from those
// before it and from what the person had: in its clauses, which are never all equal, and in
// a time with milliseconds that no date, no second and no other zone can stand for. The
// address is sent only if the record has one, since an update cannot remove it.
func (t *trial) testUpdate(i int) client.ConsentUpdate {
	return client.ConsentUpdate{
		Clauses:       t.testClauses(i),
		UserIPv6:      addressOf(t.before.Consent),
		AgreementTime: time.Date(2020, 2, 29, 21, 43, 10+i, 123_000_000+i*1_000_000, time.UTC),
		Manual:        true,
	}
}

// testClauses returns the clauses of update i: never all equal, and never those of before.
func (t *trial) testClauses(i int) (clauses [answer.Clauses]bool) {
	before := 0
	for c, held := range t.before.Clauses {
		if agreed, _ := held.Get(); agreed {
			before |= 1 << c
		}
	}

	mask := i + 1
	if before > 0 && mask >= before {
		mask++
	}
	for c := range clauses {
		clauses[c] = mask>>c&1 == 1
	}

	return clauses
}

// addressOf returns the address of a record; the zero Addr if it has none.
func addressOf(held answer.Consent) netip.Addr {
	text, _ := held.UserIPv6.Get()
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return a
}
