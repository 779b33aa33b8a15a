package records

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// splitText returns the records that Split passes on, each as "kind record".
func splitText(text string, asked Kind) (got []string, res Result, err error) {
	res, err = Split(strings.NewReader(text), Options{Asked: asked}, func(k Kind, record jsontext.Value) error {
		got = append(got, k.String()+" "+string(record))
		return nil
	})
	return got, res, err
}

func TestSplit_everyShapeOfAnAnswer(t *testing.T) {
	t.Parallel()

	mixed := []string{`person {"id":"p"}`, `session {"id":"s"}`, `event {"id":"e"}`}
	for name, c := range map[string]struct {
		text   string
		want   []string
		closed bool
	}{
		"nothing":                    {text: ""},
		"white space":                {text: " \r\n\t"},
		"only a mark":                {text: "\uFEFF"},
		"empty array":                {text: "[]", closed: true},
		"empty arrays":               {text: `{"persons":[],"sessions":[],"events":[]}`, closed: true},
		"an array for each kind":     {text: `{"persons":[{"id":"p"}],"sessions":[{"id":"s"}],"events":[{"id":"e"}]}`, want: mixed, closed: true},
		"other spellings":            {text: `{"People":[{"id":"p"}],"session_records":[{"id":"s"}],"EventList":[{"id":"e"}]}`, want: mixed, closed: true},
		"nested":                     {text: `{"data":{"person":[{"id":"p"}],"session":[{"id":"s"}],"event":[{"id":"e"}]}}`, want: mixed, closed: true},
		"nested the other way round": {text: `{"people":{"records":[{"id":"p"}]},"sessions":{"data":[{"id":"s"}]},"events":{"items":[{"id":"e"}],"count":1}}`, want: mixed, closed: true},
		"with remarks": {
			text: `{"date":"2026-03-01","kinds":["person","session"],"meta":{"n":3},"persons":[{"id":"p"}],"sessions":[{"id":"s"}],"events":[{"id":"e"}],"count":3}`,
			want: mixed, closed: true,
		},
		"an array": {
			text: `[{"type":"person"},{"type":"SESSION"},{"recordType":"EventRecord"},{"id":1,"kind":"people"},{"type":"click"},7,null,[]]`,
			want: []string{`person {"type":"person"}`, `session {"type":"SESSION"}`, `event {"recordType":"EventRecord"}`, `person {"id":1,"kind":"people"}`, `unknown {"type":"click"}`, `unknown 7`, `unknown null`, `unknown []`}, closed: true,
		},
		"an array under a wrapper": {text: `{"records":[{"type":"person"},{"x":1}]}`, want: []string{`person {"type":"person"}`, `unknown {"x":1}`}, closed: true},
		"an array of an unknown kind": {
			text: `{"events":[{"id":"e"}],"devices":[{"id":"d"}]}`, want: []string{`event {"id":"e"}`, `unknown {"id":"d"}`}, closed: true,
		},
		"lines": {
			text: "{\"type\":\"person\"}\n{\"type\":\"event\"}\n", want: []string{`person {"type":"person"}`, `event {"type":"event"}`},
		},
		"lines of Windows, with a mark and no last end": {
			text: "\uFEFF{\"type\":\"person\"}\r\n\r\n{\"type\":\"event\"}", want: []string{`person {"type":"person"}`, `event {"type":"event"}`},
		},
		"a single line": {text: `{"type":"event","data":[1,2]}`, want: []string{`event {"type":"event","data":[1,2]}`}},
		"lines of records with lists": {
			text: "{\"id\":1,\"events\":[{\"n\":1}]}\n{\"id\":2,\"events\":[]}\n",
			want: []string{`unknown {"id":1,"events":[{"n":1}]}`, `unknown {"id":2,"events":[]}`},
		},
		"records named by their only member": {
			text: `{"person":{"id":"p"}}` + "\n" + `{"event":{"id":"e"}}`, want: []string{`person {"person":{"id":"p"}}`, `event {"event":{"id":"e"}}`},
		},
		"a page on each line": {text: `{"persons":[{"id":"p"}]}` + "\n" + `{"sessions":[{"id":"s"}]}` + "\n" + `{"events":[{"id":"e"}]}`, want: mixed},
		"pages of some length": {
			text: `{"date":"2026-03-01","persons":[{"id":"p","pad":"` + strings.Repeat("x", blockSize) + `"}]}` + "\n" + `{"events":[{"id":"e"}]}`,
			want: []string{`person {"id":"p","pad":"` + strings.Repeat("x", blockSize) + `"}`, `event {"id":"e"}`},
		},
		"pretty": {
			text: "{\n  \"persons\": [\n    {\n      \"id\": \"p\"\n    }\n  ]\n}\n", want: []string{"person {\n      \"id\": \"p\"\n    }"}, closed: true,
		},
		"numbers and texts as they are": {
			text: `{"events":[{"n":9007199254740993.10e0,"s":"\u00e9\/<&\u2028"}]}`, want: []string{`event {"n":9007199254740993.10e0,"s":"\u00e9\/<&\u2028"}`}, closed: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, res, err := splitText(c.text, Unknown)
			if err != nil || res.Closed != c.closed {
				t.Errorf("closed %t, error %v", res.Closed, err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("unexpected records (-want +got):\n%s", diff)
			}
			if res.Counts.Total() != int64(len(c.want)) {
				t.Errorf("counted are %v", res.Counts)
			}
		})
	}
}

