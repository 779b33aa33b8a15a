// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

const profileName = "analytics_profile"

// The resources whose request the service carries out later: all of them, and those of this
// package.
var (
	everyResource = []string{deletionName, accessName, profileName}
	ownResources  = []string{deletionName, accessName}
)

// object is an object of one of these resources, or an action. The other profile members of the
// person have nothing to do with that of a profile.
type object struct {
	*prototest.Provider

	t         *testing.T
	service   *mocktest.Instance
	name      string
	operation string // of the service
	config    prototest.Attributes
	another   prototest.Attributes // the change that sends another request
	path      string               // of the file that it writes; empty for none
}

// eachObject runs a test for an object of each resource or action that is named.
func eachObject(t *testing.T, names []string, test func(t *testing.T, o *object), configure ...func(*mockserver.Server)) {
	t.Helper()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
				test(t, newObject(t, p, service, name))
			}, configure...)
		})
	}
}

func newObject(t *testing.T, p *prototest.Provider, service *mocktest.Instance, name string) *object {
	t.Helper()
	o := &object{Provider: p, t: t, service: service, name: name, operation: mockserver.OpDeleteAllData}
	o.config, o.another = config(nil), on("friday")

	switch name {
	case accessName, requestAccessName:
		o.operation, o.path = mockserver.OpGetAllData, output(t)
		o.config = accessTo(o.path, nil)
	case clearName:
		o.operation, o.config = mockserver.OpUpdateProfile, config(prototest.Attributes{"members": []any{"name"}})
	case profileName:
		o.operation, o.config = mockserver.OpUpdateProfile, config(prototest.Attributes{"profile": `{"plan":"gold"}`})
		o.another = prototest.Attributes{"profile": `{"plan":"silver"}`}
	}

	return o
}

// speaksOfWaiting are words of the warnings that only an apply that has waited may give.
var speaksOfWaiting = []string{"within the time that timeouts allows", "Waiting for the request failed", "but waiting for it failed", "Interrupted while waiting"}

// wantNoWait fails the test if a diagnostic speaks of waiting, although nobody has waited, or
// of the person.
func wantNoWait(t *testing.T, diags prototest.Diagnostics) {
	t.Helper()
	wantNoPerson(t, diags)
	texts := strings.Join(append(diags.Warnings(), diags.Errors()...), "\n")
	for _, words := range speaksOfWaiting {
		if strings.Contains(texts, words) {
			t.Errorf("nobody has waited, and it says %q:\n%s", words, texts)
		}
	}
}

// create creates the object with a configuration and begins another run.
func (o *object) create(others prototest.Attributes) *prototest.State {
	o.t.Helper()
	given := o.config.With(others)
	state, diags := o.MustCreate(o.name, given)
	if given["wait_for_fulfilment"] == false {
		wantNoWait(o.t, diags)
	}
	o.NewRun()

	return state
}

// refresh refreshes the object in another run, some time later.
func (o *object) refresh(state *prototest.State) (*prototest.State, prototest.Diagnostics) {
	o.t.Helper()
	<-time.After(time.Second)
	o.NewRun()
	state, diags := o.MustRefresh(o.name, state)
	wantNoWait(o.t, diags)

	return state, diags
}

// queued returns the requests that the service has accepted for the object, which are so many.
func (o *object) queued(want int) []mockserver.QueuedRequest {
	o.t.Helper()
	return wantQueued(o.t, o.service, o.operation, want)
}

// enqueue puts a request of somebody else into the queue of the service.
func (o *object) enqueue() (id string) {
	return o.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: o.operation})
}

// want fails the test if an attribute of the object has another value. A profile has no
// request_id.
func (o *object) want(state *prototest.State, want prototest.Attributes) {
	o.t.Helper()
	if o.name == profileName {
		want = want.Without("request_id")
	}
	wantAttributes(o.t, state, want)
}

