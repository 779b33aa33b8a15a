package client

import (
	"context"
	"errors"
	"net/netip"
	"time"
)

// ConsentUpdate is the consent record that is sent (section 2). The five clauses
// are required and always sent, and so is manual; the rest where it is known.
type ConsentUpdate struct {
	Clauses       [Clauses]bool
	UserIPv6      netip.Addr // sent in IPv6 form, IPv4 mapped; the zero Addr is not sent
	AgreementTime time.Time  // sent to the millisecond; the zero Time is not sent
	Manual        bool

	// KeepLaterThan protects the person's choice: where it is not zero and the
	// service holds a later agreement_time, nothing is written.
	KeepLaterThan time.Time
	// OnlyKnown writes nothing for a person of whom the service holds no consent: that
	// is an error of KindNotFound then.
	OnlyKnown bool
	// OnlyDifferent writes nothing where the service holds all of it already. With
	// ClausesDecide, the five clauses are all that is compared: whoever has withdrawn
	// in another way has withdrawn.
	OnlyDifferent bool
	ClausesDecide bool
}

// comparesFirst reports whether the service is asked before it is written to.
func (u ConsentUpdate) comparesFirst() bool {
	return u.OnlyKnown || u.OnlyDifferent || !u.KeepLaterThan.IsZero()
}

// ConsentOutcome is what became of an update that did not fail.
type ConsentOutcome int

// The outcomes of an update: the service held all of it already, it was written, or a
// later choice of the person stands. Without OnlyDifferent nothing is Unchanged.
const (
	ConsentUnchanged ConsentOutcome = iota
	ConsentWritten
	ConsentKept
)

// ConsentResult is the outcome of an update, and the consent that was left alone
// where it is ConsentKept.
type ConsentResult struct {
	Outcome ConsentOutcome
	Kept    *Consent
}

// CompareConsent is the outcome that UpdateConsent would have now, by one GET:
// ConsentWritten where the service holds something else. Errors are *Error.
func (c *Client) CompareConsent(ctx context.Context, scope Scope, identity string, u ConsentUpdate) (ConsentOutcome, error) {
	w := &consentWrite{client: c, scope: scope, identity: identity, update: u}
	err := w.compare(ctx)
	return w.result.Outcome, err
}

// UpdateConsent is PATCH …/user/:identityId/consent (section 4). The result means
// nothing beside an error.
//
// Where the answer is lost, the consent is read back: equal is success, a later
// choice stands, and otherwise the update, whose values are absolute, is sent once
// more. Errors are *Error.
func (c *Client) UpdateConsent(ctx context.Context, scope Scope, identity string, u ConsentUpdate) (ConsentResult, error) {
	to, unlock, err := c.alone(ctx, scope, identity, opUpdateConsent)
	if err != nil {
		return ConsentResult{}, err
	}
	defer unlock()
	w := &consentWrite{client: c, scope: scope, to: to, identity: identity, update: u}
	w.result.Outcome = ConsentWritten
	if u.comparesFirst() && !c.readOnly { // a read-only client refuses the write before anything is sent
		if err := w.compare(ctx); err != nil || w.result.Outcome != ConsentWritten {
			return w.result, err
		}
	}
	err = w.carryOut(ctx)
	return w.result, err
}

// Concurrency is how many requests of the client are under way at once at most, for
// whom it is worth keeping so many connections.
func (c *Client) Concurrency() int { return c.pool.MaxIdleConnsPerHost }

// consentWrite is one update on its way.
type consentWrite struct {
	client   *Client
	scope    Scope
	to       endpoint
	identity string
	update   ConsentUpdate
	result   ConsentResult
}

// keep ends the update in favour of a later choice.
func (w *consentWrite) keep(held *Consent) {
	w.result = ConsentResult{Outcome: ConsentKept, Kept: held}
}

// compare looks for a reason to send nothing, above all a later choice of the person.
// A person of whom the service knows nothing has made none; a record without a time
// may be one.
func (w *consentWrite) compare(ctx context.Context) error {
	held, got, err := w.client.readConsent(ctx, w.scope, w.identity)
	w.result = ConsentResult{Outcome: ConsentWritten}
	switch {
	case IsKind(err, KindNotFound) && !w.update.OnlyKnown, err == nil && held == nil:
		return nil
	case err != nil:
		return err
	case w.update.OnlyDifferent && w.update.isHeld(*held):
		w.result.Outcome = ConsentUnchanged
	case w.update.KeepLaterThan.IsZero():
		return nil
	case held.AgreementTime.IsAbsent():
		return got.unexpected("the service's record has no agreement_time, so that a later choice of the person cannot be excluded; nothing was written (keep_later_choice = false writes all the same)")
	case held.LaterThan(w.update.KeepLaterThan):
		w.keep(held)
	}
	return nil
}

// carryOut sends the update and settles what is open afterwards: at most twice.
func (w *consentWrite) carryOut(ctx context.Context) error {
	attempts := 0
	for again := true; ; again = false {
		err := w.patch(ctx)
		e, failed := errors.AsType[*Error](err)
		switch {
		case w.result.Outcome != ConsentWritten:
			return nil
		case !failed:
			return err
		}
		if e.Operation == opUpdateConsent.name { // and not a login that failed in between
			e.Attempts += attempts
		}
		attempts = e.Attempts
		if !e.Ambiguous || e.Kind == KindCancelled {
			return e
		}
		settled, err := w.settle(ctx, e)
		if settled || err != nil {
			return err
		}
		if !again {
			return e
		}
	}
}

