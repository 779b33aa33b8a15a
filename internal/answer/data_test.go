// SPDX-License-Identifier: MPL-2.0

package answer_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// personal are answers that are all data of a person, with a member that each has at its
// top.
var personal = map[string]string{
	`{"identity":"` + person + `","profile":null,"sessions":[],"events":[]}`:   "events",
	`{"id":"User-1%40example.com","orders":[{"sku":"1"}],"errors":[],"ok":""}`: "orders",
	`{"user":{"id":"` + person + `","plan":"gold"},"errors":[]}`:               "user",
	`[{"profile":{"plan":"gold"}},{"events":[]}]`:                              "profile",
	`{"value":[{"name":"x"}]}`:                                                 "value",
	`{"status":"success","data":{"orders":[{"sku":"1"}]},"message":null}`:      "data",
	`{"success":true,"data":{"consent":{"given":false}}}`:                      "data",
	`{"data":{"profile":{"id":"u-77","status":"cancelled"}}}`:                  "data",
	`{"orders":[{"sku":"1"}],"next":null,"hasMore":false}`:                     "orders",
}

// unsure are answers that may be all data of a person, or its first page, or an
// acknowledgement, with a member that each has at its top.
var unsure = map[string]string{
	`{"message":"Your export is ready","links":{"download":"https://example.com/x"}}`: "links",
	`{"message":"It will take a while."}`:                                             "message",
	`{"plan":"gold","email":"` + person + `"}`:                                        "plan",
	`{"tags":["a","b"]}`: "tags", `[{"success":false,"reason":"late"}]`: "reason",
	`{"id":"` + person + `","email":"x","orders":[{"sku":"1"}]}`:                        "orders",
	`{"orders":[{"sku":"1"}],"paging":{"next":"https://example.com/?page=2"}}`:          "orders",
	`{"orders":[{"sku":"1"}],"after":["x",7]}`:                                          "orders",
	`{"items":[{"name":"x"}],"next":"https://example.com/?page=2"}`:                     "items",
	`{"_links":{"next":{"href":"x"}},"_embedded":{"events":[{"name":"x"}]}}`:            "_embedded",
	`{"data":[{"name":"x"}],"links":{"next":null},"meta":{"current_page":1,"total":1}}`: "data",

	// Data with an ID, and no request.
	`{"id":"u-77","orders":[{"sku":"1"}]}`: "orders",
}

// The first answer is never the data, and one after the request has left the list may be. With
// a member that is named, each of them is.
func TestDataCall_recognised(t *testing.T) {
	t.Parallel()

	isData := func(call answer.DataCall, body string) bool {
		receipt, err := call.Read(200, parse(t, body))
		if receipt.Delivered && (err != nil || receipt.NotUnderstood != "" || receipt.ID != "" || receipt.At.IsZero()) {
			t.Errorf("%s: %+v, %v", body, receipt, err)
		}
		return receipt.Delivered
	}

	all := maps.Clone(personal)
	maps.Copy(all, unsure)
	for body, member := range all {
		_, seen := personal[body]
		at := jsontext.Pointer("/" + member)
		if strings.HasPrefix(body, "[") {
			at = "/0" + at
		}
		for _, c := range []struct {
			call answer.DataCall
			want bool
		}{
			{answer.DataCall{}, false},
			{answer.DataCall{Seen: true}, seen},
			{answer.DataCall{Seen: true, Continued: true}, false},
			{answer.DataCall{At: new(at)}, true},
			{answer.DataCall{At: new(at), Seen: true}, true},
			{answer.DataCall{At: new(at), Seen: true, Continued: true}, true},
			{answer.DataCall{At: new(jsontext.Pointer("/nothing")), Seen: true}, false},
		} {
			c.call.Person = person
			if got := isData(c.call, body); got != c.want {
				t.Errorf("%s is the data for %+v: %t", body, c.call, got)
			}
		}
	}

	marked := answer.DataCall{Person: person, At: new(jsontext.Pointer("/data"))}
	if receipt, err := marked.Read(202, parse(t, `{"data":{"a":1}}`)); err != nil || receipt.Delivered {
		t.Errorf("under 202: %+v, %v", receipt, err)
	}
	if receipt, err := marked.Read(200, parse(t, `{"id":"r-1"}`)); err != nil || receipt.Delivered || receipt.ID != "r-1" {
		t.Errorf("without the member: %+v, %v", receipt, err)
	}
	for _, body := range []string{
		`{"data":null}`, `{"data":{"id":"r-1","status":"queued"}}`, `{"data":{"type":"getAllData","state":"accepted","createdAt":"2026-01-31T12:00:00Z"}}`,
	} {
		if receipt, err := marked.Read(200, parse(t, body)); err != nil || receipt.Delivered {
			t.Errorf("an acknowledgement, %s: %+v, %v", body, receipt, err)
		}
	}
	if receipt, err := marked.Read(200, parse(t, `{"data":{"status":"active","sessions":3}}`)); err != nil || !receipt.Delivered {
		t.Errorf("a person who is active: %+v, %v", receipt, err)
	}
}

// What is neither the data nor a receipt is refused once the request has left the list, and
// names the setting that admits it. Before, it is only not understood.
func TestDataCall_refused(t *testing.T) {
	t.Parallel()

	others := slices.AppendSeq([]string{`[{"status":"pending","name":"x"}]`, `[1]`, `"x"`}, maps.Keys(unsure))
	for _, body := range others {
		_, err := answer.DataCall{Person: person, Seen: true}.Read(200, parse(t, body))
		text := fmt.Sprint(err)
		isShown := strings.Contains(text, "example.com") || strings.Contains(text, "gold")
		if outcome(err) != unrecognised || !strings.Contains(text, "wire.all_data.at") || isShown {
			t.Errorf("%s: %v", body, err)
		}
	}

	if _, err := (answer.DataCall{At: new(jsontext.Pointer("/data"))}).Read(200, parse(t, `{"success":false,"data":null}`)); outcome(err) != refused {
		t.Errorf("with an empty member: %v", err)
	}
}

