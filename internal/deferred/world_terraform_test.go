// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

type object struct {
	exists     bool
	submission proof.Submission
	unanswered proof.Submission
	// sent are the requests that the service has accepted for the submission, or that it
	// held when the object took one over. lost are those of a submission whose outcome is unknown.
	sent, lost []*queued
	// key is the latest one, even if the object is destroyed.
	key       string
	destroyed bool
	isNamed   bool // the latest call says why it is not known what has become of the request
}

// play lets Terraform do three things, and then recover.
func (w *world) play() {
	first := w.request("A")
	o, other := &w.objects[0], &w.objects[1]
	for range 3 {
		choice := w.choose([]string{"apply", "refresh", "apply, other triggers", "replace", "second object", "apply in the same run", "another object takes its place"})
		w.tell("%s", choice)
		if choice != "apply in the same run" {
			w.restart()
		}

		switch choice {
		case "apply", "apply in the same run":
			w.apply(o, first)
		case "refresh":
			w.refresh(o)
		case "apply, other triggers":
			w.apply(o, w.request("B"))
		case "replace":
			w.destroy(o)
			w.apply(o, first)
		case "another object takes its place":
			if !other.exists {
				other.key = o.key
			}
			w.destroy(o)
			w.apply(other, first)
		case "second object":
			w.apply(o, first)
			w.apply(other, first)
		}

		if len(w.broken) > 0 {
			return
		}
	}

	w.recover(first)
}

// apply is what a resource does in an apply: it refreshes and plans, submits what is still to be sent, and waits.
func (w *world) apply(o *object, r Request) {
	w.refresh(o)
	w.acting = o
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.cancel = cancel
	defer func() { w.cancel = nil }()

	before := *o
	sends := !o.exists || o.submission.IdempotencyKey != r.IdempotencyKey || o.submission.IsToSend()
	if sends && !w.submit(ctx, o, r) {
		return
	}
	if o.submission.IsOpen() {
		var seen Observed
		o.submission, seen = w.engine.Await(ctx, r, o.submission, 4500*time.Millisecond)
		o.isNamed = seen.Unproven || seen.Gap != ""
		w.tell("    awaited: %s", o.submission.State)
		w.check(o)
	}
	if o.submission.State != proof.Failed {
		return
	}

	w.wishes++
	if sends { // an error: the object is as it was before
		key, failed := o.key, o.submission
		*o = before
		o.key, o.unanswered = key, proof.Submission{}
		if failed.IsSame(o.submission) { // its own was adopted
			o.submission.State = proof.Failed
		}
	}
}

func ours(queue []*queued) []*queued {
	return slices.DeleteFunc(slices.Clone(queue), func(q *queued) bool { return q.theirs })
}

// submit submits and checks that nothing accepted is forgotten.
func (w *world) submit(ctx context.Context, o *object, r Request) (accepted bool) {
	w.wish(o, r)
	if o.unanswered.State == proof.Unsent {
		o.lost = nil
	}
	earlier := o.submission
	if o.exists {
		r.Earlier = &earlier
	}

	before := len(w.queue)
	s, seen, err := w.engine.Submit(ctx, r, o.unanswered)
	own := ours(w.queue[before:])
	if seen.Adopted && len(own) > 0 {
		w.breaks("a request was adopted, and another one sent")
	}
	if err == nil {
		o.exists, o.submission, o.unanswered = true, s, proof.Submission{}
		o.sent, o.lost = slices.Concat(o.lost, own), nil
		if seen.Adopted || seen.Known {
			o.sent = nil
		}
		w.tell("    state: %s %s (adopted %v, known %v)", s.State, s.ID, seen.Adopted, seen.Known)
		if s.State == proof.Unanswered || s.State == proof.Unsent {
			w.breaks("submitting ended well, and the request is %q", s.State)
		}
		w.check(o)

		return true
	}

	w.tell("    error: %v", err)
	if o.exists {
		o.unanswered = s
		if earlier.State == proof.Failed && o.submission.State != proof.Failed {
			w.wishes++
		}
		o.submission.State = earlier.State
	}
	o.lost = slices.Concat(o.lost, own)

	isReported := transport.IsClass(err, transport.ClassUnknownOutcome)
	if isReported {
		w.wishes++
	}
	if len(own) > 0 && !isReported {
		w.breaks("request %s was accepted, and the error is another one: %v", own[0].id, err)
	}

	return false
}

// wish counts what may be sent: one request for a key that is new, or new for the object. A second object, or a
// replacement, adds none in the run of the first one. In a later run it does not know about the first one, as the
// documentation says. An update is sent for each object, since its values are absolute.
func (w *world) wish(o *object, r Request) {
	isNew := o.exists || o.key != r.IdempotencyKey
	if isNew || w.noEffect || w.repeatable() {
		w.wishes++
	}
	o.key = r.IdempotencyKey

	for i := range w.objects {
		if other := &w.objects[i]; other != o && other.exists && other.key == r.IdempotencyKey {
			w.wishes++
		}
	}
}

