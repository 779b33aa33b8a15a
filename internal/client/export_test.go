// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// TestExport_requestPerKindWithAParameter has a service with the parameter, and one that ignores it: its
// answers hold the same records, in another order, or with their members in another one. Of two answers,
// the earlier one tells whether the day was over.
func TestExport_requestPerKindWithAParameter(t *testing.T) {
	t.Parallel()

	const evening, morning = "Sun, 01 Mar 2026 23:59:59 GMT", "Mon, 02 Mar 2026 00:00:00 GMT"
	const events, persons = `[{"id":1,"of":{"a":1,"b":2}},{"id":2,"of":1}]`, `[{"id":7}]`
	for _, c := range []struct {
		bodies, dates [2]string // of the events and the persons
		isSame        bool
	}{
		{bodies: [2]string{events, persons}, dates: [2]string{evening, morning}},
		{bodies: [2]string{events, persons}, dates: [2]string{morning, evening}},
		{bodies: [2]string{events, `[{"id":3,"of":2},{"id":2,"of":1}]`}, isSame: true},
		{bodies: [2]string{events, `[{"of":{"b":2, "a":1},"id":1}]`}, isSame: true},
		{bodies: [2]string{events, `[{"of":7,"id":1,"read":1},{"id":2,"of":1}]`}, isSame: true},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, cl *client.Client) {
			service.AllowViolations()
			for i, body := range c.bodies {
				service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Body: []byte(body), Header: jsonHeader("Date", c.dates[i])})
			}

			got, result, err := export(t.Context(), cl, records.Event, records.Person)
			if c.isSame {
				_ = wantClass(t, err, transport.ClassPayload)
				return
			}
			noError(t, err)
			want := []string{`event {"id":1,"of":{"a":1,"b":2}}`, `event {"id":2,"of":1}`, `person {"id":7}`}
			if diff := cmp.Diff(want, got); diff != "" || result.Counts != (records.Counts{records.Event: 2, records.Person: 1}) || result.Date.Format(http.TimeFormat) != evening {
				t.Errorf("%+v (-want +got):\n%s", result, diff)
			}
			for i, value := range []string{"E", "person"} {
				if asked := service.Requests()[i].Sent["kind"]; asked != value {
					t.Errorf("request %d asks for %v", i, asked)
				}
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
			cfg.Wire.Export = client.ExportWire{KindParameter: "kind", KindValues: map[string]string{"events": "E"}}
		})
	}
}

// An answer that breaks off is read again from its beginning. If each one does, it is an error. Each
// reading leaves its place to the next one.
func TestExport_brokenOffBeginsAgain(t *testing.T) {
	t.Parallel()

	const lost, timeout, truncated = transport.ClassConnectionLost, transport.ClassTimeout, transport.ClassTruncated
	// A connection that breaks exactly between two compressed parts looks to a decoder like the end of
	// the stream, which the lines before it do not contradict.
	between := func(coding string, packer func(io.Writer) io.WriteCloser, cut mockserver.Cut) mockserver.Fault {
		first, second := `{"type":"event","id":1}`+"\n", `{"type":"event","id":2}`+"\n"
		return mockserver.Fault{
			Header: jsonHeader("Content-Encoding", coding), Body: []byte(packed(t, packer, first, second)), Cut: cut, CutAt: len(packed(t, packer, first)),
		}
	}
	for name, c := range map[string]struct {
		fault mockserver.Fault
		class transport.ErrorClass // if it lasts
	}{
		"cut between parts in gzip":    {between("gzip", gzipped, mockserver.CutBody), lost},
		"cut between chunks of zstd":   {between("zstd", zstandard, mockserver.CutChunked), lost},
		"cut short of its length":      {mockserver.Fault{Cut: mockserver.CutBody, CutAt: -1}, lost},
		"cut between chunks":           {mockserver.Fault{Cut: mockserver.CutChunked, CutAt: -20}, lost},
		"closed without a length":      {mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: -1}, truncated},
		"closed in front of gzip":      {mockserver.Fault{Cut: mockserver.CutCloseDelimited, Header: jsonHeader("Content-Encoding", "gzip")}, truncated},
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
				got, counts, err := export(t.Context(), cl, records.Session, records.Event)
				noError(t, err)
				if diff := cmp.Diff([]string{`session {"id":"s"}`, `event {"id":"e"}`}, got); diff != "" || counts.Counts.Total() != 2 {
					t.Errorf("counted are %v (-want +got):\n%s", counts, diff)
				}
				wantCount(t, service, mockserver.OpExportRecords, 3)

				c.fault.Times = -1
				service.Inject(c.fault)
				_, _, err = export(t.Context(), cl)
				hasBegun := c.fault.Status == 0 && !c.fault.Hang
				if e := wantClass(t, err, c.class); e.Attempts != 1+client.DefaultMaxRetries || (e.Status == http.StatusOK) != hasBegun {
					t.Errorf("%d attempts, status %d", e.Attempts, e.Status)
				}
				wantCount(t, service, mockserver.OpExportRecords, 3+1+client.DefaultMaxRetries)
			}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxConcurrency = 1 })
		})
	}
}

