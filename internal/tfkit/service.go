// SPDX-License-Identifier: MPL-2.0

// Package tfkit holds what several objects share: the Service that they embed, the attributes of scope
// and identity with import and move, what a run knows of people, timeouts, dates and diagnostics.
package tfkit

import (
	"context"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
)

// Service is what the provider block makes available. Every object embeds the one of the latest Configure.
type Service struct {
	Client       *client.Client // nil exactly if Unknown is not empty
	Unknown      []string       // attributes of the provider block that a client needs and that are not known yet
	DefaultScope Scope          // of the provider; zero if it has none, and of unknown values while a part is not known

	Consents  People             // whose consent the objects of this run keep
	Profiles  People             // whose profile they write
	Deletions People             // which deletions they stand for and submit
	Deferred  *deferred.Engine   // carries out deferred requests; nil if Client is nil
	Files     outfile.PathsInUse // the output files of this run

	hasRead atomic.Bool // an object of a resource was read in this run
}

// NewService returns what a provider block makes available. unknown has the attributes that a client needs and
// that are not known yet; the client is nil exactly if there are any.
func NewService(c *client.Client, scope Scope, unknown []string) *Service {
	s := &Service{Client: c, DefaultScope: scope, Unknown: unknown}
	for _, p := range []*People{&s.Consents, &s.Profiles, &s.Deletions} {
		p.people = map[client.Person]person{}
	}
	if c != nil {
		s.Deferred = deferred.NewEngine(c)
	}

	return s
}

// Ready returns the client, or reports which provider attributes are not known yet.
func (s *Service) Ready(diags *diag.Diagnostics) (*client.Client, bool) {
	if s.Client == nil {
		addUnknown(diags, strings.Join(s.Unknown, ", "))
	}
	return s.Client, s.Client != nil
}

func addUnknown(diags *diag.Diagnostics, names string) {
	Problem{
		Summary: "Provider configuration not known yet",
		Detail:  "The provider has to send a request now, but " + names + " of the provider block is not known yet.",
		Do:      "apply the resources that this value comes from first (-target), or set it from a variable or from the environment.",
	}.AddError(diags)
}

// RefuseReadOnly reports a read-only provider in a plan that changes something at the service.
func (s *Service) RefuseReadOnly(diags *diag.Diagnostics) {
	if s.Client != nil && s.Client.ReadOnly {
		ProblemOf(&transport.Error{Class: transport.ClassReadOnly, Detail: "the setting read_only is on, and what is planned changes something at the service. Nothing was sent"}, "").AddError(diags)
	}
}

// Today returns the beginning of the current day in UTC, by the clock of the service if that is known.
func (s *Service) Today() time.Time {
	if s.Client == nil {
		return time.Now().UTC().Truncate(24 * time.Hour)
	}
	return s.Client.Today()
}

// RecoverAndReport turns a panic into an error, so that what the object has saved is kept, and reports what
// the client noticed. Every method that does work must begin with it, deferred. The framework calls that of
// an action in a goroutine of its own, where a panic would end the process.
func (s *Service) RecoverAndReport(ctx context.Context, diags *diag.Diagnostics) {
	if reason := recover(); reason != nil {
		AddPanic(ctx, diags)
	}

	if s.Client == nil {
		return
	}
	if text := s.Client.Notice.Swap(nil); text != nil {
		Problem{Summary: "Noticed while talking to the service", Detail: *text}.AddWarning(diags)
	}
}

// Plans reports whether the run plans objects that exist: a plan reads them first, unless
// -refresh=false is given, and an apply does not.
func (s *Service) Plans() bool { return s.hasRead.Load() }

// AddPanic reports a panic without its value, which may hold personal data, and logs the stack trace.
func AddPanic(ctx context.Context, diags *diag.Diagnostics) {
	tflog.Error(ctx, "Panic in the provider", map[string]any{"stack": string(debug.Stack())})

	Problem{
		Summary: "Internal error",
		Detail:  "The provider crashed in this operation (a panic). That is a bug in the provider.",
		InState: "what was there before, or what this operation had saved already; all other resources are unaffected",
		Do:      "run again with TF_LOG=ERROR and report the stack trace to the maintainers of the provider.",
	}.AddError(diags)
}

// Private is private state.
type Private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// InParallel calls do for each of the items in order, by several goroutines at once, until it returns
// false or the context ends. It returns when no goroutine is left, with the errors of panics.
func InParallel[T any](ctx context.Context, workers int, items []T, do func(item T) (goesOn bool)) (panics diag.Diagnostics) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	var next atomic.Int64
	var mu sync.Mutex // of panics
	var group sync.WaitGroup
	for range min(workers, len(items)) { // a goroutine for each item would grow its stack each time
		group.Go(func() {
			defer func() {
				if recover() != nil {
					stop()
					mu.Lock()
					defer mu.Unlock()
					AddPanic(ctx, &panics)
				}
			}()

			for at := next.Add(1); at <= int64(len(items)) && ctx.Err() == nil; at = next.Add(1) {
				if !do(items[at-1]) {
					stop()
				}
			}
		})
	}
	group.Wait()

	return panics
}
