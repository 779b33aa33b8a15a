// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// methods returns what Terraform can ask of a provider, except for the state stores.
func methods(t *testing.T) (all []protoreflect.MethodDescriptor) {
	t.Helper()
	found, err := protoregistry.GlobalFiles.FindDescriptorByName("tfplugin6.Provider")
	service, ok := found.(protoreflect.ServiceDescriptor)
	if err != nil || !ok {
		t.Fatalf("the provider is not a service: %v %v", found, err)
	}

	for i := range service.Methods().Len() {
		method := service.Methods().Get(i)
		if _, store := reflect.TypeFor[tfprotov6.StateStoreServer]().MethodByName(string(method.Name())); !store {
			all = append(all, method)
		}
	}

	return all
}

// sink is a stream that keeps what is sent.
type sink struct {
	grpc.ServerStream

	t    *testing.T
	sent []any
}

func (s *sink) Context() context.Context { return s.t.Context() }

func (s *sink) SendMsg(message any) error {
	s.sent = append(s.sent, message)
	return nil
}

// TestGuard_panicIsAnErrorOfItsRequest lets every request panic, streams after their first element,
// and looks for the error in an answer of the right type. Stops and functions have answers without
// diagnostics. The guard must have each method: Terraform is told that the provider lacks what its
// type does not have.
func TestGuard_panicIsAnErrorOfItsRequest(t *testing.T) {
	t.Parallel()
	g, all, streams := &Guard{calls: semaphore.NewWeighted(allCalls)}, methods(t), 0
	for _, method := range all {
		name := "/tfplugin6.Provider/" + string(method.Name())
		answer, err := g.unary(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: name}, func(context.Context, any) (any, error) { panic("canary") })
		if method.IsStreamingServer() {
			streams++
			stream := &sink{t: t}
			err = g.stream(nil, stream, &grpc.StreamServerInfo{FullMethod: name}, func(_ any, to grpc.ServerStream) error {
				_ = to.SendMsg("first")
				panic("canary")
			})
			answer = stream.sent[1]
		}

		text := fmt.Sprint(answer, err)
		if !strings.Contains(text, "Internal error") || !strings.Contains(text, "In state now:") || strings.Contains(text, "canary") {
			t.Errorf("%s has the error %q", name, text)
		}
		message, isMessage := answer.(proto.Message)
		isStatus := method.Name() == "StopProvider" || method.Name() == "CallFunction"
		if isMessage == isStatus || (err != nil) != isStatus {
			t.Errorf("%s ended with %v and %v", name, answer, err)
		}
		if isMessage && message.ProtoReflect().Descriptor() != method.Output() {
			t.Errorf("%s has the answer of another method: %v", name, answer)
		}
		if _, ok := reflect.TypeFor[*Guard]().MethodByName(string(method.Name())); !ok {
			t.Errorf("the guard has no %s", name)
		}
	}

	if len(all) < 26 || streams != 2 || len(g.Options()) != 2 { // one for each kind of method
		t.Errorf("there are %d methods, %d with streams, and %d options", len(all), streams, len(g.Options()))
	}
}

// talking is a provider whose action reports progress three times.
type talking struct{ Server }

func (talking) InvokeAction(context.Context, *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
		for range 3 {
			if !push(tfprotov6.InvokeActionEvent{}) {
				panic("an action that reports more would wait for ever")
			}
		}
	}}, nil
}

// TestGuard_takesWhatNobodyReads invokes an action whose progress is read once.
func TestGuard_takesWhatNobodyReads(t *testing.T) {
	t.Parallel()
	stream, err := (&Guard{Server: talking{}}).InvokeAction(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	stream.Events(func(tfprotov6.InvokeActionEvent) bool { read++; return false })
	if read != 1 {
		t.Errorf("%d events were pushed to a reader that had gone", read)
	}
}

// stopping is a provider that stops at once.
type stopping struct{ Server }

func (stopping) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

// TestGuard_waitsForCallsUnderWay waits for a call that has ended, for one that ends in time, and
// for one that does not: at the end of the parent, and before a stop is answered.
func TestGuard_waitsForCallsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit = 8 * time.Second
		for _, takes := range []time.Duration{0, time.Second, 4 * time.Second, time.Hour} {
			g := &Guard{Server: stopping{}, calls: semaphore.NewWeighted(allCalls)}

			call := func(name string, handle grpc.UnaryHandler) {
				if _, err := g.unary(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: "/tfplugin6.Provider/" + name}, handle); err != nil {
					t.Error(err)
				}
			}

			go call("ReadResource", func(context.Context, any) (any, error) {
				<-time.After(takes)
				return "the answer", nil
			})
			synctest.Wait()

			began := time.Now()
			call("StopProvider", func(ctx context.Context, _ any) (any, error) { return g.StopProvider(ctx, nil) })
			stopped := time.Since(began)
			g.Wait(t.Context(), limit)
			if waited := time.Since(began) - stopped; stopped != min(takes, stopLimit) || waited != min(takes-stopped, limit) {
				t.Errorf("a call takes %v: the stop took %v, and the wait %v", takes, stopped, waited)
			}
		}
		<-time.After(time.Hour)
	})
}
