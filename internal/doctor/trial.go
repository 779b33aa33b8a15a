package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Bounds of a trial.
const (
	// restoreLimit is how long the restoration of a consent may take, and requestLimit how
	// long one request may take.
	restoreLimit = 2 * time.Minute
	requestLimit = restoreLimit / 8
	// looks is how often a record is read after it was written, until it is as written.
	looks = 3
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
	t.read = func(ctx context.Context) (answer.Consent, error) {
		return x.use.client.GetConsent(ctx, x.scope, x.options.Identity)
	}
	t.write = t.updateOnce
	t.run(ctx)
}

// updateOnce sends an update at most once: the client repeats one whose answer is lost, which
// could overwrite what the person has chosen since.
func (t *trial) updateOnce(ctx context.Context, f form, u client.ConsentUpdate) error {
	c, err := t.connect(t.use, t.wireAs(f), 0)
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
		return &client.Error{Class: client.ClassUnknownOutcome, Ambiguous: true}
	}

	return err
}

// trial writes test values into the consent of one person.
type trial struct {
	*examination

	read  func(ctx context.Context) (answer.Consent, error)
	write func(ctx context.Context, f form, u client.ConsentUpdate) error

	before record
	// own is the last record that the trial has not made: before, or a choice of the person.
	own    record
	chosen bool // own is not before
	sent   []sentUpdate

	working *form // was read back as written; nil if there is none
	untimed *form // the first that was read back without a time
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

// form is one way to send a consent update.
type form struct{ in, format string }

func (f form) String() string { return f.in + " with " + f.format }

// forms returns all forms, the configured one first.
func (t *trial) forms() []form {
	var all []form
	for _, in := range firstOf(client.Placements, t.wire.ConsentParametersIn) {
		for _, format := range firstOf(client.TimeFormats, t.wire.AgreementTimeFormat) {
			all = append(all, form{in, format})
		}
	}
	return all
}

// wireAs returns the settings for a form.
func (t *trial) wireAs(f form) client.Wire {
	wire := t.wire
	wire.ConsentParametersIn, wire.AgreementTimeFormat = f.in, f.format
	return wire
}

// run carries out the trial. An interrupt ends it, and never its restoration.
func (t *trial) run(ctx context.Context) {
	held, err := t.read(ctx)
	exists := !client.IsClass(err, client.ClassNotFound)
	if exists && (err != nil || lacksClause(held)) {
		t.report.add(GroupWriting, "form", Unknown, "nothing was written, since the consent of the person cannot be read completely and could not be restored")
		return
	}

	t.before = record{held, exists}
	t.own = t.before
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
	for i, f := range t.forms() {
		reason, next := t.try(ctx, i, f)
		if t.working != nil {
			t.wire = t.wireAs(f)
			return
		}

		reasons = append(reasons, f.String()+": "+reason)
		if !next || t.chosen || ctx.Err() != nil {
			break
		}
	}

	if t.untimed == nil {
		t.report.add(GroupWriting, "form", Broken, "no form was read back as it was written ("+list(reasons)+")")
		return
	}
	t.working, t.wire = t.untimed, t.wireAs(*t.untimed)
	t.report.add(GroupWriting, "form", Unknown, "parameters as "+t.untimed.in+" are read back as written; the record has no agreement_time that the provider recognises, so nothing shows in which format it is understood")
}

// try writes one update. It returns why the update is not read back as written, and
// whether another form may be.
func (t *trial) try(ctx context.Context, i int, f form) (reason string, next bool) {
	if _, err := t.look(ctx); err != nil || t.chosen {
		return "not sent, since the record cannot be read or has changed", false
	}

	u := t.testUpdate(i)
	if err := t.send(ctx, f, u); err != nil {
		return describe(err), client.IsClass(err, client.ClassRejected, client.ClassNotFound, client.ClassEndpointNotFound)
	}

	held, err := t.readBack(ctx, u)
	if err != nil {
		return "accepted, and reading it failed: " + describe(err), false
	}
	if names := differences(u, held.Consent); len(names) > 0 {
		return "accepted, and read back with another " + list(names), true
	}
	if !isSet(held.AgreementTime) {
		if t.untimed == nil {
			t.untimed = &f
		}
		return "accepted, and read back without agreement_time", true
	}

	word := OK
	configured := t.options.Client.Wire
	if f != (form{cmp.Or(configured.ConsentParametersIn, client.InJSON), cmp.Or(configured.AgreementTimeFormat, client.TimeRFC3339)}) {
		word = Differs
	}
	t.working = &f
	t.report.add(GroupWriting, "form", word, "read back as written: parameters as "+f.in+", agreement_time as "+f.format+inURL(f.in))

	return "", false
}

// readBack reads the record until it is as written, since a read may lag behind a write. After
// a few looks it returns what was read last.
func (t *trial) readBack(ctx context.Context, u client.ConsentUpdate) (held record, err error) {
	for look := range looks {
		held, err = t.look(ctx)
		if err != nil || t.chosen || look == looks-1 || len(differences(u, held.Consent)) == 0 {
			break
		}
		if client.Pause(ctx, t.options.Settle/(looks-1)) != nil {
			break
		}
	}

	return held, err
}

// send sends an update, and notes how long it may land: longer without an answer.
func (t *trial) send(ctx context.Context, f form, u client.ConsentUpdate) error {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	err := t.write(ctx, f, u)

	late := t.options.Settle
	e, ok := errors.AsType[*client.Error](err)
	if err != nil && (!ok || e.Ambiguous || ctx.Err() != nil) {
		late *= lateFactor
	}
	t.sent = append(t.sent, sentUpdate{u, time.Now().Add(late)})

	return err
}

// look reads the record. One that is neither the person's as known nor made by an update that
// was sent is a choice of the person.
func (t *trial) look(ctx context.Context) (record, error) {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()

	held, err := t.read(ctx)
	exists := !client.IsClass(err, client.ClassNotFound)
	if exists && err == nil && lacksClause(held) {
		err = &client.Error{Class: client.ClassPayload}
	}
	if exists && err != nil {
		return record{}, err
	}

	r := record{held, exists}
	if !t.noteLanded(r) && !t.own.isSame(r) {
		t.own, t.chosen = r, true
	}

	return r, nil
}

// isSame reports whether two records have the same fields with the same values.
func (r record) isSame(other record) bool {
	return r.exists == other.exists && r.Clauses == other.Clauses && r.AgreementTime == other.AgreementTime &&
		r.UserIPv6 == other.UserIPv6 && r.Manual == other.Manual
}

// noteLanded reports whether an update has made the record, and notes that it has landed.
func (t *trial) noteLanded(r record) (landed bool) {
	for i, u := range t.sent {
		if t.hasMade(u, r) {
			t.sent[i].until = time.Time{}
			landed = true
		}
	}
	return landed
}

// hasMade reports whether a record is what an update makes of the person's own: it has the
// five clauses of the update, and each other field is the update's or the person's.
func (t *trial) hasMade(u sentUpdate, r record) bool {
	isOwn := map[string]bool{
		fieldTime: r.AgreementTime == t.own.AgreementTime, fieldAddress: r.UserIPv6 == t.own.UserIPv6, fieldManual: r.Manual == t.own.Manual,
	}
	others := slices.DeleteFunc(differences(u.ConsentUpdate, r.Consent), func(name string) bool { return isOwn[name] })

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

// testClauses returns the clauses of update i, counted among those that are neither all equal
// nor as before.
func (t *trial) testClauses(i int) (clauses [answer.Clauses]bool) {
	for mask := 1; ; mask++ {
		isBefore, isEqual := true, true
		for c := range clauses {
			clauses[c] = mask>>c&1 == 1
			before, _ := t.before.Clauses[c].Get()
			isBefore = isBefore && clauses[c] == before
			isEqual = isEqual && clauses[c] == clauses[0]
		}
		if !isBefore && !isEqual {
			i--
		}
		if i < 0 {
			return clauses
		}
	}
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

// differences returns the names of the fields that are read with another value than was
// sent. Apart from a clause, a field that the record does not have is no difference. Times
// are compared to the second.
func differences(u client.ConsentUpdate, held answer.Consent) []string {
	var names []string
	for i, sent := range u.Clauses {
		if read, ok := held.Clauses[i].Get(); !ok || read != sent {
			names = append(names, fmt.Sprintf("clause_%d_consent", i+1))
		}
	}

	if read, ok := held.AgreementTime.Get(); ok && !u.AgreementTime.IsZero() && read.Unix() != u.AgreementTime.Unix() {
		names = append(names, fieldTime)
	}
	if isSet(held.UserIPv6) && u.UserIPv6.IsValid() && addressOf(held).Unmap() != u.UserIPv6.Unmap() {
		names = append(names, fieldAddress)
	}
	if read, ok := held.Manual.Get(); ok && read != u.Manual {
		names = append(names, fieldManual)
	}

	return names
}
