package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	opDeleteData = operation{name: "Delete all data of a user", method: http.MethodDelete, effect: true, suffix: "/all-data"}
	opGetAllData = operation{name: "Get all data of a user", method: http.MethodGet, effect: true, suffix: "/all-data"}
)

// Request is a deferred request that the service has accepted.
type Request struct {
	ID      string    // the service's id; empty where it gave none
	At      time.Time // when it was accepted: the service's word, or else our time
	Adopted bool      // it was pending already, and nothing was sent
	// Others are the ids of further pending requests of the same kind.
	Others []string
	// Data is the person's data, where the service gave it at once.
	Data []byte
}

// RequestDeletion is DELETE …/user/:identityId/all-data (section 4), a deferred
// request; deleting data does not revoke consent. A deletion of the same person
// that is pending already is adopted, and nothing is sent. Errors are *Error:
// KindConflict where another pending request of the person stands against it,
// KindUnknownOutcome where the answer was lost and looking did not find it.
func (c *Client) RequestDeletion(ctx context.Context, scope Scope, identity string) (Request, error) {
	return c.request(ctx, scope, identity, opDeleteData, OperationDataDeletion, OperationProfileUpdate, OperationDataAccess)
}

// RequestData is GET …/user/:identityId/all-data (section 4), a deferred request,
// with the same care as RequestDeletion. That the same call gives the data once
// the request is fulfilled is our assumption: the interface shows no other way.
func (c *Client) RequestData(ctx context.Context, scope Scope, identity string) (Request, error) {
	return c.request(ctx, scope, identity, opGetAllData, OperationDataAccess, OperationDataDeletion)
}

// CollectData asks for the data of a request that has left the pending list. Data
// is nil where the service has queued another request instead.
func (c *Client) CollectData(ctx context.Context, scope Scope, identity string) (Request, error) {
	to, unlock, err := c.alone(ctx, scope, identity, opGetAllData)
	if err != nil {
		return Request{}, err
	}
	defer unlock()
	return c.submit(ctx, to, identity, opGetAllData)
}

// alone waits until nothing else of this process changes the person's requests.
func (c *Client) alone(ctx context.Context, scope Scope, identity string, op operation) (endpoint, func(), error) {
	to, err := scope.ofPerson(identity, op)
	if err != nil {
		return endpoint{}, nil, invalid(op, err)
	}
	unlock, err := c.people.lock(ctx, to.escaped)
	if err != nil {
		return endpoint{}, nil, (&call{op: op, endpoint: to}).transportError(err)
	}
	return to, unlock, nil
}

func (c *Client) request(ctx context.Context, scope Scope, identity string, op operation, kind string, contrary ...string) (Request, error) {
	to, unlock, err := c.alone(ctx, scope, identity, op)
	if err != nil {
		return Request{}, err
	}
	defer unlock()
	if c.readOnly {
		return c.submit(ctx, to, identity, op) // refused before anything is sent
	}
	seen, err := c.feedOf(scope).recent(ctx)
	if err != nil {
		return Request{}, c.asError(opListPending, err)
	}
	if adopted, ok := adopt(seen.about(identity), kind); ok {
		return adopted, nil
	}
	if err := conflict(op, to, seen.about(identity), contrary); err != nil {
		return Request{}, err
	}
	r, err := c.submit(ctx, to, identity, op)
	c.feedOf(scope).outdate()
	e, failed := errors.AsType[*Error](err)
	switch {
	case !failed || !e.Ambiguous:
		return r, err
	case e.Kind == KindCancelled:
		return c.findQuickly(ctx, scope, identity, kind, e)
	}
	return c.find(ctx, scope, identity, kind, e)
}

// asError completes errors that are a context's alone.
func (c *Client) asError(op operation, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return (&call{op: op}).transportError(err)
}

