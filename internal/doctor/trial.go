// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Bounds of a trial.
const (
	// restoreLimit is how long the restoration of a consent may take, and requestLimit how
	// long one request may take.
	restoreLimit = 2 * time.Minute
	requestLimit = restoreLimit / 8
	// lateFactor times the settling time is how long an update without an answer may land.
	lateFactor = 5
	// mostReadings is how often a record is read, a quarter of the settling time apart, that is
	// never the same twice. No update can land any more then.
	mostReadings = 8 * lateFactor
)

// updateOnce sends an update at most once: the client repeats one whose answer is lost, which
// could overwrite what the person has chosen since.
func (x *examination) updateOnce(ctx context.Context, form client.Wire, u client.ConsentUpdate) error {
	c, err := x.connect(x.use, form, 0)
	if err != nil {
		return err
	}

	sent := false
	u.Superseded = func() (again bool) {
		again, sent = sent, true
		return again
	}
	result, err := c.UpdateConsent(ctx, x.person(), u)
	if err == nil && result.Outcome == client.ConsentSuperseded {
		return &transport.Error{Class: transport.ClassUnknownOutcome, Ambiguous: true}
	}

	return err
}

// trial writes the consent of the test person in each form until one is read back as written,
// and restores what was there before.
type trial struct {
	*examination

	get   func(ctx context.Context) (answer.Consent, error)
	patch func(ctx context.Context, form client.Wire, u client.ConsentUpdate) error

	before answer.Consent // without JSON if the person had no record
	// own is the last record that the trial has not made: before, or a choice of the person.
	own    answer.Consent
	chosen bool // own is not before
	found  bool // a record was read, which the interface has no request to remove
	sent   []sentUpdate

	forms []client.Wire // the settings for each way to send an update, the configured one first
	works bool          // one was read back as written: that of the examination
	timed bool          // its agreement_time was read back too
}

// sentUpdate is an update that was sent.
type sentUpdate struct {
	client.ConsentUpdate
	until time.Time // it may land until then; zero once it was seen
}

// run carries out the trial: it reads twice, since a single answer may lie, and writes in each form
// until one is read back as written. An interrupt ends it, and never its restoration.
func (t *trial) run(ctx context.Context) {
	t.report.group = "Writing consent"
	_, _ = t.look(ctx)
	t.chosen = false
	if _, err := t.look(ctx); err != nil || t.chosen {
		t.report.add("form", Unknown, "nothing was written, since the consent of the person cannot be read completely, and twice the same, and could not be restored")
		return
	}
	t.before = t.own

	for _, in := range firstOf(client.Placements, t.wire.Consent.ParametersIn) {
		for _, format := range firstOf(client.TimeFormats[:2], t.wire.Consent.TimeFormat) {
			form := t.wire
			form.Consent.ParametersIn, form.Consent.TimeFormat = in, format
			t.forms = append(t.forms, form)
		}
	}

	var reasons []string
	for i, form := range t.forms {
		reason, again := t.try(ctx, i, form)
		reasons = append(reasons, form.Consent.ParametersIn+" with "+form.Consent.TimeFormat+": "+reason)
		if !again || t.chosen || ctx.Err() != nil {
			break
		}
	}

	in := t.wire.Consent.ParametersIn
	switch {
	case !t.works:
		t.report.add("form", Broken, "no form was read back as it was written ("+list(reasons)+")")
	case !t.timed:
		t.report.add("form", Unknown, "parameters as "+in+" are read back as written; the record has no agreement_time that the provider recognises, so nothing shows in which format it is understood")
	default:
		t.report.add("form", asConfigured[len(reasons) == 1], "read back as written: parameters as "+in+", agreement_time as "+t.wire.Consent.TimeFormat+urlWarning[in])
	}

	if len(t.sent) > 0 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreLimit)
		defer cancel()
		t.restore(ctx)
	}
}

