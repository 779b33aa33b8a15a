package doctor

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// restoreLimit is how long the restoration of a consent may take after an interrupt.
const restoreLimit = time.Minute

// examineWriting writes the consent of the test person in each form until one is read
// back as written, and restores what was there before.
func (x *examination) examineWriting(ctx context.Context) {
	if !x.options.Write || x.use == nil || ctx.Err() != nil {
		return
	}

	t := &trial{examination: x, identity: x.options.Identity}
	if !t.remember(ctx) {
		return
	}

	t.tryForms(ctx)

	// An interrupt must not leave the test values behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreLimit)
	defer cancel()
	t.restore(ctx)
}

// trial writes test values into the consent of one person.
type trial struct {
	*examination

	identity string
	before   client.Consent
	existed  bool

	sent int             // updates
	read *client.Consent // what was read after the last update; nil if it was not
	last form            // of the last update
	// working has the form that was read back as written; nil if there is none.
	working *client.Client
	untimed *attempt // the first that was read back without a time
}

// attempt is an update in one form.
type attempt struct {
	form   form
	client *client.Client
	update client.ConsentUpdate
}

// remember reads what is there before, and reports whether it can be restored.
func (t *trial) remember(ctx context.Context) bool {
	t.options.Progress("reading the consent to restore")
	held, err := t.use.client.GetConsent(ctx, t.scope, t.identity)
	if client.IsClass(err, client.ClassNotFound) {
		return true
	}
	if err != nil || lacksClause(held) {
		t.report.add(GroupWriting, "form", Unknown, "nothing was written, since the consent of the person cannot be read completely and could not be restored")
		return false
	}

	t.before, t.existed = held, true

	return true
}

// form is one way to send a consent update.
type form struct{ in, format string }

func (f form) String() string { return f.in + " with " + f.format }

// forms returns all forms, the configured one first.
func (t *trial) forms() []form {
	var all []form
	for _, in := range placements(t.wire.ConsentParametersIn) {
		for _, format := range firstOf(client.TimeFormats, t.wire.AgreementTimeFormat) {
			all = append(all, form{in, format})
		}
	}
	return all
}

// formsFrom returns all forms, one of them first.
func (t *trial) formsFrom(first form) []form {
	all := slices.DeleteFunc(t.forms(), func(f form) bool { return f == first })
	return slices.Insert(all, 0, first)
}

// tryForms writes in each form until one is read back as written. A form whose record has
// no time is used only if no other form shows one.
func (t *trial) tryForms(ctx context.Context) {
	var reasons []string
	for i, f := range t.forms() {
		if ctx.Err() != nil {
			break
		}

		t.options.Progress("writing consent as " + f.String())
		reason, next := t.try(ctx, i, f)
		if t.working != nil {
			return
		}
		reasons = append(reasons, f.String()+": "+reason)
		if !next {
			break
		}
	}

	if t.untimed != nil {
		t.keep(*t.untimed)
		t.report.add(GroupWriting, "form", Unknown, "parameters as "+t.untimed.form.in+" are read back as written; the record has no agreement_time that the provider recognises, so nothing shows in which format it is understood")
		return
	}
	t.report.add(GroupWriting, "form", Broken, "no form was read back as it was written ("+list(reasons)+")")
}

// try writes one update. It returns why the update is not read back as written, and
// whether another form may be.
func (t *trial) try(ctx context.Context, i int, f form) (reason string, next bool) {
	a := attempt{form: f, update: t.testUpdate(i)}

	var err error
	if a.client, err = t.connectAs(f); err != nil {
		return describe(err), false
	}

	t.sent++
	t.read, t.last = nil, f
	if _, err := a.client.UpdateConsent(ctx, t.scope, t.identity, a.update); err != nil {
		return describe(err), client.IsClass(err, client.ClassRejected, client.ClassNotFound, client.ClassEndpointNotFound)
	}

	held, err := t.readSettled(ctx, a.client, a.update)
	if err != nil {
		return "accepted, and reading it failed: " + describe(err), client.IsClass(err, client.ClassNotFound)
	}
	t.read = &held

	return t.judge(a, held), true
}

