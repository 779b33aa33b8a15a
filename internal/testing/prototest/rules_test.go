// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
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
		{"a write-only value", nil, configured, planned.With(Attributes{"secret": "a secret"}), "secret is neither"},
		{"another block", nil, configured, planned.With(Attributes{"block": Attributes{"part": "other"}}), "block is not as configured"},
		{"a block is as it was", applied, configured.With(Attributes{"block": Attributes{"part": "OURS"}}), applied, "block is not as configured"},
		{"no block", nil, configured, planned.Without("block"), "block is not as configured"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			wantRefusal(t, checkPlan(schema, tc.prior, tc.config, tc.plan), tc.reason)
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
		{"a write-only value", planned, applied.With(Attributes{"secret": "a secret"}), "secret is write-only"},
		{"an unknown value", planned, applied.With(Attributes{"made": Unknown}), "made is still unknown"},
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

// faulty is a provider that changes values in the response of one method.
type faulty struct {
	provider.Server

	t      *testing.T
	in     string
	schema *tfprotov6.Schema
	values Attributes
}

func (f faulty) change(method string, packed **tfprotov6.DynamicValue) {
	if typ := f.schema.ValueType(); method == f.in {
		*packed = pack(f.t, typ, unpack(f.t, typ, *packed).With(f.values))
	}
}

func (f faulty) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := f.Server.PlanResourceChange(ctx, req)
	f.change("plan", &resp.PlannedState)
	return resp, err
}

func (f faulty) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := f.Server.ApplyResourceChange(ctx, req)
	f.change("apply", &resp.NewState)
	return resp, err
}

func TestProvider_holdsResponsesToTheRules(t *testing.T) {
	t.Parallel()
	const thing = "analytics_consent"
	for _, tc := range []struct {
		method string
		values Attributes
		reason string
	}{
		{"plan", Attributes{"identity_id": "another"}, "identity_id is neither as configured"},
		{"apply", Attributes{"identity_id": "another"}, "is not as planned"},
		{"apply", Attributes{"agreement_time": Unknown}, "is still unknown"},
	} {
		t.Run(tc.method+" "+tc.reason, func(t *testing.T) {
			t.Parallel()
			r := &recorder{TB: t}
			p := MustStart(r, Config(mocktest.Start(t)))
			p.server = faulty{p.server, t, tc.method, p.Schemas.ResourceSchemas[thing], tc.values}
			p.Update(thing, nil, Attributes{
				"identity_id": "ann", "clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
			})
			wantRefusal(t, r.reasons, tc.reason)
		})
	}
}

func TestWarnings_haveAtMostSixtyWords(t *testing.T) {
	t.Parallel()
	for words, reason := range map[int]string{60: "", 61: "has 61 words"} {
		r := &recorder{TB: t}
		detail := strings.Repeat("word ", words) + "7\n\nOperation: it is not counted\n\n  nor is a command"
		(&Provider{t: r}).wantShort([]*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityWarning, Detail: detail}})
		wantRefusal(t, r.reasons, reason)
	}
}