// try writes one update. It returns what became of it, and whether another form may show
// more. A form whose record has no time is used only if no other form shows one.
func (t *trial) try(ctx context.Context, i int, form client.Wire) (outcome string, again bool) {
	u := t.testUpdate(i)
	refusal := t.send(ctx, form, u)
	held, err := t.settle(ctx)
	if refusal != nil {
		isRefused := transport.IsClass(refusal, transport.ClassRejected, transport.ClassNotFound, transport.ClassEndpointNotFound)
		return describe(refusal), isRefused && err == nil
	}
	if err != nil {
		return "accepted, and reading it failed: " + describe(err), false
	}
	if names := u.Differences(held); len(names) > 0 {
		return "accepted, and read back with another " + list(names), true
	}

	t.timed = !held.IsUntimed()
	if t.timed || !t.works {
		t.works, t.wire = true, form
	}

	return "accepted, and read back without agreement_time", !t.timed
}

// testUpdate returns values that tell the forms apart. Each update differs from those
// before it and from what the person had: in its clauses, which are never all equal, and in
// a time with milliseconds that no date, no second and no other zone can stand for. The
// address is sent only if the record has one, since an update cannot remove it.
func (t *trial) testUpdate(i int) client.ConsentUpdate {
	u := t.original()
	u.AgreementTime = time.Date(2020, 2, 29, 21, 43, 10+i, 123_000_000+i*1_000_000, time.UTC)
	u.Manual = true

	for _, pattern := range []int{i + 1, i + 1 + len(t.forms)} { // the second if the person has the first
		for c := range u.Clauses {
			u.Clauses[c] = pattern>>c&1 == 1
		}
		if !t.before.HasClauses(u.Clauses) {
			break
		}
	}

	return u
}

