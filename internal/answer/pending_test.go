// SPDX-License-Identifier: MPL-2.0

package answer_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// one is a request as a service may list it.
const one = `{"id":"r-1","identityId":"user-1","operation":"deleteAllData","status":"pending","createdAt":"2026-01-31T12:00:00Z"}`

// What stands beside a list keeps it from being whole, and the setting that the gap names
// admits it. Without a gap, no setting is needed.
func TestListCall_membersBesideAreAdmittedByTheSettingTheyName(t *testing.T) {
	t.Parallel()
	const admits = "look at it: if it does not say that the answer is incomplete, "
	for body, settings := range map[string]string{
		`[]`: "", `[` + one + `]`: "", `[` + one + `,` + one + `]`: "",
		`{"requests":[]}`: "",
		`{"pendingRequests":[` + one + `],"total":1}`:                      "",
		`{"data":{"items":[` + one + `]}}`:                                 "",
		`{"requests":[` + one + `],"next":null}`:                           "",
		`{"count":1,"next":null,"previous":null,"results":[` + one + `]}`:  "",
		`{"value":[` + one + `],"@odata.count":1}`:                         "",
		`{"hits":{"total":1,"hits":[` + one + `]}}`:                        "",
		`{"content":[` + one + `],"totalElements":1,"numberOfElements":1}`: "",
		`{"a":{"b":{"c":{"d":{"e":[]}}}}}`:                                 "",

		`{"requests":[` + one + `],"has_more":true}`:                         `wire.ignored = { "/has_more" = "true" }`,
		`{"requests":[` + one + `],"total":7}`:                               `wire.pending.total = "/total"`,
		`{"requests":[` + one + `],"simmering":"a little"}`:                  `wire.ignored = { "/simmering" = "*" }`,
		`{"requests":[` + one + `],"note":""}`:                               `wire.ignored = { "/note" = "" }`,
		`{"status":"success","data":{"requests":[` + one + `]}}`:             `wire.ignored = { "/status" = "success" }`,
		`{"requests":[` + one + `],"paging":{"next":"?page=2","size":9}}`:    `wire.pending.next = "/paging/next" and wire.ignored = { "/paging/size" = "*" }`,
		`{"@odata.context":"x","value":[` + one + `],"@odata.nextLink":"y"}`: `wire.pending.next = "/@odata.nextLink" and wire.ignored = { "/@odata.context" = "*" }`,
		`{"requests":[],"user@example.com":1}`:                               "wire.ignored",
	} {
		v := parse(t, body)
		list, err := answer.ListCall{}.Read(v)
		isWhole := settings == "" && list.Gap == ""
		if err != nil || !isWhole && !strings.HasSuffix(list.Gap, admits+settings+" admits it") || strings.Contains(list.Gap, "example") {
			t.Errorf("%s: the gap is %s, %v; it should name %s", body, list.Gap, err, settings)
		}
		if len(list.Records) != strings.Count(body, one) {
			t.Errorf("%s is read as %+v", body, list.Records)
		}
	}

	// With the settings it is whole, as long as a leaf has the value that is expected.
	call := answer.ListCall{
		Envelope: answer.Envelope{At: "/data", Ignored: map[jsontext.Pointer]string{"/status": "success", "/data/links": answer.AnyValue}},
		At:       "/items", Next: "/meta/next", Total: "/meta/total",
	}
	for body, isWhole := range map[string]bool{
		`{"status":"success","data":{"items":[` + one + `],"links":[]},"meta":{"next":"?page=2","total":7}}`:     true,
		`{"status":"partial","data":{"items":[` + one + `]}}`:                                                    false,
		`{"status":"success","data":{"items":[` + one + `],"links":["x"]}}`:                                      false,
		`{"status":"success","data":{"items":[` + one + `]},"meta":{"next":"?page=2","total":7,"failed":["x"]}}`: false,
	} {
		list, err := call.Read(parse(t, body))
		if err != nil || len(list.Records) != 1 || (list.Gap == "") != isWhole {
			t.Errorf("%s is read as %+v, %v", body, list, err)
		}
	}
}

