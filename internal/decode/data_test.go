// SPDX-License-Identifier: MPL-2.0

package decode_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// The first answer is never the data, and one after the request has left the list may be. Where a setting says that the
// answer is the data, each of these is. What is neither the data nor a receipt is refused, and names the setting.
func TestDataCall_recognised(t *testing.T) {
	t.Parallel()

	const advice = "wire.all_data.at, a pointer to the data, admits it"
	all := answers{
		`{"id":"User-1%40example.com","sessions":[{"page":"1"}],"errors":[],"ok":""}`:  isData,
		`[{"profile":{"plan":"gold"}},{"events":[]}]`:                                  isData,
		`{"status":"success","data":{"events":[{"name":"x"}]},"message":null}`:         isData,
		`{"success":true,"data":{"consent":{"given":false}}}`:                          isData,
		`{"data":{"profile":{"id":"u-77","status":"cancelled"}}}`:                      isData,
		`{"profile":{"a":1},"preferences":{}}`:                                         isData,
		`{"persons":[{"id":1}],"next":null,"hasMore":false}`:                           isData,
		`{"profile":{"a":1},"generatedAt":"2026-01-31T12:00:00","_links":{"self":{}}}`: isData,

		`{"success":true,"message":"queued"}`: "", // another request

		// Parts, jobs, and what nothing shows to be data.
		`{"message":"Your export is ready","links":{"download":"https://example.com/x"}}`:   advice,
		`{"identity":"` + person + `","session":"2026-01-31T12:00:00Z"}`:                    advice,
		`{"plan":"gold","email":"` + person + `"}`:                                          advice,
		`{"user":{"id":"` + person + `"}}`:                                                  advice,
		`[{"success":false,"reason":"late"}]`:                                               advice,
		`[{"status":"pending","name":"x"}]`:                                                 advice,
		`[1]`:                                                                               advice,
		`{"orders":[{"sku":"1"}]}`:                                                          advice,
		`{"identity":"` + person + `","profile":null,"sessions":[],"events":[]}`:            isData,
		`{"id":"` + person + `","email":"x","events":[{"name":"x"}]}`:                       advice,
		`{"events":[{"name":"x"}],"orders":[{"sku":"1"}]}`:                                  advice,
		`{"events":[{"name":"x"}],"paging":{"next":"https://example.com/?page=2"}}`:         advice,
		`{"events":[{"name":"x"}],"export":{"complete":false}}`:                             advice,
		`{"events":[{"name":"x"}],"after":["x",7]}`:                                         advice,
		`{"events":[{"name":"x"}],"_links":[{"rel":"next","href":"x"}]}`:                    advice,
		`{"_links":{"next":{"href":"x"}},"_embedded":{"events":[{"name":"x"}]}}`:            advice,
		`{"data":[{"name":"x"}],"links":{"next":null},"meta":{"current_page":1,"total":1}}`: advice,
		`{"id":"u-77","events":[{"name":"x"}]}`:                                             advice,
	}
	whole, nothing := new(jsontext.Pointer), new(jsontext.Pointer("/nothing"))
	for body, seen := range all {
		for _, call := range []decode.DataCall{{Seen: true}, {At: whole}, {At: whole, Seen: true, Continued: true}} {
			want := seen
			if call.At != nil {
				want = isData
			}
			call.Person = person
			answers{body: want}.check(t, call, func(v jsontext.Value) (string, error) {
				receipt, err := call.Read(200, v)
				return receiptText(receipt), err
			})
		}
		for _, call := range []decode.DataCall{{}, {Seen: true, Continued: true}, {At: nothing, Seen: true}} {
			call.Person = person
			if receipt, _ := call.Read(200, parse(t, body)); receipt.Delivered {
				t.Errorf("%s with %+v is the data", body, call)
			}
		}
	}
}

func TestDataCall_whatIsMarkedAndWhatIsNot(t *testing.T) {
	t.Parallel()
	const advice = "wire.all_data.at, a pointer to the data, admits it"
	byCode := decode.Envelope{Result: decode.Result{At: "/code", Success: []string{"0"}}}
	for _, c := range []struct {
		call   decode.DataCall
		status int
		answers
	}{
		{decode.DataCall{At: new(jsontext.Pointer("/data"))}, 200, answers{
			`{"id":"r-1"}`: "r-1", `{"plan":"gold"}`: notUnderstood, `{"data":null}`: "", `{"data":{}}`: "", `{"id":"r-1","data":[]}`: "r-1", `{"success":false,"data":null}`: refused, `{"success":false,"data":{"plan":"gold"}}`: refused,
			`{"data":{"id":"r-1","status":"queued"}}`:                                              "r-1", // an acknowledgement
			`{"data":{"type":"getAllData","state":"accepted","createdAt":"2026-01-31T12:00:00Z"}}`: "",
			`{"data":{"status":"active","sessions":3}}`:                                            isData, // of a person who is active
			`{"data":[],"profile":{"plan":"gold"}}`:                                                isData, // beside the person's own
			`{"data":{"status":"cancelled","sessions":3}}`:                                         isData,
			`{"data":{"identityId":"other@example.com","events":[]}}`:                              "about somebody else",
		}},
		{decode.DataCall{At: new(jsontext.Pointer("/data")), Seen: true}, 200, answers{
			`{"id":"r-2"}`: "r-2", `{"id":"u-77","sessions":[{"page":1}]}`: advice, // data elsewhere, and no other request
		}},
		{decode.DataCall{At: new(jsontext.Pointer("/data")), Seen: true, Envelope: byCode}, 200, answers{
			`{"code":0,"data":{"plan":"gold"}}`: isData, `{"code":50000,"data":{"reason":"busy"}}`: notUnderstood,
		}},
		{decode.DataCall{At: new(jsontext.Pointer("/data"))}, 202, answers{`{"data":{"a":1}}`: ""}},
		{decode.DataCall{Seen: true, Envelope: byCode}, 200, answers{`{"code":0,"note":"x"}`: advice}},
		{decode.DataCall{Envelope: byCode}, 200, answers{`{"code":0,"data":null}`: ""}},
	} {
		c.call.Person = person
		c.answers.check(t, c.call, func(v jsontext.Value) (string, error) {
			receipt, err := c.call.Read(c.status, v)
			return receiptText(receipt), err
		})
	}
}

