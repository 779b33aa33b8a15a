// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// Terraform's rule that a sensitive value stays sensitive has no test: in this protocol the
// schema alone says what is sensitive, so that no response of a provider can lose it.

var schema = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{
	Attributes: []*tfprotov6.SchemaAttribute{
		{Name: "name", Type: tftypes.String, Optional: true},
		{Name: "kind", Type: tftypes.String, Optional: true, Computed: true},
		{Name: "made", Type: tftypes.String, Computed: true},
		{Name: "secret", Type: tftypes.String, Optional: true, WriteOnly: true},
	},
	BlockTypes: []*tfprotov6.SchemaNestedBlock{{
		TypeName: "block", Nesting: tfprotov6.SchemaNestedBlockNestingModeSingle,
		Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{{Name: "part", Type: tftypes.String, Optional: true}}},
	}},
}}

// What is configured, planned for it, and held once that is applied.
var (
	configured = Attributes{"name": "ours", "secret": "a secret", "block": Attributes{"part": "ours"}}
	planned    = Attributes{"name": "ours", "kind": Unknown, "made": Unknown, "block": Attributes{"part": "ours"}}
	applied    = Attributes{"name": "ours", "kind": "made", "made": "made", "block": Attributes{"part": "ours"}}
)

// wantRefusal fails the test unless this is the first reason for a refusal; none if it is empty.
func wantRefusal(t *testing.T, reasons []string, reason string) {
	t.Helper()
	first := strings.Join(reasons[:min(1, len(reasons))], "")
	if !strings.Contains(first, reason) || (reason == "") != (first == "") {
		t.Errorf("the reasons are %q, want %q", reasons, reason)
	}
}

func TestRules_ofPlans(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name                string
		prior, config, plan Attributes
		reason              string
	}{
		{"as configured", nil, configured, planned, ""},
		{"no object", nil, configured, nil, "an object is configured true, and the result has one false"},
		{"an object to destroy", applied, nil, applied, "an object is configured false, and the result has one true"},
		{"another value", nil, configured, planned.With(Attributes{"name": "other"}), "name is neither"},
		{"a value is missing as it was", applied.Without("name"), configured, planned.Without("name"), "name is neither"},
		{"a removed value is as it was", applied, configured.Without("name"), applied, "name is neither"},
		{"a value is as it was", applied, configured.With(Attributes{"name": "OURS"}), applied, ""},
		{"a computed value is replaced", nil, configured.With(Attributes{"kind": "ours"}), planned.With(Attributes{"kind": "other"}), "kind is neither"},
		{"a write-only value", nil, configured, planned.With(Attributes{"secret": "a secret"}), "secret is write-only"},
		{"another block", nil, configured, planned.With(Attributes{"block": Attributes{"part": "other"}}), "block is neither"},
		{"a block is as it was", applied, configured.With(Attributes{"block": Attributes{"part": "OURS"}}), applied, "block is neither"},
		{"no block", nil, configured, planned.Without("block"), "block is neither"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			wantRefusal(t, checkPlan(schema, change{tc.prior, tc.config, tc.plan}), tc.reason)
		})
	}
}

func TestRules_ofResults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		planned, made Attributes
		reason        string
	}{
		{"as planned", planned, applied, ""},
		{"no object", planned, nil, "is not as planned"},
		{"an object to destroy", nil, applied, "is not as planned"},
		{"another value", planned, applied.With(Attributes{"name": "other"}), "is not as planned"},
		{"no value", planned, applied.Without("name"), "is not as planned"},
		{"one more value", planned.Without("name"), applied, "is not as planned"},
		{"another part", planned, applied.With(Attributes{"block": Attributes{"part": "other"}}), "is not as planned"},
		{"no block", planned, applied.Without("block"), "is not as planned"},
		{"an unknown value", planned, applied.With(Attributes{"made": Unknown}), "made is still unknown"},
		{"a write-only value", planned, applied.With(Attributes{"secret": "a secret"}), "secret is write-only"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			wantRefusal(t, append(checkStored(schema, tc.made), checkApplied(tc.planned, tc.made)...), tc.reason)
		})
	}
}

