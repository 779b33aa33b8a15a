package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// minRequestsPerSecond keeps a limit from looking like a hang.
const minRequestsPerSecond = 0.01

func limitAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"read_only": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether every write fails before anything is sent. Defaults to `false`." + fromEnv("read_only"),
		},
		"max_concurrency": schema.Int64Attribute{
			Optional:   true,
			Validators: []validator.Int64{int64validator.Between(1, client.LimitMaxConcurrency)},
			MarkdownDescription: fmt.Sprintf("How many requests are under way at once at most, from 1 to %d. Terraform's own `-parallelism` is a limit as well. Defaults to %d.",
				client.LimitMaxConcurrency, client.DefaultMaxConcurrency) + fromEnv("max_concurrency"),
		},
		"requests_per_second": schema.Float64Attribute{
			Optional:   true,
			Validators: []validator.Float64{float64validator.Between(minRequestsPerSecond, client.LimitRequestsPerSec)},
			MarkdownDescription: fmt.Sprintf("How many requests are sent in a second at most, from %v to %d. Unset, the rate is not limited; the service documents no limit.",
				minRequestsPerSecond, client.LimitRequestsPerSec) + fromEnv("requests_per_second"),
		},
		"request_timeout": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{durationValidator{client.MinRequestTimeout, client.LimitRequestTimeout}},
			MarkdownDescription: fmt.Sprintf("How long one attempt of a request may take, answer included, as a duration such as `45s`, from %s to %s. Defaults to %s.",
				client.MinRequestTimeout, client.LimitRequestTimeout, client.DefaultRequestTimeout) + fromEnv("request_timeout"),
		},
		"max_retries": schema.Int64Attribute{
			Optional:   true,
			Validators: []validator.Int64{int64validator.Between(0, client.LimitMaxRetries)},
			MarkdownDescription: fmt.Sprintf("How often a request that failed for a passing reason is sent again at most, from 0 to %d. A write is sent again only where it certainly had no effect, or after looking. Defaults to %d.",
				client.LimitMaxRetries, client.DefaultMaxRetries) + fromEnv("max_retries"),
		},
	}
}

// durationValidator accepts Go durations within bounds.
type durationValidator struct{ from, to time.Duration }

func (v durationValidator) Description(context.Context) string {
	return fmt.Sprintf("must be a duration such as 45s, from %s to %s", v.from, v.to)
}

func (v durationValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v durationValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if d, err := time.ParseDuration(req.ConfigValue.ValueString()); err != nil || d < v.from || d > v.to {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid duration", "The value "+v.Description(ctx)+".")
	}
}

// secretValidator refuses credentials that cannot work, without repeating them.
type secretValidator struct{ name string }

func (v secretValidator) Description(context.Context) string {
	return "must not be blank or contain control characters"
}

func (v secretValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v secretValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if problem := client.ValidateSecret(v.name, req.ConfigValue.ValueString()); problem != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Unusable credential", "The value "+problem+". It is not shown.")
	}
}
