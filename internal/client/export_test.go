// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
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

	const lost, timeout, truncated = transport.ClassConnectionLost, transport.ClassTimeout, transport.ClassTruncated
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
		"no answer":                    {mockserver.Fault{Hang: true}, timeout},
		"a 503":                        {mockserver.Fault{Status: 503, Body: []byte(`{}`)}, transport.ClassServer},
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

				c.fault.Times = -1
				service.Inject(c.fault)
				_, err = export(t.Context(), t, cl, &received{})
				hasBegun := c.fault.Status == 0 && !c.fault.Hang
				if e := wantClass(t, err, c.class); e.Attempts != 1+client.DefaultMaxRetries || (e.Status == http.StatusOK) != hasBegun {
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

// TestFetchData_errorOfTheWriterIsReturnedAsItIs has data that is larger than a receipt.
func TestFetchData_errorOfTheWriterIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetAllData, Body: []byte(`{"data":"` + strings.Repeat("x", 200_000) + `"}`), Header: jsonHeader()})
		full := errors.New("the disk is full")
		read, write := io.Pipe()
		noError(t, read.CloseWithError(full))
		if _, err := c.FetchData(t.Context(), scope, answer.DataCall{Person: person, Seen: true}, write); err != full { //nolint:errorlint // exactly as it is
			t.Errorf("it ended with %v", err)
		}
	}, useSecretKey)
}

// unwilling is a sink that cannot begin again.
type unwilling struct{ received }

var errUnwilling = errors.New("the file cannot be cut")

func (*unwilling) Restart() error { return errUnwilling }

func TestExport_endsWhereTheSinkCannotBeginAgain(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		putDay(service)
		service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutBody, CutAt: -1})
		if _, err := export(t.Context(), t, c, &unwilling{}); err != errUnwilling { //nolint:errorlint // exactly as it is
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

// TestExportAnswer_everyForm reads a day with three records, and one with none. The end of
// lines has to be proven, and the last bracket proves that of anything else.
func TestExportAnswer_everyForm(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		answer mockserver.ExportAnswer
		closed bool   // the end of the connection is that of the answer
		bodies [2]any // in place of no records, and of three
		proven bool
	}{
		"object":                        {proven: true},
		"object, gzip":                  {answer: mockserver.ExportAnswer{Encoding: "gzip"}, proven: true},
		"object, zstd":                  {answer: mockserver.ExportAnswer{Encoding: "zstd"}, proven: true},
		"object, without a length":      {closed: true, proven: true},
		"object, gzip without a length": {answer: mockserver.ExportAnswer{Encoding: "gzip"}, closed: true, proven: true},
		"nested":                        {answer: mockserver.ExportAnswer{Shape: mockserver.ExportNested}, bodies: [2]any{mockserver.NoContent, nil}, proven: true},
		"array":                         {answer: mockserver.ExportAnswer{Shape: mockserver.ExportArray}, bodies: [2]any{mockserver.PlainText(""), nil}, proven: true},
		"lines":                         {answer: mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON}, proven: true},
		"lines, zstd":                   {answer: mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON, Encoding: "zstd"}, proven: true},
		"lines, zstd without a length":  {answer: mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON, Encoding: "zstd"}, closed: true},
		"lines, without a length":       {answer: mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON}, closed: true},
		"object, laid out": {
			bodies: [2]any{nil, mockserver.PlainText("\uFEFF{\"persons\":[\r\n    {\"id\":\"p\"}],\"sessions\":[\r\n    {\"id\":\"s\"}],\"events\":[\r\n    {\"id\":\"e\"}]}")},
			proven: true,
		},
		"lines of Windows": {
			bodies: [2]any{nil, mockserver.PlainText("\uFEFF{\"type\":\"person\",\"id\":\"p\"}\r\n{\"type\":\"session\",\"id\":\"s\"}\r\n{\"type\":\"event\",\"id\":\"e\"}\r\n")},
			proven: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			for _, want := range [][]string{threeRecords, nil} {
				bubble(t, func(t *testing.T, service *mocktest.Instance, cl *client.Client) {
					service.Export = c.answer
					if c.closed {
						service.Change(func(_ mockserver.Request, a *mockserver.Response) { a.Header.Set("Transfer-Encoding", "identity") })
					}
					if want != nil {
						putDay(service)
					}
					if body := c.bodies[min(len(want), 1)]; body != nil {
						mockserver.Reshape(service.Server, func(any) any { return body }, mockserver.OpExportRecords)
					}

					var got received
					result, err := export(t.Context(), t, cl, &got)
					if !c.proven {
						if e := wantClass(t, err, transport.ClassTruncated); e.Attempts != 1+client.DefaultMaxRetries {
							t.Errorf("%d attempts", e.Attempts)
						}
						return
					}

					noError(t, err)
					for i, record := range got.records {
						kind, _, _ := strings.Cut(record, " ")
						got.records[i] = strings.Replace(record, `"type":"`+kind+`",`, "", 1)
					}
					if diff := cmp.Diff(want, got.records); diff != "" || result.Counts.Total() != int64(len(want)) {
						t.Errorf("counted are %v (-want +got):\n%s", result.Counts, diff)
					}
					wantCount(t, service, mockserver.OpExportRecords, 1)
				}, useSecretKey)
			}
		})
	}
}

