// SPDX-License-Identifier: MPL-2.0

package answer_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// personal are answers that are all data of a person, with a member that each has at its
// top.
var personal = map[string]string{
	`{"identity":"` + person + `","profile":{"plan":"gold"},"events":[]}`:         "profile",
	`{"identity":"` + person + `","profile":null,"sessions":[],"events":[]}`:      "events",
	`{"id":"User-1%40example.com","orders":[{"sku":"1"}],"errors":[],"ok":""}`:    "orders",
	`{"data":{"profile":{"plan":"gold"}}}`:                                        "data",
	`{"data":{"profile":{"plan":"gold"},"events":[{"name":"x"}]}}`:                "data",
	`{"user":{"id":"` + person + `","plan":"gold"},"errors":[]}`:                  "user",
	`[{"profile":{"plan":"gold"}},{"events":[]}]`:                                 "profile",
	`{"value":[{"name":"x"}]}`:                                                    "value",
	`{"data":{"user":{"profile":{"plan":"gold"},"events":[]}},"extensions":null}`: "data",
}

// unsure are answers that may be all data of a person, or its first page, with a member that
// each has at its top.
var unsure = map[string]string{
	`{"message":"Your export is ready","links":{"download":"https://example.com/x"}}`:      "links",
	`{"message":"Your export is ready","download":{"url":"https://example.com/x"}}`:        "download",
	`{"message":"It will take a while."}`:                                                  "message",
	`{"plan":"gold","email":"` + person + `"}`:                                             "plan",
	`{"id":"` + person + `","email":"x","orders":[{"sku":"1"}]}`:                           "orders",
	`{"status":"success","data":{"profile":{"plan":"gold"},"events":[]}}`:                  "data",
	`{"items":[{"name":"x"}],"next":"https://example.com/?page=2"}`:                        "items",
	`{"value":[{"name":"x"}],"@odata.nextLink":"https://example.com/?$skip=1"}`:            "value",
	`{"@odata.context":"x","value":[{"name":"x"}]}`:                                        "value",
	`{"results":[{"name":"x"}],"has_more":true}`:                                           "results",
	`{"Items":[{"name":"x"}],"Count":1,"ScannedCount":3,"LastEvaluatedKey":{"id":"x"}}`:    "Items",
	`{"identity":"` + person + `","profile":{"plan":"gold"},"events":[{}],"mark":"eyJ"}`:   "profile",
	`{"data":{"events":[{"name":"x"}],"profile":{},"mark":"eyJ"}}`:                         "data",
	`{"_links":{"next":{"href":"x"}},"_embedded":{"events":[{"name":"x"}]}}`:               "_embedded",
	`{"content":[{"name":"x"}],"page":{"size":1,"number":0},"totalPages":2}`:               "content",
	`{"data":[{"name":"x"}],"links":{"next":null},"meta":{"current_page":1,"total":1}}`:    "data",
	`{"type":"https://example.com/probs/late","title":"Not yet","invalid":[{"name":"x"}]}`: "title",
	`{"__type":"AccessDeniedException","message":"x"}`:                                     "message",
}

// acknowledgements are answers that are no data of a person.
var acknowledgements = []string{
	`{"id":"r-1"}`, `{"id":"r-1","status":"pending"}`, `{"requestId":"r-1","message":"queued","links":{"self":{"href":"x"}}}`,
	`{"success":true}`, `{"success":true,"data":{}}`, `{"success":true,"data":{"id":"r-1"}}`, `{"status":"accepted"}`,
	`{"request":{"id":"r-1","operation":"getAllData","identityId":"` + person + `"}}`,
	`{"operation":"getAllData","links":[{"rel":"self"}]}`,
	`{"status":202,"message":"Accepted","details":{"position":4}}`,
	`{"data":{"type":"access-requests","id":"r-1","attributes":{"state":"queued"}}}`,
	`{"job":{"jobId":"r-1","state":"RUNNING"}}`,
	`{"status":"queued","eta":{"seconds":60}}`,
	`{"_id":{"$oid":"64b7"},"user":{"id":"` + person + `"}}`,
	`{"task":{"id":1,"progress":{"percent":10}}}`, `{"data":{}}`, `{}`,
}

func TestDataCall_firstAnswerIsNeverTheData(t *testing.T) {
	t.Parallel()
	for body := range personal {
		receipt, err := answer.DataCall{Person: person}.Read(200, parse(t, body))
		if err != nil || receipt.Delivered || receipt.NotUnderstood == "" {
			t.Errorf("%s: %+v, %v", body, receipt, err)
		}
	}
}

func TestDataCall_answerAfterTheRequestHasLeftTheList(t *testing.T) {
	t.Parallel()
	for body := range personal {
		receipt, err := answer.DataCall{Person: person, Seen: true}.Read(200, parse(t, body))
		if err != nil || !receipt.Delivered || receipt.NotUnderstood != "" {
			t.Errorf("%s: %+v, %v", body, receipt, err)
		}
	}
}

