// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// TestWire_blockAndVariableAreTheSameSettings gives every setting of the schema a value, and expects
// each in the configuration of the client.
func TestWire_blockAndVariableAreTheSameSettings(t *testing.T) {
	t.Parallel()
	byKind := map[string]any{"persons": "/p"}
	words := map[string]any{"persons": []any{"p"}}
	all := map[string]any{
		"envelope": "/data", "ignored": map[string]any{"/success": "true"}, "lag": "1m", "absent": []any{"204"},
		"result":   map[string]any{"at": "/code", "success": []any{"0"}, "absent": []any{"40400"}},
		"login":    map[string]any{"parameters_in": "form"},
		"consent":  map[string]any{"parameters_in": "query", "at": "/c", "omits_false": true, "time_format": "utc", "time_answered": "unix_s", "time_kept": "day", "altered": []any{"manual"}},
		"profile":  map[string]any{"at": ""},
		"all_data": map[string]any{"at": "/d", "media_type": "text/csv"},
		"pending": map[string]any{
			"at": "/a", "next": "/n", "total": "/t", "use": "partial", "empty": true, "identity": "/i", "id": "/d", "type": "/y", "status": "/s", "created": "/c",
			"types": map[string]any{"data_access": []any{"x"}}, "statuses": map[string]any{"done": []any{"x"}},
		},
		"export": map[string]any{
			"kind_parameter": "k", "kind_values": map[string]any{"persons": "P"}, "at": byKind, "kind": "/k", "kinds": words, "record": byKind,
			"next": "/n", "total": "/t", "lines": true, "empty": true, "invalid_utf8": "replace",
		},
	}
	var ofBlock client.Config
	p := prototest.MustStart(t, good.With(prototest.Attributes{"wire": prototest.Attributes(all)}), func(cfg *client.Config) { ofBlock = *cfg })

	encoded, _ := json.Marshal(all)
	environment := map[string]string{"ANALYTICS_BASE_URL": "https://h.example.com", "ANALYTICS_WIRE": string(encoded)}
	ofVariable, _, problems := provider.ReadEnvironment("", func(name string) string { return environment[name] })
	if diff := gocmp.Diff(ofBlock.Wire, ofVariable.Wire); diff != "" || len(problems) > 0 {
		t.Errorf("%v: %s", problems, diff)
	}

	var got any
	again, _ := json.Marshal(ofBlock.Wire)
	_ = json.Unmarshal(again, &got)
	if diff := gocmp.Diff(any(all), got); diff != "" {
		t.Errorf("the settings are others: %s", diff)
	}

	// Every setting of the schema has a value above.
	wantEach(t, p.Schemas.Provider.Block.BlockTypes[0].Block, all)
}

// wantEach fails the test where a setting of a block has no value.
func wantEach(t *testing.T, block *tfprotov6.SchemaBlock, values map[string]any) {
	t.Helper()
	for _, attribute := range block.Attributes {
		if values[attribute.Name] == nil {
			t.Errorf("the test gives no value to %s", attribute.Name)
		}
	}
	for _, inner := range block.BlockTypes {
		members, _ := values[inner.TypeName].(map[string]any)
		wantEach(t, inner.Block, members)
	}
}
