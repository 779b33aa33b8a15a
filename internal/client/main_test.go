package client_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	scope       = client.Scope{OrgID: "org-demo", ProjectID: "web"}
	serverScope = mockserver.Scope{OrgID: "org-demo", ProjectID: "web"}
)

const person = "jane.doe@example.com"

// option changes a client's configuration for a test.
type option func(service *mocktest.Instance, cfg *client.Config)

// useSecretKey replaces the login, for tests that count only what they are about.
func useSecretKey(service *mocktest.Instance, cfg *client.Config) {
	cfg.Credentials = client.Credentials{APISecretKey: service.SecretKey}
}

// bubble runs a test in virtual time, with the service and its client inside.
func bubble(t *testing.T, test func(t *testing.T, service *mocktest.Instance, c *client.Client), change ...option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t)
		test(t, service, connect(t, service, change...))
	})
}

// connect makes a client that reaches the service through memory.
func connect(t *testing.T, service *mocktest.Instance, change ...option) *client.Client {
	t.Helper()
	cfg := client.Config{
		BaseURL:     service.URL,
		Credentials: client.Credentials{Email: service.Email, Password: service.Password},
		MaxRetries:  client.DefaultMaxRetries,
		UserAgent:   "client-test",
		DialContext: service.DialContext,
	}
	for _, f := range change {
		f(service, &cfg)
	}
	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func allTrue() client.ConsentUpdate {
	return client.ConsentUpdate{Clauses: [client.Clauses]bool{true, true, true, true, true}, Manual: true}
}

// wantKind fails the test where err is not a client error of one of the kinds.
func wantKind(t *testing.T, err error, kinds ...client.ErrorClass) *client.Error {
	t.Helper()
	e, ok := errors.AsType[*client.Error](err)
	if !ok || !slices.Contains(kinds, e.Class) {
		t.Fatalf("got the error %v, want %q", err, (&client.Error{Class: kinds[0]}).Title())
	}
	return e
}

// capturedLog returns a context whose log is kept, and a function that returns it.
func capturedLog(t *testing.T) (context.Context, func() string) {
	t.Helper()
	var log bytes.Buffer
	return tflogtest.RootLogger(t.Context(), &log), log.String
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantCount fails the test where the service received another number of requests.
func wantCount(t *testing.T, service *mocktest.Instance, operation string, want int) {
	t.Helper()
	if got := service.Count(operation); got != want {
		t.Errorf("the service received %d %s requests, want %d", got, operation, want)
	}
}

// update writes the usual consent of the usual person.
func update(ctx context.Context, c *client.Client) error {
	_, err := c.UpdateConsent(ctx, scope, person, allTrue())
	return err
}
