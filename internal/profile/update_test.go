// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"context"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// outcome makes the service end every request with o.
func outcome(o mockserver.Outcome) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return o }
	}
}

var (
	short = prototest.Attributes{"timeouts": prototest.Attributes{"create": "1s", "update": "1s"}}
	cfg   = config(`{"plan":"gold"}`, short)
)

func TestProfile_neverFulfilledIsAWarningAndAnEmptyPlan(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	state, diags := p.Create(name, cfg)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "Accepted and still pending", service.Queue()[0].ID, "In state now: the resource with fulfilled = false")
	if state.Attributes["fulfilled"] != false {
		t.Errorf("state %v", state.Attributes)
	}

	state = wantEmptyPlan(t, p, state, cfg)
	service.FulfilAll()
	state = wantEmptyPlan(t, p, state, cfg)
	if state.Attributes["fulfilled"] != true {
		t.Error("a refresh does not find the update fulfilled")
	}

	wantSent(t, service, `{"plan":"gold"}`)
}

func TestProfile_notAwaitedIsCompletedByARefresh(t *testing.T) {
	t.Parallel()

	p, service := start(t, func(s *mockserver.Server) { s.FulfilmentDelay = time.Hour })
	quick := config(`{"plan":"gold"}`, prototest.Attributes{"wait_for_fulfilment": false})
	state, diags := p.Create(name, quick)
	p.NoErrors(diags)
	if len(diags) != 0 || state.Attributes["fulfilled"] != false {
		t.Errorf("state %v, warnings %v", state.Attributes, diags.Warnings())
	}

	state = wantEmptyPlan(t, p, state, quick)
	service.FulfilAll()
	if state = wantEmptyPlan(t, p, state, quick); state.Attributes["fulfilled"] != true {
		t.Error("not fulfilled")
	}
}

func TestProfile_failureIsAnErrorWithItsCode(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	state := created(t, p, service, config(`{"plan":"free"}`, nil))
	service.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome {
		return mockserver.Outcome{Fate: mockserver.Failed, After: -1, Code: "E42"}
	}

	after, diags := p.Update(name, state, config(`{"plan":"gold"}`, nil))
	prototest.WantText(t, diags.Errors(), "then failed it", `"E42"`, "as it was before")
	if after == nil || after.Attributes["profile"] != `{"plan":"free"}` {
		t.Errorf("state %v", after)
	}

	other, diags := p.Create(name, config(`{"plan":"gold"}`, prototest.Attributes{"identity_id": "somebody-else"}))
	prototest.WantText(t, diags.Errors(), `"E42"`, "In state now: nothing")
	if other != nil {
		t.Error("a refused create is in state")
	}
}

func TestProfile_droppedUpdateShowsWhatTheServiceHolds(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	service.PutProfile(scope, person, `{"plan":"free"}`)
	state, diags := p.Create(name, cfg)
	p.NoErrors(diags)
	state, _ = p.MustRefresh(name, state) // the list has shown it
	service.Forget(service.Queue()[0].ID)
	state, diags = p.MustRefresh(name, state)
	prototest.WantText(t, diags.Warnings(), "is gone, and its effect cannot be seen", service.Queue()[0].ID)
	plan, diags := p.Plan(name, state, cfg)
	p.NoErrors(diags)
	if !plan.Changes || state.Attributes["profile"] != `{"plan":"free"}` {
		t.Errorf("what the service holds is not shown: %v", state.Attributes)
	}
}

func TestProfile_interruptedWaitIsResumed(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	plan, diags := p.Plan(name, nil, config(`{"plan":"gold"}`, nil))
	p.NoErrors(diags)
	ctx, cancel := context.WithCancel(t.Context())
	service.OnRequest = func(r mockserver.Request) {
		if r.Operation == mockserver.OpListPendingRequests && len(service.Queue()) == 1 {
			cancel()
		}
	}

	state, diags := p.Apply(ctx, name, nil, plan)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "Interrupted while waiting", "sends nothing")
	if state == nil || state.Attributes["fulfilled"] != false {
		t.Fatalf("state %v", state)
	}

	state, _ = p.MustRefresh(name, state)
	plan, diags = p.Plan(name, state, config(`{"plan":"gold"}`, nil))
	p.NoErrors(diags)
	if plan.Attributes["fulfilled"] != prototest.Unknown {
		t.Fatalf("the next plan does not go on waiting: %v", plan.Attributes)
	}

	service.FulfilAll()
	state, diags = p.Apply(t.Context(), name, state, plan)
	p.NoErrors(diags)
	if state.Attributes["fulfilled"] != true {
		t.Errorf("state %v", state.Attributes)
	}
	if n := len(service.Queue()); n != 1 {
		t.Errorf("%d requests were accepted", n)
	}

	wantEmptyPlan(t, p, state, config(`{"plan":"gold"}`, nil))
}

