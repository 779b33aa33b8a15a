// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

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

// TestProvider_objectsShareOneClient creates consents concurrently, as Terraform does.
func TestProvider_objectsShareOneClient(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"max_concurrency": 10}))

	many := soak.Size(soak.Raced(40, 200), 2000)
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() {
			if _, diags := p.Create(consentName, consentOf(fmt.Sprintf("user-%d", i))); len(diags.Errors()) > 0 {
				t.Errorf("object %d: %v", i, diags.Errors())
			}
		})
	}
	wg.Wait()

	if n := service.Count(mockserver.OpUpdateConsent); n != many || service.Count(mockserver.OpLogin) != 1 || service.Connections() > 20 {
		t.Errorf("%d writes, %d logins, %d connections", n, service.Count(mockserver.OpLogin), service.Connections())
	}
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
