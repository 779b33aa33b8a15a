package client_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

var (
	html    = map[string][]string{"Content-Type": {"text/html; charset=utf-8"}}
	gzipped = map[string][]string{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}}
)

// gzipBomb is a JSON string beyond the limit of 32 MiB, in a few hundred KB.
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

func TestAWishToWaitIsSharedByAllCallers(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 429, Header: map[string][]string{"Retry-After": {"2"}}})
		began := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := c.GetConsent(t.Context(), scope, person)
			if err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		for range 20 {
			wg.Go(func() {
				if _, err := c.GetConsent(t.Context(), scope, person); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for i, r := range service.Requests() {
			if after := r.At.Sub(began); i > 0 && after < 2*time.Second {
				t.Errorf("request %d came after %v", i, after)
			}
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
		wantCount(t, service, mockserver.OpGetConsent, 22)
	}, useSecretKey)
}

func TestARateLimitThatStaysIsAnErrorWithTheLastWish(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "3600": 2 * time.Minute, "9223372037": 2 * time.Minute, "-1": 0, "abc": 0} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 429, Times: -1, Header: map[string][]string{"Retry-After": {header}}})
			began := time.Now()
			e := wantKind(t, update(t.Context(), c), client.ClassRateLimited)
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

func TestAWishBeyondTheCallersTimeIsAnErrorAtOnce(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 429, Times: -1, Header: map[string][]string{"Retry-After": {"60"}}})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		began := time.Now()
		_, err := c.GetConsent(ctx, scope, person)
		_ = wantKind(t, err, client.ClassRateLimited)
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	}, useSecretKey)
}

func TestRequestsAndConnectionsStayWithinTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 7
	callers := soak.Size(200, 2000)
	var running, most atomic.Int64
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Latency = 20 * time.Millisecond
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				if _, err := c.GetConsent(t.Context(), scope, person); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		wantCount(t, service, mockserver.OpGetConsent, callers)
		wantCount(t, service, mockserver.OpLogin, 1)
		if service.Connections() > limit+1 {
			t.Errorf("%d connections for a limit of %d", service.Connections(), limit)
		}
		if most.Load() > limit {
			t.Errorf("%d requests at once", most.Load())
		}
	}, func(service *mocktest.Instance, cfg *client.Config) {
		cfg.MaxConcurrency = limit
		service.FaultFor = func(mockserver.Request) *mockserver.Fault {
			n := running.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			return nil
		}
		service.OnRequest = func(mockserver.Request) { running.Add(-1) }
	})
}

func TestTheRateOfRequestsIsBounded(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		began := time.Now()
		var wg sync.WaitGroup
		for range 21 {
			wg.Go(func() {
				if _, err := c.GetConsent(t.Context(), scope, person); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(began); took < 9900*time.Millisecond || took > 11*time.Second {
			t.Errorf("21 requests at 2 a second took %v", took)
		}
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.RequestsPerSecond = 2 })
}

func TestUpdatesOfOnePersonDoNotInterleave(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Latency = 10 * time.Millisecond
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				u := allTrue()
				u.AgreementTime, u.KeepLaterThan = at, at
				if _, err := c.UpdateConsent(t.Context(), scope, person, u); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		requests := service.Requests()
		if len(requests) != 100 {
			t.Fatalf("%d requests, want 50 comparisons and 50 writes", len(requests))
		}
		for i, r := range requests {
			want := []string{mockserver.OpGetConsent, mockserver.OpUpdateConsent}[i%2]
			if r.Operation != want {
				t.Fatalf("request %d is %s: a comparison and its write were torn apart", i, r.Operation)
			}
		}
	}, useSecretKey)
}
