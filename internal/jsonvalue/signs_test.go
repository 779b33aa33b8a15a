package jsonvalue

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestSigns_areFoundAtAnyDepth(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]Finding{
		`{"events":[],"error":"x"}`:                                      {Failed, "error"},
		`{"errors":[{"code":1}]}`:                                        {Failed, "errors"},
		`{"data":{"success":false}}`:                                     {Failed, "success"},
		`{"status":"FAILED"}`:                                            {Failed, "status"},
		`{"statusCode":503}`:                                             {Failed, "statusCode"},
		`{"status":"in_progress"}`:                                       {Unfinished, "status"},
		`{"events":[],"complete":false}`:                                 {Unfinished, "complete"},
		`{"pagination":{"next_cursor":"abc"}}`:                           {Paged, "next_cursor"},
		`{"meta":{"hasMore":true}}`:                                      {Paged, "hasMore"},
		`{"links":{"next":"https://example.com/2"}}`:                     {Paged, "next"},
		`{"links":[{"rel":"self"},{"rel":"next"}]}`:                      {Paged, "rel"},
		`{"@odata.nextLink":"x"}`:                                        {Paged, "@odata.nextLink"},
		`{"isTruncated":true}`:                                           {Paged, "isTruncated"},
		`{"totalPages":2}`:                                               {Paged, "totalPages"},
		`{"last":false}`:                                                 {Paged, "last"},
		`{"a":{"b":{"c":{"next\u005ftoken":17}}}}`:                       {Paged, "next_token"},
		`{"downloadUrl":"https://example.com/x"}`:                        {Elsewhere, "downloadUrl"},
		`{"error":null,"errors":[],"success":true,"next":""}`:            {},
		`{"errors":0,"error":{ },"truncated":0,"hasMore":"","more":[ ]}`: {},
		`{"status":"ok","complete":true,"totalPages":1,"last":true}`:     {},
		`{"events":[{"error":"a record's own"}]}`:                        {},
		`[{"error":"x"}]`:                                                {},
		`"error"`:                                                        {},
	} {
		if diff := cmp.Diff(want, Signs(jsontext.Value(text), nil)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestSigns_ignoredMembersGiveNone(t *testing.T) {
	t.Parallel()
	v := jsontext.Value(`{"links":{"next":"x"},"total":9}`)
	if got := Signs(v, []string{"NEXT"}); got.Sign != NoSign {
		t.Errorf("found is %v", got)
	}
	if _, stated := totalIn(v, []string{"total"}, signDepth); stated {
		t.Error("a total is stated")
	}
}

func TestSpeaksOnly_tellsWordsFromRecords(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]Sign{
		`{"error":"x"}`: Failed,
		`{"timestamp":"x","status":500,"error":"x","path":"/"}`: Failed,
		`{"message":"not found"}`:                               Failed,
		`{"status":"queued"}`:                                   Unfinished,
		`{"code":404,"message":"x"}`:                            Failed,
		`{"id":1,"error":"x"}`:                                  NoSign,
		`{"id":1,"message":"x"}`:                                NoSign,
		`{"timestamp":"x","message":"signed in"}`:               NoSign,
		`{"method":"GET","path":"/","status":500}`:              NoSign,
		`{"name":"x","status":"pending"}`:                       NoSign,
		`{}`:                                                    NoSign,
		`{"message":""}`:                                        NoSign,
		`[]`:                                                    NoSign,
	} {
		got, only := SpeaksOnly(jsontext.Value(text), nil)
		if got.Sign != want || only != (want != NoSign) {
			t.Errorf("%s: %v, %t; want %v", text, got, only, want)
		}
	}
}

func TestTotal_isTheLargestThatIsStated(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		`{"total":3,"meta":{"totalCount":5}}`: 5, `{"@odata.count":7}`: 7, `{"count":0}`: 0, `{"events":[{"total":9}]}`: -1, `{"total":"many"}`: -1,
	} {
		got, stated := totalIn(jsontext.Value(text), nil, signDepth)
		if stated != (want >= 0) || stated && got != want {
			t.Errorf("%s: %d, %t", text, got, stated)
		}
	}
}

// FuzzEachMember checks that EachMember and EachElement find what a parser finds.
func FuzzEachMember(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { "a" : 1 , "b":[{"c":"}"}],"d":"\"\\" } `, `[1,{"a":2}]`, `{"a":"\ud83d","\u0062":{}}`, `7`, `{"a":tru`, `{"a`, `{"a":"\`, "{\"\xff\":1}",
	} {
		f.Add([]byte(text))
	}

	f.Fuzz(func(t *testing.T, text []byte) {
		v := jsontext.Value(text)
		got := 0
		for name, value := range EachMember(v) {
			got += len(name) + len(value)
		}

		for value := range EachElement(v) {
			got += len(value)
		}

		Signs(v, nil)
		totalIn(v, nil, signDepth)
		if !utf8.Valid(text) || !v.IsValid(jsontext.AllowInvalidUTF8(true)) {
			return // it must not panic, and may find anything
		}

		dec := jsontext.NewDecoder(strings.NewReader(string(text)), jsontext.AllowInvalidUTF8(true))
		want := 0
		if kind := dec.PeekKind(); kind == '{' || kind == '[' {
			_, _ = dec.ReadToken()
			for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
				if kind == '{' {
					name, _ := dec.ReadToken()
					want += len(name.String())
				}
				value, _ := dec.ReadValue()
				want += len(value)
			}
		}
		if got != want {
			t.Errorf("%q: %d bytes found, want %d", text, got, want)
		}
	})
}
