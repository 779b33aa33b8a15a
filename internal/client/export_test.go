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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

const exportDay = "2026-03-01"

// received keeps what an export hands on.
type received struct {
	records  []string
	restarts int
	refuse   error
}

func (r *received) Restart() error {
	r.records = nil
	r.restarts++
	return nil
}

func (r *received) Record(k records.Kind, record jsontext.Value) error {
	r.records = append(r.records, k.String()+" "+string(record))
	return r.refuse
}

// export exports the day.
func export(ctx context.Context, t *testing.T, c *client.Client, into client.ExportSink, kinds ...records.Kind) (client.ExportResult, error) {
	t.Helper()
	day, err := client.ParseDay(exportDay)
	noError(t, err)
	return c.Export(ctx, scope, client.ExportQuery{Day: day, Kinds: kinds}, into)
}

var threeRecords = []string{`person {"id":"p"}`, `session {"id":"s"}`, `event {"id":"e"}`}

// putDay puts a person, a session and an event.
func putDay(service *mocktest.Instance) {
	service.PutExport(serverScope, exportDay, mockserver.ExportDay{
		Persons: []any{map[string]any{"id": "p"}}, Sessions: []any{map[string]any{"id": "s"}}, Events: []any{map[string]any{"id": "e"}},
	})
}

func TestAnExportIsReadInEveryShapeAndCoding(t *testing.T) {
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
					service.AllowViolations() // the contract's JSON has none
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

func TestLinesAreReadWhereTheTransportShowsTheirEnd(t *testing.T) {
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
					e := wantKind(t, err, client.ClassTruncated)
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

func TestADayWithoutRecordsIsNoError(t *testing.T) {
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

func TestOnlyTheKindsThatAreAskedForAreHandedOnAndWhatIsUnknown(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutExport(serverScope, exportDay, mockserver.ExportDay{Persons: []any{map[string]any{"id": "p"}}, Events: []any{map[string]any{"id": "e"}}, Others: []any{map[string]any{"id": "x"}}})
		var got received
		counts, err := export(t.Context(), t, c, &got, records.Event)
		noError(t, err)
		if diff := cmp.Diff([]string{`event {"id":"e"}`, `unknown {"id":"x"}`}, got.records); diff != "" || counts.Counts.Total() != 2 {
			t.Errorf("counted are %v (-want +got):\n%s", counts, diff)
		}
	}, useSecretKey)
}

func TestEachKindIsARequestWhereAParameterChoosesIt(t *testing.T) {
	t.Parallel()
	withParameter := func(values string) option {
		return func(_ *mocktest.Instance, cfg *client.Config) {
			cfg.Wire.ExportKindParameter, cfg.Wire.ExportKindValues = "kind", values
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
	// A service that does not know the parameter answers everything each time.
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t)
		service.AllowViolations()
		putDay(service)
		_, err := export(t.Context(), t, connect(t, service, useSecretKey, withParameter("")), &received{})
		e := wantKind(t, err, client.ClassPayload)
		if !strings.Contains(e.Detail, "wire.export_kind_parameter") {
			t.Errorf("the detail is %q", e.Detail)
		}
	})
}

func TestAnExportThatBreaksOffBeginsAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockserver.Fault{
		"cut short of its length":      {Cut: mockserver.CutBody, CutAt: -1},
		"cut in its first bytes":       {Cut: mockserver.CutBody, CutAt: 1},
		"cut between chunks":           {Cut: mockserver.CutChunked, CutAt: -20},
		"closed without a length":      {Cut: mockserver.CutCloseDelimited, CutAt: -1},
		"stalled":                      {Cut: mockserver.CutStall, CutAt: 30},
		"a reset":                      {Cut: mockserver.CutAfterCommit},
		"a 503":                        {Status: 503, Body: []byte(`{}`)},
		"JSON that ends in the middle": {Body: []byte(`{"persons":[{"id"`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				putDay(service)
				fault.Operation, fault.Times = mockserver.OpExportRecords, 2
				service.Inject(fault)
				var got received
				counts, err := export(t.Context(), t, c, &got)
				noError(t, err)
				if diff := cmp.Diff(threeRecords, got.records); diff != "" || counts.Counts.Total() != 3 {
					t.Errorf("counted are %v (-want +got):\n%s", counts, diff)
				}
				wantCount(t, service, mockserver.OpExportRecords, 3)
			}, useSecretKey)
		})
	}
}

