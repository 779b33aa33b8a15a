// SPDX-License-Identifier: MPL-2.0

package answer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// one is a request as a service may list it.
const one = `{"id":"r-1","identityId":"user-1","operation":"deleteAllData","status":"pending","createdAt":"2026-01-31T12:00:00Z"}`

// What stands beside a list keeps it from being whole, and the setting that the gap names
// admits it. Without a gap, no setting is needed.
func TestListCall_membersBesideAreAdmittedByTheSettingTheyName(t *testing.T) {
	t.Parallel()
	for body, setting := range map[string]string{
		`[]`: "", `[` + one + `]`: "", `[` + one + `,` + one + `]`: "",
		`{"requests":[]}`: "",
		`{"pendingRequests":[` + one + `],"total":1}`:                      "",
		`{"data":{"items":[` + one + `]}}`:                                 "",
		`{"requests":[` + one + `],"next":null}`:                           "",
		`{"value":[` + one + `],"@odata.count":1}`:                         "",
		`{"hits":{"total":1,"hits":[` + one + `]}}`:                        "",
		`{"content":[` + one + `],"totalElements":1,"numberOfElements":1}`: "",

		`{"requests":[` + one + `],"has_more":true}`:             "has_more",
		`{"requests":[` + one + `],"total":7}`:                   "total",
		`{"requests":[` + one + `],"simmering":"a little"}`:      "simmering",
		`{"status":"success","data":{"requests":[` + one + `]}}`: "status",
		`{"took":3,"timed_out":false,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0},"hits":{"total":{"value":1,"relation":"eq"},"max_score":1,"hits":[` + one + `]}}`:                                                "total,max_score,took,timed_out,_shards",
		`{"@odata.context":"$metadata#requests","value":[` + one + `],"@odata.nextLink":"https://example.com/?$skiptoken=2"}`:                                                                                                     "@odata.context,@odata.nextLink",
		`{"content":[` + one + `],"pageable":{"pageNumber":0,"pageSize":1,"offset":0},"last":false,"totalElements":2,"totalPages":2,"size":1,"number":0,"sort":{"sorted":false},"first":true,"numberOfElements":1,"empty":false}`: "pageable,last,totalElements,totalPages,size,number,sort,first,empty",
		`{"pending":{"items":[` + one + `]},"failed":{"items":[]}}`: "failed",
	} {
		v := parse(t, body)
		list, err := answer.ListCall{}.Read(v)
		want := `look at it: if it does not say that the answer is incomplete, ` + answer.IgnoredSetting(strings.Split(setting, ",")...)
		if err != nil || (list.Gap != "") != (setting != "") || setting != "" && !strings.Contains(list.Gap, want) {
			t.Errorf("%s: the gap is %s, %v; it should name %s", body, list.Gap, err, want)
		}

		list, err = answer.ListCall{IgnoredMembers: strings.Split(setting, ",")}.Read(v)
		if err != nil || list.Gap != "" || len(list.Records) != strings.Count(body, one) {
			t.Errorf("%s: with the setting it is %+v, %v", body, list, err)
		}
	}
}

func TestListCall_gapsThatThePartialListAdmits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call answer.ListCall
		body string
	}{
		"a Link header": {answer.ListCall{Continued: true}, `[` + one + `]`},
		"an entry":      {answer.ListCall{}, `["r-1",` + one + `]`},
	} {
		list, err := c.call.Read(parse(t, c.body))
		if err != nil || !strings.Contains(list.Gap, `wire.pending.use = "partial"`) || len(list.Records) != 1 {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}

	list, err := answer.ListCall{}.Read(parse(t, `{"requests":[],"user@example.com":1}`))
	if err != nil || list.Gap == "" || strings.Contains(list.Gap, "example") {
		t.Errorf("the gap is %q, %v", list.Gap, err)
	}
}

func TestListCall_answersWithoutAList(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`null`: unrecognised, `{}`: unrecognised, `"x"`: unrecognised, `7`: unrecognised, `{"data":null}`: unrecognised,
		`{"user-1":` + one + `,"user-2":` + one + `}`: unrecognised,
		`{"a":{"b":{"c":{"d":{"e":[]}}}}}`:            unrecognised,

		`{"error":{"code":"E"}}`: refused, `{"success":false,"requests":[]}`: refused, `{"ok":false,"error":"invalid_auth"}`: refused,
		`{"data":{"requests":[]},"errors":[{"message":"x"}]}`: refused,
	} {
		list, err := answer.ListCall{}.Read(parse(t, body))
		if outcome(err) != want || want == unrecognised && !strings.Contains(err.Error(), `wire.pending.use = "ignored"`) {
			t.Errorf("%s is read as %+v, %v", body, list, err)
		}
	}

	ignoring := answer.ListCall{IgnoredMembers: []string{"errors"}}
	if list, err := ignoring.Read(parse(t, `{"requests":[],"errors":["of yesterday"]}`)); err != nil || list.Gap != "" {
		t.Errorf("an ignored member says no: %+v, %v", list, err)
	}

	for text, other := range map[string]string{
		`{"requests":[` + one + `],"warnings":["x"]}`:                                     "warnings",
		`{"requests":[` + one + `],"links":[{"url":null,"label":"Next","active":false}]}`: "links",
		`{"requests":[` + one + `],"included":[]}`:                                        "included",
	} {
		_, err := answer.ListCall{}.Read(parse(t, text))
		if outcome(err) != unrecognised || !strings.Contains(err.Error(), `"requests", "`+other+`"`) || !strings.Contains(err.Error(), "wire.ignored") {
			t.Errorf("two arrays: %v", err)
		}
		if list, err := (answer.ListCall{IgnoredMembers: []string{other}}).Read(parse(t, text)); err != nil || list.Gap != "" || len(list.Records) != 1 {
			t.Errorf("with the setting it is %+v, %v", list, err)
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
		`{"_id":{"$oid":"r-1"},"user":{"id":"user-1"},"type":"DELETE_ALL_DATA"}`:                                             {"r-1", "user-1", deletion, ""},
		`{"request":{"id":"r-1","subject":"user-1","action":"profile-update"}}`:                                              {"r-1", "user-1", update, ""},
		`{"type":"pending-requests","id":"r-1","attributes":{"identityId":"user-1","operation":"getAllData"}}`:               {"r-1", "user-1", access, ""},
		`{"node":{"id":"r-1","userId":"user-1","operation":"deleteAllData"}}`:                                                {"r-1", "user-1", deletion, ""},
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

	list, err := answer.ListCall{IdentityField: "customer_ref"}.Read(parse(t, `[{"id":"r-1","customerRef":"user-1"}]`))
	if identity, _ := list.Records[0].Identity.Get(); err != nil || identity != "user-1" {
		t.Errorf("with the setting the person is %q, %v", identity, err)
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
		list, err := answer.ListCall{EndedStatuses: []string{"Archived", "gone away"}}.Read(parse(t, `[{"id":"r-1","status":`+status+`}]`))
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
