// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// play lets Terraform do three things, and then recover.
func (w *world) play() {
	first := w.request("A")
	for range 3 {
		options := []string{"apply", "refresh", "apply, other triggers", "replace", "second object", "apply in the same run", "another object takes its place"}
		choice := w.choose(options)
		w.tell("%s", choice)
		if choice != "apply in the same run" {
			w.restart()
		}

		switch choice {
		case "apply", "apply in the same run":
			w.apply(&w.objects[0], first)

		case "refresh":
			w.refresh(&w.objects[0])

		case "apply, other triggers":
			w.apply(&w.objects[0], w.request("B"))

		case "replace":
			w.destroy(&w.objects[0])
			w.apply(&w.objects[0], first)

		case "another object takes its place":
			if !w.objects[1].exists {
				w.objects[1].key = w.objects[0].key
			}
			w.destroy(&w.objects[0])
			w.apply(&w.objects[1], first)

		case "second object":
			w.apply(&w.objects[0], first)
			w.apply(&w.objects[1], first)
		}

		if len(w.broken) > 0 {
			return
		}
	}

	w.recover(first)
}

// apply is what a resource does in an apply: it refreshes and plans, submits what was
// not submitted yet, and waits.
func (w *world) apply(o *object, r Request) {
	w.refresh(o)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.cancel = cancel
	defer func() { w.cancel = nil }()

	before := len(w.queue)
	if !o.exists || o.submission.IdempotencyKey != r.IdempotencyKey {
		if !w.submit(ctx, o, r, before) {
			return
		}
	}
	if !o.submission.State.IsOpen() {
		return
	}

	had := *o
	o.submission, _ = w.engine.Await(ctx, r, o.submission, 4500*time.Millisecond)
	w.check(o)
	if o.submission.State == Failed {
		w.wishes++
		w.tell("    it failed")
		*o = object{key: o.key}
		return
	}

	w.noteOver(had.submission, o.submission)
}

// wish counts what may be sent: one request for a key that is new, or new for the
// object. A second object, or a replacement, adds none in the run of the first one. In a
// later run it does not know about the first one, as the documentation says. An update is
// sent for each object, since its values are absolute.
func (w *world) wish(o *object, r Request) {
	if o.exists || o.key != r.IdempotencyKey || w.noEffect || w.repeatable {
		w.wishes++
	}
	o.key = r.IdempotencyKey

	for i := range w.objects {
		if other := &w.objects[i]; other != o && other.exists && other.key == r.IdempotencyKey {
			w.wishes++
		}
	}
}

// submit submits and checks that nothing accepted is forgotten.
func (w *world) submit(ctx context.Context, o *object, r Request, before int) bool {
	w.wish(o, r)
	if o.unanswered.State == Idle {
		o.lost = nil
	}
	s, report, err := w.engine.Submit(ctx, r, o.unanswered)
	accepted := w.queue[before:]
	if err == nil {
		o.exists, o.submission, o.unanswered = true, s, Submission{}
		o.sent, o.lost = slices.Concat(o.lost, accepted), nil
		if report.Adopted {
			o.sent = w.takenOver(s)
		}
		w.tell("    state: %s %s (adopted %v, known %v)", s.State, s.ID, report.Adopted, report.Known)
		if s.State.isUncertain() {
			w.breaks("submitting ended well, and the request is %q", s.State)
		}
		if len(accepted) == 1 && w.ids == sameIDs && !w.respelled && !w.shows(r.IdempotencyKey) && s.ID != accepted[0].id && !report.Adopted {
			w.breaks("the accepted request %s is not the object's, which has %q", accepted[0].id, s.ID)
		}

		w.check(o)

		return true
	}

	w.tell("    error: %v", err)
	if o.exists {
		o.unanswered = s
	}
	o.lost = slices.Concat(o.lost, accepted)

	unknown := transport.IsClass(err, transport.ClassUnknownOutcome) || transport.IsClass(err, transport.ClassServer) && s.State == Failed
	if unknown {
		w.wishes++
	}
	if len(accepted) > 0 && !unknown {
		w.breaks("request %s was accepted, and the error is another one: %v", accepted[0].id, err)
	}

	return false
}

