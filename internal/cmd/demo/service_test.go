package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// answering is a service that gives everybody the same answer.
func answering(t *testing.T, status int, answer string) service {
	t.Helper()
	s := stage.NewService()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	s.Take("export ANALYTICS_BASE_URL=" + server.URL)
	s.Take("export ANALYTICS_ORG_ID=org")
	s.Take("export ANALYTICS_PROJECT_ID=project")
	s.Take("export ANALYTICS_API_SECRET_KEY=a-secret")
	return service{s}
}

func TestARecordIsReadFromTheServiceWithWhatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	s := answering(t, http.StatusOK, `{"clause_1_consent": true, "agreement_time": "2026-01-15T09:30:00Z", "unknown": 1}`)
	got, err := s.consent(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(consent{Clause1: true, AgreementTime: "2026-01-15T09:30:00Z"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAPersonWithoutAProfileIsNoError(t *testing.T) {
	t.Parallel()
	s := answering(t, http.StatusNotFound, `{}`)
	if _, found, err := s.profile(t.Context(), "ada@example.com"); found || err != nil {
		t.Errorf("found %t, error %v", found, err)
	}
	if _, err := s.consent(t.Context(), "ada@example.com"); err == nil {
		t.Error("a missing consent is an error and none was reported")
	}
}

func TestErrorsOfTheServiceNameThePersonAndNotTheKey(t *testing.T) {
	t.Parallel()
	s := answering(t, http.StatusForbidden, `{}`)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, reading := s.consent(t.Context(), "ada@example.com")
	for _, err := range []error{
		reading,
		s.writeConsent(t.Context(), "ada@example.com", consent{}),
		s.writeConsent(gone, "ada@example.com", consent{}),
	} {
		if err == nil || !strings.Contains(err.Error(), "ada@example.com") || strings.Contains(err.Error(), "a-secret") {
			t.Errorf("unexpected error: %v", err)
		}
	}
}
