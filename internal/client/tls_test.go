package client_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// direct makes a client for a service on a real connection.
func direct(service *mocktest.Instance, change func(*client.Config)) (*client.Client, error) {
	cfg := client.Config{
		BaseURL: service.URL, Credentials: client.Credentials{APISecretKey: service.SecretKey},
		CACertPEM: service.CAPEM, MaxRetries: 1, UserAgent: "client-test",
		Proxy: func(*http.Request) (*url.URL, error) { return nil, nil },
	}
	if change != nil {
		change(&cfg)
	}
	return client.New(cfg)
}

func TestACertificateThatIsNotRightIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for words, tc := range map[string]struct {
		kind   mocktest.Certificate
		change func(*client.Config)
	}{
		"not trusted":       {mocktest.Valid, func(cfg *client.Config) { cfg.CACertPEM = nil }},
		"expired":           {mocktest.Expired, nil},
		"another host name": {mocktest.WrongName, nil},
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			service := mocktest.StartTLS(t, tc.kind)
			c, err := direct(service, tc.change)
			noError(t, err)
			defer c.Close()
			e := wantKind(t, update(t.Context(), c), client.ClassTLS)
			if !strings.Contains(e.Detail, words) || e.Attempts != 1 || e.Ambiguous {
				t.Errorf("%+v", e)
			}
			wantCount(t, service, "", 0)
		})
	}
}

func TestHTTP2StreamsThatAreResetAreSettled(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockserver.Fault{
		"reset before the change": {Cut: mockserver.CutBeforeCommit},
		"reset after the change":  {Cut: mockserver.CutAfterCommit},
		"goaway":                  {Header: map[string][]string{"Connection": {"close"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := mocktest.StartTLS(t, mocktest.Valid)
			c, err := direct(service, nil)
			noError(t, err)
			defer c.Close()
			for _, operation := range []string{mockserver.OpUpdateConsent, mockserver.OpGetConsent} {
				fault.Operation = operation
				service.Inject(fault)
			}
			noError(t, update(t.Context(), c))
			_, err = c.GetConsent(t.Context(), scope, person)
			noError(t, err)
			committed := 0
			for _, r := range service.Requests() {
				if r.Operation == mockserver.OpUpdateConsent && r.Committed {
					committed++
				}
			}
			if committed != 1 {
				t.Errorf("the change was made %d times", committed)
			}
		})
	}
}

// refusingProxy answers every CONNECT with a status and a page.
func refusingProxy(t *testing.T, status int) *url.URL {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				fmt.Fprintf(conn, "HTTP/1.1 %d X\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<p>no", status)
			}
			conn.Close()
		}
	}()
	return &url.URL{Scheme: "http", Host: listener.Addr().String(), User: url.UserPassword("proxy", "canary")}
}

func TestAProxyThatRefusesIsTheOneThatIsNamed(t *testing.T) {
	t.Parallel()
	for status, tc := range map[int]struct {
		kind     client.ErrorClass
		attempts int
	}{
		http.StatusProxyAuthRequired: {client.ClassProxyAuth, 1},
		http.StatusBadGateway:        {client.ClassUnreachable, 2},
	} {
		service := mocktest.StartTLS(t, mocktest.Valid)
		proxy := refusingProxy(t, status)
		c, err := direct(service, func(cfg *client.Config) {
			cfg.Proxy = func(*http.Request) (*url.URL, error) { return proxy, nil }
		})
		noError(t, err)
		e := wantKind(t, update(t.Context(), c), tc.kind)
		if e.Attempts != tc.attempts || e.Ambiguous || strings.Contains(e.Error(), "canary") {
			t.Errorf("%d: %+v", status, e)
		}
		c.Close()
		wantCount(t, service, "", 0)
	}
}
