// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	scope       = client.Scope{OrgID: "org-demo", ProjectID: "web"}
	serverScope = mockserver.Scope{OrgID: "org-demo", ProjectID: "web"}
)

const person = "jane.doe@example.com"

var jane = client.Person{Scope: scope, Identity: person}

// option changes a client's configuration for a test.
type option func(service *mocktest.Instance, cfg *client.Config)

// useSecretKey authenticates without a login, which a test would have to count.
func useSecretKey(service *mocktest.Instance, cfg *client.Config) {
	cfg.Credentials = transport.Credentials{APISecretKey: service.SecretKey}
}

// useTCP makes a client reach a service that is not one of StartPipe.
func useTCP(service *mocktest.Instance, cfg *client.Config) {
	cfg.DialContext, cfg.CACertPEM = nil, service.CAPEM
}

// useProxy makes a client reach the service by a proxy.
func useProxy(cfg *client.Config, proxy func(*http.Request) (*url.URL, error)) {
	cfg.Around = func(pool http.RoundTripper) http.RoundTripper {
		if t, ok := pool.(*http.Transport); ok {
			t.Proxy = proxy
		}
		return pool
	}
}

// bubble runs a test in virtual time with a service and a client for it.
func bubble(t *testing.T, test func(t *testing.T, service *mocktest.Instance, c *client.Client), change ...option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := mocktest.StartPipe(t)
		test(t, service, connect(t, service, change...))
	})
}

// connect returns a client that reaches the service over connections in memory.
func connect(t *testing.T, service *mocktest.Instance, change ...option) *client.Client {
	t.Helper()

	cfg := client.Config{BaseURL: service.URL, Config: transport.Config{
		Credentials: transport.Credentials{Email: service.Email, Password: service.Password},
		MaxRetries:  client.DefaultMaxRetries,
		UserAgent:   "client-test",
		DialContext: service.DialContext,
	}}

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

// noError fails the test on an error.
func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantClass returns err as a client error. It fails the test unless err is one, of one
// of the classes.
func wantClass(t *testing.T, err error, classes ...transport.ErrorClass) *transport.Error {
	t.Helper()

	e, ok := errors.AsType[*transport.Error](err)
	if !ok || !slices.Contains(classes, e.Class) {
		t.Fatalf("got the error %v, want %q", err, (&transport.Error{Class: classes[0]}).Title())
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

// allTrue returns an update that agrees to all clauses.
func allTrue() choice.Record {
	return choice.Record{Clauses: [decode.Clauses]bool{true, true, true, true, true}, Manual: true}
}

// readUser reads the user of the credentials.
func readUser(ctx context.Context, c *client.Client) error {
	_, err := c.CurrentUser(ctx)
	return err
}

// logIn logs in.
func logIn(ctx context.Context, c *client.Client) error {
	_, _, err := c.NewSessionToken(ctx)
	return err
}

// callers reads the user n times at once and returns the errors.
func callers(ctx context.Context, c *client.Client, n int) []error {
	errs := make([]error, n)

	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = readUser(ctx, c) })
	}
	wg.Wait()

	return errs
}

// update sends allTrue for the person, without a look.
func update(ctx context.Context, c *client.Client) error {
	_, _, err := updateConsent(ctx, c, jane, unprotected())
	return err
}

// changes returns calls that change something at the service, by operation.
func changes() map[string]func(context.Context, *client.Client) error {
	return map[string]func(context.Context, *client.Client) error{
		mockserver.OpUpdateConsent: update,
		mockserver.OpDeleteAllData: func(ctx context.Context, c *client.Client) error {
			_, err := c.DeleteData(ctx, jane)
			return err
		},
		mockserver.OpGetAllData: func(ctx context.Context, c *client.Client) error {
			_, err := c.FetchData(ctx, jane, decode.DataCall{Seen: true}, io.Discard)
			return err
		},
	}
}

var (
	agreedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	held     = mockserver.ConsentRecord{Clauses: [5]bool{true, true, true, true, true}, AgreementTime: "2026-01-01T00:00:00Z", Manual: new(true)}
)

// protected returns the evidence for an update that a later choice of the person overrides.
func protected() choice.Evidence {
	e := choice.Evidence{Wanted: allTrue(), Since: agreedAt, Anew: true}
	e.Wanted.AgreementTime = agreedAt

	return e
}

// onlyDifferent is protected for an update that is sent only if it differs from the record.
func onlyDifferent() choice.Evidence {
	e := protected()
	e.Anew = false

	return e
}

// unprotected returns the evidence for an update that overwrites any record.
func unprotected() choice.Evidence {
	return choice.Evidence{Wanted: allTrue(), Overrules: true, Anew: true}
}

// updateConsent updates a person as the evidence has it, without a reading where nothing could stand
// against it.
func updateConsent(ctx context.Context, c *client.Client, p client.Person, e choice.Evidence) (act choice.Act, result client.ConsentResult, err error) {
	release, err := c.Consents.Hold(ctx, p)
	if err != nil {
		return act, result, err
	}
	defer release()

	act = choice.Send
	result, err = c.UpdateConsent(ctx, p, client.ConsentWrite{
		Record: e.Wanted,
		Judge: func(read choice.Reading) bool {
			e.Action, e.Reading = choice.Write, read
			_, act = choice.Judge(e)
			return act == choice.Send
		},
		Blind: e.Overrules,
	})

	return act, result, err
}

// exportDay is the day that is exported.
var exportDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// putDay sets a day with a record of each kind.
func putDay(service *mocktest.Instance) {
	service.PutExport(serverScope, client.FormatDay(exportDay), mockserver.ExportDay{
		Persons: []any{map[string]any{"id": "p"}}, Sessions: []any{map[string]any{"id": "s"}}, Events: []any{map[string]any{"id": "e"}},
	})
}

// export exports exportDay, all kinds unless some are given, and returns the records of the last reading.
func export(ctx context.Context, c *client.Client, kinds ...records.Kind) (read []string, result client.ExportResult, err error) {
	if len(kinds) == 0 {
		kinds = records.Kinds
	}
	result, err = c.Export(ctx, scope, client.ExportQuery{Day: exportDay, Kinds: kinds}, func(day client.Records) error {
		read = nil
		for k, record := range day {
			read = append(read, k.String()+" "+string(record))
		}
		return nil
	})

	return read, result, err
}

// drain takes all records of a day.
func drain(day client.Records) error {
	for range day {
		continue
	}
	return nil
}

// jsonHeader returns a header with the content type of JSON, and with more names and
// values in turn.
func jsonHeader(more ...string) http.Header {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}
