// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"slices"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// Request is one deferred request about one person: what it is, how it is sent, and how its effect is read.
type Request struct {
	client.Person

	Type           string // one of decode.RequestTypes
	IdempotencyKey string // requests of one type about one person with the same key are one
	Ready          bool   // an earlier request has been carried out, so that data may come at once
	// Earlier is the request that the object stands for; nil if there is none. Submit enters that it has
	// failed, or may have, if the list shows that now: it may not show it later.
	Earlier *proof.Submission

	// Superseded reports whether the request is no longer wanted, so that nothing is sent.
	// Submit calls it once the person is locked. If nil, the request is always wanted.
	Superseded func() bool
	// Send sends the request once. Its errors are those of the client.
	Send func(ctx context.Context) (decode.Receipt, error)
	// Effect reads the effect once. If nil, there is no effect to see. Before a Repeatable request is sent, an answer
	// of a cache must not show it.
	Effect func(ctx context.Context) (Reading, error)
}

// AnyIdempotencyKey is the idempotency key of a request that is the same as every other request of
// this process for the person.
const AnyIdempotencyKey = "invocation"

// Reading is one reading of an effect: what it shows, and the profile that was read.
type Reading struct {
	decode.Profile

	Effect proof.Effect
}

// Observed is what a call noticed in addition to the new Submission.
type Observed struct {
	Known     bool                    // nothing was sent, since this process knew the request already
	Adopted   bool                    // nothing was sent, since a request that was pending already stands for this one
	Others    []*decode.PendingRecord // further ones that could
	Delivered bool                    // the service answered with the data asked for
	// NotUnderstood is the structure of an answer to the request that is not a receipt; empty
	// if it is one. The request was sent, and is treated as accepted.
	NotUnderstood string

	Unproven bool   // for as long as the list may lag, nothing has shown what has become of the request
	Gap      string // why the latest reading of the list that showed the request proved less than it could
	Err      error  // why a wait ended early, unless its time was up or its context ended
}

// isSame reports whether a submission of this process stands for the request, whose type is sent once for an idempotency
// key: one with the same key or, if one of the two is for any, one that this process has submitted. What came to nothing
// stands for no request.
func (r Request) isSame(s proof.Submission) bool {
	if s.Type != r.Type || s.State == proof.Failed {
		return false
	}
	isAny := slices.Contains([]string{s.IdempotencyKey, r.IdempotencyKey}, AnyIdempotencyKey)
	isOfAny := isAny && s.IsOurs
	isEqual := s.IdempotencyKey == r.IdempotencyKey || isOfAny

	return isEqual && proof.Kinds[r.Type].Once
}

// Remember remembers the submission of a request. An object that takes the place of another one in this process takes
// over its request.
func (e *Engine) Remember(r Request, s proof.Submission) {
	e.mu.Lock()
	defer e.mu.Unlock()

	s.Type, s.IdempotencyKey = r.Type, r.IdempotencyKey
	all := e.known[r.Person]
	at := slices.IndexFunc(all, func(known proof.Submission) bool {
		return known.Type == s.Type && known.IdempotencyKey == s.IdempotencyKey
	})
	if at < 0 {
		e.known[r.Person] = append(all, s)
		return
	}
	s.IsOurs = s.IsOurs || all[at].IsOurs
	all[at] = s
}
