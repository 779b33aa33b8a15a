// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// TestDeferred_everySchedule runs what Terraform does with one person's requests against everything that a service may
// do, and checks the package's promises after each step: for all sequences of the first few decisions, and for all
// longer sequences in which a few decisions are unusual.
func TestDeferred_everySchedule(t *testing.T) {
	t.Parallel()
	for _, setting := range settings {
		for _, c := range []chooser{
			{decisions: soak.Size(soak.Raced(1, 3), 6), deviations: soak.Size(3, 6)},
			{decisions: soak.Size(soak.Raced(4, 6), 20), deviations: soak.Size(soak.Raced(1, 2), 3)},
		} {
			t.Run(fmt.Sprintf("%s, %d decisions, %d deviations", setting.name, c.decisions, c.deviations), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					schedules, failed := 0, 0
					for more := true; more && failed < 3; more = c.advance() {
						schedules++
						if !holds(t, setting, &c) {
							failed++
						}
					}
					t.Logf("%d schedules", schedules)
					soak.Add(soak.Tried, schedules)
				})
			})
		}
	}
}

// TestDeferred_randomSchedules is TestDeferred_everySchedule for long sequences, chosen at random.
func TestDeferred_randomSchedules(t *testing.T) {
	t.Parallel()
	for _, setting := range settings {
		t.Run(setting.name, func(t *testing.T) {
			t.Parallel()
			for i := range soak.Schedules(soak.Raced(100, 1000), 100_000) {
				seed := uint64(i)
				if soak.On() {
					seed = soak.Seed(i)
				}
				synctest.Test(t, func(t *testing.T) {
					if !holds(t, setting, &chooser{random: rand.New(rand.NewPCG(seed, 3))}) {
						t.Fatalf("seed %d", seed)
					}
				})
			}
		})
	}
}

// holds plays a schedule, and tells its story if a promise is broken.
func holds(t *testing.T, s setting, c *chooser) bool {
	t.Helper()
	w := newWorld(s, c)
	w.play()
	if len(w.broken) == 0 {
		return true
	}

	again := newWorld(s, c)
	again.telling, c.at = true, 0
	again.play()
	t.Errorf("%s\n%s", strings.Join(again.story, "\n"), strings.Join(again.broken, "\n"))

	return false
}

// chooser walks through all sequences of decisions, one for each advance: those of a number of decisions, of which
// some deviate from the first option. Later decisions take their first option.
type chooser struct {
	decisions, deviations int

	taken   []int // the option of each decision
	options []int // how many each one has
	at      int
	random  *rand.Rand
}

// advance begins the next sequence; false after the last one.
func (c *chooser) advance() bool {
	c.at = 0
	for i, option := range slices.Backward(c.taken) {
		if option+1 < c.options[i] {
			c.taken, c.options = c.taken[:i+1], c.options[:i+1]
			c.taken[i]++
			return true
		}
	}

	return false
}

// choose decides between n options. At random, it takes the usual one every second time. It
// repeats a sequence that was begun before.
func (c *chooser) choose(n int) int {
	if c.random == nil && c.at >= c.decisions {
		return 0
	}

	if c.at == len(c.taken) {
		option, deviated := 0, 0
		for _, taken := range c.taken {
			deviated += min(taken, 1)
		}

		switch {
		case c.random == nil && deviated >= c.deviations:
			n = 1
		case c.random != nil && c.random.IntN(2) > 0:
			option = c.random.IntN(n)
		}
		c.taken, c.options = append(c.taken, option), append(c.options, n)
	}
	c.at++

	return c.taken[c.at-1]
}

// scripted returns a world of a setting in which this happens, in order, and else what is usual.
func scripted(named, script string) *world {
	at := slices.IndexFunc(settings, func(s setting) bool { return s.name == named })
	w := newWorld(settings[at], &chooser{})
	w.script, w.telling, w.acting = strings.Split(strings.TrimSuffix(script, "; "), "; "), true, &w.objects[0]

	return w
}