func TestDataCall_memberThatTheDataHasAtItsTop(t *testing.T) {
	t.Parallel()
	all := maps.Clone(personal)
	maps.Copy(all, unsure)
	for body, member := range all {
		for _, seen := range []bool{false, true} {
			receipt, err := answer.DataCall{Person: person, Seen: seen, Member: member}.Read(200, parse(t, body))
			if err != nil || !receipt.Delivered || receipt.ID != "" || receipt.NotUnderstood != "" {
				t.Errorf("%s, %t: %+v, %v", body, seen, receipt, err)
			}
		}
	}

	marked := answer.DataCall{Person: person, Member: "data"}
	if receipt, err := marked.Read(202, parse(t, `{"data":{"a":1}}`)); err != nil || receipt.Delivered {
		t.Errorf("under 202: %+v, %v", receipt, err)
	}
	if receipt, err := marked.Read(200, parse(t, `{"id":"r-1"}`)); err != nil || receipt.Delivered || receipt.ID != "r-1" {
		t.Errorf("without the member: %+v, %v", receipt, err)
	}
	_, err := marked.Read(200, parse(t, `{"success":false,"data":null}`))
	_ = wantProblem(t, err, answer.Refused)
}

func TestDataCall_acknowledgementsAreNoData(t *testing.T) {
	t.Parallel()
	for _, body := range acknowledgements {
		for _, seen := range []bool{false, true} {
			receipt, err := answer.DataCall{Person: person, Seen: seen}.Read(200, parse(t, body))
			if err != nil || receipt.Delivered || receipt.NotUnderstood != "" {
				t.Errorf("%s, %t: %+v, %v", body, seen, receipt, err)
			}
		}
	}
}

// What is neither the data nor a receipt is refused once the request has left the list, and
// the setting that the refusal names admits it.
func TestDataCall_refusalNamesTheSettingThatAdmitsIt(t *testing.T) {
	t.Parallel()
	for body := range unsure {
		v := parse(t, body)
		_, err := answer.DataCall{Person: person, Seen: true}.Read(200, v)
		p := wantProblem(t, err, answer.Unrecognised)
		if !strings.Contains(p.Setting, "wire.all_data_member") || strings.Contains(p.Error(), "example.com") || strings.Contains(p.Error(), "gold") {
			t.Errorf("%s: %s", body, p)
		}
	}

	requests := parse(t, `[{"status":"pending","name":"x"}]`)
	_, err := answer.DataCall{Person: person, Seen: true}.Read(200, requests)
	_ = wantProblem(t, err, answer.Unrecognised)

	paged := parse(t, `{"profile":{"plan":"gold"}}`)
	_, err = answer.DataCall{Person: person, Seen: true, Continued: true}.Read(200, paged)
	_ = wantProblem(t, err, answer.Unrecognised)
	if receipt, err := (answer.DataCall{Person: person, Seen: true, Continued: true, Member: "profile"}).Read(200, paged); err != nil || !receipt.Delivered {
		t.Errorf("with the setting it is %+v, %v", receipt, err)
	}
}

func TestDataCall_refusals(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"success":false,"data":{"profile":{}}}`, `{"error":{"code":"E"}}`, `{"errors":[{"message":"x"}],"data":{"user":{}}}`, `{"status":"failed","events":[{}]}`, `{"accepted":false}`,
	} {
		_, err := answer.DataCall{Person: person, Seen: true}.Read(200, parse(t, body))
		_ = wantProblem(t, err, answer.Refused)
	}
}

// A skeleton is read as the whole value is.
func TestSkeleton_isReadAsTheWholeValue(t *testing.T) {
	t.Parallel()
	call := answer.DataCall{Person: person, Seen: true}
	for text, want := range map[string]string{
		`{"a":"x","b":1,"c":false,"d":null,"e":{"f":1,"g":""},"h":[1,2],"i":0}`: `{"a":true,"b":true,"c":false,"e":{"f":true},"h":[true]}`,
		`[{"a":"` + person + `","b":[]},{"c":1}]`:                               `[{"a":"` + person + `","b":[]}]`,
		`[1,{"c":1}]`:                     `[{"c":true}]`,
		`{"a":{"b":{"c":{"d":{"e":1}}}}}`: `{"a":{"b":{"c":{"d":[{}]}}}}`,
		` {} `:                            `{}`,
		`"x"`:                             `true`,
	} {
		got, err := call.Skeleton(strings.NewReader(text))
		if err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}

	for _, text := range []string{`{"a":{}`, `{"a":1}{}`, `[1,`, `{"a":1,"a":2}`, `{"a"}`, `[1}`, ``, `{"a":1} x`} {
		if got, err := call.Skeleton(strings.NewReader(text)); err == nil {
			t.Errorf("%s is read as %s", text, got)
		}
	}

	all := maps.Clone(personal)
	maps.Copy(all, unsure)
	for text := range all {
		v, err := call.Skeleton(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		large, _ := call.Read(200, v)
		if small, _ := call.Read(200, parse(t, text)); large.Delivered != small.Delivered {
			t.Errorf("%s: its skeleton %s is the data: %t", text, v, large.Delivered)
		}
	}
}
