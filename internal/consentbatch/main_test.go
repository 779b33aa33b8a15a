// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
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

// bubble runs a test in virtual time, where a slow machine takes none: no comparison gets too
// old for its write, so that requests can be counted. The time of a bubble begins in the year
// 2000, and the rows were agreed to later.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))
		test(t)
		<-time.After(10 * time.Minute) // a login outlives the caller that began it
	})
}

// startPipe is start in a bubble.
func startPipe(t *testing.T, settings prototest.Attributes, configure ...func(*mockserver.Server)) (*prototest.Provider, *mocktest.Instance) {
	t.Helper()
	service := mocktest.StartPipe(t, configure...)
	dial, closeAll := service.Tracked()
	t.Cleanup(closeAll)

	return prototest.MustStart(t, prototest.Config(service).With(settings), func(cfg *client.Config) { cfg.DialContext = dial }), service
}
