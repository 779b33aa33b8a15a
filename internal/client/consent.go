package client

import (
	"context"
	"net/http"
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
