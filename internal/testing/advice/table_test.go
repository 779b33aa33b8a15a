// SPDX-License-Identifier: MPL-2.0

// Package advice_test holds the test that advices work. An advice is the text after "What to do" in an error
// or a warning. Each row of the tables makes a situation, and does what the advice says.
package advice_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

var scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// stage is a CLI and its service while an advice is followed.
type stage struct {
	*clitest.CLI

	t       *testing.T
	service *mocktest.Instance
}

// play is what happens before the message with the advice, and after it.
type play struct {
	// configuration is the first one; that of one consent if it is empty.
	configuration string
	// service changes the service before it starts.
	service func(*mockserver.Server)
	// situation makes the situation. The message comes with the command says, or else with
	// an apply.
	situation func(*stage)
	says      []string
	// follow does what the advice says, up to the apply at the end.
	follow func(*stage)
	// needs is a feature of the CLI, without which the test is skipped.
	needs acctest.Feature
	// again is how many further requests for one person the advice asks for.
	again int
}

var apply = []string{"apply", "-auto-approve"}

// set returns a step that sets a variable of the environment.
func set(name, value string) func(*stage) { return func(s *stage) { s.Setenv(name, value) } }

// inject returns a step after which a request ends with a fault.
func inject(fault mockserver.Fault) func(*stage) { return func(s *stage) { s.service.Inject(fault) } }

// configure returns a step that replaces the configuration.
func configure(configuration string) func(*stage) {
	return func(s *stage) { s.Configure(configuration) }
}

// reach returns a step that applies another configuration.
func reach(configuration string) func(*stage) {
	return inOrder(configure(configuration), run(apply...))
}

// applied returns the steps after an apply.
func applied(then ...func(*stage)) func(*stage) { return inOrder(run(apply...), inOrder(then...)) }

// inOrder returns the steps in one; one that is nil does nothing.
func inOrder(steps ...func(*stage)) func(*stage) {
	return func(s *stage) {
		for _, step := range steps {
			if step != nil {
				step(s)
			}
		}
	}
}

// run returns a step that runs a command, which must succeed.
func run(command ...string) func(*stage) { return func(s *stage) { s.MustRun(command...) } }

// consent returns a consent of the person ann, with further lines.
func consent(name string, lines ...string) string {
	for i := range mockserver.Clauses {
		lines = append(lines, fmt.Sprintf("clause_%d_consent = true", i+1))
	}
	return object("consent", name, lines...)
}

// object returns a block of a resource about the person ann.
func object(resource, name string, lines ...string) string {
	return block("resource", resource, name, append([]string{`identity_id = "ann"`}, lines...)...)
}

// block returns a block of an object of the provider.
func block(kind, object, name string, lines ...string) string {
	return fmt.Sprintf("\n%s \"analytics_%s\" %q {\n  %s\n}\n", kind, object, name, strings.Join(lines, "\n  "))
}

// TestCLIAdvice_works makes each situation, looks for the advice, follows it, and fails unless an
// apply then succeeds, the plan after it is empty, and the service has accepted no request for a
// person twice.
func TestCLIAdvice_works(t *testing.T) {
	t.Parallel()
	for _, plays := range []map[string]play{failures, deferredRequests, consents, exports, settings, batches, actions, lists, passing()} {
		for advice, p := range plays {
			t.Run(advice, func(t *testing.T) {
				t.Parallel()
				perform(t, advice, p)
			})
		}
	}
}

func perform(t *testing.T, advice string, p play) {
	t.Helper()
	s := &stage{t: t, service: mocktest.Start(t, func(service *mockserver.Server) {
		if p.service != nil {
			p.service(service)
		}
	})}
	s.service.AllowViolations() // many situations are faults
	s.service.PutProfile(scope, "ann", `{"name":"Ann Example"}`)
	s.service.PutExport(scope, "2026-01-31", mockserver.ExportDay{Persons: []any{map[string]any{"identityId": "ann"}}})
	s.CLI = clitest.New(t, cmp.Or(p.configuration, consent("x")), s.service.Environment())
	s.Setenv("ANALYTICS_MAX_RETRIES", "0")
	acctest.PreCheck(s.t, p.needs)

	inOrder(p.situation)(s)
	says := p.says
	if says == nil {
		says = apply
	}
	clitest.WantWords(t, s.Run(says...), "What to do:", advice)

	inOrder(p.follow)(s)
	s.MustRun(apply...)
	clitest.WantWords(t, s.MustRun("plan", "-detailed-exitcode"), "No changes")

	sent := map[string]int{}
	for _, q := range s.service.Queue() {
		about := q.Operation + " of " + q.Identity
		sent[about]++
		if sent[about] > 1+p.again {
			t.Errorf("the service has accepted %s %d times", about, sent[about])
		}
	}
}
