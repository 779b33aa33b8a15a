// SPDX-License-Identifier: MPL-2.0

package client

import (
	"context"
	"errors"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// ConsentWrite is an update and how it is decided on.
type ConsentWrite struct {
	choice.Record

	// Judge returns whether the update is sent, by what was read right before.
	Judge func(read choice.Reading) (send bool)
	// Blind sends the update without a reading, unless the answer to it is lost.
	Blind bool
	// Shows reads the record once more after a write whose answer does not show it.
	Shows bool
}

// ConsentResult is the result of an update that did not fail.
type ConsentResult struct {
	Sent  bool            // and confirmed; otherwise Judge has said no
	Shown *answer.Consent // the record as the service shows it after the write; nil if it does not
}

// UpdateConsent is PATCH …/user/:identityId/consent (section 4). The caller holds Consents for the
// person. The result means nothing beside an error.
//
// An update is judged right before it is sent: both requests have one admission, and a write that
// has to wait in between is judged again. A choice of the person can be overwritten only if it
// reaches the service between the answer to the reading and the arrival of the write.
//
// Where the answer is lost, the consent is read back and judged with that. The update, whose
// values are absolute, is sent once more at most. A success with an answer that is neither empty
// nor a record with these clauses counts if a reading shows the update. Errors are *Error.
func (c *Client) UpdateConsent(ctx context.Context, p Person, u ConsentWrite) (ConsentResult, error) {
	request, err := c.wire.Consent.request(u.Record)
	if err != nil {
		return ConsentResult{}, transport.Invalid(opUpdateConsent, err)
	}

	w := &consentWrite{client: c, person: p, update: u, request: request}
	err = c.sender.Repeat(ctx, w.round)
	e, failed := errors.AsType[*transport.Error](err)
	switch {
	case failed && w.lost != nil:
		return ConsentResult{}, transport.UnknownOutcome(w.lost, e)
	case !w.isSent:
		return ConsentResult{}, err
	}

	return w.confirm(ctx)
}

// consentWrite is one update on its way.
type consentWrite struct {
	client  *Client
	person  Person
	update  ConsentWrite
	request transport.Request

	before *choice.Print    // what the service held before the first send; nil if it was not read
	got    transport.Answer // to the last send
	isSent bool             // the last send did not fail

	lost  *transport.Error // of the last send, where its outcome is not known
	sends int              // whose outcome was not known
}

// round compares and writes, each at most once, under one admission. A read-only client reads too,
// and refuses only a write that is needed.
func (w *consentWrite) round(ctx context.Context) error {
	turns, step := 2, w.compare
	if w.update.Blind && w.lost == nil {
		turns, step = 1, w.send
	}
	ctx, admission, err := w.client.sender.Admit(ctx, turns)
	if err != nil {
		return transport.CauseError(about(opUpdateConsent), err)
	}
	defer admission.Leave()

	return step(ctx)
}

// compare reads the record, and sends the update if that is the judgement.
func (w *consentWrite) compare(ctx context.Context) error {
	read, err := w.client.ReadConsent(ctx, w.person)
	if err != nil && !read.IsNone {
		return err
	}

	if w.sends == 0 {
		w.before = &read.Print // zero where there is none
	}
	read.Lost, read.Before = w.sends > 0, w.before
	if !w.update.Judge(read) {
		return nil
	}
	if w.sends == transport.LimitSends {
		lost := w.lost.Final()
		w.lost = nil
		return lost
	}

	return w.send(ctx)
}

// send sends the update.
func (w *consentWrite) send(ctx context.Context) (err error) {
	w.lost = nil
	w.got, err = w.client.ask(ctx, w.person, w.request)
	w.isSent = err == nil
	e, failed := errors.AsType[*transport.Error](err)
	if failed && e.Ambiguous && e.Class != transport.ClassCancelled {
		w.lost = e
		w.sends++
	}

	return err
}

// confirm takes the record that the answer to a write shows, or reads it where that is wanted or the
// answer is something else. A reading that fails does not undo a success that says nothing.
func (w *consentWrite) confirm(ctx context.Context) (ConsentResult, error) {
	if answer.SaysNo(w.got.JSON) {
		return ConsentResult{}, transport.Refusal(w.got)
	}
	isSilent := len(w.got.JSON) == 0
	if isSilent && !w.update.Shows {
		return ConsentResult{Sent: true}, nil
	}

	held, err := w.client.wire.consentOf(w.got.JSON) // zero beside an error
	if !held.HasClauses(w.update.Clauses) {
		held, err = w.client.GetConsent(ctx, w.person)
	}
	switch {
	case err == nil && held.HasClauses(w.update.Clauses):
		return ConsentResult{true, &held}, nil
	case isSilent:
		return ConsentResult{Sent: true}, nil
	case err == nil, transport.IsClass(err, transport.ClassNotFound):
		return ConsentResult{}, transport.NewError(w.got.Exchange, transport.ClassRejected, "the service answered with a success, and does not hold what was sent")
	}

	return ConsentResult{}, transport.UnknownOutcome(transport.NewError(w.got.Exchange, transport.ClassPayload, "the answer does not show the record"), err)
}