// A pending request is a warning of an apply that has waited, and the plan is empty unless the
// wait was interrupted. An apply that waits longer, again, or from now on, waits for the same
// request. That it fails is a warning then, since the object stands for it.
func TestRequests_pendingOneIsAWarningAndAnEmptyPlan(t *testing.T) {
	t.Parallel()
	for how, says := range map[string][]string{
		"time is over": {"Accepted and still pending", "request-1", "In state now: the resource with fulfilled = false"},
		"interrupted":  {"Interrupted while waiting", "request-1", "sends nothing"},
		"not awaited":  {""},
	} {
		for fate, names := range map[string][]string{"carried out": everyResource, "failed": ownResources} {
			t.Run(how+", and "+fate, func(t *testing.T) {
				t.Parallel()
				eachObject(t, names, func(t *testing.T, o *object) {
					given := map[string]prototest.Attributes{"time is over": within("300ms"), "not awaited": atOnce}[how]
					create := func() (*prototest.State, prototest.Diagnostics) { return o.MustCreate(o.name, o.config.With(given)) }
					if given == nil {
						create = o.interrupted
					}
					state, diags := create()
					prototest.WantText(t, append(diags.Warnings(), ""), says...)
					wantNoPerson(t, diags)
					state, diags = o.refresh(state)
					wantNoDiagnostics(t, diags)
					pending := prototest.Attributes{"fulfilled": false, "request_id": "request-1"}
					o.want(state, pending)

					waiting := o.config
					if given != nil {
						o.WantEmptyPlan(o.name, state, o.config.With(given))
						waiting = o.config.With(within("1m"))
					}
					plan, diags := o.MustPlan(o.name, state, waiting)
					wantNoDiagnostics(t, diags)
					o.want(&prototest.State{Attributes: plan.Attributes}, prototest.Attributes{"fulfilled": prototest.Unknown, "request_id": prototest.Unknown})

					if fate == "failed" { // between plan and apply
						o.fail()
					} else {
						o.service.FulfilAll()
						pending["fulfilled"] = true
					}
					state, diags = o.Apply(t.Context(), o.name, state, plan)
					o.NoErrors(diags)
					if fate == "failed" {
						prototest.WantText(t, diags.Warnings(), "failed", "E_HOLD", "request-1", "change triggers")
					}
					o.want(state, pending)
					o.WantEmptyPlan(o.name, state, waiting)
					o.queued(1)
				}, never)
			})
		}
	}
}

// A request that the service fails leaves no object, and the next apply sends another.
func TestRequests_failureIsAnErrorWithItsCode(t *testing.T) {
	t.Parallel()
	eachObject(t, everyResource, func(t *testing.T, o *object) {
		for sent := range 2 {
			state, diags := o.Create(o.name, o.config)
			prototest.WantText(t, diags.Errors(), "E_HOLD", "then failed it", o.queued(sent + 1)[sent].ID, "In state now: nothing")
			wantNoPerson(t, diags)
			if state != nil {
				t.Errorf("in state is %v", state.Attributes)
			}
		}
	}, outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1, Code: "E_HOLD", Message: "legal hold"}))
}

// fail lets the first request of the queue fail.
func (o *object) fail() {
	o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Failed, Code: "E_HOLD"})
}

func TestRequests_unreadableListWhileWaitingIsAWarning(t *testing.T) {
	t.Parallel()
	eachObject(t, everyResource, func(t *testing.T, o *object) {
		o.service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Times: -1, Status: 403, Body: []byte(`{"error":{"code":"no"}}`)})
		state, diags := o.MustCreate(o.name, o.config)
		prototest.WantText(t, diags.Warnings(), "but waiting for it failed", "Not permitted")
		wantNoPerson(t, diags)
		o.want(state, prototest.Attributes{"fulfilled": false, "request_id": o.queued(1)[0].ID})
	}, never)
}

// interrupted creates the object and stops the run once its request has arrived.
func (o *object) interrupted() (*prototest.State, prototest.Diagnostics) {
	o.t.Helper()
	state, diags := o.interruptedAt(nil, o.config)
	o.NoErrors(diags)

	return state, diags
}

// interruptedAt is interrupted for an object that may be in state, and an apply that may fail.
func (o *object) interruptedAt(state *prototest.State, config prototest.Attributes) (*prototest.State, prototest.Diagnostics) {
	o.t.Helper()
	plan, _ := o.MustPlan(o.name, state, config)
	sent := o.service.Count(o.operation)

	// Stopping before the request is sent would give it up. Stopping before the wait has begun
	// may be lost, so it is repeated.
	var group sync.WaitGroup
	defer group.Wait()
	ended := make(chan struct{})
	defer close(ended)
	group.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(100 * time.Millisecond):
				if o.service.Count(o.operation) > sent {
					o.Stop()
				}
			}
		}
	})

	return o.Apply(o.t.Context(), o.name, state, plan)
}

