// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const (
	fileAddress = "analytics_export_file.day"

	eventLines = `{"kind":"event","record":{"id":"e1-2026-03-01"}}
{"kind":"event","record":{"id":"e2-2026-03-01"}}
`
)

func TestAccExportFileResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service, path := startService(t), target(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: testAccExportFileConfig(service, path),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(fileAddress, tfjsonpath.New("sha256")),
				},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("utc_date"), knownvalue.StringExact(day)),
				statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("path"), knownvalue.StringExact(path)),
				statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("org_id"), knownvalue.StringExact(mocktest.Org)),
				statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("project_id"), knownvalue.StringExact(mocktest.Project)),
				statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("compression"), knownvalue.StringExact("none")),
				statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("complete"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("sha256"), knownvalue.StringExact(digest(lines))),
				statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("bytes"), knownvalue.Int64Exact(int64(len(lines)))),
				statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("counts"), knownvalue.ObjectExact(map[string]knownvalue.Check{
					"persons": knownvalue.Int64Exact(1), "sessions": knownvalue.Int64Exact(1), "events": knownvalue.Int64Exact(2), "unknown": knownvalue.Int64Exact(0),
				})),
				statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("files"), knownvalue.Null()),
			},
			PostApplyFunc: func() { wantFile(t, path, lines) },
		}},
	})

	wantNothing(t, path)
	wantExports(t, service, day)
}

// TestAccExportFileResource_update changes what is in the file and where it is. Each change
// writes the file in place.
func TestAccExportFileResource_update(t *testing.T) {
	acctest.PreCheck(t)
	service, path, moved := startService(t), target(t), target(t)
	sum := statecheck.CompareValue(compare.ValuesDiffer())
	updated := resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionUpdate)},
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:            testAccExportFileConfig(service, path),
				ConfigStateChecks: []statecheck.StateCheck{sum.AddStateValue(fileAddress, tfjsonpath.New("sha256"))},
			},
			{
				Config:           testAccExportFileConfig(service, path, `compression = "gzip"`),
				ConfigPlanChecks: updated,
				ConfigStateChecks: []statecheck.StateCheck{
					sum.AddStateValue(fileAddress, tfjsonpath.New("sha256")),
					statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("compression"), knownvalue.StringExact("gzip")),
				},
				PostApplyFunc: func() { wantGzip(t, path, lines) },
			},
			{
				Config:           testAccExportFileConfig(service, path, `kinds = ["events"]`),
				ConfigPlanChecks: updated,
				ConfigStateChecks: []statecheck.StateCheck{
					sum.AddStateValue(fileAddress, tfjsonpath.New("sha256")),
					statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("counts"), knownvalue.ObjectExact(map[string]knownvalue.Check{
						"persons": knownvalue.Null(), "sessions": knownvalue.Null(), "events": knownvalue.Int64Exact(2), "unknown": knownvalue.Int64Exact(0),
					})),
				},
				PostApplyFunc: func() { wantFile(t, path, eventLines) },
			},
			{
				Config:           testAccExportFileConfig(service, moved, `kinds = ["events"]`),
				ConfigPlanChecks: updated,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("path"), knownvalue.StringExact(moved)),
					statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("sha256"), knownvalue.StringExact(digest(eventLines))),
				},
				PostApplyFunc: func() {
					wantNothing(t, path)
					wantFile(t, moved, eventLines)
				},
			},
			{
				Config: testAccExportFileConfig(service, moved, `kinds = ["events"]`, `overwrite = true`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(fileAddress, tfjsonpath.New("sha256"), knownvalue.StringExact(digest(eventLines))),
				}},
			},
		},
	})

	wantNothing(t, moved)
	wantExports(t, service, day, day, day, day)
}

// TestAccExportFileResource_disappears removes the file outside of Terraform.
func TestAccExportFileResource_disappears(t *testing.T) {
	acctest.PreCheck(t)
	service, path := startService(t), target(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: testAccExportFileConfig(service, path),
			},
			{
				PreConfig: func() {
					if err := os.Remove(path); err != nil {
						t.Error(err)
					}
				},
				Config: testAccExportFileConfig(service, path),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionCreate)},
				},
				PostApplyFunc: func() { wantFile(t, path, lines) },
			},
		},
	})

	wantNothing(t, path)
	wantExports(t, service, day, day)
}

// TestAccExportFileResource_altered writes to the file outside of Terraform: the next plan
// writes it again, and a destroy leaves it.
func TestAccExportFileResource_altered(t *testing.T) {
	acctest.PreCheck(t)
	service, path := startService(t), target(t)
	alter := func() {
		if err := os.WriteFile(path, []byte("altered"), 0o600); err != nil {
			t.Error(err)
		}
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: testAccExportFileConfig(service, path),
			},
			{
				PreConfig: alter,
				Config:    testAccExportFileConfig(service, path),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(fileAddress, tfjsonpath.New("sha256")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("sha256"), knownvalue.StringExact(digest(lines))),
				},
				PostApplyFunc: func() {
					wantFile(t, path, lines)
					alter()
				},
			},
		},
	})

	wantFile(t, path, "altered")
	wantExports(t, service, day, day)
}

