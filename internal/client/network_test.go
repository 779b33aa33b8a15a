package client_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// refuse makes the first dials fail; below zero, all of them.
func refuse(times int64, dials *atomic.Int64) option {
	return func(_ *mocktest.Instance, cfg *client.Config) {
		dial := cfg.DialContext
		cfg.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if n := dials.Add(1); times < 0 || n <= times {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
			}
			return dial(ctx, network, address)
		}
	}
}

func TestAnUnresolvableHostIsAnErrorWithoutTheSecretInItsAddress(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		_, err := c.CurrentUser(t.Context())
		e := wantKind(t, err, client.ClassUnreachable)
		if !strings.Contains(e.Detail, "cannot be resolved") {
			t.Errorf("the detail is %q", e.Detail)
		}
		for err := error(e); err != nil; err = errors.Unwrap(err) {
			if strings.Contains(err.Error(), "apiSecretToken") || strings.Contains(err.Error(), service.SecretKey) {
				t.Errorf("the secret is in %q", err)
			}
		}
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
		cfg.DialContext = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "localhost", IsNotFound: true}}
		}
	})
}

func TestARefusedConnectionIsTriedAgainAndTheWriteHappensOnce(t *testing.T) {
	t.Parallel()
	var dials atomic.Int64
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		noError(t, update(t.Context(), c))
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
		if dials.Load() != 3 {
			t.Errorf("%d dials, want 3", dials.Load())
		}
	}, useSecretKey, refuse(2, &dials))
}

func TestAServiceThatIsNeverThereIsAnErrorAfterTheRetries(t *testing.T) {
	t.Parallel()
	var dials atomic.Int64
	bubble(t, func(t *testing.T, _ *mocktest.Instance, c *client.Client) {
		began := time.Now()
		_, err := c.GetConsent(t.Context(), scope, person)
		e := wantKind(t, err, client.ClassUnreachable)
		if e.Attempts != client.DefaultMaxRetries+1 || dials.Load() != int64(e.Attempts) {
			t.Errorf("%d attempts, %d dials", e.Attempts, dials.Load())
		}
		if waited := time.Since(began); waited > time.Minute {
			t.Errorf("it took %v", waited)
		}
		if e.Ambiguous {
			t.Error("a request that was never sent is called ambiguous")
		}
	}, useSecretKey, refuse(-1, &dials))
}

func TestALostAnswerToAnUpdateIsSettledByLooking(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockserver.Fault{
		"cut after the change":     {Cut: mockserver.CutAfterCommit},
		"cut before the change":    {Cut: mockserver.CutBeforeCommit},
		"500 after the change":     {Status: 500, Commit: true},
		"500 before the change":    {Status: 500},
		"503 page before it":       {Status: 503, Body: []byte("<html>down</html>")},
		"408":                      {Status: 408},
		"hang after the change":    {Hang: true, Commit: true},
		"hang before the change":   {Hang: true},
		"half an answer":           {Cut: mockserver.CutBody, CutAt: 5},
		"half a chunked answer":    {Cut: mockserver.CutChunked, CutAt: 5},
		"JSON that ends too early": {Cut: mockserver.CutCloseDelimited, CutAt: 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				fault.Operation = mockserver.OpUpdateConsent
				service.Inject(fault)
				noError(t, update(t.Context(), c))
				committed := 0
				for _, r := range service.Requests() {
					if r.Operation == mockserver.OpUpdateConsent && r.Committed {
						committed++
					}
				}
				if committed != 1 {
					t.Errorf("the change was made %d times, want exactly once", committed)
				}
				wantCount(t, service, mockserver.OpGetConsent, 1)
				if record, ok := service.Consent(serverScope, person); !ok || !record.Clauses[4] {
					t.Errorf("the service holds %+v %v", record, ok)
				}
			}, useSecretKey)
		})
	}
}

func TestALostAnswerIsAnUnknownOutcomeWhereLookingFailsToo(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(
			mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutAfterCommit},
			mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 502, Times: -1},
		)
		e := wantKind(t, update(t.Context(), c), client.ClassUnknownOutcome)
		if !e.Ambiguous || !strings.Contains(e.Detail, "looking at the service failed") {
			t.Errorf("%+v", e)
		}
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
	}, useSecretKey)
}

