// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"slices"
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
	deletionName      = "analytics_data_deletion"
	accessName        = "analytics_data_access_request"
	deleteName        = "analytics_delete_data"
	requestAccessName = "analytics_request_data_access"

	person = "jane.doe@example.com"
)

var scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// object is an object of a resource of this package, or an action, with the state that it is in and what the latest
// step has said. The person has data at the service.
type object struct {
	*prototest.Provider

	t         *testing.T
	service   *mocktest.Instance
	name      string
	operation string // of the service
	path      string // of the file that it writes; empty for none

	config prototest.Attributes
	state  *prototest.State
	diags  prototest.Diagnostics
}

type names []string

var (
	deletions    = names{deletionName}
	accesses     = names{accessName}
	bothRequests = names{deletionName, accessName}
	bothActions  = names{deleteName, requestAccessName}
)

// each runs a test for an object of each name, in virtual time and against a mock server of its own.
func (n names) each(t *testing.T, test func(t *testing.T, o *object), configure ...func(*mockserver.Server)) {
	t.Helper()
	for _, name := range n {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
				putData(service)
				o := &object{Provider: p, t: t, service: service, name: name, operation: mockserver.OpDeleteAllData, config: prototest.Attributes{"identity_id": person}}
				if name == accessName || name == requestAccessName {
					o.operation, o.path = mockserver.OpGetAllData, output(t)
					o.config["output_path"] = o.path
				}
				test(t, o)
			}, slices.Insert(configure, 0, finishedAccessIsListed)...)
		})
	}
}

func rows[R any](t *testing.T, table map[string]R, test func(t *testing.T, name string, row R)) {
	t.Helper()
	for name, row := range table {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, name, row)
		})
	}
}

func within(limit string) prototest.Attributes {
	return prototest.Attributes{"timeouts": prototest.Attributes{"create": limit, "update": limit}}
}

func on(day string) prototest.Attributes {
	return prototest.Attributes{"triggers": prototest.Attributes{"on": day}}
}

var atOnce = prototest.Attributes{"wait_for_fulfilment": false}

// try applies the configuration with others on top, in a run of its own. It may end with an error.
func (o *object) try(others prototest.Attributes) {
	o.t.Helper()
	o.NewRun()
	o.config = o.config.With(others)
	o.state, o.diags = o.Update(o.name, o.state, o.config)
	o.isDiscreet()
	o.NewRun()
}

func (o *object) apply(others prototest.Attributes) {
	o.t.Helper()
	o.try(others)
	o.NoErrors(o.diags)
}

// isDiscreet fails the test if the latest step has shown anything of the person, or other words.
func (o *object) isDiscreet(others ...string) {
	o.t.Helper()
	wantUnnamed(o.t, append(o.diags.Errors(), o.diags.Warnings()...), others...)
}

// refresh refreshes the object some time later, in another run, which a plan may follow.
func (o *object) refresh() {
	o.t.Helper()
	<-time.After(time.Second)
	o.NewRun()
	o.state, o.diags = o.MustRefresh(o.name, o.state)
	o.isDiscreet()
	for _, text := range o.diags.Warnings() {
		for _, words := range []string{"within the time that timeouts allows", "aiting for it failed", "Interrupted while waiting"} {
			if strings.Contains(text, words) {
				o.t.Errorf("nobody has waited, and it says %q", text)
			}
		}
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

func (o *object) want(want prototest.Attributes) {
	o.t.Helper()
	if o.state == nil {
		o.t.Fatal("there is no object")
	}
	for name, value := range want {
		if got := o.state.Attributes[name]; got != value {
			o.t.Errorf("%s is %v, want %v", name, got, value)
		}
	}
}

func (o *object) wantEmptyPlan() {
	o.t.Helper()
	o.WantEmptyPlan(o.name, o.state, o.config)
}

// queued returns the requests that the service has accepted for the object, which are so many.
func (o *object) queued(want int) []mockserver.QueuedRequest {
	o.t.Helper()
	return wantQueued(o.t, o.service, o.operation, want)
}

func (o *object) enqueue() (id string) {
	return o.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: o.operation})
}

var failed = mockserver.Outcome{Fate: mockserver.Failed, Code: "E_HOLD"}

// conclude ends the first request of the queue.
func (o *object) conclude(as mockserver.Outcome) {
	o.service.Conclude(o.service.Queue()[0].ID, as)
}

// answer makes the service answer an operation with this, so often; negative for always.
func (o *object) answer(operation string, times, status int, body string) {
	o.service.Inject(mockserver.Fault{Operation: operation, Times: times, Status: status, Body: []byte(body)})
}

func (o *object) withWire(wire prototest.Attributes) {
	o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"wire": wire}))
}

// startWithData returns a mock server at which the person has data.
func startWithData(t *testing.T, configure ...func(*mockserver.Server)) *mocktest.Instance {
	t.Helper()
	service := mocktest.Start(t, slices.Insert(configure, 0, finishedAccessIsListed)...)
	putData(service)
	return service
}

// putData gives the person a profile and a consent.
func putData(service *mocktest.Instance) {
	service.PutProfile(scope, person, `{"name":"Jane Canary"}`)
	service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: [5]bool{true, true, true, true, true}})
}

// finishedAccessIsListed keeps data access requests in the list once they are carried out:
// nothing else shows that they are.
func finishedAccessIsListed(s *mockserver.Server) {
	s.Fulfil = func(q mockserver.QueuedRequest) mockserver.Outcome {
		return mockserver.Outcome{KeepListed: q.Operation == mockserver.OpGetAllData}
	}
}

func never(s *mockserver.Server) {
	s.Fulfil = func(q mockserver.QueuedRequest) mockserver.Outcome {
		return mockserver.Outcome{Fate: mockserver.Never, KeepListed: q.Operation == mockserver.OpGetAllData}
	}
}

func outcome(o mockserver.Outcome) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return o }
	}
}

func wantQueued(t *testing.T, service *mocktest.Instance, operation string, want int) []mockserver.QueuedRequest {
	t.Helper()
	got := slices.DeleteFunc(service.Queue(), func(q mockserver.QueuedRequest) bool { return q.Operation != operation })
	if len(got) != want {
		t.Fatalf("the service has accepted %d requests, want %d: %v", len(got), want, got)
	}
	return got
}

// wantUnnamed fails the test if a text holds anything of the person, or other words.
func wantUnnamed(t *testing.T, texts []string, others ...string) {
	t.Helper()
	for _, text := range texts {
		for _, private := range append(others, person, "jane.doe", "Canary") {
			if strings.Contains(text, private) {
				t.Errorf("it shows %q: %s", private, text)
			}
		}
	}
}

func wantNothingSent(t *testing.T, service *mocktest.Instance) {
	t.Helper()
	if requests := service.Requests(); len(requests) > 0 {
		t.Errorf("the service has received %d requests", len(requests))
	}
}
