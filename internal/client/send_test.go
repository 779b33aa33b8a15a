// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

func TestPool_connectionThatIsNotTrustedIsRefusedAtOnce(t *testing.T) {
	t.Parallel()

	through := func(proxy *httptest.Server) func(*client.Config) {
		t.Cleanup(proxy.Close)
		address := &url.URL{Scheme: "https", Host: proxy.Listener.Addr().String()}

		return func(cfg *client.Config) { useProxy(cfg, http.ProxyURL(address)) }
	}
	for words, tc := range map[string]struct {
		service *mocktest.Instance
		change  func(*client.Config)
	}{
		"unknown authority": {mocktest.StartTLS(t, nil), func(cfg *client.Config) { cfg.CACertPEM = nil }},
		"not localhost":     {mocktest.StartTLS(t, nil), func(cfg *client.Config) { cfg.BaseURL = strings.Replace(cfg.BaseURL, "127.0.0.1", "localhost", 1) }},
		"the certificate of the proxy that HTTPS_PROXY names was not accepted": {mocktest.Start(t), through(httptest.NewTLSServer(nil))},
		"the proxy that HTTPS_PROXY names does not speak TLS":                  {mocktest.Start(t), through(httptest.NewServer(nil))},
		"does not speak TLS": {mocktest.Start(t), func(cfg *client.Config) { cfg.BaseURL = strings.Replace(cfg.BaseURL, "http", "https", 1) }},
		"the handshake was not accepted": {mocktest.StartTLS(t, func(server *httptest.Server) {
			// With TLS 1.3, a client learns of it after it has sent its request.
			server.TLS.ClientAuth, server.TLS.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12
		}), func(*client.Config) {}},
	} {
		c := connect(t, tc.service, useSecretKey, useTCP, func(_ *mocktest.Instance, cfg *client.Config) { tc.change(cfg) })
		e := wantClass(t, update(t.Context(), c), transport.ClassTLS)
		if !strings.Contains(e.Detail, words) || e.Attempts != 1 || e.Ambiguous {
			t.Errorf("%s: %+v", words, e)
		}
		wantCount(t, tc.service, "", 0)
	}
}

// TestPool_HTTP1RepeatsNoChange has a connection that breaks when it is used again. net/http then repeats a
// request that it considers replayable.
func TestPool_HTTP1RepeatsNoChange(t *testing.T) {
	t.Parallel()

	calls := changes()
	calls[mockserver.OpListPendingRequests] = func(ctx context.Context, c *client.Client) error {
		_, err := c.ListPending(ctx, scope)
		return err
	}
	for operation, call := range calls {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			noError(t, readUser(t.Context(), c)) // from now on the connection is a reused one
			service.Inject(
				mockserver.Fault{Operation: operation, Cut: mockserver.CutBeforeCommit},
				mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 403}) // a look after an update

			isRead := operation == mockserver.OpListPendingRequests
			if err := call(t.Context(), c); (err == nil) != isRead {
				t.Errorf("%s: the error is %v", operation, err)
			}
			wantCount(t, service, operation, map[bool]int{true: 2, false: 1}[isRead])
		}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxRetries = 0 })
	}
}

// startHTTP2 starts a service over HTTP/2 and a client with an open connection to it. The
// streams that the service resets end as end says.
func startHTTP2(t *testing.T, end streamEnd) (*mocktest.Instance, *client.Client) {
	t.Helper()
	service := mocktest.StartTLS(t, func(server *httptest.Server) {
		server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": serveHTTP2(end)}
	})
	c := connect(t, service, useSecretKey, useTCP, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxRetries = 1 })
	noError(t, readUser(t.Context(), c))

	return service, c
}

func TestHTTP2_onlyARefusalProvesThatNothingWasProcessed(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		end     streamEnd
		refuses bool // and does not process the request
	}{
		"REFUSED_STREAM": {withCode(http2.ErrCodeRefusedStream), true}, "GOAWAY": {goAway, true},
		"INTERNAL_ERROR": {withCode(http2.ErrCodeInternal), false}, "PROTOCOL_ERROR": {withCode(http2.ErrCodeProtocol), false},
	} {
		for operation, call := range changes() {
			t.Run(name+" "+operation, func(t *testing.T) {
				t.Parallel()

				service, c := startHTTP2(t, tc.end)
				cut, attempts := mockserver.CutAfterCommit, 1
				if tc.refuses { // first a single time
					cut, attempts = mockserver.CutBeforeCommit, 2
					service.Inject(mockserver.Fault{Operation: operation, Cut: cut})
					noError(t, call(t.Context(), c))
					wantCount(t, service, "", 3) // with the one that made the connection
				}

				service.Inject(mockserver.Fault{Operation: operation, Cut: cut, Times: -1},
					// The read that could resolve the outcome fails too.
					mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 403, Times: -1})
				before := service.Count(operation)
				e := wantClass(t, call(t.Context(), c), transport.ClassUnreachable, transport.ClassConnectionLost, transport.ClassUnknownOutcome)
				if e.Ambiguous == tc.refuses || e.Attempts != attempts {
					t.Errorf("%+v", e)
				}
				wantCount(t, service, operation, before+attempts)
			})
		}
	}
}

