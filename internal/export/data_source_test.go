// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestExport_kindsThatAreNotAskedForAreNull(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	p := unkinded(t, service)
	service.PutExport(scope, day, mockserver.ExportDay{Persons: []any{record(1)}, Events: []any{record(2)}, Others: []any{map[string]any{"x": 3}}})
	got, diags := p.ReadData(dataName, prototest.Attributes{"utc_date": day, "kinds": []any{"events"}})
	p.NoErrors(diags)
	if got["persons"] != nil || got["sessions"] != nil || got["events"] != `[{"id":2}]` || got["unknown"] != `[{"x":3}]` {
		t.Errorf("read are %v", got)
	}
	if diff := cmp.Diff(prototest.Attributes{"persons": nil, "sessions": nil, "events": 1.0, "unknown": 1.0}, got["counts"]); diff != "" {
		t.Error(diff)
	}
}

func TestExport_dayThatIsTooLargePointsToTheFile(t *testing.T) {
	t.Parallel()

	p, _ := start(t, func(s *mockserver.Server) { s.ExportRecords = 3000 })
	for _, config := range []prototest.Attributes{
		{"utc_date": "2026-01-01"}, {"utc_date": day, "max_bytes": 60}, {"utc_date": day, "max_bytes": 33 << 20},
	} {
		_, diags := p.ReadData(dataName, config)
		prototest.WantText(t, diags.Errors(), "analytics_export_file", "max_bytes")
	}

	// The largest day that is accepted: each record counts with a comma or a bracket.
	if _, diags := p.ReadData(dataName, prototest.Attributes{"utc_date": day, "max_bytes": 44 + 1 + 21 + 1 + 22 + 1 + 22 + 1}); len(diags.Errors()) > 0 {
		t.Error(diags.Errors())
	}
}

func TestExport_onlyDaysThatExistAndHaveBegun(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	for date, says := range map[string]string{
		"2026-02-30": "YYYY-MM-DD", "2026-2-3": "YYYY-MM-DD", "today": "YYYY-MM-DD", "": "YYYY-MM-DD", "2026-03-01T00:00:00Z": "YYYY-MM-DD",
		tomorrow: "in the future", "9999-12-31": "in the future",
	} {
		_, diags := p.ReadData(dataName, prototest.Attributes{"utc_date": date})
		prototest.WantText(t, diags.Errors(), says, "utc_date")
		diags = p.Validate(fileName, file("day", prototest.Attributes{"utc_date": date}))
		if len(diags.Errors()) == 0 {
			_, diags = p.Plan(fileName, nil, file("day", prototest.Attributes{"utc_date": date}))
		}

		prototest.WantText(t, diags.Errors(), says, "utc_date")
	}

	wantCount(t, service, 0)
}

// TestExport_dayEndsAtMidnightUTC runs in time zones where the date differs from UTC.
func TestExport_dayEndsAtMidnightUTC(t *testing.T) {
	t.Parallel()

	_, service := start(t)
	east, west := time.FixedZone("east", 14*3600), time.FixedZone("west", -12*3600)
	for _, now := range []time.Time{
		time.Date(2026, 3, 11, 13, 59, 59, 0, east), time.Date(2026, 3, 9, 12, 0, 0, 0, west), time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC),
	} {
		p := runAt(t, service, now)
		if _, diags := p.ReadData(dataName, prototest.Attributes{"utc_date": yesterday}); len(diags.Errors())+len(diags.Warnings()) > 0 {
			t.Errorf("at %v: %v %v", now, diags.Errors(), diags.Warnings())
		}

		got, diags := p.ReadData(dataName, prototest.Attributes{"utc_date": today})
		p.NoErrors(diags)
		prototest.WantText(t, diags.Warnings(), "not over", "complete = false")
		if got["complete"] != false {
			t.Errorf("at %v it is complete", now)
		}

		_, diags = p.ReadData(dataName, prototest.Attributes{"utc_date": tomorrow})
		prototest.WantText(t, diags.Errors(), "in the future", today)
	}
}

func TestExport_failuresNameNobody(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		fault mockserver.Fault
		says  string
	}{
		"not permitted": {mockserver.Fault{Status: 403, Body: []byte(`{"error":{"code":"forbidden","message":"Jane <jane.canary@example.com>"}}`)}, "Not permitted"},
		"a page":        {mockserver.Fault{Status: 200, Body: []byte("<html>maintenance</html>"), Header: map[string][]string{"Content-Type": {"text/html"}}}, "Not JSON"},
		"an error":      {mockserver.Fault{Status: 200, Body: []byte(`{"error":"no"}`)}, "Unexpected response"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			c.fault.Operation, c.fault.Times = mockserver.OpExportRecords, -1
			service.Inject(c.fault)
			_, diags := p.ReadData(dataName, prototest.Attributes{"utc_date": day})
			prototest.WantText(t, diags.Errors(), c.says, "GET /v1/org/{orgId}/project/{projectId}/export", "What to do")
			if strings.Contains(strings.Join(diags.Errors(), ""), "canary") {
				t.Error("a person is named")
			}
		})
	}
}

func TestExport_dayThatIsNotOverByTheServicesClockIsIncomplete(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Header: http.Header{"Date": {"Mon, 09 Mar 2026 23:59:00 GMT"}}, Times: -1})
	got, diags := p.ReadData(dataName, prototest.Attributes{"utc_date": yesterday})
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "not over", "2026-03-09 23:59")
	if got["complete"] != false {
		t.Errorf("complete is %v", got["complete"])
	}
}