// original returns the update that restores the person's own record. A person who had none
// gets one that refuses all clauses, since the interface has no request that removes a record.
func (t *trial) original() (u client.ConsentUpdate) {
	for i, c := range t.own.Clauses {
		u.Clauses[i], _ = c.Get()
	}
	u.AgreementTime, _ = t.own.AgreementTime.Get()
	u.Manual, _ = t.own.Manual.Get()
	text, _ := t.own.UserIPv6.Get()
	u.UserIPv6, _ = netip.ParseAddr(text)

	return u
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

// settle reads the record until nothing that was sent can change it any more and two readings are
// the same, at most mostReadings times, and returns what was read last.
func (t *trial) settle(ctx context.Context) (answer.Consent, error) {
	last := answer.Consent{}
	for left := mostReadings; ; left-- {
		asked := time.Now()
		held, err := t.look(ctx)

		isSettled := err != nil || left <= 0 || isSameChoice(held, last)
		for _, u := range t.sent {
			isSettled = isSettled && !u.until.After(asked)
		}
		if isSettled {
			return held, err
		}
		if err := transport.Pause(ctx, t.options.Settle/4); err != nil {
			return held, err
		}
		last = held
	}
}

// look reads the record, and notes which updates have landed: what an update makes has its five
// clauses, and each other field is the update's or the person's own. The record before may be what
// a copy of the service still has; any other that is not the person's own is a choice of the
// person. One that lacks a clause is an error, since it could not be restored.
func (t *trial) look(ctx context.Context) (answer.Consent, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	r, err := t.get(ctx)

	if err != nil && (t.found || !transport.IsClass(err, transport.ClassNotFound)) {
		return r, err
	}
	t.found = t.found || err == nil
	if err == nil && slices.ContainsFunc(r.Clauses[:], func(c answer.Optional[bool]) bool { return !isSet(c) }) {
		return r, &transport.Error{Class: transport.ClassPayload}
	}

	isOwn := map[string]bool{
		"agreement_time": r.AgreementTime == t.own.AgreementTime, "user_ipv6": r.UserIPv6 == t.own.UserIPv6, "manual": r.Manual == t.own.Manual,
	}
	isBefore := isSameChoice(r, t.before)
	isKnown := isBefore || r.Clauses == t.own.Clauses && !slices.Contains(slices.Collect(maps.Values(isOwn)), false)
	for i, u := range t.sent {
		others := slices.DeleteFunc(u.Differences(r), func(name string) bool { return isOwn[name] })
		if len(others) == 0 && !isBefore {
			t.sent[i].until = time.Time{}
			isKnown = true
		}
	}
	if !isKnown {
		t.own, t.chosen = r, true
	}

	return r, nil
}

// isSameChoice reports whether two records have the same clauses and time.
func isSameChoice(a, b answer.Consent) bool {
	return a.Clauses == b.Clauses && a.AgreementTime == b.AgreementTime
}

// restore writes the person's own record until it is read, as far as an update can make it, at a
// time when nothing that was sent can land any more. Where no form is known to work, each is tried,
// that of the last update first.
func (t *trial) restore(ctx context.Context) {
	last := len(t.sent) - 1
	forms := slices.Concat(t.forms[last:], t.forms[:last])
	if t.works {
		forms = slices.Repeat([]client.Wire{t.wire}, len(forms))
	}
	why := "no form of an update is read back as it was written"

	held, err := t.settle(ctx)
	isRestored := func() bool {
		return err == nil && (len(t.original().Differences(held)) == 0 || held.JSON == nil && t.own.JSON == nil)
	}
	for ; !isRestored(); held, err = t.settle(ctx) {
		if err != nil {
			why = "the service cannot be read (" + describe(err) + ")"
		}
		if len(forms) == 0 || ctx.Err() != nil {
			t.report.add("restored", Broken, "the person's consent may not be as it was: "+why+"; "+toPutBack(t.own))
			return
		}

		if err != nil {
			_ = transport.Pause(ctx, t.options.Settle)
		} else if err := t.send(ctx, forms[0], t.original()); err != nil {
			why = describe(err)
		}
		forms = forms[1:]
	}

	word, text := OK, "the person's consent is as it was before"
	changed := changedMembers(t.own.JSON, held.JSON)
	switch {
	case t.chosen:
		word, text = Broken, "somebody else has changed the consent: a record that the trial has not sent is taken for the person's own choice and stands; if it is none, "+toPutBack(t.before)
	case held.JSON != nil && t.own.JSON == nil:
		word, text = Differs, "the person had no consent record, and the interface has no request that removes one; the record now refuses all clauses"
	case len(changed) > 0:
		word, text = Differs, "the person's consent is as it was before, except "+t.shown(changed)+", which an update cannot take back"
	}
	t.report.add("restored", word, text)
}

// toPutBack tells a person to put back the clauses of a record.
func toPutBack(r answer.Consent) string {
	if r.JSON == nil {
		return "the person had no consent record"
	}

	var values []string
	for i, c := range r.Clauses {
		agreed, _ := c.Get()
		values = append(values, fmt.Sprintf("%s = %t", answer.ClauseNames[i], agreed))
	}

	return "put back " + list(values)
}

// changedMembers returns the members that have another value in one of two answers or are
// missing from it. Texts of the same instant, in its full precision, are the same value.
func changedMembers(before, after jsontext.Value) []string {
	was, is := jsonvalue.Members(before), jsonvalue.Members(after)
	all := slices.Concat(jsonvalue.Names(was), jsonvalue.Names(is))
	slices.Sort(all)

	var names []string
	for _, name := range slices.Compact(all) {
		a, b := was[name], is[name]
		if a.Kind() == '{' && b.Kind() == '{' {
			names = append(names, changedMembers(a, b)...)
			continue
		}

		at, err := time.Parse(time.RFC3339Nano, jsonvalue.Text(a))
		bt, other := time.Parse(time.RFC3339Nano, jsonvalue.Text(b))
		isSame := a != nil && b != nil && jsonvalue.Equal(a, b) || err == nil && other == nil && at.Equal(bt)
		if !isSame {
			names = append(names, name)
		}
	}

	return names
}
