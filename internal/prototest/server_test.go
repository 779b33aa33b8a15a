// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// thing is everything that the server has: a resource, a data source, an ephemeral resource
// and a list.
const thing = "test_thing"

// server is a provider that keeps every rule, apart from what the functions change in its
// responses. Values that are computed become "made".
type server struct {
	provider.Server // nil: what the driver never calls is not there

	t      testing.TB
	call   string           // whose values change, as in uses
	change func(Attributes) // nil: none
	// respond changes a whole response of any call; nil: none.
	respond func(response any)

	private  []string // that plans, applies and reads have received
	proposed Attributes
	upgraded int
}

// attributes returns those of the resource and of all objects nested in it.
func attributes(more ...*tfprotov6.SchemaAttribute) []*tfprotov6.SchemaAttribute {
	return append(more,
		&tfprotov6.SchemaAttribute{Name: "name", Type: tftypes.String, Optional: true},
		&tfprotov6.SchemaAttribute{Name: "note", Type: tftypes.String, Optional: true},
		&tfprotov6.SchemaAttribute{Name: "kind", Type: tftypes.String, Optional: true, Computed: true},
		&tfprotov6.SchemaAttribute{Name: "size", Type: tftypes.String, Optional: true, Computed: true},
		&tfprotov6.SchemaAttribute{Name: "made", Type: tftypes.String, Computed: true},
	)
}

func schema() *tfprotov6.Schema {
	secret := &tfprotov6.SchemaAttribute{Name: "secret", Type: tftypes.String, Optional: true, WriteOnly: true}
	block := &tfprotov6.SchemaBlock{Attributes: attributes(secret)}
	block.Attributes = append(block.Attributes, &tfprotov6.SchemaAttribute{
		Name: "single", Optional: true, NestedType: &tfprotov6.SchemaObject{Nesting: tfprotov6.SchemaObjectNestingModeSingle, Attributes: attributes(secret)},
	})
	block.BlockTypes = []*tfprotov6.SchemaNestedBlock{{
		TypeName: "block", Nesting: tfprotov6.SchemaNestedBlockNestingModeSingle, Block: &tfprotov6.SchemaBlock{Attributes: attributes(secret)},
	}}

	return &tfprotov6.Schema{Block: block}
}

// config returns a configuration with an object in every place.
func config() Attributes {
	object := func() Attributes {
		return Attributes{"name": "as configured", "kind": "as configured", "secret": "a secret"}
	}
	return object().With(Attributes{"single": object(), "block": object()})
}

// at returns the object in a place of a configuration or of a state; the whole one for "".
func at(place string, whole Attributes) Attributes {
	if place == "" {
		return whole
	}
	nested, ok := whole[place].(Attributes)
	if !ok {
		panic(fmt.Sprintf("there is nothing at %q: %v", place, whole))
	}

	return nested
}

// replace puts one value in the place of another, wherever the provider sets values.
func replace(values Attributes, from, to any) {
	for name, member := range values {
		if nested, ok := member.(Attributes); ok {
			replace(nested, from, to)
		}
		if (name == "size" || name == "made") && member == from {
			values[name] = to
		}
		if name == "secret" {
			values[name] = nil
		}
	}
}

func (s *server) unpack(packed *tfprotov6.DynamicValue) Attributes {
	values, _ := fromValue(s.t, unpack(s.t, schema().ValueType(), packed)).(Attributes)
	return values
}

// packed returns the values of a call's response, changed.
func (s *server) packed(call string, values Attributes) *tfprotov6.DynamicValue {
	if s.change != nil && s.call == call && values != nil {
		s.change(values)
	}
	return s.pack(values)
}

// responded returns a response, changed.
func responded[R any](s *server, response *R) *R {
	if s.respond != nil {
		s.respond(response)
	}
	return response
}

func (s *server) pack(values Attributes) *tfprotov6.DynamicValue {
	if values == nil {
		return pack(s.t, tftypes.NewValue(schema().ValueType(), nil))
	}
	return pack(s.t, toValue(s.t, schema().ValueType(), values))
}

// identity returns an identity with an ID.
func identity(id any) *tfprotov6.ResourceIdentityData {
	typ := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String}}
	v := tftypes.NewValue(typ, map[string]tftypes.Value{"id": tftypes.NewValue(tftypes.String, id)})
	packed, err := tfprotov6.NewDynamicValue(typ, v)
	if err != nil {
		panic(err)
	}

	return &tfprotov6.ResourceIdentityData{IdentityData: &packed}
}

