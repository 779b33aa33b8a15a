// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

func readText(text string, o Options) (got []string, res Result, err error) {
	return readAll(strings.NewReader(text), o)
}

func readAll(r io.Reader, o Options) (got []string, res Result, err error) {
	x := NewReader(r, o)
	for k, record := range x.All() {
		got = append(got, k.String()+" "+string(record))
	}
	return got, x.Result, x.Err
}

// count reads to the end.
func count(r io.Reader, o Options) (Result, error) {
	x := NewReader(r, o)
	for range x.All() {
	}
	return x.Result, x.Err
}

// isRefused reports whether an error says that something is not recognised, and advises this.
func isRefused(err error, advice string) bool {
	_, ok := errors.AsType[*decode.Error](err)
	return ok && strings.Contains(err.Error(), advice)
}

// only are options that want one kind, and eventsAt those that tell where its records are.
func only(kind Kind) Options { return Options{Wanted: []Kind{kind}} }

func eventsAt(at jsontext.Pointer) Options {
	return Options{Map: Map{At: map[string]jsontext.Pointer{"events": at}}, Wanted: []Kind{Event}}
}

// ignoring are options that want events, and have something around them ignored.
func ignoring(at jsontext.Pointer, value string) Options {
	return Options{Envelope: decode.Envelope{Ignored: map[jsontext.Pointer]string{at: value}}, Wanted: []Kind{Event}}
}

