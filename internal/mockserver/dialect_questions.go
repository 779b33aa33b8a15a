// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
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
	{"manual", "2", []Choice{
		{Name: "optional"},
		{Name: "required", set: func(s *Server) { s.Wire.RequireManual = true }},
	}},
	{"login_answer", "2", []Choice{
		{Name: "token"},
		{Name: "with_more", set: func(s *Server) {
			Reshape(s, func(login map[string]any) any {
				login["type"], login["user"] = "bearer", map[string]any{"id": 1}
				return login
			}, OpLogin)
		}},
		{Name: "own_name", Foreign: true, set: func(s *Server) {
			Reshape(s, func(login map[string]any) any { return map[string]any{"accessJwt": login["token"]} }, OpLogin)
		}},
	}},
	{"misplaced_parameters", "7", []Choice{
		{Name: "refused"},
		{Name: "ignored", set: func(s *Server) { s.IgnoreMisplaced = true }},
	}},
	{"credentials", "5, rule 3", []Choice{
		{Name: "any"},
		{Name: "token", set: func(s *Server) { s.Accepts = accepting(AuthBearer, anyOperation) }},
		{Name: "key", set: func(s *Server) { s.Accepts = accepting(AuthSecret, anyOperation) }},
		{Name: "token_for_people", set: func(s *Server) { s.Accepts = accepting(AuthBearer, isAboutPeople) }},
		{Name: "key_for_people", set: func(s *Server) { s.Accepts = accepting(AuthSecret, isAboutPeople) }},
		{Name: "key_for_exports", set: func(s *Server) { s.Accepts = accepting(AuthSecret, isExport) }},
		{Name: "token_for_user", set: func(s *Server) { s.Accepts = accepting(AuthBearer, isCurrentUser) }},
	}},
	{"path_family", "9", []Choice{
		{Name: "both"},
		{Name: "project", set: func(s *Server) { s.Lacks = accountPrefix }},
		{Name: "account", set: func(s *Server) { s.Lacks = projectPrefix }},
	}},
	{"time_precision", "2", []Choice{
		{Name: "milliseconds"},
		{Name: "seconds", set: func(s *Server) { s.ReshapeConsents(timeAs(wholeSeconds)) }},
	}},
	{"consent_time", "2", []Choice{
		{Name: "as_sent"},
		{Name: "text", set: func(s *Server) { s.ReshapeConsents(timeAs(asText)) }},
		{Name: TimeUnixMS, set: func(s *Server) { s.ReshapeConsents(timeAs(asMilliseconds)) }},
		{Name: "unix_seconds", Foreign: true, set: func(s *Server) { s.ReshapeConsents(timeAs(asSeconds)) }},
	}},
	{"consent_names", "2", []Choice{
		{Name: "as_sent"},
		{Name: "own_time", Foreign: true, set: func(s *Server) {
			s.ReshapeConsents(func(record map[string]any) any { rename(record, "agreement_time", "agreedOn"); return record })
		}},
		{Name: "camel", set: func(s *Server) { s.ReshapeConsents(camelCased) }},
	}},
	{"consent_answer", "4, gaps", []Choice{
		{Name: "record"},
		{Name: "wrapped", set: func(s *Server) { s.ReshapeConsents(wrapIn[map[string]any]("data")) }},
		{Name: "nested", set: func(s *Server) { s.ReshapeConsents(wrapIn[map[string]any]("data", "attributes")) }},
		{Name: "own_wrapper", set: func(s *Server) { s.ReshapeConsents(wrapIn[map[string]any]("state")) }},
		{Name: "list", Foreign: true, set: func(s *Server) { s.ReshapeConsents(func(record map[string]any) any { return []any{record} }) }},
	}},
	{"update_answer", "4, gaps", []Choice{
		{Name: "record"},
		{Name: "nothing", set: func(s *Server) { Reshape(s, always[any](NoContent), OpUpdateConsent) }},
		{Name: "success", set: func(s *Server) { Reshape(s, always[any](map[string]any{"success": true}), OpUpdateConsent) }},
	}},
	{"no_consent", "4, gaps", []Choice{
		{Name: "404"},
		{Name: "null", set: func(s *Server) { s.noConsentIs(nil) }},
		{Name: "empty", set: func(s *Server) { s.noConsentIs(map[string]any{}) }},
		{Name: "wrapped", set: func(s *Server) { s.noConsentIs(map[string]any{"data": nil}) }},
	}},
	{"profile_answer", "2", []Choice{
		{Name: "object"},
		{Name: "wrapped", set: func(s *Server) { Reshape(s, wrapIn[any]("profile"), OpGetProfile) }},
		{Name: "own_wrapper", set: func(s *Server) { Reshape(s, wrapIn[any]("traits"), OpGetProfile) }},
	}},
	{"current_user", "2", []Choice{
		{Name: "object"},
		{Name: "wrapped", set: func(s *Server) { Reshape(s, wrapIn[any]("user"), OpGetCurrentUser) }},
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
		{Name: "processing", set: func(s *Server) { s.unfinishedAre("PROCESSING") }},
		{Name: "own_words", Foreign: true, set: func(s *Server) { s.unfinishedAre("simmering") }},
	}},
	{"pages", "8", []Choice{
		{Name: "none"},
		{Name: "has_more", Foreign: true, set: func(s *Server) { s.Paged(1, PageHasMore) }},
		{Name: "next", Foreign: true, set: func(s *Server) { s.Paged(1, PageNext) }},
		{Name: "total", Foreign: true, set: func(s *Server) { s.Paged(1, PageTotal) }},
		{Name: "link", Foreign: true, set: func(s *Server) { s.Paged(1, PageLink) }},
	}},
	{"pending_answer", "4, gaps", []Choice{
		{Name: "array"},
		{Name: "wrapped", set: func(s *Server) { Reshape(s, wrapIn[any]("requests"), OpListPendingRequests) }},
		{Name: "nested", set: func(s *Server) { Reshape(s, wrapIn[any]("data", "items"), OpListPendingRequests) }},
		{Name: "counted", set: func(s *Server) { Reshape(s, listBeside("total", countOf), OpListPendingRequests) }},
		{Name: "described", set: func(s *Server) { Reshape(s, listBeside("links", linksOf), OpListPendingRequests) }},
		{Name: "by_person", Foreign: true, set: func(s *Server) { Reshape(s, byPerson, OpListPendingRequests) }},
	}},
	{"queue_answer", "4, gaps", []Choice{
		{Name: "accepted"},
		{Name: "ok", set: func(s *Server) { s.receiptsAre(wrapIn[map[string]any]()) }},
		{Name: "wrapped", set: func(s *Server) { s.receiptsAre(wrapIn[map[string]any]("data", "request")) }},
		{Name: "flag", set: func(s *Server) { s.receiptsAre(always[map[string]any](map[string]any{"ok": true})) }},
		{Name: "state", set: func(s *Server) {
			s.receiptsAre(always[map[string]any](map[string]any{"state": "QUEUED"}))
		}},
		{Name: "nothing", set: func(s *Server) { s.ReshapeReceipts(always[map[string]any](NoContent)) }},
	}},
	{"data_answer", "4, gaps", []Choice{
		{Name: "object"},
		{Name: "wrapped", set: func(s *Server) { Reshape(s, wrapIn[any]("data"), OpGetAllData) }},
		{Name: "list", set: func(s *Server) { Reshape(s, func(data any) any { return []any{data} }, OpGetAllData) }},
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
		{Name: "flat", set: func(s *Server) { s.errorsAs(func(e errorParts) any { return e }, "application/json") }},
		{Name: "problem", set: func(s *Server) { s.errorsAs(problem, "application/problem+json") }},
		// A 404 that is no JSON object does not prove that a person has no consent.
		{Name: "text", Foreign: true, set: func(s *Server) { s.errorsAs(func(e errorParts) any { return PlainText(e.Message) }, "text/plain") }},
	}},
	{"rate_limits", "8", []Choice{
		{Name: "silent"},
		{Name: "stated", set: func(s *Server) { s.withHeader("X-Ratelimit-Limit", "600") }},
	}},
	{"clock", "8", []Choice{
		{Name: "right"},
		{Name: "ahead", set: func(s *Server) { s.dateAhead(10 * time.Minute) }},
		{Name: "behind", set: func(s *Server) { s.dateAhead(-10 * time.Minute) }},
	}},
}