// TestListPending_namesTheSettingsThatAdmitTheList has answers that are not a whole list, and a part of
// the advice. What leads to a page, counts all records or refuses is never advised away.
func TestListPending_namesTheSettingsThatAdmitTheList(t *testing.T) {
	t.Parallel()
	const one, look = `{"id":"r-1","identityId":"jane","operation":"deleteAllData","status":"pending"}`, "look at it: wire.pending.next leads to"
	for body, want := range map[string]string{
		`{"requests":[` + one + `],"simmering":"a little"}`:                  `wire.ignored = { "/simmering" = "*" } admits it`,
		`{"status":"success","data":{"requests":[` + one + `]}}`:             `wire.ignored = { "/status" = "success" } admits it`,
		`{"requests":[` + one + `],"paging":{"next":"?page=2","size":9}}`:    `wire.ignored = { "/paging/size" = "*" } and wire.pending.next = "/paging/next" admits it`,
		`{"@odata.context":"x","value":[` + one + `],"@odata.nextLink":"y"}`: `wire.ignored = { "/@odata.context" = "*" } and wire.pending.next = "/@odata.nextLink" admits it`,
		`{"requests":[],"pageAfter":"opaque"}`:                               `wire.pending.next = "/pageAfter" admits it`,
		`{"requests":[` + one + `],"warnings":[]}`:                           `wire.ignored = { "/warnings" = "[]" } admits it`,

		`{"requests":[` + one + strings.Repeat(`,`+one, 4000) + `],"note":"long"}`: look,
		`{"requests":[` + one + `],"total":7}`:                                     look, `{"requests":[],"totalSize":7}`: look, `{"requests":[],"recordCountOfAllPages":7}`: look,
		`{"requests":[` + one + `],"has_more":true}`: look, `{"requests":[],"user@example.com":1}`: look,
		`{"requests":[],"code":50000}`: look, `{"requests":[],"status":"failed","took":3}`: look, `{"requests":[],"returnCode":"E17","next":"?p=2"}`: look,
		`{"pending":{"items":[` + one + `]},"failed":[` + one + `]}`: "wire.pending.at",
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Body: []byte(body), Header: jsonHeader()})
			list, err := c.ListPending(t.Context(), scope)
			text := list.Gap
			if e, failed := errors.AsType[*transport.Error](err); failed {
				text = e.Detail
			}
			if !strings.Contains(text, want) || strings.Contains(text, "user@") {
				t.Errorf("%s: %s; want %s", body, text, want)
			}
		}, useSecretKey)
	}
}

