package provider

import (
	"context"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/orphan"
)

// panicking is a provider in which every request panics, many of them with a person's
// data.
type panicking struct{ Server }

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

func TestGuard_panicKeepsWhatWasThere(t *testing.T) {
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

// TestGuard_coversEveryRequest holds that no request to the framework's server passes
// unguarded, and that none is hidden on its way from the process to that server.
func TestGuard_coversEveryRequest(t *testing.T) {
	t.Parallel()
	framework := reflect.TypeOf(providerserver.NewProtocol6(New("test", os.Getenv))())
	stateStores := reflect.TypeFor[tfprotov6.StateStoreServer]()

	for i := range framework.NumMethod() {
		name := framework.Method(i).Name
		if _, left := stateStores.MethodByName(name); left {
			continue
		}

		for _, outer := range []reflect.Type{reflect.TypeFor[guard](), reflect.TypeFor[orphan.Server]()} {
			if method, ok := outer.MethodByName(name); !ok || method.Type.NumIn() != framework.Method(i).Type.NumIn() {
				t.Errorf("%v has no %s", outer, name)
			}
		}
	}
}

// TestGuard_panicIsAnErrorOfItsRequest lets every request panic, and looks for the
// error in its response.
func TestGuard_panicIsAnErrorOfItsRequest(t *testing.T) {
	t.Parallel()
	g := reflect.ValueOf(newGuard(panicking{}))
	for i := range g.NumMethod() {
		name, method := g.Type().Method(i).Name, g.Method(i)
		request := reflect.New(method.Type().In(1).Elem())
		out := method.Call([]reflect.Value{reflect.ValueOf(t.Context()), request})
		if !out[1].IsNil() {
			t.Errorf("%s ended with %v", name, out[1])
		}
		if texts := errorsOf(out[0].Interface()); len(texts) != 1 || !strings.Contains(texts[0], "Internal error") || strings.Contains(texts[0], "canary") {
			t.Errorf("%s has the errors %q", name, texts)
		}
	}
}

// errorsOf returns the errors in a response, or in the stream of one.
func errorsOf(response any) (texts []string) {
	add := func(diags []*tfprotov6.Diagnostic) {
		for _, d := range diags {
			texts = append(texts, d.Summary+" "+d.Detail)
		}
	}

	switch r := response.(type) {
	case *tfprotov6.StopProviderResponse:
		return []string{r.Error}
	case *tfprotov6.CallFunctionResponse:
		return []string{r.Error.Text}
	case *tfprotov6.ListResourceServerStream:
		for result := range r.Results {
			add(result.Diagnostics)
		}
	case *tfprotov6.InvokeActionServerStream:
		for event := range r.Events {
			if completed, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
				add(completed.Diagnostics)
			}
		}

	default:
		diags, _ := reflect.TypeAssert[[]*tfprotov6.Diagnostic](reflect.ValueOf(response).Elem().FieldByName("Diagnostics"))
		add(diags)
	}

	return texts
}
