package client

import (
	"context"
	"time"
)

// Ending is what became of a deferred request.
type Ending int

// The endings. StillPending is one too: the wait was over first.
const (
	StillPending Ending = iota
	Fulfilled
	Rejected // the service lists it as failed
	Gone     // it left the list, and its effect is not to be seen
)

// Outcome is the ending of a wait and what was noticed on the way.
type Outcome struct {
	Ending
	ID     string // the service's id, where it was seen
	Code   string // the service's code of a failure
	Status string // a status that nobody knows; the request was treated as pending
	// Err is why the wait ended early, where it was neither time nor an ending.
	Err error
}

// Awaited is a request that is waited for.
type Awaited struct {
	Scope     Scope
	Identity  string
	Operation string // one of Operations
	ID        string // empty where the service gave none
	// Effect looks whether the request's effect can be seen; nil where there is
	// nothing to see. It is asked only once the request is not listed any more.
	Effect func(ctx context.Context) (bool, error)
}

// Await waits until a deferred request is no longer pending or the context ends.
// All waits of a scope share one look at the pending list at a time.
func (c *Client) Await(ctx context.Context, a Awaited) Outcome {
	o := Outcome{ID: a.ID}
	began := time.Now()
	for listed, absences := false, 0; ; {
		seen, err := c.feedOf(a.Scope).next(ctx, began)
		switch {
		case ctx.Err() != nil:
			return o
		case err != nil:
			if !MayPass(err) {
				o.Err = err
				return o
			}
			continue
		}
		// A list that is a moment behind must not end the wait: what was never listed
		// has to be absent twice, unless its effect shows.
		ended, isListed := c.judge(ctx, a, seen.about(a.Identity), sight{listed: listed, absentBefore: absences > 0}, &o)
		if ended {
			return o
		}
		listed = listed || isListed
		absences++
	}
}

// Check looks once; for a refresh. A request that nobody saw in the list and whose
// effect cannot be seen counts as Gone.
func (c *Client) Check(ctx context.Context, a Awaited) Outcome {
	o := Outcome{ID: a.ID}
	seen, err := c.feedOf(a.Scope).next(ctx, time.Now())
	if err != nil {
		o.Err = c.asError(opListPending, err)
		return o
	}
	c.judge(ctx, a, seen.about(a.Identity), sight{listed: true}, &o)
	return o
}

// sight is what earlier looks have shown: the request itself, or that it was absent.
type sight struct{ listed, absentBefore bool }

// judge reads one look.
func (c *Client) judge(ctx context.Context, a Awaited, records []PendingRecord, before sight, o *Outcome) (ended, isListed bool) {
	listed := before.listed
	if record, ok := a.in(records); ok {
		if id, given := record.ID.Get(); given {
			o.ID = id
		}
		switch record.Progress() {
		case Failed:
			o.Ending, o.Code = Rejected, escapeText(record.Code, 80)
			return true, true
		case Unclear:
			status, _ := record.Status.Get()
			o.Status = escapeText(status, 60)
			return false, true
		case Waiting:
			return false, true
		}
		listed = true // done: it only has not left the list yet
	}
	if a.Effect == nil {
		if listed || before.absentBefore {
			o.Ending = Fulfilled
			return true, listed
		}
		return false, false
	}
	visible, err := a.Effect(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return true, listed
	case err != nil && !MayPass(err):
		o.Err = err
		return true, listed
	case err != nil:
		return false, listed
	case visible:
		o.Ending = Fulfilled
		return true, listed
	case listed:
		o.Ending = Gone
		return true, listed
	}
	return false, false
}

// in finds the request: by its id, or else the oldest of the person and operation.
func (a Awaited) in(records []PendingRecord) (PendingRecord, bool) {
	var found *PendingRecord
	for i, r := range records {
		if id, ok := r.ID.Get(); ok && a.ID != "" && id == a.ID {
			return r, true
		}
		if found == nil && r.is(a.Operation) {
			found = &records[i]
		}
	}
	if found == nil {
		return PendingRecord{}, false
	}
	return *found, true
}

// MayPass reports failures that a later try may not meet.
func MayPass(err error) bool {
	return IsKind(err, KindUnreachable, KindConnectionLost, KindTimeout, KindServer, KindRateLimited, KindTruncated, KindNotJSON, KindEmpty)
}