// TestListPending_pagesAreFollowed has a list of pages, by a header, or by a member that the settings name.
func TestListPending_pagesAreFollowed(t *testing.T) {
	t.Parallel()
	record := func(id string) string {
		return `{"id":"` + id + `","identityId":"jane","operation":"deleteAllData","status":"pending"}`
	}
	for name, c := range map[string]struct {
		links, bodies []string // of the pages
		want, gap     string
	}{
		"by a member": {
			[]string{"", "", ""},
			[]string{`{"items":[` + record("c") + `],"next":"?page=2","total":3}`, `{"items":[` + record("a") + `],"next":"?page=3","total":3}`, `{"items":[` + record("b") + `],"next":null,"total":3}`},
			"a b c", "",
		},
		"a loop":        {[]string{`<?page=2>; rel="next"`, `<?page=2>; rel="next"`}, []string{`[` + record("a") + `]`, `[` + record("b") + `]`}, "a b", "lead back"},
		"a gap first":   {[]string{`<?page=2>; rel="next"`, ""}, []string{`["b"]`, `[` + record("a") + `]`}, "a", "an entry that is not an object"},
		"a page of gap": {[]string{`<?page=2>; rel="next"`, ""}, []string{`[` + record("a") + `]`, `["b"]`}, "a", "an entry that is not an object"},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c2 *client.Client) {
			for i, body := range c.bodies {
				header := jsonHeader("Link", c.links[i])
				if i == 1 {
					header.Set("Age", "5")
				}
				service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Header: header, Body: []byte(body)})
			}

			list, err := c2.ListPending(t.Context(), scope)
			noError(t, err)
			var ids []string
			for _, r := range list.Records {
				ids = append(ids, r.ID)
			}
			if got := strings.Join(ids, " "); got != c.want || (c.gap == "") != (list.Gap == "") || !strings.Contains(list.Gap, c.gap) {
				t.Errorf("%s: %s, and the gap is %q", name, got, list.Gap)
			}

			if !list.Cached || list.Date.IsZero() {
				t.Errorf("%s: one page is a copy of before, and the list is of %v, cached: %t", name, list.Date, list.Cached)
			}
			for i, r := range service.Requests() {
				if page := r.Sent["page"]; i > 0 && page != strconv.Itoa(i+1) {
					t.Errorf("%s: request %d asks for %v", name, i, page)
				}
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
			cfg.Wire.Pending.Next, cfg.Wire.Pending.Total = "/next", "/total"
		})
	}
}

// TestExport_mayTakeAnyTimeUpToADay has a service that sends a record of 40 kB every 25 seconds: slowly,
// but with pauses below request_timeout; one that sends a byte every 20 seconds, without an end; a reader
// that pauses for longer than request_timeout; and one that is interrupted.
func TestExport_mayTakeAnyTimeUpToADay(t *testing.T) {
	t.Parallel()

	record := `{"type":"event","id":1,"pad":"` + strings.Repeat("x", 40_000) + `"}` + "\n"
	const steady, never = 25 * time.Second, 1000 * time.Hour
	for name, c := range map[string]struct {
		text                    string // again and again
		times                   int64  // zero is without an end
		every, reads, interrupt time.Duration
		took                    time.Duration
		says                    string // of the end that is not that of the day
	}{
		"a steady service":   {record, 20, steady, 0, never, 500 * time.Second, ""},
		"a slow reader":      {record, 20, 0, time.Hour, never, 20 * time.Hour, ""},
		"one without end":    {" ", 0, 20 * time.Second, 0, never, 24 * time.Hour, "its time was up"},
		"an interrupted one": {" ", 0, steady, 0, time.Second, time.Second, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			service := mocktest.StartPipe(t, func(s *mockserver.Server) {
				s.Wrap = func(http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						for i := int64(0); (i < c.times || c.times == 0) && r.Context().Err() == nil; i++ {
							_, _ = io.WriteString(w, c.text)
							_ = http.NewResponseController(w).Flush()
							_ = transport.Pause(r.Context(), c.every)
						}
					})
				}
			})
			ctx, cancel := context.WithTimeout(t.Context(), c.interrupt)
			defer cancel()

			began := time.Now()
			query := client.ExportQuery{Day: exportDay, Kinds: records.Kinds}
			result, err := connect(t, service, useSecretKey).Export(ctx, scope, query, func(day client.Records) error {
				for range day {
					<-time.After(c.reads)
				}
				return nil
			})
			if took := time.Since(began); took != c.took || result.Counts[records.Event] != c.times {
				t.Errorf("%s: %v in %v", name, result, took)
			}
			if c.times > 0 {
				noError(t, err)
			} else if e := wantClass(t, err, transport.ClassCancelled); !strings.Contains(e.Detail, c.says) {
				t.Errorf("%s: %q", name, e.Detail)
			}
		})
	}
}

// packed returns compressed texts, each by itself.
func packed(t *testing.T, coding func(io.Writer) io.WriteCloser, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		w := coding(&b)
		_, err := io.WriteString(w, part)
		noError(t, errors.Join(err, w.Close()))
	}
	return b.String()
}

