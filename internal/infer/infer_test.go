// SPDX-License-Identifier: MPL-2.0

package infer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

func TestSettings_areMergedShortenedAndWritten(t *testing.T) {
	t.Parallel()
	a := infer.ParseSettings(jsontext.Value(`{"absent":["json_404"],"ignored":{"/meta/took":"*"},"pending":{"at":"/data","types":{"data_access":["GET"]}}}`))
	b := infer.ParseSettings(jsontext.Value(`{"absent":["json_404","204"],"ignored":{"/ok":"true"},"pending":{"empty":true,"total":"/meta/total","types":{"data_access":["get"]}}}`))
	all := a.Merge(b)
	const merged = `{"absent":["json_404","204"],"ignored":{"/meta/took":"*","/ok":"true"},` +
		`"pending":{"at":"/data","empty":true,"total":"/meta/total","types":{"data_access":["GET","get"]}}}`
	if diff := cmp.Diff(merged, string(all.JSON())); diff != "" {
		t.Errorf("merged: %s", diff)
	}

	short := all.Shortest(func(s infer.Settings) bool { return s["/pending/at"] != nil })
	if diff := cmp.Diff(`wire.pending.at = "/data" and wire.pending.total = "/meta/total"`, short.Sentence()); diff != "" {
		t.Errorf("shortened, a total stays: %s", diff)
	}
	all["/ignored/~1a"] = `"${x}"`
	const block = `wire {
  absent  = ["json_404", "204"]
  ignored = { "/a" = "\"$${x}\"", "/meta/took" = "*", "/ok" = "true" }
  pending {
    at    = "/data"
    empty = true
    total = "/meta/total"
    types = { "data_access" = ["GET", "get"] }
  }
}
`
	if diff := cmp.Diff(block, all.Block()); diff != "" {
		t.Errorf("block: %s", diff)
	}
	if texts := all.Texts(); !slices.Contains(texts, "/meta/total") || !slices.Contains(texts, "GET") || !slices.Contains(texts, "/ok") {
		t.Errorf("texts: %v", texts)
	}
}

// TestAbsent_byWhatIsNotAnObject has answers that say nothing by their content, so that only their status
// can say that there is nothing.
func TestAbsent_byWhatIsNotAnObject(t *testing.T) {
	t.Parallel()
	for _, body := range []string{``, `Not Found`, `"Not Found"`, `null`, `[]`} {
		all := infer.Absent(infer.Answer{Body: []byte(body)})
		isAny404 := func(s infer.Settings) bool { return s.Sentence() == `wire.absent = ["json_404", "any_404"]` }
		if !slices.ContainsFunc(all, isAny404) {
			t.Errorf("%s: %v", body, all)
		}
	}
}

// TestExport_ofAJob has a job that has not begun to fill its lists, which must not be taken for an empty day.
func TestExport_ofAJob(t *testing.T) {
	t.Parallel()
	for body, isProposed := range map[string]bool{
		`{"took":5,"persons":[],"events":[]}`:                       true,
		`{"jobId":"1","persons":[],"events":[]}`:                    false,
		`{"took":5,"meta":{"percent":50},"persons":[],"events":[]}`: false,
	} {
		if all := infer.Export(infer.Answer{Body: []byte(body)}); (len(all) > 0) != isProposed {
			t.Errorf("%s: %v", body, all)
		}
	}
}

// TestAbsent_byTheCodeOfAResult has codes beside nothing. Only one that may say that there is nothing is
// proposed.
func TestAbsent_byTheCodeOfAResult(t *testing.T) {
	t.Parallel()
	for code, isProposed := range map[string]bool{`40400`: true, `"NOT_FOUND"`: true, `1001`: true, `50000`: false, `40100`: false, `"403"`: false, `42900`: false} {
		all := infer.Absent(infer.Answer{Body: []byte(`{"code":` + code + `,"msg":"x","data":null}`)})
		if (len(all) > 0) != isProposed {
			t.Errorf("%s: %v", code, all)
		}
	}
}

// TestPending_byWordsAlone has records whose members have names of their own.
func TestPending_byWordsAlone(t *testing.T) {
	t.Parallel()
	const ticket = `"ticket":"DSR-1","requester":"ada@example.com","wanted":"ERASURE","opened":1769932800}]}`
	for list, request := range map[string]infer.Request{
		`{"tickets":[{` + ticket:                 {Person: "ada@example.com"},
		`{"tickets":[{"account":"C-9",` + ticket: {Person: "ada@example.com", ID: "DSR-1"}, // and not of the person
	} {
		all := infer.Pending(infer.Answer{Body: []byte(list)}, &request)
		isFound := func(s infer.Settings) bool {
			return s["/pending/id"] == "/ticket" && s["/pending/type"] == "/wanted" && s["/pending/identity"] == "/requester"
		}
		if !slices.ContainsFunc(all, isFound) {
			t.Errorf("%s: %v", list, all)
		}
	}
}

