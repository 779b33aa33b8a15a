// SPDX-License-Identifier: MPL-2.0

package decode_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

const person = "user-1@example.com"

// receipts are answers under 200 that are receipts, and the identifiers of their requests.
var receipts = answers{
	`null`: "", `{}`: "", `[]`: "", `{"data":null}`: "",
	`{"id":"r-1"}`:            "r-1",
	`{"_id":{"$oid":"64b7"}}`: "64b7", `{"id":null,"data":{"id":"r-1"}}`: "r-1",
	`{"error":{},"errors":[],"data":{"id":"r-1"}}`:                                      "r-1",
	`{"identityId":"` + person + `","id":"` + person + `","operation":"deleteAllData"}`: "",
	`{"id":"USER-1%40example.com","status":"queued"}`:                                   "",
	`{"data":{"deleteUser":{"request":{"id":"r-1"}}}}`:                                  "r-1",
	`{"operation":"GetAllData","createdAt":"2026-01-31T12:00:00Z"}`:                     "",
	`{"id":"r-1","status":"queued","steps":[{"name":"collect"}]}`:                       "r-1",
	`{"id":"r-1","status":"queued","user":{"id":"u-77","plan":"gold"}}`:                 "r-1",
}

// refusals are answers under 200 that refuse a request.
var refusals = answers{
	`{"accepted":false}`: refused, `{"ok":false}`: refused, `{"success":false,"reason":"quota"}`: refused, `{"success":"false"}`: refused,
	`{"status":"rejected"}`: refused, `{"status":"FAILED","id":"r-1"}`: refused, `{"state":"cancelled"}`: refused, `{"id":"r-1","accepted":false}`: refused,
	`{"error":"quota"}`: refused, `{"errors":["quota"]}`: refused, `{"data":{"id":"r-1","status":"failed"}}`: refused,
	`{"status":"new","Status":"failed"}`: refused, `{"status":"failed","Status":"new"}`: refused, `{"id":"r-1","status":"accepted","state":"failed"}`: refused,
	`{"status":"failed","events":[{}]}`:                       refused,
	`{"success":false,"events":[{"name":"x"}]}`:               refused,
	`{"type":"about:blank","title":"Forbidden","status":403}`: refused,
}

const isData, notUnderstood = "delivered", "not understood"

// receiptText returns what an answer is read as: the data, or a receipt with its id.
func receiptText(r decode.Receipt) string {
	switch {
	case r.Delivered:
		return isData + r.ID
	case strings.Contains(r.NotUnderstood, "gold"), strings.Contains(r.NotUnderstood, "simmering"), strings.Contains(r.NotUnderstood, person):
		return r.NotUnderstood
	case r.NotUnderstood != "" && r.ID == "":
		return notUnderstood
	}

	return r.ID
}

// An answer that nothing shows to be a receipt is one under 202. What is a receipt or a refusal is so in the answer to a
// request for data too.
func TestReadReceipt_recognisedNotUnderstoodOrRefused(t *testing.T) {
	t.Parallel()

	under := func(status int) func(jsontext.Value) (string, error) {
		return func(v jsontext.Value) (string, error) {
			receipt, err := decode.Envelope{}.ReadReceipt(status, v, person)
			return receiptText(receipt), err
		}
	}
	for _, body := range []string{
		`{"plan":"gold","email":"` + person + `"}`, `{"user":{"id":"` + person + `","plan":"gold"}}`, `{"` + person + `":{"plan":"gold"}}`, `[{"plan":"gold"}]`,
		`{"type":"removeProfileField"}`, `{"operation":"all-data","method":"DELETE"}`, `{"kind":"analytics#dataDeletionRequest","operation":"data_deletion"}`,
		`{"id":"` + person + `","data":{"id":"77"}}`, // of a record
		`{"status":"simmering"}`, `{"message":"Your request is important to us."}`, `{"status":"success","data":null}`, `"queued"`, `true`,
	} {
		answers{body: notUnderstood}.check(t, 200, under(200))
		answers{body: ""}.check(t, 202, under(202))
	}
	answers{"null": ""}.check(t, 204, under(204))
	answers{`{"success":true,"message":"done soon"}`: ""}.check(t, 200, under(200))

	all := maps.Clone(receipts)
	maps.Copy(all, refusals)
	all.check(t, 200, under(200))
	all.check(t, 202, under(202))
	for _, at := range []*jsontext.Pointer{nil, new(jsontext.Pointer("/nothing"))} {
		all.check(t, "all data", func(v jsontext.Value) (string, error) {
			receipt, err := decode.DataCall{Person: person, Seen: true, At: at}.Read(200, v)
			return receiptText(receipt), err
		})
	}
}

