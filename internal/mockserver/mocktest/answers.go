package mocktest

import (
	"encoding/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// Acknowledgements are bodies with which other services acknowledge a request with
// status 200. None of them is data of a person.
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

// DataLikeAcknowledgements are data of a person that resemble an acknowledgement, a
// rejection or a pending record.
var DataLikeAcknowledgements = []string{
	`{"identity":"user-1","status":"active","profile":{"name":"Ada"},"events":[]}`,
	`{"id":"user-1","status":"pending","profile":{"plan":"free"},"sessions":[{"id":"s1"}]}`,
	`{"identity":"user-1","errors":[{"message":"a page crashed","at":"2026-01-15"}],"events":[{"name":"click"}]}`,
	`{"identity":"user-1","error":"none","profile":{"name":"Ada"}}`,
	`{"identity":"user-1","operation":"access_all_data_export","profile":{"name":"Delete Profile"},"events":[]}`,
	`{"identity":"user-1","type":"customer","name":"deleteAllData","message":"hello","profile":{"age":36}}`,
	`[{"kind":"event","name":"getAllData"},{"kind":"session","id":"s1"}]`,
}

// AnswerQueueing returns an option for Start: deferred requests are answered with this
// status and this JSON body.
func AnswerQueueing(status int, body string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.QueueStatus = status
		s.QueueAnswer = func(map[string]any) any { return json.RawMessage(body) }
	}
}

// AnswerData returns an option for Start: getAllData is answered with this JSON body
// once the data are ready.
func AnswerData(body string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.DataAnswer = func(map[string]any) any { return json.RawMessage(body) }
	}
}
