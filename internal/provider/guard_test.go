// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"io"
	"net"
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
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

func guarding(server Server) *Guard {
	return &Guard{Server: server, calls: semaphore.NewWeighted(allCalls)}
}

// connection is a connection to a provider, as Terraform has one, in memory. The driver of
// the other tests calls the provider without gRPC, since the types of its messages are
// internal to terraform-plugin-go; here, they come from their descriptions.
type connection struct {
	t    *testing.T
	conn *grpc.ClientConn
}

func connect(t *testing.T, g *Guard, options ...grpc.ServerOption) connection {
	t.Helper()
	server := grpc.NewServer(append(g.Options(), options...)...)
	plugin := &tf6server.GRPCProviderPlugin{
		Name:         "registry.terraform.io/example/analytics",
		GRPCProvider: func() tfprotov6.ProviderServer { return g },
	}
	if err := plugin.GRPCServer(nil, server); err != nil {
		t.Fatal(err)
	}

	listener := bufconn.Listen(1 << 20)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	dial := func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }
	conn, err := grpc.NewClient("passthrough:memory", grpc.WithContextDialer(dial), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		_ = conn.Close()
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})

	return connection{t, conn}
}

// methods returns what Terraform can ask of a provider, by name, except for the state stores.
func methods(t *testing.T) map[string]protoreflect.MethodDescriptor {
	t.Helper()
	found, err := protoregistry.GlobalFiles.FindDescriptorByName("tfplugin6.Provider")
	if err != nil {
		t.Fatal(err)
	}
	described, ok := found.(protoreflect.ServiceDescriptor)
	if !ok {
		t.Fatalf("the provider is no service: %v", found)
	}

	all := map[string]protoreflect.MethodDescriptor{}
	for i := range described.Methods().Len() {
		method := described.Methods().Get(i)
		if _, store := reflect.TypeFor[tfprotov6.StateStoreServer]().MethodByName(string(method.Name())); !store {
			all[string(method.Name())] = method
		}
	}

	return all
}

// open sends a request, and returns the stream with the answers. An action is that of chatty.
func (c connection) open(ctx context.Context, method protoreflect.MethodDescriptor) grpc.ClientStream {
	c.t.Helper()
	message := dynamicpb.NewMessage(method.Input())
	if method.Name() == "InvokeAction" {
		if err := protojson.Unmarshal([]byte(`{"actionType":"analytics_talk","config":{"msgpack":"gA=="}}`), message); err != nil {
			c.t.Fatal(err)
		}
	}

	name := "/tfplugin6.Provider/" + string(method.Name())
	stream, err := c.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, name)
	if err == nil {
		err = stream.SendMsg(message)
	}
	if err == nil {
		err = stream.CloseSend()
	}
	if err != nil {
		c.t.Fatal(err)
	}

	return stream
}

// answers returns what a stream holds up to its end, and its error.
func answers(stream grpc.ClientStream, method protoreflect.MethodDescriptor) (texts []string, err error) {
	for {
		answer := dynamicpb.NewMessage(method.Output())
		if err := stream.RecvMsg(answer); errors.Is(err, io.EOF) {
			return texts, nil
		} else if err != nil {
			return texts, err
		}
		texts = append(texts, protojson.Format(answer))
	}
}

const panicValue = "canary of jane.doe@example.com"

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

