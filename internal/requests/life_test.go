// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// A pending request is a warning of an apply that has waited, and the plan is empty unless the
// wait was interrupted. An apply that waits longer, again, or from now on, waits for the same
// request. That it fails is a warning then, since the object stands for it.
func TestRequests_pendingOneIsAWarningAndAnEmptyPlan(t *testing.T) {
	t.Parallel()
	type row struct {
		given prototest.Attributes // nil for an apply that is interrupted
		says  []string
		ends  mockserver.Outcome // of the request
	}
	rows(t, map[string]row{
		"time is over": {within("300ms"), []string{"Accepted and still pending", "request-1", "In state now: fulfilled = false"}, mockserver.Outcome{}},
		"interrupted":  {nil, []string{"Interrupted while waiting", "request-1", "sends nothing"}, failed},
		"not awaited":  {atOnce, []string{""}, failed},
	}, func(t *testing.T, _ string, row row) {
		bothRequests.each(t, func(t *testing.T, o *object) {
			if row.given == nil {
				o.interrupt(nil)
			} else {
				o.apply(row.given)
			}
			prototest.WantText(t, append(o.diags.Warnings(), ""), row.says...)
			o.refresh()
			o.says()
			o.want(prototest.Attributes{"fulfilled": false, "request_id": "request-1"})
			if row.given != nil {
				o.wantEmptyPlan()
				o.config = o.config.With(within("1m")).Without("wait_for_fulfilment")
			} else if plan, _ := o.MustPlan(o.name, o.state, o.config.With(atOnce)); plan.Attributes["request_id"] == prototest.Unknown {
				t.Error("it is planned to go on with a wait that there is no more")
			}

			plan, _ := o.MustPlan(o.name, o.state, o.config)
			row.ends.KeepListed = o.name == accessName
			o.conclude(row.ends) // between plan and apply
			o.state, o.diags = o.Apply(t.Context(), o.name, o.state, plan)
			o.NoErrors(o.diags)
			isFailed := row.ends.Fate == mockserver.Failed
			if isFailed {
				o.says("failed", "E_HOLD", "request-1", "change triggers")
			}
			o.want(prototest.Attributes{"fulfilled": !isFailed, "request_id": "request-1"})
			o.NewRun()
			o.wantEmptyPlan()
			o.queued(1)
		}, never)
	})
}

// A request that the service fails, or whose outcome is not known, leaves no object.
func TestRequests_failureIsAnErrorWithItsCode(t *testing.T) {
	t.Parallel()
	bothRequests.each(t, func(t *testing.T, o *object) {
		for _, says := range []string{"then failed it: E_HOLD", "Outcome unknown"} {
			o.try(nil)
			o.fails(append(strings.Split(says, ": "), "In state now: nothing")...)
			if o.state != nil {
				t.Errorf("in state is %v", o.state.Attributes)
			}
			o.service.Inject(mockserver.Fault{Operation: o.operation, Cut: mockserver.CutBeforeCommit})
		}
		o.queued(1)
	}, outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1, Code: "E_HOLD", Message: "legal hold"}))
}

// interrupt applies the configuration with others on top, and stops the run once a request has arrived. It may end
// with an error.
func (o *object) interrupt(others prototest.Attributes) {
	o.t.Helper()
	o.NewRun()
	o.config = o.config.With(others)
	plan, _ := o.MustPlan(o.name, o.state, o.config)
	began := time.Now()
	ctx, cancel := context.WithTimeout(o.t.Context(), 3*time.Second)
	defer cancel()
	o.state, o.diags = o.Apply(ctx, o.name, o.state, plan)
	if late := time.Since(began) - 3*time.Second; late > 1600*time.Millisecond {
		o.t.Errorf("it ended %v after the interrupt", late)
	}
	o.isDiscreet()
	o.NewRun()
}

