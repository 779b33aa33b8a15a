// SPDX-License-Identifier: MPL-2.0

package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/bench/people"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a service for the loop, and returns it.
func serve(t *testing.T) *mockserver.Server {
	t.Helper()
	service := &mockserver.Server{}
	service.AddSecretKey("loop-key")
	listening, err := service.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listening.Stop() })

	t.Setenv("ANALYTICS_BASE_URL", listening.URL)
	t.Setenv("ANALYTICS_API_SECRET_KEY", "loop-key")

	return service
}

func TestRun_sendsTheRequestsOfAnApply(t *testing.T) { //nolint:paralleltest // sets the environment
	service := serve(t)
	if err := run(t.Context(), strings.Fields("-people 20 -reads 2 -write -parallelism 4"), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}

	methods := map[string]int{}
	for i, r := range service.Requests() {
		methods[r.Method]++
		if i < 20 && r.Method != http.MethodGet {
			t.Errorf("request %d is a %s before all people were read once", i, r.Method)
		}
	}
	if diff := cmp.Diff(map[string]int{http.MethodGet: 40, http.MethodPatch: 20}, methods); diff != "" {
		t.Errorf("unexpected requests (-want +got):\n%s", diff)
	}

	for i := range 20 {
		p := people.Number(i)
		got, ok := service.Consent(mockserver.Scope{OrgID: people.Org, ProjectID: people.Project}, p.IdentityID)
		if !ok || got.Clauses != [5]bool{p.Clause1, p.Clause2, p.Clause3, p.Clause4, p.Clause5} {
			t.Errorf("the service holds %+v for %+v", got, p)
		}
	}
}

func TestRun_readsOnlyWithoutWrite(t *testing.T) { //nolint:paralleltest // sets the environment
	service := serve(t)
	if err := run(t.Context(), strings.Fields("-people 5"), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}

	for _, r := range service.Requests() {
		if r.Method != http.MethodGet {
			t.Errorf("a %s was sent", r.Method)
		}
	}
	if n := len(service.Requests()); n != 5 {
		t.Errorf("%d requests for 5 people", n)
	}
}

func TestRun_refusedRequestIsAnError(t *testing.T) {
	serve(t)
	t.Setenv("ANALYTICS_API_SECRET_KEY", "another-key")
	if err := run(t.Context(), nil, io.Discard, io.Discard); err == nil || strings.Contains(err.Error(), "another-key") {
		t.Errorf("the loop ended with %v", err)
	}
}

func TestParse_numbersAreFromOne(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-people=0", "-reads=0", "-parallelism=0", "-people=x", "20"} {
		if got, err := parse(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%q is accepted as %+v", args, got)
		}
	}
}
