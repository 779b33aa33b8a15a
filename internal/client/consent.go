package client

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// Clauses is how many clauses a consent record has (section 2).
const Clauses = 5

var (
	opGetConsent    = operation{name: "Get consent", method: http.MethodGet, suffix: "/consent"}
	opUpdateConsent = operation{name: "Update consent", method: http.MethodPatch, effect: true, suffix: "/consent"}

	consentFields   = []string{clauseName(0), clauseName(1), clauseName(2), clauseName(3), clauseName(4), "user_ipv6", "agreement_time", "manual"}
	consentWrappers = []string{"consent", "data", "result", "record"}
)

// clauseName is the parameter of clause i, counted from 0.
func clauseName(i int) string { return "clause_" + strconv.Itoa(i+1) + "_consent" }

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
}

// comparesFirst reports whether the service is asked before it is written to.
func (u ConsentUpdate) comparesFirst() bool { return u.OnlyKnown || !u.KeepLaterThan.IsZero() }

// Consent is the latest consent state that the service gave. The interface does
// not show the fields of this answer: they are expected under the names of the
// update, at the top or in a wrapper, and any of them may be absent.
type Consent struct {
	Clauses       [Clauses]Optional[bool]
	UserIPv6      Optional[string]
	AgreementTime Optional[time.Time]
	Manual        Optional[bool]
	JSON          []byte // the complete answer
}

// LaterThan reports whether the service holds an agreement_time after t, to the
// millisecond.
func (c Consent) LaterThan(t time.Time) bool {
	held, ok := c.AgreementTime.Get()
	return ok && held.UnixMilli() > t.UnixMilli()
}

// GetConsent is GET …/user/:identityId/consent (section 4). Errors are *Error;
// KindNotFound where the service itself says that there is none.
func (c *Client) GetConsent(ctx context.Context, scope Scope, identity string) (Consent, error) {
	held, got, err := c.readConsent(ctx, scope, identity)
	if err == nil && held == nil {
		err = got.unexpected("the answer holds no consent record")
	}
	if err != nil {
		return Consent{}, err
	}
	return *held, nil
}

// readConsent gives nil without an error where the answer is null or an empty
// object, which is for the caller to judge.
func (c *Client) readConsent(ctx context.Context, scope Scope, identity string) (*Consent, answer, error) {
	to, err := scope.ofPerson(identity, opGetConsent)
	if err != nil {
		return nil, answer{}, invalid(opGetConsent, err)
	}
	got, err := c.do(ctx, opGetConsent, to, payload{}, identity)
	if err != nil {
		return nil, got, err
	}
	if err := got.wantBody(); err != nil {
		return nil, got, err
	}
	held, err := got.consent()
	return held, got, err
}

func invalid(op operation, err error) *Error {
	return &Error{Kind: KindInvalid, Detail: err.Error(), Operation: op.name, Method: op.method}
}

// consent reads the fields of a consent record; nil where the answer is null or
// empty. An answer of another form is an error: taken for "no consent", it would
// switch off what protects a person's choice.
func (a answer) consent() (*Consent, error) {
	r, found := findRecord(a.json, consentFields, consentWrappers)
	if !found {
		return nil, a.noConsent(r)
	}
	held := &Consent{
		UserIPv6:      r.text("user_ipv6"),
		AgreementTime: r.instant("agreement_time"),
		Manual:        r.boolean("manual"),
		JSON:          a.json,
	}
	for i := range held.Clauses {
		held.Clauses[i] = r.boolean(clauseName(i))
	}
	if r.err != nil {
		return nil, a.unexpected(r.err.Error())
	}
	return held, nil
}

func (a answer) noConsent(r *record) error {
	if err := a.complaint(); err != nil {
		return err
	}
	if a.json.Kind() == 'n' || a.json.Kind() == '{' && r.isEmpty(consentWrappers) {
		return nil
	}
	if a.json.Kind() != '{' {
		return a.unexpected("$: expected an object, found " + kindName(a.json))
	}
	return a.unexpected("no field of a consent record was recognised in the answer")
}

// UpdateConsent is PATCH …/user/:identityId/consent (section 4). It returns the
// consent that it left alone where a later choice stands, and nil where the update
// is in place.
//
// Where the answer is lost, the consent is read back: equal is success, a later
// choice stands, and otherwise the update, whose values are absolute, is sent once
// more. Errors are *Error.
func (c *Client) UpdateConsent(ctx context.Context, scope Scope, identity string, u ConsentUpdate) (kept *Consent, err error) {
	to, unlock, err := c.alone(ctx, scope, identity, opUpdateConsent)
	if err != nil {
		return nil, err
	}
	defer unlock()
	w := &consentWrite{client: c, scope: scope, to: to, identity: identity, update: u}
	if u.comparesFirst() && !c.readOnly { // a read-only client refuses the write before anything is sent
		if err := w.compare(ctx); err != nil || w.kept != nil {
			return w.kept, err
		}
	}
	return w.carryOut(ctx)
}

// consentWrite is one update on its way.
type consentWrite struct {
	client   *Client
	scope    Scope
	to       endpoint
	identity string
	update   ConsentUpdate
	kept     *Consent // the later choice, once one was seen
}

// compare looks for a later choice of the person. A person of whom the service
// knows nothing has made none; a record without a time may be one.
func (w *consentWrite) compare(ctx context.Context) error {
	held, got, err := w.client.readConsent(ctx, w.scope, w.identity)
	switch {
	case IsKind(err, KindNotFound) && !w.update.OnlyKnown, err == nil && held == nil:
		return nil
	case err != nil:
		return err
	case w.update.KeepLaterThan.IsZero():
		return nil
	case held.AgreementTime.IsAbsent():
		return got.unexpected("the service's record has no agreement_time, so that a later choice of the person cannot be excluded; nothing was written (keep_later_choice = false writes all the same)")
	case held.LaterThan(w.update.KeepLaterThan):
		w.kept = held
	}
	return nil
}

// carryOut sends the update and settles what is open afterwards: at most twice.
func (w *consentWrite) carryOut(ctx context.Context) (*Consent, error) {
	attempts := 0
	for again := true; ; again = false {
		err := w.patch(ctx)
		e, failed := errors.AsType[*Error](err)
		switch {
		case w.kept != nil:
			return w.kept, nil
		case !failed:
			return nil, err
		}
		if e.Operation == opUpdateConsent.name { // and not a login that failed in between
			e.Attempts += attempts
		}
		attempts = e.Attempts
		if !e.Ambiguous || e.Kind == KindCancelled {
			return nil, e
		}
		settled, err := w.settle(ctx, e)
		if settled || err != nil {
			return w.kept, err
		}
		if !again {
			return nil, e
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
		w.kept = held
		return true, nil
	}
	return false, nil
}

var errLaterChoice = errors.New("a later choice of the person stands")

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
			if w.kept != nil {
				return errLaterChoice
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
	for i, agreed := range u.Clauses {
		if v, ok := held.Clauses[i].Get(); !ok || v != agreed {
			return false
		}
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

// MappedIPv6 writes an address as the interface wants it: IPv4 mapped into IPv6
// space (section 2, user_ipv6).
func MappedIPv6(a netip.Addr) string { return netip.AddrFrom16(a.As16()).String() }
