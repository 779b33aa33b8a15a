// Package acctest drives the provider for tests: over the plugin protocol as
// Terraform's core would, in milliseconds, and through the real Terraform CLI.
package acctest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// Provider is a configured provider, driven without a CLI. It checks every plan
// and every new state by the rules that Terraform's core applies.
type Provider struct {
	t       testing.TB
	server  tfprotov6.ProviderServer
	schemas *tfprotov6.GetProviderSchemaResponse
	config  *tfprotov6.DynamicValue
}

// State is an object as Terraform stores it.
type State struct {
	Attributes
	Private []byte
	raw     tftypes.Value
}

// Plan is what a plan says about an object.
type Plan struct {
	Attributes
	// Changes tells whether anything differs from the prior state; Replace names
	// the attributes that force a replacement.
	Changes bool
	Replace []string
	private []byte
	raw     tftypes.Value
	config  tftypes.Value
}

// Start serves a provider with an environment of its own and configures it.
// Errors of the configuration are in the diagnostics.
func Start(tb testing.TB, config Attributes, environment map[string]string, options ...provider.Option) (*Provider, Diagnostics) {
	tb.Helper()
	options = slices.Concat([]provider.Option{prompt}, options)
	p := &Provider{t: tb, server: provider.NewServer("test", func(name string) string { return environment[name] }, options...)}
	schemas, err := p.server.GetProviderSchema(tb.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		tb.Fatal(err)
	}
	p.schemas = schemas
	p.config = pack(tb, toValue(tb, schemas.Provider.ValueType(), config))
	validated, err := p.server.ValidateProviderConfig(tb.Context(), &tfprotov6.ValidateProviderConfigRequest{Config: p.config})
	if err != nil {
		tb.Fatal(err)
	}
	diags := Diagnostics(validated.Diagnostics)
	if len(diags.Errors()) > 0 {
		return p, diags
	}
	configured, err := p.server.ConfigureProvider(tb.Context(), &tfprotov6.ConfigureProviderRequest{Config: p.config, TerraformVersion: "1.11.4"})
	if err != nil {
		tb.Fatal(err)
	}
	return p, append(diags, configured.Diagnostics...)
}

// prompt is for a mock server whose pending list never lags, so that no test waits for
// it. A test that wants a lag sets it in the block wire.
func prompt(cfg *client.Config) {
	if cfg.Wire.PendingListLag == "" {
		cfg.Wire.PendingListLag = "0s"
	}
}

// MustStart is Start for configurations that are right.
func MustStart(tb testing.TB, config Attributes, options ...provider.Option) *Provider {
	tb.Helper()
	p, diags := Start(tb, config, nil, options...)
	p.NoErrors(diags)
	return p
}

// NoErrors fails the test where there are any.
func (p *Provider) NoErrors(diags Diagnostics) {
	p.t.Helper()
	if errors := diags.Errors(); len(errors) > 0 {
		p.t.Fatalf("unexpected errors:\n%s", strings.Join(errors, "\n"))
	}
}

func (p *Provider) resourceSchema(name string) *tfprotov6.Schema {
	p.t.Helper()
	s := p.schemas.ResourceSchemas[name]
	if s == nil {
		p.t.Fatalf("there is no resource %s", name)
	}
	return s
}

