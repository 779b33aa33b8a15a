// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

func TestExport_onlyChosenAndUnknownKinds(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, _ *client.Client) {
		c := connect(t, service, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.ExportRecordMember = "id" })
		service.PutExport(serverScope, exportDay, mockserver.ExportDay{Persons: []any{map[string]any{"id": "p"}}, Events: []any{map[string]any{"id": "e"}}, Others: []any{map[string]any{"id": "x"}}})
		var got received
		counts, err := export(t.Context(), t, c, &got, records.Event)
		noError(t, err)
		if diff := cmp.Diff([]string{`event {"id":"e"}`, `unknown {"id":"x"}`}, got.records); diff != "" || counts.Counts.Total() != 2 {
			t.Errorf("counted are %v (-want +got):\n%s", counts, diff)
		}
	}, useSecretKey)
}

func TestExport_requestPerKindWithAParameter(t *testing.T) {
	t.Parallel()

	withParameter := func(values string) option {
		return func(_ *mocktest.Instance, cfg *client.Config) {
			cfg.Wire.ExportKindParameter, cfg.Wire.ExportKindValues, cfg.Wire.ExportRecordMember = "kind", values, "id"
		}
	}

	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t, func(s *mockserver.Server) {
			s.Wire = mockserver.Wire{ExportKindParameter: "kind", ExportKindValues: [3]string{"P", "S", "E"}}
			s.Export.Shape = mockserver.ExportArray
			s.Export.Discriminator = "sort"
		})

		putDay(service)
		var got received
		counts, err := export(t.Context(), t, connect(t, service, useSecretKey, withParameter("P, S, E")), &got, records.Event, records.Person)
		noError(t, err)

		if diff := cmp.Diff([]string{`person {"sort":"person","id":"p"}`, `event {"sort":"event","id":"e"}`}, got.records); diff != "" || counts.Counts != (records.Counts{0, 1, 0, 1}) {
			t.Errorf("counted are %v (-want +got):\n%s", counts, diff)
		}

		wantCount(t, service, mockserver.OpExportRecords, 2)
	})
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

		c := connect(t, service, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
			cfg.Wire.ExportKindParameter, cfg.Wire.ExportRecordMember = "sort", "id"
		})
		_, err := export(t.Context(), t, c, &received{})
		_ = wantClass(t, err, transport.ClassPayload)
	})
}

// An answer that breaks off is read again from its beginning. If each one does, it is an error.
func TestExport_brokenOffBeginsAgain(t *testing.T) {
	t.Parallel()

	const lost, timeout, truncated, none = transport.ClassConnectionLost, transport.ClassTimeout, transport.ClassTruncated, transport.ErrorClass("")
	for name, c := range map[string]struct {
		fault mockserver.Fault
		class transport.ErrorClass // if it lasts
	}{
		"cut short of its length":      {mockserver.Fault{Cut: mockserver.CutBody, CutAt: -1}, lost},
		"cut in its first bytes":       {mockserver.Fault{Cut: mockserver.CutBody, CutAt: 1}, lost},
		"cut between chunks":           {mockserver.Fault{Cut: mockserver.CutChunked, CutAt: -20}, lost},
		"closed without a length":      {mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: -1}, truncated},
		"stalled":                      {mockserver.Fault{Cut: mockserver.CutStall, CutAt: 30}, timeout},
		"JSON that ends in the middle": {mockserver.Fault{Body: []byte(`{"persons":[{"id"`)}, truncated},
		"a reset":                      {mockserver.Fault{Cut: mockserver.CutAfterCommit}, none},
		"a 503":                        {mockserver.Fault{Status: 503, Body: []byte(`{}`)}, none},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, cl *client.Client) {
				putDay(service)
				c.fault.Operation, c.fault.Times = mockserver.OpExportRecords, 2
				service.Inject(c.fault)
				var got received
				counts, err := export(t.Context(), t, cl, &got)
				noError(t, err)
				if diff := cmp.Diff(threeRecords, got.records); diff != "" || counts.Counts.Total() != 3 {
					t.Errorf("counted are %v (-want +got):\n%s", counts, diff)
				}
				wantCount(t, service, mockserver.OpExportRecords, 3)
				if c.class == none {
					return
				}

				c.fault.Times = -1
				service.Inject(c.fault)
				_, err = export(t.Context(), t, cl, &received{})
				if e := wantClass(t, err, c.class); e.Attempts != 1+client.DefaultMaxRetries || e.Status != http.StatusOK {
					t.Errorf("%d attempts, status %d", e.Attempts, e.Status)
				}
				wantCount(t, service, mockserver.OpExportRecords, 3+1+client.DefaultMaxRetries)
			}, useSecretKey)
		})
	}
}

