// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"go.uber.org/goleak"
)

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

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
