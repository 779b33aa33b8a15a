// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

const consentName = "analytics_consent"

// consentOf returns the consent of a person, which is written without a comparison.
func consentOf(identity string) prototest.Attributes {
	return prototest.Attributes{
		"identity_id": identity, "keep_later_choice": false, "clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
	}
}

// TestProvider_manyObjectsStayWithinTheConnections creates as many consents at once as there
// may be requests, again and again, each time after the connections of the time before have
// become idle. Requests that wait for one another would not do: one that finds no idle
// connection opens one, even if another becomes idle before it is open, so that how many there
// are depends on how fast the machine is.
func TestProvider_manyObjectsStayWithinTheConnections(t *testing.T) {
	t.Parallel()
	const limit = 10
	prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
		p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"max_concurrency": limit}))
		rounds := soak.Size(soak.Raced(4, 20), 200)
		for round := range rounds {
			var wg sync.WaitGroup
			for i := range limit {
				wg.Go(func() {
					if _, diags := p.Create(consentName, consentOf(fmt.Sprintf("user-%d-%d", round, i))); len(diags.Errors()) > 0 {
						t.Errorf("object %d of round %d: %v", i, round, diags.Errors())
					}
				})
			}
			wg.Wait()
			synctest.Wait()
		}

		logins, writes := service.Count(mockserver.OpLogin), service.Count(mockserver.OpUpdateConsent)
		if writes != rounds*limit || logins != 1 || service.Connections() > limit+1 { // one of the login
			t.Errorf("%d writes, %d logins, %d connections", writes, logins, service.Connections())
		}
	}, func(s *mockserver.Server) { s.Latency = time.Second })
}

func TestProvider_unreachableServiceIsNamedByItsHostAlone(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	settings := prototest.Attributes{"base_url": service.URL + "/canary", "api_secret_key": "canary-key", "account_id": "a", "max_retries": 0}
	service.Stop()
	p := prototest.MustStart(t, settings)
	state, diags := p.Create(consentName, consentOf("user-1001"))
	prototest.WantText(t, diags.Errors(), "Cannot reach the service", "the host is 127.0.0.1:", "In state now: nothing", "check base_url")
	if text := strings.Join(diags.Errors(), ""); state != nil || strings.Contains(text, "canary") {
		t.Errorf("state %v: %s", state, text)
	}
}
