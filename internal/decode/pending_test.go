// SPDX-License-Identifier: MPL-2.0

package decode_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// one is a request as a service may list it.
const one = `{"id":"r-1","identityId":"user-1","operation":"deleteAllData","status":"pending","createdAt":"2026-01-31T12:00:00Z"}`

// TestListCall_whatAnAnswerIs has answers by the settings that they are read with, and what they are
// read as: a whole list, an outcome, or a part of the gap or of the error.
func TestListCall_whatAnAnswerIs(t *testing.T) {
	t.Parallel()

	const whole, beside, ignored, partial = "whole", "beside its list it has ", `wire.pending.at, which points to it, or wire.pending.use = "ignored" admits it`, `wire.pending.use = "partial" admits it`
	inData := decode.Envelope{At: "/data", Ignored: map[jsontext.Pointer]string{"/status": "success", "/data/links": decode.AnyValue}}
	for _, c := range []struct {
		call decode.ListCall
		answers
	}{
		{decode.ListCall{}, answers{
			`null`: whole, `[]`: whole, `[` + one + `]`: whole, `[` + one + `,` + one + `]`: whole, `{"requests":[],"next":null}`: whole,
			`{"pendingRequests":[` + one + `],"total":1}`: whole,
			`{"hits":{"total":1,"hits":[` + one + `]}}`:   whole,
			`{"a":{"b":{"c":{"d":{"e":[]}}}}}`:            whole,

			// What stands beside a list keeps it from being whole.
			`{"requests":[` + one + `],"has_more":true}`:                 beside + `"/has_more"`,
			`{"requests":[` + one + `],"note":""}`:                       beside + `"/note"`,
			`{"requests":[` + one + `],"total":7,"paging":{"next":"x"}}`: beside + `"/total", "/paging/next"`,
			`{"requests":[],"user@example.com":1}`:                       beside + `"…"`,
			`["r-1",` + one + `]`:                                        partial,

			// Which of several arrays is the list is not known.
			`{"requests":[` + one + `],"warnings":["x"]}`: ignored, `{"requests":[],"errors":[]}`: ignored,

			`{}`: ignored, `"x"`: ignored, `7`: ignored, `0`: ignored, `{"data":null}`: ignored, `{"user-1":` + one + `,"user-2":` + one + `}`: ignored,

			`{"error":{"code":"E"}}`: refused, `{"success":false,"requests":[]}`: refused, `{"ok":false,"error":"invalid_auth"}`: refused,
			`{"data":{"requests":[]},"errors":[{"message":"x"}]}`: refused,
		}},
		{decode.ListCall{Envelope: decode.Envelope{Result: decode.Result{At: "/code", Success: []string{"0"}}}}, answers{
			`{"code":0,"requests":[]}`: whole, `{"code":1,"requests":[]}`: beside + `"/code"`,
		}},
		{decode.ListCall{ListMap: decode.ListMap{Empty: true}}, answers{`{}`: whole, `{"data":null}`: whole, `{"data":0}`: ignored}},
		{decode.ListCall{ListMap: decode.ListMap{Empty: true}, Envelope: decode.Envelope{Ignored: map[jsontext.Pointer]string{"/success": "*"}}}, answers{`{"success":true}`: ignored}},
		{decode.ListCall{ListMap: decode.ListMap{Total: "/total"}}, answers{`{"total":0}`: whole, `{"total":1}`: ignored, `{"total":0,"x":[],"y":[]}`: beside + `"/x", "/y"`}},
		{decode.ListCall{ListMap: decode.ListMap{At: "/requests"}}, answers{
			`{"requests":null,"total":0}`: whole,
			`[]`:                          ignored, `{"items":[]}`: ignored, `{"requests":{}}`: ignored, `{"requests":false}`: ignored,
			`{"requests":{"warnings":[]}}`: ignored,
		}},
		{decode.ListCall{ListMap: decode.ListMap{Next: "/next"}}, answers{
			`{"requests":[` + one + `],"next":"?page=3","last":false,"previous":"?page=1"}`: beside + `"/last"`,
			`{"requests":[],"links":{"prev":"?page=1"}}`:                                    beside + `"/links/prev"`,
		}},
		{decode.ListCall{ListMap: decode.ListMap{Next: "/_links/next/href"}}, answers{`{"requests":[],"_links":{"self":{"href":"x"},"prev":{"href":"y"}}}`: whole}},
		{decode.ListCall{ListMap: decode.ListMap{At: "/requests", Total: "/total"}}, answers{`{"total":0}`: whole, `{"total":0,"requests":{}}`: beside + `"/requests"`}},
		{decode.ListCall{Envelope: decode.Envelope{Ignored: map[jsontext.Pointer]string{"/success": "false", "/links": decode.AnyValue, "/note": "", "/page/size": "*"}}}, answers{
			`{"requests":[],"page":{"size":20}}`: whole, `{"requests":[],"page":{"size":20,"number":1}}`: `"/page/number"`,
			`{"requests":[],"note":""}`: whole, `{"requests":[],"note":["x"]}`: ignored, `{"requests":[],"note":{"x":1}}`: `"/note/x"`,
			`{"requests":[],"success":false}`:                                whole,
			`{"requests":[` + one + `],"links":[{"url":null,"label":"1"}]}`:  whole, // as Laravel has them
			`{"requests":[` + one + `],"links":{"next":{"href":"?page=2"}}}`: `"/links/next/href"`,
			`{"requests":[],"success":"no"}`:                                 `"/success"`,
		}},
		{decode.ListCall{Envelope: inData, ListMap: decode.ListMap{At: "/items", Next: "/meta/next", Total: "/meta/total"}}, answers{
			`{"status":"success","data":{"items":[` + one + `],"links":[]},"meta":{"next":"?page=2","total":7}}`:     whole,
			`{"status":"partial","data":{"items":[` + one + `]}}`:                                                    `"/status"`,
			`{"status":"success","data":{"items":[` + one + `]},"meta":{"next":"?page=2","total":7,"failed":["x"]}}`: beside + `"/meta/failed"`,
		}},
	} {
		c.answers.check(t, c.call, func(v jsontext.Value) (string, error) {
			list, err := c.call.Read(v)
			isRead := err == nil || strings.Contains(err.Error(), partial)
			if isRead && len(list.Records) != strings.Count(string(v), one) {
				t.Errorf("%s is read as %+v", v, list.Records)
			}
			return whole, err
		})
	}
}

