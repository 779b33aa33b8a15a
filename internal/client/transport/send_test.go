// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestPool_connectionThatIsNotTrustedIsRefusedAtOnce(t *testing.T) {
	t.Parallel()

	for words, tc := range map[string]struct {
		service *mocktest.Instance
		change  func(*Config)
	}{
		"unknown authority": {mocktest.StartTLS(t, nil), func(cfg *Config) { cfg.CACertPEM = nil }},
		"not localhost":     {mocktest.StartTLS(t, nil), func(cfg *Config) { cfg.Base.Host = "localhost:" + cfg.Base.Port() }},
		"the certificate of the proxy that HTTPS_PROXY names was not accepted": {mocktest.Start(t), func(cfg *Config) {
			proxy := httptest.NewTLSServer(nil)
			t.Cleanup(proxy.Close)
			address, err := url.Parse(proxy.URL)
			noError(t, err)
			useProxy(cfg, http.ProxyURL(address))
		}},
		"the proxy that HTTPS_PROXY names does not speak TLS": {mocktest.Start(t), func(cfg *Config) {
			proxy := httptest.NewServer(nil)
			t.Cleanup(proxy.Close)
			address, err := url.Parse("https" + strings.TrimPrefix(proxy.URL, "http"))
			noError(t, err)
			useProxy(cfg, http.ProxyURL(address))
		}},
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
		mockserver.OpGetConsent:    opGetConsent,
		mockserver.OpGetAllData:    {Name: "Get all data", Method: http.MethodGet, Path: dataPath, Kind: Queues},
		mockserver.OpDeleteAllData: {Name: "Delete all data", Method: http.MethodDelete, Path: dataPath, Kind: Queues},
		mockserver.OpUpdateConsent: opUpdateConsent,
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			noError(t, readUser(t.Context(), s)) // from now on the connection is a reused one
			service.Inject(mockserver.Fault{Operation: operation, Cut: mockserver.CutBeforeCommit})

			if err := send(t.Context(), s, op); (err != nil) != changes[op.Kind] {
				t.Errorf("%s: the error is %v", operation, err)
			}
			wantCount(t, service, operation, map[bool]int{false: 2, true: 1}[changes[op.Kind]])
		}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { cfg.MaxRetries = 0 })
	}
}
