package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// consentRounds is how often each number of resources is measured, both kinds in turn.
const consentRounds = 2

// consentSizes are how many resources a configuration has.
var consentSizes = []int{500, 1000}

// lifecycle is what a configuration of resources takes from its plan to its end.
type lifecycle struct {
	create, apply, refresh, destroy time.Duration
	state                           int64
	memory                          float64
	applied, refreshed              map[string]int // requests
}

// consents measures analytics_consent beside terraform_data with the same values:
// what the provider adds to what Terraform takes anyway.
func consents(ctx context.Context, b *bench) (fmt.Stringer, error) {
	g := grid{
		title: "Single resources, analytics_consent beside terraform_data with the same nine values",
		head:  []string{"resources", "", "plan", "apply", "plan with refresh", "destroy", "state per resource", "writes and reads per resource, logins per command"},
		remark: fmt.Sprintf("The best of %d rounds, both kinds in turn, with -parallelism at its default of 10. Reads are those of the plan with refresh; "+
			"an apply reads once before it writes, because a person may have chosen since.", consentRounds),
	}
	for _, n := range consentSizes {
		ours, theirs := lifecycle{}, lifecycle{}
		for round := range consentRounds {
			b.note("%s resources of each kind, round %d of %d ...", thousands(n), round+1, consentRounds)
			for s, best := range map[*seeder]*lifecycle{&consentsSeeder: &ours, &dataSeeder: &theirs} {
				got, err := b.live(ctx, *s, n)
				if err != nil {
					return nil, err
				}
				best.take(got)
			}
		}
		perState := func(l lifecycle) string { return fmt.Sprintf("%d B", l.state/int64(n)) }
		times := func(l lifecycle) []string {
			return []string{inSeconds(l.create.Seconds()), inSeconds(l.apply.Seconds()), inSeconds(l.refresh.Seconds()), inSeconds(l.destroy.Seconds())}
		}
		over := func(a, b time.Duration) string { return fmt.Sprintf("x %.2f", a.Seconds()/b.Seconds()) }
		g.rows = append(g.rows,
			append(append([]string{thousands(n), "analytics_consent"}, times(ours)...), perState(ours), fmt.Sprintf("%.2f, %.2f, %d",
				float64(ours.applied["updateConsent"])/float64(n), float64(ours.refreshed["getConsent"])/float64(n), ours.applied["login"])),
			append(append([]string{"", "terraform_data"}, times(theirs)...), perState(theirs), ""),
			[]string{"", "ratio", over(ours.create, theirs.create), over(ours.apply, theirs.apply), over(ours.refresh, theirs.refresh), over(ours.destroy, theirs.destroy), "", ""})
	}
	return g, nil
}

// take keeps the best time of each part.
func (l *lifecycle) take(got lifecycle) {
	if l.applied == nil {
		*l = got
		return
	}
	l.create, l.apply = min(l.create, got.create), min(l.apply, got.apply)
	l.refresh, l.destroy = min(l.refresh, got.refresh), min(l.destroy, got.destroy)
}

// live takes resources from their plan to their end, each with a service of its own.
func (b *bench) live(ctx context.Context, s seeder, n int) (l lifecycle, err error) {
	tf, service, err := b.seedingStage(ctx, s, n, 0, "-credentials", "login")
	if err != nil {
		return l, err
	}
	defer func() { _ = os.RemoveAll(tf.Dir) }()
	for _, step := range []struct {
		took  *time.Duration
		words string
		args  []string
		seen  *map[string]int
	}{
		{&l.create, "to add", []string{"plan", "-out=seed.tfplan"}, nil},
		{&l.apply, "Apply complete!", []string{"apply", "seed.tfplan"}, &l.applied},
		{&l.refresh, "No changes.", []string{"plan"}, &l.refreshed},
		{&l.destroy, "Destroy complete!", []string{"destroy", "-auto-approve", "-refresh=false"}, nil},
	} {
		before := len(service.Entries())
		if *step.took, l.memory, err = b.timed(ctx, tf, step.words, step.args...); err != nil {
			return l, err
		}
		if step.seen != nil {
			*step.seen = operations(service.Entries()[before:])
		}
		if info, err := os.Stat(filepath.Join(tf.Dir, "terraform.tfstate")); err == nil && step.seen == &l.applied {
			l.state = info.Size()
		}
	}
	return l, service.Stop()
}

// operations counts requests by what they were for.
func operations(entries []stage.Entry) map[string]int {
	counts := map[string]int{}
	for _, e := range entries {
		counts[e.Operation]++
	}
	return counts
}