// TestDeferred_findings plays the schedules in which an earlier engine broke a promise. The promises are
// those of world.check.
func TestDeferred_findings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ setting, script string }{
		"an adopted request fails, and the answer of ours is lost":                    {"deletion", "apply; theirs: sent; theirs: failed; apply; as it is; lost after; as it is; done"},
		"of two new records, the newest fails":                                        {"deletion without ids", "apply; as it is; beside theirs; as it is; theirs: failed; as it is; apply; as it is; leave"},
		"of two new records after a lost answer, one fails":                           {"deletion", "apply; as it is; lost beside theirs; theirs: failed; as it is; apply; done"},
		"another update succeeds, and ours is dropped":                                {"profile update", "apply; as it is; beside theirs; as it is; vanished; theirs: done; as it is; as it is"},
		"ours is dropped, and the person changes the profile":                         {"profile update", "apply; as it is; accepted; as it is; vanished; new data; as it is; as it is"},
		"an equal update is done, and the list does not show ours":                    {"profile update", "apply; as it is; accepted; interrupted; replace; as it is; accepted; done; lagging"},
		"an equal update is done and listed":                                          {"profile update", "apply; as it is; accepted; interrupted; replace; as it is; accepted; done and listed; lagging"},
		"an equal update has an unknown status":                                       {"profile update", "apply; as it is; accepted; interrupted; replace; as it is; accepted; unknown final status; lagging"},
		"a list of a cache does not count as empty":                                   {"deletion", "apply; as it is; accepted; as it is; cached; cached; cached; apply; cached; older"},
		"a failed record has the time of its failure, and leaves":                     {"deletion where times are those of the last change", "apply; as it is; accepted; as it is; failed; as it is; leave; apply; as it is; as it is"},
		"the profile is missing once":                                                 {"deletion", "apply; as it is; accepted; effect blinks; as it is; as it is"},
		"the profile is missing once, beside the failed deletion of another":          {"deletion", "apply; as it is; accepted; theirs: sent; theirs: failed; vanished; as it is; refresh; effect blinks"},
		"only the list before another request shows that the one of before failed":    {"deletion of a person without a profile", "apply; as it is; accepted; as it is; interrupted; apply, other triggers; as it is; failed; lost before; leave"},
		"the same, where times are those of the last change":                          {"data access where times are those of the last change", "apply; as it is; accepted; as it is; interrupted; apply, other triggers; as it is; failed; lost before; leave"},
		"without an id, the same is adopted under other triggers, fails and leaves":   {"data access without ids beside an old one that is done", "apply; as it is; accepted; as it is; interrupted; apply, other triggers; as it is; as it is; failed; second object; leave"},
		"a list lags, and another one is blank a lag later":                           {"deletion of a person without a profile", "apply; as it is; accepted; as it is; lagging; forbidden; apply; older; blank"},
		"two records have one time and no id, and the one that is adopted fails":      {"deletion without ids", "replace; as it is; twice; as it is; as it is; as it is; as it is; apply, other triggers; as it is; as it is; as it is; theirs: failed; apply"},
		"a deletion vanishes, and the profile is missing in cached answers":           {"deletion", "apply; as it is; accepted; as it is; vanished; effect cached; effect cached; apply; effect cached; effect cached; effect cached"},
		"a deletion vanishes, and the profile is missing in older answers":            {"deletion", "apply; as it is; accepted; as it is; vanished; effect older; effect older; apply; effect older; effect older; effect older"},
		"a deletion vanishes, and the profile is refused":                             {"deletion", "apply; as it is; accepted; as it is; vanished; effect refused; effect refused; apply; effect refused; effect refused; effect refused"},
		"a redirect after acceptance":                                                 {"deletion", "apply; as it is; redirected; as it is; done"},
		"the answer is a conflict, and nothing was accepted":                          {"deletion", "apply; as it is; conflict; as it is; as it is; as it is; as it is; as it is"},
		"ids are places in the list, and the one before ours fails and is shown late": {"deletion with ids in receipts alone", "apply in the same run; vanished; beside theirs; failed; apply; theirs: done; goes back"},
		"ids are places in the list, and two records have one time":                   {"deletion with ids in receipts alone", "apply; unknown status; lost after; failed; apply in the same run; as it is; twice; as it is; apply; leave; as it is; theirs: done and listed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := scripted(c.setting, c.script)
				w.play()
				if len(w.broken) > 0 || len(w.script) > 0 {
					t.Errorf("%q, and %q is left, after %q", w.broken, w.script, w.story)
				}
			})
		})
	}
}
