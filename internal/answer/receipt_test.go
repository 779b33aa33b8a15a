// SPDX-License-Identifier: MPL-2.0

package answer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

const person = "user-1@example.com"

// TestReadReceipt_recognised has the identifiers of the requests that answers are receipts
// of; a dash stands for none.
func TestReadReceipt_recognised(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`null`: "-", `{}`: "-", `{"data":null}`: "-",
		`{"id":"r-1"}`:                                     "r-1",
		`{"id":17,"status":"pending"}`:                     "17",
		`{"_id":{"$oid":"64b7"}}`:                          "64b7",
		`{"requestId":"r-1","message":"queued"}`:           "r-1",
		`{"request_id":"r-1"}`:                             "r-1",
		`{"data":{"id":"r-1","status":"open"}}`:            "r-1",
		`{"success":true,"data":{"request":{"id":"r-1"}}}`: "r-1",
		`{"identityId":"` + person + `","id":"` + person + `","operation":"deleteAllData"}`: "-",
		`{"id":"USER-1%40example.com","status":"queued"}`:                                   "-",
		`{"status":"queued"}`:                      "-",
		`{"state":"IN_PROGRESS"}`:                  "-",
		`{"status":202,"message":"Accepted"}`:      "-",
		`{"ok":true}`:                              "-",
		`{"success":true,"message":"done soon"}`:   "-",
		`{"status":"success","data":{"id":"r-1"}}`: "r-1",
		`{"data":{"type":"deletion-requests","id":"r-1","attributes":{"state":"pending"}}}`:                   "r-1",
		`{"_links":{"self":{"href":"/requests/r-1"}},"id":"r-1"}`:                                             "r-1",
		`{"data":{"deleteUser":{"request":{"id":"r-1"}}}}`:                                                    "r-1",
		`{"requestId":"r-1","status":"Accepted"}`:                                                             "r-1",
		`{"job_id":"r-1","status":"queued","submitted_count":1,"created_at":"2026-01-31T12:00:00Z"}`:          "r-1",
		`{"id":"r-1","type":"ERASURE","status":"REQUEST_MADE","mainIdentifier":{"name":"email","value":"x"}}`: "r-1",
		`{"@odata.context":"$metadata#requests/$entity","@odata.etag":"W/1","id":"r-1"}`:                      "r-1",
		`{"ResponseMetadata":{"x":1},"jobId":"r-1"}`:                                                          "r-1",
		`{"@odata.context":"$metadata#requests/$entity","id":"r-1","type":"Delete all data of a user"}`:       "r-1",
		`{"operation":"GetAllData","createdAt":"2026-01-31T12:00:00Z"}`:                                       "-",
	} {
		receipt, err := answer.ReadReceipt(200, parse(t, body), person)
		if err != nil || receipt.NotUnderstood != "" {
			t.Errorf("%s: %+v, %v", body, receipt, err)
		}
		if want = strings.Trim(want, "-"); receipt.ID != want || receipt.At.IsZero() {
			t.Errorf("%s: the id is %q", body, receipt.ID)
		}
	}

	receipt, err := answer.ReadReceipt(204, nil, person)
	if err != nil || receipt.NotUnderstood != "" {
		t.Errorf("nothing under 204 is %+v, %v", receipt, err)
	}
	receipt, err = answer.ReadReceipt(200, parse(t, `{"id":"r-1","createdAt":"2026-01-31T12:00:00Z"}`), person)
	if err != nil || !receipt.At.Equal(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("the time is %v, %v", receipt.At, err)
	}
}