func TestReader_everyShapeOfADay(t *testing.T) {
	t.Parallel()

	const event = `{"type":"event","id":1}`
	ofEvents := only(Event)
	for name, c := range map[string]struct {
		text    string
		options Options
		want    string // the kinds of the records
		open    bool   // nothing shows that it is complete
	}{
		"nothing, as lines":      {text: "", options: Options{IsLines: true}, open: true},
		"nothing, as it is told": {text: " \n", options: Options{Map: Map{Empty: true}}, open: true},
		"a link to another page": {text: `{"persons":[],"sessions":[],"events":[{"id":1}],"links":{"next":"x","prev":"y"}}`, options: Options{Map: Map{Next: "/links/next"}}, want: "event"},

		"in other spellings":    {text: `{"People":[{"id":"p"}],"session_records":[{"Id":"s"}],"EVENT":[{"uuid":"e"}]}`, want: "person session event"},
		"nested":                {text: "\uFEFF" + ` {"data":{"result":{"persons":[{"id":"p"}],"sessions":[{"id":"s"}]},"events":[{"id":"e"}]}}`, want: "person session event"},
		"lists inside of kinds": {text: `{"persons":{"items":[{"id":"p"}]},"sessions":{"data":{"rows":[{"id":"s"}]}},"events":[]}`, want: "person session"},
		"beside what is empty":  {text: `{"events":[{"id":"e"}],"errors":[],"page":{"of":[]}}`, options: ofEvents, want: "event"},
		"counted":               {text: `{"count":3,"persons":[{"id":"p"}],"sessions":{"total":1,"data":[{"id":"s"}]},"events":[{"id":"e"}],"@odata.count":3}`, want: "person session event"},

		"an array":        {text: `[{"type":"person","id":1},{"kind":"SESSION","id":1},{"recordType":"EventRecord","id":1},{"id":2,"Kind":"people","type":"x"}]`, want: "person session event person"},
		"groups":          {text: `[{"type":"person","records":[{"id":1}]},{"type":"event","items":[{"id":1},{"id":2}],"count":2}]`, want: "person event event"},
		"groups as lines": {text: `{"type":"person","records":[{"id":1}]}` + "\n" + `{"kind":"event","items":[{"id":1}]}`, want: "person event", open: true},
		"the kind asked for": {
			text: `{"data":[{"uid":1},{"type":"event","uid":1},{"type":"click","uid":2}]}`, options: Options{Map: Map{Record: map[string]jsontext.Pointer{"events": "/uid"}}, Asked: Event}, want: "event event event",
		},
		"a word in an escape": {text: `[{"t\u0079pe":"\u0065vent","id":1}]`, want: "event"},

		"lines of Windows, with a mark and no last end": {text: "\uFEFF{\"type\":\"person\",\"id\":1}\r\n\r\n" + event, want: "person event", open: true},
		"one line, as it is told":                       {text: event, options: Options{Map: Map{Lines: true}}, want: "event", open: true},

		"an array that is told":    {text: `[{"id":1},{"id":2}]`, options: eventsAt(""), want: "event event"},
		"an envelope that is told": {text: `{"payload":[` + event + `],"ok":true}`, options: Options{Envelope: decode.Envelope{At: "/payload", Ignored: map[jsontext.Pointer]string{"/ok": "true"}}}, want: "event"},
		"a list that is told in it": {
			text: `{"payload":{"hits":[{"id":1}]}}`, options: Options{Map: Map{At: map[string]jsontext.Pointer{"events": "/hits"}}, Envelope: decode.Envelope{At: "/payload"}}, want: "event",
		},
		"a value that is ignored": {text: `{"events":[{"id":1}],"meta":{"more":false},"errors":[]}`, options: ignoring("/meta/more", "false"), want: "event"},
		"a list that is ignored":  {text: `{"events":[{"id":1}],"tips":[{"x":1}]}`, options: ignoring("/tips", decode.AnyValue), want: "event"},

		"records with fields of their own": {
			text: `{"events":[{"id":1,"error":"none","next":"/2","status":"done"},{"id":2,"error":{"code":7},"status":"failed","has_more":true}]}`, options: ofEvents, want: "event event",
		},
		"numbers and texts as they are": {text: `{"events":[{"id":9007199254740993.10e0,"s":"\u00e9\/<&\u2028","cut":"\ud83d","\udc00":1}]}`, options: ofEvents, want: "event"},
	} {
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
					t.Errorf("%s is not a record", record)
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
	`{"id":"cursor-abc"}`, `{"error":"backend timeout"}`, `{"type":"event","error":"backend timeout"}`, `{"id":"job-7","status":"queued"}`, `{"id":"err-7","error":"quota exceeded"}`,
	`{}`, `null`, `"done"`, `7`, `[]`, `{"persons":{}}`, `{"kind":"event","items":[],"next":"/2"}`, `{"type":"event","id":"","name":"x"}`, `{"type":"event","":7,"name":"x"}`,
}

// TestReader_whatIsNoRecordIsRefusedWhereverItStands has no list of bad words to lean on: a record
// has a member that identifies it, and another one in common with the first of its kind.
func TestReader_whatIsNoRecordIsRefusedWhereverItStands(t *testing.T) {
	t.Parallel()

	const one, sparse = `{"type":"event","id":1,"name":"opened","at":1}`, `{"type":"event","id":2,"name":"closed","extra":1}`
	for _, no := range noRecords {
		texts := []string{
			one + "\n" + no + "\n", `[` + one + `,` + no + `]`, `{"data":[` + one + `,` + no + `]}`, `{"events":[` + one + `,` + sparse + `,` + no + `,` + one + `]}`,
			`{"data":{"events":{"items":[` + one + `,` + no + `]}}}`, `{"events":[` + one + `],"event_records":[` + no + `]}`,
			strings.Repeat(one+"\n", sampled+1) + no + "\n",
		}
		if !strings.Contains(no, `"id"`) { // which may be the first one
			texts = append(texts, no+"\n"+one+"\n", no+"\n", `[`+no+`]`, `{"events":[`+no+`,`+one+`]}`, `{"events":[`+no+`]}`)
		}
		for _, text := range texts {
			for _, o := range []Options{only(Event), {Asked: Event}} {
				if no == `[]` && text == no+"\n" {
					continue // an empty day
				}
				if _, _, err := readText(text, o); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s, %v: %v", text, o.Asked, err)
				}
			}
		}
	}
}

