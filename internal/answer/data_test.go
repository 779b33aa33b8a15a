// SPDX-License-Identifier: MPL-2.0

package answer_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// personal are answers that are all data of a person, with a member that each has at its
// top.
var personal = map[string]string{
	`{"identity":"` + person + `","profile":null,"sessions":[],"events":[]}`:       "events",
	`{"id":"User-1%40example.com","sessions":[{"page":"1"}],"errors":[],"ok":""}`:  "sessions",
	`{"user":{"id":"` + person + `","plan":"gold"},"errors":[]}`:                   "user",
	`[{"profile":{"plan":"gold"}},{"events":[]}]`:                                  "profile",
	`{"status":"success","data":{"events":[{"name":"x"}]},"message":null}`:         "data",
	`{"success":true,"data":{"consent":{"given":false}}}`:                          "data",
	`{"data":{"profile":{"id":"u-77","status":"cancelled"}}}`:                      "data",
	`{"persons":[{"id":1}],"next":null,"hasMore":false}`:                           "persons",
	`{"profile":{"a":1},"generatedAt":"2026-01-31T12:00:00","_links":{"self":{}}}`: "profile",
}

// unsure are answers that may be all data of a person, or its first page, or an
// acknowledgement, with a member that each has at its top.
var unsure = map[string]string{
	`{"message":"Your export is ready","links":{"download":"https://example.com/x"}}`: "links",
	`{"identity":"` + person + `","session":"2026-01-31T12:00:00Z"}`:                  "identity", `{"message":"It will take a while."}`: "message",
	`{"plan":"gold","email":"` + person + `"}`: "plan", `{"user":{"id":"` + person + `"}}`: "user",
	`{"tags":["a","b"]}`: "tags", `[{"success":false,"reason":"late"}]`: "reason",
	`{"profile":null,"sessions":[]}`: "sessions", `{"orders":[{"sku":"1"}]}`: "orders",
	`{"id":"` + person + `","email":"x","events":[{"name":"x"}]}`:                       "events",
	`{"events":[{"name":"x"}],"orders":[{"sku":"1"}]}`:                                  "orders",
	`{"events":[{"name":"x"}],"paging":{"next":"https://example.com/?page=2"}}`:         "events",
	`{"events":[{"name":"x"}],"after":["x",7]}`:                                         "events",
	`{"events":[{"name":"x"}],"paginator":{"number":0,"last":false}}`:                   "events",
	`{"events":[{"name":"x"}],"_links":[{"rel":"next","href":"x"}]}`:                    "events",
	`{"_links":{"next":{"href":"x"}},"_embedded":{"events":[{"name":"x"}]}}`:            "_embedded",
	`{"data":[{"name":"x"}],"links":{"next":null},"meta":{"current_page":1,"total":1}}`: "data",

	// Data with an ID, and no request.
	`{"id":"u-77","events":[{"name":"x"}]}`: "events",
}

// The first answer is never the data, and one after the request has left the list may be. With
// a member that is named, each of them is. What is neither the data nor a receipt is refused then, and
// names the setting that admits it.
func TestDataCall_recognised(t *testing.T) {
	t.Parallel()

	all := maps.Clone(personal)
	maps.Copy(all, unsure)
	for body, member := range all {
		at := jsontext.Pointer("/" + member)
		if strings.HasPrefix(body, "[") {
			at = "/0" + at
		}
		recognised := unrecognised
		if personal[body] != "" {
			recognised = isData
		}
		for _, c := range []struct {
			call answer.DataCall
			want string // empty for anything but the data
		}{
			{answer.DataCall{}, ""},
			{answer.DataCall{Seen: true}, recognised},
			{answer.DataCall{Seen: true, Continued: true}, ""},
			{answer.DataCall{At: &at}, isData},
			{answer.DataCall{At: &at, Seen: true}, isData},
			{answer.DataCall{At: &at, Seen: true, Continued: true}, isData},
			{answer.DataCall{At: new(jsontext.Pointer("/nothing")), Seen: true}, ""},
		} {
			c.call.Person = person
			receipt, err := c.call.Read(200, parse(t, body))
			got := receiptText(receipt, err)
			isOther := c.want == "" && got != isData
			if got != c.want && !isOther || receipt.Delivered && receipt.ID != "" {
				t.Errorf("%s is read as %s for %+v: %+v, %v; want %s", body, got, c.call, receipt, err, c.want)
			}
			text := fmt.Sprint(err)
			isShown := strings.Contains(text, "example.com") || strings.Contains(text, "gold")
			if got == unrecognised && !strings.Contains(text, "wire.all_data.at") || isShown {
				t.Errorf("%s: %v", body, err)
			}
		}
	}
}

