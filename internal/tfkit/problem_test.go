package tfkit

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
)

func TestProblem_form(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		problem Problem
		want    string
	}{
		"everything":    {Problem{Detail: "It failed.", InState: "nothing", Do: "run again."}, "It failed.\n\nIn state now: nothing.\nWhat to do: run again."},
		"without state": {Problem{Detail: "It failed.", Do: "run again."}, "It failed.\n\nWhat to do: run again."},
		"detail alone":  {Problem{Detail: "It failed."}, "It failed."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.problem.Summary = "Failed"
			var plain, located diag.Diagnostics
			tc.problem.AddError(&plain)
			tc.problem.At = path.Root("path")
			tc.problem.AddWarning(&located)

			if want := diag.NewErrorDiagnostic("Failed", tc.want); !plain.Contains(want) || len(plain) != 1 {
				t.Errorf("the error is %v", plain)
			}
			if want := diag.NewAttributeWarningDiagnostic(path.Root("path"), "Failed", tc.want); !located.Contains(want) || len(located) != 1 {
				t.Errorf("the warning is %v", located)
			}
		})
	}
}