func TestExportAnswer_trailerIsRecognisedOrRefused(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		ignored string
		refused bool
	}{
		"X-Stream-Error": {"", true}, "Grpc-Status": {"next", true}, "Content-Digest": {"", false}, "X-Took": {"x-took", false},
	} {
		ending := func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"events":[]}`)
			_ = http.NewResponseController(w).Flush()
			w.Header().Set(http.TrailerPrefix+name, "13")
		}
		exportFrom(t, ending, func(t *testing.T, _ time.Duration, _ client.ExportResult, err error) {
			if !c.refused {
				noError(t, err)
				return
			}
			if e := wantClass(t, err, transport.ClassPayload); !strings.Contains(e.Detail, name) || !strings.Contains(e.Detail, "wire.export_ignored_members") {
				t.Errorf("it says %q", e.Detail)
			}
		}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.ExportIgnoredMembers = c.ignored })
	}
}

// packed returns compressed texts, each by itself.
func packed(t *testing.T, coding func(io.Writer) io.WriteCloser, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		w := coding(&b)
		_, err := io.WriteString(w, part)
		noError(t, errors.Join(err, w.Close()))
	}
	return b.Bytes()
}

func gzipped(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

func zstandard(w io.Writer) io.WriteCloser {
	z, _ := zstd.NewWriter(w) // without options, it does not fail
	return z
}

// TestExportAnswer_allMembersOfACompressedStreamAreRead compresses each part of a day by
// itself, as services do that store it in parts.
func TestExportAnswer_allMembersOfACompressedStreamAreRead(t *testing.T) {
	t.Parallel()

	parts := []string{`{"type":"event","id":1}` + "\n", `{"type":"event","id":2}` + "\n", "", `{"type":"person"}` + "\n"}
	for coding, body := range map[string][]byte{"gzip": packed(t, gzipped, parts...), "zstd": packed(t, zstandard, parts...)} {
		header := http.Header{"Content-Encoding": {coding}, "Content-Type": {"application/x-ndjson"}}
		result, err := exportAnswered(t, mockserver.Fault{Body: body, Header: header})
		noError(t, err)
		if want := (records.Counts{records.Event: 2, records.Person: 1}); result.Counts != want {
			t.Errorf("%s: %v", coding, result.Counts)
		}

		_, err = exportAnswered(t, mockserver.Fault{Body: append(bytes.Clone(body), "and nothing that is compressed"...), Header: header})
		if e := wantClass(t, err, transport.ClassPayload); !strings.Contains(e.Detail, "compressed") {
			t.Errorf("%s, with text behind it: %q", coding, e.Detail)
		}
	}
}

// largeWindow is a zstd frame (RFC 8878) with three bytes of content and a declared
// window of 1 GiB.
var largeWindow = []byte{
	0x28, 0xB5, 0x2F, 0xFD, // magic number
	0x00,           // the size of the content is not given
	(30 - 10) << 3, // the window has 1 << 30 bytes
	3<<3 | 1, 0, 0, // the last block, not compressed, of three bytes
	'[', '1', ']',
}

func TestExportAnswer_whatIsADayAllTheSame(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		fault     mockserver.Fault
		configure func(*client.Wire)
		want      client.ExportResult
	}{
		"a link to itself": {
			fault: mockserver.Fault{Body: []byte(`{"events":[{"id":"e"}]}`), Header: jsonHeader("Link", `<https://example.com/next>; rel="self"; title="next"`)},
			want:  client.ExportResult{Counts: records.Counts{records.Event: 1}},
		},
		"nothing for each kind": {
			fault:     mockserver.Fault{Body: []byte(`[]`), Header: jsonHeader()},
			configure: func(w *client.Wire) { w.ExportKindParameter, w.ExportRecordMember = "sort", "id" },
		},
		"invalid UTF-8 that is replaced": {
			fault:     mockserver.Fault{Body: []byte("{\"events\":[{\"id\":\"\xff\"},{\"id\":\"\\ud83d\"}]}"), Header: jsonHeader()},
			configure: func(w *client.Wire) { w.ExportInvalidUTF8 = client.InvalidReplace },
			want:      client.ExportResult{Counts: records.Counts{records.Event: 2}, InvalidUTF8: 1},
		},
		"204 that is called gzip": {fault: mockserver.Fault{Status: http.StatusNoContent, Header: http.Header{"Content-Encoding": {"gzip"}}}},
		"204 that is called zstd": {fault: mockserver.Fault{Status: http.StatusNoContent, Header: http.Header{"Content-Encoding": {"zstd"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got, err := exportAnswered(t, c.fault, func(_ *mocktest.Instance, cfg *client.Config) {
				if c.configure != nil {
					c.configure(&cfg.Wire)
				}
			})
			noError(t, err)
			if got.Counts != c.want.Counts || got.InvalidUTF8 != c.want.InvalidUTF8 {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestExportAnswer_whatIsNoDayIsAnError(t *testing.T) {
	t.Parallel()

	const day = `{"events":[{"id":"e"}]}`
	coded := func(coding string) http.Header { return http.Header{"Content-Encoding": {coding}} }
	page := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	plain := http.Header{"Content-Type": {"text/plain"}}
	mebibyte := packed(t, zstandard, strings.Repeat("x", 1<<20))
	bomb := slices.Concat(packed(t, zstandard, `["`), bytes.Repeat(mebibyte, records.LimitRecord>>20+2), packed(t, zstandard, `"]`))

	for name, c := range map[string]struct {
		fault mockserver.Fault
		class transport.ErrorClass
		says  string
	}{
		"202 with Retry-After":     {mockserver.Fault{Status: 202, Header: jsonHeader("Retry-After", "300")}, transport.ClassNotReady, "5m0s"},
		"203":                      {mockserver.Fault{Status: 203, Body: []byte(day)}, transport.ClassPayload, "200"},
		"206":                      {mockserver.Fault{Status: 206, Body: []byte(day), Header: jsonHeader("Content-Range", "bytes 0-10/400")}, transport.ClassPayload, "part"},
		"404":                      {mockserver.Fault{Status: 404, Body: []byte(`{"error":{"code":"gone","message":"gone"}}`)}, transport.ClassNotFound, ""},
		"404 page":                 {mockserver.Fault{Status: 404, Body: []byte("<html>"), Header: page}, transport.ClassEndpointNotFound, ""},
		"Content-Range":            {mockserver.Fault{Body: []byte(day), Header: jsonHeader("Content-Range", "bytes 0-10/400")}, transport.ClassPayload, "part"},
		"Link to the next page":    {mockserver.Fault{Body: []byte(day), Header: jsonHeader("Link", `<https://h.example.com/?a=1>; rel="prev", <https://h.example.com/?a=3>; rel="next"`)}, transport.ClassPayload, "there is more"},
		"a page":                   {mockserver.Fault{Body: []byte("<html><title>Please log in</title></html>"), Header: page}, transport.ClassNotJSON, "Please log in"},
		"an empty page":            {mockserver.Fault{Header: page}, transport.ClassNotJSON, `begins with ""`},
		"another coding":           {mockserver.Fault{Body: []byte("x"), Header: coded("br")}, transport.ClassPayload, "compressed"},
		"nothing in gzip":          {mockserver.Fault{Header: coded("gzip")}, transport.ClassPayload, "no content"},
		"no gzip after all":        {mockserver.Fault{Body: []byte("[] and nothing that is packed"), Header: coded("gzip")}, transport.ClassPayload, "compressed"},
		"a window of 1 GiB":        {mockserver.Fault{Body: largeWindow, Header: coded("zstd")}, transport.ClassPayload, "compressed"},
		"a bomb":                   {mockserver.Fault{Body: bomb, Header: coded("zstd")}, transport.ClassTooLarge, "16 MiB"},
		"invalid text in an array": {mockserver.Fault{Body: []byte("[{\"type\":\"event\",\"a\":\"\xff\"}]")}, transport.ClassPayload, "wire.export_invalid_utf8"},
		"an error inside":          {mockserver.Fault{Body: []byte(`{"error":{"code":"no_export","message":"not for jane.doe@example.com"}}`)}, transport.ClassPayload, "no list of records"},
		"an error of a part":       {mockserver.Fault{Body: []byte(`{"persons":[],"events":[],"errors":["partial"]}`)}, transport.ClassPayload, `wire.export_ignored_members = "errors"`},
		"a record or an envelope":  {mockserver.Fault{Body: []byte(`{"id":"p","events":[{"id":"e"}]}`)}, transport.ClassPayload, "wire.export_record_member"},
		"lines of another sort":    {mockserver.Fault{Body: []byte("id,name\n1,Jane Canary\n"), Header: plain}, transport.ClassPayload, "text/plain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if c.fault.Header == nil {
				c.fault.Header = jsonHeader()
			}
			if c.fault.Status == 0 {
				c.fault.Status = http.StatusOK
			}
			_, err := exportAnswered(t, c.fault)

			e := wantClass(t, err, c.class)
			if e.Status != c.fault.Status || !strings.Contains(e.Detail, c.says) {
				t.Errorf("status %d, it says %q", e.Status, e.Error())
			}
			for _, leak := range []string{"jane.doe", "Canary", "h.example.com"} {
				if strings.Contains(e.Error(), leak) {
					t.Errorf("it says %q", e.Error())
				}
			}
		})
	}
}
