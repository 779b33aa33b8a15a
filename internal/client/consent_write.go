package client

import (
	"context"
	"errors"
)

const (
	// limitSends is how often an update is sent at most whose answers are lost.
	limitSends = 2

	// limitComparisons is how often an update is compared at most because its comparison
	// was out of date before the write was sent.
	limitComparisons = 10
)

// CompareConsent returns the outcome that UpdateConsent would have now, by one GET:
// ConsentWritten where the service holds something else. Errors are *Error.
func (c *Client) CompareConsent(ctx context.Context, scope Scope, identity string, u ConsentUpdate) (ConsentOutcome, error) {
	to, err := scope.ofPerson(identity, opGetConsent)
	if err != nil {
		return 0, err
	}

	w := &consentWrite{client: c, to: to, identity: identity, update: u}
	err = w.compare(ctx)

	return w.result.Outcome, err
}

// UpdateConsent is PATCH …/user/:identityId/consent (section 4). The result means nothing
// beside an error.
//
// An update that compares first is compared right before it is sent: both requests get
// their turn together, and a write that has to wait in between is compared again. A choice
// of the person can be overwritten only if it reaches the service between the answer to
// the comparison and the arrival of the write.
//
// Where the answer is lost, the consent is read back: equal is success, a later choice
// stands, and otherwise the update, whose values are absolute, is sent once more. Errors
// are *Error.
func (c *Client) UpdateConsent(ctx context.Context, scope Scope, identity string, u ConsentUpdate) (ConsentResult, error) {
	to, err := scope.ofPerson(identity, opUpdateConsent)
	if err != nil {
		return ConsentResult{}, err
	}
	w := &consentWrite{client: c, to: to, identity: identity, update: u}

	unlock, err := c.people.lock(ctx, to.escaped)
	if err != nil {
		return ConsentResult{}, w.interrupted(err)
	}
	defer unlock()

	err = w.carryOut(ctx)

	return w.result, err
}

// consentWrite is one update on its way. While it has the lock of the person, no other
// update of the person is under way in this process.
type consentWrite struct {
	client   *Client
	to       endpoint // of reads and writes
	identity string
	update   ConsentUpdate

	result   ConsentResult
	attempts int // of all sends
}

// interrupted returns the error of an update that was waiting when its context ended.
func (w *consentWrite) interrupted(err error) *Error {
	return (&call{op: opUpdateConsent, endpoint: w.to}).transportError(err)
}

// carryOut sends the update, and looks at the service where its answer is lost.
func (w *consentWrite) carryOut(ctx context.Context) error {
	var lost *Error
	for range limitSends {
		err := w.send(ctx)
		e, failed := errors.AsType[*Error](err)
		if !failed {
			return err
		}

		w.countAttempts(e)
		if !e.Ambiguous || e.Class == ClassCancelled {
			return e
		}

		lost = e
		if arrived, err := w.readBack(ctx, lost); arrived || err != nil {
			return err
		}
	}

	return lost
}

// countAttempts adds the attempts of earlier sends to an error of the update. An error of a
// login or a comparison has its own.
func (w *consentWrite) countAttempts(e *Error) {
	if e.Operation == opUpdateConsent.name {
		e.Attempts += w.attempts
		w.attempts = e.Attempts
	}
}

// send compares and writes, and begins again while the comparison is out of date before the
// write is sent. The result says whether anything was written.
func (w *consentWrite) send(ctx context.Context) error {
	w.result = ConsentResult{Outcome: ConsentWritten}
	if w.isSuperseded() {
		return nil
	}

	// A read-only client refuses the write before anything is sent.
	if !w.update.comparesFirst() || w.client.ReadOnly() {
		return w.patch(ctx, nil)
	}

	for range limitComparisons {
		err := w.sendAdmitted(ctx)
		if !errors.Is(err, errOutdated) {
			return err
		}
	}

	return &Error{
		Class:     ClassRateLimited,
		Operation: opUpdateConsent.name,
		Method:    opUpdateConsent.method,
		Template:  w.to.template,
		Detail:    "the update had to wait each time after it was compared with what the service holds, so it was not sent",
	}
}

// sendAdmitted compares and writes under one admission.
func (w *consentWrite) sendAdmitted(ctx context.Context) error {
	admitted, a, err := w.client.sender.gate.admit(ctx)
	if err != nil {
		return w.interrupted(err)
	}
	defer a.leave()

	if err := w.compareAdmitted(admitted, a); err != nil || w.result.Outcome != ConsentWritten {
		return err
	}

	return w.patch(admitted, a)
}

