package client_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

func TestExportAnswer_everyShapeAndCoding(t *testing.T) {
	t.Parallel()

	for name, answer := range map[string]mockserver.ExportAnswer{
		"object":                  {},
		"length":                  {Framing: mockserver.FramingLength},
		"nested":                  {Shape: mockserver.ExportNested, Names: [3]string{"people", "sessionRecords", "Events"}},
		"pretty":                  {Pretty: true, Mark: true, CRLF: true},
		"gzip":                    {Encoding: "gzip"},
		"zstd":                    {Encoding: "zstd"},
		"unknown":                 {Framing: mockserver.FramingClose}, // the last bracket proves the end
		"packed without a length": {Encoding: "gzip", Framing: mockserver.FramingClose},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				if service.Export = answer; answer.Mark {
					service.AllowViolations() // the contract's JSON has no mark
				}

				putDay(service)
				var got received
				counts, err := export(t.Context(), t, c, &got)
				noError(t, err)

				for i, record := range got.records {
					v := jsontext.Value(record[strings.IndexByte(record, ' ')+1:])
					noError(t, v.Compact())
					got.records[i] = record[:strings.IndexByte(record, ' ')+1] + string(v)
				}

				if diff := cmp.Diff(threeRecords, got.records); diff != "" {
					t.Errorf("unexpected records (-want +got):\n%s", diff)
				}

				if counts.Counts != (records.Counts{0, 1, 1, 1}) {
					t.Errorf("counted are %v", counts)
				}

				wantCount(t, service, mockserver.OpExportRecords, 1)
			}, useSecretKey)
		})
	}
}

func TestExportAnswer_linesNeedAProvenEnd(t *testing.T) {
	t.Parallel()

	want := []string{`person {"type":"person","id":"p"}`, `session {"type":"session","id":"s"}`, `event {"type":"event","id":"e"}`}
	for name, c := range map[string]struct {
		answer mockserver.ExportAnswer
		proven bool
	}{
		"chunks":                  {mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON, CRLF: true, Mark: true}, true},
		"length":                  {mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON, Framing: mockserver.FramingLength}, true},
		"zstd without a length":   {mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON, Framing: mockserver.FramingClose, Encoding: "zstd"}, false},
		"closed without a length": {mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON, Framing: mockserver.FramingClose}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, client_ *client.Client) {
				service.Export = c.answer
				putDay(service)
				var got received
				_, err := export(t.Context(), t, client_, &got)
				if !c.proven {
					e := wantClass(t, err, client.ClassTruncated)
					if e.Attempts != 1+client.DefaultMaxRetries {
						t.Errorf("%d attempts", e.Attempts)
					}
					return
				}

				noError(t, err)
				if diff := cmp.Diff(want, got.records); diff != "" {
					t.Errorf("unexpected records (-want +got):\n%s", diff)
				}
			}, useSecretKey)
		})
	}
}

func TestExportAnswer_dayWithoutRecordsIsNoError(t *testing.T) {
	t.Parallel()

	for name, answer := range map[string]mockserver.ExportAnswer{
		"arrays": {}, "an array": {Shape: mockserver.ExportArray}, "no lines": {Shape: mockserver.ExportNDJSON}, "204": {Empty: mockserver.NoContent}, "no body": {Empty: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				service.Export = answer
				var got received
				counts, err := export(t.Context(), t, c, &got)
				noError(t, err)

				if counts.Counts.Total() != 0 || len(got.records) != 0 {
					t.Errorf("%v, %v", counts, got.records)
				}
			}, useSecretKey)
		})
	}
}

