// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

func TestConsents_aPersonIsOneInOneScope(t *testing.T) {
	t.Parallel()
	web := client.Scope{OrgID: "org-demo", ProjectID: "web"}
	var c Consents
	c.Keep(NewObject("analytics_consent"), client.Person{Scope: web, Identity: "jane"})

	for what, p := range map[string]struct {
		client.Person

		isSame bool
	}{
		"the person":      {client.Person{Scope: web, Identity: "jane"}, true},
		"another person":  {client.Person{Scope: web, Identity: "john"}, false},
		"another project": {client.Person{Scope: client.Scope{OrgID: "org-demo", ProjectID: "shop"}, Identity: "jane"}, false},
		"an account":      {client.Person{Scope: client.Scope{AccountID: "org-demo"}, Identity: "jane"}, false},
		"shifted parts":   {client.Person{Scope: client.Scope{OrgID: "org-demow", ProjectID: "eb"}, Identity: "jane"}, false},
		"joined parts":    {client.Person{Scope: client.Scope{OrgID: "org-demo"}, Identity: "webjane"}, false},
	} {
		if other := c.Keeper(nil, p.Person); (other != nil) != p.isSame {
			t.Errorf("%s is kept by %v", what, other)
		}
	}
}
