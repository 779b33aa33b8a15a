package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// Server is everything that Terraform may ask of the provider. State stores are left
// out: they are experimental, and the provider offers none.
type Server interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// guard turns a panic in any request, in the framework's own code, plan modifiers and
// validators included, into an error of that request. Without it the process ends, and
// every object in flight is lost. What a resource has saved before a panic in its own
// methods is kept by tfkit.Service.RecoverAndReport.
//
// It does not embed the server that it guards: a request that it forgets does not
// compile, where an embedded one would pass unguarded, or hide one of the optional
// interfaces.
type guard struct {
	next    Server
	streams *openStreams
}

var _ Server = guard{}

// newGuard returns next with its panics turned into errors. The framework's server has
// all the methods, and its constructor returns the interface that lacks some.
func newGuard(next tfprotov6.ProviderServer) Server {
	all, ok := next.(Server)
	if !ok {
		panic("the server of the framework knows no list resources or actions")
	}
	return guard{next: all, streams: &openStreams{open: map[chan struct{}]bool{}}}
}

// diagnostics holds the diagnostics of a response.
type diagnostics []*tfprotov6.Diagnostic

// guarded calls next with the request. If that panics, broken returns the response.
func guarded[Request, Response any](
	ctx context.Context, req *Request,
	next func(context.Context, *Request) (*Response, error),
	broken func(diagnostics) *Response,
) (resp *Response, err error) {
	defer func() {
		if recover() != nil {
			resp, err = broken(panicDiagnostics(ctx)), nil
		}
	}()
	return next(ctx, req)
}

// panicDiagnostics returns the error of a request that panicked.
func panicDiagnostics(ctx context.Context) diagnostics {
	var diags diag.Diagnostics
	tfkit.AddPanic(ctx, &diags)

	var out diagnostics
	for _, d := range diags {
		out = append(out, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary(), Detail: d.Detail()})
	}
	return out
}

// Requests about the provider.

func (g guard) GetMetadata(ctx context.Context, req *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return guarded(ctx, req, g.next.GetMetadata, func(d diagnostics) *tfprotov6.GetMetadataResponse {
		return &tfprotov6.GetMetadataResponse{Diagnostics: d}
	})
}

func (g guard) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	resp, err := guarded(ctx, req, g.next.GetProviderSchema, func(d diagnostics) *tfprotov6.GetProviderSchemaResponse {
		return &tfprotov6.GetProviderSchemaResponse{Diagnostics: d}
	})
	if err != nil {
		return nil, err
	}
	declareWriteOnly(resp.ActionSchemas)

	return resp, nil
}

func (g guard) GetResourceIdentitySchemas(ctx context.Context, req *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return guarded(ctx, req, g.next.GetResourceIdentitySchemas, func(d diagnostics) *tfprotov6.GetResourceIdentitySchemasResponse {
		return &tfprotov6.GetResourceIdentitySchemasResponse{Diagnostics: d}
	})
}

func (g guard) ValidateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return guarded(ctx, req, g.next.ValidateProviderConfig, func(d diagnostics) *tfprotov6.ValidateProviderConfigResponse {
		return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: req.Config, Diagnostics: d}
	})
}

func (g guard) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return guarded(ctx, req, g.next.ConfigureProvider, func(d diagnostics) *tfprotov6.ConfigureProviderResponse {
		return &tfprotov6.ConfigureProviderResponse{Diagnostics: d}
	})
}

// StopProvider cancels everything that is under way. It returns once all actions and lists
// have handed over their diagnostics, since the gRPC server then ends their streams
// without them, and Terraform reports what ends so as a success.
func (g guard) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	defer g.streams.wait(stopLimit)

	return guarded(ctx, req, g.next.StopProvider, func(d diagnostics) *tfprotov6.StopProviderResponse {
		return &tfprotov6.StopProviderResponse{Error: d[0].Summary}
	})
}

// Requests about resources.

func (g guard) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return guarded(ctx, req, g.next.ValidateResourceConfig, func(d diagnostics) *tfprotov6.ValidateResourceConfigResponse {
		return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: d}
	})
}

func (g guard) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return guarded(ctx, req, g.next.UpgradeResourceState, func(d diagnostics) *tfprotov6.UpgradeResourceStateResponse {
		return &tfprotov6.UpgradeResourceStateResponse{Diagnostics: d}
	})
}

