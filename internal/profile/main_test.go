// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	name   = "analytics_profile"
	person = "jane.doe@example.com"

	gold = `{"plan":"gold"}`
	free = `{"plan":"free"}`
)

var scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// config returns the configuration of a profile. others override it.
func config(profile string, others prototest.Attributes) prototest.Attributes {
	return prototest.Attributes{"identity_id": person, "profile": profile}.With(others)
}

// writeOnly returns the same with the write-only attribute.
func writeOnly(profile string, version int, others prototest.Attributes) prototest.Attributes {
	return prototest.Attributes{"identity_id": person, "profile_wo": profile, "profile_wo_version": version}.With(others)
}

// object is a profile that is managed, with its service, in virtual time.
type object struct {
	*prototest.Provider

	t       *testing.T
	service *mocktest.Instance
}

// bubble runs a test for an object that is not created yet.
func bubble(t *testing.T, test func(t *testing.T, o *object), configure ...func(*mockserver.Server)) {
	t.Helper()
	prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
		test(t, &object{p, t, service})
	}, configure...)
}

// inBubbles runs tests side by side, each for an object that is not created yet.
func inBubbles(t *testing.T, tests map[string]func(t *testing.T, o *object), configure ...func(*mockserver.Server)) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, test, configure...)
		})
	}
}

// outcome makes the service end every request with o.
func outcome(o mockserver.Outcome) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return o }
	}
}

// never makes the service carry out nothing by itself.
var never = outcome(mockserver.Outcome{Fate: mockserver.Never})

// Settings of an object, and a configuration.
var (
	notWaiting = prototest.Attributes{"wait_for_fulfilment": false}
	clearing   = prototest.Attributes{"on_destroy": "clear"}
	quickGold  = config(gold, notWaiting)
)

// create creates the object and begins another run with an empty request log.
func (o *object) create(config prototest.Attributes) *prototest.State {
	o.t.Helper()
	state, _ := o.MustCreate(name, config)
	o.NewRun()
	o.service.Reset()

	return state
}

// listed creates the object and lets the list show its update.
func (o *object) listed(config prototest.Attributes) *prototest.State {
	o.t.Helper()
	state, _ := o.MustCreate(name, config)
	state, _ = o.MustRefresh(name, state)
	return state
}

// refreshTwice refreshes the object, and once more after a while: absence and an effect count when two
// readings show them.
func (o *object) refreshTwice(state *prototest.State) (*prototest.State, prototest.Diagnostics) {
	o.t.Helper()
	state, _ = o.MustRefresh(name, state)
	<-time.After(time.Second)
	return o.Refresh(name, state)
}

// wantEmptyPlan refreshes the object, after which there is nothing to do.
func (o *object) wantEmptyPlan(state *prototest.State, config prototest.Attributes) *prototest.State {
	o.t.Helper()
	state, _ = o.MustRefresh(name, state)
	o.WantEmptyPlan(name, state, config)
	return state
}

// wantFulfilled fails the test if an object has another fulfilled or another profile.
func wantFulfilled(t *testing.T, state *prototest.State, fulfilled bool, profile any) {
	t.Helper()
	if state == nil || state.Attributes["fulfilled"] != fulfilled || state.Attributes["profile"] != profile {
		t.Errorf("want fulfilled = %v and the profile %v, state %v", fulfilled, profile, state)
	}
}

// wantHeld fails the test if a member of the profile at the service has another value.
func (o *object) wantHeld(member string, want any) {
	o.t.Helper()
	if held, _ := o.service.Profile(scope, person); held[member] != want {
		o.t.Errorf("the service holds %v", held)
	}
}

// wantSent fails the test if the service has received updates with other bodies.
func wantSent(t *testing.T, service *mocktest.Instance, want ...string) {
	t.Helper()
	var bodies []string
	for _, r := range service.Requests() {
		if r.Operation == mockserver.OpUpdateProfile {
			body, err := json.Marshal(r.Sent)
			if err != nil {
				t.Fatal(err)
			}
			bodies = append(bodies, string(body))
		}
	}

	if got := strings.Join(bodies, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("sent %s, want %v", got, want)
	}
}
