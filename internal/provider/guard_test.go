package provider

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/provider"
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
	g := reflect.ValueOf(guard{panicking{}})
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

// streaming is a provider whose streams hand over one element and then panic.
type streaming struct{ Server }

func (streaming) ListResource(context.Context, *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	return &tfprotov6.ListResourceServerStream{Results: func(push func(tfprotov6.ListResourceResult) bool) {
		push(tfprotov6.ListResourceResult{DisplayName: "first"})
		panic(panicValue)
	}}, nil
}

func (streaming) InvokeAction(context.Context, *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
		push(tfprotov6.InvokeActionEvent{Type: tfprotov6.ProgressInvokeActionEventType{Message: "first"}})
		panic(panicValue)
	}}, nil
}

func TestGuard_panicInAStreamEndsItWithAnError(t *testing.T) {
	t.Parallel()
	g := guard{streaming{}}
	list, err := g.ListResource(t.Context(), &tfprotov6.ListResourceRequest{})
	if err != nil {
		t.Fatal(err)
	}

	invoked, err := g.InvokeAction(t.Context(), &tfprotov6.InvokeActionRequest{})
	if err != nil {
		t.Fatal(err)
	}

	for name, stream := range map[string]any{"list": list, "action": invoked} {
		if texts := errorsOf(stream); len(texts) != 1 || !strings.Contains(texts[0], "Internal error") || strings.Contains(texts[0], "canary") {
			t.Errorf("%s has the errors %q", name, texts)
		}
	}
}

// TestGuard_consumerThatStopsIsLeftAlone stops after the first element of a stream that
// then panics: nothing more is handed over.
func TestGuard_consumerThatStopsIsLeftAlone(t *testing.T) {
	t.Parallel()
	g := guard{streaming{}}
	list, err := g.ListResource(t.Context(), &tfprotov6.ListResourceRequest{})
	if err != nil {
		t.Fatal(err)
	}

	taken := 0
	list.Results(func(tfprotov6.ListResourceResult) bool {
		taken++
		return false
	})

	if taken != 1 {
		t.Errorf("%d elements were handed over", taken)
	}
}

// TestGuard_panicOfTheConsumerGoesOn holds that the guard does not hide what its caller
// does wrong.
func TestGuard_panicOfTheConsumerGoesOn(t *testing.T) {
	t.Parallel()
	list, err := guard{streaming{}}.ListResource(t.Context(), &tfprotov6.ListResourceRequest{})
	if err != nil {
		t.Fatal(err)
	}

	mine := errors.New("the consumer's")
	defer func() {
		if reason := recover(); reason != mine { //nolint:errorlint // the same value comes back
			t.Errorf("the panic became %v", reason)
		}
	}()

	for range list.Results {
		panic(mine)
	}
}

// chatty is a provider with one action, which reports progress until it is cancelled.
type chatty struct{ provider.Provider }

func (chatty) Actions(context.Context) []func() action.Action {
	return []func() action.Action{func() action.Action { return talking{} }}
}

type talking struct{}

func (talking) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "analytics_talk"
}

func (talking) Schema(context.Context, action.SchemaRequest, *action.SchemaResponse) {}

func (talking) Invoke(ctx context.Context, _ action.InvokeRequest, resp *action.InvokeResponse) {
	for ctx.Err() == nil {
		resp.SendProgress(action.InvokeProgressEvent{Message: "still here"})
		<-time.After(time.Second)
	}
}

// TestGuard_clientThatGoesAwayLeaksNothing stops reading the progress of an action, and
// cancels it, as a connection that breaks does. The bubble fails the test where a
// goroutine stays.
func TestGuard_clientThatGoesAwayLeaksNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(providerserver.NewProtocol6(chatty{New("test", func(string) string { return "" })})())
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		none, err := tfprotov6.NewDynamicValue(tftypes.Object{}, tftypes.NewValue(tftypes.Object{}, map[string]tftypes.Value{}))
		if err != nil {
			t.Fatal(err)
		}

		stream, err := g.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: "analytics_talk", Config: &none})
		if err != nil {
			t.Fatal(err)
		}

		heard := 0
		for event := range stream.Events {
			if _, ok := event.Type.(tfprotov6.ProgressInvokeActionEventType); !ok {
				t.Fatalf("the action ended with %v", errorsOf(&tfprotov6.InvokeActionServerStream{Events: only(event)}))
			}
			heard++
			time.AfterFunc(10*time.Second, cancel)
			break
		}

		if heard != 1 {
			t.Errorf("%d messages were heard", heard)
		}
	})
}