// TestExportAnswer_adviceOfARefusalAdmitsTheDay does what the error says, step by step.
func TestExportAnswer_adviceOfARefusalAdmitsTheDay(t *testing.T) {
	t.Parallel()

	ignored := regexp.MustCompile(`wire\.export_ignored_members = "([^"]+)"`)
	for text, c := range map[string]struct {
		header http.Header
		member string // for wire.export_record_member
		want   records.Counts
	}{
		`{"tenant":"web","hasMore":false,"events":[{"id":1}],"next":null}`: {want: records.Counts{records.Event: 1}},
		`{"id":"p","events":[{"id":"e"},{"id":"f"}]}`:                      {want: records.Counts{records.Event: 2}},
		`{"events":[{"id":1}],"total":9}`:                                  {want: records.Counts{records.Event: 1}},
		`{"events":[{"id":1}],"errors":[{"code":5}]}`:                      {want: records.Counts{records.Event: 1}},
		`{"events":[{"id":1,"type":"session"}]}`:                           {want: records.Counts{records.Event: 1}},
		`{"persons":[],"x":{"y":1}}`:                                       {want: records.Counts{}},
		`{"sessions":[]}`:                                                  {header: jsonHeader("Link", `</2>; rel=next`), want: records.Counts{}},
		`{"sessions":null}`:                                                {header: jsonHeader("Content-Range", "items 0-1/2"), want: records.Counts{}},
		`[{"uid":1,"n":2},{"uid":3}]`:                                      {member: "uid", want: records.Counts{2, 0, 0, 0}},
		`{"uid":1}` + "\n" + `{"uid":2}`:                                   {member: "uid", want: records.Counts{2, 0, 0, 0}},
		`{"uid":1,"events":[{"n":1}]}`:                                     {member: "uid", want: records.Counts{1, 0, 0, 0}},
		`{"x":[]}`:                                                         {member: "uid", want: records.Counts{}},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()

			header := c.header
			if header == nil {
				header = jsonHeader()
			}

			var wire client.Wire
			for range 4 {
				result, err := exportAnswered(t, mockserver.Fault{Body: []byte(text), Header: header}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire = wire })
				if err == nil {
					if result.Counts != c.want || wire.ExportIgnoredMembers == wire.ExportRecordMember {
						t.Errorf("%v with %+v", result.Counts, wire)
					}
					return
				}

				detail := wantClass(t, err, client.ClassPayload).Detail
				if found := ignored.FindStringSubmatch(detail); found != nil && c.member == "" {
					wire.ExportIgnoredMembers += "," + found[1]
				} else if strings.Contains(detail, "wire.export_record_member") {
					wire.ExportRecordMember = c.member
				} else {
					t.Fatalf("there is no advice in %q", detail)
				}
			}
			t.Errorf("not admitted with %+v", wire)
		})
	}
}

// TestExportAnswer_everyDialectOfADayIsReadWithItsSettings combines all answers that the mock
// server knows to the questions about exports.
func TestExportAnswer_everyDialectOfADayIsReadWithItsSettings(t *testing.T) {
	t.Parallel()

	dialects := []mockserver.Dialect{{}}
	for _, q := range mockserver.Questions {
		if !strings.HasPrefix(q.Name, "export_") {
			continue
		}

		var next []mockserver.Dialect
		for _, d := range dialects {
			for _, choice := range q.Choices {
				with := maps.Clone(d)
				with[q.Name] = choice.Name
				next = append(next, with)
			}
		}
		dialects = next
	}

	n := soak.Size(50, len(dialects))
	for i := range n {
		dialect := dialects[i*len(dialects)/n]
		synctest.Test(t, func(t *testing.T) {
			service := mocktest.StartPipe(t, func(s *mockserver.Server) { s.ExportRecords = 20 }, func(s *mockserver.Server) { noError(t, s.Speak(dialect)) })
			service.AllowViolations() // the contract wants UTF-8

			c := connect(t, service, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
				cfg.Wire = client.Wire{ExportIgnoredMembers: "generatedAt, count=null, tenant, next", ExportInvalidUTF8: client.InvalidReplace}
				switch dialect["export_kind"] {
				case "parameter":
					cfg.Wire.ExportKindParameter = "kind"
				case "own_values":
					cfg.Wire.ExportKindParameter, cfg.Wire.ExportKindValues = "recordType", "Persons,Sessions,Events"
				}
				if dialect["export_answer"] == "own_discriminator" {
					cfg.Wire.ExportRecordMember = "sort"
				}
			})

			result, err := export(t.Context(), t, c, &received{})
			noError(t, err)

			want := records.Counts{records.Person: 1, records.Session: 1, records.Event: 20}
			if dialect["export_answer"] == "own_discriminator" && dialect["export_kind"] == "none" {
				want = records.Counts{records.Unknown: 22}
			}
			if result.Counts != want {
				t.Errorf("%s: %v", dialect, result.Counts)
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
		synctest.Test(t, func(t *testing.T) {
			service := mocktest.StartPipe(t, func(s *mockserver.Server) {
				s.Wrap = func(http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						w.Header().Set("Content-Type", "application/json")
						_, _ = io.WriteString(w, `{"events":[]}`)
						_ = http.NewResponseController(w).Flush()
						w.Header().Set(http.TrailerPrefix+name, "13")
					})
				}
			})

			cl := connect(t, service, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.ExportIgnoredMembers = c.ignored })
			_, err := export(t.Context(), t, cl, &received{})
			if !c.refused {
				noError(t, err)
				return
			}
			if e := wantClass(t, err, client.ClassPayload); !strings.Contains(e.Detail, name) || !strings.Contains(e.Detail, "wire.export_ignored_members") {
				t.Errorf("it says %q", e.Detail)
			}
		})
	}
}

