// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// page is the header of a page for people.
var page = http.Header{"Content-Type": {"text/html; charset=utf-8"}}

// failed is an answer, or none, and the error that it is where it stays the same.
type failed struct {
	operation  string // empty is a reading of the user
	fault      mockserver.Fault
	dial       func() (net.Conn, error) // in place of a connection to the service, or to the proxy
	proxied    bool
	class      transport.ErrorClass
	attempts   int    // zero is one: another attempt would meet the same
	says       string // words with a bar between
	retryAfter time.Duration
}

// failures returns what can happen instead of the answer that was asked for.
func failures() map[string]failed {
	const updates, logins = mockserver.OpUpdateConsent, mockserver.OpLogin
	json, html := []byte(`{"error":{"code":"E7","message":"no"}}`), []byte("<html><style>p{color:red}</style><p>Welcome to\n the <b>hotel</b></p><script>alert(1)</script></html>")
	text, gzipped := http.Header{"Content-Type": {"text/plain"}}, http.Header{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}}
	unknown, refused := failing(&net.DNSError{Err: "no such host", Name: "localhost", IsNotFound: true}), failing(syscall.ECONNREFUSED)
	const noProxy = "The proxy cannot be reached|NO_PROXY"
	rows := map[string]failed{
		"404 page":       {fault: mockserver.Fault{Status: 404, Body: html}, class: transport.ClassEndpointNotFound},
		"404 and more":   {fault: mockserver.Fault{Status: 404, Body: append(slices.Clone(json), 'x')}, class: transport.ClassEndpointNotFound},
		"404 too large":  {fault: mockserver.Fault{Status: 404, Body: []byte(`{"message":"` + strings.Repeat("x", transport.LimitError) + `"}`)}, class: transport.ClassEndpointNotFound},
		"200 page":       {fault: mockserver.Fault{Status: 200, Header: page, Body: html}, class: transport.ClassNotJSON, says: `begins with "Welcome to the hotel"`},
		"200 text":       {fault: mockserver.Fault{Status: 200, Header: text, Body: []byte("Come back")}, class: transport.ClassNotJSON},
		"200 empty":      {fault: mockserver.Fault{Status: 200, Body: []byte{}}, class: transport.ClassEmpty},
		"204":            {fault: mockserver.Fault{Status: 204}, class: transport.ClassEmpty},
		"a broken text":  {fault: mockserver.Fault{Status: 200, Header: text, Body: []byte(`{"a":"canary","a":1}`)}, class: transport.ClassPayload},
		"trailing bytes": {fault: mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true}x`)}, class: transport.ClassPayload},
		"a bomb in gzip": {fault: mockserver.Fault{Status: 200, Header: gzipped, Body: gzipBomb()}, class: transport.ClassTooLarge},

		"reset":           {fault: mockserver.Fault{Cut: mockserver.CutBeforeCommit}, class: transport.ClassConnectionLost, attempts: 5},
		"cut chunks":      {fault: mockserver.Fault{Cut: mockserver.CutChunked, CutAt: 10}, class: transport.ClassConnectionLost, attempts: 5},
		"close-delimited": {fault: mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 24}, class: transport.ClassTruncated, attempts: 2},
		"truncated JSON":  {fault: mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true,`)}, class: transport.ClassTruncated, attempts: 2},
		// A gateway that fails may begin to say that there is nothing.
		"a cut redirect":   {operation: logins, fault: mockserver.Fault{Status: 307, Body: json, Cut: mockserver.CutBody, CutAt: 3}, class: transport.ClassRedirect},
		"a cut 404":        {fault: mockserver.Fault{Status: 404, Body: json, Cut: mockserver.CutBody, CutAt: 3}, class: transport.ClassConnectionLost, attempts: 5},
		"no answer at all": {fault: mockserver.Fault{Hang: true}, class: transport.ClassTimeout, attempts: 5, says: "not complete within 30s (request_timeout)"},
		"a stalled answer": {fault: mockserver.Fault{Cut: mockserver.CutStall, CutAt: 10}, class: transport.ClassTimeout, attempts: 5, says: "stalled|not complete within 30s"},

		"unknown host":             {dial: unknown, class: transport.ClassUnreachable, attempts: 5, says: "cannot be resolved|the host is localhost"},
		"refused connection":       {dial: refused, class: transport.ClassUnreachable, attempts: 5, says: "was refused|the host is localhost"},
		"no answer to a dial":      {dial: timedOut, class: transport.ClassUnreachable, attempts: 5, says: "The connection timed out"},
		"unknown proxy":            {dial: unknown, proxied: true, class: transport.ClassUnreachable, attempts: 5, says: noProxy},
		"proxy that wants a login": {dial: answering("407 X"), proxied: true, class: transport.ClassProxyAuth, says: "answered with status Proxy Authentication Required"},
		"proxy that fails":         {dial: answering("502 X"), proxied: true, class: transport.ClassUnreachable, attempts: 5, says: "answered with status Bad Gateway"},

		// A login has no retries but one.
		"login reset":         {operation: logins, fault: mockserver.Fault{Cut: mockserver.CutBeforeCommit}, class: transport.ClassConnectionLost, attempts: 2},
		"half a login answer": {operation: logins, fault: mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 8}, class: transport.ClassTruncated, attempts: 2},
		"login 429":           {operation: logins, fault: wish("3"), class: transport.ClassRateLimited, attempts: 2, retryAfter: 3 * time.Second},
	}

	for _, tc := range []struct {
		failed
		statuses []int
	}{
		{failed{class: transport.ClassRejected, says: `The service says: "no"`}, []int{400, 422}},
		{failed{class: transport.ClassForbidden, says: `The service says: "no"`}, []int{403}},
		{failed{class: transport.ClassNotFound, says: `The service says: "no"`}, []int{404, 410}},
		{failed{class: transport.ClassConflict}, []int{409, 412}},
		{failed{class: transport.ClassProxyAuth}, []int{407}},
		{failed{class: transport.ClassServer, attempts: 5}, []int{408, 500, 502, 503, 504}},
		{failed{class: transport.ClassTooEarly, attempts: 5}, []int{425}},
		{failed{class: transport.ClassPayload, says: "is not a complete one", operation: logins}, []int{206}},
		{failed{class: transport.ClassNotReady, operation: logins}, []int{202}},
		{failed{class: transport.ClassNotReady}, []int{202}},
		{failed{class: transport.ClassPayload, says: "is not a complete one"}, []int{201, 203, 205, 206, 226}},
		{failed{class: transport.ClassNotOffered, operation: updates}, []int{501, 505, 511}},
		{failed{class: transport.ClassNotOffered}, []int{501, 505, 511}},
		{failed{class: transport.ClassRejected, operation: updates, says: "account_id|project_id"}, []int{406, 415}},
		{failed{class: transport.ClassRequestTooLarge, operation: updates, says: "135 bytes"}, []int{413}},
		{failed{class: transport.ClassRequestTooLarge, operation: updates, says: "identity_id"}, []int{414, 431}},
	} {
		for _, status := range tc.statuses {
			tc.fault = mockserver.Fault{Status: status, Body: json}
			rows[strconv.Itoa(status)+" "+tc.operation] = tc.failed
		}
	}
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "9223372037": 2 * time.Minute, "-1": 0, "abc": 0, "": 0} {
		rows["429 with "+header] = failed{operation: updates, fault: wish(header), class: transport.ClassRateLimited, attempts: 5, retryAfter: want}
	}

	busy := wish("7")
	busy.Status = http.StatusServiceUnavailable
	rows["503 with 7"] = failed{fault: busy, class: transport.ClassServer, attempts: 5, retryAfter: 7 * time.Second}

	redirect := func(status int, operation, location, says string) {
		rows[strconv.Itoa(status)+" "+operation+" to "+location] = failed{
			operation: operation, class: transport.ClassRedirect, says: says + "|base_url",
			fault: mockserver.Fault{Status: status, Header: http.Header{"Location": {location}}, Body: []byte(`<a href="/canary">`)},
		}
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, operation := range []string{"", updates, logins} {
			redirect(status, operation, "https://elsewhere.example.com/canary?apiSecretToken=canary", "to https://elsewhere.example.com")
		}
	}
	redirect(301, "", "/api/canary/", "to http://localhost")
	redirect(302, updates, "https://h.example.com/%zz", "another place")

	for name, body := range map[string]string{
		"nothing": "", "no token": `{"session":"canary"}`, "number": `{"token":7}`, "two parts": `{"token":"eyJhIjoxfQ.canary"}`,
		"empty part": `{"token":"eyJhIjoxfQ..c2ln"}`, "text": `{"token":"www.canary.com"}`, "list": `{"token":"W10.e30.c2ln"}`,
	} {
		rows["login answer: "+name] = failed{operation: logins, fault: mockserver.Fault{Status: 200, Body: []byte(body)}, class: transport.ClassLoginAnswer, says: "not shown"}
	}

	return rows
}