// TestReader_oneObjectIsAnEnvelope has what passed for a day of one record.
func TestReader_oneObjectIsAnEnvelope(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"session":{"state":"expired"}}`, `{"person":{"error":"not found"}}`, `{"type":"event","error":"backend timeout"}`, `{"type":"event","id":1}`,
		`{"event":{"id":1}}`, `{"kind":"Event","items":[{"id":1}],"next":"/p2"}`, `{"events":[{"id":1}],"has_more":true}`, `{"error":"timeout","events":[{"id":1}]}`,
		`{"events":[{"id":1}],"total":2}`, `{"data":{"total":2,"events":[{"id":1}]},"persons":[{"id":1}]}`, `{"data":null,"errors":[{"message":"x"}]}`, `{"events":"https://example.com/x"}`, `{"events":{"e-1":{"id":1}}}`, `[{"items":[]}]`,
	} {
		for _, o := range []Options{only(Event), {Asked: Event}} {
			got, _, err := readText(text, o)
			isLate := strings.HasPrefix(text, `{"error"`) && len(got) > 0 // after records that may take hours
			if !isRefused(err, "") || isLate {
				t.Errorf("%s: %v, behind %q", text, err, got)
			}
		}
	}
}

// TestReader_refusalNamesWhatAdmits reads answers that are refused, and again with what the error
// advises.
func TestReader_refusalNamesWhatAdmits(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		text   string
		with   Options
		advice string
		then   Options
		want   Counts
	}{
		"nothing":               {text: "", with: Options{Wanted: Kinds}, advice: "wire.export.empty = true", then: Options{Map: Map{Empty: true}}},
		"a line":                {text: `{"type":"event","id":1}`, advice: "wire.export.lines = true", then: Options{Map: Map{Lines: true}}, want: Counts{Event: 1}},
		"some kinds, empty":     {text: `{"persons":[]}`, with: Options{Map: Map{Empty: true}, Wanted: Kinds}, advice: `if your service exports nothing else, kinds = ["persons"]`, then: Options{Map: Map{Empty: true}, Wanted: []Kind{Person}}},
		"some kinds":            {text: `{"persons":[{"id":1}]}`, with: Options{Wanted: Kinds}, advice: `kinds = ["persons"]`, then: only(Person), want: Counts{Person: 1}},
		"a list of its own":     {text: `{"hits":[{"type":"event","id":1}]}`, with: only(Event), advice: `"/hits"`, then: eventsAt("/hits"), want: Counts{Event: 1}},
		"an ignored kind":       {text: `{"type":"event","data":[{"id":1}]}`, with: ignoring("/type", decode.AnyValue), advice: "wire.export.kind"},
		"a null":                {text: `{"events":[{"id":1}],"page":{"next":null}}`, with: only(Event), advice: "wire.ignored", then: ignoring("/page/next", "null"), want: Counts{Event: 1}},
		"another text":          {text: `{"state":"failed","events":[{"id":1}]}`, with: ignoring("/state", "ok"), advice: "wire.ignored"},
		"what identifies it":    {text: `{"events":[{"pk":1}]}`, with: only(Event), advice: "wire.export.record.events", then: Options{Map: Map{Record: map[string]jsontext.Pointer{"events": "/pk"}}, Wanted: []Kind{Event}}, want: Counts{Event: 1}},
		"what states its kind":  {text: `[{"sort":"hit","id":1}]`, advice: "wire.export.kind", then: Options{Map: Map{Kind: "/sort", Kinds: map[string][]string{"events": {"hit"}}}}, want: Counts{Event: 1}},
		"another kind in it":    {text: `{"events":[{"type":"session","records":[{"id":1}]}]}`, with: only(Event), advice: `"/events/type"`},
		"another kind inside":   {text: `{"events":[{"type":"session","id":1}]}`, with: only(Event), advice: "wire.export.at.events", then: eventsAt("/events"), want: Counts{Event: 1}},
		"another kind as asked": {text: `{"persons":[{"id":1}],"events":[]}`, with: Options{Asked: Event}, advice: "wire.export.kind_parameter"},
		"another kind as told":  {text: `{"l":[{"type":"event","id":1},{"type":"session","id":2}]}`, with: Options{Map: Map{Kind: "/type", At: map[string]jsontext.Pointer{"events": "/l"}}}, advice: "another kind"},
		"a list told elsewhere": {text: `{"events":[]}`, with: eventsAt("/hits"), advice: "no list of events"},
		"and nothing":           {text: `[]`, with: eventsAt("/hits"), advice: "no list of events", then: Options{Map: Map{At: map[string]jsontext.Pointer{"events": "/hits"}, Empty: true}, Wanted: []Kind{Event}}},
		"an error as {}":        {text: `{"events":[],"error":{}}`, with: only(Event), advice: `"/error"`, then: Options{Map: Map{Empty: true}, Envelope: ignoring("/error", "{}").Envelope, Wanted: []Kind{Event}}},
		"what is ignored, full": {text: `{"events":[],"meta":{"error":"x"}}`, with: ignoring("/meta", decode.AnyValue), advice: `"/meta/error"`},
		"a kind behind a list":  {text: `{"records":[],"type":"event"}`, with: only(Event), advice: `"/type"`},
		"one behind an object":  {text: `{"data":{"records":[]},"type":"event"}`, with: only(Event), advice: `"/type"`},
		"no list as asked":      {text: `{"data":{"persons":[],"sessions":null}}`, with: Options{Asked: Event}, advice: "wire.export.kind_parameter"},
		"too few in common":     {text: `{"persons":[{"id":1,"a":1},{"id":2,"b":1}]}`, with: only(Person), advice: "wire.export.record.persons", then: Options{Map: Map{Record: map[string]jsontext.Pointer{"persons": "/id"}}, Wanted: []Kind{Person}}, want: Counts{Person: 2}},
	} {
		if _, _, err := readText(c.text, c.with); !isRefused(err, c.advice) {
			t.Errorf("%s: %v", name, err)
		}
		if c.want.Total() == 0 && !c.then.Empty {
			continue
		}
		if _, res, err := readText(c.text, c.then); err != nil || res.Counts != c.want {
			t.Errorf("%s, followed: %v, %v", name, err, res.Counts)
		}
	}
}

// TestReader_objectWithNothingInIt has objects that are a day without records where the settings say so, and
// others that say something.
func TestReader_objectWithNothingInIt(t *testing.T) {
	t.Parallel()
	for text, isDay := range map[string]bool{
		`{}`: true, `{"count":0}`: true, `{"next":null}`: true, `{"persons":null,"sessions":null,"events":null}`: true, `{"data":{"errors":[]}}`: true, `{"errors":[]}`: true,
		`{"persons":null}`: false, `{"persons":[]}`: false, `{"error":{}}`: false, `{"data":{}}`: false,
		`{"message":"later"}`: false, `{"status":"queued"}`: false, `{"count":1}`: false, `{"error":null}`: false, `{"success":false}`: false, `{"persons":[{"id":1}]}`: false,
	} {
		for _, isConfigured := range []bool{false, true} {
			_, _, err := readText(text, Options{Map: Map{Empty: isConfigured, Next: "/next"}, Wanted: Kinds})
			if isDay := isDay && isConfigured; isDay != (err == nil) {
				t.Errorf("%s, configured: %t: %v", text, isConfigured, err)
			}
		}
	}
}

// TestReader_recordUnderTwoKindsIsRefused has the answers of a service that ignores the parameter for
// the kind, and others that only look like it.
func TestReader_recordUnderTwoKindsIsRefused(t *testing.T) {
	t.Parallel()
	var many strings.Builder // none of which begins like another one
	for i := range 4 * sampled {
		fmt.Fprintf(&many, `{"of":%d,"id":%d}`, i, i)
	}
	const day = `{"persons":[{"type":"person","id":1,"of":1}],"events":[]}`
	full := Memory{seen: map[uint64]Kind{}} // however many pages there are, what is compared is bounded
	for i := range uint64(limitSeen) {
		full.seen[i] = Event
	}
	byOf := map[string]jsontext.Pointer{"persons": "/of", "events": "/of"}
	for _, c := range []struct {
		first, second string
		memory        Memory
		record        map[string]jsontext.Pointer
		refusal       string
	}{
		{first: many.String(), second: many.String(), refusal: "under two kinds"},
		{first: many.String(), second: many.String(), memory: full},
		{first: `[{"id":1,"of":1},{"id":2,"of":1}]`, second: `[{"id":3,"of":1},{"of":2,"id":2}]`, refusal: "under two kinds"},
		{first: day, second: day, refusal: "another kind"},
		{first: `[{"id":1,"of":1}]`, second: `[{"id":1,"of":1,"read":"2026-03-02T00:00:00Z"}]`},
		{first: `[{"of":1,"email":null}]`, second: `[{"of":2,"email":null}]`, record: byOf},
		{first: `[]`, second: `[]`},
	} {
		o := Options{Map: Map{Record: c.record}, Asked: Person, Memory: &c.memory}
		_, _, err := readText(c.first, o)
		o.Asked = Event
		_, _, err2 := readText(c.second, o)
		if isRefused(err2, c.refusal) != (c.refusal != "") || err != nil || len(c.memory.seen) > limitSeen {
			t.Errorf("%.99s and %.99s: %v, %v", c.first, c.second, err, err2)
		}
	}
}

// TestReader_errorSaysWhere shows names of members too, unless they may be a person.
func TestReader_errorSaysWhere(t *testing.T) {
	t.Parallel()
	_, _, err := readText(`{"events":[{"id":1}],"records":[{"serial":2,"made":3}]}`, Options{})
	for _, part := range []string{"record 2", `"/records"`, `"serial", "made"`} {
		if !strings.Contains(fmt.Sprint(err), part) {
			t.Errorf("%v does not say %s", err, part)
		}
	}

	for _, text := range []string{
		`[{"jane.doe@example.com":1}]`, `{"jane.doe@example.com":{"name":"x"}}`, `{"events":[],"jane.doe@example.com":1}`,
		`{"jane.doe@example.com":[{"id":1}]}`, `{"events":[{"type":"person","jane.doe@example.com":1}]}`, `{"person":"jane.doe@example.com"}`,
		`{"events":[],"note":"jane.doe@example.com"}`, `{"events":[],"jane.doe@example.com":null}`,
	} {
		if _, _, err := readText(text, Options{}); err == nil || strings.Contains(err.Error(), "jane") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestReader_incompleteOrInvalidAnswerIsAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[{"type":"event","id":1}`:                       "unexpected EOF",
		`{"events":[{"id":1}]`:                           "unexpected EOF",
		`{"events":[{"id":1}],"x`:                        "unexpected EOF",
		`{"type":"event","id":1}` + "\n{":                "unexpected EOF",
		`{"events":{"items":[{"id":1},`:                  "unexpected EOF",
		`[{"type":"event","id":1},]`:                     "jsontext",
		`{"events":[{"id":1}{"id":2}]}`:                  "jsontext",
		`{"events":[{"id":1}],}`:                         "jsontext",
		"[{\"type\":\"event\",\"id\":1,\"a\":\"\xff\"}]": "not UTF-8",
		`[{"a":1,"a":2}]`:                                "duplicate object member name",
		`{"events":[],"events":[]}`:                      "duplicate object member name",
		`{"type":"event","id":1}` + "\n]":                "jsontext",
		`"events"`:                                       "a scalar",
		`[]7`:                                            "wire.export.lines = true",
		`{"events":[{"id":"` + strings.Repeat("x", LimitHead) + `"}]}{}`: "wire.export.lines = true",
		`<html></html>`:                   "jsontext",
		`[` + strings.Repeat("[", 20_000): "jsontext",
	} {
		if _, _, err := readText(text, only(Event)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, not %v", text, err, want)
		}
	}
}