// A run that is interrupted while the service is slow to answer leaves an object, without the id of its request unless
// the list shows it at once. A later run looks for the request, and it is sent twice only where it never arrived.
func TestRequests_interruptedWhileSending(t *testing.T) {
	t.Parallel()
	type row struct {
		arrives bool
		looks   int // of the list that do not show it
	}
	rows(t, map[string]row{"listed at once": {true, 0}, "not listed yet": {true, 4}, "has not arrived": {false, 4}}, func(t *testing.T, _ string, row row) {
		bothRequests.each(t, func(t *testing.T, o *object) {
			o.service.Inject(mockserver.Fault{Operation: o.operation, Hang: true, Commit: row.arrives})
			o.service.SetPendingLag(mockserver.Lag{Reads: row.looks})
			o.interrupt(atOnce)
			if row.looks > 0 {
				o.want(prototest.Attributes{"fulfilled": false, "request_id": nil})
				o.says("Interrupted, and the outcome is not known", "Operation: ", "Attempts: 1", "plan again")
				_, diags := o.Update(o.name, o.state, nil)
				prototest.WantText(t, diags.Warnings(), "(request without an id) was sent", "no way to cancel it")
				o.NewRun()
				o.service.SetPendingLag(mockserver.Lag{})
				o.refresh()
			}

			plan, _ := o.MustPlan(o.name, o.state, o.config)
			_, diags := o.MustPlan(o.name, o.state, o.config.With(on("friday")))
			mayHave := strings.Contains(strings.Join(diags.Warnings(), ""), "The service may have this request already")
			if plan.Changes == row.arrives || mayHave == row.arrives {
				t.Errorf("the request has arrived: %t, the plan has changes: %t, and may send it twice: %t", row.arrives, plan.Changes, mayHave)
			}
			o.apply(nil)
			o.want(prototest.Attributes{"request_id": o.queued(1)[0].ID})
			o.wantEmptyPlan()
		}, never)
	})
}

// cached is an answer of a cache: an empty list.
var cached = mockserver.Fault{Status: 200, Body: []byte("[]"), Header: map[string][]string{"Age": {"30"}}}

// A request may have arrived after an answer that is lost, or tells nothing. It is found, although the first list after it
// comes from a cache and the next ones lag, and is not sent again.
func TestRequests_lostAnswerIsFoundAndNothingSentAgain(t *testing.T) {
	t.Parallel()
	rows(t, map[string]mockserver.Fault{
		"cut after acceptance":  {Cut: mockserver.CutAfterCommit},
		"500 after acceptance":  {Status: 500, Commit: true},
		"409 after acceptance":  {Status: 409, Commit: true},
		"303 after acceptance":  {Status: 303, Commit: true, Header: map[string][]string{"Location": {"/v1/requests/1"}}},
		"hang after acceptance": {Hang: true, Commit: true},
		"half an answer":        {Cut: mockserver.CutBody, CutAt: 4},
		"a page after it":       {Status: 200, Commit: true, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>ok</p>")},
	}, func(t *testing.T, _ string, fault mockserver.Fault) {
		bothRequests.each(t, func(t *testing.T, o *object) {
			fault := fault
			fault.Operation = o.operation
			first := cached
			first.Operation, first.Skip = mockserver.OpListPendingRequests, 1
			o.service.Inject(fault, first)
			o.service.SetPendingLag(mockserver.Lag{Reads: 2})
			o.withWire(prototest.Attributes{"lag": "10s"})
			o.apply(atOnce)
			o.isDiscreet("taken over")
			o.want(prototest.Attributes{"request_id": o.queued(1)[0].ID})
			if n := o.service.Count(o.operation); n != 1 {
				t.Errorf("it was sent %d times", n)
			}
		}, never)
	})
}

// A list that is not understood stops a request before it is sent, and the setting that the error names ends that.
func TestRequests_listThatIsNotUnderstoodStopsThem(t *testing.T) {
	t.Parallel()
	type row struct {
		person  string // the member that names the person in the list
		pending prototest.Attributes
		queued  int // with the settings; one is taken over where the person is found
	}
	partial := prototest.Attributes{"use": "partial"}
	rows(t, map[string]row{
		"wire.pending.identity":        {"personId", prototest.Attributes{"identity": "/personId"}, 2},
		`wire.pending.use = "partial"`: {"", partial, 3},
		"wire.ignored":                 {"", partial, 3}, // the list has more than it shows
	}, func(t *testing.T, setting string, row row) {
		bothRequests.each(t, func(_ *testing.T, o *object) {
			o.service.ReshapePending(func(record map[string]any) {
				record[row.person] = record["identityId"]
				delete(record, "identityId")
				delete(record, "") // it names nobody
			})
			o.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: "somebody else", Operation: o.operation})
			o.enqueue()
			if setting == "wire.ignored" {
				o.answer(mockserver.OpListPendingRequests, -1, 200, `{"requests":[],"has_more":true}`)
			}
			o.try(atOnce)
			o.fails(setting, "nothing was sent")
			o.isDiscreet("somebody else")

			o.withWire(prototest.Attributes{"pending": row.pending})
			o.apply(nil)
			o.queued(row.queued)
		}, never)
	})
}

