// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// wire sends an update on a new connection and returns everything that is received
// until the connection ends, and the error it ends with.
func (s *service) wire() (string, error) {
	s.t.Helper()

	var dialer net.Dialer
	conn, err := dialer.DialContext(s.t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()

	body := allClauses()
	request := "PATCH " + projectPath + "?apiSecretToken=" + url.QueryEscape(s.SecretKey) + " HTTP/1.1\r\nHost: localhost\r\n" +
		"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	if _, err := io.WriteString(conn, request); err != nil {
		s.t.Fatal(err)
	}

	text, err := io.ReadAll(conn)

	return string(text), err
}

func TestCut_onTheWire(t *testing.T) {
	t.Parallel()

	const record = `{"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true}`
	for name, tc := range map[string]struct {
		fault     mockserver.Fault
		header    string // a header that the answer has
		body      string // everything after the header
		committed bool
		status    int
		reset     bool
	}{
		"before the effect": {fault: mockserver.Fault{Cut: mockserver.CutBeforeCommit, Commit: true}, reset: true},
		"after the effect":  {fault: mockserver.Fault{Cut: mockserver.CutAfterCommit}, committed: true, reset: true},
		"in the body": {
			fault: mockserver.Fault{Cut: mockserver.CutBody, CutAt: 10}, header: "Content-Length: " + strconv.Itoa(len(record)),
			body: record[:10], committed: true, status: 200,
		},
		"in a scripted body": {
			fault: mockserver.Fault{Status: 500, Body: []byte("12345"), Cut: mockserver.CutBody, CutAt: 2}, header: "Content-Length: 5",
			body: "12", status: 500,
		},
		"before the body":  {fault: mockserver.Fault{Status: 200, Body: []byte("12345"), Cut: mockserver.CutBody}, header: "Content-Length: 5", status: 200},
		"behind the body":  {fault: mockserver.Fault{Status: 200, Body: []byte("12345"), Cut: mockserver.CutBody, CutAt: 99}, header: "Content-Length: 5", body: "12345", status: 200},
		"between chunks":   {fault: mockserver.Fault{Cut: mockserver.CutChunked, CutAt: 12}, header: "Transfer-Encoding: chunked", body: "c\r\n" + record[:12] + "\r\n", committed: true, status: 200},
		"before any chunk": {fault: mockserver.Fault{Cut: mockserver.CutChunked}, header: "Transfer-Encoding: chunked", committed: true, status: 200},
		"where nobody can see it": {
			fault: mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 20}, header: "Connection: close", body: record[:20], committed: true, status: 200,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := start(t)
			s.Inject(tc.fault)

			text, err := s.wire()
			if tc.reset {
				if text != "" || !errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("got %q and %v, want a reset", text, err)
				}
			} else {
				header, body, _ := strings.Cut(text, "\r\n\r\n")
				if err != nil || !strings.Contains(header, tc.header) || body != tc.body || !strings.HasPrefix(header, "HTTP/1.1 "+strconv.Itoa(tc.status)) {
					t.Errorf("got %q and %v", text, err)
				}

				if tc.fault.Cut == mockserver.CutCloseDelimited && (strings.Contains(header, "Content-Length") || strings.Contains(header, "Transfer-Encoding")) {
					t.Errorf("the end can be seen: %q", header)
				}
			}

			_, held := s.Consent(projectScope, "user-1")
			if r := s.Requests()[0]; held != tc.committed || r.Committed != tc.committed || r.Status != tc.status {
				t.Errorf("held %v, the log has %d %v", held, r.Status, r.Committed)
			}
		})
	}
}

func TestCut_connectionInMemory(t *testing.T) {
	t.Parallel()
	for _, cut := range []mockserver.Cut{mockserver.CutBeforeCommit, mockserver.CutAfterCommit, mockserver.CutBody, mockserver.CutChunked} {
		instance := mocktest.StartPipe(t)
		s := clientOf(t, instance, &http.Transport{DialContext: instance.DialContext})
		s.Inject(mockserver.Fault{Cut: cut, CutAt: 3})
		if got := s.withKey(http.MethodPatch, projectPath, allClauses()); got.err == nil {
			t.Errorf("cut %d: %d %q", cut, got.status, got.body)
		}
	}
}

func TestCut_overHTTP2ResetsTheStreamAlone(t *testing.T) {
	t.Parallel()

	instance := mocktest.StartTLS(t, mocktest.Valid)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(instance.CAPEM)

	s := clientOf(t, instance, &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}})
	for cut, want := range map[mockserver.Cut]bool{
		mockserver.CutBeforeCommit: true, mockserver.CutAfterCommit: true, mockserver.CutBody: true,
		mockserver.CutChunked: true, mockserver.CutCloseDelimited: false,
	} {
		s.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: cut, CutAt: 3})
		got := s.withKey(http.MethodPatch, projectPath, allClauses())
		if (got.err != nil) != want || !want && got.body != `{"c` {
			t.Errorf("cut %d: %d %q %v", cut, got.status, got.body, got.err)
		}
	}

	if got := s.withKey(http.MethodGet, projectPath, ""); got.status != http.StatusOK || s.Connections() != 1 {
		t.Errorf("%d over %d connections", got.status, s.Connections())
	}
}
