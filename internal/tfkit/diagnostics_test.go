// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

func TestProblem_form(t *testing.T) {
	t.Parallel()
	for want, problem := range map[string]Problem{
		"It failed.\n\nIn state now: nothing.\nWhat to do: run again.": {InState: "nothing", Do: "run again."},
		"It failed.\n\nWhat to do: run again.":                         {Do: "run again."},
		"It failed.":                                                   {},
	} {
		problem.Summary, problem.Detail, problem.At = "Failed", "It failed.", path.Root("path")
		var diags diag.Diagnostics
		problem.AddError(&diags)
		problem.AddWarning(&diags)

		for i, severity := range []diag.Severity{diag.SeverityError, diag.SeverityWarning} {
			d, ok := diags[i].(diag.DiagnosticWithPath)
			if !ok || d.Severity() != severity || d.Summary() != "Failed" || d.Detail() != want || !d.Path().Equal(problem.At) {
				t.Errorf("the diagnostic is %v", diags[i])
			}
		}
	}
}

// Terraform does not show where an object is configured if the path is there and empty.
func TestProblem_withoutAPath(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	Problem{}.AddError(&diags)
	Problem{}.AddWarning(&diags)
	for _, d := range diags {
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			t.Errorf("the path is %q", at.Path())
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAddError_everyClassHasATitleAndAdvice(t *testing.T) {
	t.Parallel()

	source, err := os.ReadFile("../client/transport/errors.go")
	if err != nil {
		t.Fatal(err)
	}
	classes := regexp.MustCompile(`(?m)^\tClass\w+ .*= "(.+)"$`).FindAllSubmatch(source, -1)
	if len(classes) != len(advices) {
		t.Fatalf("there are %d classes, and %d have advice", len(classes), len(advices))
	}

	for _, found := range classes {
		class := transport.ErrorClass(found[1])
		e := &transport.Error{Class: class, Operation: "Get consent", Method: "GET", Template: "/v1/x"}
		var diags diag.Diagnostics
		AddError(&diags, e, PriorKept)

		d := diags[0]
		if d.Summary() != string(class) || !strings.Contains(d.Detail(), "Get consent: GET /v1/x") || !strings.HasSuffix(d.Detail(), ".") ||
			strings.HasSuffix(d.Detail(), "What to do: ") || !strings.Contains(d.Detail(), "In state now: "+PriorKept) {
			t.Errorf("class %s: %s: %q", class, d.Summary(), d.Detail())
		}
	}
}

// An answer that no setting admits has advice that names none.
func TestAdvice_ofAnAnswerThatIsNotRecognised(t *testing.T) {
	t.Parallel()
	for operation, want := range map[string]string{
		"Get consent": "clause_1_consent", "Update consent": "clause_1_consent", "Get current user": "a JSON object",
		"Get user profile": "wire.profile_member", "Update user profile": "names a setting", "Get all data of a user": "names a setting",
		"Delete all data of a user": "names a setting", "List pending actions": "names a setting", "Export records": "names a setting",
	} {
		advice := Advice(&transport.Error{Class: transport.ClassPayload, Operation: operation})
		if !strings.Contains(advice, want) || strings.Contains(want, "setting") != strings.Contains(advice, "doctor") {
			t.Errorf("%s: %s", operation, advice)
		}
	}

	login := Advice(&transport.Error{Class: transport.ClassLoginAnswer, Operation: "Log in"})
	if strings.Contains(login, "wire.") || !strings.Contains(login, "api_secret_key") || !strings.Contains(login, "no setting") {
		t.Errorf("Log in: %s", login)
	}
}

func TestAddError_leavesOutTheTextOfOtherErrors(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	AddError(&diags, errors.New(`Get "https://h.example.com/?apiSecretToken=canary"`), NothingSaved)

	if text := diags[0].Summary() + diags[0].Detail(); strings.Contains(text, "canary") {
		t.Errorf("the error is repeated: %s", text)
	}
}

func TestRecoverAndReport_doesNotShowThePanic(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	func() {
		s := &Service{}
		defer s.RecoverAndReport(t.Context(), &diags)
		panic("canary of jane.doe@example.com")
	}()

	if len(diags) != 1 || diags[0].Summary() != "Internal error" || strings.Contains(diags[0].Detail(), "canary") {
		t.Errorf("diagnostics: %v", diags)
	}
}
