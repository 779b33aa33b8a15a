// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// madeOf are values of the member v, and what services make of them.
var madeOf = map[string]struct {
	ours string
	make func(profile map[string]any)
}{
	"a nested null is dropped": {`{"a":null,"b":1}`, func(p map[string]any) { p["v"] = map[string]any{"b": 1} }},
	"an array is sorted":       {`["b","a"]`, func(p map[string]any) { p["v"] = []string{"a", "b"} }},
	"lower case":               {`"Jane@Example.com"`, func(p map[string]any) { p["v"] = strings.ToLower(fmt.Sprint(p["v"])) }},
	"a time without fractions": {`"2026-01-01T00:00:00.000Z"`, func(p map[string]any) { p["v"] = "2026-01-01T00:00:00Z" }},
	"a text for a number":      {`5`, func(p map[string]any) { p["v"] = "5" }},
	"an empty text is dropped": {`""`, func(p map[string]any) { delete(p, "v") }},
}

// What the service makes of a value, once its update is proven to be fulfilled, is no drift.
func TestProfile_valueThatTheServiceMakesOfOursIsNoDrift(t *testing.T) {
	t.Parallel()

	for ending, ends := range map[string]mockserver.Outcome{
		"left the list": {After: 2 * time.Second},
		"stays listed":  {After: 2 * time.Second, KeepListed: true},
	} {
		for how, settings := range map[string]prototest.Attributes{"waits": nil, "does not wait": notWaiting} {
			for what, made := range soak.SomeOf(3, madeOf) {
				t.Run(ending+"/"+how+"/"+what, func(t *testing.T) {
					t.Parallel()

					bubble(t, func(t *testing.T, o *object) {
						wanted := config(`{"v":`+made.ours+`}`, settings)
						o.service.PutProfile(scope, person, `{"v":"before"}`)
						mockserver.Reshape(o.service.Server, func(profile map[string]any) any {
							if profile["v"] != "before" && profile["v"] != "since" {
								made.make(profile)
							}
							return profile
						}, mockserver.OpGetProfile)

						state, _ := o.MustCreate(name, wanted)
						if settings != nil {
							state, _ = o.MustRefresh(name, state) // the list has shown it
							o.service.FulfilAll()
							if ends.KeepListed {
								o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{KeepListed: true})
							}
						}
						for range 3 {
							state = o.wantEmptyPlan(state, wanted)
						}
						wantFulfilled(t, state, true, wanted["profile"])
						wantSent(t, o.service, `{"v":`+made.ours+`}`)

						o.service.PutProfile(scope, person, `{"v":"since"}`)
						state, _ = o.MustRefresh(name, state)
						if plan, _ := o.mustPlan(state, wanted); !plan.Changes {
							t.Error("a later change of the service is no drift")
						}
					}, outcome(ends))
				})
			}
		}
	}
}

// A dropped update of a value that the service has made of an older one of ours has changed
// nothing.
func TestProfile_droppedUpdateOfAMadeValueIsNotFulfilled(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, o *object) {
		mockserver.Reshape(o.service.Server, func(profile map[string]any) any {
			profile["v"] = strings.ToLower(fmt.Sprint(profile["v"]))
			return profile
		}, mockserver.OpGetProfile)
		state := o.wantEmptyPlan(o.create(config(`{"v":"OLD"}`, nil)), config(`{"v":"OLD"}`, nil))

		outcome(mockserver.Outcome{Fate: mockserver.Vanished, After: 2 * time.Second})(o.service.Server)
		state, _ = o.mustUpdate(state, config(`{"v":"NEW"}`, nil))
		state, _ = o.MustRefresh(name, state)
		if plan, _ := o.mustPlan(state, config(`{"v":"NEW"}`, nil)); state.Attributes["fulfilled"] != false || !plan.Changes {
			t.Errorf("state %v", state.Attributes)
		}
	}, outcome(mockserver.Outcome{After: 2 * time.Second, KeepListed: true}))
}

// What the profile had before an update that was sent beside another is not known, so that the
// value of the other is not taken for what the service has made of ours.
func TestProfile_droppedUpdateBesideAnotherIsNotFulfilled(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		o.enqueue("free", 0)
		state := o.listed(quickGold)
		o.service.Conclude(o.service.Queue()[1].ID, mockserver.Outcome{Fate: mockserver.Vanished})
		o.service.FulfilAll()

		state, _ = o.MustRefresh(name, state)
		if plan, _ := o.mustPlan(state, quickGold); state.Attributes["fulfilled"] != false || !plan.Changes {
			t.Errorf("state %v", state.Attributes)
		}
		o.wantHeld("plan", "free")
	}, never)
}
