// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"net/http"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestExportFile_dayThatIsNotOverByTheServicesClockIsRefused(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Header: http.Header{"Date": {"Mon, 09 Mar 2026 23:59:00 GMT"}}, Times: -1})
	at := target(t)
	_, diags := p.Create(fileName, file(at, prototest.Attributes{"utc_date": yesterday}))
	prototest.WantText(t, diags.Errors(), "Not ready yet", "2026-03-09 23:59")
	wantNothing(t, at)

	state := created(t, p, file(at, prototest.Attributes{"utc_date": yesterday, "allow_incomplete_day": true}))
	if got := state.Attributes["complete"]; got != false {
		t.Errorf("complete is %v", got)
	}
}

func TestExportFile_202IsNotADay(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	service.AllowViolations()
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Status: 202, Header: http.Header{"Retry-After": {"600"}}})
	at := target(t)
	_, diags := p.Create(fileName, file(at, nil))
	prototest.WantText(t, diags.Errors(), "Not ready yet", "10m0s")
	wantNothing(t, at)
}
