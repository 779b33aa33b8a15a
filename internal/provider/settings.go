package provider

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// settings reads the provider block and, for attributes that are not set, the environment. It
// records attributes that are not known yet, and reports values that cannot be used.
type settings struct {
	getenv  func(string) string
	diags   *diag.Diagnostics
	unknown []string
	sources map[string]any // where the value of each attribute comes from, for the log
}

func newSettings(getenv func(string) string, diags *diag.Diagnostics) *settings {
	return &settings{getenv: getenv, diags: diags, sources: map[string]any{}}
}

// limits holds the default of a setting and its bounds.
type limits[T cmp.Ordered] struct{ preset, from, to T }

func (l limits[T]) include(value T) bool { return value >= l.from && value <= l.to }

// env returns the environment's value of an attribute that the block does not set.
func (s *settings) env(name string, configured attr.Value) (value string, found bool) {
	if configured.IsUnknown() {
		s.unknown = append(s.unknown, name)
		s.sources[name] = "not known yet"
		return "", false
	}
	if !configured.IsNull() {
		s.sources[name] = "provider block"
		return "", false
	}

	value = s.getenv(envName(name))
	if value == "" {
		return "", false
	}

	s.sources[name] = "environment"

	return value, true
}

func (s *settings) text(name string, configured types.String) string {
	if value, ok := s.env(name, configured); ok {
		return value
	}
	return configured.ValueString()
}

func (s *settings) boolean(name string, configured types.Bool) bool {
	value, ok := s.env(name, configured)
	if !ok {
		return configured.ValueBool()
	}

	b, err := strconv.ParseBool(value)
	if err != nil {
		s.refuseEnv(name, "must be true or false")
	}

	return b
}

func (s *settings) whole(name string, configured types.Int64, l limits[int64]) int {
	value, ok := s.env(name, configured)
	if !ok && !isKnown(configured) {
		return int(l.preset)
	}
	if !ok {
		return int(configured.ValueInt64())
	}

	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || !l.include(n) {
		s.refuseEnv(name, "must be a whole number from "+strconv.FormatInt(l.from, 10)+" to "+strconv.FormatInt(l.to, 10))
	}

	return int(n)
}

func (s *settings) number(name string, configured types.Float64, l limits[float64]) float64 {
	value, ok := s.env(name, configured)
	if !ok {
		return configured.ValueFloat64()
	}

	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !l.include(n) {
		s.refuseEnv(name, "must be a number from "+strconv.FormatFloat(l.from, 'f', -1, 64)+" to "+strconv.FormatFloat(l.to, 'f', -1, 64))
	}

	return n
}

func (s *settings) duration(name string, configured types.String, l limits[time.Duration]) time.Duration {
	value := s.text(name, configured)
	if value == "" {
		return l.preset
	}

	d, err := time.ParseDuration(value)
	if err != nil || !l.include(d) {
		s.refuse(name, "must be a duration from "+l.from.String()+" to "+l.to.String())
	}

	return d
}

// refuseEnv reports an environment variable that cannot be used, without its value.
func (s *settings) refuseEnv(name, problem string) {
	tfkit.Problem{
		Summary: "Invalid environment variable",
		Detail:  "The environment variable " + envName(name) + " " + problem + ".",
		At:      path.Root(name),
	}.AddError(s.diags)
}

// refuse reports a value that cannot be used, without the value.
func (s *settings) refuse(name, problem string) {
	tfkit.Problem{
		Summary: "Invalid value",
		Detail:  name + " (or " + envName(name) + ") " + problem + ".",
		At:      path.Root(name),
	}.AddError(s.diags)
}

func isKnown(value attr.Value) bool { return !value.IsNull() && !value.IsUnknown() }

// anyGiven reports whether the block sets any of the values, known or not. If so, none of them
// is read from the environment.
func anyGiven(values []types.String) bool {
	return slices.ContainsFunc(values, func(v types.String) bool { return !v.IsNull() })
}

// areKnown reports whether the block sets any of the values, and none is unknown.
func areKnown(values []types.String) bool {
	return anyGiven(values) && !slices.ContainsFunc(values, types.String.IsUnknown)
}

// group reads attributes that come from one place as a whole: the block if it sets any of
// them, and the environment otherwise.
func (s *settings) group(names []string, values []types.String) (read map[string]string, unknown []string) {
	if !anyGiven(values) {
		return s.groupFromEnv(names), nil
	}

	read = map[string]string{}
	for i, name := range names {
		switch {
		case values[i].IsUnknown():
			unknown = append(unknown, name)
			s.sources[name] = "not known yet"
		case !values[i].IsNull():
			read[name] = values[i].ValueString()
			s.sources[name] = "provider block"
		}
	}

	return read, unknown
}

func (s *settings) groupFromEnv(names []string) map[string]string {
	read := map[string]string{}
	for _, name := range names {
		read[name] = s.getenv(envName(name))
		if read[name] != "" {
			s.sources[name] = "environment"
		}
	}

	return read
}

// logSources logs where each value comes from, without the values.
func (s *settings) logSources(ctx context.Context) {
	tflog.Debug(ctx, "Sources of the provider configuration", s.sources)
}
