// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// withFirst creates the object and ends its request: a deletion has come to nothing, and the
// others are carried out.
func (o *object) withFirst() (state *prototest.State, id string) {
	o.t.Helper()
	o.config = o.config.With(atOnce)
	state = o.create(nil)
	state, _ = o.MustRefresh(o.name, state) // the list has shown it
	id = o.service.Queue()[0].ID
	if o.name == deletionName {
		o.service.Forget(id)
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
	eachResource(t, everyResource, func(t *testing.T, o *object) {
		state, first := o.withFirst()
		before, _ := o.mustPlan(state, o.config)

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
		if after, _ := o.mustPlan(state, o.config); after.Changes != before.Changes {
			t.Errorf("with the first configuration the plan has changes: %t, and had: %t", after.Changes, before.Changes)
		}
		if plan, _ := o.mustPlan(state, again); !plan.Changes {
			t.Error("the second request is not planned again")
		}
	}, never)
}

// loseSecond applies a configuration whose request arrives, and neither its answer nor the
// list shows it.
func (o *object) loseSecond(state *prototest.State, config prototest.Attributes) *prototest.State {
	o.t.Helper()
	o.service.Inject(mockserver.Fault{
		Operation: o.operation, Cut: mockserver.CutBeforeCommit,
		Then: func() {
			o.enqueue()
			o.service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 403, Body: []byte(`{"error":{}}`)})
		},
	})
	state, diags := o.Update(o.name, state, config)
	prototest.WantText(o.t, diags.Errors(), "Outcome unknown", "as it was before")
	o.NewRun()

	return state
}

// A second request whose answer was lost is looked for by the next apply, even if the list
// does not show it at first, and sent no more.
func TestRequests_lostSecondRequestIsLookedFor(t *testing.T) {
	t.Parallel()
	eachResource(t, ownResources, func(t *testing.T, o *object) {
		state, _ := o.withFirst()
		friday := o.config.With(o.another)
		state = o.loseSecond(state, friday)
		withWire(o.Provider, o.service, prototest.Attributes{"pending_list_lag": "10s"})
		o.service.SetPendingLag(mockserver.Lag{Looks: 1})

		state, _ = o.mustUpdate(state, friday)
		o.want(state, prototest.Attributes{"request_id": o.queued(2)[1].ID})
		if n := o.service.Count(o.operation); n != 2 {
			t.Errorf("%d requests were sent, want 2", n)
		}
	}, never)
}

// A lost answer is forgotten once the request was found: the same triggers are sent again
// after others.
func TestDataDeletion_lostAnswerThatWasFoundIsForgotten(t *testing.T) {
	t.Parallel()
	eachResource(t, []string{deletionName}, func(_ *testing.T, o *object) {
		state, _ := o.withFirst()
		monday, friday := o.config, o.config.With(o.another)
		state = o.loseSecond(state, friday)
		for i, config := range []prototest.Attributes{friday, monday, friday} {
			state, _ = o.mustUpdate(state, config)
			o.queued(2 + i)
			o.service.FulfilAll()
			state, _ = o.refresh(state)
		}
	}, never)
}

// Once a refresh has found that the request of somebody else has failed, the next apply sends
// the object's own.
func TestRequests_failedAdoptedRequestIsFollowedByOurs(t *testing.T) {
	t.Parallel()
	eachResource(t, ownResources, func(_ *testing.T, o *object) {
		o.enqueue()
		o.config = o.config.With(atOnce)
		state := o.create(nil)
		o.queued(1)
		o.fail()
		state, _ = o.refresh(state)

		state, _ = o.mustUpdate(state, o.config)
		o.want(state, prototest.Attributes{"request_id": o.queued(2)[1].ID})
		state, _ = o.refresh(state)
		o.WantEmptyPlan(o.name, state, o.config)
	}, never)
}
