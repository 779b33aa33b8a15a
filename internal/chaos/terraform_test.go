// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package chaos

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest/objects"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// everything is a configuration of objects of every kind, each about a person of its own.
const everything = `
provider "analytics" {
  max_retries     = 1
  request_timeout = "2s"
}

resource "analytics_consent" "each" {
  count            = 12
  identity_id      = "canary-consent-${count.index}@example.com"
  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = true
  clause_4_consent = true
  clause_5_consent = true
  agreement_time   = "2026-01-01T00:00:00Z"
}

resource "analytics_consent_batch" "rows" {
  content_wo = join("\n", [for n in range(60) : jsonencode({
    identity_id      = "canary-row-${n}@example.com"
    clause_1_consent = true
    clause_2_consent = true
    clause_3_consent = true
    clause_4_consent = true
    clause_5_consent = true
    agreement_time   = "2026-01-01T00:00:00Z"
  })])
  content_wo_version = 1
  format             = "ndjson"
}

resource "analytics_data_deletion" "each" {
  count       = 4
  identity_id = "canary-deletion-${count.index}@example.com"
}

resource "analytics_profile" "each" {
  count       = 4
  identity_id = "canary-profile-${count.index}@example.com"
  profile     = jsonencode({ plan = "gold" })
}

resource "analytics_export_file" "day" {
  utc_date = "2026-02-01"
  path     = "${path.root}/day.ndjson"
}
`

// TestCLIChaos_terraformThroughCaddyAndToxiproxy applies a configuration with the real CLI
// through both proxies until an apply succeeds. Then the plan is empty, nothing was sent
// twice, and nothing that the CLI has printed or stored names a secret.
func TestCLIChaos_terraformThroughCaddyAndToxiproxy(t *testing.T) {
	t.Parallel()
	service := startService(t)
	w := scenario{caddy: compressing}.open(t, service)
	environment := service.EnvironmentWithLogin()
	environment["ANALYTICS_BASE_URL"], environment["ANALYTICS_CA_CERT_FILE"] = w.front.address, w.front.authority()
	cli := clitest.New(t, everything, environment)

	w.toxiproxy.disturb([]toxic{latency(20, 20), slicer(answers, 900), limit(answers, 0.8, 4000), reset(requests, 0.3, 300)})

	printed, applies := "", 0
	for failed := true; failed && applies < disturbedApplies; applies++ {
		res := cli.Run("apply", "-auto-approve", "-no-color")
		printed += res.Output
		failed = res.Code != 0
	}

	w.toxiproxy.heal()
	printed += cli.MustRun("apply", "-auto-approve", "-no-color").Output
	if res := cli.Run("plan", "-detailed-exitcode", "-no-color"); res.Code != terraformcli.PlanEmpty {
		t.Errorf("the plan is not empty:\n%s", res.Output)
	}
	t.Logf("%d disturbed applies, %d requests", applies, len(service.Requests()))

	objects.WantKept(t, service, configured(strings.Count(printed, "Outcome unknown")))
	w.front.wantHTTP2AndCompression()
	prototest.WantNoCanary(t, "the output", printed, service.Password, service.Email, "canary-row-7@example.com")
}

// configured returns the objects of the configuration, rows of the batch included, of which
// so many may have been sent again.
func configured(unknown int) (list []*objects.Object) {
	for _, kind := range []struct {
		resource, person string
		count            int
	}{
		{objects.Consent, "canary-consent-%d@example.com", 12},
		{objects.Consent, "canary-row-%d@example.com", 60},
		{objects.Deletion, "canary-deletion-%d@example.com", 4},
		{objects.Profile, "canary-profile-%d@example.com", 4},
	} {
		for i := range kind.count {
			o := objects.New(kind.resource, fmt.Sprintf(kind.person, i), "")
			o.Unknown = unknown
			list = append(list, o)
		}
	}

	return list
}

// wantHTTP2AndCompression fails the test unless the provider has used HTTP/2 alone and has
// taken compressed answers.
func (c *caddy) wantHTTP2AndCompression() {
	c.t.Helper()
	compressed := 0
	for _, a := range c.received() {
		if a.Request.Proto != "HTTP/2.0" {
			c.t.Errorf("a request came over %s", a.Request.Proto)
		}
		if encoding := strings.Join(a.Answer["Content-Encoding"], ""); encoding != "" {
			compressed++
		}
	}
	if compressed == 0 {
		c.t.Error("no answer was compressed")
	}
}
