// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
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

// TestConsent_runsNeverChangeAChoiceAndEndInAnEmptyPlan applies random changes of a few
// objects of a few people, in the order and the processes of Terraform, while people choose
// for themselves. No choice that a person made after our last confirmed write is ever changed, and a run that
// ended well is followed by an empty plan.
func TestConsent_runsNeverChangeAChoiceAndEndInAnEmptyPlan(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(4, 1200) {
		seed := soak.Seed(i)
		soak.Add(soak.Tried, 1)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := &world{
				Rand: rand.New(rand.NewPCG(seed, 26)), folder: t.TempDir(),
				choices: map[string][5]bool{}, config: map[string]*managed{}, state: map[string]*managed{},
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
	folder  string

	wanted  [3]wish             // what is configured about each person
	choices map[string][5]bool  // of people, since our last confirmed write
	config  map[string]*managed // the configuration by key
	state   map[string]*managed // what is in state by key
	history []string

	names, wishes, days int // that were used

	mu sync.Mutex // of what a request does: several updates of a batch arrive at once
}

type wish struct {
	clauses [5]bool
	at      string
}

// managed is an object of the configuration or of the state.
type managed struct {
	kind   string
	people []int
	file   string // of a batch
	state  *prototest.State
	isIdle bool // the plan has nothing to do
}

// live lets some runs follow each other.
func (w *world) live(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
	t.Helper()
	w.t, w.p, w.service = t, p, service
	for i := range w.wanted {
		w.wish(i)
	}

	for range soak.Raced(6, 12) {
		w.run()
		for identity, theirs := range w.choices {
			if held, _ := service.Consent(scope, identity); held.Clauses != theirs {
				soak.Add(soak.Overwritten, 1)
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
	w.wishes++
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC).Add(time.Duration(w.wishes) * 300 * time.Millisecond)
	w.wanted[i] = wish{[5]bool{true, w.IntN(2) == 0, w.IntN(2) == 0, w.IntN(2) == 0, true}, at.Format(time.RFC3339Nano)}
}

// choose lets a person choose, with the service's own banner.
func (w *world) choose(identity string) {
	w.days++
	theirs := [5]bool{false, w.IntN(2) == 0, false, false, false}
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, w.days).Format(time.RFC3339)
	w.service.PutConsent(scope, identity, mockserver.ConsentRecord{Clauses: theirs, AgreementTime: at, Manual: new(false)})
	w.choices[identity] = theirs
	w.say("%s chooses %v", identity, theirs)
}

// attributes returns the configuration of an object, and writes the file of a batch. It returns
// nil for none.
func (w *world) attributes(m *managed) prototest.Attributes {
	if m == nil {
		return nil
	}

	if m.kind == singleName {
		wanted := w.wanted[m.people[0]]
		config := prototest.Attributes{"identity_id": userName(m.people[0]), "agreement_time": wanted.at, "on_destroy": "withdraw"}
		for clause, agreed := range wanted.clauses {
			config[fmt.Sprintf("clause_%d_consent", clause+1)] = agreed
		}
		return config
	}

	content := batchHeader
	for _, i := range m.people {
		clauses := strings.Trim(strings.ReplaceAll(fmt.Sprint(w.wanted[i].clauses), " ", ","), "[]")
		content += userName(i) + "," + clauses + "," + w.wanted[i].at + "\n"
	}
	(&batchFile{w.t, m.file}).write(content)

	return prototest.Attributes{"source": m.file, "on_destroy": "withdraw"}
}

// change changes the configuration, and returns the key of an object to replace, if any.
func (w *world) change() (replaced string) {
	keys := slices.Sorted(maps.Keys(w.config))
	pick := ""
	if len(keys) > 0 {
		pick = keys[w.IntN(len(keys))]
	}

	switch action := w.IntN(6); {
	case pick == "" || action == 0:
		m := &managed{kind: singleName, people: []int{w.IntN(3)}}
		if w.IntN(2) == 0 {
			m.kind, m.people = batchName, []int{0, 1, 2}[w.IntN(2):]
			m.file = filepath.Join(w.folder, fmt.Sprint("file", w.names, ".csv"))
		}
		w.names++
		w.config[fmt.Sprint("object", w.names)] = m
		w.say("add object%d, %s of %v", w.names, m.kind, m.people)
	case action == 1:
		delete(w.config, pick)
		w.say("remove %s", pick)
	case action == 2:
		w.names++
		w.config[fmt.Sprint("object", w.names)] = w.config[pick]
		delete(w.config, pick)
		w.say("rename %s to object%d", pick, w.names)
	case action == 3:
		w.say("replace %s", pick)
		return pick
	default:
		i := w.IntN(3)
		w.wish(i)
		w.say("%s is to have %v", userName(i), w.wanted[i])
	}

	return ""
}

// run is a run of Terraform after a random change: a process plans, another one applies. A
// run that is refused or fails takes its change of the set of objects back.
func (w *world) run() {
	w.t.Helper()
	before := maps.Clone(w.config)
	replaced := w.change()
	w.maybeChoose()

	if !w.plan() {
		w.say("refused")
		w.config = before
		return
	}

	w.maybeChoose()
	if !w.apply(replaced) {
		w.say("failed")
		return
	}

	w.p.NewRun()
	for key := range w.state {
		state, plan, errors := w.planOne(key)
		if plan.Changes || len(errors) > 0 {
			w.t.Errorf("%s is not done:\n%v\n%v\n%v", key, state.Attributes, plan.Attributes, errors)
		}
	}
}

// planOne refreshes an object if it exists, and plans it: a create, a change or the end.
func (w *world) planOne(key string) (state *prototest.State, _ prototest.Plan, errors []string) {
	m, former := w.config[key], w.state[key]
	if former != nil {
		var diags prototest.Diagnostics
		former.state, diags = w.p.Refresh(former.kind, former.state)
		w.p.NoErrors(diags)
		state = former.state
	}

	plan, diags := w.p.Plan(cmp.Or(m, former).kind, state, w.attributes(m))

	return state, plan, diags.Errors()
}

func (w *world) maybeChoose() {
	if w.IntN(16) == 0 {
		w.choose(userName(w.IntN(3)))
	}
}

// plan refreshes and plans all objects in a random order. It reports whether none is refused.
func (w *world) plan() (ok bool) {
	w.p.NewRun()
	keys := slices.Collect(maps.Keys(w.config))
	for key := range w.state {
		if w.config[key] == nil {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	w.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })

	for _, key := range keys {
		_, plan, errors := w.planOne(key)
		if len(errors) > 0 {
			return false
		}
		if m := w.state[key]; m != nil {
			m.isIdle = !plan.Changes
		}
	}

	return true
}

// apply carries out what is to be done, in a random order. It reports whether all of it was
// done.
func (w *world) apply(replaced string) (ok bool) {
	w.t.Helper()
	w.p.NewRun()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()

	interruptedAt, chosenAt, commits := w.IntN(30), w.IntN(30), w.IntN(2) == 0
	w.service.FaultFor = func(r mockserver.Request) *mockserver.Fault {
		w.mu.Lock()
		defer w.mu.Unlock()
		if r.Operation != mockserver.OpUpdateConsent {
			return nil
		}
		interruptedAt, chosenAt = interruptedAt-1, chosenAt-1
		if interruptedAt == 0 {
			w.say("interrupted, with %s written: %v", r.Identity, commits)
			return &mockserver.Fault{Hang: true, Commit: commits, Then: cancel}
		}
		if chosenAt == 0 {
			return &mockserver.Fault{Then: func() {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.choose(r.Identity)
			}}
		}

		return nil
	}

	ok = true
	for _, step := range w.steps(ctx, replaced) {
		if ctx.Err() != nil {
			return false
		}
		for _, problem := range step() {
			w.say("%.300s", problem)
			ok = false
		}
		synctest.Wait() // until a write that was interrupted on its way has arrived: nothing can call it back
		w.maybeChoose()
	}

	return ok && ctx.Err() == nil
}

// steps returns the steps of an apply in a random order. A replaced object is destroyed right
// before or right after it is created.
func (w *world) steps(ctx context.Context, replaced string) (steps []func() []string) {
	createFirst := w.IntN(2) == 0
	for _, key := range slices.Sorted(maps.Keys(w.state)) {
		former := w.state[key]
		if w.config[key] != nil && key != replaced && former.isIdle {
			continue
		}
		if w.config[key] != nil && key != replaced {
			steps = append(steps, func() []string { return w.put(ctx, key, former.state) })
			continue
		}

		delete(w.state, key)
		steps = append(steps, func() []string {
			w.say("destroy %s", key)
			state, diags := w.p.DestroyUnplanned(ctx, former.kind, former.state)
			if state != nil && w.state[key] == nil {
				w.state[key] = former
			}
			return diags.Errors()
		})
	}

	w.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	for _, key := range slices.Sorted(maps.Keys(w.config)) {
		if _, exists := w.state[key]; !exists {
			create := func() []string { return w.put(ctx, key, nil) }
			at := w.IntN(len(steps) + 1)
			if key == replaced && !createFirst {
				at = len(steps)
			}
			steps = slices.Insert(steps, at, create)
		}
	}

	return steps
}

// put creates or updates an object.
//
//nolint:contextcheck // the end of ctx interrupts the apply alone
func (w *world) put(ctx context.Context, key string, prior *prototest.State) []string {
	w.say("put %s", key)
	m := *w.config[key]
	plan, diags := w.p.Plan(m.kind, prior, w.attributes(&m))
	if len(diags.Errors()) > 0 || !plan.Changes {
		return diags.Errors()
	}

	m.state, diags = w.p.Apply(ctx, m.kind, prior, plan)
	if m.state != nil {
		w.state[key] = &m
	}

	return diags.Errors()
}
