package client_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// exportAnswered exports a day that is answered with a fault.
func exportAnswered(t *testing.T, answer mockserver.Fault, options ...option) (client.ExportResult, error) {
	t.Helper()
	var (
		result client.ExportResult
		err    error
	)
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t)
		service.AllowViolations()
		answer.Operation, answer.Times = mockserver.OpExportRecords, -1
		service.Inject(answer)
		c := connect(t, service, append(options, useSecretKey)...)
		result, err = export(t.Context(), t, c, &received{})
	})
	return result, err
}

func jsonHeader(more ...string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}

func TestExport_only200And204AreADay(t *testing.T) {
	t.Parallel()
	const day = `{"events":[{"id":"e"}]}`
	for name, c := range map[string]struct {
		answer mockserver.Fault
		kind   client.ErrorClass
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
		"words with 200":           {mockserver.Fault{Status: 200, Body: []byte(`{"events":[],"status":"processing"}`), Header: jsonHeader()}, client.ClassNotReady, "wire.export_ignored_members"},
		"a record or an envelope":  {mockserver.Fault{Status: 200, Body: []byte(`{"id":"p","events":[{"id":"e"}]}`), Header: jsonHeader()}, client.ClassPayload, "wire.export_shape"},
		"invalid UTF-8":            {mockserver.Fault{Status: 200, Body: []byte("[\"\xff\"]"), Header: jsonHeader()}, client.ClassPayload, "wire.export_invalid_utf8"},
		"a status of another kind": {mockserver.Fault{Status: 299, Body: []byte(day), Header: jsonHeader()}, client.ClassPayload, "200"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := exportAnswered(t, c.answer)
			e := wantKind(t, err, c.kind)
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
			if e := wantKind(t, err, client.ClassNotReady); !strings.Contains(e.Detail, "2026-03-01") {
				t.Errorf("it says %q", e.Detail)
			}
		})
	}
}

func TestExport_sameAnswerForTwoKindsIsAnError(t *testing.T) {
	t.Parallel()
	byParameter := func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.ExportKindParameter = "sort" }
	for body, failing := range map[string]bool{
		`[{"id":1},{"id":2}]`:   true,
		`[]`:                    false,
		`{"records":[{"a":1}]}`: true,
	} {
		result, err := exportAnswered(t, mockserver.Fault{Body: []byte(body), Header: jsonHeader()}, byParameter)
		if !failing {
			noError(t, err)
			continue
		}
		e := wantKind(t, err, client.ClassPayload)
		if !strings.Contains(e.Detail, "wire.export_kind_parameter") {
			t.Errorf("%s: it says %q, counted are %v", body, e.Detail, result.Counts)
		}
	}
}

func TestExport_sameRecordsInAnotherOrderAreTheSameAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t)
		service.AllowViolations()
		service.Inject(
			mockserver.Fault{Operation: mockserver.OpExportRecords, Body: []byte(`[{"id":1},{"id":2}]`), Header: jsonHeader()},
			mockserver.Fault{Operation: mockserver.OpExportRecords, Body: []byte(`[{"id":2},{"id":1}]`), Header: jsonHeader(), Times: -1},
		)
		c := connect(t, service, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.ExportKindParameter = "sort" })
		_, err := export(t.Context(), t, c, &received{})
		_ = wantKind(t, err, client.ClassPayload)
	})
}

func TestExport_arraysOfOtherKindsAreAContradiction(t *testing.T) {
	t.Parallel()
	_, err := exportAnswered(t, mockserver.Fault{Body: []byte(`{"events":[]}`), Header: jsonHeader()},
		func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.ExportKindParameter = "sort" })
	_ = wantKind(t, err, client.ClassPayload)
}

func TestExport_settingsSayWhatIsARecord(t *testing.T) {
	t.Parallel()
	for shape, want := range map[string]records.Counts{client.ShapeRecords: {1, 0, 0, 0}, client.ShapeEnvelope: {0, 0, 0, 2}} {
		result, err := exportAnswered(t, mockserver.Fault{Body: []byte(`{"id":"p","next":1,"events":[{"id":"e"},{"id":"f"}]}`), Header: jsonHeader()},
			func(_ *mocktest.Instance, cfg *client.Config) {
				cfg.Wire.ExportShape, cfg.Wire.ExportIgnoredMembers = shape, "other, next"
			})
		noError(t, err)
		if result.Counts != want {
			t.Errorf("%s: %v, want %v", shape, result.Counts, want)
		}
	}
}

func TestExport_invalidUTF8IsCountedWhereItIsReplaced(t *testing.T) {
	t.Parallel()
	result, err := exportAnswered(t, mockserver.Fault{Body: []byte("{\"events\":[{\"a\":\"\xff\"},{\"a\":\"\\ud83d\"}]}"), Header: jsonHeader()},
		func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.ExportInvalidUTF8 = client.InvalidReplace })
	noError(t, err)
	if result.InvalidUTF8 != 1 || result.Counts.Of(records.Event) != 2 {
		t.Errorf("%+v", result)
	}
}

// drip sends one byte of a long day in each interval.
func drip(interval time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `[`)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, ` `)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(interval): // in virtual time
			case <-r.Context().Done():
			}
		}
	})
}

func TestExport_dripEnds(t *testing.T) {
	t.Parallel()
	for _, interval := range []time.Duration{time.Second, 20 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			service := mocktest.StartPipe(t, func(s *mockserver.Server) {
				s.Wrap = func(http.Handler) http.Handler { return drip(interval) }
			})
			c := connect(t, service, useSecretKey)
			began := time.Now()
			_, err := export(t.Context(), t, c, &received{})
			e := wantKind(t, err, client.ClassTimeout)
			if took := time.Since(began); took > 15*time.Minute || !strings.Contains(e.Detail, "wire.export_min_rate") {
				t.Errorf("after %v: %q", took, e.Detail)
			}
		})
	}
}

func TestExport_floorOfTheRateIsASetting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t, func(s *mockserver.Server) {
			s.Wrap = func(http.Handler) http.Handler { return drip(time.Second) }
		})
		c := connect(t, service, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.ExportMinRate = client.Some(int64(0)) })
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
		defer cancel()
		_, err := export(ctx, t, c, &received{})
		_ = wantKind(t, err, client.ClassCancelled)
	})
}

func TestExport_slowReceiverIsNotTheServicesFault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t)
		service.ExportRecords = 2000
		c := connect(t, service, useSecretKey)
		_, err := export(t.Context(), t, c, &slow{})
		noError(t, err)
	})
}

// slow is a sink that takes a second for each record.
type slow struct{ received }

func (s *slow) Record(records.Kind, jsontext.Value) error {
	<-time.After(time.Second) // in virtual time
	return nil
}