func TestDataCall_whatIsMarkedAndWhatIsNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		call    answer.DataCall
		status  int
		answers map[string]string
	}{
		{answer.DataCall{At: new(jsontext.Pointer("/data"))}, 200, map[string]string{
			`{"id":"r-1"}`: "r-1", `{"data":null}`: "", `{"success":false,"data":null}`: refused, `{"success":false,"data":{}}`: refused,
			`{"data":{"id":"r-1","status":"queued"}}`:                                              "r-1", // an acknowledgement
			`{"data":{"type":"getAllData","state":"accepted","createdAt":"2026-01-31T12:00:00Z"}}`: "",
			`{"data":{"status":"active","sessions":3}}`:                                            isData, // of a person who is active
			`{"data":{"identityId":"other@example.com","events":[]}}`:                              unrecognised,
		}},
		{answer.DataCall{At: new(jsontext.Pointer("/data")), Seen: true}, 200, map[string]string{
			`{"id":"r-2"}`: "r-2", `{"id":"u-77","sessions":[{"page":1}]}`: unrecognised, // data elsewhere, and no other request
		}},
		{answer.DataCall{At: new(jsontext.Pointer("/data")), Seen: true, Envelope: answer.Envelope{Result: answer.Result{At: "/code", Success: []string{"0"}}}}, 200, map[string]string{
			`{"code":0,"data":{"plan":"gold"}}`: isData, `{"code":50000,"data":{"reason":"busy"}}`: notUnderstood,
		}},
		{answer.DataCall{At: new(jsontext.Pointer("/data"))}, 202, map[string]string{`{"data":{"a":1}}`: ""}},
		{answer.DataCall{Seen: true, Envelope: answer.Envelope{Result: answer.Result{At: "/code", Success: []string{"0"}}}}, 200, map[string]string{`{"code":0,"note":"x"}`: unrecognised}},
		{answer.DataCall{Seen: true}, 200, map[string]string{`[{"status":"pending","name":"x"}]`: unrecognised, `{"sessions":[],"events":[]}`: unrecognised, `[1]`: unrecognised, `"x"`: unrecognised}},
	} {
		c.call.Person = person

		for body, want := range c.answers {
			if got := receiptText(c.call.Read(c.status, parse(t, body))); got != want {
				t.Errorf("%s under %d is read as %s for %+v; want %s", body, c.status, got, c.call, want)
			}
		}
	}
}

// An abridged value is read as the whole one is, however large that is.
func TestAbridge_isReadAsTheWholeValue(t *testing.T) {
	t.Parallel()
	ones := `[` + strings.Repeat(`1,`, 200_000) + `1]`
	texts := `[` + strings.Repeat(`[`+strings.Repeat(`"`+strings.Repeat("x", 100)+`",`, 100)+`[]],`, 100) + `[]]`
	many := `[` + strings.Repeat(`{"name":"x","at":[1,2,3]},`, 10_000) + `{}]`
	for text, want := range map[string]string{
		`{"a":"x","b":1,"c":false,"d":null,"e":{"f":""},"h":[{},1]}`: `{"a":"x","b":1,"c":false,"d":null,"e":{"f":""},"h":[{}]}`,
		`{"a":"` + strings.Repeat("x", 300) + `"}`:                   `{"a":"…"}`,
		strings.Repeat(`[`, 10) + strings.Repeat(`]`, 10):            `[[[[[[[[[{}]]]]]]]]]`,
		strings.Repeat(`{"a":`, 9) + `1` + strings.Repeat(`}`, 9):    strings.Repeat(`{"a":`, 8) + `{"…":{}}` + strings.Repeat(`}`, 8),
	} {
		got, err := answer.Abridge(strings.NewReader(text))
		if err != nil || string(got) != want {
			t.Errorf("%.80s: %.200s, %v", text, got, err)
		}
	}

	for _, text := range []string{`{"a":{}`, `{"a":1}{}`, `[1,`, `{"a":1,"a":2}`, `{"a"}`, `[1}`, ``, `{"a":1} x`, `[` + many} {
		if got, err := answer.Abridge(strings.NewReader(text)); err == nil {
			t.Errorf("%.80s is read as %.80s", text, got)
		}
	}

	call := answer.DataCall{Person: person, Seen: true}
	for body, isData := range map[string]bool{
		`{"profile":{"plan":"gold"},"events":` + many + `,"sessions":` + many + `}`: true, `{"events":` + many + `,"error":"partial"}`: false,
		`{"events":` + many + `,"paging":{"next":"x"}}`: false, `{"events":` + many + `,"next":"x"}`: false, many: true,
		`{"data":{"identity":"` + person + `","events":` + many + `,"sessions":` + many + `}}`: true,
		`{"profile":{"plan":"gold"},"sessions":` + ones + `,"events":` + texts + `}`:           true,
	} {
		v, err := answer.Abridge(strings.NewReader(body))
		if err != nil || len(v) > 200<<10 {
			t.Fatalf("%.60s: %d bytes, %v", body, len(v), err)
		}
		small, _ := call.Read(200, v)
		if whole, _ := call.Read(200, parse(t, body)); small.Delivered != isData || whole.Delivered != isData {
			t.Errorf("%.60s is the data: %t, and in whole %t", body, small.Delivered, whole.Delivered)
		}
	}
}

func TestReadToken_textInTheFieldToken(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"token":"a.b.c","type":"bearer","user":{"id":1}}`: "a.b.c",
		`{"result":{"token":"a.b.c"}}`:                      "a.b.c", `{"token":"a.b.c","result":{"token":"d.e.f"}}`: "a.b.c",
		`{"code":0,"data":{"token":"a.b.c"}}`: "a.b.c", `{"refresh":{"token":"d.e.f"},"access":{"token":"a.b.c"}}`: "",

		`{"access_token":"a.b.c","token_type":"Bearer"}`: "", `{"data":{"session":{"token":"a.b.c"}}}`: "",
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