// settle finds out what became of an update whose answer was lost.
func (w *consentWrite) settle(ctx context.Context, lost *Error) (settled bool, _ error) {
	held, _, err := w.client.readConsent(ctx, w.scope, w.identity)
	switch {
	case err != nil && !IsKind(err, KindNotFound):
		return false, lost.unknownOutcome(err)
	case held != nil && w.update.isIn(*held):
		return true, nil
	case held != nil && !w.update.KeepLaterThan.IsZero() && held.LaterThan(w.update.KeepLaterThan):
		w.keep(held)
		return true, nil
	}
	return false, nil
}

var errNothingToSend = errors.New("a later choice of the person stands, or the service holds all of it")

func (w *consentWrite) patch(ctx context.Context) error {
	p, err := place(w.client.wire.ConsentParametersIn, w.update.parameters(w.client.wire))
	if err != nil {
		return invalid(opUpdateConsent, err)
	}
	if w.update.comparesFirst() {
		p.beforeRetry = func() error {
			if err := w.compare(ctx); err != nil {
				return err
			}
			if w.result.Outcome != ConsentWritten {
				return errNothingToSend
			}
			return nil
		}
	}
	got, err := w.client.do(ctx, opUpdateConsent, w.to, p, w.private()...)
	if err != nil {
		return err
	}
	if err := got.complaint(); err != nil {
		return err
	}
	return w.checkAnswer(got)
}

func (w *consentWrite) private() []string {
	private := []string{w.identity}
	if a := w.update.UserIPv6; a.IsValid() {
		private = append(private, MappedIPv6(a), a.String(), a.Unmap().String())
	}
	return private
}

// checkAnswer refuses a success that shows other clauses than were sent. The
// interface does not show the answer, so what it does not show is no reason.
func (w *consentWrite) checkAnswer(got answer) error {
	r, found := findRecord(got.json, consentFields, consentWrappers)
	if !found {
		return nil
	}
	for i, agreed := range w.update.Clauses {
		if shown, ok := r.boolean(clauseName(i)).Get(); ok && shown != agreed {
			e := got.call.fail(KindRejected, got.status, "the service answered with another "+clauseName(i)+" than was sent")
			e.Ambiguous = false
			return e
		}
	}
	return nil
}

func (u ConsentUpdate) parameters(w Wire) []parameter {
	list := make([]parameter, 0, len(consentFields))
	for i, agreed := range u.Clauses {
		list = append(list, parameter{clauseName(i), agreed})
	}
	if u.UserIPv6.IsValid() {
		list = append(list, parameter{"user_ipv6", MappedIPv6(u.UserIPv6)})
	}
	if !u.AgreementTime.IsZero() {
		list = append(list, parameter{"agreement_time", w.formatTime(u.AgreementTime)})
	}
	return append(list, parameter{"manual", u.Manual})
}

// unknownOutcome is what remains where neither the answer nor a look at the
// service says whether the request was carried out.
func (e *Error) unknownOutcome(look error) *Error {
	unknown := *e
	unknown.Kind = KindUnknownOutcome
	unknown.Detail = e.Title()
	if e.Detail != "" {
		unknown.Detail += " (" + e.Detail + ")"
	}
	if seen, ok := errors.AsType[*Error](look); ok {
		unknown.Detail += ", and looking at the service failed as well: " + seen.Title()
		unknown.cause = seen.cause
	}
	return &unknown
}

// isIn reports whether the service holds what was sent. A field that the answer
// does not have cannot speak against it, a clause must be there.
func (u ConsentUpdate) isIn(held Consent) bool {
	if !u.hasClauses(held) {
		return false
	}
	if v, ok := held.Manual.Get(); ok && v != u.Manual {
		return false
	}
	if t, ok := held.AgreementTime.Get(); ok && !u.AgreementTime.IsZero() && t.UnixMilli() != u.AgreementTime.UnixMilli() {
		return false
	}
	if s, ok := held.UserIPv6.Get(); ok && u.UserIPv6.IsValid() {
		a, err := netip.ParseAddr(s)
		return err == nil && a.Unmap() == u.UserIPv6.Unmap()
	}
	return true
}

// isHeld reports whether there is nothing to send. Before anything was sent, a null in
// the place of what is to be recorded is a difference.
func (u ConsentUpdate) isHeld(held Consent) bool {
	if u.ClausesDecide {
		return u.hasClauses(held)
	}
	lacks := u.UserIPv6.IsValid() && held.UserIPv6.IsNull() || !u.AgreementTime.IsZero() && held.AgreementTime.IsNull()
	return !lacks && u.isIn(held)
}

func (u ConsentUpdate) hasClauses(held Consent) bool {
	for i, agreed := range u.Clauses {
		if v, ok := held.Clauses[i].Get(); !ok || v != agreed {
			return false
		}
	}
	return true
}

// MappedIPv6 writes an address as the interface wants it: IPv4 mapped into IPv6
// space (section 2, user_ipv6).
func MappedIPv6(a netip.Addr) string { return netip.AddrFrom16(a.As16()).String() }
