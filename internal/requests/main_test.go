// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	deletionName = "analytics_data_deletion"
	accessName   = "analytics_data_access_request"
	person       = "jane.doe@example.com"
)

var scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// config returns the configuration of a request about the person. others override it.
func config(others prototest.Attributes) prototest.Attributes {
	return prototest.Attributes{"identity_id": person}.With(others)
}

// within returns a configuration of timeouts.
func within(limit string) prototest.Attributes {
	return prototest.Attributes{"timeouts": prototest.Attributes{"create": limit, "update": limit}}
}

// on returns a configuration of triggers.
func on(day string) prototest.Attributes {
	return prototest.Attributes{"triggers": prototest.Attributes{"on": day}}
}

var atOnce = prototest.Attributes{"wait_for_fulfilment": false}

// bubble runs a test in virtual time, against a mock server at which the person has data.
func bubble(t *testing.T, test func(t *testing.T, p *prototest.Provider, service *mocktest.Instance), configure ...func(*mockserver.Server)) {
	t.Helper()
	prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
		putData(service)
		test(t, p, service)
	}, append([]func(*mockserver.Server){finishedAccessIsListed}, configure...)...)
}

// startWithData returns a mock server at which the person has data.
func startWithData(t *testing.T, configure ...func(*mockserver.Server)) *mocktest.Instance {
	t.Helper()
	service := mocktest.Start(t, append([]func(*mockserver.Server){finishedAccessIsListed}, configure...)...)
	putData(service)
	return service
}

// putData gives the person a profile and a consent.
func putData(service *mocktest.Instance) {
	service.PutProfile(scope, person, `{"name":"Jane Canary"}`)
	service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: [5]bool{true, true, true, true, true}})
}

// withWire begins another run of the provider with settings of wire.
func withWire(p *prototest.Provider, service *mocktest.Instance, wire prototest.Attributes) {
	p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"wire": wire}))
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

// outcome makes the service end every request with o.
func outcome(o mockserver.Outcome) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return o }
	}
}

// wantQueued returns the requests of an operation that the service has accepted. It fails
// the test if their number is not want.
func wantQueued(t *testing.T, service *mocktest.Instance, operation string, want int) []mockserver.QueuedRequest {
	t.Helper()
	var got []mockserver.QueuedRequest
	for _, q := range service.Queue() {
		if q.Operation == operation {
			got = append(got, q)
		}
	}

	if len(got) != want {
		t.Fatalf("the service has accepted %d requests, want %d: %v", len(got), want, got)
	}

	return got
}

// wantAttributes fails the test if an attribute of the object has another value.
func wantAttributes(t *testing.T, state *prototest.State, want prototest.Attributes) {
	t.Helper()
	if state == nil {
		t.Fatal("there is no object")
	}

	for name, value := range want {
		if got := state.Attributes[name]; got != value {
			t.Errorf("%s is %v, want %v", name, got, value)
		}
	}
}

// wantNoPerson fails the test if a diagnostic holds anything of the person.
func wantNoPerson(t *testing.T, diags prototest.Diagnostics) {
	t.Helper()
	wantUnnamed(t, append(diags.Errors(), diags.Warnings()...))
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

// wantNoDiagnostics fails the test if there is a warning or an error.
func wantNoDiagnostics(t *testing.T, diags prototest.Diagnostics) {
	t.Helper()
	if texts := append(diags.Warnings(), diags.Errors()...); len(texts) > 0 {
		t.Errorf("it says %q", texts)
	}
}

func wantNothingSent(t *testing.T, service *mocktest.Instance) {
	t.Helper()
	if requests := service.Requests(); len(requests) > 0 {
		t.Errorf("the service has received %d requests", len(requests))
	}
}
