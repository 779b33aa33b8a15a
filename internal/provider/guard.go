package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// guard turns a panic in any request about a configuration or an object, the
// framework's own code, plan modifiers and validators included, into an error of
// that one request. Without it the process ends, and every object in flight is lost. What a resource has
// saved before a panic in its own methods is kept by tfkit.Service.RecoverAndReport.
type guard struct{ tfprotov6.ProviderServer }

func newGuard(next tfprotov6.ProviderServer) guard { return guard{next} }

func guarded[Request, Response any](
	ctx context.Context, req *Request,
	next func(context.Context, *Request) (*Response, error),
	broken func([]*tfprotov6.Diagnostic) *Response,
) (resp *Response, err error) {
	defer func() {
		if recover() != nil {
			resp, err = broken(panicDiagnostics(ctx)), nil
		}
	}()
	return next(ctx, req)
}

func panicDiagnostics(ctx context.Context) []*tfprotov6.Diagnostic {
	var diags diag.Diagnostics
	tfkit.AddPanic(ctx, &diags)
	var out []*tfprotov6.Diagnostic
	for _, d := range diags {
		out = append(out, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary(), Detail: d.Detail()})
	}
	return out
}

func (g guard) ValidateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return guarded(ctx, req, g.ProviderServer.ValidateProviderConfig, func(d []*tfprotov6.Diagnostic) *tfprotov6.ValidateProviderConfigResponse {
		return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: req.Config, Diagnostics: d}
	})
}

func (g guard) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return guarded(ctx, req, g.ProviderServer.ConfigureProvider, func(d []*tfprotov6.Diagnostic) *tfprotov6.ConfigureProviderResponse {
		return &tfprotov6.ConfigureProviderResponse{Diagnostics: d}
	})
}

func (g guard) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return guarded(ctx, req, g.ProviderServer.ValidateResourceConfig, func(d []*tfprotov6.Diagnostic) *tfprotov6.ValidateResourceConfigResponse {
		return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: d}
	})
}

func (g guard) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return guarded(ctx, req, g.ProviderServer.UpgradeResourceState, func(d []*tfprotov6.Diagnostic) *tfprotov6.UpgradeResourceStateResponse {
		return &tfprotov6.UpgradeResourceStateResponse{Diagnostics: d}
	})
}

func (g guard) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return guarded(ctx, req, g.ProviderServer.ReadResource, func(d []*tfprotov6.Diagnostic) *tfprotov6.ReadResourceResponse {
		return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private, Diagnostics: d}
	})
}

func (g guard) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return guarded(ctx, req, g.ProviderServer.PlanResourceChange, func(d []*tfprotov6.Diagnostic) *tfprotov6.PlanResourceChangeResponse {
		return &tfprotov6.PlanResourceChangeResponse{PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, Diagnostics: d}
	})
}

func (g guard) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return guarded(ctx, req, g.ProviderServer.ApplyResourceChange, func(d []*tfprotov6.Diagnostic) *tfprotov6.ApplyResourceChangeResponse {
		return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PriorState, Private: req.PlannedPrivate, Diagnostics: d}
	})
}

func (g guard) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return guarded(ctx, req, g.ProviderServer.ImportResourceState, func(d []*tfprotov6.Diagnostic) *tfprotov6.ImportResourceStateResponse {
		return &tfprotov6.ImportResourceStateResponse{Diagnostics: d}
	})
}

func (g guard) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return guarded(ctx, req, g.ProviderServer.ValidateDataResourceConfig, func(d []*tfprotov6.Diagnostic) *tfprotov6.ValidateDataResourceConfigResponse {
		return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: d}
	})
}

func (g guard) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return guarded(ctx, req, g.ProviderServer.ReadDataSource, func(d []*tfprotov6.Diagnostic) *tfprotov6.ReadDataSourceResponse {
		return &tfprotov6.ReadDataSourceResponse{Diagnostics: d}
	})
}