// TestExportAnswer_allMembersOfACompressedStreamAreRead compresses each part of a day by
// itself, as services do that store it in parts.
func TestExportAnswer_allMembersOfACompressedStreamAreRead(t *testing.T) {
	t.Parallel()

	parts := []string{`{"type":"event","id":1}` + "\n", `{"type":"event","id":2}` + "\n", "", `{"type":"person"}` + "\n"}
	var gz, zst bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&gz)
		_, err := io.WriteString(w, part)
		noError(t, errors.Join(err, w.Close()))

		z, err := zstd.NewWriter(&zst)
		noError(t, err)
		_, err = io.WriteString(z, part)
		noError(t, errors.Join(err, z.Close()))
	}

	for coding, body := range map[string][]byte{"gzip": gz.Bytes(), "zstd": zst.Bytes()} {
		header := http.Header{"Content-Encoding": {coding}, "Content-Type": {"application/x-ndjson"}}
		result, err := exportAnswered(t, mockserver.Fault{Body: body, Header: header})
		noError(t, err)
		if want := (records.Counts{records.Event: 2, records.Person: 1}); result.Counts != want {
			t.Errorf("%s: %v", coding, result.Counts)
		}

		_, err = exportAnswered(t, mockserver.Fault{Body: append(bytes.Clone(body), "and nothing that is compressed"...), Header: header})
		if e := wantClass(t, err, client.ClassPayload); !strings.Contains(e.Detail, "compressed") {
			t.Errorf("%s, with text behind it: %q", coding, e.Detail)
		}
	}
}

func TestExportAnswer_replacedInvalidUTF8IsCounted(t *testing.T) {
	t.Parallel()
	result, err := exportAnswered(t, mockserver.Fault{Body: []byte("{\"events\":[{\"a\":\"\xff\"},{\"a\":\"\\ud83d\"}]}"), Header: jsonHeader()},
		func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.ExportInvalidUTF8 = client.InvalidReplace })
	noError(t, err)
	if result.InvalidUTF8 != 1 || result.Counts.Of(records.Event) != 2 {
		t.Errorf("%+v", result)
	}
}