// adopt takes over the oldest pending request of a kind.
func adopt(records []PendingRecord, kind string) (r Request, found bool) {
	for _, record := range records {
		if !record.is(kind) || !record.isOpen() {
			continue
		}
		id, _ := record.ID.Get()
		if found {
			r.Others = append(r.Others, id)
			continue
		}
		found = true
		r = Request{ID: id, At: time.Now(), Adopted: true}
		if at, ok := record.CreatedAt.Get(); ok {
			r.At = at
		}
	}
	return r, found
}

// conflict refuses what another pending request of the person stands against.
func conflict(op operation, to endpoint, records []PendingRecord, contrary []string) error {
	for _, record := range records {
		if !record.is(contrary...) || !record.isOpen() {
			continue
		}
		id, _ := record.ID.Get()
		other, _ := record.Operation.Get()
		return &Error{
			Kind: KindConflict, Operation: op.name, Method: op.method, Template: to.template,
			Detail: "conflicting pending request " + escapeText(id, 80) + " (" + other + ") of the same person; nothing was sent",
		}
	}
	return nil
}

// submit sends a queueing call once and reads what was accepted.
func (c *Client) submit(ctx context.Context, to endpoint, identity string, op operation) (Request, error) {
	got, err := c.do(ctx, op, to, payload{}, identity)
	if err != nil {
		return Request{}, err
	}
	if err := got.complaint(); err != nil {
		return Request{}, err
	}
	r := Request{At: time.Now()}
	if got.status != http.StatusAccepted && op.method == http.MethodGet && !isTicket(got.json) && len(got.json) > 0 {
		r.Data = got.json
		return r, nil
	}
	record := readRecord(unwrapped(got.json))
	r.ID, _ = record.ID.Get()
	if at, ok := record.CreatedAt.Get(); ok {
		r.At = at
	}
	return r, nil
}

// isTicket tells the record of a queued request from the data itself, where both
// come with status 200: a record names its operation or a status that is open, and
// holds no lists. This is our assumption.
func isTicket(v jsontext.Value) bool {
	v = unwrapped(v)
	if v.Kind() != '{' {
		return false
	}
	for _, member := range membersOf(v) {
		if member.Kind() == '[' {
			return false
		}
	}
	record := readRecord(v)
	_, named := record.Operation.Get()
	_, stated := record.Status.Get()
	return named || stated && record.Progress() == Waiting
}

// unwrapped gives the object below a wrapper that is the only member.
func unwrapped(v jsontext.Value) jsontext.Value {
	m := membersOf(v)
	if len(m) != 1 {
		return v
	}
	for name, inner := range m {
		if inner.Kind() == '{' && !strings.EqualFold(name, "user") {
			return inner
		}
	}
	return v
}

// interruptedLook is how long an interrupted run still looks for what it has just
// sent; Terraform is to end within two seconds.
const interruptedLook = 1500 * time.Millisecond

// findQuickly looks for a request whose answer an interrupt has cut off, so that an
// accepted one is in state when Terraform ends.
func (c *Client) findQuickly(ctx context.Context, scope Scope, identity, kind string, lost *Error) (Request, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), interruptedLook)
	defer cancel()
	records, err := c.ListPending(ctx, scope)
	if err != nil {
		return Request{}, lost
	}
	records = slices.DeleteFunc(records, func(r PendingRecord) bool {
		id, _ := r.Identity.Get()
		return id != identity
	})
	r, ok := adopt(records, kind)
	if !ok {
		return Request{}, lost
	}
	r.Adopted = false
	return r, nil
}

// find looks for a request whose answer was lost; it is never sent again.
func (c *Client) find(ctx context.Context, scope Scope, identity, kind string, lost *Error) (Request, error) {
	seen, err := c.feedOf(scope).next(ctx, time.Now())
	if err != nil {
		return Request{}, lost.unknownOutcome(c.asError(opListPending, err))
	}
	if r, ok := adopt(seen.about(identity), kind); ok {
		r.Adopted = false
		return r, nil
	}
	unknown := lost.unknownOutcome(nil)
	unknown.Detail += ", and no such request is pending: either it never arrived, or it is done already"
	return Request{}, unknown
}