// A run that is interrupted while the service is slow to answer leaves an object without the id
// of its request. A later run looks for the request, and it is sent twice only where it never
// arrived.
func TestRequests_interruptedWhileSending(t *testing.T) {
	t.Parallel()
	for what, arrives := range map[string]bool{"not listed yet": true, "has not arrived": false} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			eachObject(t, ownResources, func(t *testing.T, o *object) {
				o.service.Inject(mockserver.Fault{Operation: o.operation, Hang: true, Commit: arrives})
				o.service.SetPendingLag(mockserver.Lag{Looks: 4})
				o.config = o.config.With(atOnce)
				state, diags := o.interrupted()
				o.want(state, prototest.Attributes{"fulfilled": false, "request_id": nil})
				prototest.WantText(t, diags.Warnings(), "Interrupted, and the outcome is not known", "plan again")
				o.NewRun()
				_, diags = o.Destroy(o.name, state)
				prototest.WantText(t, diags.Warnings(), "(request without an id) was sent", "no way to cancel it")

				o.service.SetPendingLag(mockserver.Lag{})
				state, _ = o.refresh(state)
				plan, diags := o.MustPlan(o.name, state, o.config)
				if plan.Changes == arrives {
					t.Errorf("the request has arrived: %t, and the plan has changes: %t", arrives, plan.Changes)
				}
				if !arrives {
					prototest.WantText(t, diags.Warnings(), "The service may have this request already")
					state, diags = o.Apply(t.Context(), o.name, state, plan)
					o.NoErrors(diags)
				}
				o.want(state, prototest.Attributes{"request_id": o.queued(1)[0].ID})
				o.WantEmptyPlan(o.name, state, o.config)
			}, never)
		})
	}
}

// Nothing shows whether a request was carried out that the list has never shown, and that has
// no effect to see.
func TestRequests_neverListedIsNotFulfilled(t *testing.T) {
	t.Parallel()
	eachObject(t, ownResources, func(t *testing.T, o *object) {
		o.service.DeleteProfile(scope, person)
		began := time.Now()
		state, diags := o.MustCreate(o.name, o.config)
		if took := time.Since(began); took < time.Second || took > 5*time.Second { // the list lags for a second
			t.Errorf("the wait ended after %v", took)
		}
		o.NewRun()
		for range 3 {
			prototest.WantText(t, diags.Warnings(), "nothing shows what became of it", "request-1")
			wantNoPerson(t, diags)
			o.want(state, prototest.Attributes{"fulfilled": false, "fulfilled_at": nil})
			o.WantEmptyPlan(o.name, state, o.config)
			state, diags = o.refresh(state)
		}
		o.queued(1)
	}, outcome(mockserver.Outcome{After: -1}))
}

func TestRequests_destroyForgetsAPendingOneWithAWarning(t *testing.T) {
	t.Parallel()
	says := map[string]string{deletionName: "no way to cancel it", accessName: "no way to cancel it", profileName: "may still change the profile"}
	eachObject(t, everyResource, func(t *testing.T, o *object) {
		state := o.create(atOnce)
		o.service.Reset()
		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"api_secret_key": prototest.Unknown})) // needs no service
		gone, diags := o.Destroy(o.name, state)
		o.NoErrors(diags)
		if n := len(diags.Warnings()); gone != nil || n != 1 {
			t.Errorf("%d warnings, want one in the plan, and state is %v", n, gone)
		}
		prototest.WantText(t, diags.Warnings(), says[o.name])
		wantNoPerson(t, diags)
		wantNothingSent(t, o.service)
	}, never)
}

// A changed scope of the provider is refused while the request is pending. Once it is
// fulfilled, the object is replaced with a warning.
func TestRequests_changedProviderScope(t *testing.T) {
	t.Parallel()
	eachObject(t, everyResource, func(t *testing.T, o *object) {
		o.config = o.config.With(atOnce)
		state := o.create(nil)
		other := prototest.Config(o.service).With(prototest.Attributes{"project_id": "shop"})

		o.Reconfigure(other)
		state, _ = o.MustRefresh(o.name, state)
		_, diags := o.Plan(o.name, state, o.config)
		prototest.WantText(t, diags.Errors(), "under way in the former scope", "project_id")
		o.want(state, prototest.Attributes{"fulfilled": false})

		if o.name == accessName { // whose file only an apply in the former scope writes
			return
		}
		o.service.FulfilAll()
		state, _ = o.MustRefresh(o.name, state)
		<-time.After(time.Second)
		state, _ = o.MustRefresh(o.name, state)
		o.want(state, prototest.Attributes{"fulfilled": true, "project_id": mocktest.Project})
		plan, diags := o.MustPlan(o.name, state, o.config)
		if len(plan.Replace) == 0 {
			t.Error("the object is not replaced")
		}
		prototest.WantText(t, diags.Warnings(), "scope of the provider has changed")
		o.queued(1)
	}, never)
}