func TestReader_tooLargeAnswerIsAnError(t *testing.T) {
	t.Parallel()
	const half = LimitRecord/2 + LimitHead
	for _, parts := range [][3]string{
		{`["`, strings.Repeat("x", half), `"]`}, {`[`, strings.Repeat(" ", half), `1]`}, {"{\"type\":\"event\",\"id\":1}\n{\"a\":\"", strings.Repeat("x", half), `"}`},
	} {
		text := io.MultiReader(strings.NewReader(parts[0]), strings.NewReader(parts[1]), strings.NewReader(parts[1]), strings.NewReader(parts[2]))
		if _, err := count(text, Options{IsLines: true}); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", parts[0], err)
		}
	}
}

func TestReader_invalidUTF8IsReplacedAndCountedOnRequest(t *testing.T) {
	t.Parallel()
	const event = `{"type":"event","id":1`
	text := "[" + event + ",\"a\":\"x\xffy\"}," + event + "}," + event + ",\"a\":\"\xc3\",\"b\":\"\xe2\x82\"}," + event + ",\"\xff\":1,\"\xff\xfe\":2}]"
	got, res, err := readText(text, Options{Map: Map{InvalidUTF8: InvalidReplace}})
	want := []string{
		"event " + event + ",\"a\":\"x\uFFFDy\"}", "event " + event + "}", "event " + event + ",\"a\":\"\uFFFD\",\"b\":\"\uFFFD\uFFFD\"}",
		"event " + event + ",\"\uFFFD\":1,\"\uFFFD\uFFFD\":2}", // names that differ still do, so that no record has one twice
	}
	if err != nil || !slices.Equal(got, want) || res.Replaced != 3 {
		t.Errorf("%v, %d records: %q", err, res.Replaced, got)
	}

	_, _, err = readText("\uFEFF"+text, Options{})
	if !errors.Is(err, ErrUTF8) || !strings.Contains(err.Error(), "record 1") {
		t.Errorf("without the setting: %v", err)
	}
}

