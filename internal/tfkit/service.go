// Package tfkit is what the nouns share: the base of every resource and data
// source, diagnostics, scope and identity, and value types.
package tfkit

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
)

// Service is what the provider block makes available to every object.
type Service struct {
	// Client is nil while Unknown names what it still needs.
	Client *client.Client
	// DefaultScope is the provider's scope; zero where it has none.
	DefaultScope client.Scope
	// Unknown lists attributes of the provider block that a client needs and that
	// are not known yet; UnknownScope those of its scope.
	Unknown      []string
	UnknownScope []string
	// Written is whose consent the objects of this run have written.
	Written Written
	// WrittenProfiles is whose profile the objects of this run have written.
	WrittenProfiles Written
	// Deferred carries out deferred requests; nil where Client is.
	Deferred *deferred.Engine
	// Files are the output files of this run.
	Files outfile.Claims
}

// ClientAndScope gives what a request needs: the client, and the scope of an object.
func (s *Service) ClientAndScope(of Scope, diags *diag.Diagnostics) (*client.Client, client.Scope, bool) {
	c, ok := s.Ready(diags)
	if !ok {
		return nil, client.Scope{}, false
	}
	scope, ok := s.ScopeOf(of, diags)
	return c, scope, ok
}

// Ready returns the client, or says which provider attribute it is waiting for.
// Values unknown at plan are fine until something has to be asked of the service.
func (s *Service) Ready(diags *diag.Diagnostics) (*client.Client, bool) {
	if s == nil {
		diags.AddError("Internal error", "The provider was not configured before it was used. Please report this to the maintainers of the provider.")
		return nil, false
	}
	if s.Client == nil {
		s.addUnknown(diags, s.Unknown)
		return nil, false
	}
	return s.Client, true
}

func (s *Service) addUnknown(diags *diag.Diagnostics, names []string) {
	diags.AddError("Provider configuration not known yet", fmt.Sprintf(
		"The service has to be asked now, and of the provider block %s is known only after apply.\n\n"+
			"What to do: apply the objects that this value comes from first (-target), or set it from a variable or from the environment.",
		strings.Join(names, ", ")))
}

// Today is the UTC day that is not over yet.
func (s *Service) Today() time.Time {
	if s == nil || s.Client == nil {
		return time.Now().UTC().Truncate(24 * time.Hour)
	}
	return s.Client.Today()
}

// RecoverAndReport belongs at the beginning of every method that does work, deferred: it
// turns a panic into an error, so that the objects in flight beside this one are
// saved, and passes on what the client noticed.
func (s *Service) RecoverAndReport(ctx context.Context, diags *diag.Diagnostics) {
	if reason := recover(); reason != nil {
		AddPanic(ctx, diags)
	}
	if s == nil || s.Client == nil {
		return
	}
	for _, text := range s.Client.Notices() {
		diags.AddWarning("Noticed while talking to the service", text)
	}
}

// AddPanic reports a panic. Its value stays out of sight, since it may hold data of
// a person; the stack, which holds none, goes to the log.
func AddPanic(ctx context.Context, diags *diag.Diagnostics) {
	tflog.Error(ctx, "Panic in the provider", map[string]any{"stack": string(debug.Stack())})
	diags.AddError("Internal error",
		"The provider ended this operation in a panic, which is a defect in the provider.\n\n"+
			"In state now: what was there before, or what this operation had saved already; all other objects are unaffected.\n"+
			"What to do: run again with TF_LOG=ERROR and report the stack trace to the maintainers of the provider.")
}

// Resource is the base of every resource.
type Resource struct{ *Service }

// Configure takes over what the provider block made available.
func (r *Resource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.Service, _ = req.ProviderData.(*Service)
}

// DataSource is the base of every data source.
type DataSource struct{ *Service }

// Configure takes over what the provider block made available.
func (d *DataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.Service, _ = req.ProviderData.(*Service)
}