// wish is a 429 with a Retry-After.
func wish(retryAfter string) mockserver.Fault {
	return mockserver.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {retryAfter}}}
}

// failing makes no connection.
func failing(cause error) func() (net.Conn, error) {
	return func() (net.Conn, error) { return nil, &net.OpError{Op: "dial", Err: cause} }
}

// timedOut makes no connection in time. The error is like context.DeadlineExceeded.
func timedOut() (net.Conn, error) {
	return (&net.Dialer{Deadline: time.Unix(1, 0)}).Dial("tcp", "192.0.2.1:443")
}

// answering makes connections to a proxy that answers with a status.
func answering(status string) func() (net.Conn, error) {
	return func() (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			if _, err := http.ReadRequest(bufio.NewReader(theirs)); err == nil {
				fmt.Fprintf(theirs, "HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<p>no", status)
			}
		}()
		return ours, nil
	}
}

// TestFailures_areAnErrorAfterTheirAttempts has each failure for ever. It leaves no secret in an error, and
// no slot taken.
func TestFailures_areAnErrorAfterTheirAttempts(t *testing.T) {
	t.Parallel()

	calls := map[string]func(context.Context, *client.Client) error{"": readUser, mockserver.OpUpdateConsent: update, mockserver.OpLogin: logIn}
	for name, tc := range failures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				tc.fault.Operation, tc.fault.Times = cmp.Or(tc.operation, mockserver.OpGetCurrentUser), -1
				service.Inject(tc.fault)
				began := time.Now()
				e := wantClass(t, calls[tc.operation](t.Context(), c), tc.class)
				if took := time.Since(began); took > 15*time.Minute {
					t.Errorf("it took %v", took)
				}

				hasStatus := tc.fault.Status != 0 && tc.fault.Cut == mockserver.CutNone
				if hasStatus && e.Status != tc.fault.Status || e.Attempts != max(tc.attempts, 1) || e.Ambiguous || e.RetryAfter != tc.retryAfter {
					t.Errorf("%+v", e)
				}
				for words := range strings.SplitSeq(tc.says, "|") {
					if !strings.Contains(e.Error(), words) {
						t.Errorf("the error is %q, want %q", e, words)
					}
				}
				for _, secret := range []string{"canary", service.SecretKey, "apiSecretToken"} {
					if strings.Contains(e.Error(), secret) {
						t.Errorf("a secret is in %q", e)
					}
				}

				if tc.dial != nil {
					wantCount(t, service, "", 0)
					return
				}
				wantCount(t, service, "", e.Attempts)
				if tc.operation != mockserver.OpLogin {
					_, err := c.ListPending(t.Context(), scope)
					noError(t, err)
				}
			}, func(service *mocktest.Instance, cfg *client.Config) {
				cfg.MaxConcurrency = 1
				if tc.operation != mockserver.OpLogin {
					useSecretKey(service, cfg)
				}
				if tc.dial != nil {
					cfg.DialContext = func(context.Context, string, string) (net.Conn, error) { return tc.dial() }
				}
				if tc.proxied {
					cfg.BaseURL = "https" + strings.TrimPrefix(cfg.BaseURL, "http")
					useProxy(cfg, http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy.example.com:3128", User: url.UserPassword("proxy", "canary")}))
				}
			})
		})
	}
}