// TestAccExportFileResource_replace writes the day again for an object that is tainted.
func TestAccExportFileResource_replace(t *testing.T) {
	acctest.PreCheck(t)
	service, path := startService(t), target(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: testAccExportFileConfig(service, path),
			},
			{
				Taint:  []string{fileAddress},
				Config: testAccExportFileConfig(service, path),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionDestroyBeforeCreate)},
				},
				PostApplyFunc: func() { wantFile(t, path, lines) },
			},
		},
	})

	wantNothing(t, path)
	wantExports(t, service, day, day)
}

func TestAccExportFileResource_oneFileForEachKind(t *testing.T) {
	acctest.PreCheck(t)
	service, folder := startService(t), t.TempDir()
	path := filepath.Join(folder, "{kind}", "day.ndjson")
	events, persons := filepath.Join(folder, "events", "day.ndjson"), filepath.Join(folder, "persons", "day.ndjson")
	const event, person = "{\"id\":\"e1-2026-03-01\"}\n{\"id\":\"e2-2026-03-01\"}\n", "{\"id\":\"p-2026-03-01\",\"name\":\"Jane Canary\"}\n"

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      testAccExportFileConfig(service, path, `kinds = ["events", "persons"]`),
				ExpectError: regexp.MustCompile(`The folder does not exist`),
			},
			{
				Config: testAccExportFileConfig(service, path, `kinds = ["events", "persons"]`, `create_directories = true`),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("files"), knownvalue.MapExact(map[string]knownvalue.Check{
						"events": knownvalue.ObjectExact(map[string]knownvalue.Check{
							"path": knownvalue.StringExact(events), "sha256": knownvalue.StringExact(digest(event)),
							"bytes": knownvalue.Int64Exact(int64(len(event))), "records": knownvalue.Int64Exact(2),
						}),
						"persons": knownvalue.ObjectExact(map[string]knownvalue.Check{
							"path": knownvalue.StringExact(persons), "sha256": knownvalue.StringExact(digest(person)),
							"bytes": knownvalue.Int64Exact(int64(len(person))), "records": knownvalue.Int64Exact(1),
						}),
					})),
				},
				PostApplyFunc: func() {
					wantFile(t, events, event)
					wantFile(t, persons, person)
				},
			},
		},
	})

	wantNothing(t, events)
	wantNothing(t, persons)
	wantExports(t, service, day)
}

// TestAccExportFileResource_fileOfSomebodyElse finds a file at path that it did not write.
func TestAccExportFileResource_fileOfSomebodyElse(t *testing.T) {
	acctest.PreCheck(t)
	service, path := startService(t), target(t)
	if err := os.WriteFile(path, []byte("somebody else's"), 0o600); err != nil {
		t.Fatal(err)
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      testAccExportFileConfig(service, path),
				ExpectError: regexp.MustCompile(`There is a file already`),
			},
			{
				PreConfig: func() {
					wantFile(t, path, "somebody else's")
					wantExports(t, service)
				},
				Config:        testAccExportFileConfig(service, path, `overwrite = true`),
				PostApplyFunc: func() { wantFile(t, path, lines) },
			},
		},
	})

	wantExports(t, service, day)
}

func TestAccExportFileResource_validation(t *testing.T) {
	acctest.PreCheck(t)
	service, path := startService(t), target(t)
	var steps []resource.TestStep
	for line, words := range map[string]string{
		`kinds = []`:               `Attribute kinds set must contain at least 1 elements`,
		`kinds = ["people"]`:       `Attribute kinds\[Value\("people"\)\]`,
		`compression = "brotli"`:   `Attribute compression value must be one of`,
		`with_kind = false`:        `exactly\s+one\s+kind`,
		`max_bytes = 0`:            `Attribute max_bytes value must be at least 1`,
		`verify = "never"`:         `Attribute verify value must be one of`,
		`on_destroy = "forget"`:    `Attribute on_destroy value must be one of`,
		`account_id = "account-1"`: `No export for accounts`,
	} {
		steps = append(steps, resource.TestStep{
			Config:      testAccExportFileConfig(service, path, line),
			ExpectError: regexp.MustCompile(words),
		})
	}

	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: steps})

	wantNothing(t, path)
	if n := service.Connections(); n != 0 {
		t.Errorf("the service had %d connections", n)
	}
}

func testAccExportFileConfig(service *mocktest.Instance, path string, lines ...string) string {
	return acctest.Block(service) + fmt.Sprintf(`
resource "analytics_export_file" "day" {
  utc_date = "2026-03-01"
  path     = %q
  %s
}
`, path, strings.Join(lines, "\n  "))
}

// wantFile fails the test if a file has other content or another mode, or is not alone in
// its folder.
func wantFile(t *testing.T, path, want string) {
	t.Helper()
	wantContent(t, path, want)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the mode is %v, %v", info, err)
	}
}

// wantGzip fails the test if a file is no gzip of want.
func wantGzip(t *testing.T, path, want string) {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(content(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); err != nil || string(text) != want {
		t.Errorf("the file holds %q, %v", text, err)
	}
}

// wantExports fails the test if the service was asked for other days.
func wantExports(t *testing.T, service *mocktest.Instance, want ...string) {
	t.Helper()
	var dates []string
	for _, r := range service.Requests() {
		if r.Operation == mockserver.OpExportRecords && r.Scope == scope {
			dates = append(dates, fmt.Sprint(r.Sent["utcDate"]))
		}
	}
	if !slices.Equal(dates, want) {
		t.Errorf("exported are %v; want %v", dates, want)
	}
}