// recordText returns what a record says: its id, person, type, status, progress and code.
func recordText(r decode.PendingRecord) string {
	text := strings.Join([]string{cmp.Or(r.ID, "-"), cmp.Or(r.Identity, "-"), cmp.Or(r.RequestType, "-"), cmp.Or(r.Status, "-"), r.Progress}, " ")
	return strings.TrimSpace(text + " " + r.Code)
}

// TestPendingRecord_whatItSays has records by the settings that they are read with.
func TestPendingRecord_whatItSays(t *testing.T) {
	t.Parallel()

	own := decode.RecordMap{
		ID: "/ref", Identity: "/who/mail", Type: "/what", Status: "/stage/name", Created: "/since",
		Types:    map[string][]string{decode.RequestDataDeletion: {"purge"}, decode.RequestDataAccess: {"delete"}},
		Statuses: map[string][]string{decode.Waiting: {"done"}, decode.Ended: {"gone away"}},
	}
	const rest = `,"since":1769860800000,"id":"x","identityId":"other","operation":"updateProfile","status":"failed"}`
	status := func(rest string) string { return `{"status":` + rest + `}` }
	for _, c := range []struct {
		call decode.RecordMap
		answers
	}{
		{decode.RecordMap{}, answers{
			one: "r-1 user-1 data_deletion pending waiting",
			`{"request_id":"r-1","identity_id":"user-1","request_type":"DATA_ACCESS","created_at":1769860800000,"state":"open"}`: "r-1 user-1 data_access open waiting",
			`{"id":"r-1","subject":"user-1","action":"profile-update"}`:                                                          "r-1 user-1 profile_update - waiting",
			`{"_id":{"$oid":"r-1"},"user":{"id":"user-1"},"type":"DELETE_ALL_DATA"}`:                                             "r-1 - data_deletion - waiting",
			`{"type":"pending-requests","id":"r-1","attributes":{"identityId":"user-1","operation":"getAllData"}}`:               "r-1 - - - waiting",
			`{"operation":"Delete all data of a user"}`:                                                                          "- - data_deletion - waiting", `{"action":"PATCH profile"}`: "- - profile_update - waiting",
			`{"id":"user-1","identityId":"user-1","operation":"erase"}`:             "- user-1 data_deletion - waiting",
			`{"@id":"/r/1","id":"r-1","type":"Request","operation":"erase"}`:        "r-1 - - - waiting",
			`{"id":"r-1","identityId":"user-1","type":"consent","action":"delete"}`: "r-1 user-1 - - waiting",

			`{"id":"r-1","created":1769860800}`: "r-1 - - - waiting",

			// A word counts as a whole.
			`{"operation":"GDPR erasure request"}`: "- - - - waiting", `{"operation":"undelete"}`: "- - - - waiting", `{"operation":"cancelDeletion"}`: "- - - - waiting",
			`{"operation":"deleteConsent"}`: "- - - - waiting", `{"operation":"all-data"}`: "- - - - waiting", `{"operation":"!"}`: "- - - - waiting",

			`{"statusCode":200,"errorCode":"E7"}`: "- - - - waiting E7", `{"statusCode":500,"error":{"code":"E2"}}`: "- - - - failed E2",
			`{"code":"E1"}`: "- - - - waiting E1", `{"error":{"code":"E2","message":"x"}}`: "- - - - failed E2", `{"error":{"message":"x"}}`: "- - - - failed x",
			`{"error":"E3"}`: "- - - - failed E3", `{"errorCode":4}`: "- - - - waiting 4",

			status(`null`): "- - - - waiting", status(`""`): "- - - - waiting", status(`"IN_PROGRESS"`): "- - - IN_PROGRESS waiting", status(`"in-progress"`): "- - - in-progress waiting",
			status(`202`): "- - - 202 waiting", status(`500`): "- - - 500 failed", status(`"CANCELLED"`): "- - - CANCELLED failed",
			status(`"done"`): "- - - done done", status(`"Fulfilled"`): "- - - Fulfilled done", status(`"queued","success":true`): "- - - queued waiting",
			status(`"simmering"`): "- - - simmering unclear", status(`"not pending"`): "- - - not pending unclear", status(`"undone"`): "- - - undone unclear", status(`7`): "- - - 7 unclear",

			// An end without an outcome, and what contradicts itself, is unclear.
			status(`"queued","endedAt":"2026-01-31T12:00:00Z"`): "- - - queued unclear", status(`null,"completedAt":"2026-01-31T12:00:00Z"`): "- - - - unclear",
			status(`"completed","error":{"code":"x"}`): "- - - completed unclear x", status(`"completed","success":false`): "- - - completed unclear",
			status(`"done","state":"queued"`): "- - - done unclear", status(`{"code":"x"},"state":"done"`): "- - - - done", status(`"failed","error":{"code":"x"}`): "- - - failed failed x", status(`null,"success":false`): "- - - - failed",
		}},
		{own, answers{
			`{"ref":7,"who":{"mail":"user-1"},"what":"purge","stage":{"name":"done"}` + rest: "7 user-1 data_deletion done waiting",
			`{"ref":"r-1","what":"delete","stage":{"name":"gone away"}` + rest:               "r-1 - data_access gone away ended",
			`{"ref":"r-1","what":"Purge","stage":{"name":"Gone away"}` + rest:                "r-1 - - Gone away unclear",
			`{"what":"erase","stage":"done","error":"x"` + rest:                              "- - data_deletion - failed x",
		}},
	} {
		c.answers.check(t, c.call, func(v jsontext.Value) (string, error) {
			list, err := decode.ListCall{ListMap: decode.ListMap{RecordMap: c.call}}.Read(parse(t, `[`+string(v)+`]`))
			if created := list.Records[0].CreatedAt; !created.IsZero() && !created.Equal(time.UnixMilli(1769860800000)) {
				t.Errorf("%s was created at %v", v, created)
			}
			return recordText(list.Records[0]), err
		})
	}
}

func TestPendingRecord_isInTheOrderOfItsTimeAndID(t *testing.T) {
	t.Parallel()
	later := time.UnixMilli(1769860800000)
	records := []decode.PendingRecord{{ID: "c", CreatedAt: later}, {ID: "b", CreatedAt: later}, {ID: "b", JSON: []byte("2")}, {ID: "b", JSON: []byte("1")}, {ID: "a"}}
	slices.SortFunc(records, decode.PendingRecord.Compare)
	if got := fmt.Sprint(records[0].ID, string(records[1].JSON), string(records[2].JSON), records[3].ID, records[4].ID); got != "a12bc" {
		t.Errorf("got %s", got)
	}
}

func TestPendingRecord_personKeysOfAllButItsWords(t *testing.T) {
	t.Parallel()
	r := decode.PendingRecord{JSON: []byte(`{"id":"R-1","who":[{"mail":"mailto:A%40example.com"}],"type":"delete","status":"open","n":7,"x":true}`)}
	if got := r.PersonKeys(); !slices.Equal(got, []string{"r-1", "7", "a@example.com"}) {
		t.Errorf("got %q", got)
	}
}
