package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// answering is a service that gives everybody the same answer.
func answering(t *testing.T, status int, answer string) *stage.Service {
	t.Helper()
	s := stage.NewService()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	s.Take("export ANALYTICS_BASE_URL=" + server.URL)

	return s
}

func TestAsk_putsAnAnswerIntoWords(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		q      question
		status int
		answer string
		want   string
	}{
		"no clause":     {consentOf("ada"), http.StatusOK, `{"clause_1_consent": false}`, "agrees to nothing"},
		"one clause":    {consentOf("ada"), http.StatusOK, `{"clause_3_consent": true, "unknown": 1}`, "agrees to clause 3"},
		"three clauses": {consentOf("ada"), http.StatusOK, `{"clause_1_consent": true, "clause_2_consent": true, "clause_5_consent": true}`, "agrees to clauses 1, 2 and 5"},
		"a profile":     {profileOf("ada"), http.StatusOK, `{"plan": "free", "seats": 3, "newsletter": true}`, `newsletter: true, plan: "free", seats: 3`},
		"no profile":    {profileOf("ada"), http.StatusNotFound, `{}`, "has no profile any more"},
	} {
		held, err := ask(t.Context(), answering(t, tc.status, tc.answer), tc.q)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := tc.q.describe(held); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}

	if _, err := ask(t.Context(), answering(t, http.StatusForbidden, `{}`), consentOf("ada")); err == nil {
		t.Error("a failed request is no error")
	}
}

func TestCount_tellsRequestsByTheirPurpose(t *testing.T) {
	t.Parallel()
	for want, operations := range map[string][]string{
		"no request":         nil,
		"1 request (1 read)": {"getProfile"},
		"6 requests (1 login, 2 reads, 2 writes, 1 other)":              {"updateConsent", "getCurrentUser", "getProfile", "login", "getConsent", "updateProfile"},
		"3 requests (1 deletion, 2 looks at the queue)":                 {"listPendingRequests", "deleteAllData", "listPendingRequests"},
		"3 requests (2 data requests, 1 look at the queue)":             {"getAllData", "listPendingRequests", "getAllData"},
		"4 requests (1 read, 1 write, 1 deletion, 1 look at the queue)": {"listPendingRequests", "deleteAllData", "updateConsent", "getProfile"},
	} {
		var entries []stage.Entry
		for _, operation := range operations {
			entries = append(entries, stage.Entry{Operation: operation})
		}
		if got := count(entries); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
