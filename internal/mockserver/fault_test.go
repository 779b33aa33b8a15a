// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// TestFault_onTheWire sends an update of a consent, and compares what is received, what the service has
// done, and what its log has. The status 0 is a reset.
func TestFault_onTheWire(t *testing.T) {
	t.Parallel()
	const record, json, end = "{" + clauses + "}", "Content-Type: application/json", "}"
	scripted := func(cutAt int) mockserver.Fault {
		return mockserver.Fault{Status: 500, Body: []byte("12345"), Cut: mockserver.CutBody, CutAt: cutAt}
	}
	whole := "Content-Length: " + strconv.Itoa(len(record))
	for name, tc := range map[string]struct {
		fault     mockserver.Fault
		status    int
		header    string // that the answer has
		body      string // everything after the header
		committed bool
	}{
		"JSON":                {mockserver.Fault{Status: 409, Body: []byte(`{"a":1}`)}, 409, json, `{"a":1}`, false},
		"a page":              {mockserver.Fault{Status: 503, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<p>")}, 503, "Content-Type: text/html", "<p>", false},
		"a body alone":        {mockserver.Fault{Body: []byte(`{"a":`)}, 200, json, `{"a":`, false},
		"nothing":             {mockserver.Fault{Body: []byte{}}, 200, "Content-Length: 0", "", false},
		"a redirect":          {mockserver.Fault{Status: 307, Header: http.Header{"Location": {"/x"}}}, 307, "Location: /x", "", false},
		"after the effect":    {mockserver.Fault{Status: 500, Commit: true, Body: []byte("{}")}, 500, json, "{}", true},
		"only another header": {mockserver.Fault{Header: http.Header{"X-Odd": {"1"}}}, 200, "X-Odd: 1", record, true},

		"cut before the effect":  {mockserver.Fault{Cut: mockserver.CutBeforeCommit, Commit: true}, 0, "", "", false},
		"cut after the effect":   {mockserver.Fault{Cut: mockserver.CutAfterCommit}, 0, "", "", true},
		"cut in the body":        {mockserver.Fault{Cut: mockserver.CutBody, CutAt: 10}, 200, whole, record[:10], true},
		"cut before its end":     {mockserver.Fault{Cut: mockserver.CutBody, CutAt: -1}, 200, whole, strings.TrimSuffix(record, end), true},
		"cut in a scripted body": {scripted(2), 500, "Content-Length: 5", "12", false},
		"cut before the body":    {scripted(0), 500, "Content-Length: 5", "", false},
		"cut behind the body":    {scripted(99), 500, "Content-Length: 5", "12345", false},
		"cut between chunks":     {mockserver.Fault{Cut: mockserver.CutChunked, CutAt: 12}, 200, "Transfer-Encoding: chunked", "c\r\n" + record[:12] + "\r\n", true},
		"cut before any chunk":   {mockserver.Fault{Cut: mockserver.CutChunked}, 200, "Transfer-Encoding: chunked", "", true},
		"cut unseen":             {mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 20}, 200, "Connection: close", record[:20], true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Inject(tc.fault)
			text, err := s.raw(s.withKey("PATCH "+consentPath), json, record)
			header, body, _ := strings.Cut(text, "\r\n\r\n")
			isReset := tc.status == 0
			if isReset != errors.Is(err, syscall.ECONNRESET) || isReset != (text == "") || !strings.Contains(header, tc.header) || body != tc.body {
				t.Errorf("got %q and %v", text, err)
			}
			if !isReset && !strings.HasPrefix(header, "HTTP/1.1 "+strconv.Itoa(tc.status)) {
				t.Errorf("got %q", header)
			}
			if tc.fault.Cut == mockserver.CutCloseDelimited && strings.Contains(header, "Length") {
				t.Errorf("the end can be seen: %q", header)
			}

			_, held := s.Consent(projectScope, "user-1")
			if r := s.Requests()[0]; held != tc.committed || r.Committed != tc.committed || r.Status != tc.status {
				t.Errorf("held %v, the log has %d %v", held, r.Status, r.Committed)
			}
		})
	}
}

func TestRequests_completeBeforeTheClientHasTheAnswer(t *testing.T) {
	t.Parallel()
	told := make(chan mockserver.Request, 10)
	s := start(t, func(s *mockserver.Server) { s.OnRequest = func(r mockserver.Request) { told <- r } })
	s.Inject(mockserver.Fault{Skip: 1, Status: 500}, mockserver.Fault{Skip: 2, Cut: mockserver.CutAfterCommit})
	for i, want := range []struct {
		status    int
		committed bool
	}{{200, true}, {500, false}, {0, true}} {
		s.ask("PATCH "+consentPath, "{"+clauses+"}")
		for _, r := range []mockserver.Request{s.Requests()[i], <-told} {
			if r.Seq != i+1 || r.Status != want.status || r.Committed != want.committed {
				t.Errorf("request %d: %d %v", i+1, r.Status, r.Committed)
			}
		}
	}

	s.Reset()
	if n := len(s.Requests()); n > 0 || len(told) > 0 {
		t.Errorf("%d requests are left, %d were told of twice", n, len(told))
	}
}
