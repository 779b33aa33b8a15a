// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestClient_concurrencyIsTheLimit(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		limited := connect(t, service, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxConcurrency = 3 })
		if c.Concurrency() != client.DefaultMaxConcurrency || limited.Concurrency() != 3 {
			t.Errorf("%d and %d", c.Concurrency(), limited.Concurrency())
		}
	})
}