// looks is how often a record is read after it was written, until it is as written.
const looks = 3

// readSettled reads the record until it is as written, since a read may lag behind a write.
// After a few looks it returns what was read last.
func (t *trial) readSettled(ctx context.Context, c *client.Client, u client.ConsentUpdate) (held client.Consent, err error) {
	for look := range looks {
		held, err = c.GetConsent(ctx, t.scope, t.identity)
		if err != nil || len(differences(u, held)) == 0 || look == looks-1 {
			break
		}
		if err := client.Pause(ctx, t.options.Settle/(looks-1)); err != nil {
			break
		}
	}

	return held, err
}

// judge compares what was read with what was written, and uses the form if they agree.
func (t *trial) judge(a attempt, held client.Consent) (reason string) {
	if names := differences(a.update, held); len(names) > 0 {
		return "accepted, and read back with another " + list(names)
	}

	if !isSet(held.AgreementTime) {
		if t.untimed == nil {
			t.untimed = &a
		}
		return "accepted, and read back without agreement_time"
	}

	t.keep(a)
	t.reportForm(a, held)

	return ""
}

// keep uses the form from now on.
func (t *trial) keep(a attempt) { t.working, t.wire = a.client, t.wireAs(a.form) }

// wireAs returns the settings for a form.
func (t *trial) wireAs(f form) client.Wire {
	wire := t.wire
	wire.ConsentParametersIn, wire.AgreementTimeFormat = f.in, f.format
	return wire
}

func (t *trial) connectAs(f form) (*client.Client, error) { return t.connect(t.use, t.wireAs(f)) }

// testUpdate returns values that tell the forms apart. Each update differs from those
// before it and from what the person had: in its clauses, which are never all equal, and in
// a time with milliseconds that no date, no second and no other zone can stand for. The
// address is sent only if the record has one, since an update cannot remove it.
func (t *trial) testUpdate(i int) client.ConsentUpdate {
	return client.ConsentUpdate{
		Clauses:       t.testClauses(i),
		UserIPv6:      addressOf(t.before),
		AgreementTime: time.Date(2020, 2, 29, 21, 43, 10+i, 123_000_000+i*1_000_000, time.UTC),
		Manual:        true,
	}
}

// testClauses returns the clauses of update i: as before, with some of them changed.
func (t *trial) testClauses(i int) (clauses [client.Clauses]bool) {
	for mask := 1; ; mask++ {
		agreed := 0
		for c := range clauses {
			before, _ := t.before.Clauses[c].Get()
			clauses[c] = before != (mask>>c&1 == 1)
			if clauses[c] {
				agreed++
			}
		}

		if agreed == 0 || agreed == client.Clauses {
			continue
		}
		if i == 0 {
			return clauses
		}
		i--
	}
}

// addressOf returns the address of a record; the zero Addr if it has none.
func addressOf(held client.Consent) netip.Addr {
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
func differences(u client.ConsentUpdate, held client.Consent) []string {
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

func (t *trial) reportForm(a attempt, held client.Consent) {
	word := OK
	if a.form.isNotConfigured(t.options.Client.Wire) {
		word = Differs
	}
	text := "read back as written: parameters as " + a.form.in + ", agreement_time as " + a.form.format
	if a.form.in == client.InQuery {
		text += "; the values are part of the URL, which proxies and the service may log"
	}
	t.report.add(GroupWriting, "form", word, text)

	read, _ := held.AgreementTime.Get()
	if read.UnixMilli() != a.update.AgreementTime.UnixMilli() {
		t.report.add(GroupWriting, "precision of times", Differs, "the service keeps whole seconds; write agreement_time without a fraction")
		return
	}
	t.report.add(GroupWriting, "precision of times", OK, "milliseconds are kept")
}

// isNotConfigured reports whether the form differs from that of the settings.
func (f form) isNotConfigured(w client.Wire) bool {
	return f.in != orDefault(w.ConsentParametersIn, client.InJSON) || f.format != orDefault(w.AgreementTimeFormat, client.TimeRFC3339)
}