func TestSplit_incompleteAnswerIsAnError(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]error{
		`[{"type":"event"}`:                  ErrTruncated,
		`[{"type":"event"},`:                 ErrTruncated,
		`{"events":[{"id":1}`:                ErrTruncated,
		`{"events":[{"id":1}]`:               ErrTruncated,
		`{"type":"event"}` + "\n{":           ErrTruncated,
		`{"type":"event","a"`:                ErrTruncated,
		`[1,]`:                               ErrSyntax,
		`{"events":[{"id":1}{"id":2}]}`:      ErrSyntax,
		"[\"\xff\"]":                         ErrSyntax,
		`[{"a":1,"a":2}]`:                    ErrRepeatedName,
		`{"events":[],"events":[]}`:          ErrRepeatedName,
		`{"type":"event"}` + "\n]":           ErrSyntax,
		`"events"`:                           ErrShape,
		`7`:                                  ErrShape,
		`[]7`:                                ErrShape,
		`{"persons":{"p-1":{}},"events":[]}`: ErrShape,
		`<html></html>`:                      ErrShape,
		`[` + strings.Repeat("[", 20_000):    ErrSyntax,
		`["` + strings.Repeat("x", LimitRecord) + `"]`:                                           ErrTooLarge,
		`[` + strings.Repeat(" ", LimitRecord+blockSize) + `1]`:                                  ErrTooLarge,
		`{"events":[],` + manyMembers(LimitMembers) + `}`:                                        ErrShape,
		`{"type":"event"}` + "\n" + `{"a":"` + strings.Repeat("x", LimitRecord+blockSize) + `"}`: ErrTooLarge,
	} {
		if _, _, err := splitText(text, Unknown); !errors.Is(err, want) {
			t.Errorf("%.40q: %v, not %v", text, err, want)
		}
	}
}

