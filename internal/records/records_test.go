// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// readText returns the records of a text, each as "kind record".
func readText(text string, o Options) (got []string, res Result, err error) {
	x := NewReader(strings.NewReader(text), o)
	for k, record := range x.All() {
		got = append(got, k.String()+" "+string(record))
	}
	return got, x.Result(), x.Err()
}

// count reads to the end.
func count(r io.Reader) (Result, error) {
	x := NewReader(r, Options{})
	for range x.All() {
	}
	return x.Result(), x.Err()
}

// isRefused reports whether an error says that something is not recognised, for this reason.
func isRefused(err error, reason string) bool {
	refusal, ok := errors.AsType[*answer.Error](err)
	return ok && strings.HasPrefix(refusal.Why, reason)
}

func TestRead_everyShapeOfAnAnswer(t *testing.T) {
	t.Parallel()

	type row struct {
		text    string
		options Options
		want    string // the kinds of the records
		open    bool   // nothing shows that it is complete
	}
	long := strings.Repeat("x", lookahead+1000)
	rows := map[string]row{
		"nothing":                  {text: "", open: true},
		"only a mark":              {text: "\uFEFF", open: true},
		"empty array":              {text: "[]"},
		"empty arrays":             {text: `{"persons":[],"sessions":[],"events":[]}`},
		"nulls":                    {text: `{"persons":null,"sessions":null,"events":null}`},
		"an empty list":            {text: `{"data":{"items":[]}}`},
		"an empty list of its own": {text: `{"loot":[]}`, options: Options{RecordMember: "id"}},
		"in other spellings": {
			text: `{"People":[{"id":"p"}],"session_records":[{"id":"s"}],"EVENT-LIST":[{"id":"e"}]}`,
			want: "person session event",
		},
		"nested": {
			text: "\uFEFF" + ` {"data":{"result":{"persons":[{"id":"p"}],"sessions":[{"id":"s"}]},"events":[{"id":"e"}]}}`,
			want: "person session event",
		},
		"lists inside of kinds": {
			text: `{"persons":{"items":[{"id":"p"}]},"sessions":{"data":{"rows":[{"id":"s"}]}},"events":[{"id":"e"}]}`,
			want: "person session event",
		},
		"counted": {
			text: `{"count":3,"persons":[{"id":"p"}],"sessions":{"total":1,"data":[{"id":"s"}]},"events":[{"id":"e"}],"total_events":1,"@odata.count":3,"sessionCount":1,"numberOfPeople":1}`,
			want: "person session event",
		},
		"beside a kind": {text: `{"events":[{"id":"e"}],"others":[{"type":"person"}]}`, want: "event person"},
		"an array": {
			text: `[{"type":"person"},{"_type":"SESSION"},{"recordType":"EventRecord"},{"id":1,"kind":"people"},{"@type":"Event"},{"ENTITY-TYPE":"sessions"}]`,
			want: "person session event person event session",
		},
		"a clear word": {
			text: `[{"type":"session","recordType":"event","id":1},{"kind":"person","x":{"record":1},"entity_type":"event"},{"type":"session","Record-Kind":"event"},{"type":"session","records":2},{"type":"click","kind":"event"},{"type":"session","kind":"event"}]`,
			want: "event event event session event session",
		},
		"what is ignored": {
			text:    `{"events":[],"next":null,"has_more":false,"errors":[],"warnings":{}}`,
			options: Options{Ignored: []string{"next=null", "hasMore=false", "errors=[]", "warnings={}"}},
		},
		"a word in an escape":                           {text: `[{"t\u0079pe":"\u0065vent"}]`, want: "event"},
		"lines of Windows, with a mark and no last end": {text: "\uFEFF{\"type\":\"person\"}\r\n\r\n{\"type\":\"event\"}", want: "person event", open: true},
		"a long first record named by its only member":  {text: `{"person":{"pad":"` + long + `"}}` + "\n" + `{"event":{}}`, want: "person event", open: true},
		"records with the member that was named": {
			text:    `{"uid":1,"events":[{"n":1}]}` + "\n" + `{"kind":"session","uid":null}`,
			options: Options{RecordMember: "uid"}, want: "unknown session", open: true,
		},
		"the kind that was asked for": {
			text:    `{"data":[{"uid":1},{"type":"event"},{"type":"click","uid":2}],"persons":[]}`,
			options: Options{RecordMember: "uid", Asked: Event}, want: "event event event",
		},
		"numbers and texts as they are": {
			text: `{"events":[{"id":9007199254740993.10e0,"s":"\u00e9\/<&\u2028","cut":"\ud83d","\udc00":1}]}`,
			want: "event",
		},
	}

	// Only the name of their container shows the first one, and most members in common the others.
	const event = `{"eventId":"e-1","identityId":"u-1","name":"opened","at":1,"properties":{}}`
	for list, want := range map[string]string{
		event: "event", event + `,{"eventId":"e-2","name":"opened","extra":1}`: "event event",
		`{"eventId":"e-2","name":"opened"},` + event: "event event",
		`{"id":1},{"id":2,"name":"x"}`:               "event event", `{"id":2,"name":"x"},{"id":1}`: "event event", event + `,{"eventId":"e-2"}`: "event event",
		event + `,{"at":2,"eventId":"e-2","properties":null}`: "event event", event + `,{"recordType":"event"}`: "event event",
	} {
		rows["in a container: "+list] = row{text: `{"events":[` + list + `]}`, want: want}
	}

	for name, c := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, res, err := readText(c.text, c.options)
			if err != nil || res.Closed == c.open || res.Counts.Total() != int64(len(got)) {
				t.Errorf("closed %t, counted %v, error %v", res.Closed, res.Counts, err)
			}

			// The records are parts of the text, one behind the other.
			var kinds []string
			rest := c.text
			for _, each := range got {
				kind, record, _ := strings.Cut(each, " ")
				_, behind, found := strings.Cut(rest, record)
				if kinds, rest = append(kinds, kind), behind; !found || !jsontext.Value(record).IsValid(jsontext.AllowInvalidUTF8(true)) {
					t.Errorf("%s is no record", record)
				}
			}
			if strings.Join(kinds, " ") != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// noRecords are what services end a list with, or put into its place.
var noRecords = []string{
	`{"status":"queued"}`, `{"jobId":7,"status":"queued"}`, `{"jobId":7}`, `{"success":false}`, `{"ok":true}`, `{"done":true}`, `{"eof":1}`,
	`{"count":7}`, `{"summary":{"rows":7}}`, `{"checksum":"abc"}`, `{"downloadUrl":"https://example.com/x"}`, `{"warning":"late data"}`,
	`{"type":"error","detail":"x"}`, `{"type":"end"}`, `{"kind":"EventList","next":"x"}`, `{"exception":"java.io.IOException"}`, `{"heartbeat":1}`,
}

// TestRead_whatIsNoRecordIsRefusedWhereverItStands has no list of bad words to lean on: nothing
// shows that these are records, and a container that a kind names only shows the first one.
func TestRead_whatIsNoRecordIsRefusedWhereverItStands(t *testing.T) {
	t.Parallel()

	const (
		event  = `{"type":"event","id":1}`
		one    = `{"eventId":"e-1","identityId":"u-1","name":"opened","at":1,"properties":{}}`
		sparse = `{"eventId":"e-2","name":"opened","extra":1}`
	)
	for _, no := range append([]string{`{"id":"job-7","status":"queued"}`, `{"id":"err-7","error":"quota exceeded","at":1}`}, noRecords...) {
		texts := []string{
			event + "\n" + no + "\n", no + "\n" + event + "\n", no + "\n", `[` + event + `,` + no + `]`, `[` + no + `]`, `{"data":[` + event + `,` + no + `]}`,
			`{"events":[` + one + `,` + no + `]}`, `{"events":[` + no + `,` + one + `]}`, `{"events":[` + one + `,` + sparse + `,` + no + `,` + one + `]}`,
			`{"data":{"events":{"items":[` + one + `,` + no + `]}}}`, `{"events":[` + one + `],"eventList":[` + no + `]}`,
			`{"events":[{"id":1}],` + no[1:], no[:len(no)-1] + `,"events":[{"id":1}]}`,
		}
		for _, text := range texts {
			for _, asked := range []Kind{Unknown, Event} {
				_, _, err := readText(text, Options{Asked: asked})
				if refusal, ok := errors.AsType[*answer.Error](err); !ok || refusal.Advice == "" {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
	}

	for _, last := range []string{`{}`, `null`, `"done"`, `7`, `[]`, `[` + event + `]`, `{"events":[{"id":1}]}`, `{"persons":{}}`} {
		for _, text := range []string{event + "\n" + last, `[` + event + `,` + last + `]`, `{"data":[` + last + `]}`, `{"events":[` + one + `,` + last + `]}`, `{"events":[` + last + `]}`} {
			if _, _, err := readText(text, Options{}); !isRefused(err, noRecord) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// TestRead_refusedUntilItsAdviceIsFollowed reads answers as real services document them, and
// others. Each is refused, and read once everything is set that the errors advise, unless no
// setting can make it a day.
func TestRead_refusedUntilItsAdviceIsFollowed(t *testing.T) {
	t.Parallel()

	const event, long = `{"events":[{"id":1}]`, "an_unusually_long_name_of_a_field_of_50_characters"
	ofYesterday := Options{Ignored: []string{"next=null", "hasMore=false", "errors=[]", "warnings={}", "events", "persons", long}}
	for name, c := range map[string]struct {
		text   string
		with   Options
		reason string // strangeMember if empty
		names  string // members in the error, with commas between
		member string // for wire.export.record, once an error advises that
		want   Counts
	}{
		"Elasticsearch, a search": {
			text:  `{"took":5,"timed_out":false,"_shards":{"total":2,"successful":1,"skipped":0,"failed":1,"failures":[{"shard":0,"reason":{"type":"x"}}]},"hits":{"total":{"value":1,"relation":"eq"},"max_score":null,"hits":[{"_index":"e","_id":"1","_score":1,"_source":{}}]}}`,
			names: "took,timed_out=false,successful,skipped,failed", member: "_source", want: Counts{Unknown: 1},
		},
		"JSON:API, included": {
			text:   `{"data":[{"type":"events","id":"1"}],"included":[{"type":"authors","id":"9"}]}`,
			reason: noRecord, names: "type,id", want: Counts{Event: 1},
		},
		"OData": {
			text:  `{"@odata.context":"https://example.com/$metadata","@odata.count":1,"value":[{"@type":"event"}],"@odata.nextLink":"https://example.com/2"}`,
			names: "@odata.context", want: Counts{Event: 1},
		},
		"OData, an error in the stream": {text: `{"value":[{"@type":"event"},{"error":{"code":"500","message":"x"}}`, reason: noRecord, names: "error"},
		"GraphQL, no data":              {text: `{"data":null,"errors":[{"message":"x"}]}`, names: "data=null"},
		"GraphQL, a connection":         {text: `{"data":{"events":{"edges":[{"node":{"id":1},"cursor":"x"}],"pageInfo":{"hasNextPage":true}}}}`, reason: noRecord, names: "node,cursor", member: "node", want: Counts{Event: 1}},
		"JSend, fail":                   {text: `{"status":"fail","data":{"utcDate":"A date is required"}}`, reason: noList, names: "status,data"},
		"Kubernetes": {
			text:  `{"kind":"EventList","apiVersion":"v1","metadata":{"continue":""},"items":[{"kind":"Event","metadata":{}}]}`,
			names: "kind,apiVersion,metadata", want: Counts{Event: 1},
		},
		"a kind beside its list": {text: `{"type":"events","data":[{"type":"event"}]}`, names: "type", want: Counts{Event: 1}},
		"CouchDB, changes":       {text: `{"seq":"1-x","id":"a","changes":[{"rev":"1-y"}]}` + "\n" + `{"last_seq":"1-x","pending":0}`, names: "seq,id"},
		"Mixpanel":               {text: `{"event":"Signed up","properties":{}}` + "\n" + `{"event":"x","properties":{}}`, reason: noList, names: "event,properties={}", member: "properties", want: Counts{Unknown: 2}},
		"gRPC, a stream":         {text: `{"result":{"id":1}}` + "\n" + `{"error":{"grpc_code":13,"http_code":500,"message":"x","http_status":"Internal Server Error","details":[]}}`, reason: noList, names: "result"},
		"people by their ids":    {text: `{"persons":{"p-1":{"name":"x"}},"events":[]}`, reason: noList, names: "persons"},
		"a place":                {text: `{"events":"https://example.com/x","persons":[]}`, names: "events"},

		"of every value": {
			text:  `{"tenant":"web","flag":true,"none":null,"no":[],"nothing":{},` + event[1:] + `}`,
			names: "tenant,flag=true,none=null,no=[],nothing={}", want: Counts{Event: 1},
		},
		"beside a list inside":   {text: `{"data":{"page":1,"events":[{"id":1}]},"events":[]}`, names: "page", want: Counts{Event: 1}},
		"a list of its own":      {text: event + `,"devices":[{"serial":2,"made":3}]}`, reason: noRecord, names: "serial,made", want: Counts{Event: 1}},
		"records with nothing":   {text: `[{"id":1,"name":"x"},{"name":"y"}]`, reason: noRecord, names: "id,name", member: "name", want: Counts{Unknown: 2}},
		"lines with nothing":     {text: `{"id":1,"name":"x"}` + "\n" + `{"id":2,"name":"y"}`, reason: noList, names: "id,name", member: "name", want: Counts{Unknown: 2}},
		"lines with a list":      {text: `{"type":"event"}` + "\n" + `{"type":"events","page":1}`, reason: noRecord, names: "type,page"},
		"a record with a list":   {text: `{"id":"p","name":"x","events":[{"id":1},{"id":2}]}`, names: "id,name", want: Counts{Event: 2}},
		"records unlike others":  {text: `{"persons":[{"uid":1,"a":1,"b":1},{"uid":2,"c":1,"d":1}]}`, reason: noRecord, names: "uid,c,d", member: "uid", want: Counts{Person: 2}},
		"records half as others": {text: `{"persons":[{"uid2":1,"a":1},{"uid2":2,"b":1}]}`, reason: noRecord, names: "uid2,b", member: "uid2", want: Counts{Person: 2}},

		// A kind that is asked for has to be recognised all the same.
		"asked for, an array":     {text: `[{"id":1}]`, with: Options{Asked: Event}, reason: noRecord, names: "id", member: "id", want: Counts{Event: 1}},
		"another, of its own":     {text: event + `,"sessions":[{"id":2}]}`, with: Options{Asked: Event}, reason: otherKind},
		"another, an only member": {text: `{"session":{"id":1}}`, with: Options{Asked: Event}, reason: otherKind},
		"another, empty":          {text: `{"data":{"persons":[],"sessions":null}}`, with: Options{Asked: Event}, reason: otherKind},

		// An event may have a type of its own.
		"another than its place":       {text: `{"events":[{"id":1,"type":"session"}]}`, reason: otherKind, names: "type", want: Counts{Event: 1}},
		"another, clearly":             {text: `{"events":[{"type":"click","recordType":"person"}]}`, reason: otherKind, names: "recordType", want: Counts{Event: 1}},
		"another, behind capitals":     {text: `{"events":[{"TYPE":"click","recordType":"person"}]}`, reason: otherKind, names: "recordType", want: Counts{Event: 1}},
		"another in a list inside":     {text: `{"persons":{"items":[{"kind":"event"}]}}`, with: Options{Asked: Person}, reason: otherKind, names: "kind", want: Counts{Person: 1}},
		"another in a list of its own": {text: `{"persons":{"others":[{"kind":"event"}]}}`, reason: otherKind, names: "kind"},

		// What a number counts has to be there, and a number is no count by chance.
		"a count in front": {text: `{"total":0,` + event[1:] + `}`, names: "total", want: Counts{Event: 1}},
		"a count of one":   {text: event + `,"persons":[{"id":1}],"event_count":2}`, names: "event_count", want: Counts{Event: 1, Person: 1}},
		"a count inside":   {text: `{"data":{"count":2,` + event[1:] + `},"persons":[{"id":1}]}`, names: "count", want: Counts{Event: 1, Person: 1}},
		"a count of none":  {text: `{"persons":[{"id":1}],"events":300}`, names: "events"},
		"a page":           {text: event + `,"page":1}`, names: "page", want: Counts{Event: 1}},

		// What said nothing on the day before says something, or is another member.
		"a page with a next":  {text: event + `,"next":"x"}`, with: ofYesterday, names: "next", want: Counts{Event: 1}},
		"an error":            {text: event + `,"errors":["x"]}`, with: ofYesterday, reason: noRecord, want: Counts{Event: 1}},
		"a longer name":       {text: event + `,"` + long + `b":1}`, with: ofYesterday, names: long + "b"},
		"persons are not out": {text: event + `,"persons":{"items":["x"]}}`, with: ofYesterday, reason: noRecord},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			o := c.with
			_, res, err := readText(c.text, o)
			refusal, _ := errors.AsType[*answer.Error](err)
			reason := cmp.Or(c.reason, strangeMember)
			if !isRefused(err, reason) || reason == strangeMember && strings.Join(refusal.Beside, ",") != c.names {
				t.Fatalf("%v", err)
			}
			if names := strings.Split(c.names, ","); c.names != "" && !strings.Contains(refusal.Error(), answer.Shown(names)) {
				t.Errorf("%v does not name %q", err, names)
			}

			leftOut := regexp.MustCompile(`wire.ignored = { "/(\S+)" = "\*" } leaves it out`)
			for range 9 {
				if err == nil || c.want.Total() == 0 {
					break
				}
				if refusal, _ = errors.AsType[*answer.Error](err); refusal == nil {
					t.Fatal(err)
				}

				if list := leftOut.FindStringSubmatch(refusal.Advice); len(refusal.Beside) > 0 {
					o.Ignored = append(slices.Clone(o.Ignored), refusal.Beside...)
				} else if c.member != "" && o.RecordMember == "" && strings.Contains(refusal.Advice, namesMember) {
					o.RecordMember = c.member
				} else if list != nil {
					o.Ignored = append(slices.Clone(o.Ignored), list[1])
				}
				_, res, err = readText(c.text, o)
			}
			if c.want.Total() > 0 && (err != nil || res.Counts != c.want) {
				t.Errorf("with %+v: %v, %v", o, res, err)
			}
		})
	}
}

// TestRead_errorSaysWhere shows names of members too, unless they may be a person.
func TestRead_errorSaysWhere(t *testing.T) {
	t.Parallel()
	_, _, err := readText(`{"events":[{"id":1}],"devices":[{"serial":2,"made":3}]}`, Options{})
	for _, part := range []string{"record 2", `"devices"`, "byte 32", `"serial", "made"`, `wire.ignored = { "/devices" = "*" }`} {
		if !strings.Contains(fmt.Sprint(err), part) {
			t.Errorf("%v does not say %s", err, part)
		}
	}

	for _, text := range []string{
		`[{"jane.doe@example.com":1}]`, `{"jane.doe@example.com":{"name":"x"}}`, `{"events":[],"jane.doe@example.com":1}`,
		`{"jane.doe@example.com":[{"id":1}]}`, `{"events":[{"type":"person","jane.doe@example.com":1}]}`, `{"person":"jane.doe@example.com"}`,
	} {
		if _, _, err := readText(text, Options{}); err == nil || strings.Contains(err.Error(), "jane") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRead_incompleteOrInvalidAnswerIsAnError(t *testing.T) {
	t.Parallel()

	var members strings.Builder
	for i := range LimitMembers {
		fmt.Fprintf(&members, `,"m%d":%d`, i, i)
	}
	for text, want := range map[string]error{
		`[{"type":"event"}`:                              ErrTruncated,
		`{"events":[{"id":1}]`:                           ErrTruncated,
		`{"events":[{"id":1}],"x`:                        ErrTruncated,
		`{"type":"event"}` + "\n{":                       ErrTruncated,
		`{"event":{"id":1,"tags":["x",`:                  ErrTruncated,
		`[{"type":"event"},]`:                            ErrSyntax,
		`{"events":[{"id":1}{"id":2}]}`:                  ErrSyntax,
		`{"events":[{"id":1}],}`:                         ErrSyntax,
		"[{\"type\":\"event\",\"a\":\"\xff\"}]":          ErrUTF8,
		`[{"a":1,"a":2}]`:                                ErrRepeatedName,
		`{"events":[],"events":[]}`:                      ErrRepeatedName,
		`{"type":"event"}` + "\n]":                       ErrSyntax,
		`"events"`:                                       ErrShape,
		`[]7`:                                            ErrFollowed,
		`{"events":[]}` + "\n" + `{"events":[{"id":1}]}`: ErrFollowed,
		`<html></html>`:                                  ErrShape,
		`[` + strings.Repeat("[", 20_000):                ErrSyntax,
		`{"events":[]` + members.String() + `}`:          ErrShape,
	} {
		if _, _, err := readText(text, Options{}); !errors.Is(err, want) {
			t.Errorf("%.60q: %v, not %v", text, err, want)
		}
	}
}

func TestRead_tooLargeAnswerIsAnError(t *testing.T) {
	t.Parallel()
	const half = LimitRecord/2 + lookahead
	for name, parts := range soak.SomeOf(1, map[string][3]string{
		"a record": {`["`, strings.Repeat("x", half), `"]`}, "a record by two bytes": {`["`, strings.Repeat("x", LimitRecord/2), `"]`},
		"between two": {`[`, strings.Repeat(" ", half), `1]`}, "a line": {"{\"type\":\"event\"}\n{\"a\":\"", strings.Repeat("x", half), `"}`},
	}) {
		text := io.MultiReader(strings.NewReader(parts[0]), strings.NewReader(parts[1]), strings.NewReader(parts[1]), strings.NewReader(parts[2]))
		if _, err := count(text); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRead_invalidUTF8IsReplacedAndCountedOnRequest(t *testing.T) {
	t.Parallel()
	const text = "[{\"type\":\"event\",\"a\":\"x\xffy\"},{\"type\":\"event\"},{\"type\":\"event\",\"a\":\"\xc3\",\"b\":\"\xe2\x82\"}]"
	got, res, err := readText(text, Options{ReplaceInvalid: true})
	want := []string{"event {\"type\":\"event\",\"a\":\"x\uFFFDy\"}", `event {"type":"event"}`, "event {\"type\":\"event\",\"a\":\"\uFFFD\",\"b\":\"\uFFFD\uFFFD\"}"}
	if err != nil || !slices.Equal(got, want) || res.Mended != 2 {
		t.Errorf("%v, %d records: %q", err, res.Mended, got)
	}

	// Names that differ still do, so that no record has one twice.
	got, _, err = readText("[{\"type\":\"event\",\"\xff\":1,\"\xff\xfe\":2}]", Options{ReplaceInvalid: true})
	if err != nil || !slices.Equal(got, []string{"event {\"type\":\"event\",\"\uFFFD\":1,\"\uFFFD\uFFFD\":2}"}) {
		t.Errorf("%v: %q", err, got)
	}

	_, _, err = readText("\uFEFF"+text, Options{})
	if !errors.Is(err, ErrUTF8) || !strings.Contains(err.Error(), "in the record at byte 4") {
		t.Errorf("without the setting: %v", err)
	}
}

func TestRead_errorOfTheTextIsPassedOnAndALoopMayEndEarly(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, text := range []string{"", " ", `[{"type":"event"},`, `[{"type":"event"}]`, "{\"type\":\"event\"}\n", `{"events":[`, `{"events":[]}`, `{"events":[],"x":"`} {
		for _, reader := range []io.Reader{iotest.ErrReader(broken), iotest.ErrReader(io.ErrUnexpectedEOF)} {
			_, want := reader.Read(nil)
			_, err := count(io.MultiReader(strings.NewReader(text), reader))
			if err != want { //nolint:errorlint // exactly as it is
				t.Errorf("%q: %v", text, err)
			}
		}
	}

	for _, text := range []string{`[{"type":"event"},7]`, "{\"type\":\"event\"}\n7\n", `{"data":{"x":[{"type":"event"},7]}}`} {
		x := NewReader(strings.NewReader(text), Options{})
		for range x.All() {
			break
		}
		if x.Err() != nil || x.Result().Counts.Total() != 1 {
			t.Errorf("%q: %v, %v", text, x.Err(), x.Result())
		}
	}
}

// TestRead_largeRecordsTakeLittleMemory reads records of nearly 16 MiB, and checks that
// all allocations together, garbage included, stay below 72 MiB, however many they are. With
// the race detector, records and bound are smaller.
func TestRead_largeRecordsTakeLittleMemory(t *testing.T) { //nolint:paralleltest // measures the memory of the process
	record := append(append([]byte(`{"type":"event","pad":"`), bytes.Repeat([]byte("x"), soak.Raced(4, 15)<<20)...), "\"}\n"...)
	list := make([]io.Reader, soak.Size(2, 20))
	for i := range list {
		list[i] = bytes.NewReader(record)
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := count(io.MultiReader(list...))
	runtime.ReadMemStats(&after)
	if err != nil || res.Counts.Of(Event) != int64(len(list)) {
		t.Errorf("%v, %v", res, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > uint64(soak.Raced(24, 72))<<20 {
		t.Errorf("%d MiB were allocated", grown>>20)
	}
}

// FuzzRead checks that no answer makes Read panic, that the records it passes on are
// valid and counted, and that reading byte by byte makes no difference.
func FuzzRead(f *testing.F) {
	for _, text := range append(noRecords,
		"", "[]", `{"events":[{"id":1}],"x":[{}]}`, "{\"type\":\"event\"}\n{\"kind\":\"person\"}\r\n", `{"data":{"people":[{"id":1}]},"count":1}`,
		"\uFEFF[{\"type\":\"session\"}]", `{"events":{"data":[{}]}}`, `[{"a":1,"a":2}]`, "[{\"id\":\"\xff\"}]", `{"event":{"id":1}}`, `[[[`, `{"`, `{"kind":`,
	) {
		f.Add([]byte(text), uint8(0))
	}

	f.Fuzz(func(t *testing.T, text []byte, how uint8) {
		o := Options{Asked: Kind(how % 4), ReplaceInvalid: how&4 > 0}
		if how&8 > 0 {
			o.RecordMember = "id"
		}
		if how&16 > 0 {
			o.Ignored = []string{"next", "x=null"}
		}

		read := func(r io.Reader) (string, Result, error) {
			var b bytes.Buffer
			var counts Counts
			x := NewReader(r, o)
			for k, record := range x.All() {
				if !record.IsValid(jsontext.AllowInvalidUTF8(true)) || record.Kind() != '{' {
					t.Errorf("yielded: %q", record)
				}
				counts[k]++
				fmt.Fprintln(&b, k, string(record))
			}
			if x.Result().Counts != counts {
				t.Errorf("counted are %v, yielded %v", x.Result().Counts, counts)
			}

			return b.String(), x.Result(), x.Err()
		}

		whole, res, err := read(bytes.NewReader(text))
		bytewise, again, err2 := read(iotest.OneByteReader(bytes.NewReader(text)))
		if fmt.Sprint(err) != fmt.Sprint(err2) || res != again || whole != bytewise {
			t.Errorf("in one: %v %v %q; bytewise: %v %v %q", res, err, whole, again, err2, bytewise)
		}
	})
}

// BenchmarkRead reads answers with many records.
func BenchmarkRead(b *testing.B) {
	const many = 50_000
	textOf := func(begin, between, end string) []byte {
		var text []string
		for i := range many {
			text = append(text, fmt.Sprintf(`{"type":"event","id":"evt-%08d","sessionId":"ses-%07d","identityId":"user-%06d@example.com",`+
				`"name":"button.clicked","timestamp":"2026-03-01T12:%02d:%02d.123Z",`+
				`"properties":{"path":"/settings/%d","title":"Caf\u00e9 – settings","duration_ms":%d,"flags":[true,false,null],`+
				`"nested":{"a":1.5,"b":"text with \"quotes\" inside","c":{"d":"e"}}},"context":{"browser":"Firefox 140","os":"Linux"}}`,
				i, i/20, i/100, i%60, i/60%60, i, i%10000))
		}

		return []byte(begin + strings.Join(text, between) + end)
	}

	object := textOf(`{"events":[`, ",", "]}")
	for name, text := range map[string][]byte{
		"object": object, "array": textOf("[", ",", "]"), "lines": textOf("", "\n", "\n"),
		"object-no-kind": bytes.ReplaceAll(object, []byte(`"type":"event",`), nil),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()

			for b.Loop() {
				if res, err := count(bytes.NewReader(text)); err != nil || res.Counts.Total() != many {
					b.Fatal(res, err)
				}
			}
		})
	}
}
