// SPDX-License-Identifier: MPL-2.0

package advice_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

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

// inject returns a situation in which a request ends with a fault.
func inject(faults ...mockserver.Fault) func(*stage) {
	return func(s *stage) { s.service.Inject(faults...) }
}

// configure returns a follow-up that replaces the configuration.
func configure(configuration string) func(*stage) {
	return func(s *stage) { s.Configure(configuration) }
}

// reach returns a step that applies another configuration.
func reach(configuration string) func(*stage) {
	return inOrder(configure(configuration), run(apply...))
}

// applied returns a situation in which the configuration is applied, and then something
// happens.
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
func run(command ...string) func(*stage) {
	return func(s *stage) { s.MustRun(command...) }
}

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
