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
	question("login_parameters", "5, rule 4", InJSON,
		or(InForm, func(s *Server) { s.Wire.LoginParametersIn = InForm }),
		or(InQuery, func(s *Server) { s.Wire.LoginParametersIn = InQuery }),
	),
	question("consent_parameters", "4, gaps", InJSON,
		or(InForm, func(s *Server) { s.Wire.ConsentParametersIn = InForm }),
		or(InQuery, func(s *Server) { s.Wire.ConsentParametersIn = InQuery }),
	),
	question("agreement_time", "2", TimeRFC3339,
		or(TimeUnixMS, func(s *Server) { s.Wire.AgreementTimeFormat = TimeUnixMS }),
	),
	question("misplaced_parameters", "7", "refused",
		or("ignored", func(s *Server) {
			s.Change(func(r Request, a *Response) {
				misplaced := r.Place != cmp.Or(s.Wire.ConsentParametersIn, InJSON)
				if r.Operation == OpUpdateConsent && a.Status == http.StatusBadRequest && len(r.Sent) > 0 && misplaced {
					record := map[string]any{}
					held, _ := s.get(&s.consents, person{r.Scope, r.Identity})
					maps.Copy(record, held)
					a.Status, a.Body = http.StatusOK, record
				}
			})
		}),
	),
	question("manual", "2", "optional",
		or("required", refused(func(r Request) bool {
			_, sent := r.Sent["manual"]
			return !sent && r.Operation == OpUpdateConsent
		}, invalid(fieldError{"manual", "is required"}))),
	),
	question("login_answer", "2", "token",
		or("with_more", reshaped(func(login map[string]any) any {
			login["type"], login["user"] = "bearer", map[string]any{"id": 1}
			return login
		}, OpLogin)),
		foreign("own_name", reshaped(renamed("token", "accessJwt"), OpLogin)),
	),
	question("credentials", "5, rule 3", "any",
		or("token", only(AuthBearer)),
		or("key", only(AuthSecret)),
		or("token_for_people", only(AuthBearer, aboutPeople...)),
		or("key_for_people", only(AuthSecret, aboutPeople...)),
		or("key_for_exports", only(AuthSecret, OpExportRecords)),
		or("token_for_user", only(AuthBearer, OpGetCurrentUser)),
	),
	question("path_family", "9", "both",
		or("project", lacks(accountPrefix)),
		or("account", lacks(projectPrefix)),
	),
	question("time_precision", "2", "milliseconds",
		or("seconds", timeAs(func(t time.Time) any { return t.Truncate(time.Second).Format(time.RFC3339) })),
	),
	question("consent_time", "2", "as_sent",
		or("text", timeAs(func(t time.Time) any { return t.Format(time.RFC3339Nano) })),
		or(TimeUnixMS, timeAs(func(t time.Time) any { return t.UnixMilli() })),
		foreign("unix_seconds", timeAs(func(t time.Time) any { return t.Unix() })),
	),
	question("consent_names", "2", "as_sent",
		foreign("own_time", consentsAs(renamed("agreement_time", "agreedOn"))),
		or("camel", consentsAs(camelCased)),
	),
	question("consent_answer", "4, gaps", "record",
		or("wrapped", consentsAs(in[map[string]any]("data"))),
		or("nested", consentsAs(in[map[string]any]("data", "attributes"))),
		or("own_wrapper", consentsAs(in[map[string]any]("state"))),
		foreign("list", consentsAs(func(record map[string]any) any { return []any{record} })),
	),
	question("update_answer", "4, gaps", "record",
		or("nothing", reshaped(always[any](NoContent), OpUpdateConsent)),
		or("success", reshaped(always[any](map[string]any{"success": true}), OpUpdateConsent)),
	),
	question("no_consent", "4, gaps", "404",
		or("null", noConsent(nil)),
		or("empty", noConsent(map[string]any{})),
		or("wrapped", noConsent(map[string]any{"data": nil})),
	),
	question("profile_answer", "2", "object",
		or("wrapped", reshaped(in[any]("profile"), OpGetProfile)),
		or("own_wrapper", reshaped(in[any]("traits"), OpGetProfile)),
	),
	question("current_user", "2", "object",
		or("wrapped", reshaped(in[any]("user"), OpGetCurrentUser)),
	),
	question("pending_names", "2", "camel",
		or("snake", func(s *Server) { s.RenamePending("identityId", "identity_id", "createdAt", "created_at") }),
		or("own_person", func(s *Server) { s.RenamePending("identityId", "customer") }),
		foreign("own_time", func(s *Server) { s.RenamePending("createdAt", "askedOn") }),
		foreign("own_names", func(s *Server) { s.RenamePending("operation", "what", "status", "phase") }),
	),
	question("pending_states", "3", "pending",
		or("processing", unfinished("PROCESSING")),
		foreign("own_words", unfinished("simmering")),
	),
	question("pages", "8", "none",
		foreign("has_more", paged("has_more")),
		foreign("next", paged("next")),
		foreign("total", paged("total")),
		foreign("link", paged("link")),
	),
	question("pending_answer", "4, gaps", "array",
		or("wrapped", reshaped(in[any]("requests"), OpListPendingRequests)),
		or("nested", reshaped(in[any]("data", "items"), OpListPendingRequests)),
		or("counted", reshaped(func(records []map[string]any) any { return map[string]any{"requests": records, "total": len(records)} }, OpListPendingRequests)),
		or("described", reshaped(func(records []map[string]any) any {
			return map[string]any{"requests": records, "links": map[string]any{"self": "/pending-requests"}}
		}, OpListPendingRequests)),
		foreign("by_person", reshaped(func(records []map[string]any) any {
			grouped := map[string]any{}
			for _, record := range records {
				person, _ := record["identityId"].(string)
				grouped[person] = record
			}
			return grouped
		}, OpListPendingRequests)),
	),
	question("queue_answer", "4, gaps", "accepted",
		or("ok", receiptsAs(in[map[string]any]())),
		or("wrapped", receiptsAs(in[map[string]any]("data", "request"))),
		or("flag", receiptsAs(always[map[string]any](map[string]any{"ok": true}))),
		or("state", receiptsAs(always[map[string]any](map[string]any{"state": "QUEUED"}))),
		or("nothing", receiptsAs(always[map[string]any](NoContent))),
	),
	question("data_answer", "4, gaps", "object",
		or("wrapped", reshaped(in[any]("data"), OpGetAllData)),
		or("list", reshaped(func(data any) any { return []any{data} }, OpGetAllData)),
	),
	question("export_answer", "4, gaps", ExportObject,
		or(ExportNested, func(s *Server) { s.Export.Shape = ExportNested }),
		or(ExportArray, func(s *Server) { s.Export.Shape = ExportArray }),
		or(ExportNDJSON, func(s *Server) { s.Export.Shape = ExportNDJSON }),
		foreign("own_discriminator", func(s *Server) { s.Export.Shape, s.Export.Discriminator = ExportArray, "sort" }),
	),
	question("export_envelope", "4, gaps", "plain",
		or("described", func(s *Server) { s.Export.Beside = `"generatedAt":"2026-01-02T03:04:05Z","count":null,` }),
		or("own_member", func(s *Server) { s.Export.Beside = `"tenant":"web",` }),
		foreign("next_day", func(s *Server) { s.Export.Beside = `"next":"2026-01-03",` }),
	),
	question("export_text", "4, gaps", "utf8",
		or("broken", func(s *Server) { s.Export.Broken = true }),
	),
	question("export_kind", "4, gaps", "none",
		or("parameter", func(s *Server) { s.Wire.ExportKindParameter = "kind" }),
		or("own_values", func(s *Server) {
			s.Wire.ExportKindParameter, s.Wire.ExportKindValues = "recordType", [Kinds]string{"Persons", "Sessions", "Events"}
		}),
	),
	question("export_coding", "4, gaps", "none",
		or("gzip", func(s *Server) { s.Export.Encoding = "gzip" }),
		or("zstd", func(s *Server) { s.Export.Encoding = "zstd" }),
	),
	question("errors", "7", "nested",
		or("flat", failures("application/json", func(e errorParts) any { return e })),
		or("problem", failures("application/problem+json", func(e errorParts) any { // RFC 9457
			return map[string]any{"type": "about:blank", "title": e.Code, "detail": e.Message, "errors": e.Fields}
		})),
		// A 404 that is no JSON object does not prove that a person has no consent.
		foreign("text", failures("text/plain", func(e errorParts) any { return PlainText(e.Message) })),
	),
	question("rate_limits", "8", "silent",
		or("stated", func(s *Server) {
			s.Change(func(_ Request, a *Response) { a.Header.Set("X-Ratelimit-Limit", "600") })
		}),
	),
	question("clock", "8", "right",
		or("ahead", clockAhead(10*time.Minute)),
		or("behind", clockAhead(-10*time.Minute)),
	),
}

// aboutPeople are the operations of the compliance group.
var aboutPeople = []string{
	OpUpdateConsent, OpGetConsent, OpGetProfile, OpUpdateProfile, OpGetAllData, OpDeleteAllData, OpListPendingRequests,
}
