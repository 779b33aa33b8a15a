// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestNewSessionToken_wrongPasswordIsTriedOnce asks for several tokens at once, beside
// requests that need one as well: a rejected login is not repeated by any of them.
func TestNewSessionToken_wrongPasswordIsTriedOnce(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		const n = 8
		errs := make([]error, n)

		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { _, errs[i] = c.NewSessionToken(t.Context()) })
		}
		others := callers(t, c, n)
		wg.Wait()

		for _, err := range slices.Concat(errs, others) {
			_ = wantClass(t, err, transport.ClassAuthentication)
		}
		wantCount(t, service, mockserver.OpLogin, 1)
	}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Credentials.Password = "wrong-password" })
}
