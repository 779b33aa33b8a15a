package provider

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// settings reads the provider block and, where it is silent, the environment. It
// remembers what is not known yet, and reports what cannot be used at the
// attribute that it belongs to.
type settings struct {
	getenv  func(string) string
	diags   *diag.Diagnostics
	unknown []string
	sources map[string]any // attribute → where its value came from, for the log
}

func newSettings(getenv func(string) string, diags *diag.Diagnostics) *settings {
	return &settings{getenv: getenv, diags: diags, sources: map[string]any{}}
}

// env gives the environment's value for an attribute that the block leaves out.
func (s *settings) env(name string, configured attr.Value) (string, bool) {
	switch {
	case configured.IsUnknown():
		s.unknown = append(s.unknown, name)
		s.sources[name] = "not known yet"
		return "", false
	case !configured.IsNull():
		s.sources[name] = "provider block"
		return "", false
	}
	value := s.getenv(envName(name))
	if value != "" {
		s.sources[name] = "environment"
	}
	return value, value != ""
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

func (s *settings) whole(name string, configured types.Int64, fallback, from, to int64) int {
	n := configured.ValueInt64()
	value, ok := s.env(name, configured)
	switch {
	case ok:
		var err error
		if n, err = strconv.ParseInt(value, 10, 64); err != nil || n < from || n > to {
			s.refuseEnv(name, "must be a whole number from "+strconv.FormatInt(from, 10)+" to "+strconv.FormatInt(to, 10))
		}
	case configured.IsNull() || configured.IsUnknown():
		n = fallback
	}
	return int(n)
}

func (s *settings) number(name string, configured types.Float64, from, to float64) float64 {
	value, ok := s.env(name, configured)
	if !ok {
		return configured.ValueFloat64()
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || !(n >= from && n <= to) {
		s.refuseEnv(name, "must be a number from "+strconv.FormatFloat(from, 'f', -1, 64)+" to "+strconv.FormatFloat(to, 'f', -1, 64))
	}
	return n
}

func (s *settings) duration(name string, configured types.String, fallback, from, to time.Duration) time.Duration {
	value, ok := s.env(name, configured)
	if !ok {
		if value = configured.ValueString(); value == "" {
			return fallback
		}
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < from || d > to {
		s.refuse(name, "must be a duration from "+from.String()+" to "+to.String())
	}
	return d
}

// refuseEnv reports a variable that cannot be used; refuse any value. Neither
// repeats the value.
func (s *settings) refuseEnv(name, problem string) {
	s.diags.AddAttributeError(path.Root(name), "Invalid environment variable", "The environment variable "+envName(name)+" "+problem+".")
}

func (s *settings) refuse(name, problem string) {
	s.diags.AddAttributeError(path.Root(name), "Invalid value", name+" (or "+envName(name)+") "+problem+".")
}

// anyGiven reports whether the block says anything about one of the values, known
// or not: then the environment is not asked about any of them.
func anyGiven(values []types.String) bool {
	return slices.ContainsFunc(values, func(v types.String) bool { return !v.IsNull() })
}

func anyUnknown(values []types.String) bool {
	return slices.ContainsFunc(values, types.String.IsUnknown)
}

// group reads attributes that come from one place as a whole: the block where it
// has any of them, else the environment.
func (s *settings) group(names []string, values []types.String) (read map[string]string, unknown []string) {
	read = map[string]string{}
	fromBlock := anyGiven(values)
	for i, name := range names {
		switch {
		case !fromBlock:
			if read[name] = s.getenv(envName(name)); read[name] != "" {
				s.sources[name] = "environment"
			}
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

// logSources says where each value came from, and never the value.
func (s *settings) logSources(ctx context.Context) {
	tflog.Debug(ctx, "Sources of the provider configuration", s.sources)
}