// gzipBomb returns more than the limit of 32 MiB, compressed to a few KB per MiB.
var gzipBomb = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(bytes.Repeat([]byte("x"), 1<<20))
	_ = w.Close()

	return bytes.Repeat(packed.Bytes(), soak.Size(33, 100))
})

// TestReading_answerBeforeAnotherIsACopy has successes with a Date, and answers with a later one between them
// that a gateway with another clock may have made.
func TestReading_answerBeforeAnotherIsACopy(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		now := time.Now()
		for i, answer := range []struct {
			status int
			body   string
			after  time.Duration
			isCopy bool
		}{
			{200, "{}", 0, false},
			{502, "", time.Hour, false},
			{200, "{}", 0, false},
			{404, "{}", time.Hour, false},
			{200, "<html>", time.Hour, false},
			{200, "{}", time.Minute, false},
			{200, "{}", 58 * time.Second, false},
			{200, "{}", 57 * time.Second, true},
			{404, "{}", 57 * time.Second, true},
		} {
			date := now.Add(answer.after).UTC().Format(http.TimeFormat)
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: answer.status, Body: []byte(answer.body), Header: jsonHeader("Date", date, "Age", "0")})
			if read, _ := c.ReadConsent(t.Context(), jane); read.Cached != answer.isCopy {
				t.Errorf("answer %d is a copy: %t", i, read.Cached)
			}
		}

		service.PutProfile(serverScope, person, "{}")
		for date, isTaken := range map[string]bool{now.UTC().Format(http.TimeFormat): true, "Fri, 31 Dec 9999 23:59:59 GMT": false} { // private state could not hold it
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Header: jsonHeader("Date", date)})
			if profile, err := c.GetProfile(t.Context(), jane, nil); err != nil || profile.Date.IsZero() == isTaken {
				t.Errorf("%+v, %v", profile, err)
			}
		}
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxRetries = 0 })
}