// Nothing shows whether a request was carried out that the list has never shown, and that has
// no effect to see. Waiting for it ends.
func TestRequests_neverListedIsNotFulfilled(t *testing.T) {
	t.Parallel()
	bothRequests.each(t, func(t *testing.T, o *object) {
		o.service.DeleteProfile(scope, person)
		began := time.Now()
		o.apply(nil)
		if took := time.Since(began); took < time.Second || took > 5*time.Second { // the list lags for a second
			t.Errorf("the wait ended after %v", took)
		}
		o.refresh()
		o.says("nothing shows what became of it", "request-1")
		o.want(prototest.Attributes{"fulfilled": false, "fulfilled_at": nil})
		o.wantEmptyPlan()
	}, outcome(mockserver.Outcome{After: -1}))
}

func TestRequests_destroyForgetsAPendingOneWithAWarning(t *testing.T) {
	t.Parallel()
	bothRequests.each(t, func(t *testing.T, o *object) {
		o.apply(atOnce)
		o.service.Reset()
		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"api_secret_key": prototest.Unknown})) // needs no service
		gone, diags := o.Update(o.name, o.state, nil)
		o.NoErrors(diags)
		if len(diags) != 1 || gone != nil {
			t.Errorf("%d warnings, want one in the plan, and state is %v", len(diags), gone)
		}
		prototest.WantText(t, diags.Warnings(), "no way to cancel it", `"request-1"`, map[string]string{accessName: "stays where it is"}[o.name])
		wantNothingSent(t, o.service)
	}, never)
}

// What a refresh of a pending request says. An error would keep every other object of the workspace from being planned.
func TestRequests_refreshSays(t *testing.T) {
	t.Parallel()
	type row struct {
		ends     mockserver.Outcome   // of the request
		answer   mockserver.Fault     // of the service to the list, in place of it
		isHidden bool                 // nobody is named in the list
		pending  prototest.Attributes // settings of the list
		says     []string             // nothing at all if empty
		names    names
	}
	of := func(status string) mockserver.Outcome {
		return mockserver.Outcome{Fate: mockserver.Never, Status: status}
	}
	gone, refused := mockserver.Outcome{Fate: mockserver.Vanished}, mockserver.Fault{Status: 403, Body: []byte(`{"error":{}}`)}
	ignored, archived := prototest.Attributes{"use": "ignored"}, prototest.Attributes{"statuses": prototest.Attributes{"ended": []any{"archived"}}}
	rows(t, map[string]row{
		"carried out":                   {names: deletions},
		"a dropped request":             {ends: gone, says: []string{"is gone, and its effect cannot be seen", "request-1", "change triggers"}, names: deletions},
		"one that has ended somehow":    {ends: of("archived"), pending: archived, says: []string{"is gone, and its effect cannot be seen"}, names: deletions},
		"an unknown status":             {ends: of("QUEUED_V2"), says: []string{"The pending list does not tell", "not known", "wire.pending.statuses"}, names: bothRequests},
		"a list that is not understood": {ends: of(""), isHidden: true, says: []string{"The pending list does not tell", "wire.pending.identity"}, names: bothRequests},
		"a list that is refused":        {ends: gone, answer: refused, says: []string{"could not be checked", "Not permitted", "In state now: fulfilled = false"}, names: bothRequests},
		"a list of a cache":             {ends: gone, answer: cached, says: []string{"The pending list does not tell", "it comes from a cache"}, names: bothRequests},

		// A list that the configuration ignores is not said to be unreadable, nor that it shows nothing
		// once the effect shows that the request is carried out. Data access needs it.
		"no list":                  {ends: of(""), isHidden: true, pending: ignored, says: []string{"nothing shows what became of it"}, names: deletions},
		"carried out, and no list": {pending: ignored, names: deletions},
	}, func(t *testing.T, _ string, row row) {
		row.names.each(t, func(t *testing.T, o *object) {
			o.apply(atOnce)
			o.refresh() // the list has shown it
			o.conclude(row.ends)
			if row.answer.Status != 0 {
				row.answer.Operation, row.answer.Times = mockserver.OpListPendingRequests, -1
				o.service.Inject(row.answer)
			}
			if row.isHidden {
				o.service.ReshapePending(func(record map[string]any) {
					clear(record)
					record["status"] = "pending"
				})
			}
			if row.pending != nil {
				o.withWire(prototest.Attributes{"pending": row.pending})
			}

			o.refresh()
			o.refresh()
			o.want(prototest.Attributes{"fulfilled": row.ends == mockserver.Outcome{}})
			o.says(row.says...)
			o.wantEmptyPlan()
			for _, r := range o.service.Requests() {
				if r.Operation == mockserver.OpListPendingRequests && r.Header.Get("Cache-Control") != "no-cache" {
					t.Errorf("the list is asked for with %v", r.Header)
				}
			}
		}, never)
	})
}

