// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestAccExportDayAction_basic lets the creation and each change of another object export a
// day. An apply that changes nothing exports nothing.
func TestAccExportDayAction_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Actions)
	service, path := startService(t), target(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: testAccExportDayConfig(service, "first", fmt.Sprintf("path = %q", path)),
				PostApplyFunc: func() {
					wantFile(t, path, lines)
					wantExports(t, service, day)
				},
			},
			{
				Config: testAccExportDayConfig(service, "first", fmt.Sprintf("path = %q", path), `kinds = ["events"]`, `overwrite = true`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				PostApplyFunc: func() {
					wantFile(t, path, lines)
					wantExports(t, service, day)
				},
			},
			{
				Config: testAccExportDayConfig(service, "second", fmt.Sprintf("path = %q", path), `kinds = ["events"]`, `overwrite = true`),
				PostApplyFunc: func() {
					wantFile(t, path, eventLines)
					wantExports(t, service, day, day)
				},
			},
		},
	})

	wantFile(t, path, eventLines)
	wantExports(t, service, day, day)
}

// TestAccExportDayAction_pathKnownAfterApply has a path that the plan does not know.
func TestAccExportDayAction_pathKnownAfterApply(t *testing.T) {
	acctest.PreCheck(t, acctest.Actions)
	service, folder := startService(t), t.TempDir()

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: "resource \"terraform_data\" \"name\" {}\n" + testAccExportDayConfig(service, "first", fmt.Sprintf("path = \"%s/${terraform_data.name.id}.ndjson\"", folder)),
		}},
	})

	files, err := filepath.Glob(filepath.Join(folder, "*.ndjson"))
	if err != nil || len(files) != 1 {
		t.Fatalf("written are %v, %v", files, err)
	}
	wantFile(t, files[0], lines)
	wantExports(t, service, day)
}

// TestAccExportDayAction_fileOfSomebodyElse finds a file at path. The plan refuses it, so that
// the object whose creation triggers the action is not created.
func TestAccExportDayAction_fileOfSomebodyElse(t *testing.T) {
	acctest.PreCheck(t, acctest.Actions)
	service, path := startService(t), target(t)
	if err := os.WriteFile(path, []byte("somebody else's"), 0o600); err != nil {
		t.Fatal(err)
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config:      testAccExportDayConfig(service, "first", fmt.Sprintf("path = %q", path)),
			ExpectError: regexp.MustCompile(`(?s)Error running pre-apply plan.*There is a file already`),
		}},
	})

	wantFile(t, path, "somebody else's")
	wantExports(t, service)
}

func TestAccExportDayAction_validation(t *testing.T) {
	acctest.PreCheck(t, acctest.Actions)
	service, path := startService(t), target(t)
	var steps []resource.TestStep
	for line, words := range map[string]string{
		`kinds = ["people"]`:       `Attribute kinds\[Value\("people"\)\]`,
		`compression = "brotli"`:   `Attribute compression value must be one of`,
		`with_kind = false`:        `exactly\s+one\s+kind`,
		`max_bytes = 0`:            `Attribute max_bytes value must be at least 1`,
		`account_id = "account-1"`: `An account has no export`,
	} {
		steps = append(steps, resource.TestStep{
			Config:      testAccExportDayConfig(service, "first", fmt.Sprintf("path = %q", path), line),
			ExpectError: regexp.MustCompile(words),
		})
	}

	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: steps})

	wantNothing(t, path)
	if n := service.Connections(); n != 0 {
		t.Errorf("the service had %d connections", n)
	}
}

func testAccExportDayConfig(service *mocktest.Instance, input string, lines ...string) string {
	return acctest.Block(service) + fmt.Sprintf(`
resource "terraform_data" "trigger" {
  input = %q

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.analytics_export_day.day]
    }
  }
}

action "analytics_export_day" "day" {
  config {
    utc_date = "2026-03-01"
    %s
  }
}
`, input, strings.Join(lines, "\n    "))
}
