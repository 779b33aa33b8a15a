// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// given are the values of required attributes in a configuration of any action.
var given = map[string]tftypes.Value{
	"identity_id": tftypes.NewValue(tftypes.String, "user-1001"),
	"utc_date":    tftypes.NewValue(tftypes.String, "2026-01-31"),
	"path":        tftypes.NewValue(tftypes.String, "missing/day.ndjson"),
	"output_path": tftypes.NewValue(tftypes.String, "missing/data.json"),
}

// configured returns a configuration of an action with the given values and no others.
func configured(t *testing.T, schema *tfprotov6.ActionSchema) *tfprotov6.DynamicValue {
	t.Helper()
	object, ok := schema.Schema.ValueType().(tftypes.Object)
	if !ok {
		t.Fatal("the configuration is no object")
	}

	values := map[string]tftypes.Value{}
	for name, typ := range object.AttributeTypes {
		values[name] = tftypes.NewValue(typ, nil)
		if v, ok := given[name]; ok {
			values[name] = v
		}
	}
	config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
	if err != nil {
		t.Fatal(err)
	}

	return &config
}

// TestProvider_actionsReportAnUnconfiguredProvider invokes every action of a provider that
// was not configured. The framework drops what an action's Configure reports.
func TestProvider_actionsReportAnUnconfiguredProvider(t *testing.T) {
	t.Parallel()
	server := provider.NewServer("test", func(string) string { return "" })
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}

	for name, schema := range schemas.ActionSchemas {
		stream, err := server.InvokeAction(t.Context(), &tfprotov6.InvokeActionRequest{ActionType: name, Config: configured(t, schema)})
		if err != nil {
			t.Fatal(err)
		}

		var errors []string
		for event := range stream.Events {
			if completed, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
				for _, d := range completed.Diagnostics {
					errors = append(errors, d.Detail)
				}
			}
		}
		if len(errors) != 1 || !strings.Contains(errors[0], "not configured before it was used") {
			t.Errorf("%s has the errors %q", name, errors)
		}
	}
}
