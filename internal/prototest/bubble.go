// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// Bubble runs a test in virtual time, with a provider that is connected in memory to a mock
// server of its own: waiting for a request takes no time. configure functions are those of
// mocktest.Start.
func Bubble(t *testing.T, test func(t *testing.T, p *Provider, service *mocktest.Instance), configure ...func(*mockserver.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		// The time of a bubble begins in the year 2000, before anything that tests name.
		<-time.After(time.Until(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))

		service := mocktest.StartPipe(t, configure...)
		dial, closeAll := service.Tracked()
		p := MustStart(t, Config(service), func(cfg *client.Config) { cfg.DialContext = dial })

		defer func() {
			closeAll()
			<-time.After(10 * time.Minute) // a login outlives the caller that began it
		}()
		test(t, p, service)
	})
}
