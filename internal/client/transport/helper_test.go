// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	person     = "jane.doe@example.com"
	maxRetries = 4
)

var (
	serverScope = mockserver.Scope{OrgID: "org-demo", ProjectID: "web"}
	page        = http.Header{"Content-Type": {"text/html; charset=utf-8"}}
)

// option changes a sender's configuration for a test.
type option func(service *mocktest.Instance, cfg *Config)

// useSecretKey authenticates without a login, which a test would have to count.
func useSecretKey(service *mocktest.Instance, cfg *Config) {
	cfg.Credentials = Credentials{APISecretKey: service.SecretKey}
}

// useProxy makes a sender reach the service by a proxy.
func useProxy(cfg *Config, proxy func(*http.Request) (*url.URL, error)) {
	cfg.Around = func(pool http.RoundTripper) http.RoundTripper {
		if t, ok := pool.(*http.Transport); ok {
			t.Proxy = proxy
		}
		return pool
	}
}

// bubble runs a test in virtual time with a service, which holds a consent of the person, and
// a sender that reaches it over connections in memory.
func bubble(t *testing.T, test func(t *testing.T, service *mocktest.Instance, s *Sender), change ...option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t)
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		test(t, service, connect(t, service, append([]option{func(service *mocktest.Instance, cfg *Config) {
			cfg.DialContext = service.DialContext
		}}, change...)...))
	})
}

// connect returns a sender that reaches the service over TCP.
func connect(t *testing.T, service *mocktest.Instance, change ...option) *Sender {
	t.Helper()

	base, err := url.Parse(service.URL)
	noError(t, err)
	cfg := Config{
		Base:              base,
		Credentials:       Credentials{Email: service.Email, Password: service.Password},
		LoginParametersIn: InJSON,
		MaxConcurrency:    16,
		RequestTimeout:    30 * time.Second,
		MaxRetries:        maxRetries,
		UserAgent:         "client-test",
		CACertPEM:         service.CAPEM,
	}
	for _, f := range change {
		f(service, &cfg)
	}

	s, err := New(cfg)
	noError(t, err)
	t.Cleanup(s.Close)

	return s
}

const (
	consentPath = "/compliance/user/{identityId}/consent"
	dataPath    = "/compliance/user/{identityId}/all-data"
)

var (
	opGetConsent    = Operation{Name: "Get consent", Method: http.MethodGet, Path: consentPath}
	opUpdateConsent = Operation{Name: "Update consent", Method: http.MethodPatch, Kind: Writes, Path: consentPath}
)

// pathOf returns the endpoint of an operation about the person, or about the user where it has no path.
func pathOf(op Operation) Endpoint {
	template := "/v1/org/org-demo/project/web" + op.Path
	if op.Path == "" {
		template = "/v1/user/self"
	}
	return Endpoint{template, strings.Replace(template, "{identityId}", escape(person), 1)}
}

// send sends a request about the person, or about the user where the path is empty. An update
// agrees to all clauses.
func send(ctx context.Context, s *Sender, op Operation) error {
	r := Request{Op: op, To: pathOf(op), Private: []string{person}}
	if op.Method == http.MethodPatch {
		r.Attribute = "source"
		err := r.SetParameters(InJSON, map[string]any{
			"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true, "manual": true,
		})
		if err != nil {
			return err
		}
	}

	_, err := s.Do(ctx, r)

	return err
}

// read reads the consent of the person.
func read(ctx context.Context, s *Sender) error { return send(ctx, s, opGetConsent) }

// update updates the consent of the person.
func update(ctx context.Context, s *Sender) error { return send(ctx, s, opUpdateConsent) }

// readUser reads the user of the credentials.
func readUser(ctx context.Context, s *Sender) error {
	return send(ctx, s, Operation{Name: "Get current user", Method: http.MethodGet})
}

// logIn logs in.
func logIn(ctx context.Context, s *Sender) error {
	_, _, err := s.NewSessionToken(ctx)
	return err
}

// callers reads a consent n times at once and returns the errors.
func callers(ctx context.Context, s *Sender, n int) []error {
	errs := make([]error, n)

	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = read(ctx, s) })
	}
	wg.Wait()

	return errs
}

// noError fails the test on an error.
func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantClass returns err as an *Error. It fails the test unless err is one, of one of the
// classes.
func wantClass(t *testing.T, err error, classes ...ErrorClass) *Error {
	t.Helper()

	e, ok := errors.AsType[*Error](err)
	if !ok || !slices.Contains(classes, e.Class) {
		t.Fatalf("got the error %v, want %q", err, classes[0])
	}

	return e
}

// wantCount fails the test if the service received another number of requests.
func wantCount(t *testing.T, service *mocktest.Instance, operation string, want int) {
	t.Helper()
	if got := service.Count(operation); got != want {
		t.Errorf("the service received %d %s requests, want %d", got, operation, want)
	}
}