// An update with an unknown value that proves to be the same sends nothing, and asks for nothing that was
// carried out before. Where whether to wait is not known in the plan, it promises nothing.
func TestRequests_unknownInThePlan(t *testing.T) {
	t.Parallel()
	apply := func(o *object, name string, value any) {
		plan, _ := o.MustPlan(o.name, o.state, o.config.With(prototest.Attributes{name: prototest.Unknown}))
		o.state, o.diags = o.Apply(o.t.Context(), o.name, o.state, plan.Resolve(prototest.Attributes{name: value}))
		o.says()
		o.queued(1)
		o.config = o.config.With(prototest.Attributes{name: value})
		o.NewRun()
		o.wantEmptyPlan()
	}
	rows(t, map[string]func(*mockserver.Server){"pending": never, "carried out": finishedAccessIsListed}, func(t *testing.T, _ string, configure func(*mockserver.Server)) {
		bothRequests.each(t, func(t *testing.T, o *object) {
			o.apply(within("3s"))
			o.service.Reset()
			before := o.state.Attributes
			apply(o, "triggers", nil)
			for _, name := range []string{"fulfilled", "fulfilled_at", "request_id", "sha256"} {
				o.want(prototest.Attributes{name: before[name]})
			}

			if plan, _ := o.MustPlan(o.name, o.state, o.config.With(within("1m"))); before["fulfilled"] == true && plan.Attributes["fulfilled"] != true {
				t.Error("it is planned to wait longer for what was carried out")
			}

			wantNothingSent(t, o.service)
		}, configure)
	})
	bothRequests.each(t, func(_ *testing.T, o *object) {
		o.apply(atOnce)
		for _, waits := range []bool{false, true} {
			apply(o, "wait_for_fulfilment", waits)
			o.want(prototest.Attributes{"fulfilled": waits})
		}
	})
}

// That a request has failed may be seen in the listing before another one alone, whose outcome is not known.
func TestRequests_failureThatOnlyTheNextRequestSees(t *testing.T) {
	t.Parallel()
	bothRequests.each(t, func(_ *testing.T, o *object) {
		o.service.DeleteProfile(scope, person)
		o.apply(atOnce)
		o.refresh() // the list has shown it
		id := o.queued(1)[0].ID
		o.conclude(mockserver.Outcome{Fate: mockserver.Failed, Code: "E_HOLD", KeepListed: true})
		o.service.Inject(mockserver.Fault{Operation: o.operation, Cut: mockserver.CutBeforeCommit})
		o.try(on("friday"))
		o.fails("Outcome unknown")

		o.answer(mockserver.OpListPendingRequests, -1, 200, `{"requests":[]}`)
		for range 3 {
			o.refresh()
			o.want(prototest.Attributes{"fulfilled": false, "request_id": id})
			o.says("failed the request", "E_HOLD")
		}
	}, never)
}