// A skeleton is read as the whole value is, however large that is.
func TestSkeleton_isReadAsTheWholeValue(t *testing.T) {
	t.Parallel()
	ones := `[` + strings.Repeat(`1,`, 200_000) + `1]`
	texts := `[` + strings.Repeat(`[`+strings.Repeat(`"`+strings.Repeat("x", 100)+`",`, 100)+`[]],`, 100) + `[]]`
	many := `[` + strings.Repeat(`{"name":"x","at":[1,2,3]},`, 10_000) + `{}]`
	for text, want := range map[string]string{
		`{"a":"x","b":1,"c":false,"d":null,"e":{"f":""},"h":[1,{}]}`: `{"a":"x","b":1,"c":false,"d":null,"e":{"f":""},"h":[1,{}]}`,
		`{"a":"` + strings.Repeat("x", 300) + `"}`:                   `{"a":"…"}`,
		strings.Repeat(`[`, 10) + strings.Repeat(`]`, 10):            `[[[[[[[[[{}]]]]]]]]]`,
		strings.Repeat(`{"a":`, 9) + `1` + strings.Repeat(`}`, 9):    strings.Repeat(`{"a":`, 8) + `{"…":{}}` + strings.Repeat(`}`, 8),
	} {
		got, err := answer.Skeleton(strings.NewReader(text))
		if err != nil || string(got) != want {
			t.Errorf("%.80s: %.200s, %v", text, got, err)
		}
	}

	for _, text := range []string{`{"a":{}`, `{"a":1}{}`, `[1,`, `{"a":1,"a":2}`, `{"a"}`, `[1}`, ``, `{"a":1} x`, `[` + many} {
		if got, err := answer.Skeleton(strings.NewReader(text)); err == nil {
			t.Errorf("%.80s is read as %.80s", text, got)
		}
	}

	call := answer.DataCall{Person: person, Seen: true}
	for body, isData := range map[string]bool{
		`{"profile":{"plan":"gold"},"events":` + many + `,"sessions":` + many + `}`: true, `{"events":` + many + `,"error":"partial"}`: false,
		`{"orders":` + many + `,"paging":{"next":"x"}}`: false, `{"orders":` + many + `,"next":"x"}`: false, many: true,
		`{"data":{"identity":"` + person + `","orders":` + many + `,"visits":` + many + `}}`: true,
		`{"profile":{"plan":"gold"},"sessions":` + ones + `,"events":` + texts + `}`:         true,
	} {
		v, err := answer.Skeleton(strings.NewReader(body))
		if err != nil || len(v) > 200<<10 {
			t.Fatalf("%.60s: %d bytes, %v", body, len(v), err)
		}
		small, _ := call.Read(200, v)
		if whole, _ := call.Read(200, parse(t, body)); small.Delivered != isData || whole.Delivered != isData {
			t.Errorf("%.60s is the data: %t, and in whole %t", body, small.Delivered, whole.Delivered)
		}
	}
}

func FuzzSkeleton_readOrRefusedAsTheWhole(f *testing.F) {
	for _, seed := range []string{`{"profile":{"plan":"gold"},"events":[]}`, `[{"a":[[1]]}]`, `{"a":1}{}`, `[1}`, "", `{"a":1,"a":2}`, `"\ud83d"`, `{"id":"u-77","orders":[{}]}`} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, text string) {
		v, err := answer.Skeleton(strings.NewReader(text))
		whole, wholeErr := jsonvalue.Parse([]byte(text))
		if (err == nil) != (wholeErr == nil) {
			t.Fatalf("%q: %v, and in whole %v", text, err, wholeErr)
		}
		if err != nil {
			return
		}

		call := answer.DataCall{Person: person, Seen: true}
		small, _ := call.Read(200, v)
		if large, _ := call.Read(200, whole); len(text) < 200 && strings.Count(text, "[")+strings.Count(text, "{") < 8 && small.Delivered != large.Delivered {
			t.Fatalf("%q is the data: %t, and its skeleton %s: %t", text, large.Delivered, v, small.Delivered)
		}
	})
}

func TestReadToken_textInTheFieldToken(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"token":"a.b.c","type":"bearer","user":{"id":1}}`: "a.b.c",
		`{"result":{"token":"a.b.c"}}`:                      "a.b.c", `{"token":"a.b.c","result":{"token":"d.e.f"}}`: "a.b.c",

		`{"access_token":"a.b.c","token_type":"Bearer"}`: "", `{"data":{"token":"a.b.c"}}`: "",
		`{"token":{"value":"a.b.c"}}`: "", `{"token":null}`: "", `["a.b.c"]`: "", `"a.b.c"`: "",
	} {
		got, err := answer.ReadToken(parse(t, body), "/result")
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s is read as %q, %v", body, got, err)
		}
	}
}

func TestReadUser_objectThatReportsNoError(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"data":{"viewer":{"login":"x"}}}`: "", `{"id":1,"errors":[],"error":null}`: "",
		`{"success":false}`: refused, `{"data":null,"errors":[{"message":"no"}]}`: refused, `{"ok":false,"error":"invalid_auth"}`: refused,
		`null`: unrecognised, `[]`: unrecognised, `"user"`: unrecognised, `true`: unrecognised,
	} {
		if err := answer.ReadUser(parse(t, body)); outcome(err) != want {
			t.Errorf("%s: %v", body, err)
		}
	}
}