func TestProfile_fulfilledDuringARefreshIsNotGone(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	quick := config(`{"plan":"gold"}`, prototest.Attributes{"wait_for_fulfilment": false})
	state, diags := p.Create(name, quick)
	p.NoErrors(diags)
	// The update is fulfilled between the reading of the list and that of the profile.
	service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Then: service.FulfilAll})
	state, diags = p.MustRefresh(name, state)
	if len(diags) != 0 {
		t.Errorf("state %v, warnings %v", state.Attributes, diags.Warnings())
	}

	state, diags = p.MustRefresh(name, state)
	if len(diags) != 0 || state.Attributes["fulfilled"] != true {
		t.Errorf("state %v, warnings %v", state.Attributes, diags.Warnings())
	}

	wantEmptyPlan(t, p, state, quick)
	wantSent(t, service, `{"plan":"gold"}`)
}

// A refresh after an update that came to nothing compares the service with what it held
// before, which proves nothing.
func TestProfile_droppedUpdateIsNeverFulfilledByARefresh(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	service.PutProfile(scope, person, `{"plan":"free"}`)
	state, diags := p.Create(name, cfg)
	p.NoErrors(diags)
	state, _ = p.MustRefresh(name, state) // the list has shown it
	service.Forget(service.Queue()[0].ID)
	for range 3 {
		state, _ = p.MustRefresh(name, state)
		if state.Attributes["fulfilled"] != false || state.Attributes["profile"] != `{"plan":"free"}` {
			t.Errorf("state %v", state.Attributes)
		}
	}

	service.RenamePending("identityId", "")
	service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: "somebody else", Operation: mockserver.OpUpdateProfile})
	state, _ = p.MustRefresh(name, state) // the list cannot be read as a whole
	if state.Attributes["profile"] != `{"plan":"free"}` {
		t.Errorf("with a gap, the state is %v", state.Attributes)
	}
}

// Write-only values whose update came to nothing are sent again by the next apply.
func TestProfile_failedWriteOnlyUpdateIsSentAgain(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	service.PutProfile(scope, person, `{"plan":"free"}`)
	given := writeOnly(`{"plan":"gold"}`, 1, prototest.Attributes{"wait_for_fulfilment": false})
	state, diags := p.Create(name, given)
	p.NoErrors(diags)
	service.Conclude(service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Failed})
	state, _ = p.MustRefresh(name, state)

	service.Fulfil = nil
	plan, diags := p.Plan(name, state, given)
	p.NoErrors(diags)
	if !plan.Changes {
		t.Fatal("the plan is empty, although nothing was written")
	}
	state, diags = p.Apply(t.Context(), name, state, plan)
	p.NoErrors(diags)
	p.MustRefresh(name, state)
	wantSent(t, service, `{"plan":"gold"}`, `{"plan":"gold"}`)
}

var notWaiting = prototest.Attributes{"wait_for_fulfilment": false}

// The error of a second update says that the object is as it was: it stands for the first.
func TestProfile_failedSecondUpdateLeavesTheFirst(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	first := config(`{"plan":"gold"}`, notWaiting)
	state, _ := p.MustCreate(name, first)
	state, _ = p.MustRefresh(name, state) // the list has shown it
	service.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome {
		return mockserver.Outcome{Fate: mockserver.Failed, After: -1}
	}

	state, diags := p.Update(name, state, config(`{"plan":"silver"}`, nil))
	prototest.WantText(t, diags.Errors(), "then failed it")
	service.FulfilAll()
	state, diags = p.MustRefresh(name, state)
	if len(diags) != 0 || state.Attributes["fulfilled"] != true || state.Attributes["profile"] != `{"plan":"gold"}` {
		t.Errorf("state %v, warnings %v", state.Attributes, diags.Warnings())
	}
	p.WantEmptyPlan(name, state, first)
}

// A configuration that waits from now on waits for the update that is pending.
func TestProfile_waitsForAPendingUpdateLater(t *testing.T) {
	t.Parallel()

	p, service := start(t, func(s *mockserver.Server) { s.FulfilmentDelay = time.Second })
	state, _ := p.MustCreate(name, config(`{"plan":"gold"}`, notWaiting))
	if state.Attributes["fulfilled"] != false {
		t.Fatal("fulfilled at once")
	}

	state, diags := p.Update(name, state, config(`{"plan":"gold"}`, nil))
	p.NoErrors(diags)
	if state.Attributes["fulfilled"] != true {
		t.Errorf("it did not wait: %v, %v", state.Attributes, diags.Warnings())
	}
	wantSent(t, service, `{"plan":"gold"}`)
}

