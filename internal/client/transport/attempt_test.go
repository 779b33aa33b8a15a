// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestAttempt_isLoggedUnlessTheLogIsOff has an answer with JSON under another name and behind a byte order
// mark, which is read and logged as well.
func TestAttempt_isLoggedUnlessTheLogIsOff(t *testing.T) {
	t.Parallel()

	for _, off := range []bool{false, true} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte("\uFEFF \r\n{}\r\n"), Header: page})
			var log bytes.Buffer
			noError(t, read(tflogtest.RootLogger(t.Context(), &log), s))

			got := log.String()
			if strings.Contains(got, "Request to the analytics service answered") == off || !strings.Contains(got, `"@level":"info"`) || !strings.Contains(got, "text/html") {
				t.Errorf("LogIsOff is %t, and the log is %q", off, got)
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { cfg.LogIsOff = off })
	}
}

func TestPlace_bodyIsJSONWithoutNeedlessEscapes(t *testing.T) {
	t.Parallel()

	got, err := EncodeParameters(InJSON, map[string]any{"b": true, "a": "\"é\u2028<&\n", "c": int64(-1)})
	if want := `{"a":"\"é` + "\u2028" + `<&\n","b":true,"c":-1}`; string(got.Body) != want || err != nil {
		t.Errorf("got %s %v, want %s", got.Body, err, want)
	}
	if got, err := EncodeParameters(InJSON, map[string]any{"a": "\xff"}); err == nil {
		t.Errorf("invalid UTF-8 is sent as %s", got.Body)
	}
}

func TestPool_connectionThatIsNotTrustedIsRefusedAtOnce(t *testing.T) {
	t.Parallel()

	for words, tc := range map[string]struct {
		service *mocktest.Instance
		change  func(*Config)
	}{
		"unknown authority":  {mocktest.StartTLS(t, nil), func(cfg *Config) { cfg.CACertPEM = nil }},
		"not localhost":      {mocktest.StartTLS(t, nil), func(cfg *Config) { cfg.Base.Host = "localhost:" + cfg.Base.Port() }},
		"does not speak TLS": {mocktest.Start(t), func(cfg *Config) { cfg.Base.Scheme = "https" }},
		"the handshake was not accepted": {mocktest.StartTLS(t, func(server *httptest.Server) {
			// With TLS 1.3, a client learns of it after it has sent its request.
			server.TLS.ClientAuth, server.TLS.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12
		}), func(*Config) {}},
	} {
		s := connect(t, tc.service, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { tc.change(cfg) })
		e := wantClass(t, update(t.Context(), s), ClassTLS)
		if !strings.Contains(e.Detail, words) || e.Attempts != 1 || e.Ambiguous {
			t.Errorf("%s: %+v", words, e)
		}
		wantCount(t, tc.service, "", 0)
	}
}

// TestPool_HTTP1RepeatsNoChange has a connection that breaks when it is used again. net/http
// then repeats a request that it considers replayable.
func TestPool_HTTP1RepeatsNoChange(t *testing.T) {
	t.Parallel()

	for operation, op := range map[string]Operation{
		mockserver.OpGetConsent:    {Name: "Get consent", Method: http.MethodGet, Path: consentPath},
		mockserver.OpGetAllData:    {Name: "Get all data", Method: http.MethodGet, Path: dataPath, Effect: true},
		mockserver.OpDeleteAllData: {Name: "Delete all data", Method: http.MethodDelete, Path: dataPath, Effect: true},
		mockserver.OpUpdateConsent: opUpdateConsent,
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			noError(t, readUser(t.Context(), s)) // from now on the connection is a reused one
			service.Inject(mockserver.Fault{Operation: operation, Cut: mockserver.CutBeforeCommit})

			if err := send(t.Context(), s, op); (err != nil) != op.Effect {
				t.Errorf("%s: the error is %v", operation, err)
			}
			wantCount(t, service, operation, map[bool]int{false: 2, true: 1}[op.Effect])
		}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { cfg.MaxRetries = 0 })
	}
}

// TestAttempt_interruptWaitsForAWriteThatWasSent interrupts a request a second after it began.
func TestAttempt_interruptWaitsForAWriteThatWasSent(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		call  func(context.Context, *Sender) error
		fault mockserver.Fault
		took  time.Duration
		ended bool // the answer came
	}{
		"an update that is answered soon": {update, mockserver.Fault{Operation: mockserver.OpUpdateConsent, Delay: 1500 * time.Millisecond}, 1500 * time.Millisecond, true},
		"an update that hangs":            {update, mockserver.Fault{Operation: mockserver.OpUpdateConsent, Hang: true}, time.Second + interruptGrace, false},
		"an update without a token":       {update, mockserver.Fault{Operation: mockserver.OpLogin, Hang: true}, time.Second, false},
		"a read":                          {read, mockserver.Fault{Operation: mockserver.OpGetConsent, Hang: true}, time.Second, false},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Inject(tc.fault)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()

			began := time.Now()
			err := tc.call(ctx, s)
			if took := time.Since(began); took != tc.took || (err == nil) != tc.ended {
				t.Errorf("%s: after %v, with the error %v", name, took, err)
			}
			<-time.After(time.Minute) // a login goes on
			if err == nil {
				return
			}
			if e := wantClass(t, err, ClassCancelled); e.Ambiguous != (tc.took > time.Second) {
				t.Errorf("%s: %+v", name, e)
			}
		})
	}
}

// TestAttempt_isAmbiguousOnlyIfItWasSent has an update that the service puts off, and then no
// connection any more.
func TestAttempt_isAmbiguousOnlyIfItWasSent(t *testing.T) {
	t.Parallel()

	var dials int
	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		fault := wish("1")
		fault.Operation = mockserver.OpUpdateConsent
		fault.Header.Set("Connection", "close")
		service.Inject(fault)

		if e := wantClass(t, update(t.Context(), s), ClassUnreachable); e.Ambiguous || e.Attempts != 1+maxRetries {
			t.Errorf("%+v", e)
		}
		wantCount(t, service, "", 1)
	}, useSecretKey, func(service *mocktest.Instance, cfg *Config) {
		cfg.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if dials++; dials > 1 {
				return failing(syscall.ECONNREFUSED)()
			}
			return service.DialContext(ctx, network, address)
		}
	})
}
