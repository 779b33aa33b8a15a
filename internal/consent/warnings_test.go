// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

func TestConsent_warningsNameNoPerson(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics

	a, b := tfkit.NewObject("analytics_consent"), tfkit.NewObject(`analytics_consent_batch with source "people.csv"`)
	web := client.Scope{OrgID: "org-demo", ProjectID: "web"}
	warnShared(&diags, a, b, web)
	warnSuperseded(&diags, b, web)

	for _, d := range diags {
		if len(d.Summary()) > 60 {
			t.Errorf("the summary has %d characters: %s", len(d.Summary()), d.Summary())
		}
		if !strings.Contains(d.Detail(), `analytics_consent_batch with source "people.csv"`) || !strings.Contains(d.Detail(), `project_id = "web"`) {
			t.Errorf("the detail names too little: %s", d.Detail())
		}
	}
}