func gzipped(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

func zstandard(w io.Writer) io.WriteCloser {
	z, _ := zstd.NewWriter(w) // without options, it does not fail
	return z
}

// largeWindow is a zstd frame (RFC 8878) with three bytes of content and a declared
// window of 1 GiB.
var largeWindow = string([]byte{
	0x28, 0xB5, 0x2F, 0xFD, // magic number
	0x00,           // the size of the content is not given
	(30 - 10) << 3, // the window has 1 << 30 bytes
	3<<3 | 1, 0, 0, // the last block, not compressed, of three bytes
	'[', '1', ']',
})

// TestExportAnswer_isADayOrAnError has answers that are a day, and others, which are an error with its
// class. Some services compress each part of a day by itself.
func TestExportAnswer_isADayOrAnError(t *testing.T) {
	t.Parallel()

	const day, payload = `[{"type":"event","id":"e"}]`, transport.ClassPayload
	inGzip, inZstd := []string{"Content-Encoding", "gzip"}, []string{"Content-Encoding", "zstd"}
	lines, ofDay := []string{"Content-Type", "application/x-ndjson"}, client.ExportResult{Counts: records.Counts{records.Event: 1}}
	asPage := []string{"Content-Type", "text/html; charset=utf-8"}

	noRecords, empty := client.ExportResult{}, client.Wire{Export: client.ExportWire{Map: records.Map{Empty: true}}}
	parts := []string{`{"type":"event","id":1}` + "\n", `{"type":"event","id":2}` + "\n", "", `{"type":"person","id":1}` + "\n"}
	ofParts := client.ExportResult{Counts: records.Counts{records.Event: 2, records.Person: 1}}
	partsInGzip, partsInZstd := packed(t, gzipped, parts...), packed(t, zstandard, parts...)
	mebibyte := packed(t, zstandard, strings.Repeat("x", 1<<20))
	bomb := packed(t, zstandard, `["`) + strings.Repeat(mebibyte, records.LimitRecord>>20+2) + packed(t, zstandard, `"]`)

	for name, c := range map[string]struct {
		status int // zero is 200
		header []string
		body   string
		closes bool // the connection, and gives no length
		wire   client.Wire

		want  client.ExportResult
		class transport.ErrorClass // empty for a day
		says  string
	}{
		// The end of a connection is that of an answer if the last bracket proves it.
		"closed behind a day":         {closes: true, body: day, want: ofDay},
		"closed behind a day in gzip": {closes: true, header: inGzip, body: packed(t, gzipped, day), want: ofDay},
		"closed behind lines":         {closes: true, header: lines, body: parts[0], class: transport.ClassTruncated, says: "nothing shows"},
		"closed behind lines in zstd": {closes: true, header: append(lines, inZstd...), body: partsInZstd, class: transport.ClassTruncated, says: "nothing shows"},

		"nothing, as lines":             {header: lines, want: noRecords},
		"nothing for each kind":         {body: `[]`, wire: client.Wire{Export: client.ExportWire{KindParameter: "sort"}}, want: noRecords},
		"nothing, as it is told":        {wire: empty, want: noRecords},
		"an empty frame, as it is told": {header: inGzip, body: packed(t, gzipped, ""), wire: empty, want: noRecords},
		"nulls, as it is told":          {body: `{"persons":null,"sessions":null,"events":null}`, wire: empty, want: noRecords},
		"204 that is called gzip":       {status: http.StatusNoContent, header: inGzip, want: noRecords},
		"parts in gzip":                 {header: inGzip, body: partsInGzip, want: ofParts},
		"parts in zstd":                 {header: inZstd, body: partsInZstd, want: ofParts},

		"202 with Retry-After":     {status: 202, header: []string{"Retry-After", "300"}, class: transport.ClassNotReady, says: "5m0s"},
		"206":                      {status: 206, body: day, class: payload, says: "not a complete one"},
		"a total":                  {header: []string{"X-Total-Count", "2"}, body: `[{"type":"event","id":1}]`, class: payload, says: "counts 2 records, and there are 1"},
		"nothing":                  {class: payload, says: "wire.export.empty = true"},
		"an empty frame":           {header: inGzip, body: packed(t, gzipped, ""), class: payload, says: "wire.export.empty = true"},
		"a page":                   {header: asPage, body: "<title>Log in</title>", class: transport.ClassNotJSON, says: "Log in"},
		"an empty page":            {header: asPage, class: transport.ClassNotJSON, says: `begins with ""`},
		"another coding":           {header: []string{"Content-Encoding", "br"}, body: "x", class: payload, says: "compressed"},
		"nothing in gzip":          {header: inGzip, class: transport.ClassTruncated, says: "ends in the middle"},
		"no gzip after all":        {header: inGzip, body: "[] and nothing that is packed", class: payload, says: "compressed"},
		"gzip and text behind it":  {header: inGzip, body: partsInGzip + "and nothing that is compressed", class: payload, says: "compressed"},
		"a window of 1 GiB":        {header: inZstd, body: largeWindow, class: payload, says: "compressed"},
		"a bomb":                   {header: inZstd, body: bomb, class: transport.ClassTooLarge, says: "16 MiB"},
		"invalid text in an array": {body: "[{\"type\":\"event\",\"a\":\"\xff\"}]", class: payload, says: "wire.export.invalid_utf8"},
		"what ignores a member":    {body: `{"hasMore":false,"persons":[],"sessions":[],"events":[{"id":1}]}`, class: payload, says: `wire.ignored = { "/hasMore" = "false" } admits it`},
		"an error of a part":       {body: `{"events":[],"errors":["not for jane.doe@example.com"]}`, class: payload, says: `"/errors"`},
		"lines of another sort":    {header: []string{"Content-Type", "text/plain"}, body: "id,name\n1,Jane Canary\n", class: payload, says: "text/plain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, cl *client.Client) {
				service.AllowViolations()
				fault := mockserver.Fault{Operation: mockserver.OpExportRecords, Times: -1, Status: c.status, Header: jsonHeader(c.header...), Body: []byte(c.body)}
				if c.closes {
					fault.Cut, fault.CutAt = mockserver.CutCloseDelimited, len(c.body)
				}
				service.Inject(fault)
				_, got, err := export(t.Context(), cl)
				if c.class == "" {
					if err != nil || got.Counts != c.want.Counts {
						t.Errorf("%+v, %v", got, err)
					}
					return
				}

				e := wantClass(t, err, c.class)
				if e.Status != max(c.status, http.StatusOK) || !strings.Contains(e.Describe(), c.says) {
					t.Errorf("status %d, it says %q", e.Status, e)
				}
				for _, leak := range []string{"jane.doe", "Canary", "h.example.com"} {
					if strings.Contains(e.Error(), leak) {
						t.Errorf("it says %q", e)
					}
				}
			}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire = c.wire })
		})
	}
}

