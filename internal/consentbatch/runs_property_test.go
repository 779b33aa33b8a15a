// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// TestConsent_runsNeverChangeAChoiceAndEndInAnEmptyPlan applies random changes of a few objects of a few
// people, in the order and the processes of Terraform, while people choose for themselves, and of every other
// seed under random faults. No choice that a person made after our last confirmed write is ever changed, a batch
// writes nothing twice, and a run that ended well is followed by an empty plan.
func TestConsent_runsNeverChangeAChoiceAndEndInAnEmptyPlan(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(8, 1200) {
		seed := soak.Seed(i)
		soak.Add(soak.Tried, 1)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := &world{Rand: rand.New(rand.NewPCG(seed, 26)), choices: map[string][5]bool{}}
			disorder, end := mocktest.Disorder(seed, 20)
			if w.disorder = disorder; seed%2 == 0 {
				end()
			}
			shared, other := newFile(t, ""), newFile(t, "")
			w.objects = []*object{
				{kind: singleName, people: []int{0}},
				{kind: singleName, people: []int{0}},
				{kind: singleName, people: []int{1}},
				{kind: batchName, people: []int{0, 1, 2}, file: shared},
				{kind: batchName, people: []int{0, 1, 2}, file: shared},
				{kind: batchName, people: []int{2, 3}, file: other},
			}
			prototest.Bubble(t, w.live)
		})
	}
}

// world is a configuration, its state, and the people whom it is about.
type world struct {
	*rand.Rand
	t       *testing.T
	p       *prototest.Provider
	service *mocktest.Instance

	objects  []*object
	wishes   [4]prototest.Attributes // what is configured about each person
	rows     [4]string               // the same, as rows of a batch
	choices  map[string][5]bool      // of people, since our last confirmed write
	count    int                     // of wishes and choices
	disorder func(mockserver.Request) *mockserver.Fault
	history  []string

	mu sync.Mutex // of what a request does: several updates of a batch arrive at once
}

// object may be in the configuration, and in the state.
type object struct {
	kind   string
	people []int
	file   *batchFile // of a batch

	isConfigured bool
	state        *prototest.State
	isIdle       bool // the plan has nothing to do
}

// live lets some runs follow each other.
func (w *world) live(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
	t.Helper()
	w.t, w.p, w.service = t, p, service
	for i := range w.wishes {
		w.wish(i)
	}

	for range soak.Raced(8, 16) {
		w.run()
		for identity, theirs := range w.choices {
			if held, _ := service.Consent(scope, identity); held.Clauses != theirs {
				t.Errorf("%s chose %v, and the service holds %v", identity, theirs, held.Clauses)
			}
		}
	}
	if t.Failed() {
		t.Error(strings.Join(w.history, "\n"))
	}
}

func (w *world) say(format string, args ...any) {
	w.history = append(w.history, fmt.Sprintf(format, args...))
}

// wish configures other clauses for a person, and a time some fractions of a second later.
// People choose other clauses for themselves, and much later.
func (w *world) wish(i int) {
	w.count++
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC).Add(time.Duration(w.count) * 300 * time.Millisecond).Format(time.RFC3339Nano)
	w.wishes[i], w.rows[i] = single(i, withdrawing.With(prototest.Attributes{"agreement_time": at})), userName(i)
	for clause := range 5 {
		agreed := clause%4 == 0 || w.IntN(2) == 0
		w.wishes[i][fmt.Sprintf("clause_%d_consent", clause+1)] = agreed
		w.rows[i] += fmt.Sprintf(",%v", agreed)
	}
	w.rows[i] += "," + at + "\n"
	w.say("%v is wished", w.wishes[i])
}

// choose lets a person choose, with the service's own banner.
func (w *world) choose(identity string) {
	w.count++
	theirs := [5]bool{false, w.IntN(2) == 0, false, false, false}
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(w.count) * time.Hour).Format(time.RFC3339)
	w.service.PutConsent(scope, identity, mockserver.ConsentRecord{Clauses: theirs, AgreementTime: at, Manual: new(false)})
	w.choices[identity] = theirs
	w.say("%s chooses %v", identity, theirs)
}

func (w *world) maybeChoose() {
	if w.IntN(16) == 0 {
		w.choose(userName(w.IntN(len(w.wishes))))
	}
}

// configOf returns the configuration of an object, and writes the file of a batch. It returns
// nil for an object that is not configured.
func (w *world) configOf(o *object) prototest.Attributes {
	switch {
	case !o.isConfigured:
		return nil
	case o.kind == singleName:
		return w.wishes[o.people[0]]
	}

	content := batchHeader
	for _, i := range o.people {
		content += w.rows[i]
	}
	o.file.write(content)

	return o.file.config(withdrawing)
}

