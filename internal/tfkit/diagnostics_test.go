package tfkit

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEveryKindOfFailureHasATitleAndAnAdvice(t *testing.T) {
	t.Parallel()
	for kind := client.ClassInternal; kind <= client.ClassUnknownOutcome; kind++ {
		e := &client.Error{Class: kind, Operation: "Get consent", Method: "GET", Template: "/v1/x"}
		var diags diag.Diagnostics
		AddError(&diags, e, PriorKept)
		d := diags[0]
		if d.Summary() == "" || !strings.Contains(d.Detail(), "Get consent: GET /v1/x") || !strings.HasSuffix(d.Detail(), ".") ||
			strings.HasSuffix(d.Detail(), "What to do: ") || !strings.Contains(d.Detail(), "In state now: "+PriorKept) {
			t.Errorf("kind %d: %s: %q", kind, d.Summary(), d.Detail())
		}
	}
}

func TestAForeignErrorIsNotRepeated(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	AddError(&diags, errors.New(`Get "https://h.example.com/?apiSecretToken=canary"`), NothingSaved)
	if text := diags[0].Summary() + diags[0].Detail(); strings.Contains(text, "canary") {
		t.Errorf("the error is repeated: %s", text)
	}
}

func TestAPanicInAMethodIsAnErrorThatDoesNotShowItsValue(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	func() {
		var s *Service
		defer s.RecoverAndReport(t.Context(), &diags)
		panic("canary of jane.doe@example.com")
	}()
	if len(diags) != 1 || diags[0].Summary() != "Internal error" || strings.Contains(diags[0].Detail(), "canary") {
		t.Errorf("diagnostics: %v", diags)
	}
}
