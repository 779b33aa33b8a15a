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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// minRequestsPerSecond is the lowest limit that does not look like a hang.
const minRequestsPerSecond = 0.01

func limitAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"read_only": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether every write is refused before it is sent. Defaults to `false`." + fromEnv("read_only"),
		},
		"max_concurrency": schema.Int64Attribute{
			Optional:   true,
			Validators: []validator.Int64{int64validator.Between(1, client.LimitMaxConcurrency)},
			MarkdownDescription: fmt.Sprintf("Maximum number of requests at once, from 1 to %d. Terraform's `-parallelism` also applies. Defaults to %d.",
				client.LimitMaxConcurrency, client.DefaultMaxConcurrency) + fromEnv("max_concurrency"),
		},
		"requests_per_second": schema.Float64Attribute{
			Optional:   true,
			Validators: []validator.Float64{float64validator.Between(minRequestsPerSecond, client.LimitRequestsPerSec)},
			MarkdownDescription: fmt.Sprintf("Maximum number of requests per second, from %v to %d. Not limited by default.",
				minRequestsPerSecond, client.LimitRequestsPerSec) + fromEnv("requests_per_second"),
		},
		"request_timeout": schema.StringAttribute{
			Optional:   true,
			Validators: []validator.String{durationValidator{client.MinRequestTimeout, client.LimitRequestTimeout}},
			MarkdownDescription: fmt.Sprintf("Time limit of one attempt of a request, from %s to %s. Defaults to %s.",
				client.MinRequestTimeout, client.LimitRequestTimeout, client.DefaultRequestTimeout) + fromEnv("request_timeout"),
		},
		"max_retries": schema.Int64Attribute{
			Optional:   true,
			Validators: []validator.Int64{int64validator.Between(0, client.LimitMaxRetries)},
			MarkdownDescription: fmt.Sprintf("Maximum number of retries of a request that failed temporarily, from 0 to %d. Defaults to %d.",
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

	d, err := time.ParseDuration(req.ConfigValue.ValueString())
	if err != nil || d < v.from || d > v.to {
		tfkit.Problem{Summary: "Invalid duration", Detail: "The value " + v.Description(ctx) + ".", At: req.Path}.AddError(&resp.Diagnostics)
	}
}

// secretValidator refuses credentials that cannot be sent, without repeating them.
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
		tfkit.Problem{Summary: "Unusable credential", Detail: "The value " + problem + ". It is not shown.", At: req.Path}.AddError(&resp.Diagnostics)
	}
}