func (*server) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	things := map[string]*tfprotov6.Schema{thing: schema()}
	return &tfprotov6.GetProviderSchemaResponse{
		Provider:        &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}},
		ResourceSchemas: things, DataSourceSchemas: things, EphemeralResourceSchemas: things,
		ListResourceSchemas: map[string]*tfprotov6.Schema{thing: {Block: &tfprotov6.SchemaBlock{}}},
	}, nil
}

func (*server) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	attributes := []*tfprotov6.ResourceIdentitySchemaAttribute{{Name: "id", Type: tftypes.String, RequiredForImport: true}}
	return &tfprotov6.GetResourceIdentitySchemasResponse{
		IdentitySchemas: map[string]*tfprotov6.ResourceIdentitySchema{thing: {IdentityAttributes: attributes}},
	}, nil
}

func (*server) ValidateProviderConfig(context.Context, *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{}, nil
}

func (*server) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (*server) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (s *server) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	s.private = append(s.private, string(req.PriorPrivate))
	s.proposed = s.unpack(req.ProposedNewState)
	resp := &tfprotov6.PlanResourceChangeResponse{PlannedPrivate: []byte("planned"), PlannedIdentity: req.PriorIdentity}
	if s.unpack(req.PriorState) == nil {
		resp.PlannedIdentity = identity(tftypes.UnknownValue)
	}

	planned := s.unpack(req.ProposedNewState)
	replace(planned, nil, Unknown)
	resp.PlannedState = s.packed("plan", planned)

	return responded(s, resp), nil
}

func (s *server) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	s.private = append(s.private, string(req.PlannedPrivate))
	resp := &tfprotov6.ApplyResourceChangeResponse{Private: []byte("applied"), NewIdentity: identity("1")}

	after := s.unpack(req.PlannedState)
	replace(after, Unknown, "made")
	resp.NewState = s.packed("apply", after)

	return responded(s, resp), nil
}

func (s *server) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	s.private = append(s.private, string(req.Private))
	state := s.packed("read", s.unpack(req.CurrentState))

	return responded(s, &tfprotov6.ReadResourceResponse{NewState: state, Private: []byte("read"), NewIdentity: identity("1")}), nil
}

func (s *server) UpgradeResourceState(_ context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	s.upgraded++
	v, err := req.RawState.Unmarshal(schema().ValueType())
	if err != nil {
		return nil, err
	}

	after, _ := fromValue(s.t, v).(Attributes)

	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: s.packed("upgrade", after)}, nil
}

func (s *server) ImportResourceState(_ context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	one := &tfprotov6.ImportedResource{TypeName: thing, Private: []byte("imported"), Identity: req.Identity}
	one.State = s.packed("import", Attributes{"name": req.ID})

	return responded(s, &tfprotov6.ImportResourceStateResponse{ImportedResources: []*tfprotov6.ImportedResource{one}}), nil
}

func (s *server) MoveResourceState(context.Context, *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	state := s.packed("move", Attributes{"name": "moved"})

	return responded(s, &tfprotov6.MoveResourceStateResponse{TargetState: state, TargetPrivate: []byte("moved"), TargetIdentity: identity("1")}), nil
}

// readFor returns what a call has read for a configuration.
func (s *server) readFor(call string, config *tfprotov6.DynamicValue) *tfprotov6.DynamicValue {
	values := s.unpack(config)
	replace(values, nil, "made")
	return s.packed(call, values)
}

func (*server) ValidateDataResourceConfig(context.Context, *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
}

func (s *server) ReadDataSource(_ context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return responded(s, &tfprotov6.ReadDataSourceResponse{State: s.readFor("data", req.Config)}), nil
}

func (*server) ValidateEphemeralResourceConfig(context.Context, *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return &tfprotov6.ValidateEphemeralResourceConfigResponse{}, nil
}

func (s *server) OpenEphemeralResource(_ context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return responded(s, &tfprotov6.OpenEphemeralResourceResponse{Result: s.readFor("open", req.Config)}), nil
}

func (*server) ValidateListResourceConfig(context.Context, *tfprotov6.ValidateListResourceConfigRequest) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return &tfprotov6.ValidateListResourceConfigResponse{}, nil
}

func (s *server) ListResource(context.Context, *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	result := tfprotov6.ListResourceResult{DisplayName: "one", Identity: identity("1")}
	return &tfprotov6.ListResourceServerStream{Results: slices.Values([]tfprotov6.ListResourceResult{*responded(s, &result)})}, nil
}

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

// refusals returns why the driver fails a test that uses the server.
func refusals(t *testing.T, s *server, use func(p *Provider)) []string {
	t.Helper()
	s.t = t
	r := &recorder{TB: t}
	done := make(chan struct{})

	go func() {
		defer close(done)
		p, _ := connect(r, s, nil)
		use(p)
	}()
	<-done

	return r.reasons
}