// TestPending_meaningOfAStatus has the record of a request that was sent, among others of the same person.
func TestPending_meaningOfAStatus(t *testing.T) {
	t.Parallel()
	update := &infer.Request{Person: "ada@example.com", Type: "profile_update", State: "done"}
	for _, tc := range []struct{ status, state, want string }{
		{"EN_COURS", "waiting", "waiting"},
		{"IN_REVIEW", "done", "waiting"}, // the list lags
		{"EXECUTING", "done", "waiting"},
		{"CLOSED", "waiting", ""},
		{"CLOSED", "effective", ""},
		{"EN_COURS", "effective", ""},
		{"EXECUTED", "effective", "done"},
		{"INCOMPLETE", "effective", ""},
		{"PARTIALLY_COMPLETED", "effective", ""},
		{"CLOSED", "done", "ended"},
		{"FINISHED_OK", "done", "done"},
	} {
		body := `[{"person":"ada@example.com","type":"erasure","status":"` + tc.status + `"}]`
		deletion := &infer.Request{Person: "ada@example.com", Type: "data_deletion", State: tc.state}
		s := infer.Pending(infer.Answer{Body: []byte(body)}, update, deletion)[0]

		got := ""
		for _, meaning := range []string{"waiting", "done", "ended", "failed"} {
			if s[jsontext.Pointer("/pending/statuses").AppendToken(meaning)] != nil {
				got += meaning
			}
		}
		if got != tc.want {
			t.Errorf("%s of a request that is %s means %q, want %q", tc.status, tc.state, got, tc.want)
		}
	}
}

// TestExport_kindsByQualifiedWords has the types of OData.
func TestExport_kindsByQualifiedWords(t *testing.T) {
	t.Parallel()
	const day = `{"@odata.context":"x","value":[{"@odata.type":"#Model.Person","Id":"p-1","Email":"x"},{"@odata.type":"#Model.Event","Id":"ev-1","Name":"x"}]}`
	all := infer.Export(infer.Answer{Body: []byte(day)})
	isFound := func(s infer.Settings) bool {
		words, _ := s["/export/kinds/events"].([]any)
		return s["/export/kind"] == "/@odata.type" && slices.Contains(words, any("#Model.Event"))
	}
	if !slices.ContainsFunc(all, isFound) {
		t.Errorf("%v", all)
	}
}

// TestData_neverByWhatDescribesWork has data beside what an acknowledgement has too, beside the address of a next
// page, and in an answer that is not done.
func TestData_neverByWhatDescribesWork(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]any{
		`{"result":{"state":"EN_COURS"},"profile":{"plan":"gold"}}`:        "/profile",
		`{"data":{"events":[{"id":1}]},"paging":{"next":"?page=2"}}`:       nil,
		`{"data":{"events":[{"id":1}]},"has_more":true}`:                   nil,
		`{"status":"running","data":{"events":[{"id":1}]}}`:                nil,
		`{"data":{"events":[]},"profile":null,"paging":{"next":null}}`:     nil,
		`{"status":"success","data":{"events":[{"id":1}]},"message":"ok"}`: "/data/events",
		`{"sessions":[],"events":[{"id":1}],"profile":{"plan":"gold"}}`:    "/sessions", // there without a session, too
		`{"user":{"profile":{"plan":"gold"}},"sessions":[{"id":1}]}`:       "/sessions",
		`{"sessions":[],"message":"queued"}`:                               nil,
		`{"requestId":"r-1","user":{"email":"x"}}`:                         nil,
		`{"request":{"status":"queued","user":{"email":"x"}}}`:             nil,
		`{"message":"queued","subject":{"email":"x"},"meta":{"id":"r-1"}}`: nil,
		`{"_links":{"self":{"href":"x"}},"profile":{"plan":"gold"}}`:       "/profile",
	} {
		all := infer.Data(infer.Answer{Body: []byte(body)})
		if len(all) != 0 && all[0]["/all_data/at"] != want || len(all) == 0 && want != nil {
			t.Errorf("%s: %v", body, all)
		}
	}
}

// TestPending_whatSaysThatThereIsMore has leaves whose other values would say that the list is a part.
func TestPending_whatSaysThatThereIsMore(t *testing.T) {
	t.Parallel()
	for leaf, want := range map[string]string{
		`"hasMore":false`: `{ "/hasMore" = "false" }`, `"last":true`: `{ "/last" = "true" }`, `"pages":1`: `{ "/pages" = "1" }`, `"took":3`: `{ "/took" = "*" }`,
	} {
		all := infer.Pending(infer.Answer{Body: []byte(`{"requests":[],` + leaf + `}`)})
		if len(all) != 1 || all[0].Sentence() != `wire.ignored = `+want+` and wire.pending.at = "/requests"` {
			t.Errorf("%s: %v", leaf, all)
		}
	}
}

// TestExport_whatSaysNothing has members around a day with nothing in them.
func TestExport_whatSaysNothing(t *testing.T) {
	t.Parallel()
	for member, want := range map[string]string{
		`"devices":[]`: `{ "/devices" = "[]" }`, `"meta":{}`: `{ "/meta" = "{}" }`, `"page":{"left":null}`: `{ "/page/left" = "null" }`, `"tenant":"web"`: `{ "/tenant" = "*" }`,
	} {
		all := infer.Export(infer.Answer{Body: []byte(`{"events":[{"id":1}],` + member + `}`)})
		if len(all) == 0 || !strings.HasSuffix(all[0].Sentence(), `wire.ignored = `+want) {
			t.Errorf("%s: %v", member, all)
		}
	}
}