// noConsentIs answers 200 with a body about a person without a consent.
func (s *Server) noConsentIs(body any) {
	s.Change(func(r Request, a *Response) {
		if _, failed := a.Body.(errorBody); failed && r.Operation == OpGetConsent && a.Status == http.StatusNotFound {
			a.Status, a.Body = http.StatusOK, body
		}
	})
}

// unfinishedAre gives each pending record of an unfinished request a status.
func (s *Server) unfinishedAre(status string) {
	s.ReshapePending(func(record map[string]any) map[string]any {
		for _, name := range []string{"status", "phase"} {
			if record[name] == StatusPending {
				record[name] = status
			}
		}
		return record
	})
}

// receiptsAre answers what is queued with 200 and a body.
func (s *Server) receiptsAre(body func(record map[string]any) any) {
	s.ReshapeReceipts(body)
	s.Change(func(_ Request, a *Response) {
		if a.Receipt {
			a.Status = http.StatusOK
		}
	})
}

// listBeside returns a function that puts the list of pending requests into an object, beside
// a member that is made of it.
func listBeside(name string, member func(records []map[string]any) any) func([]map[string]any) any {
	return func(records []map[string]any) any {
		return map[string]any{"requests": records, name: member(records)}
	}
}

func countOf(records []map[string]any) any { return len(records) }
func linksOf([]map[string]any) any         { return map[string]any{"self": "/pending-requests"} }

// byPerson groups the list of pending requests by person, so that people are names of
// members.
func byPerson(records []map[string]any) any {
	grouped := map[string]any{}
	for _, record := range records {
		person, _ := record["identityId"].(string)
		grouped[person] = record
	}
	return grouped
}