// hidePerson makes the list name neither a person nor an identifier of a request.
func (o *object) hidePerson() {
	o.service.ReshapePending(func(record map[string]any) map[string]any {
		delete(record, "id")
		delete(record, "identityId")
		return record
	})
}

// What a refresh of a pending request says. An error would keep every other object of the
// workspace from being planned.
func TestRequests_refreshSays(t *testing.T) {
	t.Parallel()
	refuses := func(operation string) func(o *object) {
		return func(o *object) {
			o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Vanished})
			o.service.Inject(mockserver.Fault{Operation: operation, Status: 403, Body: []byte(`{"error":{}}`), Times: -1})
		}
	}
	ignored := prototest.Attributes{"pending": prototest.Attributes{"use": "ignored"}}
	for name, tc := range map[string]struct {
		change func(o *object) // at the service
		says   []string        // nothing at all if empty
		names  []string
	}{
		"nothing":     {func(*object) {}, nil, everyResource},
		"carried out": {func(o *object) { o.service.FulfilAll() }, nil, []string{deletionName, profileName}},
		"a dropped request": {func(o *object) {
			o.service.Conclude("request-1", mockserver.Outcome{Fate: mockserver.Vanished})
		}, []string{"is gone, and its effect cannot be seen", "request-1", "change triggers"}, []string{deletionName}},
		"a failure": {(*object).fail, []string{"failed", "E_HOLD", "request-1", "change triggers"}, ownResources},
		"an unknown status": {func(o *object) {
			o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Never, Status: "QUEUED_V2"})
		}, []string{"The pending list does not tell", "not known", "wire.pending.statuses"}, everyResource},
		"a list that is not understood": {(*object).hidePerson, []string{"The pending list does not tell", "wire.pending.identity"}, everyResource},
		"a list that is refused": {
			refuses(mockserver.OpListPendingRequests),
			[]string{"could not be checked", "Not permitted", "In state now: the resource with fulfilled = false"},
			everyResource,
		},
		"a profile that is refused": {refuses(mockserver.OpGetProfile), []string{"Not permitted"}, []string{profileName}},

		// A list that the configuration ignores is not said to be unreadable, nor that it shows nothing
		// once the effect shows that the request is carried out. Data access needs it.
		"no list": {func(o *object) {
			o.hidePerson()
			withWire(o.Provider, o.service, ignored)
		}, []string{"nothing shows what became of it"}, []string{deletionName, profileName}},
		"carried out, and no list": {func(o *object) {
			o.service.FulfilAll()
			withWire(o.Provider, o.service, ignored)
		}, nil, []string{deletionName, profileName}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachObject(t, tc.names, func(t *testing.T, o *object) {
				o.config = o.config.With(atOnce)
				state := o.create(nil)
				state, _ = o.MustRefresh(o.name, state) // the list has shown it
				tc.change(o)

				state, _ = o.MustRefresh(o.name, state)
				state, diags := o.refresh(state)
				o.want(state, prototest.Attributes{"fulfilled": strings.HasPrefix(name, "carried out")})
				o.WantEmptyPlan(o.name, state, o.config)
				if len(tc.says) == 0 {
					wantNoDiagnostics(t, diags)
				}
				prototest.WantText(t, append(diags.Warnings(), ""), tc.says...)
			}, never)
		})
	}
}

