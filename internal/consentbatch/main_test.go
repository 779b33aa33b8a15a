// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	early  = "2026-01-31T12:00:00Z"
	middle = "2026-02-15T12:00:00Z"
	late   = "2026-03-31T12:00:00Z"
)

var (
	scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

	// configured are the clauses of the usual row.
	configured = [5]bool{true, true, false, true, true}
)

// start starts a mock server and a provider for it.
func start(t *testing.T, settings prototest.Attributes, configure ...func(*mockserver.Server)) (*prototest.Provider, *mocktest.Instance) {
	t.Helper()
	service := mocktest.Start(t, configure...)
	return prototest.MustStart(t, prototest.Config(service).With(settings)), service
}