// The request of somebody else has come to nothing, and the answer to ours is lost. A refresh does not forget it.
func TestRequests_lostInPlaceOfAnAdoptedOne(t *testing.T) {
	t.Parallel()
	bothRequests.each(t, func(_ *testing.T, o *object) {
		o.enqueue()
		o.apply(atOnce)
		o.conclude(mockserver.Outcome{Fate: mockserver.Failed, KeepListed: true})
		o.refresh()
		o.service.Inject(mockserver.Fault{Operation: o.operation, Cut: mockserver.CutAfterCommit},
			mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 403, Body: []byte("{}")})
		o.try(nil)
		o.fails("Outcome unknown")
		o.refresh()
		o.service.SetPendingLag(mockserver.Lag{Reads: 1})
		o.apply(nil)
		o.queued(2)
	}, never)
}

// withFirst creates the object and ends its request: a deletion has come to nothing, and the others are carried out.
func (o *object) withFirst() (id string) {
	o.t.Helper()
	o.apply(atOnce)
	o.refresh() // the list has shown it
	id = o.queued(1)[0].ID
	if o.name == deletionName {
		o.conclude(mockserver.Outcome{Fate: mockserver.Vanished})
	} else {
		o.service.FulfilAll()
	}
	o.refresh()

	return id
}

// The error of another request that the service fails says that the object is as it was:
// it stands for the first request, in private state too.
func TestRequests_failedSecondRequestLeavesTheFirst(t *testing.T) {
	t.Parallel()
	bothRequests.each(t, func(t *testing.T, o *object) {
		first := o.withFirst()
		config := o.config
		before, _ := o.MustPlan(o.name, o.state, config)

		// Data that are ready are not handed out.
		o.service.Inject(mockserver.Fault{
			Operation: o.operation, Status: 202, Body: []byte(`{"requestId":"request-2"}`),
			Then: func() { o.service.Conclude(o.enqueue(), failed) },
		})
		o.try(on("friday").With(within("1m")).With(prototest.Attributes{"wait_for_fulfilment": true}))
		o.fails("E_HOLD", "request-2", "as it was before")

		o.refresh()
		o.want(prototest.Attributes{"request_id": first})
		o.isDiscreet("E_HOLD", "request-2")
		if after, _ := o.MustPlan(o.name, o.state, config); after.Changes != before.Changes {
			t.Errorf("with the first configuration the plan has changes: %t, and had: %t", after.Changes, before.Changes)
		}
		if plan, _ := o.MustPlan(o.name, o.state, o.config); !plan.Changes {
			t.Error("the second request is not planned again")
		}
	}, never)
}

// A second request whose answer was lost leaves an object in state as it was. The next apply looks
// for it, even if the list does not show it at first, and sends no more. Once it was found, it is
// forgotten: the same triggers are sent again after others.
func TestRequests_lostSecondRequestIsLookedFor(t *testing.T) {
	t.Parallel()
	rows(t, map[string]bool{"lost": false, "interrupted": true}, func(t *testing.T, _ string, isInterrupted bool) {
		bothRequests.each(t, func(t *testing.T, o *object) {
			first := o.withFirst()
			if isInterrupted {
				o.service.DataRetention = time.Nanosecond
				<-time.After(time.Second) // after which the data of the first request are not handed out
				o.service.Inject(mockserver.Fault{Operation: o.operation, Hang: true, Commit: true})
				o.service.SetPendingLag(mockserver.Lag{Reads: 9})
				o.interrupt(on("friday"))
			} else {
				o.service.Inject(mockserver.Fault{Operation: o.operation, Cut: mockserver.CutBeforeCommit, Then: func() {
					o.enqueue() // it arrives
					o.answer(mockserver.OpListPendingRequests, 1, 403, `{"error":{}}`)
				}})
				o.try(on("friday"))
			}
			o.fails("Outcome unknown", "as it was before")
			o.want(prototest.Attributes{"fulfilled": false, "request_id": first})

			o.withWire(prototest.Attributes{"lag": "10s"})
			o.service.SetPendingLag(mockserver.Lag{Reads: 1})
			o.apply(nil)
			o.want(prototest.Attributes{"request_id": o.queued(2)[1].ID})
			if n := o.service.Count(o.operation); n != 2 {
				t.Errorf("%d requests were sent, want 2", n)
			}

			if o.name == deletionName {
				for i, day := range []string{"saturday", "friday"} {
					o.service.FulfilAll()
					<-time.After(time.Minute)
					o.refresh()
					o.apply(on(day))
					o.queued(3 + i)
				}
			}
		}, never)
	})
}