func (w *world) refresh(o *object) {
	if !o.exists || o.submission.State == proof.Fulfilled {
		return
	}

	w.acting = o
	before := o.submission.State
	s, seen, err := w.engine.Refresh(context.Background(), w.request(o.submission.IdempotencyKey), o.submission)
	if err != nil {
		w.tell("    refresh: error")
		return
	}

	if s.State == proof.Failed && before != proof.Failed {
		w.wishes++
	}
	o.submission, o.isNamed = s, seen.Unproven || seen.Gap != ""
	w.tell("    refreshed: %s", s.State)
	w.check(o)
}

// destroy forgets the object and hands its request to what takes its place.
func (w *world) destroy(o *object) {
	if o.exists {
		w.engine.Remember(w.request(o.submission.IdempotencyKey), o.submission)
	}
	*o = object{key: o.key, destroyed: true}
}

// check checks what is promised at any time.
func (w *world) check(o *object) {
	accepted, limit := len(ours(w.queue)), w.wishes
	if w.repeatable() {
		limit *= 2 // values are absolute: a request that nothing shows to have arrived is sent once more
	}
	if accepted > limit {
		w.breaks("%d requests were accepted, %d were wished for or are excused", accepted, limit)
	}

	switch s := o.submission; {
	case s.State == proof.Failed && len(o.sent) > 0:
		w.checkFailed(o)
	case s.State == proof.Fulfilled && len(o.sent) > 0:
		w.checkFulfilled(o)
	}
}

// isUntold reports whether an answer has not told the ID of the object's request, and the ID is that of another, too.
func (w *world) isUntold(o *object) bool {
	isShared := slices.ContainsFunc(w.queue, func(q *queued) bool { return q != o.sent[0] && q.id == o.sent[0].id })
	return isShared && o.submission.ID == ""
}

// checkFailed checks that a request of ours that is given up is over. Of a deletion that new data
// have followed, nobody can tell.
func (w *world) checkFailed(o *object) {
	if o.sent[0].isHeld() && len(o.sent) == 1 && !w.isUntold(o) {
		w.breaks("the object says failed, and the service still holds its request %s: %+v", o.sent[0].id, o.submission)
	}
}

// checkFulfilled checks that a request of ours that is fulfilled is over, and was carried out as far as
// somebody could see that. Where the list masks the person, nobody sees other requests.
func (w *world) checkFulfilled(o *object) {
	another := func(q *queued) bool { return q.carriedOut && !slices.Contains(o.sent, q) }
	isHidden := w.person == masked && slices.ContainsFunc(w.queue, another)
	if isHidden || w.isUntold(o) {
		return
	}
	carriedOut := slices.ContainsFunc(o.sent, func(q *queued) bool { return q.carriedOut })
	for _, q := range o.sent {
		if q.isHeld() && (!w.repeatable() || !carriedOut) {
			w.breaks("the object says fulfilled, and the service still holds its request %s: %+v", q.id, o.submission)
		}
	}

	isMeasurable := !w.noEffect && !w.setting.effect
	if !carriedOut && isMeasurable && !w.wasCarriedOut() {
		w.breaks("the object says fulfilled, and no request was carried out: %+v", o.submission)
	}
	isFailed := slices.ContainsFunc(o.sent, func(q *queued) bool { return q.seenFailed })
	if !carriedOut && isFailed && !w.wasCarriedOut() {
		w.breaks("the object says fulfilled, and its request has failed: %+v", o.submission)
	}
}

func (w *world) wasCarriedOut() bool {
	return slices.ContainsFunc(w.queue, func(q *queued) bool { return q.carriedOut })
}

// recover applies against a service that works again. Every error has to have a way
// out: the wish is fulfilled after a few applies, and the plan is empty then.
func (w *world) recover(r Request) {
	w.recovering = true
	o := &w.objects[0]

	for range 4 {
		w.restart()
		<-time.After(time.Minute)
		for _, theirs := range []bool{false, true} {
			for q := w.held(theirs); q != nil; q = w.held(theirs) {
				w.carryOut(q)
				q.listed = false
			}
		}

		if o.submission.State == proof.Failed || o.isNamed {
			*o = object{key: o.key} // other triggers, as the warning advises
			w.wishes++
		}

		w.tell("recovering")
		w.apply(o, r)
		w.refresh(o)
	}

	s := o.submission
	if len(w.broken) > 0 || o.isNamed {
		return // nothing will show whether it was carried out
	}
	if !o.exists || s.IdempotencyKey != r.IdempotencyKey || s.State != proof.Fulfilled {
		w.breaks("there is no way out: %+v", *o)
	}

	looks := w.looks
	w.refresh(o)
	if w.looks != looks {
		w.breaks("a fulfilled request is looked at again")
	}
}
