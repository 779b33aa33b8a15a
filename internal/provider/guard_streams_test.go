package provider

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

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
	g := newGuard(streaming{})
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
	g := newGuard(streaming{})
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
	list, err := newGuard(streaming{}).ListResource(t.Context(), &tfprotov6.ListResourceRequest{})
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

// invokeChatty invokes the action of chatty.
func invokeChatty(ctx context.Context, t *testing.T) (Server, *tfprotov6.InvokeActionServerStream) {
	t.Helper()
	g := newGuard(providerserver.NewProtocol6(chatty{New("test", func(string) string { return "" })})())
	none, err := tfprotov6.NewDynamicValue(tftypes.Object{}, tftypes.NewValue(tftypes.Object{}, map[string]tftypes.Value{}))
	if err != nil {
		t.Fatal(err)
	}

	stream, err := g.InvokeAction(ctx, &tfprotov6.InvokeActionRequest{ActionType: "analytics_talk", Config: &none})
	if err != nil {
		t.Fatal(err)
	}

	return g, stream
}

// TestGuard_clientThatGoesAwayLeaksNothing stops reading the progress of an action, and
// cancels it, as a connection that breaks does. The bubble fails the test where a
// goroutine stays.
func TestGuard_clientThatGoesAwayLeaksNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, stream := invokeChatty(ctx, t)

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

// TestGuard_stopWaitsForTheEndOfActions stops the provider while an action runs, as an
// interrupt does. The gRPC server cancels the stream when StopProvider returns.
func TestGuard_stopWaitsForTheEndOfActions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, stream := invokeChatty(t.Context(), t)
		var completed atomic.Bool
		go func() {
			for event := range stream.Events {
				if _, ok := event.Type.(tfprotov6.CompletedInvokeActionEventType); ok {
					completed.Store(true)
				}
			}
		}()
		synctest.Wait()

		if _, err := g.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
			t.Fatal(err)
		}
		if !completed.Load() {
			t.Error("the provider has stopped before the action handed over its end")
		}
	})
}
