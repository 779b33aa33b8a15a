package requests_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	deletionName = "analytics_data_deletion"
	person       = "jane.doe@example.com"
)

var scope = mockserver.Scope{OrgID: acctest.Org, ProjectID: acctest.Project}

// config is a request about the person; others go on top.
func config(others acctest.Attributes) acctest.Attributes {
	return acctest.Attributes{"identity_id": person}.With(others)
}

// within is a time limit for waits that are meant to be too short, or not.
func within(limit string) acctest.Attributes {
	return acctest.Attributes{"timeouts": acctest.Attributes{"create": limit, "update": limit}}
}

var atOnce = acctest.Attributes{"wait_for_fulfilment": false}

// start serves a provider for a mock server of its own, at which the person has a
// profile and a consent.
func start(t *testing.T, configure ...func(*mockserver.Server)) (*acctest.Provider, *mocktest.Instance) {
	t.Helper()
	service := mocktest.Start(t, configure...)
	service.PutProfile(scope, person, `{"name":"Jane Canary"}`)
	service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: [5]bool{true, true, true, true, true}})
	return nextRun(t, service), service
}

// nextRun is another run of Terraform: a provider that knows nothing of the one
// before.
func nextRun(t *testing.T, service *mocktest.Instance) *acctest.Provider {
	t.Helper()
	return acctest.MustStart(t, acctest.Config(service))
}

func never(s *mockserver.Server) {
	s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{Fate: mockserver.Never} }
}

// outcome decides about every request that is accepted.
func outcome(o mockserver.Outcome) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return o }
	}
}

// wantQueued fails the test where the service has accepted another number of
// requests of an operation, and returns them.
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

// wantAttributes fails the test where the object differs in one of them.
func wantAttributes(t *testing.T, state *acctest.State, want acctest.Attributes) {
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

// wantNoPerson fails the test where what is shown holds anything of the person.
func wantNoPerson(t *testing.T, diags acctest.Diagnostics) {
	t.Helper()
	for _, text := range append(diags.Errors(), diags.Warnings()...) {
		for _, private := range []string{person, "jane.doe", "Canary"} {
			if strings.Contains(text, private) {
				t.Errorf("a diagnostic names the person: %s", text)
			}
		}
	}
}
