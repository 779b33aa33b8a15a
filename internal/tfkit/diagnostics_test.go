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

func TestAddError_everyClassHasATitleAndAdvice(t *testing.T) {
	t.Parallel()

	for class := client.ClassInternal; class <= client.ClassUnknownOutcome; class++ {
		e := &client.Error{Class: class, Operation: "Get consent", Method: "GET", Template: "/v1/x"}
		var diags diag.Diagnostics
		AddError(&diags, e, PriorKept)

		d := diags[0]
		if d.Summary() == "" || !strings.Contains(d.Detail(), "Get consent: GET /v1/x") || !strings.HasSuffix(d.Detail(), ".") ||
			strings.HasSuffix(d.Detail(), "What to do: ") || !strings.Contains(d.Detail(), "In state now: "+PriorKept) {
			t.Errorf("class %d: %s: %q", class, d.Summary(), d.Detail())
		}
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
		var s *Service
		defer s.RecoverAndReport(t.Context(), &diags)
		panic("canary of jane.doe@example.com")
	}()

	if len(diags) != 1 || diags[0].Summary() != "Internal error" || strings.Contains(diags[0].Detail(), "canary") {
		t.Errorf("diagnostics: %v", diags)
	}
}