// An abridged value is read as the whole one is, however large that is.
func TestAbridge_isReadAsTheWholeValue(t *testing.T) {
	t.Parallel()
	many := `[` + strings.Repeat(`{"name":"x","at":[1,2,3]},`, 10_000) + `{}]`
	texts := `[` + strings.Repeat(`"`+strings.Repeat("x", 100)+`",`, 10_000) + `[]]`
	var hours, days strings.Builder
	for i := range 20 {
		fmt.Fprintf(&hours, `"%0150d":1,`, i)
	}
	for i := range 600 {
		fmt.Fprintf(&days, `"day%d":{%s"all":1},"text%d":"%0200d",`, i, hours.String(), i, i)
	}
	long := `{` + days.String() + `"all":1}`

	for _, text := range []string{`{"a":{}`, `{"a":1}{}`, `[1,`, `{"a":1,"a":2}`, `{"a"}`, `[1}`, ``, `{"a":1} x`, `[` + many} {
		if got, err := decode.Abridge(strings.NewReader(text)); err == nil {
			t.Errorf("%.80s is read as %.80s", text, got)
		}
	}
	got, err := decode.Abridge(strings.NewReader(`{"a":"x","b":1,"c":false,"e":{"f":""},"h":[{},1],"i":"` + strings.Repeat("x", 300) + `"}`))
	if want := `{"a":"x","b":1,"c":false,"e":{"f":""},"h":[{}],"i":"…"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}

	call := decode.DataCall{Person: person, Seen: true}
	for body, isData := range map[string]bool{
		many: true, `{"profile":{"plan":"gold"},"sessions":` + long + `,"events":` + texts + `}`: true,
		`{"data":{"identity":"` + person + `","events":` + many + `,"sessions":` + many + `}}`: true,
		`{"events":` + many + `,"error":"partial"}`:                                            false,
		`{"events":` + long + `,"paging":{"next":"x"}}`:                                        false,
	} {
		v, err := decode.Abridge(strings.NewReader(body))
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
	const none = "no text in a field token"
	answers{
		`{"token":"a.b.c","type":"bearer","user":{"id":1}}`: "a.b.c",
		`{"user":{"id":1},"auth":{"token":"a.b.c"},"x":[]}`: "a.b.c",
		`{"result":{"token":"a.b.c"}}`:                      "a.b.c", `{"data":{"session":{"token":"a.b.c"}}}`: "a.b.c", `{"token":"d.e.f","result":{"token":"a.b.c"}}`: "a.b.c", `{"token":"a.b.c","result":{"device":{"token":"d.e.f"}}}`: "a.b.c",
		`{"code":0,"data":{"token":"a.b.c"}}`: "a.b.c", `{"refresh":{"token":"d.e.f"},"access":{"token":"a.b.c"}}`: none,

		`{"access_token":"a.b.c","token_type":"Bearer"}`: none,
		`{"token":{"value":"a.b.c"}}`:                    none, `{"token":null}`: none, `["a.b.c"]`: none, `"a.b.c"`: none,
	}.check(t, "login", func(v jsontext.Value) (string, error) { return decode.ReadToken(v, "/result") })
}

func TestReadUser_objectThatReportsNoError(t *testing.T) {
	t.Parallel()
	answers{
		`{"data":{"viewer":{"login":"x"}}}`: "", `{"id":1,"errors":[],"error":null}`: "",
		`{"success":false}`: refused, `{"data":null,"errors":[{"message":"no"}]}`: refused, `{"ok":false,"error":"invalid_auth"}`: refused,
		`null`: "expected an object", `[]`: "expected an object", `"user"`: "expected an object", `true`: "expected an object",
	}.check(t, "user", func(v jsontext.Value) (string, error) { return "", decode.ReadUser(v) })
}

// TestReadUser_decodesWhatItAsksFor counts allocations, so that it is not parallel.
func TestReadUser_decodesWhatItAsksFor(t *testing.T) { //nolint:paralleltest // of its own
	large := parse(t, `{"id":1,"all":[0`+strings.Repeat(",0", 1000)+`]}`)
	if n := testing.AllocsPerRun(1, func() { _ = decode.ReadUser(large) }); n > 100 {
		t.Errorf("a large answer takes %v allocations", n)
	}
}