// takenOver returns the request that an object has taken over.
func (w *world) takenOver(s Submission) []*queued {
	for i, q := range w.queue {
		id, _ := w.recordOf(q, i).ID.Get()
		if q.isHeld() && (id == s.ID || w.receiptID(q) == s.ID) {
			return []*queued{q}
		}
	}

	return nil
}

// refresh is what a resource does in a refresh.
func (w *world) refresh(o *object) {
	if !o.exists || o.submission.State == Fulfilled {
		return
	}

	own := w.request(o.submission.IdempotencyKey)
	s, _, err := w.engine.Refresh(context.Background(), own, o.submission)
	if err != nil {
		w.tell("    refresh: error")
		return
	}

	w.noteOver(o.submission, s)
	o.submission = s
	w.tell("    refreshed: %s", s.State)
	w.check(o)
}

// noteOver excuses another request for a key whose request came to nothing, as
// far as could be seen.
func (w *world) noteOver(before, after Submission) {
	if after.State.IsOver() && !before.State.IsOver() {
		w.wishes++
	}
}

// destroy forgets the object and hands its request to what takes its place.
func (w *world) destroy(o *object) {
	if o.exists {
		w.engine.Note(w.request(o.submission.IdempotencyKey), o.submission)
	}
	*o = object{key: o.key, destroyed: true}
}

// check checks what is promised at any time.
func (w *world) check(o *object) {
	accepted, limit := 0, w.wishes
	for _, q := range w.queue {
		if !q.old {
			accepted++
		}
	}

	if w.repeatable {
		limit *= 2 // values are absolute: a request that nothing shows to have arrived is sent once more
	}
	if accepted > limit {
		w.breaks("%d requests were accepted, %d were wished for or are excused", accepted, limit)
	}

	if o.submission.State != Fulfilled {
		return
	}

	carriedOut := slices.ContainsFunc(o.sent, func(q *queued) bool { return q.effect })
	for _, q := range o.sent {
		if q.isHeld() && (!w.repeatable || !carriedOut) && !w.equalExplains(o) {
			w.breaks("the object says fulfilled, and the service still holds its request %s: %+v", q.id, o.submission)
		}
	}
	if measurable := !w.noEffect && !w.setting.effect; len(o.sent) > 0 && !carriedOut && measurable && !w.shows(o.submission.IdempotencyKey) {
		w.breaks("the object says fulfilled, and its request was not carried out: %+v", o.submission)
	}
}

// equalExplains reports whether the effect is that of an equal update, seen when a reading was
// blank: nothing tells which of two equal updates has set the values, and to wait for a second
// reading would delay the end of every update by the lag.
func (w *world) equalExplains(o *object) bool {
	carriedOut := func(q *queued) bool { return q.effect && !slices.Contains(o.sent, q) }
	return w.repeatable && w.blanked && !o.submission.EffectBefore && slices.ContainsFunc(w.queue, carriedOut)
}

// recover applies against a service that works again. Every error has to have a way
// out: the wish is fulfilled after a few applies, and the plan is empty then.
func (w *world) recover(r Request) {
	w.recovering = true
	o := &w.objects[0]
	r.Adopts = r.Adopts && !w.repeatable

	for range 4 {
		w.restart()
		<-time.After(time.Minute)

		for q := w.pendingOne(); q != nil; q = w.pendingOne() {
			w.carryOut(q)
		}

		if o.submission.State.IsOver() {
			*o = object{key: o.key} // replaced, as the warning advises
		}

		w.tell("recovering")
		w.apply(o, r)
	}

	if len(w.broken) > 0 {
		return
	}

	s := o.submission
	if o.exists && s.State == Accepted && !s.Seen && s.IdempotencyKey == r.IdempotencyKey {
		return // nothing will show whether it was carried out
	}
	if (w.ids == reusedIDs || w.ids == positionalIDs) && s.State.IsOpen() && s.IdempotencyKey == r.IdempotencyKey {
		return // the list goes on showing its id for another request; other triggers are the way out
	}
	if !o.exists || s.State != Fulfilled || s.IdempotencyKey != r.IdempotencyKey {
		w.breaks("there is no way out: %+v", *o)
	}

	looks := w.looks
	w.refresh(o)
	if w.looks != looks {
		w.breaks("a fulfilled request is looked at again")
	}
}