// The last update is fulfilled, and an earlier one that is pending may still change the
// profile.
func TestProfile_twoPendingUpdatesAreBothAccountedFor(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	state, _ := p.MustCreate(name, config(`{"plan":"gold"}`, notWaiting))
	second := config(`{"plan":"silver"}`, notWaiting)
	state, diags := p.Update(name, state, second)
	p.NoErrors(diags)
	state, _ = p.MustRefresh(name, state) // the list has shown it

	queue := service.Queue()
	service.Conclude(queue[1].ID, mockserver.Outcome{})
	state = wantEmptyPlan(t, p, state, second)
	if state.Attributes["fulfilled"] != false {
		t.Errorf("fulfilled, and %s is pending", queue[0].ID)
	}

	service.Conclude(queue[0].ID, mockserver.Outcome{Fate: mockserver.Failed})
	state = wantEmptyPlan(t, p, state, second)
	if state.Attributes["fulfilled"] != true {
		t.Errorf("not fulfilled: %v", state.Attributes)
	}
}

// The update that clears a destroyed profile is one like any other.
func TestProfile_clearingIsAwaited(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		ends  mockserver.Outcome
		waits bool
		says  string
		stays bool
	}{
		"fulfilled":    {mockserver.Outcome{After: 2 * time.Second}, true, "", false},
		"never":        {mockserver.Outcome{Fate: mockserver.Never}, true, "within the time that timeouts allows", false},
		"not awaited":  {mockserver.Outcome{Fate: mockserver.Never}, false, "still pending", false},
		"failed":       {mockserver.Outcome{Fate: mockserver.Failed, After: time.Second, Code: "E42"}, true, "E42", true},
		"without time": {mockserver.Outcome{After: -1}, true, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			limit := prototest.Attributes{"on_destroy": "clear", "wait_for_fulfilment": c.waits, "timeouts": prototest.Attributes{"update": "4s"}}
			p, service := start(t)
			state := created(t, p, service, config(`{"plan":"gold"}`, limit))
			service.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return c.ends }

			state, diags := p.Destroy("analytics_profile", state)
			prototest.WantText(t, append(diags.Errors(), append(diags.Warnings(), "")...), c.says)
			if len(diags) > 0 && c.says == "" || (state != nil) != c.stays || (len(diags.Errors()) > 0) != c.stays {
				t.Errorf("%v %v, state %v", diags.Errors(), diags.Warnings(), state)
			}
			held, _ := service.Profile(scope, person)
			if cleared := held["plan"] == nil; cleared != (c.says == "") {
				t.Errorf("the service holds %v", held)
			}
			wantSent(t, service, `{"plan":null}`)
		})
	}
}

func TestProfile_retainingAPendingUpdateSaysSo(t *testing.T) {
	t.Parallel()

	p, _ := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	state, _ := p.MustCreate(name, config(`{"plan":"gold"}`, notWaiting))
	_, diags := p.Destroy(name, state)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "may still change the profile")
}

// Write-only members that another version does not have stay, and the plan says so.
func TestProfile_droppedWriteOnlyMemberIsSaidToStay(t *testing.T) {
	t.Parallel()

	for to, c := range map[string]struct {
		config prototest.Attributes
		says   bool
	}{
		"another version":  {writeOnly(`{"plan":"gold"}`, 2, nil), true},
		"the same version": {writeOnly(`{"plan":"gold"}`, 1, nil), false},
		"values in state":  {config(`{"plan":"gold"}`, nil), true},
		"all of them":      {config(`{"plan":"gold","tier":null}`, nil), false},
	} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			state := created(t, p, service, writeOnly(`{"plan":"gold","tier":1}`, 1, nil))
			_, diags := p.Plan(name, state, c.config)
			p.NoErrors(diags)
			if says := len(diags.Warnings()) > 0; says != c.says {
				t.Fatalf("it says %v", diags.Warnings())
			}
			if !c.says {
				return
			}

			prototest.WantText(t, diags.Warnings(), "no longer managed", "tier")
			state, diags = p.Update(name, state, c.config)
			p.NoErrors(diags)
			if diags := p.WantEmptyPlan(name, state, c.config); len(diags) > 0 {
				t.Errorf("afterwards it says %v", diags.Warnings())
			}
		})
	}
}

// A refresh of an update that nothing can show says so.
func TestProfile_unprovenUpdateIsSaidToBe(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{After: -1}))
	state, _ := p.MustCreate(name, writeOnly(`{"plan":"gold"}`, 1, notWaiting))
	_, _ = p.MustRefresh(name, state)
	state, diags := p.MustRefresh(name, state)
	if state.Attributes["fulfilled"] != false {
		t.Errorf("state %v", state.Attributes)
	}
	prototest.WantText(t, diags.Warnings(), "nothing shows that it was carried out", service.Queue()[0].ID)
}

// What a profile was before an update shows nothing of the update.
func TestProfile_olderProfileProvesNothing(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	state, _ := p.MustCreate(name, config(`{"plan":"gold"}`, notWaiting))
	service.Inject(mockserver.Fault{
		Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(`{"plan":"gold"}`), Header: map[string][]string{"Date": {"Fri, 31 Dec 1999 23:00:00 GMT"}}, Times: -1,
	})
	service.Forget(service.Queue()[0].ID)
	for range 3 {
		if state, _ = p.MustRefresh(name, state); state.Attributes["fulfilled"] != false {
			t.Errorf("state %v", state.Attributes)
		}
	}
}