// A state that was written by hand has no private part.
func TestRequests_withoutPrivateStateStandForTheirRequest(t *testing.T) {
	t.Parallel()
	bothRequests.each(t, func(_ *testing.T, o *object) {
		o.apply(atOnce)
		o.state.Private = nil
		want := prototest.Attributes{"request_id": o.queued(1)[0].ID, "requested_at": o.state.Attributes["requested_at"], "fulfilled": false}
		o.refresh()
		o.want(want)
		o.service.FulfilAll()
		o.refresh()
		o.apply(prototest.Attributes{"wait_for_fulfilment": true})
		o.says()
		want["fulfilled"] = true
		o.want(want)
		o.queued(1)
	}, never)
}

// That the person has no profile proves nothing then: nobody knows whether there was one before. Neither does an older
// deletion that is listed as done.
func TestDataDeletion_withoutPrivateStateIsNotProvenByWhatWasBefore(t *testing.T) {
	t.Parallel()
	rows(t, map[string]int{"no profile": 0, "an older deletion": 1}, func(t *testing.T, _ string, older int) {
		deletions.each(t, func(_ *testing.T, o *object) {
			o.service.DeleteProfile(scope, person)
			for range older {
				o.service.Conclude(o.enqueue(), mockserver.Outcome{KeepListed: true})
			}
			<-time.After(time.Minute)
			o.apply(atOnce)
			o.state.Private, o.state.Attributes["request_id"] = nil, nil
			o.service.Conclude(o.queued(older + 1)[older].ID, mockserver.Outcome{Fate: mockserver.Vanished})
			for range 3 {
				o.refresh()
				o.want(prototest.Attributes{"fulfilled": false})
			}
		}, never)
	})
}

// panicsOnceSent is the context of an apply. It panics when it is asked for its deadline once the
// request was sent, which is when the wait begins.
type panicsOnceSent struct {
	context.Context //nolint:containedctx // it is one itself

	object *object
}

func (c panicsOnceSent) Deadline() (time.Time, bool) {
	if c.object.service.Count(c.object.operation) > 0 {
		panic("canary")
	}
	return c.Context.Deadline()
}

// An accepted request is in state, whatever happens while it is waited for.
func TestRequests_oneWhoseWaitFailsIsInState(t *testing.T) {
	t.Parallel()
	rows(t, map[string]bool{"a panic": true, "a list that is refused": false}, func(t *testing.T, _ string, panics bool) {
		bothRequests.each(t, func(t *testing.T, o *object) {
			if panics {
				plan, _ := o.MustPlan(o.name, nil, o.config)
				o.state, o.diags = o.Apply(panicsOnceSent{t.Context(), o}, o.name, nil, plan)
				o.fails("Internal error")
			} else {
				o.service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Times: -1, Status: 403, Body: []byte(`{"error":{"code":"no"}}`)})
				o.apply(nil)
				o.says("but waiting for it failed", "Not permitted")
			}
			o.want(prototest.Attributes{"request_id": o.queued(1)[0].ID, "fulfilled": false})
		}, never)
	})
}

// Terraform shows no warnings of the second plan of a replacement. A read-only provider refuses another request.
func TestRequests_plans(t *testing.T) {
	t.Parallel()
	bothRequests.each(t, func(t *testing.T, o *object) {
		o.apply(nil)
		plan, diags := o.MustPlan(o.name, o.state, o.config.With(prototest.Attributes{"identity_id": "ada@example.com"}))
		if o.name == deletionName {
			prototest.WantText(t, diags.Warnings(), "is irreversible")
		}
		if plan.Attributes["fulfilled"] != prototest.Unknown || plan.Attributes["request_id"] != prototest.Unknown {
			t.Errorf("planned is %v", plan.Attributes)
		}
		if o.name == accessName {
			plan, _ := o.MustPlan(o.name, o.state, o.config.With(prototest.Attributes{"output_path": o.path + ".new"}))
			if !slices.Equal(plan.Replace, []string{"output_path"}) {
				t.Errorf("it is replaced for %v", plan.Replace)
			}
		}

		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"read_only": true}))
		o.wantEmptyPlan()
		_, diags = o.Plan(o.name, o.state, o.config.With(on("friday")))
		prototest.WantText(t, diags.Errors(), "read-only", "Nothing was sent")
	})
}