// TestExport_pagesAreReadAsOneDay has a page that is cut at first, and one that is a part.
func TestExport_pagesAreReadAsOneDay(t *testing.T) {
	t.Parallel()

	const first, last = `{"persons":[],"sessions":[],"events":[{"id":1,"name":"x"}],"page":{"next":"?after=1","of":2}}`, `{"persons":[{"id":1}],"sessions":[],"events":[],"page":{"next":null,"of":2}}`
	const failed = `{"persons":[],"sessions":[],"events":[{"id":"err-7","error":"quota"}],"page":{"next":null,"of":2}}`
	for second, isDay := range map[string]bool{last: true, failed: false, strings.ReplaceAll(last, "2", "3"): false, first: false, `{"persons":[]}`: false, `{"persons":[],"sessions":[],"events":[]}`: false} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.AllowViolations()
			for _, f := range []mockserver.Fault{{Body: []byte(first)}, {Body: []byte(second), Cut: mockserver.CutBody, CutAt: -1}, {Body: []byte(first)}, {Body: []byte(second)}} {
				f.Operation, f.Header = mockserver.OpExportRecords, jsonHeader()
				service.Inject(f)
			}

			got, result, err := export(t.Context(), c)
			if diff := cmp.Diff([]string{`event {"id":1,"name":"x"}`, `person {"id":1}`}, got); isDay && diff != "" || isDay != (err == nil) {
				t.Errorf("%s: %v %s", second, err, diff)
			}
			if want := (records.Counts{records.Event: 1, records.Person: 1}); isDay && result.Counts != want {
				t.Errorf("it counts %v", result.Counts)
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
			cfg.Wire.Export.Next, cfg.Wire.Export.Total = "/page/next", "/page/of"
		})
	}
}

// TestStream_errorOfTheReceiverIsReturnedAsItIs has an export that breaks off behind the error, and data
// that are larger than a receipt.
func TestStream_errorOfTheReceiverIsReturnedAsItIs(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		putDay(service)
		service.Inject(
			mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutBody, CutAt: -1},
			mockserver.Fault{Operation: mockserver.OpGetAllData, Body: []byte(`{"data":"` + strings.Repeat("x", 200_000) + `"}`), Header: jsonHeader()},
			mockserver.Fault{Operation: mockserver.OpGetAllData, Body: []byte(`{"persons":[{"id":1}]}`), Header: jsonHeader()})
		full := errors.New("the disk is full")
		read, write := io.Pipe()
		noError(t, read.CloseWithError(full))
		wantFull := func(err error) {
			t.Helper()
			if !errors.Is(err, full) || err.Error() != full.Error() {
				t.Errorf("it ended with %v", err)
			}
		}

		_, err := c.Export(t.Context(), scope, client.ExportQuery{Day: exportDay, Kinds: records.Kinds}, func(day client.Records) error {
			for range day {
				return full
			}
			return nil
		})
		wantFull(err)
		wantCount(t, service, mockserver.OpExportRecords, 1)

		for range 2 {
			_, err = c.FetchData(t.Context(), jane, decode.DataCall{Seen: true}, write)
			wantFull(err)
		}
		_, err = c.FetchData(t.Context(), jane, decode.DataCall{}, write) // a receipt needs no space
		noError(t, err)
	}, useSecretKey)
}