// TestHTTP2_endOfAStreamProvesAnExport has lines without a length, of which HTTP/1 would not show
// whether they are all.
func TestHTTP2_endOfAStreamProvesAnExport(t *testing.T) {
	t.Parallel()

	service, c := startHTTP2(t, goAway)
	service.Export.Shape, service.ExportRecords = mockserver.ExportNDJSON, 10_000
	service.Change(func(_ mockserver.Request, a *mockserver.Response) { a.Header.Del("Content-Length") })

	_, got, err := export(t.Context(), c)
	noError(t, err)
	if got.Counts[records.Event] != 10_000 {
		t.Errorf("counted are %v", got.Counts)
	}
}

// streamEnd returns the frame to write in place of an RST_STREAM, whose stream is at byte 5 and whose code at
// byte 9 (RFC 9113, section 4.1).
type streamEnd func(reset []byte) []byte

// withCode resets the stream with a code. Only REFUSED_STREAM says that the request was
// not processed (RFC 9113, section 8.7).
func withCode(code http2.ErrCode) streamEnd {
	return func(reset []byte) []byte { return binary.BigEndian.AppendUint32(reset[:9:9], uint32(code)) }
}

// goAway is a GOAWAY without an error, whose last stream is the client's stream before the
// given one: the request was not processed (RFC 9113, section 6.8).
func goAway(reset []byte) []byte {
	frame := []byte{0, 0, 8, byte(http2.FrameGoAway), 0, 0, 0, 0, 0}
	frame = binary.BigEndian.AppendUint32(frame, max(binary.BigEndian.Uint32(reset[5:]), 2)-2) // 0 names no stream

	return binary.BigEndian.AppendUint32(frame, uint32(http2.ErrCodeNo))
}

// serveHTTP2 returns a function for http.Server.TLSNextProto that replaces the resets of
// streams.
func serveHTTP2(end streamEnd) func(*http.Server, *tls.Conn, http.Handler) {
	return func(server *http.Server, conn *tls.Conn, handler http.Handler) {
		//nolint:staticcheck // net/http's own HTTP/2 server offers no way to wrap its connection.
		new(http2.Server).ServeConn(&streamEnds{Conn: conn, end: end}, &http2.ServeConnOpts{BaseConfig: server, Handler: handler})
	}
}

// streamEnds is a connection that replaces the RST_STREAM frames written to it. They have 13 bytes, and
// nothing is written behind them at once.
type streamEnds struct {
	*tls.Conn

	end streamEnd
}

func (c *streamEnds) Write(p []byte) (int, error) {
	before, reset := p[:max(0, len(p)-13)], p[max(0, len(p)-13):]
	if !bytes.HasPrefix(reset, []byte{0, 0, 4, byte(http2.FrameRSTStream)}) {
		return c.Conn.Write(p)
	}
	_, err := c.Conn.Write(slices.Concat(before, c.end(reset)))

	return len(p), err
}

// TestGate_requestsStayWithinTheLimit has requests of a second each. The login takes the place of the
// request that needs it, and no other one.
func TestGate_requestsStayWithinTheLimit(t *testing.T) {
	t.Parallel()

	const rounds = 10
	for _, limit := range []int{1, 7} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Latency = time.Second
			began := time.Now()
			noError(t, errors.Join(callers(t.Context(), c, limit*rounds)...))
			if took := time.Since(began); took != (rounds+1)*time.Second { // with the login
				t.Errorf("%d at once took %v", limit, took)
			}
			wantCount(t, service, mockserver.OpLogin, 1)
			for range 2 { // all connections are idle
				synctest.Wait()
				noError(t, errors.Join(callers(t.Context(), c, limit)...))
			}
			if n := service.Connections(); n > limit+1 { // one of the login
				t.Errorf("%d at once used %d connections", limit, n)
			}
		}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxConcurrency = limit })
	}
}

