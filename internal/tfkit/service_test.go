// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestProblem_form has the text of a problem, and no path where it has none: Terraform does not
// show where an object is configured if the path is there and empty.
func TestProblem_form(t *testing.T) {
	t.Parallel()
	for want, problem := range map[string]Problem{
		"It failed.\n\nIn state now: nothing.\nWhat to do: run again.": {InState: "nothing", Do: "run again.", At: path.Root("path")},
		"It failed.\n\nWhat to do: run again.":                         {Do: "run again."},
		"It failed.":                                                   {},
	} {
		problem.Summary, problem.Detail = "Failed", "It failed."
		var diags diag.Diagnostics
		problem.AddError(&diags)
		problem.AddWarning(&diags)

		for i, severity := range []diag.Severity{diag.SeverityError, diag.SeverityWarning} {
			at, hasPath := diags[i].(diag.DiagnosticWithPath)
			if diags[i].Severity() != severity || diags[i].Summary() != "Failed" || diags[i].Detail() != want ||
				hasPath != (len(problem.At.Steps()) > 0) || hasPath && !at.Path().Equal(problem.At) {
				t.Errorf("the diagnostic is %v", diags[i])
			}
		}
	}
}

// TestAddError_internalErrorsShowNothing reports an error of another package, and a panic.
func TestAddError_internalErrorsShowNothing(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	ProblemOf(errors.New(`Get "https://h.example.com/?apiSecretToken=canary"`), NothingSaved).AddError(&diags)
	func() {
		defer new(Service).RecoverAndReport(t.Context(), &diags)
		panic("canary of jane.doe@example.com")
	}()

	for i := range 2 {
		if d := diags[i]; d.Summary() != "Internal error" || strings.Contains(d.Detail(), "canary") {
			t.Errorf("the diagnostic is %v", d)
		}
	}
}

// TestInParallel_endsForAllWorkers ends with the first item, or with its panic, while others are under way
// which succeed later.
func TestInParallel_endsForAllWorkers(t *testing.T) {
	t.Parallel()
	for _, isPanic := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var calls atomic.Int32
			panics := InParallel(t.Context(), 3, []int{0, 1, 2, 3, 4, 5, 6}, func(item int) (goesOn bool) {
				calls.Add(1)
				<-time.After(time.Duration(1+item) * time.Second)
				if isPanic && item == 0 {
					panic("jane.doe@example.com")
				}
				return item > 0
			})
			if calls.Load() != 3 || panics.HasError() != isPanic {
				t.Errorf("%d items were begun, and it says %v", calls.Load(), panics)
			}
		})
	}
}

// TestDuring_ticks works for a while, and listens for an hour more. A panic of the work goes on,
// and one of a tick only ends the ticks.
func TestDuring_ticks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		works, limit time.Duration
		panics       string // the side that does, at its end
		ticks        int
	}{
		"until the work is done": {95 * time.Second, time.Hour, "", 3},
		"until the context ends": {2 * time.Minute, 40 * time.Second, "", 1},
		"until the work panics":  {70 * time.Second, time.Hour, "work", 2},
		"until it panics":        {95 * time.Second, time.Hour, "tick", 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), tc.limit)
			defer cancel()

			ticks := 0
			defer func() {
				panicked := recover() != nil
				<-time.After(time.Hour)
				if panicked != (tc.panics == "work") || ticks != tc.ticks {
					t.Errorf("%s: it panicked %v, and ticked %d times", name, panicked, ticks)
				}
			}()
			During(ctx, func() {
				<-time.After(tc.works)
				if tc.panics == "work" {
					panic("work")
				}
			}, func(since time.Duration) {
				ticks++
				if since != time.Duration(ticks)*30*time.Second || tc.panics == "tick" {
					panic("tick")
				}
			})
		})
	}
}
