// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const profileName = "analytics_profile"

// speaksOfWaiting are words of the warnings that only an apply that has waited may give.
var speaksOfWaiting = []string{"within the time that timeouts allows", "Waiting for the request failed", "but waiting for it failed", "Interrupted while waiting"}

// waiter is an object whose request the service never fulfils by itself.
type waiter struct {
	*prototest.Provider

	t       *testing.T
	service *mocktest.Instance
	name    string
	config  prototest.Attributes
	another prototest.Attributes // the change that sends another request
}

// create creates the object and begins another run.
func (w *waiter) create() *prototest.State {
	w.t.Helper()
	state, _ := w.MustCreate(w.name, w.config)
	w.NewRun()
	return state
}

// refreshAfter creates the object and refreshes it after a change at the service. It
// returns errors as well.
func (w *waiter) refreshAfter(change func()) prototest.Diagnostics {
	w.t.Helper()
	state := w.create()
	change()
	_, diags := w.Refresh(w.name, state)
	return diags
}

// refreshRefused is refreshAfter where the service refuses an operation and hides the request.
// That no other object of the workspace could be planned must not come of it.
func (w *waiter) refreshRefused(operation string) prototest.Diagnostics {
	w.t.Helper()
	diags := w.refreshAfter(func() {
		w.service.Forget(w.service.Queue()[0].ID)
		w.service.Inject(mockserver.Fault{Operation: operation, Status: 403, Body: []byte(`{"error":{}}`), Times: -1})
	})
	w.NoErrors(diags)

	return diags
}

// hidePerson makes the list name neither a person nor an identifier of a request.
func (w *waiter) hidePerson() {
	w.service.ReshapePending(func(record map[string]any) map[string]any {
		delete(record, "id")
		delete(record, "identityId")
		return record
	})
}

// showEffect makes the service show the effect of the request.
func (w *waiter) showEffect() {
	w.service.DeleteProfile(scope, person)
	if w.name == profileName {
		w.service.PutProfile(scope, person, `{"plan":"gold"}`)
	}
}

// waitingOperations are the operations on an object that could speak of waiting.
var waitingOperations = map[string]struct {
	isApply bool   // it waits if the configuration says so
	says    string // in a warning or an error in any case
	silent  bool   // no diagnostic at all
	run     func(w *waiter) prototest.Diagnostics
}{
	"create": {isApply: true, run: func(w *waiter) prototest.Diagnostics {
		_, diags := w.MustCreate(w.name, w.config)
		return diags
	}},
	"update that sends another request": {isApply: true, run: func(w *waiter) prototest.Diagnostics {
		state := w.create()
		w.service.Forget(w.service.Queue()[0].ID)
		_, diags := w.Update(w.name, state, w.config.With(w.another))
		w.NoErrors(diags)
		if n := len(w.service.Queue()); n != 2 {
			w.t.Errorf("the service has accepted %d requests, want 2", n)
		}

		return diags
	}},
	"update with an unknown value that proves to be the same": {isApply: true, run: func(w *waiter) prototest.Diagnostics {
		state := w.create()
		unknown, same := prototest.Attributes{}, prototest.Attributes{}
		for name := range w.another {
			unknown[name], same[name] = prototest.Unknown, w.config[name]
		}

		plan, diags := w.Plan(w.name, state, w.config.With(unknown))
		w.NoErrors(diags)
		_, diags = w.Apply(w.t.Context(), w.name, state, w.Resolve(w.name, plan, same))
		w.NoErrors(diags)

		return diags
	}},
	"refresh": {silent: true, run: func(w *waiter) prototest.Diagnostics {
		return w.refreshAfter(func() {})
	}},
	"refresh that finds an unknown status": {says: "wire.ended_statuses", run: func(w *waiter) prototest.Diagnostics {
		return w.refreshAfter(func() {
			w.service.Conclude(w.service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Never, Status: "QUEUED_V2"})
		})
	}},
	"refresh with a list that is not understood": {says: "cannot be read as a whole", run: func(w *waiter) prototest.Diagnostics {
		return w.refreshAfter(w.hidePerson)
	}},
	"refresh with a list that is refused": {says: "Not permitted", run: func(w *waiter) prototest.Diagnostics {
		return w.refreshRefused(mockserver.OpListPendingRequests)
	}},
	"refresh with a profile that is refused": {run: func(w *waiter) prototest.Diagnostics {
		return w.refreshRefused(mockserver.OpGetProfile)
	}},
}

