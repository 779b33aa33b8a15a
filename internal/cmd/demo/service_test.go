package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const testKey = "a-secret/of the&test"

// fakeService is a service whose server lives in the test; it knows one record
// for everybody.
func fakeService(t *testing.T, status int) *service {
	t.Helper()
	s := newService()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("apiSecretToken") != testKey {
			t.Errorf("%s without the secret key", r.Method)
		}
		line, _ := json.Marshal(map[string]any{"method": r.Method, "path": r.URL.Path, "status": status})
		s.take(string(line))
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, `{"clause_1_consent": true, "agreement_time": "2026-01-15T09:30:00Z", "unknown": 1}`)
	}))
	t.Cleanup(server.Close)
	s.take("export ANALYTICS_BASE_URL=" + server.URL)
	s.take("export ANALYTICS_ORG_ID=org")
	s.take("export ANALYTICS_PROJECT_ID='project'")
	s.take(`export ANALYTICS_API_SECRET_KEY="` + testKey + `"`)
	return s
}

func TestOnlyTheRequestsInBetweenAreCounted(t *testing.T) {
	t.Parallel()
	s := fakeService(t, http.StatusOK)
	if _, err := s.read(t.Context(), "before"); err != nil {
		t.Fatal(err)
	}
	got, err := s.during(t.Context(), func() error {
		return errors.Join(s.write(t.Context(), "ada@example.com", consent{}), ignore(s.read(t.Context(), "ada@example.com")))
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("2 requests (1 read, 1 write)", count(got)); diff != "" {
		t.Error(diff)
	}
	if writes(got) != 1 {
		t.Errorf("%d writes", writes(got))
	}
}

func ignore(_ consent, err error) error { return err }

func TestARecordIsReadFromTheServiceWithWhatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	got, err := fakeService(t, http.StatusOK).read(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(consent{Clause1: true, AgreementTime: "2026-01-15T09:30:00Z"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestErrorsOfTheServiceNameThePersonAndNotTheKey(t *testing.T) {
	t.Parallel()
	s := fakeService(t, http.StatusForbidden)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range []error{
		ignore(s.read(t.Context(), "ada@example.com")),
		s.write(t.Context(), "ada@example.com", consent{}),
		s.write(gone, "ada@example.com", consent{}),
	} {
		if err == nil || !strings.Contains(err.Error(), "ada@example.com") || strings.Contains(err.Error(), "apiSecretToken") {
			t.Errorf("unexpected error: %v", err)
		}
	}
}

func TestACredentialInTheOutputIsNoticed(t *testing.T) {
	t.Parallel()
	s := fakeService(t, http.StatusOK)
	if !s.leaked("key: " + testKey) {
		t.Error("the secret key was not noticed")
	}
	if s.leaked("nothing to see") {
		t.Error("found a credential where there is none")
	}
}

func TestAServerThatEndsIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	s := newService()
	s.take("panic: no address")
	s.err = errors.New("exit status 2")
	close(s.exited)
	err := s.await(t.Context(), startLimit, func() bool { return false })
	if err == nil || !strings.Contains(err.Error(), "exit status 2") {
		t.Errorf("unexpected answer: %v", err)
	}
	if s.printed() != "panic: no address\n" {
		t.Errorf("printed %q", s.printed())
	}
}

func TestRequestsAreToldByTheirPurpose(t *testing.T) {
	t.Parallel()
	login := logEntry{Method: "POST", Path: "/v1/auth/login/jwt"}
	read := logEntry{Method: "GET", Path: "/v1/account/a/compliance/user/u/consent"}
	write := logEntry{Method: "PATCH", Path: "/v1/org/o/project/p/compliance/user/u/consent"}
	other := logEntry{Method: "GET", Path: "/v1/user/self"}
	for want, entries := range map[string][]logEntry{
		"no request":         nil,
		"1 request (1 read)": {read},
		"6 requests (1 login, 2 reads, 2 writes, 1 other)": {write, other, read, login, read, write},
	} {
		if got := count(entries); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
