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

// prepare looks at the service before the request is sent, and reports whether it is still to be
// sent. Otherwise another request stands for it, the service holds its values already, or there is an
// error. It notes that seeing the effect proves nothing where it is there already or could not be read.
func (x *execution) prepare(ctx context.Context) (wanted bool, err error) {
	r, s := x.request, &x.current
	if x.readOnly {
		return true, nil // sending is refused
	}

	// A slightly older listing will do.
	x.snapshot, err = x.reader.snapshot(ctx, r.Person, time.Now().Add(-pollFloor), x.began)
	if err != nil {
		return false, r.asError(err)
	}
	if wanted, err = x.admit(); err != nil || !wanted {
		return false, err
	}
	x.noteOthers()
	if r.Effect == nil {
		return true, nil
	}

	before, err := r.Effect(ctx)
	if err != nil && ctx.Err() != nil {
		return false, r.asError(err)
	}
	isRead := err == nil && !before.Cached
	isThere := isRead && before.Shows == proof.Shown
	if isThere && !s.Explained && proof.Kinds[r.Type].Repeatable {
		now := time.Now()
		s.State, s.At, s.FulfilledAt = Fulfilled, now, now
		return false, nil
	}
	s.Explained = s.Explained || isThere || !isRead

	return true, nil
}

// admit decides whether the request may be sent beside those that the list shows, and beside those
// of this process that the list may not show yet.
func (x *execution) admit() (wanted bool, _ error) {
	r := x.request
	kind := proof.Kinds[r.Type]
	admission := r.Admit(x.snapshot, x.rules)
	if len(admission.Adopt) > 0 {
		for _, other := range admission.Adopt[1:] {
			x.observed.Others = append(x.observed.Others, other.ID)
		}
		x.adopt(r.Adopted(admission.Adopt, x.snapshot))
		return false, nil
	}
	if c := admission.Conflict; c != nil {
		return false, r.conflict(c.ID, c.RequestType, c.Progress == answer.Unclear)
	}

	for _, other := range x.others {
		isShown := x.snapshot.IsAfter(other.Sent, other.EndDate, x.rules.Lag) // if it is still pending
		switch {
		case isShown, x.ignoresList:
		case kind.Adopts && other.Type == r.Type:
			x.adopt(other)
			return false, nil
		case slices.Contains(kind.Against, other.Type):
			return false, r.conflict(other.ID, other.Type, false)
		}
	}

	if admission.Gap != "" {
		return false, r.failure(transport.ClassPayload,
			"the list of pending requests cannot be read as a whole, so another request of the person cannot be excluded: "+admission.Gap+"; nothing was sent")
	}

	return true, nil
}

// adopt lets another submission stand for the request.
func (x *execution) adopt(other Submission) {
	x.observed.Adopted = true
	x.current, x.current.IdempotencyKey = other, x.request.IdempotencyKey
}

// noteOthers notes the keys of records of the type that are not the request: those in the list, and those of
// requests of this process that the list may not show yet. An open one may cause the effect.
func (x *execution) noteOthers() {
	s := &x.current
	for _, record := range x.snapshot.Named {
		if record.RequestType == s.Type {
			s.Before = append(s.Before, proof.KeysOf(record)...)
			s.Explained = s.Explained || proof.IsOpen(record)
		}
	}

	for _, other := range x.others {
		if other.Type != s.Type {
			continue
		}
		s.Explained = true
		key := proof.KeyOfID + other.ID
		if other.ID != "" && !slices.Contains(s.Before, key) {
			s.Before = append(s.Before, key)
		}
	}
}

// send sends the request. An error is that of a request that certainly was not carried out, or of a second
// attempt.
func (x *execution) send(ctx context.Context) error {
	s := &x.current
	isFirst := s.State == Unsent
	if isFirst {
		s.Begun = time.Now()
		if !x.snapshot.Date.IsZero() {
			s.SentDate = x.snapshot.Date.Add(s.Begun.Sub(x.snapshot.Ended)).Truncate(time.Second)
		}
	}

	receipt, err := x.request.Send(ctx)
	s.Sent = time.Now()            // the list may lag from here on
	if !x.snapshot.Date.IsZero() { // which is to the second below, and from some time while it was read
		s.EndDate = x.snapshot.Date.Add(time.Second + s.Sent.Sub(x.snapshot.Began))
	}
	s.Absent, s.Shown, s.Frozen = proof.Mark{}, proof.Mark{}, false

	if err != nil {
		lost := x.request.mayBeAccepted(err)
		switch {
		case lost != nil:
			x.lost, s.State = lost, Unanswered
			return nil
		case isFirst:
			return x.request.asError(err)
		}
		return x.unknownOutcome(proof.Look, err)
	}

	s.At, s.State, x.isDelivered = receipt.At, Accepted, receipt.Delivered
	x.observed.NotUnderstood = receipt.NotUnderstood
	key := proof.KeyOfID + receipt.ID
	isReused := len(x.snapshot.ByID[receipt.ID]) > 0 || slices.Contains(s.Before, key)
	switch {
	case isReused: // the time of a record tells which of them it is
		s.Before = slices.DeleteFunc(s.Before, func(k string) bool { return k == key })
	case !receipt.Delivered:
		s.ID = receipt.ID
	}

	return nil
}

// unknownOutcome returns the error of a submission that may have arrived. cause is the error of looking for
// it, or of sending it once more; nil if there is none. The action is proof.GiveUp if looking has shown
// nothing.
func (x *execution) unknownOutcome(action proof.Action, cause error) *transport.Error {
	unknown := x.request.failure(transport.ClassUnknownOutcome, "whether the service has accepted the request is still not known")
	if x.lost != nil {
		unknown = transport.UnknownOutcome(x.lost, cause)
	} else if seen, ok := errors.AsType[*transport.Error](cause); ok {
		unknown.Detail += "; asking the service failed: " + seen.Title()
	}

	if action == proof.GiveUp {
		unknown.Detail += ", and no such request is pending: either it never arrived, or it is done already"
	}
	if x.observed.Gap != "" {
		unknown.Detail += "; the pending list cannot be read as a whole: " + x.observed.Gap
	}

	return unknown
}
