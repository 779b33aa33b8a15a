// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// TestProvider_actionsReportAnUnconfiguredProvider invokes every action of a provider that
// was not configured, with nothing but a day that is over and a file that cannot be there.
func TestProvider_actionsReportAnUnconfiguredProvider(t *testing.T) {
	t.Parallel()
	server := provider.NewServer("test", func(string) string { return "" })
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{"utc_date": "2026-01-31", "path": "missing/day.ndjson", "output_path": "missing/data.json"}

	for name, schema := range schemas.ActionSchemas {
		object, _ := schema.Schema.ValueType().(tftypes.Object)
		values := map[string]tftypes.Value{}
		for attribute, typ := range object.AttributeTypes {
			values[attribute] = tftypes.NewValue(typ, nil)
			if text, ok := given[attribute]; ok {
				values[attribute] = tftypes.NewValue(typ, text)
			}
		}
		config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
		if err != nil {
			t.Fatal(err)
		}

		stream, err := server.InvokeAction(t.Context(), &tfprotov6.InvokeActionRequest{ActionType: name, Config: &config})
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
		if len(errors) != 1 || !strings.Contains(errors[0], "the configuration of the provider block is known only after apply") {
			t.Errorf("%s has the errors %q", name, errors)
		}
	}
}