// Validate checks the configuration of a resource.
func (p *Provider) Validate(name string, config Attributes) Diagnostics {
	p.t.Helper()
	typ := p.resourceSchema(name).ValueType()
	resp, err := p.server.ValidateResourceConfig(p.t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: name, Config: pack(p.t, toValue(p.t, typ, config)),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.Diagnostics
}

// Plan plans a resource: prior nil creates, config nil destroys.
func (p *Provider) Plan(name string, prior *State, config Attributes) (Plan, Diagnostics) {
	p.t.Helper()
	schema := p.resourceSchema(name)
	typ := schema.ValueType()
	configured := tftypes.NewValue(typ, nil)
	if config != nil {
		configured = toValue(p.t, typ, config)
	}
	before, private := prior.parts(typ)
	resp, err := p.server.PlanResourceChange(p.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: name, PriorState: pack(p.t, before), PriorPrivate: private,
		Config: pack(p.t, configured), ProposedNewState: pack(p.t, proposed(p.t, schema, before, configured)),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	diags := Diagnostics(resp.Diagnostics)
	if len(diags.Errors()) > 0 {
		return Plan{}, diags
	}
	planned := unpack(p.t, typ, resp.PlannedState)
	checkPlan(p.t, schema, before, configured, planned)
	plan := Plan{raw: planned, config: configured, private: resp.PlannedPrivate, Changes: !planned.Equal(before)}
	plan.Attributes, _ = fromValue(p.t, planned).(Attributes)
	for _, at := range resp.RequiresReplace {
		plan.Replace = append(plan.Replace, strings.Trim(strings.TrimPrefix(at.String(), "AttributeName("), `")`))
	}
	return plan, diags
}

// Apply carries a plan out. The state is nil where the object is gone, or never
// came to be.
func (p *Provider) Apply(ctx context.Context, name string, prior *State, plan Plan) (*State, Diagnostics) {
	p.t.Helper()
	typ := p.resourceSchema(name).ValueType()
	before, _ := prior.parts(typ)
	resp, err := p.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: name, PriorState: pack(p.t, before), PlannedState: pack(p.t, plan.raw),
		PlannedPrivate: plan.private, Config: pack(p.t, plan.config),
	})
	if err != nil {
		p.t.Fatal(err)
	}
	diags := Diagnostics(resp.Diagnostics)
	after := unpack(p.t, typ, resp.NewState)
	if len(diags.Errors()) == 0 {
		checkApplied(p.t, plan.raw, after)
	}
	return p.stateOf(after, resp.Private), diags
}

// Create validates, plans and applies a new object.
func (p *Provider) Create(name string, config Attributes) (*State, Diagnostics) {
	p.t.Helper()
	return p.change(name, nil, config)
}

// Update plans and applies a change.
func (p *Provider) Update(name string, prior *State, config Attributes) (*State, Diagnostics) {
	p.t.Helper()
	return p.change(name, prior, config)
}

// Destroy plans and applies the end of an object; the state is nil where it is gone.
func (p *Provider) Destroy(name string, prior *State) (*State, Diagnostics) {
	p.t.Helper()
	return p.change(name, prior, nil)
}

// DestroyUnplanned applies the end of an object as the apply of a saved plan does: the
// process that applies was not asked for the plan.
func (p *Provider) DestroyUnplanned(name string, prior *State) Diagnostics {
	p.t.Helper()
	typ := p.resourceSchema(name).ValueType()
	null := tftypes.NewValue(typ, nil)
	after, diags := p.Apply(p.t.Context(), name, prior, Plan{raw: null, config: null, private: prior.Private})
	if after != nil {
		p.t.Error("the object is still there")
	}
	return diags
}

func (p *Provider) change(name string, prior *State, config Attributes) (*State, Diagnostics) {
	p.t.Helper()
	var all Diagnostics
	if config != nil {
		all = p.Validate(name, config)
		if len(all.Errors()) > 0 {
			return prior, all
		}
	}
	plan, diags := p.Plan(name, prior, config)
	all = append(all, diags...)
	if len(diags.Errors()) > 0 {
		return prior, all
	}
	if len(plan.Replace) > 0 && prior != nil {
		p.t.Fatalf("the plan replaces the object because of %v", plan.Replace)
	}
	state, diags := p.Apply(p.t.Context(), name, prior, plan)
	return state, append(all, diags...)
}

// Refresh reads an object; the state is nil where it is gone.
func (p *Provider) Refresh(name string, state *State) (*State, Diagnostics) {
	p.t.Helper()
	resp, err := p.server.ReadResource(p.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: pack(p.t, state.raw), Private: state.Private,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return p.stateOf(unpack(p.t, p.resourceSchema(name).ValueType(), resp.NewState), resp.Private), resp.Diagnostics
}

// Import imports an object and refreshes it, as Terraform does.
func (p *Provider) Import(name, id string) (*State, Diagnostics) {
	p.t.Helper()
	state, diags := p.importOnly(name, id)
	if state == nil {
		return nil, diags
	}
	state, more := p.Refresh(name, state)
	return state, append(diags, more...)
}

// ImportOnly is what an import writes into state before the first refresh.
func (p *Provider) ImportOnly(name, id string) *State {
	p.t.Helper()
	state, diags := p.importOnly(name, id)
	p.NoErrors(diags)
	return state
}

func (p *Provider) importOnly(name, id string) (*State, Diagnostics) {
	p.t.Helper()
	resp, err := p.server.ImportResourceState(p.t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: name, ID: id})
	if err != nil {
		p.t.Fatal(err)
	}
	diags := Diagnostics(resp.Diagnostics)
	if len(diags.Errors()) > 0 {
		if len(resp.ImportedResources) > 0 {
			p.t.Fatal("an import that failed left something in state")
		}
		return nil, diags
	}
	imported := resp.ImportedResources[0]
	return p.stateOf(unpack(p.t, p.resourceSchema(name).ValueType(), imported.State), imported.Private), diags
}

