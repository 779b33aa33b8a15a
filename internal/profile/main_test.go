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

	gold   = `{"plan":"gold"}`
	silver = `{"plan":"silver"}`
	free   = `{"plan":"free"}`
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

// Settings of an object, and a configuration.
var (
	notWaiting = prototest.Attributes{"wait_for_fulfilment": false}
	clearing   = prototest.Attributes{"on_destroy": "clear"}
	quickGold  = config(gold, notWaiting)
)

// object is a profile that is managed, with the state that it is in and what the latest step has said.
type object struct {
	*prototest.Provider

	t       *testing.T
	service *mocktest.Instance
	config  prototest.Attributes
	state   *prototest.State
	diags   prototest.Diagnostics
}

// run runs a test of that name for an object that is not created yet, in virtual time.
func run(t *testing.T, named string, test func(t *testing.T, o *object), configure ...func(*mockserver.Server)) {
	t.Helper()
	t.Run(named, func(t *testing.T) {
		t.Parallel()
		prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
			test(t, &object{Provider: p, t: t, service: service})
		}, configure...)
	})
}

func outcome(o mockserver.Outcome) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return o }
	}
}

var (
	done   = mockserver.Outcome{}
	failed = mockserver.Outcome{Fate: mockserver.Failed, Code: "E_HOLD"}
	gone   = mockserver.Outcome{Fate: mockserver.Vanished}
	never  = outcome(mockserver.Outcome{Fate: mockserver.Never})
)

// try applies a configuration, nil for the end of the object, in a run of its own. It may end with an error.
func (o *object) try(config prototest.Attributes) {
	o.t.Helper()
	o.NewRun()
	o.config = config
	o.state, o.diags = o.Update(name, o.state, config)
	o.NewRun()
}

func (o *object) apply(config prototest.Attributes) {
	o.t.Helper()
	o.try(config)
	o.NoErrors(o.diags)
}

// refresh refreshes the object in another run, and more often a while later: absence and an effect count when two
// readings show them.
func (o *object) refresh(times int) {
	o.t.Helper()
	o.NewRun()
	for range times {
		o.state, o.diags = o.MustRefresh(name, o.state)
		<-time.After(time.Second)
	}
}

// says fails the test if no warning of the latest step has all the words. Without any, the step must have said nothing.
func (o *object) says(words ...string) {
	o.t.Helper()
	if len(words) == 0 {
		o.NoErrors(o.diags)
	}
	prototest.WantText(o.t, o.diags.Warnings(), words...)
}

func (o *object) fails(words ...string) {
	o.t.Helper()
	prototest.WantText(o.t, o.diags.Errors(), words...)
}

func (o *object) want(fulfilled bool, profile any) {
	o.t.Helper()
	if o.state == nil || o.state.Attributes["fulfilled"] != fulfilled || o.state.Attributes["profile"] != profile {
		o.t.Errorf("want fulfilled = %v and the profile %v, state %v", fulfilled, profile, o.state)
	}
}

// wantEmptyPlan refreshes the object, after which there is nothing to do.
func (o *object) wantEmptyPlan() {
	o.t.Helper()
	o.refresh(1)
	o.WantEmptyPlan(name, o.state, o.config)
}

// wantNotWritten fails the test if an update counts as fulfilled that has written nothing, or the
// plan does not send it again.
func (o *object) wantNotWritten() {
	o.t.Helper()
	if plan, _ := o.MustPlan(name, o.state, o.config); o.state.Attributes["fulfilled"] != false || !plan.Changes {
		o.t.Errorf("the plan changes %v, state %v", plan.Changes, o.state.Attributes)
	}
}

func (o *object) put(profile string) { o.service.PutProfile(scope, person, profile) }

func (o *object) wantHeld(member string, want any) {
	o.t.Helper()
	if held, _ := o.service.Profile(scope, person); held[member] != want {
		o.t.Errorf("the service holds %v", held)
	}
}

func (o *object) enqueue(plan string) {
	o.service.Enqueue(mockserver.QueuedRequest{
		Scope: scope, Identity: person, Operation: mockserver.OpUpdateProfile, Body: map[string]any{"plan": plan}, At: time.Now(),
	})
}

func (o *object) conclude(i int, as mockserver.Outcome) {
	o.service.Conclude(o.service.Queue()[i].ID, as)
}

// answer makes the service answer an operation with this, so often; negative for always.
func (o *object) answer(operation string, times, status int, body string) {
	o.service.Inject(mockserver.Fault{Operation: operation, Times: times, Status: status, Body: []byte(body)})
}

func wantSent(t *testing.T, service *mocktest.Instance, want ...string) {
	t.Helper()
	var bodies []string
	for _, r := range service.Requests() {
		if r.Operation == mockserver.OpUpdateProfile {
			body, _ := json.Marshal(r.Sent)
			bodies = append(bodies, string(body))
		}
	}
	if got := strings.Join(bodies, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("sent %s, want %v", got, want)
	}
}