// TestGuard_panicIsAnErrorOfItsRequest lets every request panic, streams also after their first
// element, and looks for the error in the answer. Stops and functions have answers without
// diagnostics. The guard must have each method: Terraform is told that the provider lacks what its
// type does not have.
func TestGuard_panicIsAnErrorOfItsRequest(t *testing.T) {
	t.Parallel()
	atOnce := connect(t, guarding(nil),
		grpc.ChainUnaryInterceptor(func(context.Context, any, *grpc.UnaryServerInfo, grpc.UnaryHandler) (any, error) { panic(panicValue) }),
		grpc.ChainStreamInterceptor(func(any, grpc.ServerStream, *grpc.StreamServerInfo, grpc.StreamHandler) error { panic(panicValue) }))
	later := connect(t, guarding(streaming{}))

	all, streams := methods(t), 0
	for name, method := range all {
		if _, ok := reflect.TypeFor[*Guard]().MethodByName(name); !ok {
			t.Errorf("the guard has no %s", name)
		}

		texts, err := answers(atOnce.open(t.Context(), method), method)
		if isStatus := name == "StopProvider" || name == "CallFunction"; (err != nil) != isStatus || err == nil && len(texts) != 1 {
			t.Errorf("%s ended with %q and %v", name, texts, err)
		}
		text := strings.Join(texts, "")
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, "Internal error") || !strings.Contains(text, "In state now:") || strings.Contains(text, "canary") {
			t.Errorf("%s has the error %q", name, text)
		}

		if !method.IsStreamingServer() {
			continue
		}
		streams++
		texts, err = answers(later.open(t.Context(), method), method)
		if err != nil || len(texts) != 2 || !strings.Contains(texts[0], "first") || !strings.Contains(texts[1], "Internal error") || strings.Contains(texts[1], "canary") {
			t.Errorf("%s has the answers %q and ended with %v", name, texts, err)
		}
	}
	if len(all) < 26 || streams != 2 {
		t.Errorf("there are %d methods, and %d with streams", len(all), streams)
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
	resp.Diagnostics.AddError("Interrupted", "The action was cancelled.")
}

// invokeChatty connects to a guard in front of chatty, invokes its action, and takes the first
// message. receive returns the next one.
func invokeChatty(ctx context.Context, t *testing.T) (g *Guard, c connection, receive func() (string, error)) {
	t.Helper()
	framework, _ := providerserver.NewProtocol6(chatty{New("test", os.Getenv)})().(Server)
	g = guarding(framework)
	c = connect(t, g)

	method := methods(t)["InvokeAction"]
	stream := c.open(ctx, method)
	receive = func() (string, error) {
		event := dynamicpb.NewMessage(method.Output())
		err := stream.RecvMsg(event)
		return protojson.Format(event), err
	}
	if event, err := receive(); err != nil || !strings.Contains(event, "still here") {
		t.Fatalf("the action began with %s and %v", event, err)
	}

	return g, c, receive
}

// TestGuard_brokenConnectionEndsActions cancels an action whose progress nobody reads.
func TestGuard_brokenConnectionEndsActions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		g, _, _ := invokeChatty(ctx, t)

		began := time.Now()
		cancel()
		synctest.Wait()
		g.Wait(t.Context(), time.Hour)
		if waited := time.Since(began); waited > 2*time.Second {
			t.Errorf("the action ended after %v", waited)
		}
	})
}

// TestGuard_stopWaitsForTheEndOfActions stops the provider while an action runs, as an
// interrupt does, and looks for what the action has to say about it.
func TestGuard_stopWaitsForTheEndOfActions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, c, receive := invokeChatty(t.Context(), t)

		began := time.Now()
		stop := methods(t)["StopProvider"]
		if texts, err := answers(c.open(t.Context(), stop), stop); err != nil || len(texts) != 1 {
			t.Fatalf("the stop ended with %q and %v", texts, err)
		}
		if took := time.Since(began); took >= stopLimit {
			t.Errorf("the stop took %v", took)
		}

		last := ""
		for event, err := receive(); !errors.Is(err, io.EOF); event, err = receive() {
			if err != nil {
				t.Fatal(err)
			}
			last = event
		}
		if !strings.Contains(last, "The action was cancelled.") {
			t.Errorf("the last that Terraform heard is %s", last)
		}
	})
}

// TestGuard_waitsForCallsUnderWay waits for a call that has ended, for one that ends in time, and
// for one that does not.
func TestGuard_waitsForCallsUnderWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit = 8 * time.Second
		for _, takes := range []time.Duration{0, 3 * time.Second, time.Hour} {
			g := guarding(nil)
			go func() {
				_, _ = g.unary(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: "/tfplugin6.Provider/ReadResource"}, func(ctx context.Context, _ any) (any, error) {
					<-time.After(takes)
					return nil, ctx.Err()
				})
			}()
			synctest.Wait()

			began := time.Now()
			g.Wait(t.Context(), limit)
			if waited := time.Since(began); waited != min(takes, limit) {
				t.Errorf("it waited %v for a call that takes %v", waited, takes)
			}
		}
		<-time.After(time.Hour)
	})
}
