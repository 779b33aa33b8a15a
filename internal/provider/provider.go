// SPDX-License-Identifier: MPL-2.0

// Package provider implements the provider analytics: the schema of its block, its configuration from
// block and environment, the list of everything it offers, and the guard against panics.
package provider

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/hashicorp/terraform-plugin-log/tfsdklog"
	"golang.org/x/sync/semaphore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consent"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/export"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/functions"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/profile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/requests"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/session"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// TypeName is the prefix of the provider's resources and data sources.
const TypeName = "analytics"

var (
	_ provider.ProviderWithActions            = (*analyticsProvider)(nil)
	_ provider.ProviderWithEphemeralResources = (*analyticsProvider)(nil)
	_ provider.ProviderWithFunctions          = (*analyticsProvider)(nil)
	_ provider.ProviderWithListResources      = (*analyticsProvider)(nil)
	_ provider.ProviderWithValidateConfig     = (*analyticsProvider)(nil)
)

// Option changes the configuration of the client.
type Option func(*client.Config)

// NewServer returns the provider as a server of protocol 6. getenv reads the environment; tests pass their own,
// so as not to change that of the process.
func NewServer(version string, getenv func(string) string, options ...Option) *Guard {
	p := &analyticsProvider{version: version, getenv: getenv, options: options}
	p.service.Store(tfkit.NewService(nil, tfkit.Scope{}, []string{"the configuration"}))
	framework, _ := providerserver.NewProtocol6(p)().(Server) // whose type names a smaller interface

	return &Guard{framework, &p.service, semaphore.NewWeighted(allCalls)}
}

// each returns the constructors of objects for the framework, which calls them for each request. An object gets
// what the latest Configure made available.
func each[T any](p *analyticsProvider, constructors ...func(*tfkit.Service) T) (all []func() T) {
	for _, create := range constructors {
		all = append(all, func() T { return create(p.service.Load()) })
	}
	return all
}

type analyticsProvider struct {
	version string
	getenv  func(string) string
	options []Option
	service atomic.Pointer[tfkit.Service]
}

func (p *analyticsProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = TypeName
	resp.Version = p.version
}

func (p *analyticsProvider) Resources(context.Context) []func() resource.Resource {
	return each(p,
		consent.NewResource,
		consentbatch.NewResource,
		export.NewFileResource,
		profile.NewResource,
		requests.NewDataAccessRequestResource,
		requests.NewDataDeletionResource,
	)
}

func (p *analyticsProvider) DataSources(context.Context) []func() datasource.DataSource {
	return each(p,
		consent.NewDataSource,
		export.NewDataSource,
		profile.NewDataSource,
		requests.NewPendingRequestsDataSource,
		session.NewCurrentUserDataSource,
	)
}

func (p *analyticsProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return each(p,
		consent.NewEphemeralResource,
		profile.NewEphemeralResource,
		session.NewSessionTokenEphemeral,
	)
}

func (p *analyticsProvider) ListResources(context.Context) []func() list.ListResource {
	return each(p, consent.NewListResource)
}

func (p *analyticsProvider) Actions(context.Context) []func() action.Action {
	return each(p,
		export.NewExportDayAction,
		profile.NewClearProfileAction,
		requests.NewDeleteDataAction,
		requests.NewRequestDataAccessAction,
	)
}

func (p *analyticsProvider) Functions(context.Context) []func() function.Function {
	return functions.All()
}

// Server is everything that Terraform may ask of the provider, without the experimental state stores.
type Server interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// Guard is the server of the framework and the interceptors of the gRPC server. They turn a
// panic in any request, also in plan modifiers and validators, into an error of that request:
// without them the process ends, and every object in flight is lost. What a resource has saved
// before a panic in its own methods is kept by tfkit.Service.RecoverAndReport.
type Guard struct {
	Server

	service *atomic.Pointer[tfkit.Service] // of the latest Configure
	calls   *semaphore.Weighted            // of which each call under way has one
}

const allCalls = 1 << 30 // more than can be under way

// Options returns the interceptors.
func (g *Guard) Options() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(g.unary), grpc.ChainStreamInterceptor(g.stream)}
}

// unary calls next and counts the call as under way. The answer after a panic is that of
// internalError.
func (g *Guard) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (resp any, err error) {
	method := path.Base(info.FullMethod)
	if method != "StopProvider" { // which waits for the others
		_ = g.calls.Acquire(context.WithoutCancel(ctx), 1)
		defer g.calls.Release(1)
	}
	defer func() {
		if recover() != nil {
			resp, err = internalError(ctx, method)
		}
	}()

	return next(ctx, req)
}

