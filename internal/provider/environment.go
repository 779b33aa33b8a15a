package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Environment is the configuration that the provider's environment variables hold, without
// a provider block.
type Environment struct {
	// Client has no credentials.
	Client client.Config
	// Credentials may hold several ways to authenticate, of which a provider block accepts
	// only one.
	Credentials client.Credentials
	// Scope may hold both path families, of which a provider block accepts only one.
	Scope client.Scope
}

// ReadEnvironment reads the environment variables for a program beside Terraform. Problems
// are sentences that never hold a value.
func ReadEnvironment(ctx context.Context, version string, getenv func(string) string) (e Environment, problems []string) {
	var diags diag.Diagnostics
	s := newSettings(getenv, &diags)

	e.Client = s.clientConfig(ctx, model{})
	e.Client.UserAgent = (&analyticsProvider{version: version, getenv: getenv}).userAgent("")
	e.Credentials = credentialsOf(s.groupFromEnv(credentialNames))
	e.Scope = scopeOf(s.groupFromEnv(scopeNames))

	for _, d := range diags.Errors() {
		problems = append(problems, d.Summary()+": "+d.Detail())
	}

	return e, problems
}
