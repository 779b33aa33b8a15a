// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// pendingBlock returns a block that reads the pending requests that match the filters.
func pendingBlock(label string, filters ...string) string {
	return fmt.Sprintf("data %q %q {\n  %s\n}\n", pendingName, label, strings.Join(filters, "\n  "))
}

func TestAccPendingRequestsDataSource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t, never)
	accepted := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	service.Enqueue(mockserver.QueuedRequest{ID: "of-other", Scope: scope, Identity: "other", Operation: mockserver.OpGetAllData, At: accepted.Add(time.Second)})
	service.Enqueue(mockserver.QueuedRequest{ID: "of-jane", Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData, At: accepted})
	const all, one = "data." + pendingName + ".all", "data." + pendingName + ".one"
	ofJane := knownvalue.ObjectExact(map[string]knownvalue.Check{
		"id":          knownvalue.StringExact("of-jane"),
		"identity_id": knownvalue.StringExact(person),
		"operation":   knownvalue.StringExact("data_deletion"),
		"created_at":  knownvalue.StringExact("2026-01-31T12:00:00Z"),
		"status":      knownvalue.StringExact(mockserver.StatusPending),
		"json":        knownvalue.StringRegexp(regexp.MustCompile(`^\{.*"of-jane".*\}$`)),
	})
	counts := func(access int64) knownvalue.Check {
		return knownvalue.MapExact(map[string]knownvalue.Check{
			"data_access":    knownvalue.Int64Exact(access),
			"data_deletion":  knownvalue.Int64Exact(1),
			"profile_update": knownvalue.Int64Exact(0),
			"unknown":        knownvalue.Int64Exact(0),
		})
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      acctest.Block(service) + pendingBlock("all", `operation = "delete"`),
				ExpectError: regexp.MustCompile(`value must be one of`),
			},
			{
				PreConfig: func() { wantNothingSent(t, service) },
				Config:    acctest.Block(service) + pendingBlock("all") + pendingBlock("one", fmt.Sprintf("identity_id = %q", person), `operation = "data_deletion"`),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(all, tfjsonpath.New("total"), knownvalue.Int64Exact(2)),
					statecheck.ExpectKnownValue(all, tfjsonpath.New("complete"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(all, tfjsonpath.New("counts_by_operation"), counts(1)),
					statecheck.ExpectKnownValue(all, tfjsonpath.New("requests"), knownvalue.ListSizeExact(2)),
					statecheck.ExpectKnownValue(all, tfjsonpath.New("requests").AtSliceIndex(0), ofJane),
					statecheck.ExpectSensitiveValue(all, tfjsonpath.New("requests")),
					statecheck.ExpectKnownValue(one, tfjsonpath.New("total"), knownvalue.Int64Exact(1)),
					statecheck.ExpectKnownValue(one, tfjsonpath.New("counts_by_operation"), counts(0)),
					statecheck.ExpectKnownValue(one, tfjsonpath.New("requests"), knownvalue.ListExact([]knownvalue.Check{ofJane})),
				},
			},
		},
	})

	for _, r := range service.Requests() {
		if r.Operation != mockserver.OpListPendingRequests && r.Operation != mockserver.OpLogin {
			t.Errorf("the service received %s", r.Operation)
		}
	}
}