func (g guard) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return guarded(ctx, req, g.next.UpgradeResourceIdentity, func(d diagnostics) *tfprotov6.UpgradeResourceIdentityResponse {
		return &tfprotov6.UpgradeResourceIdentityResponse{Diagnostics: d}
	})
}

func (g guard) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return guarded(ctx, req, g.next.ReadResource, func(d diagnostics) *tfprotov6.ReadResourceResponse {
		return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private, NewIdentity: req.CurrentIdentity, Diagnostics: d}
	})
}

func (g guard) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return guarded(ctx, req, g.next.PlanResourceChange, func(d diagnostics) *tfprotov6.PlanResourceChangeResponse {
		return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity, Diagnostics: d}
	})
}

func (g guard) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return guarded(ctx, req, g.next.ApplyResourceChange, func(d diagnostics) *tfprotov6.ApplyResourceChangeResponse {
		return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PriorState, Private: req.PlannedPrivate, NewIdentity: req.PlannedIdentity, Diagnostics: d}
	})
}

func (g guard) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return guarded(ctx, req, g.next.ImportResourceState, func(d diagnostics) *tfprotov6.ImportResourceStateResponse {
		return &tfprotov6.ImportResourceStateResponse{Diagnostics: d}
	})
}

func (g guard) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return guarded(ctx, req, g.next.MoveResourceState, func(d diagnostics) *tfprotov6.MoveResourceStateResponse {
		return &tfprotov6.MoveResourceStateResponse{Diagnostics: d}
	})
}

func (g guard) GenerateResourceConfig(ctx context.Context, req *tfprotov6.GenerateResourceConfigRequest) (*tfprotov6.GenerateResourceConfigResponse, error) {
	return guarded(ctx, req, g.next.GenerateResourceConfig, func(d diagnostics) *tfprotov6.GenerateResourceConfigResponse {
		return &tfprotov6.GenerateResourceConfigResponse{Diagnostics: d}
	})
}

// Requests about data sources, ephemeral resources and functions.

func (g guard) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return guarded(ctx, req, g.next.ValidateDataResourceConfig, func(d diagnostics) *tfprotov6.ValidateDataResourceConfigResponse {
		return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: d}
	})
}

func (g guard) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return guarded(ctx, req, g.next.ReadDataSource, func(d diagnostics) *tfprotov6.ReadDataSourceResponse {
		return &tfprotov6.ReadDataSourceResponse{Diagnostics: d}
	})
}

func (g guard) ValidateEphemeralResourceConfig(ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return guarded(ctx, req, g.next.ValidateEphemeralResourceConfig, func(d diagnostics) *tfprotov6.ValidateEphemeralResourceConfigResponse {
		return &tfprotov6.ValidateEphemeralResourceConfigResponse{Diagnostics: d}
	})
}

func (g guard) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return guarded(ctx, req, g.next.OpenEphemeralResource, func(d diagnostics) *tfprotov6.OpenEphemeralResourceResponse {
		return &tfprotov6.OpenEphemeralResourceResponse{Diagnostics: d}
	})
}

func (g guard) RenewEphemeralResource(ctx context.Context, req *tfprotov6.RenewEphemeralResourceRequest) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return guarded(ctx, req, g.next.RenewEphemeralResource, func(d diagnostics) *tfprotov6.RenewEphemeralResourceResponse {
		return &tfprotov6.RenewEphemeralResourceResponse{Private: req.Private, Diagnostics: d}
	})
}

func (g guard) CloseEphemeralResource(ctx context.Context, req *tfprotov6.CloseEphemeralResourceRequest) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return guarded(ctx, req, g.next.CloseEphemeralResource, func(d diagnostics) *tfprotov6.CloseEphemeralResourceResponse {
		return &tfprotov6.CloseEphemeralResourceResponse{Diagnostics: d}
	})
}

func (g guard) GetFunctions(ctx context.Context, req *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	return guarded(ctx, req, g.next.GetFunctions, func(d diagnostics) *tfprotov6.GetFunctionsResponse {
		return &tfprotov6.GetFunctionsResponse{Diagnostics: d}
	})
}

func (g guard) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return guarded(ctx, req, g.next.CallFunction, func(d diagnostics) *tfprotov6.CallFunctionResponse {
		return &tfprotov6.CallFunctionResponse{Error: &tfprotov6.FunctionError{Text: d[0].Summary + ": " + d[0].Detail}}
	})
}