// An update with an unknown value that proves to be the same sends nothing, and asks for nothing that was
// carried out before.
func TestRequests_unknownValueThatProvesToBeTheSame(t *testing.T) {
	t.Parallel()
	for name, configure := range map[string]func(*mockserver.Server){"pending": never, "carried out": finishedAccessIsListed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachObject(t, everyResource, func(t *testing.T, o *object) {
				o.config = o.config.With(within("3s"))
				state := o.create(nil)
				o.service.Reset()
				unknown, same := prototest.Attributes{}, prototest.Attributes{}
				for name := range o.another {
					unknown[name], same[name] = prototest.Unknown, o.config[name]
				}

				plan, _ := o.MustPlan(o.name, state, o.config.With(unknown))
				after, diags := o.Apply(t.Context(), o.name, state, plan.Resolve(same))
				o.NoErrors(diags)
				o.queued(1)
				for _, name := range []string{"fulfilled", "fulfilled_at", "request_id", "sha256"} {
					wantAttributes(t, after, prototest.Attributes{name: state.Attributes[name]})
				}
				wantNoDiagnostics(t, diags)
				wantNothingSent(t, o.service)
				o.WantEmptyPlan(o.name, after, o.config)
				if name == "pending" {
					return
				}

				plan, diags = o.MustPlan(o.name, after, o.config.With(within("1m"))) // no reason to wait
				wantNoDiagnostics(t, diags)
				o.want(&prototest.State{Attributes: plan.Attributes}, prototest.Attributes{"fulfilled": true})
			}, configure)
		})
	}
}

// Whether to wait may not be known in the plan, which promises nothing then.
func TestRequests_unknownWait(t *testing.T) {
	t.Parallel()
	eachObject(t, everyResource, func(t *testing.T, o *object) {
		state := o.create(atOnce)
		for _, waits := range []bool{false, true} {
			given := prototest.Attributes{"wait_for_fulfilment": waits}
			plan, _ := o.MustPlan(o.name, state, o.config.With(prototest.Attributes{"wait_for_fulfilment": prototest.Unknown}))
			after, diags := o.Apply(t.Context(), o.name, state, plan.Resolve(given))
			o.NoErrors(diags)
			o.want(after, prototest.Attributes{"fulfilled": waits})
			o.WantEmptyPlan(o.name, after, o.config.With(given))
		}
		o.queued(1)
	})
}

// That a request has failed may be seen in the listing before another one alone, whose outcome is not known.
func TestRequests_failureThatOnlyTheNextRequestSees(t *testing.T) {
	t.Parallel()
	eachObject(t, ownResources, func(t *testing.T, o *object) {
		o.service.DeleteProfile(scope, person)
		state, _ := o.MustRefresh(o.name, o.create(atOnce)) // the list has shown it
		id := o.queued(1)[0].ID
		o.service.Conclude(id, mockserver.Outcome{Fate: mockserver.Failed, Code: "E_HOLD", KeepListed: true})
		o.service.Inject(mockserver.Fault{Operation: o.operation, Cut: mockserver.CutBeforeCommit})
		state, diags := o.Update(o.name, state, o.config.With(o.another))
		prototest.WantText(t, diags.Errors(), "Outcome unknown")

		o.service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 200, Body: []byte(`{"requests":[]}`), Times: -1})
		for range 3 {
			state, diags = o.refresh(state)
			o.want(state, prototest.Attributes{"fulfilled": false, "request_id": id})
			prototest.WantText(t, diags.Warnings(), "failed the request", "E_HOLD")
		}
	}, never)
}

// The request of somebody else has come to nothing, and the answer to ours is lost. A refresh does not forget it.
func TestRequests_lostInPlaceOfAnAdoptedOne(t *testing.T) {
	t.Parallel()
	eachObject(t, ownResources, func(t *testing.T, o *object) {
		theirs := o.enqueue()
		state := o.create(atOnce)
		o.service.Conclude(theirs, mockserver.Outcome{Fate: mockserver.Failed, KeepListed: true})
		state, _ = o.refresh(state)

		o.service.Inject(mockserver.Fault{Operation: o.operation, Cut: mockserver.CutAfterCommit},
			mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 403, Body: []byte("{}")})
		state, diags := o.Update(o.name, state, o.config.With(atOnce))
		prototest.WantText(t, diags.Errors(), "Outcome unknown")
		state, _ = o.refresh(state)
		o.service.SetPendingLag(mockserver.Lag{Looks: 1})
		o.MustUpdate(o.name, state, o.config.With(atOnce))
		o.queued(2)
	}, never)
}