func TestProposed_keepsWhatIsComputed(t *testing.T) {
	t.Parallel()
	config := Attributes{"name": "other", "secret": "a secret"}
	want := Attributes{"name": "other", "kind": "made", "made": "made", "secret": "a secret"}
	if diff := cmp.Diff(want, proposed(schema, applied, config)); diff != "" {
		t.Errorf("unexpected proposal (-want +got):\n%s", diff)
	}
}

// recorder is a test that notes why it fails.
type recorder struct {
	testing.TB

	reasons []string
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.reasons = append(r.reasons, fmt.Sprintf(format, args...))
}

// TestProvider_holdsEveryResponseToTheRules changes one response of each call.
func TestProvider_holdsEveryResponseToTheRules(t *testing.T) {
	t.Parallel()
	const thing = "analytics_consent" // a resource, a data source and an ephemeral resource
	ann := Attributes{"identity_id": "ann"}
	consent := ann.With(Attributes{
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
	})
	create := func(p *Provider) *State {
		state, _ := p.MustCreate(thing, consent)
		return state
	}

	another, later := Attributes{"identity_id": "another"}, Attributes{"agreement_time": Unknown}
	for name, tc := range map[string]struct {
		response any // of which type is changed
		values   Attributes
		use      func(*Provider)
		reason   string
	}{
		"a plan":             {&tfprotov6.PlanResourceChangeResponse{}, another, func(p *Provider) { create(p) }, "identity_id is neither as configured"},
		"an apply":           {&tfprotov6.ApplyResourceChangeResponse{}, another, func(p *Provider) { create(p) }, "is not as planned"},
		"an unknown value":   {&tfprotov6.ApplyResourceChangeResponse{}, later, func(p *Provider) { create(p) }, "is still unknown"},
		"a read":             {&tfprotov6.ReadResourceResponse{}, later, func(p *Provider) { p.Refresh(thing, create(p)) }, "is still unknown"},
		"an upgrade":         {&tfprotov6.UpgradeResourceStateResponse{}, later, func(p *Provider) { p.Refresh(thing, create(p)) }, "is still unknown"},
		"an upgrade, a plan": {&tfprotov6.UpgradeResourceStateResponse{}, Attributes{"on_destroy": "withdraw"}, func(p *Provider) { p.WantEmptyPlan(thing, create(p), consent) }, "the plan is not empty"},
		"an import":          {&tfprotov6.ImportResourceStateResponse{}, later, func(p *Provider) { p.Import(thing, "ann") }, "is still unknown"},
		"a data source":      {&tfprotov6.ReadDataSourceResponse{}, another, func(p *Provider) { p.ReadData(thing, ann) }, "identity_id is neither as configured"},
		"an ephemeral":       {&tfprotov6.OpenEphemeralResourceResponse{}, another, func(p *Provider) { p.Open(thing, ann) }, "identity_id is neither as configured"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t)
			service.PutConsent(mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}, "ann", mockserver.ConsentRecord{})
			r := &recorder{TB: t}
			p := MustStart(r, Config(service))
			p.change = func(response any) {
				if reflect.TypeOf(response) == reflect.TypeOf(tc.response) {
					schema, packed := p.resultOf(thing, response)
					*packed = pack(t, schema.ValueType(), unpack(t, schema.ValueType(), *packed).With(tc.values))
				}
			}

			tc.use(p)
			wantRefusal(t, r.reasons, tc.reason)
		})
	}
}

// resultOf returns what a response has of an object, and its schema.
func (p *Provider) resultOf(name string, response any) (*tfprotov6.Schema, **tfprotov6.DynamicValue) {
	switch r := response.(type) {
	case *tfprotov6.PlanResourceChangeResponse:
		return p.resourceSchema(name), &r.PlannedState
	case *tfprotov6.ApplyResourceChangeResponse:
		return p.resourceSchema(name), &r.NewState
	case *tfprotov6.ReadResourceResponse:
		return p.resourceSchema(name), &r.NewState
	case *tfprotov6.UpgradeResourceStateResponse:
		return p.resourceSchema(name), &r.UpgradedState
	case *tfprotov6.ImportResourceStateResponse:
		return p.resourceSchema(name), &r.ImportedResources[0].State
	case *tfprotov6.ReadDataSourceResponse:
		return p.schemas.DataSourceSchemas[name], &r.State
	case *tfprotov6.OpenEphemeralResourceResponse:
		return p.schemas.EphemeralResourceSchemas[name], &r.Result
	}

	return nil, nil
}
