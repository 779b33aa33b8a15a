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
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestFault_takesTheRequestsItMatches(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		faults []mockserver.Fault
		want   []int
	}{
		"once":              {[]mockserver.Fault{{Status: 500}}, []int{500, 200, 200, 200}},
		"twice":             {[]mockserver.Fault{{Status: 500, Times: 2}}, []int{500, 500, 200, 200}},
		"for ever":          {[]mockserver.Fault{{Status: 500, Times: -1}}, []int{500, 500, 500, 500}},
		"later":             {[]mockserver.Fault{{Status: 500, Skip: 2}}, []int{200, 200, 500, 200}},
		"one after another": {[]mockserver.Fault{{Status: 500}, {Status: 502}}, []int{500, 502, 200, 200}},
		"by place":          {[]mockserver.Fault{{Status: 500}, {Status: 502, Skip: 2}}, []int{500, 200, 502, 200}},
		"first one wins":    {[]mockserver.Fault{{Status: 500, Times: -1}, {Status: 502, Times: -1}}, []int{500, 500, 500, 500}},
		"this operation":    {[]mockserver.Fault{{Status: 500, Operation: mockserver.OpGetConsent}}, []int{500, 200, 200, 200}},
		"another operation": {[]mockserver.Fault{{Status: 500, Operation: mockserver.OpUpdateConsent}}, []int{200, 200, 200, 200}},
		"this person":       {[]mockserver.Fault{{Status: 500, Identity: "user-1"}}, []int{500, 200, 200, 200}},
		"another person":    {[]mockserver.Fault{{Status: 500, Identity: "user-2"}}, []int{200, 200, 200, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := start(t)
			s.PutConsent(projectScope, "user-1", mockserver.ConsentRecord{})
			s.Inject(tc.faults...)

			var got []int
			for range tc.want {
				got = append(got, s.get(consentPath).status)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFault_scriptedAnswerKeepsTheRequestFromTheService(t *testing.T) {
	t.Parallel()

	html := http.Header{"content-type": {"text/html"}, "Retry-After": {"7"}}
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
		"204":                 {mockserver.Fault{Status: 204}, 204, "", "", false},
		"after the effect":    {mockserver.Fault{Status: 500, Commit: true, Body: []byte("{}")}, 500, "{}", "application/json", true},
		"a redirect":          {mockserver.Fault{Status: 307, Header: http.Header{"Location": {"https://example.com/"}}}, 307, "", "", false},
		"only another header": {mockserver.Fault{Header: http.Header{"X-Odd": {"1"}}}, 200, `{"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true}`, "application/json", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := start(t)
			s.Inject(tc.fault)

			// Without a credential: faults come before authentication.
			path := consentPath
			if tc.committed {
				path += "?apiSecretToken=" + "key"
				s.AddSecretKey("key")
			}

			got := s.send(http.MethodPatch, path, allClauses())
			if got.status != tc.status || got.body != tc.body || got.header.Get("Content-Type") != tc.media {
				t.Errorf("%d %q %v", got.status, got.body, got.header)
			}

			for name := range tc.fault.Header {
				if got.header.Get(name) != tc.fault.Header[name][0] {
					t.Errorf("%s is %q", name, got.header.Get(name))
				}
			}

			_, held := s.Consent(projectScope, "user-1")
			if r := s.Requests()[0]; held != tc.committed || r.Committed != tc.committed || r.Status != tc.status {
				t.Errorf("held %v, the log has %d %v", held, r.Status, r.Committed)
			}
		})
	}
}

func TestFault_waitsForItsDelayAndTheLatency(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *service) {
		s.Inject(mockserver.Fault{Delay: time.Hour})
		for _, want := range []time.Duration{time.Hour + time.Minute, time.Minute} {
			began := time.Now()
			got := s.patch(consentPath, allClauses())
			requests := s.Requests()
			if r := requests[len(requests)-1]; got.status != http.StatusOK || time.Since(began) != want || r.Took != want || !r.At.Equal(began) {
				t.Errorf("%d: it came at %v and took %v", got.status, r.At, r.Took)
			}
		}
	}, func(s *mockserver.Server) { s.Latency = time.Minute })
}

func TestFault_hangEndsWithTheClientOrTheServer(t *testing.T) {
	t.Parallel()

	for name, fault := range map[string]mockserver.Fault{
		"a hang":             {Hang: true},
		"a hang with effect": {Hang: true, Commit: true},
		"a scripted hang":    {Hang: true, Status: 500},
		"a delay":            {Delay: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			inBubble(t, func(t *testing.T, s *service) {
				fault.Times = -1
				s.Inject(fault)
				s.client.Timeout = time.Minute
				began := time.Now()
				if got := s.patch(consentPath, allClauses()); got.err == nil || time.Since(began) != time.Minute {
					t.Errorf("%d %v after %v", got.status, got.err, time.Since(began))
				}

				synctest.Wait()
				if _, ok := s.Consent(projectScope, "user-1"); ok != fault.Commit {
					t.Errorf("there is a record: %v", ok)
				}

				ended := make(chan reply)
				go func() { ended <- s.patch(consentPath, allClauses()) }()
				synctest.Wait()
				s.Stop()

				if got := <-ended; got.err == nil || time.Since(began) != time.Minute {
					t.Errorf("%d %v after %v", got.status, got.err, time.Since(began))
				}

				for _, r := range s.Requests() {
					if r.Status != 0 || r.Committed != fault.Commit {
						t.Errorf("the log has %d %v", r.Status, r.Committed)
					}
				}
			})
		})
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

	fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", request, len(body), body)
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

			text, err := s.raw(t, "PATCH "+consentPath+"?apiSecretToken="+url.QueryEscape(s.SecretKey), allClauses())
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