// change changes the configuration: a person is to have something else, or one object or two come or go. Two of
// the same people are one that is renamed.
func (w *world) change() {
	if w.IntN(2) == 0 {
		w.wish(w.IntN(len(w.wishes)))
		return
	}

	first := w.IntN(len(w.objects))
	for _, o := range w.objects[first:min(first+1+w.IntN(2), len(w.objects))] {
		o.isConfigured = !o.isConfigured
		w.say("%s of %v is configured: %v", o.kind, o.people, o.isConfigured)
	}
}

// run is a run of Terraform after a random change: a process plans, another one applies.
func (w *world) run() {
	w.t.Helper()
	w.change()
	w.maybeChoose()
	if !w.plan() {
		w.say("refused")
		return
	}

	w.maybeChoose()
	if !w.apply() {
		w.say("failed")
		return
	}

	w.p.NewRun()
	w.service.FaultFor = nil
	for _, o := range w.objects {
		if plan, errors := w.planOne(o); plan.Changes || len(errors) > 0 {
			w.t.Errorf("%s of %v is not done:\n%v\n%v\n%v", o.kind, o.people, o.state, plan.Attributes, errors)
		}
	}
}

// planOne refreshes an object if it exists, and plans it: a create, a change or the end.
func (w *world) planOne(o *object) (plan prototest.Plan, errors []string) {
	if o.state != nil {
		state, diags := w.p.Refresh(o.kind, o.state)
		if state == nil || len(diags.Errors()) > 0 {
			return plan, append(diags.Errors(), "it is not refreshed")
		}
		o.state = state
	}
	config := w.configOf(o)
	if o.state == nil && config == nil {
		return plan, nil
	}

	plan, diags := w.p.Plan(o.kind, o.state, config)
	o.isIdle = !plan.Changes

	return plan, diags.Errors()
}

// inAnyOrder returns the objects in a random order.
func (w *world) inAnyOrder() []*object {
	w.Shuffle(len(w.objects), func(i, j int) { w.objects[i], w.objects[j] = w.objects[j], w.objects[i] })
	return w.objects
}

// plan refreshes and plans all objects. It reports whether none is refused.
func (w *world) plan() (ok bool) {
	w.p.NewRun()
	w.service.FaultFor = w.disorder
	for _, o := range w.inAnyOrder() {
		if _, errors := w.planOne(o); len(errors) > 0 {
			return false
		}
	}

	return true
}

// apply carries out what is to be done. It reports whether all of it was done.
func (w *world) apply() (ok bool) {
	w.t.Helper()
	w.p.NewRun()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()

	interruptedAt, chosenAt, commits := w.IntN(30), w.IntN(30), w.IntN(2) == 0
	w.service.FaultFor = func(r mockserver.Request) *mockserver.Fault {
		w.mu.Lock()
		defer w.mu.Unlock()
		if r.Operation != mockserver.OpUpdateConsent {
			return w.disorder(r)
		}

		interruptedAt, chosenAt = interruptedAt-1, chosenAt-1
		switch {
		case interruptedAt == 0:
			w.say("interrupted, with %s written: %v", r.Identity, commits)
			return &mockserver.Fault{Hang: true, Commit: commits, Then: cancel}
		case chosenAt == 0:
			return &mockserver.Fault{Then: func() {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.choose(r.Identity)
			}}
		}

		return w.disorder(r)
	}

	ok = true
	for _, o := range w.inAnyOrder() {
		if ctx.Err() != nil {
			return false
		}
		errors := w.applyOne(ctx, o)
		ok = ok && len(errors) == 0
		for _, problem := range errors {
			w.say("%.300s", problem)
		}
		synctest.Wait() // until a write that was interrupted on its way has arrived: nothing can call it back
		w.maybeChoose()
	}

	return ok && ctx.Err() == nil
}

// applyOne creates, updates or destroys an object, if its plan has something to do.
//
//nolint:contextcheck // the end of ctx interrupts the apply alone
func (w *world) applyOne(ctx context.Context, o *object) (errors []string) {
	exists := o.state != nil
	if exists && !o.isConfigured {
		w.say("destroy %s of %v", o.kind, o.people)
		state, diags := w.p.DestroyUnplanned(ctx, o.kind, o.state)
		o.state = state
		return diags.Errors()
	}
	if !o.isConfigured || exists && o.isIdle {
		return nil
	}

	w.say("put %s of %v", o.kind, o.people)
	plan, diags := w.p.Plan(o.kind, o.state, w.configOf(o))
	if len(diags.Errors()) > 0 || !plan.Changes {
		return diags.Errors()
	}

	w.service.Reset()
	o.state, diags = w.p.Apply(ctx, o.kind, o.state, plan)
	for identity, n := range written(w.service) {
		if n > 1 && o.kind == batchName {
			w.t.Errorf("%s was written %d times", identity, n)
		}
	}

	return diags.Errors()
}