func TestReadReceipt_timeIsThatOfARequest(t *testing.T) {
	t.Parallel()
	for body, isCreated := range map[string]bool{`{"id":"r-1","createdAt":"2026-01-31T12:00:00Z"}`: true, `{"message":"x","timestamp":"2026-01-31T12:00:00Z"}`: false} {
		receipt, err := decode.Envelope{}.ReadReceipt(202, parse(t, body), person)
		if err != nil || receipt.At.IsZero() || receipt.At.Before(time.Now().Add(-time.Hour)) != isCreated {
			t.Errorf("%s: the time is %v, %v", body, receipt.At, err)
		}
	}
}

func TestReadUpdateReceipt_profileWithWhatWasSent(t *testing.T) {
	t.Parallel()

	onlyNulls := map[string]jsontext.Value{"plan": jsontext.Value("null")}
	for _, c := range []struct {
		sent map[string]jsontext.Value
		answers
	}{
		{managed, answers{
			`{"id":"77","plan":"gold"}`: "", `{"profile":{"id":"77","plan":"gold"}}`: "", `{"status":"active","plan":"gold"}`: "", `{"plan":"gold","name":null}`: "",
			`{"plan":"gold","name":"x"}`: notUnderstood, `{"plan":"free"}`: notUnderstood, `{"name":"x"}`: notUnderstood, `{"id":"r-1"}`: "r-1",
			`{"requestId":"r-1","data":{"id":"77","plan":"gold"}}`: "r-1",
			`{"success":false,"reason":"quota"}`:                   refused, `{"success":false,"data":{"plan":"gold"}}`: refused, `{"status":"rejected"}`: refused,
			`{"success":false,"plan":"gold"}`: refused,
		}},
		{onlyNulls, answers{`{"id":"r-1"}`: "r-1"}},
	} {
		c.answers.check(t, c.sent, func(v jsontext.Value) (string, error) {
			receipt, err := decode.Envelope{}.ReadUpdateReceipt(200, v, person, c.sent)
			return receiptText(receipt), err
		})
	}
}

func TestStructure_hasNamesAndNeverValuesOrPeople(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"id":"secret","at":{"n":1}}`:                                                    `an object (its members are "id", "at")`,
		`[{"id":1},{"id":2,"ok":false},{"ok":true}]`:                                      "an array",
		`{"jane@example.com":1,"user-1001":2,"id=jane":3}`:                                `an object (its members are "…", "…", "…")`,
		`{"jane":{"plan":"a"},"john":{}}`:                                                 "an object",
		`{"jane":{"plan":"a"},"n":1,"USER-1%40example.com":{}}`:                           `an object (its members are "jane", "n", "…")`,
		`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1}`: `an object (its members are "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", …)`,
		`{}`: "an object", `[]`: "an array", `"secret"`: "a string",
	} {
		if got := decode.Structure(parse(t, text)); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	if got := decode.Members(parse(t, `{"jane":{},"id":1}`), "Jane"); got != ` (its members are "…", "id")` {
		t.Errorf("a member with the name of the person: %s", got)
	}
}

// TestReadReceipt_byItsResult has answers with a request, of which only a word of success says that the
// service accepted it. A flag that wire.ignored leaves out elsewhere refuses it all the same.
func TestReadReceipt_byItsResult(t *testing.T) {
	t.Parallel()
	byCode := decode.Envelope{
		Ignored: map[jsontext.Pointer]string{"/success": "*"},
		Result:  decode.Result{At: "/code", Success: []string{"0"}, Absent: []string{"40400"}},
	}
	for status, unsaid := range map[int]string{200: notUnderstood, 202: ""} {
		answers{
			`{"code":"","note":"x"}`: unsaid, `{"note":"x"}`: unsaid,
			`{"code":0}`: "", `{"code":0,"id":"r-1"}`: "r-1", `{"id":"r-1"}`: "r-1", `{"code":50000,"requestId":"trace-1"}`: notUnderstood, `{"code":40400,"id":"r-1"}`: notUnderstood,
			`{"code":0,"success":false}`: refused,
		}.check(t, status, func(v jsontext.Value) (string, error) {
			receipt, err := byCode.ReadReceipt(status, v, person)
			return receiptText(receipt), err
		})
	}
}
