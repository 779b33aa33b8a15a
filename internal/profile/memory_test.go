// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
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
			for what, made := range madeOf {
				t.Run(ending+"/"+how+"/"+what, func(t *testing.T) {
					t.Parallel()

					p, service := start(t, outcome(ends))
					wanted := config(`{"v":`+made.ours+`}`, settings)
					service.PutProfile(scope, person, `{"v":"before"}`)
					mockserver.Reshape(service.Server, func(profile map[string]any) any {
						if profile["v"] != "before" && profile["v"] != "since" {
							made.make(profile)
						}
						return profile
					}, mockserver.OpGetProfile)

					state, _ := p.MustCreate(name, wanted)
					if settings != nil {
						state, _ = p.MustRefresh(name, state) // the list has shown it
						service.FulfilAll()
						if ends.KeepListed {
							service.Conclude(service.Queue()[0].ID, mockserver.Outcome{KeepListed: true})
						}
					}
					for range 3 {
						state = wantEmptyPlan(t, p, state, wanted)
					}
					if state.Attributes["fulfilled"] != true {
						t.Errorf("not fulfilled: %v", state.Attributes)
					}
					wantSent(t, service, `{"v":`+made.ours+`}`)

					service.PutProfile(scope, person, `{"v":"since"}`)
					state, _ = p.MustRefresh(name, state)
					if plan, _ := p.Plan(name, state, wanted); !plan.Changes {
						t.Error("a later change of the service is no drift")
					}
				})
			}
		}
	}
}

// A dropped update of a value that the service has made of an older one of ours has changed
// nothing.
func TestProfile_droppedUpdateOfAMadeValueIsNotFulfilled(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{After: 2 * time.Second, KeepListed: true}))
	mockserver.Reshape(service.Server, func(profile map[string]any) any {
		profile["v"] = strings.ToLower(fmt.Sprint(profile["v"]))
		return profile
	}, mockserver.OpGetProfile)
	state := created(t, p, service, config(`{"v":"OLD"}`, nil))
	state = wantEmptyPlan(t, p, state, config(`{"v":"OLD"}`, nil))

	service.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome {
		return mockserver.Outcome{Fate: mockserver.Vanished, After: 2 * time.Second}
	}
	state, diags := p.Update(name, state, config(`{"v":"NEW"}`, nil))
	p.NoErrors(diags)
	state, _ = p.MustRefresh(name, state)
	if plan, _ := p.Plan(name, state, config(`{"v":"NEW"}`, nil)); state.Attributes["fulfilled"] != false || !plan.Changes {
		t.Errorf("state %v", state.Attributes)
	}
}