// ReadData reads a data source.
func (p *Provider) ReadData(name string, config Attributes) (Attributes, Diagnostics) {
	p.t.Helper()
	schema := p.schemas.DataSourceSchemas[name]
	if schema == nil {
		p.t.Fatalf("there is no data source %s", name)
	}
	packed := pack(p.t, toValue(p.t, schema.ValueType(), config))
	validated, err := p.server.ValidateDataResourceConfig(p.t.Context(), &tfprotov6.ValidateDataResourceConfigRequest{TypeName: name, Config: packed})
	if err != nil {
		p.t.Fatal(err)
	}
	diags := Diagnostics(validated.Diagnostics)
	if len(diags.Errors()) > 0 {
		return nil, diags
	}
	resp, err := p.server.ReadDataSource(p.t.Context(), &tfprotov6.ReadDataSourceRequest{TypeName: name, Config: packed})
	if err != nil {
		p.t.Fatal(err)
	}
	diags = append(diags, resp.Diagnostics...)
	if len(diags.Errors()) > 0 {
		return nil, diags
	}
	read, _ := fromValue(p.t, unpack(p.t, schema.ValueType(), resp.State)).(Attributes)
	return read, diags
}

// MustCreate is Create of an object that has to come to be.
func (p *Provider) MustCreate(name string, config Attributes) (*State, Diagnostics) {
	p.t.Helper()
	state, diags := p.Create(name, config)
	p.NoErrors(diags)
	if state == nil {
		p.t.Fatal("nothing was created")
	}
	return state, diags
}

// MustRefresh is Refresh of an object that has to be there still.
func (p *Provider) MustRefresh(name string, state *State) (*State, Diagnostics) {
	p.t.Helper()
	state, diags := p.Refresh(name, state)
	p.NoErrors(diags)
	if state == nil {
		p.t.Fatal("the refresh removed the object")
	}
	return state, diags
}

// WantEmptyPlan fails the test where there is anything to do, and returns what the
// plan says besides.
func (p *Provider) WantEmptyPlan(name string, state *State, config Attributes) Diagnostics {
	p.t.Helper()
	plan, diags := p.Plan(name, state, config)
	p.NoErrors(diags)
	if plan.Changes {
		p.t.Errorf("the plan is not empty:\n%v\nto\n%v", state.Attributes, plan.Attributes)
	}
	return diags
}

// Stop tells the provider that Terraform wants to end.
func (p *Provider) Stop() {
	p.t.Helper()
	if _, err := p.server.StopProvider(p.t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		p.t.Fatal(err)
	}
}

// Schemas are what the provider says of itself.
func (p *Provider) Schemas() *tfprotov6.GetProviderSchemaResponse { return p.schemas }

func (p *Provider) stateOf(v tftypes.Value, private []byte) *State {
	p.t.Helper()
	if v.IsNull() {
		return nil
	}
	attributes, _ := fromValue(p.t, v).(Attributes)
	return &State{Attributes: attributes, Private: private, raw: v}
}

func (s *State) parts(typ tftypes.Type) (tftypes.Value, []byte) {
	if s == nil {
		return tftypes.NewValue(typ, nil), nil
	}
	return s.raw, s.Private
}

// NewRun configures the provider once more, as Terraform does for each plan and each
// apply: what the provider remembers of one run is gone. Settings are those of Start.
func (p *Provider) NewRun() {
	p.t.Helper()
	resp, err := p.server.ConfigureProvider(p.t.Context(), &tfprotov6.ConfigureProviderRequest{Config: p.config, TerraformVersion: "1.11.4"})
	if err != nil {
		p.t.Fatal(err)
	}

	p.NoErrors(resp.Diagnostics)
}

// Reconfigure is NewRun with other settings in the provider block.
func (p *Provider) Reconfigure(config Attributes) {
	p.t.Helper()
	p.config = pack(p.t, toValue(p.t, p.schemas.Provider.ValueType(), config))
	p.NewRun()
}