func TestAnExportThatBreaksOffForEverIsAnError(t *testing.T) {
	t.Parallel()
	for cut, kind := range map[mockserver.Cut]client.ErrorClass{
		mockserver.CutBody: client.ClassConnectionLost, mockserver.CutStall: client.ClassTimeout, mockserver.CutCloseDelimited: client.ClassTruncated,
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			putDay(service)
			service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Times: -1, Cut: cut, CutAt: -1})
			_, err := export(t.Context(), t, c, &received{})
			e := wantKind(t, err, kind)
			if e.Attempts != 1+client.DefaultMaxRetries || e.Status != http.StatusOK {
				t.Errorf("%d attempts, status %d", e.Attempts, e.Status)
			}
			wantCount(t, service, mockserver.OpExportRecords, 1+client.DefaultMaxRetries)
		}, useSecretKey)
	}
}

func TestAnExportMayTakeAnyTimeAsLongAsSomethingComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t, func(s *mockserver.Server) {
			s.Wrap = func(http.Handler) http.Handler { return http.HandlerFunc(trickle) }
		})
		c := connect(t, service, useSecretKey)
		began := time.Now()
		got, err := export(t.Context(), t, c, &received{})
		noError(t, err)
		if took := time.Since(began); got.Counts.Of(records.Event) != 20 || took < 20*25*time.Second {
			t.Errorf("%v in %v", got, took)
		}
	})
}

// trickle sends a record of 40 kB, and is silent for less than request_timeout, again
// and again: slow, and above the floor of the rate.
func trickle(w http.ResponseWriter, _ *http.Request) {
	for range 20 {
		_, _ = io.WriteString(w, `{"type":"event","pad":"`+strings.Repeat("x", 40_000)+`"}`+"\n")
		_ = http.NewResponseController(w).Flush()
		<-time.After(25 * time.Second) // in virtual time
	}
}

func TestWhatIsNoExportIsAnError(t *testing.T) {
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
		kind  client.ErrorClass
		says  string
	}{
		"a portal":              {mockserver.Fault{Body: []byte("<html><title>Please log in</title></html>"), Header: html}, client.ClassNotJSON, "Please log in"},
		"an error inside":       {mockserver.Fault{Body: []byte(`{"error":{"code":"no_export","message":"not for jane.doe@example.com"}}`)}, client.ClassRejected, ""},
		"an error":              {mockserver.Fault{Status: 400, Body: mockserver.ErrorBody("bad_day", "No such day.")}, client.ClassRejected, ""},
		"not found":             {mockserver.Fault{Status: 404, Body: mockserver.ErrorBody("gone", "gone")}, client.ClassNotFound, ""},
		"a page that is gone":   {mockserver.Fault{Status: 404, Body: []byte("<html>"), Header: html}, client.ClassEndpointNotFound, ""},
		"a redirect":            {mockserver.Fault{Status: 302, Header: http.Header{"Location": {"https://other.example.com/"}}}, client.ClassRedirect, ""},
		"another coding":        {mockserver.Fault{Body: []byte("x"), Header: http.Header{"Content-Encoding": {"br"}}}, client.ClassPayload, "compressed"},
		"a name twice":          {mockserver.Fault{Body: []byte(`{"events":[{"a":1,"a":2}]}`)}, client.ClassPayload, "twice"},
		"invalid text":          {mockserver.Fault{Body: []byte("{\"events\":[\"\xff\"]}")}, client.ClassPayload, "byte"},
		"a number":              {mockserver.Fault{Body: []byte(`7`)}, client.ClassPayload, "shapes"},
		"a record without end":  {mockserver.Fault{Body: []byte(`["` + strings.Repeat("x", records.LimitRecord+2<<20) + `"]`)}, client.ClassTooLarge, "16 MiB"},
		"a bomb":                {mockserver.Fault{Body: gz(`["` + strings.Repeat("x", records.LimitRecord+2<<20) + `"]`), Header: http.Header{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}}}, client.ClassTooLarge, "16 MiB"},
		"a window of 1 GiB":     {mockserver.Fault{Body: largeWindow, Header: http.Header{"Content-Encoding": {"zstd"}}}, client.ClassPayload, "compressed"},
		"no gzip after all":     {mockserver.Fault{Body: []byte("[] and nothing that is packed"), Header: http.Header{"Content-Encoding": {"gzip"}}}, client.ClassPayload, "compressed"},
		"an error of a part":    {mockserver.Fault{Body: []byte(`{"persons":[],"events":[],"errors":["partial"]}`)}, client.ClassRejected, "failed"},
		"one page of several":   {mockserver.Fault{Body: []byte(`{"events":[{"id":1}],"hasMore":true}`)}, client.ClassPayload, "there is more"},
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
				e := wantKind(t, err, c.kind)
				if !strings.Contains(e.Detail, c.says) || strings.Contains(e.Error(), "jane.doe") || strings.Contains(e.Error(), "Canary") {
					t.Errorf("it says %q", e.Error())
				}
			}, useSecretKey)
		})
	}
}

