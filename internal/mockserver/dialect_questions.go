// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"maps"
	"net/http"
	"time"
)

// Questions are all questions that the interface leaves open and that the server can answer
// in more than one way, in the order in which Speak applies them: what shapes an answer from
// the inside comes first.
var Questions = []Question{
	{"login_parameters", "5, rule 4", []Choice{
		{Name: InJSON},
		{Name: InForm, set: func(s *Server) { s.Wire.LoginParametersIn = InForm }},
		{Name: InQuery, set: func(s *Server) { s.Wire.LoginParametersIn = InQuery }},
	}},
	{"consent_parameters", "4, gaps", []Choice{
		{Name: InJSON},
		{Name: InForm, set: func(s *Server) { s.Wire.ConsentParametersIn = InForm }},
		{Name: InQuery, set: func(s *Server) { s.Wire.ConsentParametersIn = InQuery }},
	}},
	{"agreement_time", "2", []Choice{
		{Name: TimeRFC3339},
		{Name: TimeUnixMS, set: func(s *Server) { s.Wire.AgreementTimeFormat = TimeUnixMS }},
	}},
	{"misplaced_parameters", "7", []Choice{
		{Name: "refused"},
		{Name: "ignored", set: func(s *Server) {
			s.Change(func(r Request, a *Response) {
				misplaced := r.Place != cmp.Or(s.Wire.ConsentParametersIn, InJSON)
				if r.Operation == OpUpdateConsent && a.Status == http.StatusBadRequest && len(r.Sent) > 0 && misplaced {
					record := map[string]any{}
					held, _ := s.get(&s.consents, person{r.Scope, r.Identity})
					maps.Copy(record, held)
					a.Status, a.Body = http.StatusOK, record
				}
			})
		}},
	}},
	{"manual", "2", []Choice{
		{Name: "optional"},
		{Name: "required", set: refused(func(r Request) bool {
			_, sent := r.Sent["manual"]
			return !sent && r.Operation == OpUpdateConsent
		}, invalid(fieldError{"manual", "is required"}))},
	}},
	{"login_answer", "2", []Choice{
		{Name: "token"},
		{Name: "with_more", set: reshaped(func(login map[string]any) any {
			login["type"], login["user"] = "bearer", map[string]any{"id": 1}
			return login
		}, OpLogin)},
		{Name: "own_name", Foreign: true, set: reshaped(renamed("token", "accessJwt"), OpLogin)},
	}},
	{"credentials", "5, rule 3", []Choice{
		{Name: "any"},
		{Name: "token", set: only(AuthBearer)},
		{Name: "key", set: only(AuthSecret)},
		{Name: "token_for_people", set: only(AuthBearer, aboutPeople...)},
		{Name: "key_for_people", set: only(AuthSecret, aboutPeople...)},
		{Name: "key_for_exports", set: only(AuthSecret, OpExportRecords)},
		{Name: "token_for_user", set: only(AuthBearer, OpGetCurrentUser)},
	}},
	{"path_family", "9", []Choice{
		{Name: "both"},
		{Name: "project", set: lacks(accountPrefix)},
		{Name: "account", set: lacks(projectPrefix)},
	}},
	{"time_precision", "2", []Choice{
		{Name: "milliseconds"},
		{Name: "seconds", set: timeAs(func(t time.Time) any { return t.Truncate(time.Second).Format(time.RFC3339) })},
	}},
	{"consent_time", "2", []Choice{
		{Name: "as_sent"},
		{Name: "text", set: timeAs(func(t time.Time) any { return t.Format(time.RFC3339Nano) })},
		{Name: TimeUnixMS, set: timeAs(func(t time.Time) any { return t.UnixMilli() })},
		{Name: "unix_seconds", Foreign: true, set: timeAs(func(t time.Time) any { return t.Unix() })},
	}},
	{"consent_names", "2", []Choice{
		{Name: "as_sent"},
		{Name: "own_time", Foreign: true, set: consentsAs(renamed("agreement_time", "agreedOn"))},
		{Name: "camel", set: consentsAs(camelCased)},
	}},
	{"consent_answer", "4, gaps", []Choice{
		{Name: "record"},
		{Name: "wrapped", set: consentsAs(in[map[string]any]("data"))},
		{Name: "nested", set: consentsAs(in[map[string]any]("data", "attributes"))},
		{Name: "own_wrapper", set: consentsAs(in[map[string]any]("state"))},
		{Name: "list", Foreign: true, set: consentsAs(func(record map[string]any) any { return []any{record} })},
	}},
	{"update_answer", "4, gaps", []Choice{
		{Name: "record"},
		{Name: "nothing", set: reshaped(always[any](NoContent), OpUpdateConsent)},
		{Name: "success", set: reshaped(always[any](map[string]any{"success": true}), OpUpdateConsent)},
	}},
	{"no_consent", "4, gaps", []Choice{
		{Name: "404"},
		{Name: "null", set: noConsent(nil)},
		{Name: "empty", set: noConsent(map[string]any{})},
		{Name: "wrapped", set: noConsent(map[string]any{"data": nil})},
	}},
	{"profile_answer", "2", []Choice{
		{Name: "object"},
		{Name: "wrapped", set: reshaped(in[any]("profile"), OpGetProfile)},
		{Name: "own_wrapper", set: reshaped(in[any]("traits"), OpGetProfile)},
	}},
	{"current_user", "2", []Choice{
		{Name: "object"},
		{Name: "wrapped", set: reshaped(in[any]("user"), OpGetCurrentUser)},
	}},
	{"pending_names", "2", []Choice{
		{Name: "camel"},
		{Name: "snake", set: func(s *Server) { s.RenamePending("identityId", "identity_id", "createdAt", "created_at") }},
		{Name: "own_person", set: func(s *Server) { s.RenamePending("identityId", "customer") }},
		{Name: "own_time", Foreign: true, set: func(s *Server) { s.RenamePending("createdAt", "askedOn") }},
		{Name: "own_names", Foreign: true, set: func(s *Server) { s.RenamePending("operation", "what", "status", "phase") }},
	}},
	{"pending_states", "3", []Choice{
		{Name: "pending"},
		{Name: "processing", set: unfinished("PROCESSING")},
		{Name: "own_words", Foreign: true, set: unfinished("simmering")},
	}},
	{"pages", "8", []Choice{
		{Name: "none"},
		{Name: "has_more", Foreign: true, set: paged("has_more")},
		{Name: "next", Foreign: true, set: paged("next")},
		{Name: "total", Foreign: true, set: paged("total")},
		{Name: "link", Foreign: true, set: paged("link")},
	}},
	{"pending_answer", "4, gaps", []Choice{
		{Name: "array"},
		{Name: "wrapped", set: reshaped(in[any]("requests"), OpListPendingRequests)},
		{Name: "nested", set: reshaped(in[any]("data", "items"), OpListPendingRequests)},
		{Name: "counted", set: reshaped(func(records []map[string]any) any { return map[string]any{"requests": records, "total": len(records)} }, OpListPendingRequests)},
		{Name: "described", set: reshaped(func(records []map[string]any) any {
			return map[string]any{"requests": records, "links": map[string]any{"self": "/pending-requests"}}
		}, OpListPendingRequests)},
		{Name: "by_person", Foreign: true, set: reshaped(func(records []map[string]any) any {
			grouped := map[string]any{}
			for _, record := range records {
				person, _ := record["identityId"].(string)
				grouped[person] = record
			}
			return grouped
		}, OpListPendingRequests)},
	}},
	{"queue_answer", "4, gaps", []Choice{
		{Name: "accepted"},
		{Name: "ok", set: receiptsAs(in[map[string]any]())},
		{Name: "wrapped", set: receiptsAs(in[map[string]any]("data", "request"))},
		{Name: "flag", set: receiptsAs(always[map[string]any](map[string]any{"ok": true}))},
		{Name: "state", set: receiptsAs(always[map[string]any](map[string]any{"state": "QUEUED"}))},
		{Name: "nothing", set: receiptsAs(always[map[string]any](NoContent))},
	}},
	{"data_answer", "4, gaps", []Choice{
		{Name: "object"},
		{Name: "wrapped", set: reshaped(in[any]("data"), OpGetAllData)},
		{Name: "list", set: reshaped(func(data any) any { return []any{data} }, OpGetAllData)},
	}},
	{"export_answer", "4, gaps", []Choice{
		{Name: ExportObject},
		{Name: ExportNested, set: func(s *Server) { s.Export.Shape = ExportNested }},
		{Name: ExportArray, set: func(s *Server) { s.Export.Shape = ExportArray }},
		{Name: ExportNDJSON, set: func(s *Server) { s.Export.Shape = ExportNDJSON }},
		{Name: "own_discriminator", Foreign: true, set: func(s *Server) { s.Export.Shape, s.Export.Discriminator = ExportArray, "sort" }},
	}},
	{"export_envelope", "4, gaps", []Choice{
		{Name: "plain"},
		{Name: "described", set: func(s *Server) { s.Export.Beside = `"generatedAt":"2026-01-02T03:04:05Z","count":null,` }},
		{Name: "own_member", set: func(s *Server) { s.Export.Beside = `"tenant":"web",` }},
		{Name: "next_day", Foreign: true, set: func(s *Server) { s.Export.Beside = `"next":"2026-01-03",` }},
	}},
	{"export_text", "4, gaps", []Choice{
		{Name: "utf8"},
		{Name: "broken", set: func(s *Server) { s.Export.Broken = true }},
	}},
	{"export_kind", "4, gaps", []Choice{
		{Name: "none"},
		{Name: "parameter", set: func(s *Server) { s.Wire.ExportKindParameter = "kind" }},
		{Name: "own_values", set: func(s *Server) {
			s.Wire.ExportKindParameter, s.Wire.ExportKindValues = "recordType", [Kinds]string{"Persons", "Sessions", "Events"}
		}},
	}},
	{"export_coding", "4, gaps", []Choice{
		{Name: "none"},
		{Name: "gzip", set: func(s *Server) { s.Export.Encoding = "gzip" }},
		{Name: "zstd", set: func(s *Server) { s.Export.Encoding = "zstd" }},
	}},
	{"errors", "7", []Choice{
		{Name: "nested"},
		{Name: "flat", set: failures("application/json", func(e errorParts) any { return e })},
		{Name: "problem", set: failures("application/problem+json", func(e errorParts) any { // RFC 9457
			return map[string]any{"type": "about:blank", "title": e.Code, "detail": e.Message, "errors": e.Fields}
		})},
		// A 404 that is no JSON object does not prove that a person has no consent.
		{Name: "text", Foreign: true, set: failures("text/plain", func(e errorParts) any { return PlainText(e.Message) })},
	}},
	{"rate_limits", "8", []Choice{
		{Name: "silent"},
		{Name: "stated", set: func(s *Server) {
			s.Change(func(_ Request, a *Response) { a.Header.Set("X-Ratelimit-Limit", "600") })
		}},
	}},
	{"clock", "8", []Choice{
		{Name: "right"},
		{Name: "ahead", set: clockAhead(10 * time.Minute)},
		{Name: "behind", set: clockAhead(-10 * time.Minute)},
	}},
}

// aboutPeople are the operations of the compliance group.
var aboutPeople = []string{
	OpUpdateConsent, OpGetConsent, OpGetProfile, OpUpdateProfile, OpGetAllData, OpDeleteAllData, OpListPendingRequests,
}
