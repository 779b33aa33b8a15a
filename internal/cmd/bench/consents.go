// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// consentRounds is how often each number of resources is measured, both kinds in turn.
const consentRounds = 2

// lifecycle is what a configuration of resources takes from its plan to its end.
type lifecycle struct {
	create, apply, refresh, destroy cost
	state, identity                 int64          // bytes after the apply, and those of them that are identities
	applied, refreshed              map[string]int // requests by operation
}

// consents measures analytics_consent beside terraform_data with the same values: what
// the provider adds to what Terraform takes anyway.
func consents(ctx context.Context, b *bench) (fmt.Stringer, error) {
	g := grid{
		title: "Single resources, analytics_consent beside terraform_data with the same nine values",
		head:  []string{"resources", "", "plan", "apply", "plan with refresh", "destroy", "state per resource", "of that, identity", "writes and reads per resource, logins per command"},
		remark: fmt.Sprintf("The best of %d rounds, both kinds in turn, with -parallelism at its default of 10. Reads are those of the plan with refresh; "+
			"an apply reads once before it writes, because a person may have chosen since.", consentRounds),
	}

	for _, n := range b.resources {
		var ours, theirs lifecycle
		for round := range consentRounds {
			b.note("%s resources of each kind, round %d of %d ...", thousands(n), round+1, consentRounds)
			if err := b.live(ctx, &ours, consentsSeeder, n); err != nil {
				return nil, err
			}
			if err := b.live(ctx, &theirs, dataSeeder, n); err != nil {
				return nil, err
			}
		}
		g.rows = append(g.rows, consentRows(n, ours, theirs)...)
	}

	return g, nil
}

func consentRows(n int, ours, theirs lifecycle) [][]string {
	perResource := func(requests int) float64 { return float64(requests) / float64(n) }
	requests := fmt.Sprintf("%.2f, %.2f, %d",
		perResource(ours.applied["updateConsent"]), perResource(ours.refreshed["getConsent"]), ours.applied["login"])

	first := append([]string{thousands(n), consentsSeeder.name}, ours.figures(n)...)
	second := append([]string{"", dataSeeder.name}, theirs.figures(n)...)
	over := func(a, b cost) string { return fmt.Sprintf("x %.2f", a.wall.Seconds()/b.wall.Seconds()) }
	third := []string{
		"", "ratio", over(ours.create, theirs.create), over(ours.apply, theirs.apply),
		over(ours.refresh, theirs.refresh), over(ours.destroy, theirs.destroy), "", "", "",
	}

	return [][]string{append(first, requests), append(second, ""), third}
}

// figures returns the cells of a lifecycle of n resources.
func (l lifecycle) figures(n int) []string {
	return []string{
		inSeconds(l.create.wall.Seconds()), inSeconds(l.apply.wall.Seconds()),
		inSeconds(l.refresh.wall.Seconds()), inSeconds(l.destroy.wall.Seconds()),
		fmt.Sprintf("%d B", l.state/int64(n)), fmt.Sprintf("%d B", l.identity/int64(n)),
	}
}

// live takes n resources from their plan to their end, at a service of their own, and
// keeps the best cost of each part in l.
func (b *bench) live(ctx context.Context, l *lifecycle, s seeder, n int) error {
	tf, service, err := b.seedingStage(ctx, seedingCase{seeder: s, people: n}, "-credentials", "login")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tf.Dir) }()

	part := func(best *cost, words string, args ...string) (requests map[string]int, err error) {
		before := len(service.Entries())
		got, err := b.measured(ctx, tf, words, args...)
		best.take(got)
		return operations(service.Entries()[before:]), err
	}

	if _, err := part(&l.create, "to add", "plan", "-out=seed.tfplan"); err != nil {
		return err
	}
	if l.applied, err = part(&l.apply, "Apply complete!", "apply", "seed.tfplan"); err != nil {
		return err
	}
	l.state = stateSize(tf)
	if l.identity, err = identitySize(tf); err != nil {
		return err
	}
	if l.refreshed, err = part(&l.refresh, "No changes.", "plan"); err != nil {
		return err
	}
	if _, err := part(&l.destroy, "Destroy complete!", "destroy", "-auto-approve", "-refresh=false"); err != nil {
		return err
	}

	return service.Stop()
}

// stateSize returns the size of the state in bytes; 0 where there is none.
func stateSize(tf terraformcli.CLI) int64 {
	info, err := os.Stat(filepath.Join(tf.Dir, "terraform.tfstate"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// identityMember matches a resource identity in a state file. No value of the bench has a
// brace.
var identityMember = regexp.MustCompile(`,\s*"identity": \{[^}]*\}`)

// identitySize returns how many bytes of the state are resource identities, which the CLI
// stores since 1.12; 0 where there are none.
func identitySize(tf terraformcli.CLI) (bytes int64, err error) {
	state, err := os.ReadFile(filepath.Join(tf.Dir, "terraform.tfstate"))
	if err != nil {
		return 0, err
	}

	for _, member := range identityMember.FindAll(state, -1) {
		bytes += int64(len(member))
	}

	return bytes, nil
}

// operations counts requests by their operation.
func operations(entries []stage.Entry) map[string]int {
	counts := map[string]int{}
	for _, e := range entries {
		counts[e.Operation]++
	}
	return counts
}