// startWaiter returns an object of a resource that is not created yet.
func startWaiter(t *testing.T, name string, waits bool) *waiter {
	t.Helper()
	p, service := start(t, never)
	limits := within("300ms").With(prototest.Attributes{"wait_for_fulfilment": waits})

	w := &waiter{Provider: p, t: t, service: service, name: name}
	w.config = config(limits).With(prototest.Attributes{"triggers": prototest.Attributes{"on": "monday"}})
	w.another = prototest.Attributes{"triggers": prototest.Attributes{"on": "friday"}}

	switch name {
	case accessName:
		w.config["output_path"] = output(t)
	case profileName:
		w.config = config(limits).With(prototest.Attributes{"profile": `{"plan":"gold"}`})
		w.another = prototest.Attributes{"profile": `{"plan":"silver"}`}
	}

	return w
}

// A warning speaks of waiting only after an apply that has waited.
func TestDeferred_speaksOfWaitingOnlyAfterAWait(t *testing.T) {
	t.Parallel()

	for _, name := range []string{deletionName, accessName, profileName} {
		for operation, want := range waitingOperations {
			for how, waits := range map[string]bool{"waits": true, "does not wait": false} {
				t.Run(name+"/"+operation+"/"+how, func(t *testing.T) {
					t.Parallel()

					diags := want.run(startWaiter(t, name, waits))
					texts := append(diags.Warnings(), diags.Errors()...)
					wantNoPerson(t, diags)
					prototest.WantText(t, append(texts, ""), want.says)
					if want.silent {
						wantNoDiagnostics(t, diags)
					}

					if want.isApply && waits {
						prototest.WantText(t, diags.Warnings(), "Accepted and still pending", speaksOfWaiting[0])
						return
					}
					wantNothingOfWaiting(t, texts)
				})
			}
		}
	}
}

func wantNothingOfWaiting(t *testing.T, texts []string) {
	t.Helper()
	for _, words := range speaksOfWaiting {
		for _, text := range texts {
			if strings.Contains(text, words) {
				t.Errorf("nobody has waited, and it says %q:\n%s", words, text)
			}
		}
	}
}

// A refresh that sees the effect of a request does not say that it did not ask for the list.
func TestDeferred_refreshThatFulfilsDoesNotSayThatItIsPending(t *testing.T) {
	t.Parallel()

	for _, name := range []string{deletionName, profileName} { // the other has no effect to see
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			w := startWaiter(t, name, false)
			withWire(w.Provider, w.service, prototest.Attributes{"pending_list": "ignored"})
			state := w.create()
			w.showEffect()
			state, diags := w.MustRefresh(name, state)
			wantAttributes(t, state, prototest.Attributes{"fulfilled": true})
			wantNoDiagnostics(t, diags)
		})
	}
}

// A list that the configuration ignores is not said to be unreadable.
func TestDeferred_ignoredListIsNoFinding(t *testing.T) {
	t.Parallel()

	for _, name := range []string{deletionName, profileName} { // the other needs the list
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			w := startWaiter(t, name, false)
			withWire(w.Provider, w.service, prototest.Attributes{"pending_list": "ignored"})
			wantNoDiagnostics(t, w.refreshAfter(w.hidePerson))
		})
	}
}

func wantNoDiagnostics(t *testing.T, diags prototest.Diagnostics) {
	t.Helper()
	if texts := append(diags.Warnings(), diags.Errors()...); len(texts) > 0 {
		t.Errorf("it says %q", texts)
	}
}