// TestAbsent_answersThatSayNone has answers about a person, and with each word of wire.absent
// whether they say that there is none. One that may is an error that shows the setting.
func TestAbsent_answersThatSayNone(t *testing.T) {
	t.Parallel()
	const html = "<!doctype html><title>Not Found</title>"
	for name, c := range map[string]struct {
		status int
		body   string
		none   string // the words with which it says so, of which the first is advised
	}{
		"a 404 with an object": {404, `{"error":"none"}`, "json_404 any_404"},
		"a 410 with an object": {410, `{"error":"gone"}`, "json_404 any_404"},
		"a 404 with a text":    {404, "404 page not found\n", "any_404"},
		"a 404 with a list":    {404, `[]`, "any_404"},
		"a 404 with nothing":   {404, "", "any_404"},
		"a 404 with a page":    {404, html, ""},
		"a 204":                {204, "", "204"},
		"a 200 with nothing":   {200, " \n", "empty"},
		"a 200 with a page":    {200, html, ""},
		"a 405":                {405, `{}`, ""},
		"a 500":                {500, `{}`, ""},
	} {
		advised, _, _ := strings.Cut(c.none, " ")
		for _, word := range append(client.AbsentForms, "") {
			bubble(t, func(t *testing.T, service *mocktest.Instance, cl *client.Client) {
				for _, operation := range []string{mockserver.OpGetConsent, mockserver.OpGetProfile, mockserver.OpListPendingRequests} {
					service.Inject(mockserver.Fault{Operation: operation, Status: c.status, Body: []byte(c.body), Header: page})
				}

				_, consentErr := cl.GetConsent(t.Context(), jane)
				_, profileErr := cl.GetProfile(t.Context(), jane, nil)
				for _, err := range []error{consentErr, profileErr} {
					isNone := slices.Contains(strings.Fields(c.none), word)
					if got := transport.IsClass(err, transport.ClassNotFound); got != isNone {
						t.Errorf("%s, with %q: %v", name, word, err)
					}
					if word == "" && strings.Contains(err.Error(), `wire.absent = ["`+advised+`"]`) != (advised != "") {
						t.Errorf("%s: it says %v", name, err)
					}
				}

				service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: c.status, Body: []byte(c.body)})
				err := update(t.Context(), cl) // which is not a reading
				if isObject := strings.HasPrefix(c.body, "{"); transport.IsClass(err, transport.ClassNotFound) && !isObject {
					t.Errorf("%s, to an update: %v", name, err)
				}
				if _, err := cl.ListPending(t.Context(), scope); err == nil || strings.Contains(err.Error(), "wire.absent") {
					t.Errorf("%s, of the list: %v", name, err)
				}
			}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) {
				cfg.MaxRetries, cfg.Wire.Absent = 0, slices.DeleteFunc([]string{word}, func(word string) bool { return word == "" })
			})
		}
	}
}