func TestExport_errorOfTheSinkIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.ExportRecords = 10_000
		full := errors.New("the disk is full")
		if _, err := export(t.Context(), t, c, &received{refuse: full}); err != full { //nolint:errorlint // exactly as it is
			t.Errorf("it ended with %v", err)
		}
		wantCount(t, service, mockserver.OpExportRecords, 1)
	}, useSecretKey)
}

func TestExport_cancelledEndsAtOnce(t *testing.T) {
	t.Parallel()

	for name, fault := range map[string]mockserver.Fault{
		"before the answer": {Hang: true}, "while it comes": {Cut: mockserver.CutStall, CutAt: 40}, "between two attempts": {Cut: mockserver.CutBody, CutAt: 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				putDay(service)
				fault.Operation, fault.Times = mockserver.OpExportRecords, -1
				service.Inject(fault)

				ctx, cancel := context.WithCancel(t.Context())
				began := time.Now()
				time.AfterFunc(40*time.Millisecond, cancel)

				_, err := export(ctx, t, c, &received{})
				_ = wantClass(t, err, transport.ClassCancelled)
				if took := time.Since(began); took > 90*time.Millisecond {
					t.Errorf("it took %v", took)
				}
			}, useSecretKey)
		})
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

			if e := wantClass(t, err, transport.ClassNotReady); !strings.Contains(e.Detail, "2026-03-01") {
				t.Errorf("it says %q", e.Detail)
			}
		})
	}
}

// TestStream_steadyExportMayTakeAnyTime sends a record of 40 kB every 25 seconds: slowly, but with
// pauses below request_timeout.
func TestStream_steadyExportMayTakeAnyTime(t *testing.T) {
	t.Parallel()

	trickle := func(w http.ResponseWriter, _ *http.Request) {
		for range 20 {
			_, _ = io.WriteString(w, `{"type":"event","pad":"`+strings.Repeat("x", 40_000)+`"}`+"\n")
			_ = http.NewResponseController(w).Flush()
			<-time.After(25 * time.Second) // in virtual time
		}
	}
	exportFrom(t, trickle, func(t *testing.T, took time.Duration, got client.ExportResult, err error) {
		noError(t, err)
		if got.Counts.Of(records.Event) != 20 || took < 20*25*time.Second {
			t.Errorf("%v in %v", got, took)
		}
	})
}

func TestStream_endedExportsLeaveTheirPlace(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		for range 3 {
			_, err := export(t.Context(), t, c, &received{})
			noError(t, err)
		}
		wantCount(t, service, mockserver.OpExportRecords, 3)
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxConcurrency = 1 })
}

// TestStream_exportWithoutEndEndsAfterADay sends one byte every 20 seconds.
func TestStream_exportWithoutEndEndsAfterADay(t *testing.T) {
	t.Parallel()

	drip := func(w http.ResponseWriter, r *http.Request) {
		for text := "["; r.Context().Err() == nil; text = " " {
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
			_ = transport.Pause(r.Context(), 20*time.Second)
		}
	}
	exportFrom(t, drip, func(t *testing.T, took time.Duration, _ client.ExportResult, err error) {
		if e := wantClass(t, err, transport.ClassTimeout); took != 24*time.Hour || !strings.Contains(e.Detail, "24h") {
			t.Errorf("after %v: %q", took, e.Detail)
		}
	})
}

func TestStream_slowReceiverIsNotTheServicesFault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t)
		service.ExportRecords = 2000
		c := connect(t, service, useSecretKey)
		_, err := export(t.Context(), t, c, &slow{})
		noError(t, err)
	})
}

// slow is a sink that takes a second per record.
type slow struct{ received }

func (s *slow) Record(records.Kind, jsontext.Value) error {
	<-time.After(time.Second) // in virtual time
	return nil
}
