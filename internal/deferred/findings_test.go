// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"slices"
	"testing"
	"testing/synctest"
)

// named returns a setting by its name.
func named(t *testing.T, name string) setting {
	t.Helper()
	at := slices.IndexFunc(settings, func(s setting) bool { return s.name == name })
	if at < 0 {
		t.Fatalf("there is no setting %q", name)
	}
	return settings[at]
}

// TestDeferred_findings plays the schedules in which an earlier engine broke a promise. The promises are
// those of world.check.
func TestDeferred_findings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setting string
		script  []string
	}{
		"an adopted request fails, and the answer of ours is lost": {
			"deletion", []string{"apply", "theirs: sent", "theirs: failed", "apply", "as it is", "lost after", "as it is", "done"},
		},
		"of two new records, the newest fails": {
			"deletion without ids", []string{"apply", "as it is", "beside theirs", "as it is", "theirs: failed", "as it is", "apply", "as it is", "leave"},
		},
		"of two new records after a lost answer, one fails": {
			"deletion", []string{"apply", "as it is", "lost beside theirs", "theirs: failed", "as it is", "apply", "done"},
		},
		"another update succeeds, and ours is dropped": {
			"profile update", []string{"apply", "as it is", "beside theirs", "as it is", "vanished", "theirs: done", "as it is", "as it is"},
		},
		"ours is dropped, and the person changes the profile": {
			"profile update", []string{"apply", "as it is", "accepted", "as it is", "vanished", "new data", "as it is", "as it is"},
		},
		"a list of a cache is no empty list": {
			"deletion", []string{"apply", "as it is", "accepted", "as it is", "cached", "cached", "cached", "apply", "cached", "older"},
		},
		"a failed record has the time of its failure, and leaves": {
			"deletion where times are those of the last change", []string{"apply", "as it is", "accepted", "as it is", "failed", "as it is", "leave", "apply", "as it is", "as it is"},
		},
		"the profile is none for once": {
			"deletion", []string{"apply", "as it is", "accepted", "blank", "effect blinks", "as it is", "as it is"},
		},
		"a redirect after acceptance": {
			"deletion", []string{"apply", "as it is", "redirected", "as it is", "done"},
		},
		"the answer is a conflict, and nothing was accepted": {
			"deletion", []string{"apply", "as it is", "conflict", "as it is", "as it is", "as it is", "as it is", "as it is"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(named(t, c.setting), &chooser{})
				w.script, w.telling = c.script, true
				w.play()
				if len(w.broken) > 0 {
					t.Errorf("%q, after %q", w.broken, w.story)
				}
			})
		})
	}
}
