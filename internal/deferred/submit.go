// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// prepare looks at the service before the request is sent. The state stays Unsent if it is still to be sent;
// otherwise another request stands for it, the service holds its values already, or there is an error. It notes
// that seeing the effect proves nothing where it is there already or could not be read.
func (x *execution) prepare(ctx context.Context) error {
	r, s := x.request, &x.current
	if x.readOnly {
		return nil // sending is refused
	}

	seen, err := x.reader.snapshot(ctx, r.Person, time.Now().Add(-pollFloor), x.began) // a slightly older one will do
	if err != nil {
		return err
	}
	x.snapshot = seen
	x.judgeEarlier()
	if err := x.admit(); err != nil || s.State != Unsent {
		return err
	}

	mayHold := proof.Kinds[r.Type].Repeatable && !s.Explained
	effect, _ := x.readEffect(ctx, proof.Absent)
	if mayHold && effect == proof.Shown && x.isNone { // one reading, as of a copy or a restart, proves nothing
		_ = transport.Pause(ctx, x.rules.Lag)
		effect, _ = x.readEffect(ctx, proof.Absent)
	}
	if mayHold && effect == proof.Shown {
		now := time.Now()
		s.State, s.At, s.FulfilledAt = Fulfilled, now, now
	}
	s.Explained = s.Explained || effect == proof.Shown || effect == proof.Unreadable

	return nil
}

// judgeEarlier enters that the request that the object stands for has failed, or may have, if the list shows that.
func (x *execution) judgeEarlier() {
	s := x.request.Earlier
	if s == nil || !s.IsOpen() {
		return
	}
	if shows, _ := s.Evaluate(x.snapshot, x.rules); shows == proof.SaysFailed || shows == proof.Unclear {
		s.Enter(proof.Table[shows][s.State][proof.NoEffect].State, shows, time.Now())
	}
}

// admit decides whether the request may be sent beside those that the list shows, and beside those
// of this process.
func (x *execution) admit() error {
	r, s := x.request, &x.current
	earlier := ""
	if r.Earlier != nil {
		earlier = r.Earlier.ID
	}
	admission := proof.Admit(r.Type, earlier, x.snapshot, x.rules)
	s.Before, s.Explained = admission.Before, admission.Explained
	if len(admission.Adopt) > 0 {
		for _, other := range admission.Adopt[1:] {
			x.observed.Others = append(x.observed.Others, other.ID)
		}
		x.adopt(admission.Adopted(r.Type, x.snapshot))
		return nil
	}
	if c := admission.Conflict; c != nil {
		return r.conflict(c.ID, c.RequestType, c.Progress == answer.Unclear)
	}

	for _, other := range x.others {
		if err := x.admitBeside(other); err != nil || s.State != Unsent {
			return err
		}
	}
	if admission.Gap != "" {
		return r.failure(transport.ClassPayload,
			"the list of pending requests cannot be read as a whole, so another request of the person cannot be excluded: "+admission.Gap+"; nothing was sent")
	}

	return nil
}

// admitBeside is admit for another submission of this process, which the list may not show yet.
func (x *execution) admitBeside(other Submission) error {
	s, kind := &x.current, proof.Kinds[x.request.Type]
	isEqual := other.Type == s.Type
	if key := proof.KeyOfID + other.ID; isEqual && !slices.Contains(s.Before, key) {
		s.Before = append(s.Before, key)
	}
	s.Explained = s.Explained || isEqual

	isShown := x.snapshot.IsAfter(other.Sent, other.EndDate, x.rules.Lag) // if it is still pending
	switch {
	case isShown, x.ignoresList:
	case isEqual && kind.Adopts:
		x.adopt(other)
	case slices.Contains(kind.Against, other.Type):
		return x.request.conflict(other.ID, other.Type, false)
	}

	return nil
}

// adopt lets another submission stand for the request.
func (x *execution) adopt(other Submission) {
	x.observed.Adopted = true
	x.current, x.current.IdempotencyKey = other, x.request.IdempotencyKey
}

// send sends the request. An error is that of a request that certainly was not carried out, or of a second
// attempt.
func (x *execution) send(ctx context.Context) error {
	s, seen := &x.current, x.snapshot
	isFirst, isDated := s.State == Unsent, !seen.Date.IsZero()
	if isFirst {
		s.Begun = time.Now()
		if isDated {
			s.SentDate = seen.Date.Add(s.Begun.Sub(seen.Ended)).Truncate(time.Second)
		}
	}

	receipt, err := x.request.Send(ctx)
	s.Sent = time.Now() // the list may lag from here on
	if isDated {        // to the second below, and from some time while the list was read
		s.EndDate = seen.Date.Add(time.Second + s.Sent.Sub(seen.Began))
	}
	s.Absent, s.Shown, s.Frozen = proof.Mark{}, proof.Mark{}, false
	if err != nil {
		return x.lose(err, isFirst)
	}

	s.At, s.State, x.isDelivered = receipt.At, Accepted, receipt.Delivered
	x.observed.NotUnderstood = receipt.NotUnderstood

	key := proof.KeyOfID + receipt.ID
	isReused := len(seen.ByID[receipt.ID]) > 0 || slices.Contains(s.Before, key)
	switch {
	case isReused: // the time of a record tells which of them it is
		s.Before = proof.Without(s.Before, key)
	case !receipt.Delivered:
		s.ID = receipt.ID
	}

	return nil
}

// lose enters that the request may have been accepted, although sending it ended with an error. Otherwise it
// returns the error.
func (x *execution) lose(err error, isFirst bool) error {
	if lost, may := x.request.mayBeAccepted(err); may {
		x.lost, x.current.State = lost, Unanswered
		return nil
	}
	refused, ok := errors.AsType[*transport.Error](err)
	if isFirst || !ok {
		return err
	}
	unknown := x.unknownOutcome(proof.Look, nil)
	unknown.Detail += ", and sending it once more failed: " + refused.Title()
	unknown.Status, unknown.Code, unknown.Message = refused.Status, refused.Code, refused.Message

	return unknown
}

// unknownOutcome returns the error of a submission that may have arrived. cause is the error of looking for
// it; nil if there is none. The action is proof.Repeat if looking has shown nothing.
func (x *execution) unknownOutcome(action proof.Action, cause error) *transport.Error {
	unknown := x.request.failure(transport.ClassUnknownOutcome, "whether the service has accepted the request is still not known")
	if x.lost != nil {
		unknown = transport.UnknownOutcome(x.lost, cause)
	} else if seen, ok := errors.AsType[*transport.Error](cause); ok {
		unknown.Detail += "; asking the service failed: " + seen.Title()
	}

	switch {
	case action == proof.Repeat:
		unknown.Detail += ", and no such request is pending: either it never arrived, or it is done already"
	case x.observed.Gap != "":
		unknown.Detail += "; the pending list cannot be read as a whole: " + x.observed.Gap
	}

	return unknown
}