// TestGate_rateIsOfAllRequests has one request a second, of which an update takes two at once, and one that is
// cancelled while it waits.
func TestGate_rateIsOfAllRequests(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		began := time.Now()
		_, _, err := updateConsent(t.Context(), c, jane, onlyDifferent())
		noError(t, err)
		cancelled, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_ = wantClass(t, readUser(cancelled, c), transport.ClassCancelled)
		noError(t, readUser(t.Context(), c))

		for i, want := range []time.Duration{time.Second, time.Second, 3 * time.Second} {
			if after := service.Requests()[i].At.Sub(began); after != want {
				t.Errorf("request %d came after %v, want %v", i, after, want)
			}
		}
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxConcurrency, cfg.RequestsPerSecond = 1, 1 })
}

// TestGate_retryAfterHoldsAllCallers has a service that asks one caller for two seconds, in an answer that is
// cut, and then another one for one, while a third waits for the rate.
func TestGate_retryAfterHoldsAllCallers(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		first, second := wish("2"), wish("1")
		first.Operation, second.Operation = mockserver.OpGetCurrentUser, mockserver.OpGetCurrentUser
		first.Body, first.Cut, first.CutAt = []byte(`{"message":"later"}`), mockserver.CutBody, 3
		first.Delay, second.Delay = 1500*time.Microsecond, time.Millisecond
		service.Inject(first, second)
		began := time.Now()

		noError(t, errors.Join(callers(t.Context(), c, 3)...))
		noError(t, errors.Join(callers(t.Context(), c, 19)...))
		for i, r := range service.Requests() {
			if after := r.At.Sub(began); i > 1 && (after < 2*time.Second || after > 5*time.Second) {
				t.Errorf("request %d came after %v", i, after)
			}
		}
		wantCount(t, service, "", 24)
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.RequestsPerSecond = 1000 })
}

// TestAttempt_interruptWaitsForAWriteThatWasSent interrupts a request a second after it began.
func TestAttempt_interruptWaitsForAWriteThatWasSent(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		call  func(context.Context, *client.Client) error
		fault mockserver.Fault
		took  time.Duration
		ended bool // the answer came
	}{
		"an update that is answered soon": {update, mockserver.Fault{Operation: mockserver.OpUpdateConsent, Delay: 1500 * time.Millisecond}, 1500 * time.Millisecond, true},
		"an update that hangs":            {update, mockserver.Fault{Operation: mockserver.OpUpdateConsent, Hang: true}, 1700 * time.Millisecond, false},
		"an update without a token":       {update, mockserver.Fault{Operation: mockserver.OpLogin, Hang: true}, time.Second, false},
		"a read":                          {readUser, mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Hang: true}, time.Second, false},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(tc.fault)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()

			began := time.Now()
			err := tc.call(ctx, c)
			if took := time.Since(began); took != tc.took || (err == nil) != tc.ended {
				t.Errorf("%s: after %v, with the error %v", name, took, err)
			}
			<-time.After(time.Minute) // a login goes on
			if err == nil {
				return
			}
			if e := wantClass(t, err, transport.ClassCancelled); e.Ambiguous != (tc.took > time.Second) {
				t.Errorf("%s: %+v", name, e)
			}
		})
	}
}

// TestRetry_endsWithTheCallersTime has a service that asks for a minute each time, and so did not carry a
// deletion out.
func TestRetry_endsWithTheCallersTime(t *testing.T) {
	t.Parallel()

	late := time.Minute + 25*time.Millisecond
	for name, tc := range map[string]struct {
		cancelled, timeout time.Duration
		class              transport.ErrorClass
		after              time.Duration
	}{
		"cancelled at once":        {10 * time.Second, time.Hour, transport.ClassCancelled, 10 * time.Second},
		"without the time to wait": {time.Hour, 30 * time.Second, transport.ClassRateLimited, 0},
		"its time is up":           {time.Hour, late, transport.ClassCancelled, late},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			fault := wish("60")
			fault.Operation, fault.Times = mockserver.OpDeleteAllData, -1
			service.Inject(fault)
			ctx, cancel := context.WithTimeout(t.Context(), tc.timeout)
			defer cancel()
			defer time.AfterFunc(tc.cancelled, cancel).Stop()

			began := time.Now()
			_, err := c.DeleteData(ctx, jane)
			if e := wantClass(t, err, tc.class); e.Ambiguous {
				t.Errorf("%s: it may have been carried out", name)
			}
			if late := time.Since(began) - tc.after; late > 50*time.Millisecond {
				t.Errorf("%s: it ended %v late", name, late)
			}
			wantCount(t, service, mockserver.OpDeleteAllData, 1)
		}, useSecretKey)
	}
}
