// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// TestFault_onTheWire sends an update of a consent, and compares what is received, what the service has done, and what
// its log has.
func TestFault_onTheWire(t *testing.T) {
	t.Parallel()
	const record, json, noLength = "{" + clauses + "}", "Content-Type: application/json", "Content-Length: "
	const cutOff = " unexpected EOF"
	whole := "Content-Length: " + strconv.Itoa(len(record))
	scripted := func(cutAt int) mockserver.Fault {
		return mockserver.Fault{Status: 500, Body: []byte("12345"), Cut: mockserver.CutBody, CutAt: cutAt}
	}
	page := http.Header{"Content-Type": {"text/html"}}
	for name, tc := range map[string]struct {
		fault     mockserver.Fault
		answer    string
		header    string // that the answer has; without a value: has not
		committed bool
	}{
		"JSON":                {mockserver.Fault{Status: 409, Body: []byte(`{"a":1}`)}, `409 {"a":1}`, json, false},
		"a page":              {mockserver.Fault{Status: 503, Header: page, Body: []byte("<p>")}, "503 <p>", "Content-Type: text/html", false},
		"a body alone":        {mockserver.Fault{Body: []byte(`{"a":`)}, `200 {"a":`, json, false},
		"nothing":             {mockserver.Fault{Body: []byte{}}, "200 ", "Content-Type: ", false},
		"after the effect":    {mockserver.Fault{Status: 500, Commit: true, Body: []byte("{}")}, "500 {}", json, true},
		"only another header": {mockserver.Fault{Header: http.Header{"X-Odd": {"1"}}}, "200 " + record, "X-Odd: 1", true},

		"cut before the effect":  {mockserver.Fault{Cut: mockserver.CutBeforeCommit, Commit: true}, "reset", "", false},
		"cut after the effect":   {mockserver.Fault{Cut: mockserver.CutAfterCommit}, "reset", "", true},
		"cut in the body":        {mockserver.Fault{Cut: mockserver.CutBody, CutAt: 10}, "200 " + record[:10] + cutOff, whole, true},
		"cut before its end":     {mockserver.Fault{Cut: mockserver.CutBody, CutAt: -1}, "200 " + strings.TrimSuffix(record, "}") + cutOff, whole, true},
		"cut in a scripted body": {scripted(2), "500 12" + cutOff, "Content-Length: 5", false},
		"cut behind the body":    {scripted(99), "500 12345", "Content-Length: 5", false},
		"cut between chunks":     {mockserver.Fault{Cut: mockserver.CutChunked, CutAt: 12}, "200 " + record[:12] + cutOff, noLength, true},
		"cut unseen":             {mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 20}, "200 " + record[:20], noLength, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Inject(tc.fault)
			got := s.ask("PATCH "+consentPath, record)
			if field, value, _ := strings.Cut(tc.header, ": "); got != tc.answer || s.header.Get(field) != value {
				t.Errorf("got %q and %v", got, s.header)
			}

			status, _ := strconv.Atoi(strings.Fields(got)[0]) // 0 for a reset
			_, held := s.Consent(projectScope, "user-1")
			if r := s.Requests()[0]; held != tc.committed || r.Committed != tc.committed || r.Status != status {
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