// compareAdmitted compares for the write that follows under the same admission.
func (w *consentWrite) compareAdmitted(ctx context.Context, a *admission) error {
	if w.isSuperseded() {
		return nil
	}

	err := w.compare(ctx)
	a.answered()
	return err
}

// isSuperseded asks whether the update is still wanted, and notes the outcome if it is not.
func (w *consentWrite) isSuperseded() bool {
	if w.update.Superseded == nil || !w.update.Superseded() {
		return false
	}

	w.result = ConsentResult{Outcome: ConsentSuperseded}
	return true
}

// compare reads what the service holds, and notes the outcome that the update would have. A
// person without a consent record has made no choice.
func (w *consentWrite) compare(ctx context.Context) error {
	w.result = ConsentResult{Outcome: ConsentWritten}

	held, got, err := w.read(ctx)
	if IsClass(err, ClassNotFound) && !w.update.OnlyKnown {
		return nil
	}
	if err != nil {
		return err
	}

	switch u := w.update; {
	case u.isUnnecessary(held):
		w.result.Outcome = ConsentUnchanged
	case u.isOlderThan(held):
		w.result = ConsentResult{Outcome: ConsentKept, Kept: &held}
	case u.mayBeOlderThan(held):
		return got.untimed()
	}

	return nil
}

// read returns what the service holds, and the answer that it was read from.
func (w *consentWrite) read(ctx context.Context) (Consent, answer, error) {
	return w.client.readConsent(ctx, request{op: opGetConsent, to: w.to, private: []string{w.identity}})
}

// untimed returns the error of a comparison with a record that has no agreement_time.
func (a answer) untimed() error {
	e := a.call.fail(ClassPayload, a.status,
		"the service's record has no agreement_time, so that a later choice of the person cannot be excluded; nothing was written (keep_later_choice = false writes all the same)")
	e.cause = ErrUntimed
	return e
}

var errNothingToSend = errors.New("the comparison before a repetition found nothing to send")

// patch sends the update. With an admission, each repetition is compared again first, which
// may change the outcome.
func (w *consentWrite) patch(ctx context.Context, a *admission) error {
	p, err := place(w.client.wire.ConsentParametersIn, w.update.parameters(w.client.wire))
	if err != nil {
		return invalid(opUpdateConsent, err)
	}
	if a != nil {
		p.beforeRetry = func() error { return w.compareAgain(ctx, a) }
	}

	got, err := w.client.sender.do(ctx, request{op: opUpdateConsent, to: w.to, payload: p, private: w.update.private(w.identity)})
	if w.result.Outcome != ConsentWritten {
		return nil
	}
	if err != nil {
		return err
	}

	if err := got.complaint(); err != nil {
		return err
	}

	return w.checkAnswer(got)
}

// compareAgain compares before a repetition, which may be minutes after the first attempt.
func (w *consentWrite) compareAgain(ctx context.Context, a *admission) error {
	if err := a.renew(ctx); err != nil {
		return err
	}
	if err := w.compareAdmitted(ctx, a); err != nil {
		return err
	}

	if w.result.Outcome != ConsentWritten {
		return errNothingToSend
	}

	return nil
}

// readBack reports whether an update whose answer was lost needs no further send, because
// it has arrived or because a later choice stands. Where the service cannot be read, the
// outcome is unknown, which is an error.
func (w *consentWrite) readBack(ctx context.Context, lost *Error) (arrived bool, _ error) {
	held, _, err := w.read(ctx)
	if IsClass(err, ClassNotFound) {
		return false, nil
	}
	if err != nil {
		return false, UnknownOutcome(lost, err)
	}

	if w.update.matches(held) {
		return true, nil
	}
	if w.update.isOlderThan(held) {
		w.result = ConsentResult{Outcome: ConsentKept, Kept: &held}
		return true, nil
	}

	return false, nil
}

// checkAnswer returns an error for a success that shows other clauses than were sent. The
// interface does not show the answer, so that a missing clause is no error.
func (w *consentWrite) checkAnswer(got answer) error {
	if w.update.isShownBy(got.json) {
		return nil
	}

	r, err := findConsent(got.json)
	if err != nil {
		return nil //nolint:nilerr // an answer without a record shows no other clauses
	}

	for i, agreed := range w.update.Clauses {
		if shown, ok := r.boolean(clauseName(i)).Get(); ok && shown != agreed {
			e := got.call.fail(ClassRejected, got.status, "the service answered with another "+clauseName(i)+" than was sent")
			e.Ambiguous = false
			return e
		}
	}

	return nil
}