func TestReader_loopMayEndEarly(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[{"type":"event","id":1},7]`, "{\"type\":\"event\",\"id\":1}\n7\n", `{"data":{"items":[{"type":"event","id":1},7]}}`} {
		x := NewReader(strings.NewReader(text), Options{})
		for range x.All() {
			break
		}
		if x.Err != nil || x.Result.Counts.Total() != 1 {
			t.Errorf("%q: %v, %v", text, x.Err, x.Result)
		}
	}
}

// TestReader_largeRecordsTakeLittleMemory reads records of nearly 16 MiB, and checks that
// all allocations together, garbage included, stay below 72 MiB, however many they are. With
// the race detector, records and bound are smaller.
func TestReader_largeRecordsTakeLittleMemory(t *testing.T) { //nolint:paralleltest // measures the memory of the process
	record := append(append([]byte(`{"type":"event","id":1,"pad":"`), bytes.Repeat([]byte("x"), soak.Raced(4, 15)<<20)...), "\"}\n"...)
	list := make([]io.Reader, soak.Size(2, 20))
	for i := range list {
		list[i] = bytes.NewReader(record)
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := count(io.MultiReader(list...), Options{IsLines: true})
	runtime.ReadMemStats(&after)
	if err != nil || res.Counts[Event] != int64(len(list)) {
		t.Errorf("%v, %v", res, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > uint64(soak.Raced(24, 72))<<20 {
		t.Errorf("%d MiB were allocated", grown>>20)
	}
}

// FuzzReader checks that no answer makes it panic, that the records it yields are
// valid and counted, and that reading byte by byte makes no difference.
func FuzzReader(f *testing.F) {
	for _, text := range append(noRecords,
		"", "[]", `{"events":[{"id":1}],"x":[{}]}`, "{\"type\":\"event\",\"id\":1}\n{\"kind\":\"person\"}\r\n", `{"data":{"people":[{"id":1}]},"count":1}`,
		"\uFEFF[{\"type\":\"session\"}]", `{"events":{"data":[{}]}}`, `[{"a":1,"a":2}]`, "[{\"id\":\"\xff\"}]", `{"event":{"id":1}}`, `[[[`, `{"`, `{"kind":`,
	) {
		f.Add([]byte(text), uint8(0))
	}

	f.Fuzz(func(t *testing.T, text []byte, how uint8) {
		o := Options{Asked: Kind(how % 4)}
		if how&4 > 0 {
			o.InvalidUTF8 = InvalidReplace
		}

		got, res, err := readAll(bytes.NewReader(text), o)
		again, res2, err2 := readAll(iotest.OneByteReader(bytes.NewReader(text)), o)
		if fmt.Sprint(err) != fmt.Sprint(err2) || fmt.Sprint(res) != fmt.Sprint(res2) || !slices.Equal(got, again) {
			t.Errorf("in one: %v %v %q; bytewise: %v %v %q", res, err, got, res2, err2, again)
		}
		for _, each := range got {
			_, record, _ := strings.Cut(each, " ")
			if v := jsontext.Value(record); !v.IsValid(jsontext.AllowInvalidUTF8(true)) || v.Kind() != '{' || res.Counts.Total() != int64(len(got)) {
				t.Errorf("%v, yielded: %q", res.Counts, got)
			}
		}
	})
}
