// SPDX-License-Identifier: MPL-2.0

package client

import (
	"context"
	"errors"
	"reflect"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// CompareConsent returns the outcome that UpdateConsent would have now, by one GET:
// ConsentWritten where the service holds something else. Errors are *Error.
func (c *Client) CompareConsent(ctx context.Context, p Person, u ConsentUpdate) (ConsentOutcome, error) {
	w := &consentWrite{client: c, update: u, result: ConsentResult{Outcome: ConsentWritten}}
	_, err := w.compare(c.ask(ctx, p, transport.Request{Op: opGetConsent, MayBeAbsent: !u.OnlyKnown}))

	return w.result.Outcome, err
}

// UpdateConsent is PATCH …/user/:identityId/consent (section 4). The result means nothing
// beside an error.
//
// An update that compares first is compared right before it is sent: both requests have one
// admission, and a write that has to wait in between is compared again. A choice
// of the person can be overwritten only if it reaches the service between the answer to
// the comparison and the arrival of the write.
//
// Where the answer is lost, the consent is read back: equal is success, and otherwise the
// update, whose values are absolute, is sent once more. Of a protected update, a record that
// is neither what was sent nor what the service held before is a later choice. Errors are
// *Error.
func (c *Client) UpdateConsent(ctx context.Context, p Person, u ConsentUpdate) (ConsentResult, error) {
	to, err := p.endpoint(opUpdateConsent)
	if err != nil {
		return ConsentResult{}, err
	}

	about := transport.About(opUpdateConsent, to)
	unlock, err := c.consents.lock(ctx, p)
	if err != nil {
		return ConsentResult{}, transport.CauseError(about, err)
	}
	defer unlock()

	w := &consentWrite{client: c, to: to, identity: p.Identity, update: u}
	err = c.sender.Repeat(ctx, about, w.round)
	e, failed := errors.AsType[*transport.Error](err)
	if failed && w.lost != nil {
		return w.result, transport.UnknownOutcome(w.lost, e)
	}
	if err == nil && w.result.Outcome == ConsentWritten && u.Confirmed != nil {
		u.Confirmed()
	}

	return w.result, err
}

// consentWrite is one update on its way. While it has the lock of the person, no other
// update of the person is under way in this process.
type consentWrite struct {
	client   *Client
	to       transport.Endpoint // of reads and writes
	identity string
	update   ConsentUpdate

	result ConsentResult
	before *answer.Consent // what the service held before the first send, without its JSON; nil if it was not read

	lost  *transport.Error // of the last send, where its outcome is not known
	sends int              // whose outcome was not known
}

// compares reports whether the update depends on what the service holds.
func (u ConsentUpdate) compares() bool {
	return u.OnlyKnown || u.Skip != SkipNever || !u.KeepLaterThan.IsZero()
}

// round compares and writes, each at most once, under one admission. A read-only client compares
// too, and refuses only a write that is needed.
func (w *consentWrite) round(ctx context.Context) error {
	u := w.update
	compares := u.compares() || w.lost != nil
	turns := 1
	if compares {
		turns = 2
	}

	ctx, admission, err := w.client.sender.Admit(ctx, turns)
	if err != nil {
		return transport.CauseError(transport.About(opUpdateConsent, w.to), err)
	}
	defer admission.Leave()

	w.result = ConsentResult{Outcome: ConsentWritten}
	if u.Superseded != nil && u.Superseded() {
		w.result.Outcome = ConsentSuperseded
		return nil
	}

	if compares {
		r := transport.Request{Op: opGetConsent, To: w.to, Private: []string{w.identity}, MayBeAbsent: !u.OnlyKnown}
		differs, err := w.compare(w.client.sender.Do(ctx, r))
		if err != nil || !differs {
			return err
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

	return err
}

// compare notes the outcome that the update would have for what the service holds, which it has
// answered or failed to, and reports whether there is anything to write. A person without a
// consent record has made no choice.
func (w *consentWrite) compare(got transport.Answer, err error) (differs bool, _ error) {
	held, err := w.client.config.Wire.consentOf(got, err)
	u, isNone := w.update, transport.IsClass(err, transport.ClassNotFound)
	if err != nil && (!isNone || u.OnlyKnown) {
		return false, err
	}

	fields := held
	fields.JSON = nil
	if w.sends == 0 {
		w.before = &fields // zero where there is none
	}
	if isNone {
		return true, nil
	}

	changed := w.before != nil && !reflect.DeepEqual(*w.before, fields)
	if w.sends > 0 && (u.matches(held) || changed && u.isChoiceOf(held)) {
		return false, nil // the lost answer was a success
	}

	isChoice := u.mayOverrule(held, changed)
	switch {
	case u.isUnnecessary(held):
		w.result.Outcome = ConsentUnchanged
	case isChoice && held.IsUntimed():
		e := transport.NewError(got.Exchange, transport.ClassPayload,
			"the service's record has no agreement_time, so that a later choice of the person cannot be excluded; it was left as it is (keep_later_choice = false writes all the same)")
		e.Cause = ErrUntimed
		return false, e
	case isChoice:
		w.result = ConsentResult{Outcome: ConsentKept, Kept: &held}
	}

	return w.result.Outcome == ConsentWritten, nil
}

// patch sends the update. A success that shows a record with other clauses than were sent is an error; one that shows no
// record is none.
func (w *consentWrite) patch(ctx context.Context) error {
	u, wire := w.update, w.client.config.Wire
	p, err := transport.EncodeParameters(wire.Consent.ParametersIn, u.parameters(wire))
	if err != nil {
		return transport.Invalid(opUpdateConsent, err)
	}

	got, err := w.client.sender.Do(ctx, transport.Request{Op: opUpdateConsent, To: w.to, Payload: p, Private: u.private(w.identity)})
	if err != nil {
		return err
	}
	if answer.SaysNo(got.JSON) {
		return transport.Refusal(got)
	}

	if held, err := answer.ReadConsent(got.JSON); err == nil && !held.HasClauses(u.Clauses) {
		return transport.NewError(got.Exchange, transport.ClassRejected, "the service answered with another "+u.Differences(held)[0]+" than was sent") // the clauses come first
	}

	return nil
}
