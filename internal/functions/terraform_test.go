package functions_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
)

// outputs are calls of all functions, with what the person who runs them gives.
const outputs = `
variable "key" {
  type      = string
  sensitive = true
}

variable "text" {
  type      = string
  sensitive = true
}

output "all" {
  sensitive = true
  value = {
    address   = provider::analytics::ipv6_mapped("192.0.2.1")
    dates     = provider::analytics::utc_dates("2026-02-28", "2026-03-01")
    id        = provider::analytics::import_id("jane doe", "org-demo", "web")
    pseudonym = provider::analytics::pseudonym("ada@example.com", var.key)
    rows      = [for row in provider::analytics::consent_rows(var.text) : row.identity_id]
  }
}
`

// TestCLIFunctions_withoutService calls every function through the CLI. The provider has
// no configuration, no service and no credentials.
func TestCLIFunctions_withoutService(t *testing.T) {
	t.Parallel()
	cli := clitest.New(t, outputs, map[string]string{
		"TF_VAR_key":  "0123456789abcdef",
		"TF_VAR_text": header + "\nada@example.com,true,true,true,true,true",
	})
	cli.Needs(acctest.FunctionsAlone)
	cli.MustRun("apply", "-auto-approve")

	var got map[string]any
	if err := json.Unmarshal([]byte(cli.MustRun("output", "-json", "all").Output), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"address":   "::ffff:192.0.2.1",
		"dates":     []any{"2026-02-28", "2026-03-01"},
		"id":        "org-demo/web/jane%20doe",
		"pseudonym": pseudonymOfAda,
		"rows":      []any{"ada@example.com"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected results (-want +got):\n%s", diff)
	}
}

// TestCLIFunctions_errorsShowNobody gives a row that cannot be used.
func TestCLIFunctions_errorsShowNobody(t *testing.T) {
	t.Parallel()
	cli := clitest.New(t, outputs, map[string]string{
		"TF_VAR_key":  "0123456789abcdef",
		"TF_VAR_text": header + "\nada-secret,maybe,true,true,true,true",
	})
	cli.Needs(acctest.FunctionsAlone)

	failed := cli.Run("plan")
	if failed.Code == 0 || !strings.Contains(failed.Words(), "The rows cannot be used: line 2: clause_1_consent") {
		t.Errorf("the plan ended with %d:\n%s", failed.Code, failed.Output)
	}
	if strings.Contains(failed.Output, "ada-secret") || strings.Contains(failed.Output, "maybe") {
		t.Errorf("the error shows a value:\n%s", failed.Output)
	}
}