// stream is unary for a method with a stream of answers. After a panic, it sends the last one.
func (g *Guard) stream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if !strings.HasPrefix(info.FullMethod, "/tfplugin6.") { // those of go-plugin end with the process
		return next(server, stream)
	}

	handle := func(context.Context, any) (any, error) { return nil, next(server, stream) }
	last, err := g.unary(stream.Context(), nil, &grpc.UnaryServerInfo{FullMethod: info.FullMethod}, handle)
	if last != nil {
		err = stream.SendMsg(last)
	}

	return err
}

// Wait waits until the calls that are under way have ended, and at most for limit. Calls that
// arrive meanwhile wait with it.
func (g *Guard) Wait(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if g.calls.Acquire(ctx, allCalls) == nil {
		g.calls.Release(allCalls)
	}
}

// internalError returns the answer of a method that panicked: one error and nothing else, so that
// Terraform keeps its object. A status error would lose the private state.
func internalError(ctx context.Context, method string) (any, error) {
	// The server behind the interceptors makes the logger of a request.
	ctx = tfsdklog.NewRootProviderLogger(ctx, tfsdklog.WithStderrFromInit(),
		tfsdklog.WithLogName(TypeName), tflog.WithLevelFromEnv("TF_LOG_PROVIDER", TypeName))

	var diags diag.Diagnostics
	tfkit.AddPanic(ctx, &diags)

	problem := map[string]any{"severity": "ERROR", "summary": diags[0].Summary(), "detail": diags[0].Detail()}
	content, kind := map[string]any{"diagnostics": []any{problem}}, ".Response"
	switch method {
	case "InvokeAction":
		content, kind = map[string]any{"completed": content}, ".Event"
	case "ListResource":
		content, kind = map[string]any{"diagnostic": []any{problem}}, ".Event"
	}

	// The types of answers are internal to terraform-plugin-go, and registered.
	encoded, _ := json.Marshal(content)
	if typ, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("tfplugin6." + method + kind)); err == nil {
		answer := typ.New().Interface()
		if protojson.Unmarshal(encoded, answer) == nil {
			return answer, nil
		}
	}

	return nil, status.Error(codes.Internal, diags[0].Summary()+": "+diags[0].Detail()) // an answer without diagnostics
}

// UpgradeResourceState is the first call about an object in state, in the plan and in the apply.
func (g *Guard) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	resp, err := g.Server.UpgradeResourceState(ctx, req)
	if err != nil || req.TypeName != requests.DeletionType || req.RawState == nil {
		return resp, err
	}

	for _, d := range requests.SeeDeletion(ctx, g.service.Load(), req.RawState.JSON) {
		resp.Diagnostics = append(resp.Diagnostics, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary(), Detail: d.Detail()})
	}

	return resp, nil
}

// stopLimit is how long a stop waits for calls. An interrupted one ends within two seconds.
const stopLimit = 2 * time.Second

// StopProvider cancels everything that is under way. It returns once all actions and lists
// have handed over their diagnostics, since terraform-plugin-go then ends their streams
// without them, and Terraform reports what ends so as a success.
func (g *Guard) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	defer g.Wait(context.WithoutCancel(ctx), stopLimit)
	return g.Server.StopProvider(ctx, req)
}

// InvokeAction returns a stream that takes all progress of an action. The framework's stops
// taking it when its reader goes away, and the action would wait for ever to report more.
func (g *Guard) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	stream, err := g.Server.InvokeAction(ctx, req)
	if err != nil {
		return nil, err
	}

	return &tfprotov6.InvokeActionServerStream{Events: func(push func(tfprotov6.InvokeActionEvent) bool) {
		reads := true
		stream.Events(func(event tfprotov6.InvokeActionEvent) bool {
			completed, _ := event.Type.(tfprotov6.CompletedInvokeActionEventType)
			for _, d := range completed.Diagnostics {
				if d.Severity == tfprotov6.DiagnosticSeverityError {
					d.Detail += notRepeated
				}
			}
			reads = reads && push(event)

			return true
		})
	}}, nil
}

// notRepeated says in the errors of an action what another apply does. The provider does not
// know what has invoked the action.
const notRepeated = "\n\nIf a change of a resource has invoked this action, another apply invokes neither it nor the actions after it once the change is made. Only apply -invoke does."

// GetProviderSchema declares the person of every action write-only, since Terraform accepts
// ephemeral values in write-only attributes only. If an action's own schema said so, the
// framework would refuse every value, as for versions of Terraform without such attributes.
func (g *Guard) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	resp, err := g.Server.GetProviderSchema(ctx, req)
	if err != nil {
		return nil, err
	}

	for _, action := range resp.ActionSchemas {
		for _, attribute := range action.Schema.Block.Attributes {
			attribute.WriteOnly = attribute.WriteOnly || attribute.Name == tfkit.ActionIdentity
		}
	}

	return resp, nil
}
