// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// deletionBlock returns a deletion of a person.
func deletionBlock(name, identity string) string {
	return fmt.Sprintf("\nresource \"analytics_data_deletion\" %q {\n  identity_id = %q\n}\n", name, identity)
}

// deletionList returns deletions of a list of people, with count or for_each.
func deletionList(repeat string) string {
	identity := "each.value"
	if strings.HasPrefix(repeat, "count") {
		identity = "local.people[count.index]"
	}
	return "\nresource \"analytics_data_deletion\" \"x\" {\n  " + repeat + "\n  identity_id = " + identity + "\n}\n"
}

func people(names ...string) string {
	return "\nlocals {\n  people = [\"" + strings.Join(names, `", "`) + "\"]\n}\n"
}

// TestCLIDataDeletion_personsMove changes which address holds which person, runs into the
// refusal, and does what it says.
func TestCLIDataDeletion_personsMove(t *testing.T) {
	t.Parallel()

	const listOf = "count       = length(local.people)"
	for name, tc := range map[string]struct {
		needs         acctest.Feature // without which the test is skipped
		before, after string
		options       []string
		taints        bool
		// commands do what the refusal says, and after replaces the configuration if set.
		commands [][]string
		then     string
		sent     int // in all
	}{
		"between two blocks": {
			before: deletionBlock("first", "ann"), after: deletionBlock("first", "bob") + deletionBlock("second", "ann"),
			commands: [][]string{{"state", "mv", deletionName + ".first", deletionName + ".second"}}, sent: 2,
		},
		"exchanged": {
			before: deletionBlock("first", "ann") + deletionBlock("second", "bob"), after: deletionBlock("first", "bob") + deletionBlock("second", "ann"),
			commands: [][]string{
				{"state", "mv", deletionName + ".first", deletionName + ".aside"},
				{"state", "mv", deletionName + ".second", deletionName + ".first"},
				{"state", "mv", deletionName + ".aside", deletionName + ".second"},
			}, sent: 2,
		},
		"along a count list": {
			before: people("ann", "bob", "eve") + deletionList(listOf), after: people("bob", "eve") + deletionList(listOf),
			commands: [][]string{
				{"state", "rm", deletionName + ".x[0]"},
				{"state", "mv", deletionName + ".x[1]", deletionName + ".x[0]"},
				{"state", "mv", deletionName + ".x[2]", deletionName + ".x[1]"},
			}, sent: 3,
		},
		"renamed key": {
			before: deletionList(`for_each    = { old = "ann" }`), after: deletionList(`for_each    = { new = "ann" }`),
			options:  []string{"-target=" + deletionName + ".x"},
			commands: [][]string{{"state", "mv", deletionName + `.x["old"]`, deletionName + `.x["new"]`}}, sent: 1,
		},
		"renamed key, with a moved block": {
			before: deletionList(`for_each    = { old = "ann" }`), after: deletionList(`for_each    = { new = "ann" }`),
			then: deletionList(`for_each    = { new = "ann" }`) + "\nmoved {\n  from = analytics_data_deletion.x[\"old\"]\n  to   = analytics_data_deletion.x[\"new\"]\n}\n", sent: 1,
		},
		"second block": {
			before: deletionBlock("first", "ann"), after: deletionBlock("first", "ann") + deletionBlock("second", "ann"),
			then: deletionBlock("first", "ann"), sent: 1,
		},
		"tainted": {
			before: deletionBlock("first", "ann"), after: deletionBlock("first", "ann"),
			taints: true, commands: [][]string{{"untaint", deletionName + ".first"}}, sent: 1,
		},
		"removed, and a new block": {
			needs: acctest.RemovedBlocks, before: deletionBlock("first", "ann"),
			after: "\nremoved {\n  from = analytics_data_deletion.first\n  lifecycle {\n    destroy = false\n  }\n}\n" + deletionBlock("second", "ann"),
			then:  "\nmoved {\n  from = analytics_data_deletion.first\n  to   = analytics_data_deletion.second\n}\n" + deletionBlock("second", "ann"), sent: 1,
		},
		"-replace": {
			before: deletionBlock("first", "ann"), after: deletionBlock("first", "ann"),
			options: []string{"-replace=" + deletionName + ".first"}, then: deletionBlock("first", "ann"), sent: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cli, service := newCLI(t, tc.before, outcome(mockserver.Outcome{KeepListed: true})) // which is proof
			cli.Needs(tc.needs)
			cli.MustRun("apply", "-auto-approve")
			sent := len(service.Queue())

			cli.Configure(tc.after)
			if tc.taints {
				cli.MustRun("taint", deletionName+".first")
			}
			r := cli.Run(append([]string{"apply", "-auto-approve"}, tc.options...)...)
			if r.Code == 0 {
				t.Fatalf("it was applied:\n%s", r.Output)
			}
			clitest.WantWords(t, r, "The plan would submit a deletion again", "terraform state mv")
			wantQueued(t, service, mockserver.OpDeleteAllData, sent)

			for _, command := range tc.commands {
				cli.MustRun(command...)
			}
			if tc.then != "" {
				cli.Configure(tc.then)
			}
			cli.MustRun("apply", "-auto-approve")
			clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
			wantQueued(t, service, mockserver.OpDeleteAllData, tc.sent)
		})
	}
}

// With -target of the new key alone, Terraform neither reads nor plans the old object, so the
// plan cannot know of it. The guide says so.
func TestCLIDataDeletion_targetHidesTheOldKey(t *testing.T) {
	t.Parallel()

	cli, service := newCLI(t, deletionList(`for_each    = { old = "ann" }`), outcome(mockserver.Outcome{KeepListed: true}))
	cli.MustRun("apply", "-auto-approve")
	cli.Configure(deletionList(`for_each    = { new = "ann" }`))
	clitest.WantWords(t, cli.MustRun("plan", "-target="+deletionName+`.x["new"]`), "plan does not read the resource that stands for it", "-target")
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}
