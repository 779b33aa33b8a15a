package client_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

func TestExport_only200And204AreADay(t *testing.T) {
	t.Parallel()

	const day = `{"events":[{"id":"e"}]}`
	for name, c := range map[string]struct {
		answer mockserver.Fault
		class  client.ErrorClass
		says   string
	}{
		"202 with words":           {mockserver.Fault{Status: 202, Body: []byte(`{"events":[],"status":"processing"}`), Header: jsonHeader()}, client.ClassNotReady, "not ready"},
		"202 with Retry-After":     {mockserver.Fault{Status: 202, Header: jsonHeader("Retry-After", "300")}, client.ClassNotReady, "5m0s"},
		"202 with records":         {mockserver.Fault{Status: 202, Body: []byte(day), Header: jsonHeader()}, client.ClassNotReady, "not ready"},
		"203":                      {mockserver.Fault{Status: 203, Body: []byte(day), Header: jsonHeader()}, client.ClassPayload, "200"},
		"205":                      {mockserver.Fault{Status: 205, Header: jsonHeader()}, client.ClassPayload, "200"},
		"206":                      {mockserver.Fault{Status: 206, Body: []byte(day), Header: jsonHeader("Content-Range", "bytes 0-10/400")}, client.ClassPayload, "part"},
		"200 with Content-Range":   {mockserver.Fault{Status: 200, Body: []byte(day), Header: jsonHeader("Content-Range", "bytes 0-10/400")}, client.ClassPayload, "part"},
		"207":                      {mockserver.Fault{Status: 207, Body: []byte(day), Header: jsonHeader()}, client.ClassPayload, "200"},
		"empty page":               {mockserver.Fault{Status: 200, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}}, client.ClassNotJSON, "empty"},
		"blank page":               {mockserver.Fault{Status: 200, Body: []byte(" \n"), Header: http.Header{"Content-Type": {"text/html"}}}, client.ClassNotJSON, "empty"},
		"Link to the next page":    {mockserver.Fault{Status: 200, Body: []byte(day), Header: jsonHeader("Link", `<https://example.com/?a=1>; rel="prev", <https://example.com/?a=3>; rel="next"`)}, client.ClassPayload, "there is more"},
		"words with 200":           {mockserver.Fault{Status: 200, Body: []byte(`{"events":[],"status":"processing"}`), Header: jsonHeader()}, client.ClassPayload, `wire.export_ignored_members = "status"`},
		"a record or an envelope":  {mockserver.Fault{Status: 200, Body: []byte(`{"id":"p","events":[{"id":"e"}]}`), Header: jsonHeader()}, client.ClassPayload, "wire.export_record_member"},
		"invalid UTF-8":            {mockserver.Fault{Status: 200, Body: []byte("[{\"type\":\"event\",\"a\":\"\xff\"}]"), Header: jsonHeader()}, client.ClassPayload, "wire.export_invalid_utf8"},
		"a status of another kind": {mockserver.Fault{Status: 299, Body: []byte(day), Header: jsonHeader()}, client.ClassPayload, "200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := exportAnswered(t, c.answer)
			e := wantClass(t, err, c.class)
			if !strings.Contains(e.Detail, c.says) || strings.Contains(e.Detail, "example.com") {
				t.Errorf("it says %q", e.Detail)
			}
		})
	}
}

func TestExport_linkToItselfIsNoFurtherPage(t *testing.T) {
	t.Parallel()
	result, err := exportAnswered(t, mockserver.Fault{Body: []byte(`{"events":[{"id":"e"}]}`), Header: jsonHeader("Link", `<https://example.com/next>; rel="self"; title="next"`)})
	noError(t, err)
	if result.Counts.Of(records.Event) != 1 {
		t.Errorf("counted are %v", result.Counts)
	}
}

func TestExport_dateOfTheServiceTellsWhetherTheDayIsOver(t *testing.T) {
	t.Parallel()

	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for date, over := range map[string]bool{
		"Sun, 01 Mar 2026 23:59:59 GMT": false,
		"Mon, 02 Mar 2026 00:00:00 GMT": true,
		"":                              true,
		"yesterday":                     true,
	} {
		answer := mockserver.Fault{Operation: mockserver.OpExportRecords, Times: -1, Body: []byte(`[]`), Header: jsonHeader("Date", date)}
		synctest.Test(t, func(t *testing.T) {
			service := mocktest.StartPipe(t)
			service.Inject(answer)
			c := connect(t, service, useSecretKey)

			result, err := c.Export(t.Context(), scope, client.ExportQuery{Day: day}, &received{})
			noError(t, err)

			if result.Over(day, day.AddDate(0, 0, 1)) != over || result.Over(day, day) {
				t.Errorf("%q: over by the service's clock: %t", date, !over)
			}

			_, err = c.Export(t.Context(), scope, client.ExportQuery{Day: day, Finished: true}, &received{})
			if over {
				noError(t, err)
				return
			}

			if e := wantClass(t, err, client.ClassNotReady); !strings.Contains(e.Detail, "2026-03-01") {
				t.Errorf("it says %q", e.Detail)
			}
		})
	}
}
