package mocktest

import (
	"encoding/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// Acknowledgements are bodies with which services elsewhere say, with status 200,
// that they have accepted a request. None of them is data of a person.
var Acknowledgements = []string{
	`{}`,
	`[]`,
	`null`,
	`true`,
	`"ok"`,
	`{"ok":true}`,
	`{"success":true}`,
	`{"id":"request-1"}`,
	`{"requestId":"request-1"}`,
	`{"message":"accepted"}`,
	`{"status":"queued"}`,
	`{"id":"request-1","status":"pending","operation":"getAllData"}`,
}

// DataLikeAcknowledgements are data of a person that have something of an
// acknowledgement, a rejection or a pending record. All of them are data.
var DataLikeAcknowledgements = []string{
	`{"identity":"user-1","status":"active","profile":{"name":"Ada"},"events":[]}`,
	`{"id":"user-1","status":"pending","profile":{"plan":"free"},"sessions":[{"id":"s1"}]}`,
	`{"identity":"user-1","errors":[{"message":"a page crashed","at":"2026-01-15"}],"events":[{"name":"click"}]}`,
	`{"identity":"user-1","error":"none","profile":{"name":"Ada"}}`,
	`{"identity":"user-1","operation":"access_all_data_export","profile":{"name":"Delete Profile"},"events":[]}`,
	`{"identity":"user-1","type":"customer","name":"deleteAllData","message":"hello","profile":{"age":36}}`,
	`[{"kind":"event","name":"getAllData"},{"kind":"session","id":"s1"}]`,
}

// AnswerQueueing has the operations that queue answered with a status and a body of
// JSON.
func AnswerQueueing(status int, body string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.QueueStatus = status
		s.QueueAnswer = func(map[string]any) any { return json.RawMessage(body) }
	}
}

// AnswerData has all data of a person, once they are ready, answered with a body of
// JSON.
func AnswerData(body string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.DataAnswer = func(map[string]any) any { return json.RawMessage(body) }
	}
}
