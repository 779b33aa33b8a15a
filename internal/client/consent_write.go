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
	ConsentUpdate

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

// HoldConsent waits until no other update of the person is under way in this process, and lets none
// begin until the caller calls release. UpdateConsent is called between the two.
func (c *Client) HoldConsent(ctx context.Context, p Person) (release func(), err error) {
	to, err := p.endpoint(opUpdateConsent)
	if err != nil {
		return nil, err
	}

	release, err = c.consents.lock(ctx, p)
	if err != nil {
		return nil, transport.CauseError(transport.About(opUpdateConsent, to), err)
	}

	return release, nil
}

// UpdateConsent is PATCH …/user/:identityId/consent (section 4). The result means nothing
// beside an error.
//
// An update is judged right before it is sent: both requests have one admission, and a write that
// has to wait in between is judged again. A choice of the person can be overwritten only if it
// reaches the service between the answer to the reading and the arrival of the write.
//
// Where the answer is lost, the consent is read back and judged with that. The update, whose
// values are absolute, is sent once more at most. A success with an answer that is neither empty
// nor a record with these clauses counts if a reading shows the update. Errors are *Error.
func (c *Client) UpdateConsent(ctx context.Context, p Person, u ConsentWrite) (ConsentResult, error) {
	to, err := p.endpoint(opUpdateConsent)
	if err != nil {
		return ConsentResult{}, err
	}

	w := &consentWrite{client: c, to: to, person: p, update: u}
	err = c.sender.Repeat(ctx, w.round)
	e, failed := errors.AsType[*transport.Error](err)
	if failed && w.lost != nil {
		return w.result, transport.UnknownOutcome(w.lost, e)
	}
	if err == nil && w.result.Sent {
		err = w.confirm(ctx)
	}

	return w.result, err
}

// consentWrite is one update on its way.
type consentWrite struct {
	client *Client
	to     transport.Endpoint // of reads and writes
	person Person
	update ConsentWrite

	result ConsentResult
	before *answer.Consent  // what the service held before the first send; nil if it was not read
	got    transport.Answer // to the last send

	lost  *transport.Error // of the last send, where its outcome is not known
	sends int              // whose outcome was not known
}

// round reads and writes, each at most once, under one admission. A read-only client reads too,
// and refuses only a write that is needed.
func (w *consentWrite) round(ctx context.Context) error {
	reads := !w.update.Blind || w.lost != nil
	turns := 1
	if reads {
		turns = 2
	}

	ctx, admission, err := w.client.sender.Admit(ctx, turns)
	if err != nil {
		return transport.CauseError(transport.About(opUpdateConsent, w.to), err)
	}
	defer admission.Leave()

	w.result = ConsentResult{}
	if reads {
		read, err := w.client.ReadConsent(ctx, w.person)
		if err != nil {
			return err
		}
		if w.sends == 0 {
			w.before = &read.Held // zero where there is none
		}
		read.Lost, read.Before = w.sends > 0, w.before
		if !w.update.Judge(read) {
			return nil
		}
	}
	if w.lost != nil && w.sends == transport.LimitSends {
		lost := w.lost.Final()
		w.lost = nil
		return lost
	}
	w.lost = nil

	err = w.patch(ctx)
	e, failed := errors.AsType[*transport.Error](err)
	if failed && e.Ambiguous && e.Class != transport.ClassCancelled {
		w.lost = e
		w.sends++
	}
	w.result.Sent = err == nil

	return err
}

// patch sends the update.
func (w *consentWrite) patch(ctx context.Context) error {
	u, wire := w.update.ConsentUpdate, w.client.config.Wire
	p, err := transport.EncodeParameters(wire.Consent.ParametersIn, wire.parametersOf(u))
	if err != nil {
		return transport.Invalid(opUpdateConsent, err)
	}

	w.got, err = w.client.ask(ctx, w.person, transport.Request{Op: opUpdateConsent, Payload: p, Private: privateIn(u)})
	if err == nil && answer.SaysNo(w.got.JSON) {
		return transport.Refusal(w.got)
	}

	return err
}

// confirm takes the record that the answer to a write shows, or reads it where that is wanted or the
// answer is something else. A reading that fails does not undo a success that says nothing.
func (w *consentWrite) confirm(ctx context.Context) error {
	shown, err := w.client.config.Wire.consentOf(w.got.JSON)
	if err == nil && shown.HasClauses(w.update.Clauses) {
		w.result.Shown = &shown
		return nil
	}

	isSilent := len(w.got.JSON) == 0
	if isSilent && !w.update.Shows {
		return nil
	}

	read, err := w.client.ReadConsent(ctx, w.person)
	isShown := err == nil && read.Held.HasClauses(w.update.Clauses)
	if isShown {
		w.result.Shown = &read.Held
	}
	if isShown || isSilent {
		return nil
	}
	if err != nil {
		return transport.UnknownOutcome(transport.NewError(w.got.Exchange, transport.ClassPayload, "the answer does not show the record"), err)
	}

	return transport.NewError(w.got.Exchange, transport.ClassRejected, "the service answered with a success, and does not hold what was sent")
}
