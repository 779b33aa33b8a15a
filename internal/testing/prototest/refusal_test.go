// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// The responses that can be changed.
type (
	plan    = tfprotov6.PlanResourceChangeResponse
	apply   = tfprotov6.ApplyResourceChangeResponse
	read    = tfprotov6.ReadResourceResponse
	upgrade = tfprotov6.UpgradeResourceStateResponse
	imports = tfprotov6.ImportResourceStateResponse
	moves   = tfprotov6.MoveResourceStateResponse
	data    = tfprotov6.ReadDataSourceResponse
	opens   = tfprotov6.OpenEphemeralResourceResponse
	lists   = tfprotov6.ListResourceServerStream
)

// thing is a resource, a data source, an ephemeral resource and a list.
const thing = "analytics_consent"

var (
	ann      = Attributes{"identity_id": "ann"}
	consents = ann.With(Attributes{
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
	})
)

// The uses of the driver.
func create(p *Provider)     { p.MustCreate(thing, consents) }
func refresh(p *Provider)    { p.Refresh(thing, created(p)) }
func replan(p *Provider)     { p.WantEmptyPlan(thing, created(p), consents) }
func byID(p *Provider)       { p.Import(thing, "ann") }
func byIdentity(p *Provider) { p.ImportByIdentity(thing, ann) }
func readData(p *Provider)   { p.ReadData(thing, ann) }
func open(p *Provider)       { p.Open(thing, ann) }
func list(p *Provider)       { p.List(thing, ListRequest{Config: Attributes{"identity_ids": []any{"ann"}}}) }

func update(p *Provider) {
	p.Update(thing, created(p), consents.With(Attributes{"clause_1_consent": false}))
}

func move(p *Provider) {
	path := []byte(`{"path":"/v1/org/org-demo/project/web/compliance/user/ann/consent"}`)
	p.Move(Source{Type: "restful_resource", Provider: "registry.terraform.io/magodo/restful", Attributes: path}, thing)
}

func created(p *Provider) *State {
	state, _ := p.MustCreate(thing, consents)
	return state
}

// on returns a change of the responses of one type.
func on[R any](change func(*R)) func(response any) {
	return func(response any) {
		if r, ok := response.(*R); ok {
			change(r)
		}
	}
}

// TestProvider_holdsEveryResponseToTheRules changes one response of each call.
func TestProvider_holdsEveryResponseToTheRules(t *testing.T) {
	t.Parallel()
	probe := MustStart(t, Attributes{"base_url": "https://analytics.example.com", "api_secret_key": "invented"})
	resource, source := probe.resourceSchema(thing), probe.schemas.DataSourceSchemas[thing]
	ephemeral := probe.schemas.EphemeralResourceSchemas[thing]
	set := func(schema *tfprotov6.Schema, packed **tfprotov6.DynamicValue, values Attributes) {
		before, _ := fromValue(t, unpack(t, schema.ValueType(), *packed)).(Attributes)
		*packed = pack(t, toValue(t, schema.ValueType(), before.With(values)))
	}
	identity := func(id any) *tfprotov6.ResourceIdentityData {
		values := toValue(t, probe.identities[thing].ValueType(), Attributes{"identity_id": id})
		return &tfprotov6.ResourceIdentityData{IdentityData: pack(t, values)}
	}

	applies := 0
	next := func() *tfprotov6.ResourceIdentityData {
		applies++
		return identity(fmt.Sprint(applies))
	}

	another, later := Attributes{"identity_id": "another"}, Attributes{"agreement_time": Unknown}
	secret, withdraws := Attributes{"user_ipv6_wo": "192.0.2.7"}, Attributes{"on_destroy": "withdraw"}
	nameless := []tfprotov6.ListResourceResult{{DisplayName: "ann"}}
	for _, tc := range []struct {
		name   string
		use    func(*Provider)
		change func(response any)
		reason string
	}{
		{"a plan", create, on(func(r *plan) { set(resource, &r.PlannedState, another) }), "identity_id is neither as configured"},
		{"an apply", create, on(func(r *apply) { set(resource, &r.NewState, another) }), "identity_id is not as planned"},
		{"an unknown value", create, on(func(r *apply) { set(resource, &r.NewState, later) }), "is still unknown"},
		{"a write-only value", create, on(func(r *apply) { set(resource, &r.NewState, secret) }), "is write-only and has a value"},
		{"a read", refresh, on(func(r *read) { set(resource, &r.NewState, later) }), "is still unknown"},
		{"an upgrade before a refresh", refresh, on(func(r *upgrade) { set(resource, &r.UpgradedState, later) }), "is still unknown"},
		{"an upgrade before a plan", replan, on(func(r *upgrade) { set(resource, &r.UpgradedState, later) }), "is still unknown"},
		{"an upgrade to another value", replan, on(func(r *upgrade) { set(resource, &r.UpgradedState, withdraws) }), "the plan is not empty"},
		{"an import", byID, on(func(r *imports) { set(resource, &r.ImportedResources[0].State, later) }), "is still unknown"},
		{"a move", move, on(func(r *moves) { set(resource, &r.TargetState, later) }), "is still unknown"},
		{"a data source", readData, on(func(r *data) { set(source, &r.State, another) }), "identity_id is neither as configured"},
		{"an unknown value of a data source", readData, on(func(r *data) { set(source, &r.State, later) }), "is still unknown"},
		{"an ephemeral resource", open, on(func(r *opens) { set(ephemeral, &r.Result, another) }), "identity_id is neither as configured"},

		{"no identity after an apply", create, on(func(r *apply) { r.NewIdentity = nil }), "has no identity"},
		{"an empty one", create, on(func(r *apply) { r.NewIdentity = identity(nil) }), "has no identity"},
		{"an unknown one", create, on(func(r *apply) { r.NewIdentity = identity(Unknown) }), "it has unknown values"},
		{"another one after a plan", replan, on(func(r *plan) { r.PlannedIdentity = identity("another") }), "the identity has changed"},
		{"another one after an apply", update, on(func(r *apply) { r.NewIdentity = next() }), "the identity has changed"},
		{"another one after a read", refresh, on(func(r *read) { r.NewIdentity = identity("another") }), "the identity has changed"},
		{"no identity after an import", byID, on(func(r *read) { r.NewIdentity = nil }), "has no identity"},
		{"no identity in an import by identity", byIdentity, on(func(r *imports) { r.ImportedResources[0].Identity = nil }), "it has none"},
		{"no identity in a list", list, on(func(r *lists) { r.Results = slices.Values(nameless) }), "it has no identity"},

		{"an import of nothing", byID, on(func(r *imports) { r.ImportedResources = nil }), "it has 0 objects"},
		{"an import of two", byID, on(func(r *imports) { r.ImportedResources = slices.Repeat(r.ImportedResources, 2) }), "it has 2 objects"},
		{"an import of no type", byID, on(func(r *imports) { r.ImportedResources[0].TypeName = "" }), `an object of "" for "analytics_consent"`},
		{"an import of what does not exist", byID, on(func(r *imports) { r.ImportedResources[0].State = nil }), "or none"},
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
