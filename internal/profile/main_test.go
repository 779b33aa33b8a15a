// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	name   = "analytics_profile"
	person = "jane.doe@example.com"
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

func start(t *testing.T, configure ...func(*mockserver.Server)) (*prototest.Provider, *mocktest.Instance) {
	t.Helper()
	service := mocktest.Start(t, configure...)
	return prototest.MustStart(t, prototest.Config(service)), service
}

// created creates a profile and begins another run with an empty request log. It fails the
// test on an error.
func created(t *testing.T, p *prototest.Provider, service *mocktest.Instance, config prototest.Attributes) *prototest.State {
	t.Helper()
	state, _ := p.MustCreate(name, config)

	p.NewRun()
	service.Reset()
	return state
}

// sent returns the bodies of the updates that the service has received.
func sent(t *testing.T, service *mocktest.Instance) []string {
	t.Helper()
	var bodies []string
	for _, r := range service.Requests() {
		if r.Operation != mockserver.OpUpdateProfile {
			continue
		}

		body, err := json.Marshal(r.Sent)
		if err != nil {
			t.Fatal(err)
		}

		bodies = append(bodies, string(body))
	}

	return bodies
}

func wantSent(t *testing.T, service *mocktest.Instance, want ...string) {
	t.Helper()
	if got := sent(t, service); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("sent %v, want %v", got, want)
	}
}

func wantEmptyPlan(t *testing.T, p *prototest.Provider, state *prototest.State, config prototest.Attributes) *prototest.State {
	t.Helper()
	state, _ = p.MustRefresh(name, state)
	p.WantEmptyPlan(name, state, config)
	return state
}
