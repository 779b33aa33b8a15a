// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"fmt"
	"reflect"
	"runtime"
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

var (
	blockType = &tfprotov6.SchemaNestedBlock{
		TypeName: "block", Nesting: tfprotov6.SchemaNestedBlockNestingModeSingle,
		Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{{Name: "part", Type: tftypes.String, Optional: true}}},
	}
	schema = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{
		Attributes: []*tfprotov6.SchemaAttribute{
			{Name: "name", Type: tftypes.String, Optional: true},
			{Name: "kind", Type: tftypes.String, Optional: true, Computed: true},
			{Name: "made", Type: tftypes.String, Computed: true},
			{Name: "secret", Type: tftypes.String, Optional: true, WriteOnly: true},
		},
		BlockTypes: []*tfprotov6.SchemaNestedBlock{blockType},
	}}
)

// What is configured, planned for it, and held once that is applied.
var (
	configured = Attributes{"name": "ours", "secret": "a secret", "block": Attributes{"part": "ours"}}
	planned    = Attributes{"name": "ours", "kind": Unknown, "made": Unknown, "block": Attributes{"part": "ours"}}
	applied    = Attributes{"name": "ours", "kind": "made", "made": "made", "block": Attributes{"part": "ours"}}
)

// recorder is a test that notes why it fails.
type recorder struct {
	testing.TB

	reasons []string
}

func (*recorder) Helper() {}

func (r *recorder) Error(args ...any) { r.reasons = append(r.reasons, fmt.Sprint(args...)) }

func (r *recorder) Errorf(format string, args ...any) { r.Error(fmt.Sprintf(format, args...)) }

func (r *recorder) Fatal(args ...any) {
	r.Error(args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

// wantRefusal fails the test unless what it does fails a test, with this first reason; for none if
// the reason is empty.
func wantRefusal(t *testing.T, name, reason string, do func(testing.TB)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()

		r, done := &recorder{TB: t}, make(chan struct{})

		go func() {
			defer close(done)
			do(r)
		}()
		<-done

		if first := strings.Join(r.reasons[:min(1, len(r.reasons))], ""); !strings.Contains(first, reason) || (reason == "") != (first == "") {
			t.Errorf("the reasons are %q, want %q", r.reasons, reason)
		}
	})
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
		wantRefusal(t, tc.name, tc.reason, func(tb testing.TB) {
			tb.Helper()
			checkPlan(tb, schema, change{tc.prior, tc.config, tc.plan})
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
	} {
		wantRefusal(t, tc.name, tc.reason, func(tb testing.TB) {
			tb.Helper()
			checkKnown(tb, tc.made)
			checkApplied(tb, tc.planned, tc.made)
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

// TestProvider_holdsEveryResponseToTheRules changes one response of each call.
func TestProvider_holdsEveryResponseToTheRules(t *testing.T) {
	t.Parallel()
	const thing = "analytics_consent" // a resource, a data source and an ephemeral resource
	ann := Attributes{"identity_id": "ann"}
	consent := ann.With(Attributes{
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
	})
	probe := MustStart(t, Attributes{"base_url": "https://analytics.example.com", "api_secret_key": "invented"})
	set := func(schema *tfprotov6.Schema, packed **tfprotov6.DynamicValue, values Attributes) {
		*packed = pack(t, schema.ValueType(), unpack(t, schema.ValueType(), *packed).With(values))
	}

	another, later, secret := Attributes{"identity_id": "another"}, Attributes{"agreement_time": Unknown}, Attributes{"user_ipv6_wo": "192.0.2.7"}
	change := func(values Attributes, ofType any) func(any) { // of the responses of one type
		return func(response any) {
			if reflect.TypeOf(response) != reflect.TypeOf(ofType) {
				return
			}

			switch r := response.(type) {
			case *tfprotov6.PlanResourceChangeResponse:
				set(probe.resourceSchema(thing), &r.PlannedState, values)
			case *tfprotov6.ApplyResourceChangeResponse:
				set(probe.resourceSchema(thing), &r.NewState, values)
			case *tfprotov6.ReadResourceResponse:
				set(probe.resourceSchema(thing), &r.NewState, values)
			case *tfprotov6.UpgradeResourceStateResponse:
				set(probe.resourceSchema(thing), &r.UpgradedState, values)
			case *tfprotov6.ImportResourceStateResponse:
				set(probe.resourceSchema(thing), &r.ImportedResources[0].State, values)
			case *tfprotov6.ReadDataSourceResponse:
				set(probe.schemas.DataSourceSchemas[thing], &r.State, values)
			case *tfprotov6.OpenEphemeralResourceResponse:
				set(probe.schemas.EphemeralResourceSchemas[thing], &r.Result, values)
			}
		}
	}

	create := func(p *Provider) { p.MustCreate(thing, consent) }
	refresh := func(p *Provider) {
		state, _ := p.MustCreate(thing, consent)
		p.Refresh(thing, state)
	}
	replan := func(p *Provider) {
		state, _ := p.MustCreate(thing, consent)
		p.WantEmptyPlan(thing, state, consent)
	}
	for _, tc := range []struct {
		name   string
		use    func(*Provider)
		change func(response any)
		reason string
	}{
		{"a plan", create, change(another, &tfprotov6.PlanResourceChangeResponse{}), "identity_id is neither as configured"},
		{"an apply", create, change(another, &tfprotov6.ApplyResourceChangeResponse{}), "is not as planned"},
		{"an unknown value", create, change(later, &tfprotov6.ApplyResourceChangeResponse{}), "is still unknown"},
		{"a write-only value", create, change(secret, &tfprotov6.ApplyResourceChangeResponse{}), "is write-only and has a value"},
		{"a read", refresh, change(later, &tfprotov6.ReadResourceResponse{}), "is still unknown"},
		{"an upgrade before a refresh", refresh, change(later, &tfprotov6.UpgradeResourceStateResponse{}), "is still unknown"},
		{"an upgrade before a plan", replan, change(Attributes{"on_destroy": "withdraw"}, &tfprotov6.UpgradeResourceStateResponse{}), "the plan is not empty"},
		{"an import", func(p *Provider) { p.Import(thing, "ann") }, change(later, &tfprotov6.ImportResourceStateResponse{}), "is still unknown"},
		{"a data source", func(p *Provider) { p.ReadData(thing, ann) }, change(another, &tfprotov6.ReadDataSourceResponse{}), "identity_id is neither as configured"},
		{"an ephemeral resource", func(p *Provider) { p.Open(thing, ann) }, change(another, &tfprotov6.OpenEphemeralResourceResponse{}), "identity_id is neither as configured"},
	} {
		wantRefusal(t, tc.name, tc.reason, func(tb testing.TB) {
			tb.Helper()
			service := mocktest.Start(t)
			service.PutConsent(mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}, "ann", mockserver.ConsentRecord{})
			p := MustStart(tb, Config(service))
			p.change = tc.change
			tc.use(p)
		})
	}
}
