// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"fmt"
	"net/http"
	"time"
)

// Questions are all questions that the interface leaves open and that the server can answer
// in more than one way, in the order in which Speak applies them: what shapes an answer from
// the inside comes first.
var Questions = []Question{
	question("login_parameters", InJSON,
		or(InForm, func(s *Server) { s.Wire.LoginParametersIn = InForm }),
		or(InQuery, func(s *Server) { s.Wire.LoginParametersIn = InQuery }),
	),
	question("consent_parameters", InJSON,
		or(InForm, func(s *Server) { s.Wire.ConsentParametersIn = InForm }),
		or(InQuery, func(s *Server) { s.Wire.ConsentParametersIn = InQuery }),
	),
	question("agreement_time", TimeRFC3339, or(TimeUnixMS, func(s *Server) { s.Wire.AgreementTimeFormat = TimeUnixMS })),
	question("misplaced_parameters", "refused",
		or("ignored", func(s *Server) {
			s.Change(func(r Request, a *Response) {
				misplaced := r.ParametersIn != cmp.Or(s.Wire.ConsentParametersIn, InJSON)
				if r.Operation == OpUpdateConsent && a.Status == http.StatusBadRequest && len(r.Sent) > 0 && misplaced {
					held, _ := s.get(&s.consents, person{r.Scope, r.Identity})
					a.Status, a.Body = http.StatusOK, held
				}
			})
		}),
	),
	question("login_answer", "token",
		or("with_more", answers(func(login map[string]any) any {
			return map[string]any{"type": "bearer", "user": login, "token": login["token"]}
		}, OpLogin)),
		foreign("own_name", answers(renamed("token", "accessJwt"), OpLogin)),
	),
	question("credentials", "any",
		or("token", only(AuthBearer, "")),
		or("key", only(AuthSecret, "")),
		or("token_for_people", only(AuthBearer, "/compliance/")),
		or("key_for_people", only(AuthSecret, "/compliance/")),
		or("key_for_exports", only(AuthSecret, "/export")),
		or("token_for_user", only(AuthBearer, "/user/self")),
	),
	question("path_family", "both",
		or("project", lacks(accountPrefix)),
		or("account", lacks(projectPrefix)),
	),
	question("consent_time", "as_sent",
		or("text", timeAs(func(t time.Time) any { return t.Format(time.RFC3339Nano) })),
		or("whole_seconds", timeAs(func(t time.Time) any { return t.Format(time.RFC3339) })),
		or(TimeUnixMS, timeAs(func(t time.Time) any { return t.UnixMilli() })),
		foreign("unix_seconds", timeAs(func(t time.Time) any { return t.Unix() })),
	),
	question("consent_names", "as_sent",
		foreign("own_time", consents(renamed("agreement_time", "agreedOn"))),
		or("camel", consents(renamed(
			"clause_1_consent", "clause1Consent", "clause_2_consent", "clause2Consent", "clause_3_consent", "clause3Consent",
			"clause_4_consent", "clause4Consent", "clause_5_consent", "clause5Consent", "user_ipv6", "userIpv6", "agreement_time", "agreementTime"))),
	),
	question("consent_answer", "record",
		or("wrapped", consents(in("data"))),
		or("nested", consents(in("data", "attributes"))),
		or("own_wrapper", consents(in("state"))),
		foreign("list", consents(func(record any) any { return []any{record} })),
	),
	question("update_answer", "record",
		or("nothing", answers(always(NoContent), OpUpdateConsent)),
		or("success", answers(always(map[string]any{"success": true}), OpUpdateConsent)),
	),
	question("no_consent", "404",
		or("null", noConsent(nil)),
		or("empty", noConsent(map[string]any{})),
		or("wrapped", noConsent(map[string]any{"data": nil})),
	),
	question("profile_answer", "object",
		or("wrapped", answers(in("profile"), OpGetProfile)),
		or("own_wrapper", answers(in("traits"), OpGetProfile)),
	),
	question("current_user", "object", or("wrapped", answers(in("user"), OpGetCurrentUser))),
	question("pending_states", "pending",
		or("processing", pendingIs("PROCESSING")),
		foreign("own_words", pendingIs("simmering")),
	),
	question("pending_names", "camel",
		or("snake", pending("identityId", "identity_id", "createdAt", "created_at")),
		or("own_person", pending("identityId", "customer")),
		foreign("own_time", pending("createdAt", "askedOn")),
		foreign("own_names", pending("operation", "what", "status", "phase")),
	),
	question("pending_answer", "array",
		or("wrapped", answers(in("requests"), OpListPendingRequests)),
		or("nested", answers(in("data", "items"), OpListPendingRequests)),
		or("counted", answers(func(records []map[string]any) any { return map[string]any{"requests": records, "total": len(records)} }, OpListPendingRequests)),
		or("described", beside("links", map[string]any{"self": "/pending-requests"})),
		foreign("by_person", answers(func(records []map[string]any) any {
			grouped := map[string]any{}
			for _, record := range records {
				grouped[fmt.Sprint(record["identityId"])] = record
			}
			return grouped
		}, OpListPendingRequests)),
	),
	// The interface shows no pages (section 8); these signs are common in other services.
	question("pages", "none",
		foreign("has_more", beside("has_more", true)),
		foreign("next", beside("next", "https://service.example.com/pending-requests?page=2")),
		foreign("total", beside("total", 99)),
	),
	question("queue_answer", "accepted",
		or("ok", Receipts(http.StatusOK, in())),
		or("wrapped", Receipts(http.StatusOK, in("data", "request"))),
		or("flag", Receipts(http.StatusOK, always(map[string]any{"ok": true}))),
		or("state", Receipts(http.StatusOK, always(map[string]any{"state": "QUEUED"}))),
		or("nothing", Receipts(http.StatusOK, always(NoContent))),
	),
	question("data_answer", "object",
		or("wrapped", answers(in("data"), OpGetAllData)),
		or("list", answers(func(data any) any { return []any{data} }, OpGetAllData)),
	),
	question("export_answer", ExportObject,
		or(ExportNested, func(s *Server) { s.Export.Shape = ExportNested }),
		or(ExportArray, func(s *Server) { s.Export.Shape = ExportArray }),
		or(ExportNDJSON, func(s *Server) { s.Export.Shape = ExportNDJSON }),
		foreign("own_discriminator", func(s *Server) { s.Export.Shape, s.Export.Discriminator = ExportArray, "sort" }),
	),
	question("export_envelope", "plain",
		or("described", func(s *Server) { s.Export.Beside = `"generatedAt":"2026-01-02T03:04:05Z","count":null,` }),
		or("own_member", func(s *Server) { s.Export.Beside = `"tenant":"web",` }),
		foreign("next_day", func(s *Server) { s.Export.Beside = `"next":"2026-01-03",` }),
	),
	question("export_text", "utf8", or("broken", func(s *Server) { s.Export.Broken = true })),
	question("export_kind", "none",
		or("parameter", func(s *Server) { s.Wire.ExportKindParameter = "kind" }),
		or("own_values", func(s *Server) {
			s.Wire.ExportKindParameter, s.Wire.ExportKindValues = "recordType", [Kinds]string{"Persons", "Sessions", "Events"}
		}),
	),
	question("export_coding", "none",
		or("gzip", func(s *Server) { s.Export.Encoding = "gzip" }),
		or("zstd", func(s *Server) { s.Export.Encoding = "zstd" }),
	),
	question("errors", "nested",
		or("flat", errorsAs("application/json", func(e problem) any { return e })),
		or("problem", errorsAs("application/problem+json", func(e problem) any { // RFC 9457
			return map[string]any{"type": "about:blank", "title": e.Code, "detail": e.Message, "errors": e.Fields}
		})),
		// A 404 that is no JSON object does not prove that a person has no consent.
		foreign("text", errorsAs("text/plain", func(e problem) any { return PlainText(e.Message) })),
	),
}
