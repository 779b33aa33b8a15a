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
}

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
		err = got.unexpected("no field of a consent record was recognised in the answer")
	}
	if err != nil {
		return Consent{}, err
	}
	return *held, nil
}

// readConsent gives nil without an error where the answer is well-formed and holds
// no consent, which is for the caller to judge.
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

// consent reads the fields of a consent record; nil where there is none of them.
func (a answer) consent() (*Consent, error) {
	r, found := findRecord(a.json, consentFields, consentWrappers)
	if !found {
		if err := a.complaint(); err != nil {
			return nil, err
		}
		if a.json.Kind() != '{' && a.json.Kind() != 'n' {
			return nil, a.unexpected("$: expected an object, found " + kindName(a.json))
		}
		return nil, nil
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

// UpdateConsent is PATCH …/user/:identityId/consent (section 4). It returns the
// consent that it left alone where a later choice stands, and nil where the update
// is in place.
//
// Where the answer is lost, the consent is read back: equal is success, a later
// choice stands, and otherwise the update, whose values are absolute, is sent once
// more. Errors are *Error.
func (c *Client) UpdateConsent(ctx context.Context, scope Scope, identity string, u ConsentUpdate) (kept *Consent, err error) {
	to, err := scope.ofPerson(identity, opUpdateConsent)
	if err != nil {
		return nil, invalid(opUpdateConsent, err)
	}
	unlock, err := c.people.lock(ctx, to.escaped)
	if err != nil {
		k := &call{op: opUpdateConsent, endpoint: to}
		return nil, k.transportError(err)
	}
	defer unlock()
	if !u.KeepLaterThan.IsZero() {
		held, err := c.compared(ctx, scope, identity)
		if err != nil {
			return nil, err
		}
		if held != nil && held.LaterThan(u.KeepLaterThan) {
			return held, nil
		}
	}
	err = c.patchConsent(ctx, to, identity, u)
	var e *Error
	if !errors.As(err, &e) || !e.Ambiguous || e.Kind == KindCancelled {
		return nil, err
	}
	return c.settleConsent(ctx, scope, to, identity, u, e)
}

// compared reads what there is to compare with before a write; a person of whom
// the service knows nothing has made no choice.
func (c *Client) compared(ctx context.Context, scope Scope, identity string) (*Consent, error) {
	if c.readOnly {
		return nil, nil // the write that follows is refused before anything is sent
	}
	held, _, err := c.readConsent(ctx, scope, identity)
	if IsKind(err, KindNotFound) {
		return nil, nil
	}
	return held, err
}

func (c *Client) patchConsent(ctx context.Context, to endpoint, identity string, u ConsentUpdate) error {
	p, err := place(c.wire.ConsentParametersIn, u.parameters(c.wire))
	if err != nil {
		return invalid(opUpdateConsent, err)
	}
	private := []string{identity}
	if u.UserIPv6.IsValid() {
		private = append(private, MappedIPv6(u.UserIPv6), u.UserIPv6.String(), u.UserIPv6.Unmap().String())
	}
	got, err := c.do(ctx, opUpdateConsent, to, p, private...)
	if err != nil {
		return err
	}
	return got.complaint()
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

// settleConsent finds out what became of an update whose answer was lost.
func (c *Client) settleConsent(ctx context.Context, scope Scope, to endpoint, identity string, u ConsentUpdate, lost *Error) (*Consent, error) {
	held, _, err := c.readConsent(ctx, scope, identity)
	switch {
	case err != nil && !IsKind(err, KindNotFound):
		return nil, lost.unknownOutcome(err)
	case held != nil && u.isIn(*held):
		return nil, nil
	case held != nil && !u.KeepLaterThan.IsZero() && held.LaterThan(u.KeepLaterThan):
		return held, nil
	}
	err = c.patchConsent(ctx, to, identity, u)
	if e, ok := errors.AsType[*Error](err); ok {
		e.Attempts += lost.Attempts
	}
	return nil, err
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
