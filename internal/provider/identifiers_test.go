// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// unseen holds identifiers that look like others, and what the error says.
var unseen = map[string]string{
	" canary":      "begins or ends with a space, U+0020 at byte 0",
	"canary\u00a0": "begins or ends with a space, U+00A0 at byte 6",
	"can\u200bary": "cannot be seen, U+200B at byte 3",
	"can\u00adary": "cannot be seen, U+00AD at byte 3",
	"can\u200fary": "cannot be seen, U+200F at byte 3",
}

// identifiers are the attributes that are parts of the path of requests.
var identifiers = []string{"identity_id", "org_id", "project_id", "account_id"}

func TestProvider_oneRuleForIdentifiersOfAllObjects(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service))
	schemas := p.Schemas()

	checked := 0
	check := func(object string, block *tfprotov6.SchemaBlock, refuse func(prototest.Attributes) prototest.Diagnostics) {
		for _, attribute := range block.Attributes {
			if !slices.Contains(identifiers, attribute.Name) || attribute.Computed && !attribute.Optional {
				continue
			}
			for value, words := range unseen {
				wantRefusal(t, object, attribute.Name, refuse(prototest.Attributes{attribute.Name: value}).Errors(), words)
				checked++
			}
		}
	}
	for name, schema := range schemas.ResourceSchemas {
		check(name, schema.Block, func(config prototest.Attributes) prototest.Diagnostics { return p.Validate(name, config) })
	}
	for name, schema := range schemas.DataSourceSchemas {
		check(name, schema.Block, func(config prototest.Attributes) prototest.Diagnostics {
			_, diags := p.ReadData(name, config)
			return diags
		})
	}

	// Of an import they are the parts of one text.
	for _, name := range []string{"analytics_consent", "analytics_profile"} {
		for value := range unseen {
			for _, id := range []string{value, "acct-7/" + value, value + "/web/user-1001", "org-demo/" + value + "/user-1001"} {
				state, diags := p.Import(name, id)
				wantRefusal(t, name, "import", diags.Errors(), "U+")
				if state != nil {
					t.Errorf("%s: %q left %v", name, id, state.Attributes)
				}
			}
		}
	}

	if checked < 100 {
		t.Errorf("only %d values were tried", checked)
	}
	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestProvider_identifiersOfBlockAndEnvironment(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	for _, setting := range []string{"org_id", "project_id", "account_id", "email", "token", "api_secret_key"} {
		base := prototest.Attributes{"base_url": service.URL}
		switch setting {
		case "org_id":
			base["project_id"] = "p"
		case "project_id":
			base["org_id"] = "o"
		case "email":
			base["password"] = "x"
		}

		for value, words := range unseen {
			_, diags := prototest.Start(t, base.With(prototest.Attributes{setting: value}), nil)
			wantRefusal(t, "provider", setting, diags.Errors(), words)

			environment := map[string]string{"ANALYTICS_" + strings.ToUpper(setting): value}
			for name, other := range base {
				environment["ANALYTICS_"+strings.ToUpper(name)], _ = other.(string)
			}

			_, diags = prototest.Start(t, prototest.Attributes{}, environment)
			wantRefusal(t, "environment", setting, diags.Errors(), words)
		}
	}
}

// wantRefusal fails the test unless an error names the place, and never the value.
func wantRefusal(t *testing.T, object, attribute string, errors []string, words string) {
	t.Helper()
	all := strings.Join(errors, "\n")
	if !strings.Contains(all, words) {
		t.Errorf("%s.%s: nothing says %q, only %v", object, attribute, words, errors)
	}
	if strings.Contains(all, "canary") || strings.Contains(all, "can\u200b") {
		t.Errorf("%s.%s: the value is repeated: %v", object, attribute, errors)
	}
}