// Terraform shows no warnings of the second plan of a replacement.
func TestRequests_replacedForAnotherPersonWarns(t *testing.T) {
	t.Parallel()
	says := map[string]string{deletionName: "is irreversible", profileName: "stays at the service"}
	eachObject(t, everyResource, func(t *testing.T, o *object) {
		state := o.create(nil)
		plan, diags := o.MustPlan(o.name, state, o.config.With(prototest.Attributes{"identity_id": "ada@example.com"}))
		if text := strings.Join(diags.Warnings(), "\n"); !strings.Contains(text, says[o.name]) {
			t.Errorf("it says %q", text)
		}
		o.want(&prototest.State{Attributes: plan.Attributes}, prototest.Attributes{"fulfilled": prototest.Unknown, "request_id": prototest.Unknown})
	})
}

func TestRequests_anotherIsRefusedByAReadOnlyProvider(t *testing.T) {
	t.Parallel()
	eachObject(t, everyResource, func(t *testing.T, o *object) {
		state := o.create(nil)
		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"read_only": true}))
		o.WantEmptyPlan(o.name, state, o.config)
		_, diags := o.Plan(o.name, state, o.config.With(o.another))
		prototest.WantText(t, diags.Errors(), "read-only", "Nothing was sent")
	})
}

// withFirst creates the object and ends its request: a deletion has come to nothing, and the
// others are carried out.
func (o *object) withFirst() (state *prototest.State, id string) {
	o.t.Helper()
	o.config = o.config.With(atOnce)
	state = o.create(nil)
	state, _ = o.MustRefresh(o.name, state) // the list has shown it
	id = o.service.Queue()[0].ID
	if o.name == deletionName {
		o.service.Conclude(id, mockserver.Outcome{Fate: mockserver.Vanished})
	} else {
		o.service.FulfilAll()
	}
	state, _ = o.refresh(state)

	return state, id
}

// The error of another request that the service fails says that the object is as it was:
// it stands for the first request, in private state too.
func TestRequests_failedSecondRequestLeavesTheFirst(t *testing.T) {
	t.Parallel()
	eachObject(t, everyResource, func(t *testing.T, o *object) {
		state, first := o.withFirst()
		before, _ := o.MustPlan(o.name, state, o.config)

		// Data that are ready are not handed out.
		o.service.Inject(mockserver.Fault{
			Operation: o.operation, Status: 202, Body: []byte(`{"requestId":"request-2"}`),
			Then: func() { o.service.Conclude(o.enqueue(), mockserver.Outcome{Fate: mockserver.Failed, Code: "E_SECOND"}) },
		})
		again := o.config.With(o.another).With(prototest.Attributes{"wait_for_fulfilment": true}).With(within("1m"))
		state, diags := o.Update(o.name, state, again)
		prototest.WantText(t, diags.Errors(), "E_SECOND", "as it was before")

		state, diags = o.refresh(state)
		o.want(state, prototest.Attributes{"request_id": first, "profile": o.config["profile"]})
		for _, text := range diags.Warnings() {
			if strings.Contains(text, "E_SECOND") || strings.Contains(text, "request-2") {
				t.Errorf("a refresh speaks of the second request: %s", text)
			}
		}
		if after, _ := o.MustPlan(o.name, state, o.config); after.Changes != before.Changes {
			t.Errorf("with the first configuration the plan has changes: %t, and had: %t", after.Changes, before.Changes)
		}
		if plan, _ := o.MustPlan(o.name, state, again); !plan.Changes {
			t.Error("the second request is not planned again")
		}
	}, never)
}