// An answer that nothing shows to be a receipt is one under 202, and under 200 not
// understood: its structure is shown, without any value.
func TestReadReceipt_notUnderstoodUnder200(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"plan":"gold","email":"` + person + `"}`,
		`{"user":{"id":"` + person + `","plan":"gold"}}`,
		`{"operation":"revokeAccess"}`,
		`{"type":"removeProfileField"}`,
		`{"operation":"all-data","method":"DELETE"}`,
		`{"type":"consent","action":"delete"}`,
		`{"status":"simmering"}`,
		`{"message":"Your request is important to us."}`,
		`{"status":"success","data":null}`,
		`{"kind":"analytics#dataDeletionRequest","operation":"data_deletion"}`,
		`{"__type":"ValidationException","message":"x"}`,
		`{"type":"https://example.com/probs/quota","title":"Quota","detail":"x"}`,
		`{"took":3,"timed_out":false,"total":1,"deleted":1,"batches":1,"version_conflicts":0,"failures":[]}`,
		`{"day":"2026-02-04","person_ids":[{"person_id":1,"requested_on_day":"2026-01-26"}],"status":"staging"}`,
		`{"controller_id":"c","subject_request_id":"s","expected_completion_time":"2026-02-01T00:00:00Z"}`,
		`{"Items":[{"id":{"S":"r-1"}}],"Count":1,"LastEvaluatedKey":{"id":"r-1"}}`,
		`{"message":"Deletion scheduled.","data":[{"id":"r-1"},{"id":"r-2"}]}`,
		`{"` + person + `":{"plan":"gold"}}`,
		`[{"plan":"gold"}]`, `"queued"`, `true`,
	} {
		receipt, err := answer.ReadReceipt(200, parse(t, body), person)
		if err != nil || receipt.NotUnderstood == "" || receipt.ID != "" {
			t.Errorf("%s: %+v, %v", body, receipt, err)
		}
		for _, value := range []string{"gold", "example.com", "simmering", "important", "Exception"} {
			if strings.Contains(receipt.NotUnderstood, value) {
				t.Errorf("%s: the structure %q holds %q", body, receipt.NotUnderstood, value)
			}
		}

		receipt, err = answer.ReadReceipt(202, parse(t, body), person)
		if err != nil || receipt.NotUnderstood != "" {
			t.Errorf("%s under 202: %+v, %v", body, receipt, err)
		}
	}
}

func TestStructure_hasNamesAndNeverValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"id":"secret","at":{"n":1}}`:               "an object of $.id (a string), $.at (an object), $.at.n (a number)",
		`[{"id":1},{"id":2,"ok":false},{"ok":true}]`: "an array of $[] (an object), $[].id (a number), $[].ok (a boolean)",
		`{"jane@example.com":1,"user-1001":2}`:       "an object of $.{} (a number)",
		`{"jane":{"plan":"a"},"john":{"plan":null}}`: "an object of $.{} (an object), $.{}.plan (a string), $.{}.plan (null)",
		`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":[[[[[[[[[]]]]]]]]]}`: "an object of $.a (a number), $.b (a number), $.c (a number), $.d (a number), $.e (a number), " +
			"$.f (an array), $.f[] (an array), $.f[][] (an array), $.f[][][] (an array), $.f[][][][] (an array), $.f[][][][][] (an array), $.f[][][][][][] (an array), …",
		`"secret"`: "a string",
	} {
		if got := answer.Structure(parse(t, text)); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestReadReceipt_refusals(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"accepted":false}`, `{"ok":false}`, `{"success":false,"reason":"quota"}`, `{"success":"false"}`,
		`{"status":"rejected"}`, `{"status":"FAILED","id":"r-1"}`, `{"state":"cancelled"}`, `{"id":"r-1","accepted":false}`,

		// Of other services.
		`{"error":"quota"}`, `{"errors":["quota"]}`,
		`{"data":{"id":"r-1","status":"failed"}}`,
		`{"data":{"success":false}}`,
		`{"status":"error","message":"Unable to communicate with database"}`,
		`{"status":"fail","data":{"title":"A title is required"}}`,
		`{"data":null,"errors":[{"message":"denied"}]}`,
		`{"type":"about:blank","title":"Forbidden","status":403}`,
		`{"error":{"root_cause":[]},"status":429}`,
		`{"timestamp":"2026-01-31T12:00:00Z","status":503,"error":"Service Unavailable"}`,
		`{"message":"The given data was invalid.","errors":{"id":["x"]}}`,
	} {
		for _, status := range []int{200, 202} {
			_, err := answer.ReadReceipt(status, parse(t, body), person)
			_ = wantProblem(t, err, answer.Refused)
		}
	}
}

func TestReadUpdateReceipt_profileWithWhatWasSent(t *testing.T) {
	t.Parallel()
	for body, understood := range map[string]bool{
		`{"id":"77","plan":"gold"}`:             true,
		`{"profile":{"id":"77","plan":"gold"}}`: true,
		`{"status":"active","plan":"gold"}`:     true,
		`{"plan":"free"}`:                       false,
		`{"name":"x"}`:                          false,
	} {
		receipt, err := answer.ReadUpdateReceipt(200, parse(t, body), person, managed)
		if err != nil || receipt.ID != "" || (receipt.NotUnderstood == "") != understood {
			t.Errorf("%s: %+v, %v", body, receipt, err)
		}
	}

	onlyNulls := map[string]jsontext.Value{"plan": jsontext.Value("null")}
	if receipt, err := answer.ReadUpdateReceipt(200, parse(t, `{"id":"r-1"}`), person, onlyNulls); err != nil || receipt.ID != "r-1" {
		t.Errorf("a request to clear is %+v, %v", receipt, err)
	}
	if receipt, err := answer.ReadUpdateReceipt(200, parse(t, `{"id":"r-1"}`), person, managed); err != nil || receipt.ID != "r-1" {
		t.Errorf("a request is %+v, %v", receipt, err)
	}
	for _, body := range []string{`{"success":false,"reason":"quota"}`, `{"success":false,"data":{"plan":"gold"}}`, `{"status":"rejected"}`} {
		_, err := answer.ReadUpdateReceipt(200, parse(t, body), person, managed)
		_ = wantProblem(t, err, answer.Refused)
	}
}

func TestRequestTypeOf_eachWordCounts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"deleteAllData": answer.RequestDataDeletion, "DELETE_ALL_DATA": answer.RequestDataDeletion, "data-deletion": answer.RequestDataDeletion,
		"Delete all data of a user": answer.RequestDataDeletion, "erasure": answer.RequestDataDeletion, "GDPR erasure request": answer.RequestDataDeletion, "forgetUser": answer.RequestDataDeletion,
		"getAllData": answer.RequestDataAccess, "data_access": answer.RequestDataAccess, "Get all data of a user": answer.RequestDataAccess, "exportUserData": answer.RequestDataAccess, "subject-access-request": answer.RequestDataAccess,
		"updateProfile": answer.RequestProfileUpdate, "profile_update": answer.RequestProfileUpdate, "PATCH profile": answer.RequestProfileUpdate, "Update user profile": answer.RequestProfileUpdate,

		"removeProfileField": "", "revokeAccess": "", "all-data": "", "profile": "", "purge": "", "deleteConsent": "", "undelete": "", "deleteExport": "",
		"restoreDeletedData": "", "cancelDeletion": "", "accessLog": "", "getProfile": "", "profileExport": "", "": "", "!": "", "data": "", "user": "",
	} {
		if got := answer.RequestTypeOf(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