func TestExportAnswer_whatIsNoExportIsAnError(t *testing.T) {
	t.Parallel()

	gz := func(text string) []byte {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
		noError(t, err)
		_, err = io.WriteString(w, text)
		noError(t, errors.Join(err, w.Close()))
		return b.Bytes()
	}

	json := http.Header{"Content-Type": {"application/json"}}
	for name, c := range map[string]struct {
		fault mockserver.Fault
		class client.ErrorClass
		says  string
	}{
		"a portal":              {mockserver.Fault{Body: []byte("<html><title>Please log in</title></html>"), Header: html}, client.ClassNotJSON, "Please log in"},
		"an error inside":       {mockserver.Fault{Body: []byte(`{"error":{"code":"no_export","message":"not for jane.doe@example.com"}}`)}, client.ClassPayload, "no list of records"},
		"an error":              {mockserver.Fault{Status: 400, Body: mockserver.ErrorBody("bad_day", "No such day.")}, client.ClassRejected, ""},
		"not found":             {mockserver.Fault{Status: 404, Body: mockserver.ErrorBody("gone", "gone")}, client.ClassNotFound, ""},
		"a page that is gone":   {mockserver.Fault{Status: 404, Body: []byte("<html>"), Header: html}, client.ClassEndpointNotFound, ""},
		"a redirect":            {mockserver.Fault{Status: 302, Header: http.Header{"Location": {"https://other.example.com/"}}}, client.ClassRedirect, ""},
		"another coding":        {mockserver.Fault{Body: []byte("x"), Header: http.Header{"Content-Encoding": {"br"}}}, client.ClassPayload, "compressed"},
		"a name twice":          {mockserver.Fault{Body: []byte(`{"events":[{"a":1,"a":2}]}`)}, client.ClassPayload, "twice"},
		"invalid text":          {mockserver.Fault{Body: []byte("{\"events\":[{\"a\":\"\xff\"}]}")}, client.ClassPayload, "byte"},
		"a number":              {mockserver.Fault{Body: []byte(`7`)}, client.ClassPayload, "shapes"},
		"a record without end":  {mockserver.Fault{Body: []byte(`["` + strings.Repeat("x", records.LimitRecord+2<<20) + `"]`)}, client.ClassTooLarge, "16 MiB"},
		"a bomb":                {mockserver.Fault{Body: gz(`["` + strings.Repeat("x", records.LimitRecord+2<<20) + `"]`), Header: http.Header{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}}}, client.ClassTooLarge, "16 MiB"},
		"a window of 1 GiB":     {mockserver.Fault{Body: largeWindow, Header: http.Header{"Content-Encoding": {"zstd"}}}, client.ClassPayload, "compressed"},
		"no gzip after all":     {mockserver.Fault{Body: []byte("[] and nothing that is packed"), Header: http.Header{"Content-Encoding": {"gzip"}}}, client.ClassPayload, "compressed"},
		"an error of a part":    {mockserver.Fault{Body: []byte(`{"persons":[],"events":[],"errors":["partial"]}`)}, client.ClassPayload, `wire.export_ignored_members = "errors"`},
		"one page of several":   {mockserver.Fault{Body: []byte(`{"events":[{"id":1}],"hasMore":true}`)}, client.ClassPayload, `wire.export_ignored_members = "hasMore=true"`},
		"lines of another sort": {mockserver.Fault{Body: []byte("id,name\n1,Jane Canary\n"), Header: http.Header{"Content-Type": {"text/plain"}}}, client.ClassPayload, "text/plain"},
		"people by their ids":   {mockserver.Fault{Body: []byte(`{"persons":{"p-1":{"name":"Jane Canary"}},"events":[]}`), Header: http.Header{"Content-Type": {"text/plain"}}}, client.ClassPayload, "text/plain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, cl *client.Client) {
				c.fault.Operation, c.fault.Times = mockserver.OpExportRecords, -1
				if c.fault.Header == nil {
					c.fault.Header = json
				}

				service.Inject(c.fault)
				_, err := export(t.Context(), t, cl, &received{})
				e := wantClass(t, err, c.class)
				if !strings.Contains(e.Detail, c.says) || strings.Contains(e.Error(), "jane.doe") || strings.Contains(e.Error(), "Canary") {
					t.Errorf("it says %q", e.Error())
				}
			}, useSecretKey)
		})
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

// TestExportAnswer_errorInsideIsNoRecord answers the request of each kind with an
// error, which must not become a record of that kind.
func TestExportAnswer_errorInsideIsNoRecord(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, _ *client.Client) {
		service.AllowViolations()
		service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Body: []byte(`{"error":"quota exceeded"}`), Times: -1})
		c := connect(t, service, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.ExportKindParameter = "kind" })
		_, err := export(t.Context(), t, c, &received{})
		if e := wantClass(t, err, client.ClassPayload); e.Status != http.StatusOK {
			t.Errorf("the status is %d", e.Status)
		}
	}, useSecretKey)
}