func TestAnUpdateIsSentAgainOnlyOnce(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 500, Times: -1})
		e := wantKind(t, update(t.Context(), c), client.ClassServer)
		wantCount(t, service, mockserver.OpUpdateConsent, 2)
		if e.Attempts != 2 {
			t.Errorf("%d attempts are reported", e.Attempts)
		}
	}, useSecretKey)
}

func TestALaterChoiceMadeWhileTheAnswerWasLostStands(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		configured := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutBeforeCommit, Then: func() {
			service.PutConsent(serverScope, person, mockserver.ConsentRecord{AgreementTime: "2026-02-01T00:00:00Z"})
		}})
		u := allTrue()
		u.AgreementTime, u.KeepLaterThan = configured, configured
		result, err := c.UpdateConsent(t.Context(), scope, person, u)
		noError(t, err)
		if result.Outcome != client.ConsentKept || result.Kept == nil {
			t.Error("the update says that it is in place")
		}
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
		if record, _ := service.Consent(serverScope, person); record.Clauses[0] {
			t.Error("the person's choice was overwritten")
		}
	}, useSecretKey)
}

func TestABrokenAnswerToAReadIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault    mockserver.Fault
		kind     client.ErrorClass
		attempts int // of a fault that stays
	}{
		"reset":              {mockserver.Fault{Cut: mockserver.CutBeforeCommit}, client.ClassConnectionLost, 5},
		"short body":         {mockserver.Fault{Cut: mockserver.CutBody, CutAt: 10}, client.ClassConnectionLost, 5},
		"cut chunks":         {mockserver.Fault{Cut: mockserver.CutChunked, CutAt: 10}, client.ClassConnectionLost, 5},
		"close-delimited":    {mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 24}, client.ClassTruncated, 2},
		"truncated JSON":     {mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true,`)}, client.ClassTruncated, 2},
		"no answer at all":   {mockserver.Fault{Hang: true}, client.ClassTimeout, 5},
		"408":                {mockserver.Fault{Status: 408}, client.ClassServer, 5},
		"425":                {mockserver.Fault{Status: 425}, client.ClassServer, 5},
		"500":                {mockserver.Fault{Status: 500}, client.ClassServer, 5},
		"502 page":           {mockserver.Fault{Status: 502, Body: []byte("<html>bad gateway</html>")}, client.ClassServer, 5},
		"503":                {mockserver.Fault{Status: 503}, client.ClassServer, 5},
		"504":                {mockserver.Fault{Status: 504}, client.ClassServer, 5},
		"429 without a wish": {mockserver.Fault{Status: 429}, client.ClassRateLimited, 5},
	} {
		t.Run(name+" once", func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				service.PutConsent(serverScope, person, mockserver.ConsentRecord{Clauses: [5]bool{true}})
				once := tc.fault
				once.Operation = mockserver.OpGetConsent
				service.Inject(once)
				held, err := c.GetConsent(t.Context(), scope, person)
				noError(t, err)
				if agreed, _ := held.Clauses[0].Get(); !agreed {
					t.Errorf("read %+v", held)
				}
				wantCount(t, service, mockserver.OpGetConsent, 2)
			}, useSecretKey)
		})
		t.Run(name+" for ever", func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
				always := tc.fault
				always.Operation, always.Times = mockserver.OpGetConsent, -1
				service.Inject(always)
				_, err := c.GetConsent(t.Context(), scope, person)
				e := wantKind(t, err, tc.kind)
				if e.Attempts != tc.attempts {
					t.Errorf("%d attempts are reported, want %d", e.Attempts, tc.attempts)
				}
				wantCount(t, service, mockserver.OpGetConsent, tc.attempts)
			}, useSecretKey)
		})
	}
}

func TestWhatCannotPassIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	json := []byte(`{"error":{"code":"E7","message":"no"}}`)
	for name, tc := range map[string]struct {
		fault mockserver.Fault
		kind  client.ErrorClass
	}{
		"400":            {mockserver.Fault{Status: 400, Body: json}, client.ClassRejected},
		"403":            {mockserver.Fault{Status: 403, Body: json}, client.ClassForbidden},
		"404 JSON":       {mockserver.Fault{Status: 404, Body: json}, client.ClassNotFound},
		"410 JSON":       {mockserver.Fault{Status: 410, Body: json}, client.ClassNotFound},
		"404 page":       {mockserver.Fault{Status: 404, Body: []byte("<html>nginx</html>")}, client.ClassEndpointNotFound},
		"404 empty":      {mockserver.Fault{Status: 404, Body: []byte{}}, client.ClassEndpointNotFound},
		"404 list":       {mockserver.Fault{Status: 404, Body: []byte("[]")}, client.ClassEndpointNotFound},
		"409":            {mockserver.Fault{Status: 409, Body: json}, client.ClassConflict},
		"422":            {mockserver.Fault{Status: 422, Body: json}, client.ClassRejected},
		"501":            {mockserver.Fault{Status: 501, Body: json}, client.ClassServer},
		"407":            {mockserver.Fault{Status: 407, Body: []byte("<html>proxy</html>")}, client.ClassProxyAuth},
		"200 page":       {mockserver.Fault{Status: 200, Header: html, Body: []byte("<html>Welcome to the hotel</html>")}, client.ClassNotJSON},
		"200 empty":      {mockserver.Fault{Status: 200, Body: []byte{}}, client.ClassEmpty},
		"204":            {mockserver.Fault{Status: 204}, client.ClassEmpty},
		"200 with error": {mockserver.Fault{Status: 200, Body: json}, client.ClassRejected},
		"trailing bytes": {mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true}x`)}, client.ClassPayload},
		"33 MiB":         {mockserver.Fault{Status: 200, Body: []byte(`"` + strings.Repeat("x", 33<<20) + `"`)}, client.ClassTooLarge},
		"a name twice":   {mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true,"clause_1_consent":false}`)}, client.ClassPayload},
		"a bomb in gzip": {mockserver.Fault{Status: 200, Header: gzipped, Body: gzipBomb()}, client.ClassTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				tc.fault.Operation, tc.fault.Times = mockserver.OpGetConsent, -1
				service.Inject(tc.fault)
				_, err := c.GetConsent(t.Context(), scope, person)
				e := wantKind(t, err, tc.kind)
				if e.Status != tc.fault.Status || e.Attempts != 1 {
					t.Errorf("status %d, %d attempts", e.Status, e.Attempts)
				}
				wantCount(t, service, mockserver.OpGetConsent, 1)
			}, useSecretKey)
		})
	}
}

func TestARedirectIsNeverFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{
				Operation: mockserver.OpUpdateConsent, Status: status, Times: -1,
				Header: map[string][]string{"Location": {"https://elsewhere.example.com/canary?apiSecretToken=canary"}},
			})
			e := wantKind(t, update(t.Context(), c), client.ClassRedirect)
			if !strings.Contains(e.Detail, "elsewhere.example.com") || strings.Contains(e.Error(), "canary") {
				t.Errorf("%d: the error is %q", status, e)
			}
			wantCount(t, service, "", 1)
		}, useSecretKey)
	}
}

func TestAConnectionThatTheServiceClosedBetweenCallsIsNotNoticed(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Header: map[string][]string{"Connection": {"close"}}, Status: 200, Body: []byte("{}")})
		_, err := c.CurrentUser(t.Context())
		noError(t, err)
		noError(t, update(t.Context(), c))
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
		wantCount(t, service, mockserver.OpGetConsent, 0)
	}, useSecretKey)
}

func TestACancelledCallEndsAtOnceAndSendsNothingMore(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 503, Header: map[string][]string{"Retry-After": {"60"}}, Times: -1})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		began := time.Now()
		_, err := c.GetConsent(ctx, scope, person)
		_ = wantKind(t, err, client.ClassCancelled)
		if !errors.Is(err, context.Canceled) {
			t.Error("the error does not say that the context was cancelled")
		}
		if late := time.Since(began) - 10*time.Second; late > 50*time.Millisecond {
			t.Errorf("it ended %v after the cancellation", late)
		}
		wantCount(t, service, mockserver.OpGetConsent, 1)
	}, useSecretKey)
}
