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
	client  *Client
	person  Person
	update  ConsentWrite
	request transport.Request

	result ConsentResult
	before *choice.Print    // what the service held before the first send; nil if it was not read
	got    transport.Answer // to the last send

	lost  *transport.Error // of the last send, where its outcome is not known
	sends int              // whose outcome was not known
}

// round reads and writes, each at most once, under one admission. A read-only client reads too,
// and refuses only a write that is needed.
func (w *consentWrite) round(ctx context.Context) error {
	turns := 2
	if w.update.Blind && w.lost == nil {
		turns = 1
	}
	ctx, admission, err := w.client.sender.Admit(ctx, turns)
	if err != nil {
		return transport.CauseError(about(opUpdateConsent), err)
	}
	defer admission.Leave()

	w.result = ConsentResult{}
	if turns == 2 {
		if isSent, err := w.compare(ctx); err != nil || !isSent {
			return err
		}
	}

	w.lost = nil
	w.got, err = w.client.ask(ctx, w.person, w.request)
	if e, failed := errors.AsType[*transport.Error](err); failed && e.Ambiguous && e.Class != transport.ClassCancelled {
		w.lost = e
		w.sends++
	}
	w.result.Sent = err == nil

	return err
}

// compare reads the record, and reports whether the update is sent after that.
func (w *consentWrite) compare(ctx context.Context) (isSent bool, _ error) {
	read, err := w.client.ReadConsent(ctx, w.person)
	if err != nil && !read.IsNone {
		return false, err
	}

	if w.sends == 0 {
		w.before = &read.Print // zero where there is none
	}
	read.Lost, read.Before = w.sends > 0, w.before
	if !w.update.Judge(read) {
		return false, nil
	}
	if w.lost != nil && w.sends == transport.LimitSends {
		lost := w.lost.Final()
		w.lost = nil
		return false, lost
	}

	return true, nil
}

// confirm takes the record that the answer to a write shows, or reads it where that is wanted or the
// answer is something else. A reading that fails does not undo a success that says nothing.
func (w *consentWrite) confirm(ctx context.Context) error {
	if answer.SaysNo(w.got.JSON) {
		return transport.Refusal(w.got)
	}

	held, err := w.client.wire.consentOf(w.got.JSON) // zero beside an error
	isSilent := len(w.got.JSON) == 0
	isWanted := w.update.Shows || !isSilent
	if isWanted && !held.HasClauses(w.update.Clauses) {
		var read choice.Reading
		read, err = w.client.ReadConsent(ctx, w.person)
		held = read.Held

		switch {
		case read.IsNone:
			err = nil
		case read.Cached:
			held, err = answer.Consent{}, ErrCached
		}
	}

	switch {
	case held.HasClauses(w.update.Clauses):
		w.result.Shown = &held
		return nil
	case isSilent:
		return nil
	case err != nil:
		return transport.UnknownOutcome(transport.NewError(w.got.Exchange, transport.ClassPayload, "the answer does not show the record"), err)
	}

	return transport.NewError(w.got.Exchange, transport.ClassRejected, "the service answered with a success, and does not hold what was sent")
}
