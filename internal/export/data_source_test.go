// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func TestExport_dayThatIsTooLargePointsToTheFile(t *testing.T) {
	t.Parallel()

	p, service := start(t, func(s *mockserver.Server) { s.ExportRecords = 3000 })
	exact := 42 + 1 + 21 + 1 + 22 + 1 + 22 + 1 // each record counts with a comma or a bracket
	for _, config := range []prototest.Attributes{
		{"utc_date": "2026-01-01"}, {"utc_date": day, "max_bytes": exact - 1},
	} {
		_, diags := p.ReadData(dataName, config)
		prototest.WantText(t, diags.Errors(), "analytics_export_file", "max_bytes")
	}

	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutBody, CutAt: -1}) // read once more
	got, diags := p.ReadData(dataName, prototest.Attributes{"utc_date": day, "max_bytes": exact})
	p.NoErrors(diags)
	if got["events"] != `[{"id":"e1-2026-03-01"},{"id":"e2-2026-03-01"}]` {
		t.Errorf("read are %v", got)
	}

	// Kinds that are not asked for are null.
	got, diags = p.ReadData(dataName, prototest.Attributes{"utc_date": day, "kinds": []any{"sessions"}})
	p.NoErrors(diags)
	if diff := cmp.Diff(counts(-1, 1, -1), got["counts"]); diff != "" || got["persons"] != nil || got["events"] != nil || got["sessions"] != `[{"id":"s-2026-03-01"}]` {
		t.Errorf("read are %v", got)
	}
}

func TestExport_unusableSelectionIsRefused(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	for says, change := range map[string]prototest.Attributes{
		"YYYY-MM-DD": {"utc_date": "2026-02-30"},
		"max_bytes":  {"max_bytes": 33 << 20},
		`"people"`:   {"kinds": []any{"people"}},
		"does not exist in the account path family": {"account_id": "account-1"},
	} {
		_, diags := p.ReadData(dataName, prototest.Attributes{"utc_date": day}.With(change))
		prototest.WantText(t, diags.Errors(), says)
	}
	wantCount(t, service, 0)
}

// TestExport_dayEndsAtMidnightUTC runs in time zones where the date differs from UTC.
func TestExport_dayEndsAtMidnightUTC(t *testing.T) {
	t.Parallel()

	service := startService(t)
	east, west := time.FixedZone("east", 14*3600), time.FixedZone("west", -12*3600)
	for _, now := range []time.Time{
		time.Date(2026, 3, 11, 13, 59, 59, 0, east), time.Date(2026, 3, 9, 12, 0, 0, 0, west), time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC),
	} {
		p := runAt(t, service, now, nil)
		for date, says := range map[string][]string{yesterday: nil, today: {"not over", "a part of the day"}} {
			got, diags := p.ReadData(dataName, prototest.Attributes{"utc_date": date})
			p.NoErrors(diags)
			wantSaid(t, "warnings", diags.Warnings(), says)
			if got["complete"] != (says == nil) {
				t.Errorf("at %v, complete is %v", now, got["complete"])
			}
		}

		_, diags := p.ReadData(dataName, prototest.Attributes{"utc_date": tomorrow})
		prototest.WantText(t, diags.Errors(), "in the future", today)
	}
}
