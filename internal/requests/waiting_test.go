// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// speaksOfWaiting are words of the warnings that only an apply that has waited may give.
var speaksOfWaiting = []string{"within the time that timeouts allows", "Waiting for the request failed", "but waiting for it failed", "Interrupted while waiting"}

// refreshAfter creates the object and refreshes it after a change at the service. It
// returns errors as well.
func (o *object) refreshAfter(change func()) prototest.Diagnostics {
	o.t.Helper()
	state := o.create(nil)
	change()
	_, diags := o.Refresh(o.name, state)
	return diags
}

// refreshRefused is refreshAfter where the service refuses an operation and hides the request.
// That no other object of the workspace could be planned must not come of it.
func (o *object) refreshRefused(operation string) prototest.Diagnostics {
	o.t.Helper()
	diags := o.refreshAfter(func() {
		o.service.Forget(o.service.Queue()[0].ID)
		o.service.Inject(mockserver.Fault{Operation: operation, Status: 403, Body: []byte(`{"error":{}}`), Times: -1})
	})
	o.NoErrors(diags)

	return diags
}

// hidePerson makes the list name neither a person nor an identifier of a request.
func (o *object) hidePerson() {
	o.service.ReshapePending(func(record map[string]any) map[string]any {
		delete(record, "id")
		delete(record, "identityId")
		return record
	})
}

// waitingOperations are the operations on an object that could speak of waiting.
var waitingOperations = map[string]struct {
	isApply bool   // it waits if the configuration says so
	says    string // in a warning or an error in any case
	silent  bool   // no diagnostic at all
	run     func(o *object) prototest.Diagnostics
}{
	"create": {isApply: true, run: func(o *object) prototest.Diagnostics {
		_, diags := o.MustCreate(o.name, o.config)
		return diags
	}},
	"update that sends another request": {isApply: true, run: func(o *object) prototest.Diagnostics {
		state := o.create(nil)
		o.service.Forget(o.service.Queue()[0].ID)
		_, diags := o.mustUpdate(state, o.config.With(o.another))
		o.queued(2)

		return diags
	}},
	"update with an unknown value that proves to be the same": {isApply: true, run: func(o *object) prototest.Diagnostics {
		state := o.create(nil)
		unknown, same := prototest.Attributes{}, prototest.Attributes{}
		for name := range o.another {
			unknown[name], same[name] = prototest.Unknown, o.config[name]
		}

		plan, _ := o.mustPlan(state, o.config.With(unknown))
		_, diags := o.Apply(o.t.Context(), o.name, state, o.Resolve(o.name, plan, same))
		o.NoErrors(diags)

		return diags
	}},
	"refresh": {silent: true, run: func(o *object) prototest.Diagnostics {
		return o.refreshAfter(func() {})
	}},
	"refresh that finds an unknown status": {says: "wire.ended_statuses", run: func(o *object) prototest.Diagnostics {
		return o.refreshAfter(func() {
			o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Never, Status: "QUEUED_V2"})
		})
	}},
	"refresh with a list that is not understood": {says: "cannot be read as a whole", run: func(o *object) prototest.Diagnostics {
		return o.refreshAfter(o.hidePerson)
	}},
	"refresh with a list that is refused": {says: "Not permitted", run: func(o *object) prototest.Diagnostics {
		return o.refreshRefused(mockserver.OpListPendingRequests)
	}},
	"refresh with a profile that is refused": {run: func(o *object) prototest.Diagnostics {
		return o.refreshRefused(mockserver.OpGetProfile)
	}},
	// A list that the configuration ignores is not said to be unreadable.
	"refresh without the list": {silent: true, run: func(o *object) prototest.Diagnostics {
		if o.name == accessName { // which needs the list
			return nil
		}
		withWire(o.Provider, o.service, prototest.Attributes{"pending_list": "ignored"})
		return o.refreshAfter(o.hidePerson)
	}},
}

// A warning speaks of waiting only after an apply that has waited.
func TestRequests_speakOfWaitingOnlyAfterAWait(t *testing.T) {
	t.Parallel()
	for operation, want := range soak.SomeOf(4, waitingOperations) {
		for how, waits := range map[string]bool{"waits": true, "does not wait": false} {
			t.Run(operation+"/"+how, func(t *testing.T) {
				t.Parallel()
				eachResource(t, everyResource, func(t *testing.T, o *object) {
					o.config = o.config.With(within("300ms")).With(prototest.Attributes{"wait_for_fulfilment": waits})
					diags := want.run(o)
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
					for _, words := range speaksOfWaiting {
						if text := strings.Join(texts, "\n"); strings.Contains(text, words) {
							t.Errorf("nobody has waited, and it says %q:\n%s", words, text)
						}
					}
				}, never)
			})
		}
	}
}

// A refresh that sees the effect of a request does not say that it did not ask for the list.
func TestRequests_refreshThatFulfilsDoesNotSayThatItIsPending(t *testing.T) {
	t.Parallel()
	eachResource(t, []string{deletionName, profileName}, func(t *testing.T, o *object) { // the other has no effect to see
		withWire(o.Provider, o.service, prototest.Attributes{"pending_list": "ignored"})
		state := o.create(atOnce)
		o.service.DeleteProfile(scope, person)
		if o.name == profileName {
			o.service.PutProfile(scope, person, `{"plan":"gold"}`)
		}
		state, diags := o.MustRefresh(o.name, state)
		o.want(state, prototest.Attributes{"fulfilled": true})
		wantNoDiagnostics(t, diags)
	}, never)
}