func TestListCall_gapsThatThePartialListAdmits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call answer.ListCall
		body string
	}{
		"a header": {answer.ListCall{Continued: true}, `[` + one + `]`},
		"an entry": {answer.ListCall{}, `["r-1",` + one + `]`},
	} {
		list, err := c.call.Read(parse(t, c.body))
		if err != nil || !strings.Contains(list.Gap, `wire.pending.use = "partial"`) || len(list.Records) != 1 {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
}

func TestListCall_answersWithoutAList(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{}`: unrecognised, `"x"`: unrecognised, `7`: unrecognised, `{"data":null}`: unrecognised,
		`{"user-1":` + one + `,"user-2":` + one + `}`: unrecognised,

		`{"error":{"code":"E"}}`: refused, `{"success":false,"requests":[]}`: refused, `{"ok":false,"error":"invalid_auth"}`: refused,
		`{"data":{"requests":[]},"errors":[{"message":"x"}]}`: refused,
	} {
		list, err := answer.ListCall{}.Read(parse(t, body))
		if outcome(err) != want || want == unrecognised && !strings.Contains(err.Error(), `wire.pending.use = "ignored"`) {
			t.Errorf("%s is read as %+v, %v", body, list, err)
		}
	}

	told := answer.ListCall{At: "/requests"}
	for _, body := range []string{`[]`, `{"items":[]}`, `{"requests":{}}`, `{"requests":false}`} {
		if list, err := told.Read(parse(t, body)); outcome(err) != unrecognised {
			t.Errorf("%s is read as %+v, %v", body, list, err)
		}
	}

	for body, call := range map[string]answer.ListCall{`null`: {}, `{"requests":null,"total":0}`: told} {
		if list, err := call.Read(parse(t, body)); err != nil || list.Gap != "" || len(list.Records) > 0 {
			t.Errorf("%s is not an empty list: %+v, %v", body, list, err)
		}
	}

	ignoring := answer.ListCall{Envelope: answer.Envelope{Ignored: map[jsontext.Pointer]string{"/success": "false"}}}
	if list, err := ignoring.Read(parse(t, `{"requests":[],"success":false}`)); err != nil || list.Gap != "" {
		t.Errorf("an ignored member says no: %+v, %v", list, err)
	}
}

func TestListCall_severalArrays(t *testing.T) {
	t.Parallel()
	for text, value := range map[string]string{
		`{"requests":[` + one + `],"warnings":["x"]}`:                ` = "/requests"`,
		`{"data":{"requests":[` + one + `]},"included":[]}`:          ` = "/data/requests"`,
		`{"pending":{"items":[` + one + `]},"failed":[` + one + `]}`: "",
		`{"requests":[],"errors":[]}`:                                "",
	} {
		_, err := answer.ListCall{}.Read(parse(t, text))
		if outcome(err) != unrecognised || !strings.Contains(err.Error(), "wire.pending.at"+value+" admits it") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestMembers_neverNameThePerson(t *testing.T) {
	t.Parallel()
	for person, want := range map[string]string{"": `"jane", "id"`, "Jane": `"…", "id"`} {
		if got := answer.Members(parse(t, `{"jane":{},"id":1}`), person); got != ` (its members are `+want+`)` {
			t.Errorf("%q: %s", person, got)
		}
	}
	if got := answer.Members(parse(t, `{"jane@example.com":1,"4711":2}`), ""); strings.ContainsAny(got, "@7") {
		t.Errorf("%s", got)
	}
}

// TestListCall_fieldsOfARecord has records with their id, person, type and code of a failure.
func TestListCall_fieldsOfARecord(t *testing.T) {
	t.Parallel()
	const deletion, access, update = answer.RequestDataDeletion, answer.RequestDataAccess, answer.RequestProfileUpdate

	for body, want := range map[string][]string{
		one: {"r-1", "user-1", deletion, ""},
		`{"request_id":"r-1","identity_id":"user-1","request_type":"DATA_ACCESS","created_at":1769860800000,"state":"open"}`: {"r-1", "user-1", access, ""},
		`{"id":"r-1","subject":"user-1","action":"profile-update","type":"request"}`:                                         {"r-1", "user-1", update, ""},
		`{"_id":{"$oid":"r-1"},"user":{"id":"user-1"},"type":"DELETE_ALL_DATA"}`:                                             {"r-1", "", deletion, ""},
		`{"type":"pending-requests","id":"r-1","attributes":{"identityId":"user-1","operation":"getAllData"}}`:               {"r-1", "", "", ""},
		`{"id":"r-1","identityId":"user-1","operation":"removeProfileField"}`:                                                {"r-1", "user-1", "", ""},
		`{"_links":{"self":{"href":"x"}},"id":7,"identityId":8,"kind":"erasure"}`:                                            {"7", "8", deletion, ""},
		`{"id":"user-1","identityId":"user-1","operation":"erase"}`:                                                          {"", "user-1", deletion, ""},
		`{"id":"r-1","identityId":"user-1","type":"consent","action":"delete"}`:                                              {"r-1", "user-1", "", ""},
		`{"id":"r-1","customer":"user-1","what":"deleteAllData"}`:                                                            {"r-1", "", "", ""},
		`{"code":"E1"}`:                         {"", "", "", "E1"},
		`{"error":{"code":"E2","message":"x"}}`: {"", "", "", "E2"},
		`{"error":{"message":"x"}}`:             {"", "", "", "x"},
		`{"error":"E3"}`:                        {"", "", "", "E3"},
		`{"errorCode":4}`:                       {"", "", "", "4"},
	} {
		list, err := answer.ListCall{}.Read(parse(t, `[`+body+`]`))
		if err != nil || len(list.Records) != 1 {
			t.Fatalf("%s: %+v, %v", body, list, err)
		}

		r := list.Records[0]
		id, _ := r.ID.Get()
		identity, _ := r.Identity.Get()
		requestType, _ := r.RequestType.Get()
		if got := []string{id, identity, requestType, r.Code}; !slices.Equal(got, want) {
			t.Errorf("%s is read as %q, want %q", body, got, want)
		}
	}
}

// TestRecordMap_whereTheSettingsPoint has a record of a service with names and words of its own.
func TestRecordMap_whereTheSettingsPoint(t *testing.T) {
	t.Parallel()
	told := answer.RecordMap{
		ID: "/ref", Identity: "/who/mail", Type: "/what", Status: "/stage/name", Created: "/since",
		Types:    map[string][]string{answer.RequestDataDeletion: {"purge"}, answer.RequestDataAccess: {"delete"}},
		Statuses: map[answer.Progress][]string{answer.Waiting: {"done"}, answer.Ended: {"gone away"}},
	}
	const rest = `,"since":1769860800000,"id":"x","identityId":"other","operation":"updateProfile","status":"failed"}`
	for body, want := range map[string]answer.PendingRecord{
		`{"ref":7,"who":{"mail":"user-1"},"what":"purge","stage":{"name":"done"}` + rest: {
			ID: answer.Some("7"), Identity: answer.Some("user-1"), RequestType: answer.Some(answer.RequestDataDeletion), Status: answer.Some("done"), Progress: answer.Waiting,
		},
		`{"ref":"r-1","what":"delete","stage":{"name":"gone away"}` + rest: {
			ID: answer.Some("r-1"), RequestType: answer.Some(answer.RequestDataAccess), Status: answer.Some("gone away"), Progress: answer.Ended,
		},
		`{"ref":"r-1","what":"Purge","stage":{"name":"Gone away"}` + rest: {
			ID: answer.Some("r-1"), Status: answer.Some("Gone away"), Progress: answer.Unclear,
		},
		`{"what":"erase","stage":"done","error":"x"` + rest: {RequestType: answer.Some(answer.RequestDataDeletion), Code: "x", Progress: answer.Failed},
	} {
		want.CreatedAt, want.JSON = answer.Some(time.UnixMilli(1769860800000).UTC()), []byte(body)
		if got := told.Record(parse(t, body)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v, want %+v", body, got, want)
		}
	}
}

func TestPendingRecord_progressOfAStatus(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]answer.Progress{
		`null`: answer.Waiting, `""`: answer.Waiting, `"pending"`: answer.Waiting, `"IN_PROGRESS"`: answer.Waiting, `"in-progress"`: answer.Waiting, `202`: answer.Waiting,
		`"failed"`: answer.Failed, `"CANCELLED"`: answer.Failed, `500`: answer.Failed,
		`"done"`: answer.Done, `"Fulfilled"`: answer.Done, `"archived"`: answer.Ended, `"gone_away"`: answer.Ended,
		`"queued","endedAt":"2026-01-31T12:00:00Z"`: answer.Unclear, `null,"completedAt":"2026-01-31T12:00:00Z"`: answer.Unclear,
		`"completed","error":{"code":"x"}`: answer.Unclear, `"completed","success":false`: answer.Unclear, `"done","state":"queued"`: answer.Unclear,
		`"failed","error":{"code":"x"}`: answer.Failed, `null,"success":false`: answer.Failed, `"queued","success":true`: answer.Waiting,
		`"simmering"`: answer.Unclear, `"not pending"`: answer.Unclear, `"undone"`: answer.Unclear, `7`: answer.Unclear,
	} {
		list, err := answer.ListCall{RecordMap: answer.RecordMap{Statuses: map[answer.Progress][]string{answer.Ended: {"archived", "gone_away"}}}}.Read(parse(t, `[{"id":"r-1","status":`+status+`}]`))
		if err != nil || list.Records[0].Progress != want {
			t.Errorf("%s is %v, want %v, %v", status, list.Records[0].Progress, want, err)
		}
	}
}

func TestListCall_recordsAreInTheOrderOfTheirTimeAndID(t *testing.T) {
	t.Parallel()
	list, err := answer.ListCall{}.Read(parse(t, `[{"id":"c"},{"id":"b","createdAt":"2026-02-01T00:00:00Z"},{"id":"a","createdAt":"2026-02-01T00:00:00Z"},{"id":"d","createdAt":"2026-01-01T00:00:00Z"}]`))
	var ids []string
	for _, r := range list.Records {
		id, _ := r.ID.Get()
		ids = append(ids, id)
	}
	if err != nil || strings.Join(ids, "") != "cdab" {
		t.Errorf("got %q, %v", ids, err)
	}
}

// What is named like a next page or a number of all records is never advised to be ignored.
func TestListCall_advisesNoPageAway(t *testing.T) {
	t.Parallel()
	for name, setting := range map[string]string{
		`"nextRecordsUrl":"/q?page=2"`:  `wire.pending.next = "/nextRecordsUrl"`,
		`"hydra:next":"/q?page=2"`:      `wire.pending.next = "/hydra:next"`,
		`"pageAfter":"opaque"`:          `wire.pending.next = "/pageAfter"`,
		`"totalSize":7`:                 `wire.pending.total = "/totalSize"`,
		`"recordCountOfAllPages":7`:     `wire.pending.total = "/recordCountOfAllPages"`,
		`"code":50000`:                  "wire.ignored admits it",
		`"status":"failed","took":3`:    "wire.ignored admits it",
		`"returnCode":"E17","next":"2"`: "wire.ignored admits it",
	} {
		list, err := answer.ListCall{}.Read(parse(t, `{"records":[],`+name+`}`))
		if err != nil || !strings.Contains(list.Gap, setting) || strings.Contains(list.Gap, `"*"`) {
			t.Errorf("%s: the gap is %s, %v", name, list.Gap, err)
		}
	}
}
