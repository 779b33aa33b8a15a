// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// refuse makes the first dials fail, or all of them if times is negative. It counts all
// dials.
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

func TestRetry_refusedConnectionIsTriedAgain(t *testing.T) {
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

func TestRetry_lastingRefusalIsAnErrorAfterTheRetries(t *testing.T) {
	t.Parallel()

	var dials atomic.Int64
	bubble(t, func(t *testing.T, _ *mocktest.Instance, c *client.Client) {
		began := time.Now()
		_, err := c.GetConsent(t.Context(), scope, person)
		e := wantClass(t, err, transport.ClassUnreachable)
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

func TestRetry_brokenAnswerToARead(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		fault    mockserver.Fault
		class    transport.ErrorClass
		attempts int // if the fault lasts
	}{
		"reset":              {mockserver.Fault{Cut: mockserver.CutBeforeCommit}, transport.ClassConnectionLost, 5},
		"short body":         {mockserver.Fault{Cut: mockserver.CutBody, CutAt: 10}, transport.ClassConnectionLost, 5},
		"cut chunks":         {mockserver.Fault{Cut: mockserver.CutChunked, CutAt: 10}, transport.ClassConnectionLost, 5},
		"close-delimited":    {mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 24}, transport.ClassTruncated, 2},
		"truncated JSON":     {mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true,`)}, transport.ClassTruncated, 2},
		"no answer at all":   {mockserver.Fault{Hang: true}, transport.ClassTimeout, 5},
		"408":                {mockserver.Fault{Status: 408}, transport.ClassServer, 5},
		"425":                {mockserver.Fault{Status: 425}, transport.ClassServer, 5},
		"500":                {mockserver.Fault{Status: 500}, transport.ClassServer, 5},
		"502 page":           {mockserver.Fault{Status: 502, Body: []byte("<html>bad gateway</html>")}, transport.ClassServer, 5},
		"503":                {mockserver.Fault{Status: 503}, transport.ClassServer, 5},
		"504":                {mockserver.Fault{Status: 504}, transport.ClassServer, 5},
		"429 without a wish": {mockserver.Fault{Status: 429}, transport.ClassRateLimited, 5},
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
				e := wantClass(t, err, tc.class)
				if e.Attempts != tc.attempts {
					t.Errorf("%d attempts are reported, want %d", e.Attempts, tc.attempts)
				}

				wantCount(t, service, mockserver.OpGetConsent, tc.attempts)
			}, useSecretKey)
		})
	}
}

func TestRetry_brokenAnswerBefore429IsARateLimit(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(
			mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Cut: mockserver.CutBody, CutAt: 3},
			mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 429, Times: -1})
		_, err := c.CurrentUser(t.Context())
		_ = wantClass(t, err, transport.ClassRateLimited)
	}, useSecretKey)
}

// TestRetry_tooEarlyIsNotCarriedOut has a service that answers 425 (RFC 8470).
func TestRetry_tooEarlyIsNotCarriedOut(t *testing.T) {
	t.Parallel()

	for operation, change := range changes() {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: operation, Status: 425, Times: 7})
			e := wantClass(t, change(t.Context(), c), transport.ClassServer)
			if e.Ambiguous {
				t.Errorf("%s: what was not carried out is called ambiguous", operation)
			}
			wantCount(t, service, operation, client.DefaultMaxRetries+1)

			noError(t, change(t.Context(), c))
			wantCount(t, service, "", 8) // and nothing was read back
		}, useSecretKey)
	}
}

// gzipBomb returns a JSON string larger than the limit of 32 MiB, compressed to a few
// hundred KB.
var gzipBomb = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		panic(err)
	}
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	write := func(p []byte) {
		if _, err := w.Write(p); err != nil {
			panic(err)
		}
	}
	write([]byte(`"`))
	for range soak.Size(33, 100) {
		write(chunk)
	}
	write([]byte(`"`))
	if err := w.Close(); err != nil {
		panic(err)
	}

	return packed.Bytes()
})

func TestRetry_cancelledCallEndsAtOnce(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 503, Header: map[string][]string{"Retry-After": {"60"}}, Times: -1})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		began := time.Now()
		_, err := c.GetConsent(ctx, scope, person)
		_ = wantClass(t, err, transport.ClassCancelled)

		if !errors.Is(err, context.Canceled) {
			t.Error("the error does not say that the context was cancelled")
		}

		if late := time.Since(began) - 10*time.Second; late > 50*time.Millisecond {
			t.Errorf("it ended %v after the cancellation", late)
		}

		wantCount(t, service, mockserver.OpGetConsent, 1)
	}, useSecretKey)
}

func TestRetryAfter_lastingRateLimitIsAnErrorWithTheLastWish(t *testing.T) {
	t.Parallel()

	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "3600": 2 * time.Minute, "9223372037": 2 * time.Minute, "-1": 0, "abc": 0} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 429, Times: -1, Header: map[string][]string{"Retry-After": {header}}})
			began := time.Now()

			e := wantClass(t, update(t.Context(), c), transport.ClassRateLimited)
			if e.RetryAfter != want || e.Ambiguous {
				t.Errorf("%q: %v, ambiguous %v", header, e.RetryAfter, e.Ambiguous)
			}

			wantCount(t, service, mockserver.OpUpdateConsent, client.DefaultMaxRetries+1)
			if took := time.Since(began); took > 5*(2*time.Minute+time.Minute) {
				t.Errorf("%q: it took %v", header, took)
			}
		}, useSecretKey)
	}
}

func TestRetryAfter_beyondTheCallersTimeIsAnErrorAtOnce(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 429, Times: -1, Header: map[string][]string{"Retry-After": {"60"}}})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		began := time.Now()
		_, err := c.GetConsent(ctx, scope, person)
		_ = wantClass(t, err, transport.ClassRateLimited)

		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	}, useSecretKey)
}