// A second request whose answer was lost leaves an object in state as it was. The next apply looks
// for it, even if the list does not show it at first, and sends no more. Once it was found, it is
// forgotten: the same triggers are sent again after others.
func TestRequests_lostSecondRequestIsLookedFor(t *testing.T) {
	t.Parallel()
	type loses func(*object, *prototest.State, prototest.Attributes) (*prototest.State, prototest.Diagnostics)
	for how, lose := range map[string]loses{
		"lost": func(o *object, state *prototest.State, config prototest.Attributes) (*prototest.State, prototest.Diagnostics) {
			o.service.Inject(mockserver.Fault{Operation: o.operation, Cut: mockserver.CutBeforeCommit, Then: func() {
				o.enqueue() // it arrives
				o.service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 403, Body: []byte(`{"error":{}}`)})
			}})
			return o.Update(o.name, state, config)
		},
		"interrupted": func(o *object, state *prototest.State, config prototest.Attributes) (*prototest.State, prototest.Diagnostics) {
			o.service.DataRetention = time.Nanosecond
			<-time.After(time.Second) // after which the data of the first request are not handed out
			o.service.Inject(mockserver.Fault{Operation: o.operation, Hang: true, Commit: true})
			o.service.SetPendingLag(mockserver.Lag{Looks: 9})
			return o.interruptedAt(state, config)
		},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			eachObject(t, ownResources, func(t *testing.T, o *object) {
				state, first := o.withFirst()
				friday := o.config.With(o.another)
				state, diags := lose(o, state, friday)
				prototest.WantText(t, diags.Errors(), "Outcome unknown", "as it was before")
				o.want(state, prototest.Attributes{"fulfilled": false, "request_id": first})
				o.NewRun()

				withWire(o.Provider, o.service, prototest.Attributes{"lag": "10s"})
				o.service.SetPendingLag(mockserver.Lag{Looks: 1})
				state, _ = o.MustUpdate(o.name, state, friday)
				o.want(state, prototest.Attributes{"request_id": o.queued(2)[1].ID})
				if n := o.service.Count(o.operation); n != 2 {
					t.Errorf("%d requests were sent, want 2", n)
				}

				if o.name == deletionName {
					for i, config := range []prototest.Attributes{o.config, friday} {
						o.service.FulfilAll()
						<-time.After(time.Minute)
						state, _ = o.refresh(state)
						state, _ = o.MustUpdate(o.name, state, config)
						o.queued(3 + i)
					}
				}
			}, never)
		})
	}
}

// A state that was written by hand has no private part.
func TestRequests_withoutPrivateStateStandForTheirRequest(t *testing.T) {
	t.Parallel()
	eachObject(t, ownResources, func(t *testing.T, o *object) {
		state := o.create(atOnce)
		state.Private = nil
		id := o.queued(1)[0].ID

		state, _ = o.refresh(state)
		o.want(state, prototest.Attributes{"request_id": id, "fulfilled": false})
		o.service.FulfilAll()
		state, _ = o.refresh(state)
		state, diags := o.MustUpdate(o.name, state, o.config)
		o.want(state, prototest.Attributes{"request_id": id, "fulfilled": true})
		wantNoDiagnostics(t, diags)
		o.queued(1)
	}, never)
}

// That the person has no profile proves nothing: nobody knows whether there was one before. Neither does an older
// deletion that is listed as done.
func TestDataDeletion_withoutPrivateStateIsNotProvenByWhatWasBefore(t *testing.T) {
	t.Parallel()
	eachObject(t, []string{deletionName}, func(_ *testing.T, o *object) {
		o.service.DeleteProfile(scope, person)
		o.service.Conclude(o.enqueue(), mockserver.Outcome{KeepListed: true})
		<-time.After(time.Minute)
		state := o.create(atOnce)
		state.Private = nil
		o.service.Conclude(o.queued(2)[1].ID, mockserver.Outcome{Fate: mockserver.Vanished})
		for range 3 {
			state, _ = o.refresh(state)
			o.want(state, prototest.Attributes{"fulfilled": false})
		}
	}, never)
}

// State cannot hold a number of microseconds that is read as seconds.
func TestRequests_takeOverARequestOfAYearFarAway(t *testing.T) {
	t.Parallel()
	eachObject(t, ownResources, func(t *testing.T, o *object) {
		o.service.ReshapePending(func(r map[string]any) map[string]any { r["createdAt"] = time.Now().UnixMicro(); return r })
		id := o.enqueue()
		state, _ := o.refresh(o.create(atOnce))
		o.want(state, prototest.Attributes{"request_id": id, "fulfilled": false})
		if n := o.service.Count(o.operation); n != 0 {
			t.Errorf("%d requests were sent", n)
		}
	}, never)
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
func TestRequests_oneWhoseWaitPanicsIsInState(t *testing.T) {
	t.Parallel()
	eachObject(t, everyResource, func(t *testing.T, o *object) {
		plan, _ := o.MustPlan(o.name, nil, o.config)
		state, diags := o.Apply(panicsOnceSent{t.Context(), o}, o.name, nil, plan)
		prototest.WantText(t, diags.Errors(), "Internal error")
		o.want(state, prototest.Attributes{"request_id": o.queued(1)[0].ID, "fulfilled": false})
	}, never)
}
