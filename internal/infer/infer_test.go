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
	b := infer.ParseSettings(jsontext.Value(`{"absent":["json_404","204"],"ignored":{"/~1a":"\"${x}\""},"pending":{"empty":true,"total":"/meta/total","types":{"data_access":["get"]}}}`))
	all := a.Merge(b)
	const block = `wire {
  absent  = ["json_404", "204"]
  ignored = { "/meta/took" = "*", "/~1a" = "\"$${x}\"" }
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
	short := all.Shortest(func(s infer.Settings) bool { return s["/pending/at"] != nil })
	if diff := cmp.Diff(`wire.pending.at = "/data" and wire.pending.total = "/meta/total"`, short.Sentence()); diff != "" {
		t.Errorf("shortened, a total stays: %s", diff)
	}
	inside := infer.ParseSettings(jsontext.Value(`{"export":{"at":{"events":"/data/hits"},"total":"/data/total"},"profile":{"at":"/data"}}`)).Inside("/data")
	if diff := cmp.Diff(`wire.export.at = { "events" = "/hits" } and wire.export.total = "/data/total"`, inside.Sentence()); diff != "" {
		t.Errorf("inside an envelope: %s", diff)
	}
	for _, text := range []string{"/meta/total", "GET", "/meta/took"} {
		if !slices.Contains(all.Texts(), text) {
			t.Errorf("texts: %v", all.Texts())
		}
	}
}

// propose has what proposes settings for an answer, by what it may be.
var propose = map[string]func(infer.Answer) []infer.Settings{
	"none": infer.Absent, "day": infer.Export, "data": infer.Data,
	"list": func(a infer.Answer) []infer.Settings { return infer.Pending(a) }, "error": infer.KindParameters,
	"record": infer.Consent, "profile": func(a infer.Answer) []infer.Settings { return infer.Profile(a, false) },
	"written": func(a infer.Answer) []infer.Settings { return infer.Profile(a, true) },
}

// TestProposals_first has what is in the first proposal for an answer, from ^ to $, or the word nothing.
func TestProposals_first(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ is, body, want string }{
		// A job that has not begun to fill its lists is not an empty day.
		{"day", `{"took":5,"persons":[],"events":[]}`, `"/took" = "*"`},
		{"day", `{"jobId":"1","persons":[],"events":[]}`, "nothing"},
		{"day", `{"took":5,"meta":{"percent":50},"persons":[],"events":[]}`, "nothing"},
		{"day", `{"status":"processing","persons":[],"events":[]}`, "nothing"},
		{"day", `{"persons":[{"jobId":"1","state":"QUEUED"}]}`, "nothing"},
		// What says nothing by its value is ignored with that value only.
		{"day", `{"events":[{"id":1}],"devices":[]}`, `{ "/devices" = "[]" }`},
		{"day", `{"events":[{"id":1}],"meta":{}}`, `{ "/meta" = "{}" }`},
		{"day", `{"events":[{"id":1}],"page":{"left":null}}`, `{ "/page/left" = "null" }`},
		{"day", `{"events":[{"id":1}],"tenant":"web"}`, `{ "/tenant" = "*" }`},
		{"list", `{"requests":[],"hasMore":false}`, `{ "/hasMore" = "false" }`},
		{"list", `{"requests":[],"total":0,"last":true}`, `{ "/last" = "true" }`},
		{"list", `{"requests":[],"pages":1}`, `{ "/pages" = "1" }`},
		{"list", `{"requests":[],"pages":1,"next":null}`, `{ "/pages" = "*" }`},
		{"list", `{"requests":[],"empty":true}`, `{ "/empty" = "*" }`},
		{"list", `{"requests":[],"errorCode":null}`, `{ "/errorCode" = "null" }`},
		{"list", `{"requests":[],"closed":[{"id":2}]}`, `^wire.pending.at = "/requests"$`}, // and not another list
		{"list", `{"requests":[],"_links":{"next":{"href":"/p2"}}}`, `^wire.pending.at = "/requests" and wire.pending.next = "/_links/next/href"$`},
		// Who works on a request is not whom it is about.
		{"list", `[{"id":"r-1","operatorEmail":"op@example.com","operation":"delete"}]`, `wire.pending.id = "/id" and wire.pending.type = "/operation"`},
		{"list", `[{"id":"r-1","reason":"please delete me","operationType":"DELETE"}]`, `wire.pending.type = "/operationType"`},
		// What a person is and has is not that of the request.
		{"list", `[{"user":{"id":3,"email":"ada@example.com","status":"active"},"ref":"r-1","stage":"queued"}]`, `wire.pending.id = "/ref" and wire.pending.identity = "/user/id" and wire.pending.status = "/stage"`},
		{"list", `[{"name":"operations/1","operation":"DELETE"}]`, `wire.pending.id = "/name"`},
		{"list", `[{"@id":"/r/1","id":"r-1","type":"ticket","action":"DELETE"}]`, `wire.pending.id = "/id" and wire.pending.type = "/action"`},
		{"list", `{"requests":[],"last_modified":"2026-02-01"}`, `{ "/last_modified" = "*" }`},
		{"list", `{"requests":[],"next":5}`, "nothing"}, // which is no address
		{"list", `{"requests":[],"pages":3}`, "nothing"},
		{"list", `{"requests":[],"scroll_id":"x"}`, "wire.pending.next"},
		{"list", `{"data":{"requests":[],"success":false}}`, "nothing"},
		{"list", `{"requests":[],"links":[{"rel":"next","href":"/p2"}]}`, `^wire.pending.at = "/requests"$`}, // which the reader refuses
		{"list", `{"requests":[],"next":"/p2","cursor":null}`, `wire.pending.next = "/next"`},
		{"list", `{"warnings":[],"requests":[]}`, `wire.pending.at = "/requests"`},
		{"list", `[{"uuid":"1","ref":"r-1"},{"ref":"r-2"}]`, `wire.pending.id = "/ref"`},
		{"list", `{"requests":[],"took":3}`, `wire.ignored = { "/took" = "*" } and wire.pending.at = "/requests"`},
		// Words may be qualified, as in OData.
		{"day", `{"value":[{"@odata.type":"#Model.Person","Id":"p-1"},{"@odata.type":"#Model.Event","Id":"ev-1"}]}`, `{ "events" = ["#Model.Event"], "persons" = ["#Model.Person"] }`},
		{"day", `[{"id":"event-1","sort":"hit"}]`, `wire.export.kind = "/sort"`}, // and an identifier is not a kind
		// Only some codes beside nothing say that there is nothing.
		{"none", `{"code":40400,"data":null}`, `wire.result.absent = ["40400"]`},
		{"none", `{"code":"NOT_FOUND","data":null}`, `wire.result.absent = ["NOT_FOUND"]`},
		{"none", `{"code":"RATE_LIMITED","data":null}`, `^wire.envelope = "/data"$`}, // which the reader refuses beside a code
		{"none", `{"status":"queued","data":null}`, `^wire.envelope = "/data"$`},
		{"none", `{"success":true,"message":"ok","data":null}`, `"/message" = "*"`},
		{"none", `{"records":[]}`, `"/records/0"`},
		// A former record is not the record, and the innermost envelope is around the profile.
		{"record", `{"previous":{"clause_1_consent":true},"current":{"clause_1_consent":false}}`, `"/current"`},
		{"record", `{"history":[{"clause_1_consent":true}]}`, "nothing"},
		{"profile", `{"data":{"id":"ada","attributes":{"plan":"gold"}}}`, `"/data/attributes"`},
		{"error", `{"detail":[{"loc":["query","kind"],"msg":"Field required"},{"loc":["query","x"]}]}`, `wire.export.kind_parameter = "kind"`},
		// What says no, and a part that leads nowhere, is nothing to read.
		{"list", `{"status":500,"requests":[]}`, "nothing"},
		{"list", `{"requests":[{"id":"r-1"}],"total":5,"count":1}`, "nothing"},
		{"list", `{"requests":[],"hasMore":true,"next":null}`, "nothing"},
		{"list", `{"requests":[],"last":"false"}`, "nothing"},
		{"list", `{"jobId":"1"}`, "nothing"},
		{"profile", `{"client":{"plan":"gold"}}`, "nothing"},
		{"written", `{"client":{"plan":"gold"}}`, `"/client"`},
		{"profile", `{"status":"fail","data":{"plan":"is required"}}`, "nothing"},
		{"profile", `{"status":500,"data":{"reason":"timeout"}}`, "nothing"},
		{"day", `[{"type":"event","error":"timeout","id":"e-1"}]`, "nothing"},
		// A sign, and a digit, make another code.
		{"list", `{"code":0,"data":[]}`, `wire.result.success = ["0"]`},
		{"list", `{"code":-1,"data":[]}`, "nothing"},
		{"list", `{"code":"0001","data":[]}`, "nothing"},
		// Data never is where work, another page or nothing is described.
		{"data", `{"result":{"state":"EN_COURS"},"profile":{"plan":"gold"}}`, "nothing"},
		{"data", `{"data":{"events":[{"id":1}]},"meta":{"requestId":"r-1"}}`, `"/data/events"`},
		{"data", `{"profile":{"status":"active"},"sessions":[{"id":1}],"version":3}`, `"/sessions"`},
		{"data", `{"data":{"events":[{"id":1}],"paging":{"next":"?page=2"}}}`, "nothing"},
		{"data", `{"data":{"events":[{"id":1}]},"has_more":true}`, "nothing"},
		{"data", `{"events":[{"id":1}],"links":[{"rel":"next","href":"x"}]}`, "nothing"},
		{"data", `{"data":{"events":[{"id":1}],"downloadUrl":"x"}}`, "nothing"},
		{"data", `{"data":{"events":[{"id":1}],"success":false}}`, "nothing"},
		{"data", `{"actions":[{"id":"a-1","status":"EN_COURS","kind":"export"}]}`, "nothing"},
		{"data", `{"success":false,"data":{"events":[{"id":1}]}}`, "nothing"},
		{"data", `{"status":"running","data":{"events":[{"id":1}]}}`, "nothing"},
		{"data", `{"data":{"events":[]},"profile":null,"paging":{"next":null}}`, "nothing"},
		{"data", `{"status":"success","data":{"events":[{"id":1}]},"message":"ok"}`, `"/data/events"`},
		{"data", `{"Status":"Success","Data":{"Events":[{"id":1}]}}`, `"/Data/Events"`},
		{"data", `{"requestId":"r-1","profile":{"email":"x"}}`, "nothing"},
		{"data", `{"request":{"status":"queued","profile":{"email":"x"}}}`, "nothing"},
		{"data", `{"message":"queued","data":{"email":"x"}}`, "nothing"},
		{"data", `{"_links":{"self":{"href":"x"}},"profile":{"plan":"gold"}}`, `"/profile"`},
	} {
		t.Run(tc.body, func(t *testing.T) {
			t.Parallel()
			got := "nothing"
			if all := propose[tc.is](infer.Answer{MediaType: "text/plain", Body: []byte(tc.body)}); len(all) > 0 {
				got = all[0].Sentence()
			}
			if !strings.Contains("^"+got+"$", tc.want) {
				t.Errorf("proposes %s", got)
			}
		})
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
		s := infer.Pending(infer.Answer{Body: []byte(list)}, &request)[0]
		if s["/pending/id"] != "/ticket" || s["/pending/type"] != "/wanted" || s["/pending/identity"] != "/requester" {
			t.Errorf("%s: %v", list, s)
		}
	}
}

// TestPending_wordsOfOnesOwnRequest has another person's record with words of its own.
func TestPending_wordsOfOnesOwnRequest(t *testing.T) {
	t.Parallel()
	const list = `[{"person":"ada@example.com","type":"ACCESS_END","status":"A"},{"person":"bob@example.com","type":"LIRE","status":"B"}]`
	sent := infer.Request{Person: "ada@example.com", Type: "data_deletion", State: "waiting"}
	got := infer.Pending(infer.Answer{Body: []byte(list)}, &sent)[0].Sentence()
	for _, want := range []string{`types = { "data_deletion" = ["ACCESS_END"] }`, `statuses = { "waiting" = ["A"] }`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s in place of %s", got, want)
		}
	}
}

// TestPending_meaningOfAStatus has the record of a request that was sent, among others of the same person.
func TestPending_meaningOfAStatus(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ status, state, want string }{
		{"CLOSED\",\"id\":\"DSR-1", "done", `"ended"`}, // whatever else is known of the person
		{"EN_COURS", "waiting", `statuses = { "waiting" = ["EN_COURS"] }`},
		{"IN_REVIEW", "done", `"waiting"`}, // the list lags
		{"EXECUTING", "done", `"waiting"`},
		{"CLOSED", "waiting", ""},
		{"CLOSED", "effective", ""},
		{"EN_COURS", "effective", ""},
		{"EXECUTED", "effective", `"done"`},
		{"INCOMPLETE", "effective", ""},
		{"PARTIALLY_COMPLETED", "effective", ""},
		{"CLOSED", "done", `"ended"`},
		{"FINISHED_OK", "done", `"done"`},
	} {
		body := `[{"person":"ada@example.com","type":"erasure","status":"` + tc.status + `"}]`
		update := &infer.Request{Person: "ada@example.com", Type: "profile_update", State: "done"}
		deletion := &infer.Request{Person: "ada@example.com", ID: "DSR-1", Type: "data_deletion", State: tc.state}
		known := []*infer.Request{update, deletion}
		if strings.Contains(body, deletion.ID) {
			known = append(known, &infer.Request{Person: "ada@example.com", Type: "data_deletion", State: "waiting"})
		}
		got := infer.Pending(infer.Answer{Body: []byte(body)}, known...)[0].Sentence()
		if isSaid := strings.Contains(got, "statuses"); isSaid != (tc.want != "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s of a request that is %s: %s", tc.status, tc.state, got)
		}
	}
}
