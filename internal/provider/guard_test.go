package provider

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// panicking is a provider in which every request panics with a person's data.
type panicking struct{ tfprotov6.ProviderServer }

const panicValue = "canary of jane.doe@example.com"

func (panicking) ValidateProviderConfig(context.Context, *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	panic(panicValue)
}

func (panicking) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	panic(panicValue)
}

func (panicking) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	panic(panicValue)
}

func (panicking) UpgradeResourceState(context.Context, *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	panic(panicValue)
}

func (panicking) ReadResource(context.Context, *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	panic(panicValue)
}

func (panicking) PlanResourceChange(context.Context, *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	panic(panicValue)
}

func (panicking) ApplyResourceChange(context.Context, *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	panic(panicValue)
}

func (panicking) ImportResourceState(context.Context, *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	panic(panicValue)
}

func (panicking) ValidateDataResourceConfig(context.Context, *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	panic(panicValue)
}

func (panicking) ReadDataSource(context.Context, *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	panic(panicValue)
}

func TestAPanicIsAnErrorOfItsOwnRequestAndKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	g := newGuard(panicking{})
	prior, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, "prior"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]func() ([]*tfprotov6.Diagnostic, *tfprotov6.DynamicValue, bool, error){
		"validate provider": func() ([]*tfprotov6.Diagnostic, *tfprotov6.DynamicValue, bool, error) {
			r, err := g.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{})
			return r.Diagnostics, nil, false, err
		},
		"configure": func() ([]*tfprotov6.Diagnostic, *tfprotov6.DynamicValue, bool, error) {
			r, err := g.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{})
			return r.Diagnostics, nil, false, err
		},
		"validate resource": func() ([]*tfprotov6.Diagnostic, *tfprotov6.DynamicValue, bool, error) {
			r, err := g.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{})
			return r.Diagnostics, nil, false, err
		},
		"upgrade": func() ([]*tfprotov6.Diagnostic, *tfprotov6.DynamicValue, bool, error) {
			r, err := g.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{})
			return r.Diagnostics, nil, false, err
		},
		"read": func() ([]*tfprotov6.Diagnostic, *tfprotov6.DynamicValue, bool, error) {
			r, err := g.ReadResource(ctx, &tfprotov6.ReadResourceRequest{CurrentState: &prior})
			return r.Diagnostics, r.NewState, true, err
		},
		"plan": func() ([]*tfprotov6.Diagnostic, *tfprotov6.DynamicValue, bool, error) {
			r, err := g.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{PriorState: &prior})
			return r.Diagnostics, r.PlannedState, true, err
		},
		"apply": func() ([]*tfprotov6.Diagnostic, *tfprotov6.DynamicValue, bool, error) {
			r, err := g.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{PriorState: &prior})
			return r.Diagnostics, r.NewState, true, err
		},
		"import": func() ([]*tfprotov6.Diagnostic, *tfprotov6.DynamicValue, bool, error) {
			r, err := g.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{})
			return r.Diagnostics, nil, false, err
		},
		"validate data": func() ([]*tfprotov6.Diagnostic, *tfprotov6.DynamicValue, bool, error) {
			r, err := g.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{})
			return r.Diagnostics, nil, false, err
		},
		"read data": func() ([]*tfprotov6.Diagnostic, *tfprotov6.DynamicValue, bool, error) {
			r, err := g.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{})
			return r.Diagnostics, nil, false, err
		},
	}
	for name, request := range all {
		diags, state, keeps, err := request()
		if err != nil || len(diags) != 1 || diags[0].Summary != "Internal error" {
			t.Errorf("%s: %v %v", name, diags, err)
			continue
		}
		if strings.Contains(diags[0].Detail, "canary") || !strings.Contains(diags[0].Detail, "In state now:") {
			t.Errorf("%s: the detail is %q", name, diags[0].Detail)
		}
		if keeps && state != &prior {
			t.Errorf("%s: the prior state is lost", name)
		}
	}
}
