// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestFault_scriptedAnswerKeepsTheRequestFromTheService(t *testing.T) {
	t.Parallel()

	html := http.Header{"Content-Type": {"text/html"}, "Retry-After": {"7"}}
	for name, tc := range map[string]struct {
		fault       mockserver.Fault
		status      int
		body, media string
		committed   bool
	}{
		"JSON":                {mockserver.Fault{Status: 409, Body: []byte(`{"a":1}`)}, 409, `{"a":1}`, "application/json", false},
		"a page":              {mockserver.Fault{Status: 503, Header: html, Body: []byte("<p>")}, 503, "<p>", "text/html", false},
		"a body alone":        {mockserver.Fault{Body: []byte(`{"a":`)}, 200, `{"a":`, "application/json", false},
		"nothing":             {mockserver.Fault{Body: []byte{}}, 200, "", "", false},
		"a redirect":          {mockserver.Fault{Status: 307, Header: http.Header{"Location": {"https://example.com/"}}}, 307, "", "", false},
		"after the effect":    {mockserver.Fault{Status: 500, Commit: true, Body: []byte("{}")}, 500, "{}", "application/json", true},
		"only another header": {mockserver.Fault{Header: http.Header{"X-Odd": {"1"}}}, 200, allClauses(), "application/json", true},
	} {
		s := start(t)
		s.Inject(tc.fault)
		send := s.send // faults come before authentication
		if tc.committed {
			send = s.withKey
		}

		got := send(http.MethodPatch, consentPath, allClauses())
		if got.status != tc.status || got.body != tc.body || got.header.Get("Content-Type") != tc.media {
			t.Errorf("%s: %d %q %v", name, got.status, got.body, got.header)
		}
		for header, values := range tc.fault.Header {
			if got.header.Get(header) != values[0] {
				t.Errorf("%s: %s is %q", name, header, got.header.Get(header))
			}
		}
		s.wantLogged(t, tc.committed, tc.status)
	}
}

// wantLogged compares the last request, an update of a consent, with whether the service
// carried it out, and its status.
func (s *service) wantLogged(t *testing.T, committed bool, status int) {
	t.Helper()
	requests := s.Requests()
	_, held := s.Consent(projectScope, "user-1")
	if r := requests[len(requests)-1]; held != committed || r.Committed != committed || r.Status != status {
		t.Errorf("held %v, the log has %d %v", held, r.Status, r.Committed)
	}
}

// raw sends a request on a new connection and returns everything that is received until the
// connection ends, and the error it ends with.
func (s *service) raw(t *testing.T, request, body string) (string, error) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", request, len(body), body)
	text, err := io.ReadAll(conn)

	return string(text), err
}

func TestCut_onTheWire(t *testing.T) {
	t.Parallel()

	record := allClauses()
	scripted := func(cutAt int) mockserver.Fault {
		return mockserver.Fault{Status: 500, Body: []byte("12345"), Cut: mockserver.CutBody, CutAt: cutAt}
	}
	const length, chunked, closed = "Content-Length: ", "Transfer-Encoding: chunked", "Connection: close"
	for name, tc := range map[string]struct {
		fault     mockserver.Fault
		header    string // a header that the answer has
		body      string // everything after the header
		committed bool
		status    int // 0: the connection is reset
	}{
		"before the effect":  {mockserver.Fault{Cut: mockserver.CutBeforeCommit, Commit: true}, "", "", false, 0},
		"after the effect":   {mockserver.Fault{Cut: mockserver.CutAfterCommit}, "", "", true, 0},
		"in the body":        {mockserver.Fault{Cut: mockserver.CutBody, CutAt: 10}, length + strconv.Itoa(len(record)), record[:10], true, 200},
		"before its end":     {mockserver.Fault{Cut: mockserver.CutBody, CutAt: -1}, length + strconv.Itoa(len(record)), record[:len(record)-1], true, 200},
		"in a scripted body": {scripted(2), length + "5", "12", false, 500},
		"before the body":    {scripted(0), length + "5", "", false, 500},
		"behind the body":    {scripted(99), length + "5", "12345", false, 500},
		"between chunks":     {mockserver.Fault{Cut: mockserver.CutChunked, CutAt: 12}, chunked, "c\r\n" + record[:12] + "\r\n", true, 200},
		"before any chunk":   {mockserver.Fault{Cut: mockserver.CutChunked}, chunked, "", true, 200},
		"unseen":             {mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 20}, closed, record[:20], true, 200},
	} {
		s := start(t)
		s.Inject(tc.fault)
		text, err := s.raw(t, "PATCH "+consentPath+"?apiSecretToken="+url.QueryEscape(s.SecretKey), record)
		s.wantLogged(t, tc.committed, tc.status)
		if tc.status == 0 {
			if text != "" || !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("%s: got %q and %v, want a reset", name, text, err)
			}
			continue
		}

		header, body, _ := strings.Cut(text, "\r\n\r\n")
		if err != nil || !strings.Contains(header, tc.header) || body != tc.body || !strings.HasPrefix(header, "HTTP/1.1 "+strconv.Itoa(tc.status)) {
			t.Errorf("%s: got %q and %v", name, text, err)
		}
		if tc.header == closed && (strings.Contains(header, length) || strings.Contains(header, "Transfer-Encoding")) {
			t.Errorf("%s: the end can be seen: %q", name, header)
		}
	}
}
