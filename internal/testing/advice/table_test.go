// SPDX-License-Identifier: MPL-2.0

// Package advice_test holds the tests that every advice works. An advice is the text after "What to
// do" in an error or a warning. The tables name, for each text in the source of the provider, the test
// that does what it says and ends in an empty plan with nothing sent twice.
package advice_test

import (
	"cmp"
	"fmt"
	"maps"
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

// plays are the advices that the tests of this package follow.
func plays() map[string]play {
	all := maps.Clone(failures)
	for _, more := range []map[string]play{deferredRequests, consents, exports, settings, batches, actions, lists} {
		maps.Copy(all, more)
	}
	return all
}

// TestCLIAdvice_works makes each situation, looks for the advice, follows it, and fails unless an
// apply then succeeds, the plan after it is empty, and the service has accepted no request for a
// person twice.
func TestCLIAdvice_works(t *testing.T) {
	t.Parallel()
	for advice, p := range plays() {
		t.Run(advice, func(t *testing.T) {
			t.Parallel()
			s := &stage{t: t, service: mocktest.Start(t, day, func(service *mockserver.Server) {
				if p.service != nil {
					p.service(service)
				}
			})}
			s.service.AllowViolations() // many situations are faults
			s.service.PutProfile(scope, "ann", `{"name":"Ann"}`)
			s.CLI = clitest.New(t, cmp.Or(p.configuration, consent("x")), s.service.Environment())
			s.Setenv("ANALYTICS_MAX_RETRIES", "0")
			s.Needs(p.needs)

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
		})
	}
}

// elsewhere are the advices that a test of another package follows.
var elsewhere = map[string]string{
	"nothing, if they are two people. Otherwise keep one":                    "consent.TestConsent_identitiesThatDifferByCase",
	"take each resource to the address that its person has now":              "requests.TestCLIDataDeletion_personsMove",
	"give identity_id by a variable that is sensitive and not ephemeral":     "requests.TestCLIDeleteData_invokedWithASensitiveVariable",
	"nothing, if the resource was renamed; a moved block tells Terraform so": "consent.TestAccConsentResource_renamedKeys",
	"plan again, in the environment that is meant":                           "provider.TestCLIProvider_savedPlanIsForOneScope",
	"run again; repeating the operation does no harm":                        "provider.TestCLIProvider_interruptSavesWhatIsDone",
	"give each resource a path of its own, also in other workspaces":         "export.TestExportFile_twoConfigurationsOnePath",
	"run the query again": "consent.TestCLIConsentList_interruptIsAnError",

	"plan again: the refresh looks for the request":                                      "requests.TestCLIDataDeletion_interrupted",
	"ask the operator of the service about the request. Invoking the action again sends": "requests.TestDeleteData_sentOnceBesideAResource",

	// Without a CLI, which adds nothing: what is done is a setting of the provider, or comes
	// before Terraform's own message.
	"if the message names a setting, and what it says":        "provider.TestProvider_settingThatADiagnosticNamesAdmitsTheAnswer",
	"set wire.profile.at to a pointer to the profile":         "provider.TestProvider_settingThatADiagnosticNamesAdmitsTheAnswer",
	"add the setting that the message names, if it names one": "provider.TestProvider_settingThatADiagnosticNamesAdmitsTheAnswer",
	"run again: the provider reads what the profile has":      "requests.TestActions_unknownOutcomeSaysWhatToDo",
	"take the cache in front of the service out":              "profile.TestProfile_oneReadingProvesNothing",
	"set wire.pending.identity and wire.pending.types":        "requests.TestPendingRequests_mayMatch",
	" If an answer was the data, set wire.all_data.at":        "requests.TestDataAccess_dataAtOnceHasAWayOut",
	"if an answer was the data, set wire.all_data.at":         "requests.TestDataAccess_answers",
}

// outside are the advices that no test of this package can follow, and why.
var outside = map[string]string{
	"report this to the maintainers of the provider":         "it asks for a message to somebody",
	"run again with TF_LOG=ERROR and report the stack trace": "it asks for a message to somebody",
	"ask the operator of the service why this answer is so":  "it asks for a message to somebody",

	"remove the moved block, and put the block of":            "it needs the provider that the resource belongs to",
	"correct the value.":                                      "validators refuse such a value before the client does, and say what is wrong with it",
	"free space on the disk of path, choose a path on":        "it needs a disk that is full",
	"remove the cause and run again, which exports the day":   "it needs a disk that fails between two files",
	"Use the resource analytics_consent_batch, which reads a": "it is the same step as for every batch, from a function that sends nothing",
}

// TestAdvice_eachIsFollowed fails for an advice in the source without a row, for a row
// without an advice, and for a row whose test does not exist.
func TestAdvice_eachIsFollowed(t *testing.T) {
	t.Parallel()

	advices, tests := readSource(t)
	rows := maps.Clone(elsewhere)
	maps.Copy(rows, outside)
	for advice := range plays() {
		rows[advice] = "advice.TestCLIAdvice_works"
	}

	for advice, test := range elsewhere {
		if !tests[test] {
			t.Errorf("%q is followed by %s, which does not exist", advice, test)
		}
	}

	used := map[string]bool{}
	for text, path := range advices {
		row := longestPrefix(rows, text)
		used[row] = true
		if row == "" {
			t.Errorf("%s: no test follows the advice %q", path, text)
		}
	}

	for advice := range rows {
		if !used[advice] {
			t.Errorf("nothing gives the advice %q", advice)
		}
	}
}

// longestPrefix returns the row with the longest beginning of a text; empty for none.
func longestPrefix(rows map[string]string, text string) (longest string) {
	for advice := range rows {
		if strings.HasPrefix(text, advice) && len(advice) > len(longest) {
			longest = advice
		}
	}
	return longest
}
