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
			s.LoginAnswer = func(token string) any {
				return map[string]any{"token": token, "type": "bearer", "user": map[string]any{"id": 1}}
			}
		}},
		{Name: "own_name", Foreign: true, set: func(s *Server) {
			s.LoginAnswer = func(token string) any { return map[string]any{"accessJwt": token} }
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
		{Name: "seconds", set: func(s *Server) { reshape(&s.ConsentAnswer, timeAs(wholeSeconds)) }},
	}},
	{"consent_time", "2", []Choice{
		{Name: "as_sent"},
		{Name: "text", set: func(s *Server) { reshape(&s.ConsentAnswer, timeAs(asText)) }},
		{Name: TimeUnixMS, set: func(s *Server) { reshape(&s.ConsentAnswer, timeAs(asMilliseconds)) }},
		{Name: "unix_seconds", Foreign: true, set: func(s *Server) { reshape(&s.ConsentAnswer, timeAs(asSeconds)) }},
	}},
	{"consent_names", "2", []Choice{
		{Name: "as_sent"},
		{Name: "own_time", Foreign: true, set: func(s *Server) { reshape(&s.ConsentAnswer, rename("agreement_time", "agreedOn")) }},
		{Name: "camel", set: func(s *Server) { reshape(&s.ConsentAnswer, camelCased) }},
	}},
	{"consent_answer", "4, gaps", []Choice{
		{Name: "record"},
		{Name: "wrapped", set: func(s *Server) { reshape(&s.ConsentAnswer, wrapIn("data")) }},
		{Name: "nested", set: func(s *Server) { reshape(&s.ConsentAnswer, wrapIn("data", "attributes")) }},
		{Name: "own_wrapper", set: func(s *Server) { reshape(&s.ConsentAnswer, wrapIn("state")) }},
		{Name: "list", Foreign: true, set: func(s *Server) { reshape(&s.ConsentAnswer, func(v any) any { return []any{v} }) }},
	}},
	{"update_answer", "4, gaps", []Choice{
		{Name: "record"},
		{Name: "nothing", set: func(s *Server) { s.UpdateAnswer = func(map[string]any) any { return NoContent } }},
		{Name: "success", set: func(s *Server) { s.UpdateAnswer = func(map[string]any) any { return map[string]any{"success": true} } }},
	}},
	{"no_consent", "4, gaps", []Choice{
		{Name: "404"},
		{Name: "null", set: func(s *Server) { s.NoConsentAnswer = func() any { return nil } }},
		{Name: "empty", set: func(s *Server) { s.NoConsentAnswer = func() any { return map[string]any{} } }},
		{Name: "wrapped", set: func(s *Server) { s.NoConsentAnswer = func() any { return map[string]any{"data": nil} } }},
	}},
	{"profile_answer", "2", []Choice{
		{Name: "object"},
		{Name: "wrapped", set: func(s *Server) { reshape(&s.ProfileAnswer, wrapIn("profile")) }},
		{Name: "own_wrapper", set: func(s *Server) { reshape(&s.ProfileAnswer, wrapIn("traits")) }},
	}},
	{"current_user", "2", []Choice{
		{Name: "object"},
		{Name: "wrapped", set: func(s *Server) { reshape(&s.UserAnswer, wrapIn("user")) }},
	}},
	{"pending_names", "2", []Choice{
		{Name: "camel"},
		{Name: "snake", set: func(s *Server) { s.PendingRecord = renamed("identityId", "identity_id", "createdAt", "created_at") }},
		{Name: "own_person", set: func(s *Server) { s.PendingRecord = renamed("identityId", "customer") }},
		{Name: "own_time", Foreign: true, set: func(s *Server) { s.PendingRecord = renamed("createdAt", "askedOn") }},
		{Name: "own_names", Foreign: true, set: func(s *Server) { s.PendingRecord = renamed("operation", "what", "status", "phase") }},
	}},
	{"pending_states", "3", []Choice{
		{Name: "pending"},
		{Name: "processing", set: func(s *Server) { s.PendingRecord = withStatus(s.PendingRecord, "PROCESSING") }},
		{Name: "own_words", Foreign: true, set: func(s *Server) { s.PendingRecord = withStatus(s.PendingRecord, "simmering") }},
	}},
	{"pending_answer", "4, gaps", []Choice{
		{Name: "array"},
		{Name: "wrapped", set: func(s *Server) { reshape(&s.PendingAnswer, wrapIn("requests")) }},
		{Name: "nested", set: func(s *Server) { reshape(&s.PendingAnswer, wrapIn("data", "items")) }},
		{Name: "counted", set: func(s *Server) { reshape(&s.PendingAnswer, listBeside("total", countOf)) }},
		{Name: "described", set: func(s *Server) { reshape(&s.PendingAnswer, listBeside("links", linksOf)) }},
		{Name: "by_person", Foreign: true, set: func(s *Server) { reshape(&s.PendingAnswer, byPerson) }},
	}},
	{"queue_answer", "4, gaps", []Choice{
		{Name: "accepted"},
		{Name: "ok", set: func(s *Server) { s.QueueStatus = http.StatusOK }},
		{Name: "wrapped", set: func(s *Server) { s.QueueStatus = http.StatusOK; reshape(&s.QueueAnswer, wrapIn("data", "request")) }},
		{Name: "flag", set: func(s *Server) {
			s.QueueStatus = http.StatusOK
			reshape(&s.QueueAnswer, always(map[string]any{"ok": true}))
		}},
		{Name: "state", set: func(s *Server) {
			s.QueueStatus = http.StatusOK
			reshape(&s.QueueAnswer, always(map[string]any{"state": "QUEUED"}))
		}},
		{Name: "nothing", set: func(s *Server) { reshape(&s.QueueAnswer, always(NoContent)) }},
	}},
	{"data_answer", "4, gaps", []Choice{
		{Name: "object"},
		{Name: "wrapped", set: func(s *Server) { reshape(&s.DataAnswer, wrapIn("data")) }},
		{Name: "list", set: func(s *Server) { reshape(&s.DataAnswer, func(v any) any { return []any{v} }) }},
	}},
	{"pages", "8", []Choice{
		{Name: "none"},
		{Name: "has_more", Foreign: true, set: func(s *Server) { s.PendingPage = Page{Size: 1, Sign: PageHasMore} }},
		{Name: "next", Foreign: true, set: func(s *Server) { s.PendingPage = Page{Size: 1, Sign: PageNext} }},
		{Name: "total", Foreign: true, set: func(s *Server) { s.PendingPage = Page{Size: 1, Sign: PageTotal} }},
		{Name: "link", Foreign: true, set: func(s *Server) { s.PendingPage = Page{Size: 1, Sign: PageLink} }},
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
		{Name: "flat", set: func(s *Server) { s.ErrorForm = flatErrors }},
		{Name: "problem", set: func(s *Server) { s.ErrorForm = problemErrors }},
		// A 404 that is no JSON object does not prove that a person has no consent.
		{Name: "text", Foreign: true, set: func(s *Server) { s.ErrorForm = textErrors }},
	}},
	{"rate_limits", "8", []Choice{
		{Name: "silent"},
		{Name: "stated", set: func(s *Server) { s.Header = rateLimits }},
	}},
	{"clock", "8", []Choice{
		{Name: "right"},
		{Name: "ahead", set: func(s *Server) { s.DateAhead = 10 * time.Minute }},
		{Name: "behind", set: func(s *Server) { s.DateAhead = -10 * time.Minute }},
	}},
}

