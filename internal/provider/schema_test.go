// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// TestProvider_oneRuleForIdentifiersOfAllObjects gives unusable texts to each attribute for a segment
// of a path, and one of them to each part of an import ID.
func TestProvider_oneRuleForIdentifiersOfAllObjects(t *testing.T) {
	t.Parallel()
	const unseen = "can\u200bary"
	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service))
	unusable := map[string]string{
		unseen: "cannot be seen, U+200B at byte 3", "": "is empty", "..": "change the path", "canary\n": "U+000A at byte 6",
		strings.Repeat("x", client.LimitSegment+1): "longer than",
	}
	wantRefused := func(where, value string, diags prototest.Diagnostics) {
		text := strings.Join(diags.Errors(), "\n")
		if !strings.Contains(text, unusable[value]) || len(value) > 2 && strings.Contains(text, value) {
			t.Errorf("%s: the errors are %.500q, want %q", where, text, unusable[value])
		}
	}

	checked := 0
	check := func(schemas map[string]*tfprotov6.Schema, refuse func(string, prototest.Attributes) prototest.Diagnostics) {
		for name, schema := range schemas {
			for _, attribute := range schema.Block.Attributes {
				isIdentifier := slices.Contains([]string{"identity_id", "org_id", "project_id", "account_id"}, attribute.Name)
				if !isIdentifier || attribute.Computed && !attribute.Optional {
					continue
				}
				checked++
				for value := range unusable {
					wantRefused(name+": "+attribute.Name, value, refuse(name, prototest.Attributes{attribute.Name: value}))
				}
			}
		}
	}

	readData := func(name string, config prototest.Attributes) prototest.Diagnostics {
		return second(p.ReadData(name, config))
	}
	open := func(name string, config prototest.Attributes) prototest.Diagnostics {
		return second(p.Open(name, config))
	}
	plan := func(name string, config prototest.Attributes) prototest.Diagnostics {
		return p.PlanAction(name, config)
	}
	check(p.Schemas.ResourceSchemas, p.Validate)
	check(p.Schemas.DataSourceSchemas, readData)
	check(p.Schemas.EphemeralResourceSchemas, open)
	check(p.Schemas.ListResourceSchemas, p.ValidateList)
	actions := map[string]*tfprotov6.Schema{}
	for name, action := range p.Schemas.ActionSchemas {
		actions[name] = action.Schema
	}
	check(actions, plan)

	for _, id := range []string{unseen, "acct-7/" + unseen, unseen + "/web/user-1001", "org-demo/" + unseen + "/user-1001"} {
		_, diags := p.Import(consentName, id, nil)
		wantRefused("import of "+id, unseen, diags)
	}
	if n := service.Count(""); n != 0 || checked < 40 {
		t.Errorf("%d requests, and %d attributes", n, checked)
	}
}

func second[A, B any](_ A, b B) B { return b }