func manyMembers(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"m%d":%d`, i, i)
	}
	return strings.Join(list, ",")
}

func TestSplit_otherKindThanAskedForIsAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`[{"id":1},{"type":"session"}]`:                        {`event {"id":1}`, `event {"type":"session"}`},
		`{"data":[{"id":1}]}`:                                  {`event {"id":1}`},
		`{"records":{"events":[{"id":1}]},"sessions":[]}`:      {`event {"id":1}`},
		"{\"id\":1}\n{\"type\":\"event\"}":                     {`event {"id":1}`, `event {"type":"event"}`},
		`{"data":[{"id":1}]}` + "\n" + `{"data":[{"id":2}]}`:   {`event {"id":1}`, `event {"id":2}`},
		`{"events":[{"id":1}],"devices":[{"id":"d"}],"n":[1]}`: {`event {"id":1}`, `event {"id":"d"}`},
	} {
		got, _, err := splitText(text, Event)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", text, err, diff)
		}
	}

	for _, text := range []string{
		`{"events":[{"id":1}],"sessions":[{"id":2}]}`, `[{"recordType":"session"}]`, `{"id":1,"entity_type":"person"}`,
	} {
		if _, _, err := splitText(text, Event); !errors.Is(err, ErrOtherKind) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestSplit_partOfADayIsAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		`{"success":false,"error":{"message":"offline"},"data":[]}`:       ErrFailed,
		`{"persons":[],"sessions":[],"events":[],"errors":["partial"]}`:   ErrFailed,
		`{"events":[{"id":1}],"errors":[{"code":1}]}`:                     ErrFailed,
		`{"data":{"events":[]},"ok":false}`:                               ErrFailed,
		`{"data":[{"type":"event"}],"hasMore":true}`:                      ErrPage,
		`{"events":[{"id":1}],"next_page_token":"abc"}`:                   ErrPage,
		`{"events":{"items":[{"id":1}],"nextCursor":17}}`:                 ErrPage,
		`{"events":[],"error":null,"errors":[],"success":true,"next":""}`: nil,
		`{"events":[],"hasMore":false,"next_cursor":null,"error":{}}`:     nil,
	} {
		if _, _, err := splitText(text, Unknown); !errors.Is(err, want) {
			t.Errorf("%s: %v, not %v", text, err, want)
		}
	}
}

func TestSplit_clearDiscriminatorWinsOverAnother(t *testing.T) {
	t.Parallel()
	for record, want := range map[string]string{
		`{"type":"session","recordType":"event","id":1}`:           "event",
		`{"kind":"person","x":{"record":1},"entity_type":"event"}`: "event",
		`{"type":"session","records":2}`:                           "session",
		`{"type":"click","kind":"event"}`:                          "event",
		`{"object":"person","id":2}`:                               "unknown",
	} {
		got, _, err := splitText("["+record+"]", Unknown)
		if err != nil || len(got) != 1 || got[0] != want+" "+record {
			t.Errorf("%v, %v; want %s", got, err, want)
		}
	}
}

// TestSplit_singleDeclaredLineIsARecord splits records that hold lists.
func TestSplit_singleDeclaredLineIsARecord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		`{"id":"e1","name":"purchase","items":[{"sku":1},{"sku":2}]}`: 1, `{"id":"p1","events":[]}`: 1, `{"events":[{"id":1},{"id":2}]}`: 2,
	} {
		res, err := Split(strings.NewReader(text+"\n"), Options{Lines: true}, keep)
		if err != nil || res.Counts.Total() != want {
			t.Errorf("%s: %v, %v", text, res, err)
		}
	}
}

func TestSplit_errorsOfReaderAndReceiverArePassedOn(t *testing.T) {
	t.Parallel()
	broken, refused := errors.New("broken"), errors.New("refused")
	for _, text := range []string{"", " ", `[{"type":"event"},`, "{\"a\":1}\n", `{"events":[`} {
		_, err := Split(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), Options{}, keep)
		if !errors.Is(err, broken) {
			t.Errorf("%q: %v", text, err)
		}
	}

	for _, text := range []string{`[1]`, "{\"type\":\"event\"}\n", `{"data":{"x":[{}]},"events":[1]}`, `{"events":[1]}` + "\n" + `{"events":[1]}`} {
		_, err := Split(strings.NewReader(text), Options{}, func(Kind, jsontext.Value) error { return refused })
		if err != refused { //nolint:errorlint // exactly as it is
			t.Errorf("%q: %v", text, err)
		}
	}
}

func keep(Kind, jsontext.Value) error { return nil }

// FuzzSplit checks that no answer makes Split panic, that the records it passes on are
// valid and counted, and that reading byte by byte makes no difference.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{
		"", "[]", "{}", `{"events":[{"id":1}],"x":[{}]}`, "{\"type\":\"event\"}\n{\"kind\":\"person\"}\r\n", `{"data":{"people":[1]}}`,
		"\uFEFF[{\"type\":\"session\"}]", `{"events":{"data":[{}]}}` + "\n" + `{"events":[]}`, `[{"a":1,"a":2}]`, "[\"\xff\"]", `{"event":{"id":1}}`, `[[[`,
	} {
		f.Add([]byte(text), uint8(0))
	}

	f.Fuzz(func(t *testing.T, text []byte, kind uint8) {
		asked := Kind(kind % uint8(len(kindNames)))
		var counts Counts
		var bytewise bytes.Buffer
		collect := func(into *bytes.Buffer) func(Kind, jsontext.Value) error {
			return func(k Kind, record jsontext.Value) error {
				if !record.IsValid() {
					t.Errorf("passed on: %q", record)
				}
				fmt.Fprintln(into, k, string(record))
				counts[k]++
				return nil
			}
		}

		var whole bytes.Buffer
		res, err := Split(bytes.NewReader(text), Options{Asked: asked}, collect(&whole))
		if res.Counts != counts {
			t.Errorf("counted are %v, passed on %v", res.Counts, counts)
		}

		again, err2 := Split(iotest.OneByteReader(bytes.NewReader(text)), Options{Asked: asked}, collect(&bytewise))
		if (err == nil) != (err2 == nil) || res != again || whole.String() != bytewise.String() {
			t.Errorf("in one: %v %v %q; bytewise: %v %v %q", res, err, whole.String(), again, err2, bytewise.String())
		}
	})
}