// withStatus returns a PendingRecord that gives each record of an unfinished request a status.
func withStatus(before func(QueuedRequest, map[string]any) map[string]any, status string) func(QueuedRequest, map[string]any) map[string]any {
	return func(q QueuedRequest, record map[string]any) map[string]any {
		if before != nil {
			record = before(q, record)
		}
		if q.Done {
			return record
		}

		for _, name := range []string{"status", "phase"} {
			if _, ok := record[name]; ok {
				record[name] = status
			}
		}

		return record
	}
}

// renamed returns a PendingRecord that gives members other names, in pairs of names.
func renamed(names ...string) func(QueuedRequest, map[string]any) map[string]any {
	return func(_ QueuedRequest, record map[string]any) map[string]any {
		for i := 0; i < len(names); i += 2 {
			rename(names[i], names[i+1])(record)
		}
		return record
	}
}

// listBeside returns a step that puts the list of pending requests into an object, beside a
// member that is made of it.
func listBeside(name string, member func(records []map[string]any) any) func(any) any {
	return func(v any) any {
		records, _ := v.([]map[string]any)
		return map[string]any{"requests": v, name: member(records)}
	}
}

func countOf(records []map[string]any) any { return len(records) }
func linksOf([]map[string]any) any         { return map[string]any{"self": "/pending-requests"} }

// byPerson groups the list of pending requests by person, so that people are names of
// members.
func byPerson(v any) any {
	grouped := map[string]any{}
	records, _ := v.([]map[string]any)
	for _, record := range records {
		person, _ := record["identityId"].(string)
		grouped[person] = record
	}
	return grouped
}
