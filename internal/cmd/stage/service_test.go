package stage

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
)

const testKey = "a-secret/of the&test"

// fakeService is a service whose server lives in the test.
func fakeService(t *testing.T) *Service {
	t.Helper()
	s := NewService()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if r.URL.Path != "/mark" && query.Get("apiSecretToken") != testKey {
			t.Errorf("%s without the secret key", r.Method)
		}
		query.Del("apiSecretToken")
		line, _ := json.Marshal(map[string]any{
			"operation": path.Base(r.URL.Path), "method": r.Method, "status": http.StatusOK, "fields": slices.Sorted(maps.Keys(query)),
		})
		s.Take(string(line))
		_, _ = w.Write([]byte("{}"))
	}))
	t.Cleanup(server.Close)

	s.Take("export ANALYTICS_BASE_URL=" + server.URL)
	s.Take("export ANALYTICS_ORG_ID=org")
	s.Take("export ANALYTICS_PROJECT_ID='project'")
	s.Take(`export ANALYTICS_API_SECRET_KEY="` + testKey + `"`)

	return s
}

func TestService_duringReturnsTheRequestsInBetween(t *testing.T) {
	t.Parallel()
	s := fakeService(t)
	if _, err := s.Get(t.Context(), "ada@example.com", "consent"); err != nil {
		t.Fatal(err)
	}

	got, err := s.During(t.Context(), func() error {
		_, changing := s.PatchConsent(t.Context(), "ada@example.com", nil)
		_, reading := s.Get(t.Context(), "ada@example.com", "profile")
		return errors.Join(changing, reading)
	})
	if err != nil {
		t.Fatal(err)
	}

	if len(got) != 2 || got[0].Method != http.MethodPatch || got[1].Operation != "profile" {
		t.Errorf("in between were %v", got)
	}
	if got[1].At.Before(got[0].At) || got[0].At.IsZero() {
		t.Errorf("read at %s and %s", got[0].At, got[1].At)
	}
}

func TestService_errorsOfACallHaveNoAddress(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()

	_, err := fakeService(t).Get(gone, "ada@example.com", "consent")
	if err == nil || strings.Contains(err.Error(), "apiSecretToken") {
		t.Errorf("unexpected error: %v", err)
	}
}

func TestService_noticesItsCredentialsInAnOutput(t *testing.T) {
	t.Parallel()
	s := fakeService(t)
	if !s.Leaked("key: " + testKey) {
		t.Error("the secret key was not noticed")
	}
	if s.Leaked("nothing to see") {
		t.Error("found a credential where there is none")
	}
}

func TestService_isNotAwaitedOnceItHasEnded(t *testing.T) {
	t.Parallel()
	s := NewService()
	s.Take("panic: no address")
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