// largeWindow is a frame of zstd (RFC 8878) that asks its reader for a window of 1 GiB
// and has three bytes in one block.
var largeWindow = []byte{
	0x28, 0xB5, 0x2F, 0xFD, // magic number
	0x00,           // the size of the content is not given
	(30 - 10) << 3, // the window has 1 << 30 bytes
	3<<3 | 1, 0, 0, // the last block, not compressed, of three bytes
	'[', '1', ']',
}

// TestAnErrorInsideIsNoRecordOfTheKindThatWasAskedFor answers each kind's request with
// an object that is no record.
func TestAnErrorInsideIsNoRecordOfTheKindThatWasAskedFor(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, _ *client.Client) {
		service.AllowViolations()
		service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Body: []byte(`{"error":"quota exceeded"}`), Times: -1})
		c := connect(t, service, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Wire.ExportKindParameter = "kind" })
		_, err := export(t.Context(), t, c, &received{})
		if e := wantKind(t, err, client.ClassRejected); e.Status != http.StatusOK {
			t.Errorf("the status is %d", e.Status)
		}
	}, useSecretKey)
}

func TestAnEmptyAnswerIsEmptyWhateverItsCoding(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusNoContent} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Status: status, Header: http.Header{"Content-Encoding": {"gzip"}}})
			got, err := export(t.Context(), t, c, &received{})
			noError(t, err)
			if got.Counts.Total() != 0 {
				t.Errorf("counted are %v", got)
			}
		}, useSecretKey)
	}
}

func TestTheErrorOfASinkEndsAnExportAndComesBackAsItIs(t *testing.T) {
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

func TestAnExportThatIsCancelledEndsAtOnce(t *testing.T) {
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
				ended := make(chan time.Time)
				go func() {
					_, err := export(ctx, t, c, &received{})
					if err == nil {
						t.Error("no error")
					}
					ended <- time.Now()
				}()
				<-time.After(40 * time.Millisecond) // in virtual time
				synctest.Wait()
				now := time.Now()
				cancel()
				if took := (<-ended).Sub(now); took > 50*time.Millisecond {
					t.Errorf("it took %v", took)
				}
			}, useSecretKey)
		})
	}
}

func TestAnAccountHasNoExport(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		_, err := c.Export(t.Context(), client.Scope{AccountID: "acct-1"}, client.ExportQuery{}, &received{})
		e := wantKind(t, err, client.ClassInvalid)
		if !strings.Contains(e.Detail, "org_id and project_id") {
			t.Errorf("it says %q", e.Detail)
		}
		wantCount(t, service, "", 0)
	})
}

func FuzzParseDay(f *testing.F) {
	for _, text := range []string{"2026-02-28", "2026-02-30", "2026-2-3", "today", "", "2026-03-01T00:00:00Z", "0000-01-01", "２０２６-01-01"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		day, err := client.ParseDay(text)
		if err != nil {
			return
		}
		if len(text) != 10 || client.FormatDay(day) != text || day.Location() != time.UTC {
			t.Errorf("%q is %v", text, day)
		}
	})
}

func TestKindValuesOfTheWireAreThreeAndDifferent(t *testing.T) {
	t.Parallel()
	for values, ok := range map[string]bool{"": true, "P,S,E": true, " a , b , c ": true, "a,b": false, "a,b,c,d": false, "a,a,b": false, "a,,b": false, "a, ,b": false} {
		if err := (client.Wire{ExportKindValues: values}).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", values, err)
		}
	}
}

// counts is a sink that keeps nothing.
type counts struct{}

func (counts) Restart() error                            { return nil }
func (counts) Record(records.Kind, jsontext.Value) error { return nil }

// BenchmarkExport is what a day of 20,000 events costs the client, over a real
// connection.
func BenchmarkExport(b *testing.B) {
	for _, shape := range []string{mockserver.ExportObject, mockserver.ExportNDJSON} {
		b.Run(shape, func(b *testing.B) {
			service := &mockserver.Server{ExportRecords: 20_000, Export: mockserver.ExportAnswer{Shape: shape}, DiscardLog: true}
			service.AddSecretKey("key")
			listening, err := service.Listen(b.Context(), "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = listening.Stop() }()
			c, err := client.New(client.Config{BaseURL: listening.URL, Credentials: client.Credentials{APISecretKey: "key"}})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			day, _ := client.ParseDay(exportDay)
			b.ReportAllocs()
			for b.Loop() {
				got, err := c.Export(b.Context(), scope, client.ExportQuery{Day: day}, counts{})
				if err != nil || got.Counts.Of(records.Event) != 20_000 {
					b.Fatal(strconv.FormatInt(got.Counts.Total(), 10), err)
				}
			}
			b.SetBytes(9_040_000)
		})
	}
}