// TestStream_endIsThatOfTheAnswer has trailer fields behind a day and data, of which those that are not known
// may say that they are not whole.
func TestStream_endIsThatOfTheAnswer(t *testing.T) {
	t.Parallel()

	const day = `[{"type":"event","id":1}]`
	data := func(size int) string {
		return `{"persons":[{"id":1}],"profile":{"plan":"` + strings.Repeat("x", size) + `"}}`
	}
	for name, class := range map[string]transport.ErrorClass{"X-Stream-Error": transport.ClassPayload, "Grpc-Status": transport.ClassPayload, "X-Took": "", "Etag": ""} {
		for _, body := range []string{day, data(1), data(200_000)} { // receipts are shorter than the last
			bubble(t, func(t *testing.T, service *mocktest.Instance, cl *client.Client) {
				service.Wrap = func(http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("Content-Type", "application/json")
						w.Header().Set("Trailer", name)
						_, _ = io.WriteString(w, body)
						w.Header().Set(name, "13")
					})
				}

				_, err := cl.FetchData(t.Context(), jane, decode.DataCall{Seen: true}, io.Discard)
				if body == day {
					_, _, err = export(t.Context(), cl)
				}
				if class == "" {
					noError(t, err)
				} else if e := wantClass(t, err, class); !strings.Contains(e.Detail, `wire.ignored = { "/`+name+`" = "*" }`) {
					t.Errorf("it says %q", e.Detail)
				}
			}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
				cfg.Wire.Ignored = map[jsontext.Pointer]string{"/X-Took": decode.AnyValue}
			})
		}
	}
}

// TestExport_dateOfTheServiceTellsWhetherTheDayIsOver has answers of the service, and copies of a cache.
func TestExport_dateOfTheServiceTellsWhetherTheDayIsOver(t *testing.T) {
	t.Parallel()

	const later = "Mon, 02 Mar 2026 02:00:00 GMT"
	for _, c := range []struct {
		date, age string
		isOver    bool
		here      time.Duration // into the day, by this machine's clock
	}{
		{date: "Sun, 01 Mar 2026 23:59:59 GMT", here: 24 * time.Hour},
		{date: "Mon, 02 Mar 2026 00:00:00 GMT", isOver: true, here: 24 * time.Hour},
		{date: "Mon, 02 Mar 2026 00:00:00 GMT", isOver: true, here: time.Hour},
		{isOver: true, here: 24 * time.Hour},
		{here: time.Hour},
		{date: "yesterday", isOver: true, here: 24 * time.Hour},
		{date: later, age: "7200", isOver: true, here: 24 * time.Hour},
		{date: later, age: "7201", here: 24 * time.Hour},
		{date: later, age: "-1", isOver: true, here: 24 * time.Hour},
		{date: later, age: "99999999999999999", here: 24 * time.Hour},
		{date: later, age: "soon", isOver: true, here: 24 * time.Hour},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, cl *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Times: -1, Body: []byte(`[]`), Header: jsonHeader("Date", c.date, "Age", c.age)})
			_, result, err := export(t.Context(), cl)
			if noError(t, err); result.Complete != (c.isOver && c.here > time.Hour) {
				t.Errorf("%+v: %+v", c, result)
			}

			_, err = cl.Export(t.Context(), scope, client.ExportQuery{Day: exportDay, Kinds: records.Kinds, Finished: true}, drain)
			if c.isOver {
				noError(t, err)
			} else if e := wantClass(t, err, transport.ClassNotReady); !strings.Contains(e.Detail, "2026-03-01") {
				t.Errorf("it says %q", e.Detail)
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
			cfg.Now = func() time.Time { return exportDay.Add(c.here) }
		})
	}
}
