// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

func TestWritten_aPersonIsOneInOneScope(t *testing.T) {
	t.Parallel()
	web := client.Scope{OrgID: "org-demo", ProjectID: "web"}
	var w Written
	w.Keep(NewObject("analytics_consent"), web, "jane")

	for what, p := range map[string]struct {
		scope    client.Scope
		identity string
		isSame   bool
	}{
		"the person":      {web, "jane", true},
		"another person":  {web, "john", false},
		"another project": {client.Scope{OrgID: "org-demo", ProjectID: "shop"}, "jane", false},
		"an account":      {client.Scope{AccountID: "org-demo"}, "jane", false},
		"shifted parts":   {client.Scope{OrgID: "org-demow", ProjectID: "eb"}, "jane", false},
		"joined parts":    {client.Scope{OrgID: "org-demo"}, "webjane", false},
	} {
		if other, isKept := w.Keeper(nil, p.scope, p.identity); isKept != p.isSame {
			t.Errorf("%s is kept by %v", what, other)
		}
	}
}
