// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// failed is an answer, or none, and the error that it is where it stays the same.
type failed struct {
	operation  string // empty is a read of the consent
	fault      mockserver.Fault
	class      ErrorClass
	attempts   int    // zero is one: another attempt would meet the same
	says       string // words with a bar between
	attribute  string
	retryAfter time.Duration
}

// failuresOfAService returns what a service can answer instead of what was asked for.
func failuresOfAService() map[string]failed {
	const updates, logins = mockserver.OpUpdateConsent, mockserver.OpLogin
	json, html := []byte(`{"error":{"code":"E7","message":"no"}}`), []byte("<html>Welcome to the hotel</html>")
	gzipped := http.Header{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}}
	rows := map[string]failed{
		"400":            {fault: mockserver.Fault{Status: 400, Body: json}, class: ClassRejected},
		"403":            {fault: mockserver.Fault{Status: 403, Body: json}, class: ClassForbidden, says: `the service says "no"`},
		"404 JSON":       {fault: mockserver.Fault{Status: 404, Body: json}, class: ClassNotFound, says: `the service says "no"`},
		"410 JSON":       {fault: mockserver.Fault{Status: 410, Body: json}, class: ClassNotFound},
		"404 page":       {fault: mockserver.Fault{Status: 404, Body: html}, class: ClassEndpointNotFound},
		"404 empty":      {fault: mockserver.Fault{Status: 404, Body: []byte{}}, class: ClassEndpointNotFound},
		"404 null":       {fault: mockserver.Fault{Status: 404, Body: []byte("null")}, class: ClassEndpointNotFound},
		"404 list":       {fault: mockserver.Fault{Status: 404, Body: []byte("[]")}, class: ClassEndpointNotFound},
		"409":            {fault: mockserver.Fault{Status: 409, Body: json}, class: ClassConflict},
		"422":            {fault: mockserver.Fault{Status: 422, Body: json}, class: ClassRejected},
		"407":            {fault: mockserver.Fault{Status: 407, Body: html}, class: ClassProxyAuth},
		"200 page":       {fault: mockserver.Fault{Status: 200, Header: page, Body: html}, class: ClassNotJSON, says: "Welcome to the hotel"},
		"200 empty":      {fault: mockserver.Fault{Status: 200, Body: []byte{}}, class: ClassEmpty},
		"204":            {fault: mockserver.Fault{Status: 204}, class: ClassEmpty},
		"trailing bytes": {fault: mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true}x`)}, class: ClassPayload},
		"a name twice":   {fault: mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true,"clause_1_consent":false}`)}, class: ClassPayload},
		"a bomb in gzip": {fault: mockserver.Fault{Status: 200, Header: gzipped, Body: gzipBomb()}, class: ClassTooLarge},

		"reset":              {fault: mockserver.Fault{Cut: mockserver.CutBeforeCommit}, class: ClassConnectionLost, attempts: 5},
		"short body":         {fault: mockserver.Fault{Cut: mockserver.CutBody, CutAt: 10}, class: ClassConnectionLost, attempts: 5},
		"cut chunks":         {fault: mockserver.Fault{Cut: mockserver.CutChunked, CutAt: 10}, class: ClassConnectionLost, attempts: 5},
		"close-delimited":    {fault: mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 24}, class: ClassTruncated, attempts: 2},
		"truncated JSON":     {fault: mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true,`)}, class: ClassTruncated, attempts: 2},
		"429 without a wish": {fault: mockserver.Fault{Status: 429}, class: ClassRateLimited, attempts: 5},
		"no answer at all":   {fault: mockserver.Fault{Hang: true}, class: ClassTimeout, attempts: 5, says: "no answer, or one that stalled: it was not complete within 30s (request_timeout)"},
		"a stalled answer": {
			fault: mockserver.Fault{Cut: mockserver.CutStall, CutAt: 10}, class: ClassTimeout, attempts: 5,
			says: "one that stalled: it was not complete within 30s (request_timeout)",
		},

		// A login has no retries but one.
		"login reset":         {operation: logins, fault: mockserver.Fault{Cut: mockserver.CutBeforeCommit}, class: ClassConnectionLost, attempts: 2},
		"login 503":           {operation: logins, fault: mockserver.Fault{Status: 503}, class: ClassServer, attempts: 2},
		"login hangs":         {operation: logins, fault: mockserver.Fault{Hang: true}, class: ClassTimeout, attempts: 2},
		"half a login answer": {operation: logins, fault: mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 8}, class: ClassTruncated, attempts: 2},
		"login 429":           {operation: logins, fault: wish("3"), class: ClassRateLimited, attempts: 2, retryAfter: 3 * time.Second},
		"login 401":           {operation: logins, fault: mockserver.Fault{Status: 401, Body: json}, class: ClassAuthentication},
	}

	for _, status := range []int{408, 425, 500, 502, 503, 504} {
		rows[strconv.Itoa(status)] = failed{fault: mockserver.Fault{Status: status, Body: html}, class: ClassServer, attempts: 5}
	}
	for _, status := range []int{201, 202, 203, 205, 206, 226} {
		rows[strconv.Itoa(status)] = failed{fault: mockserver.Fault{Status: status, Body: []byte(`{"manual":true}`)}, class: ClassPayload, says: "is not a complete one"}
	}
	for _, status := range []int{501, 505, 511} {
		rows[strconv.Itoa(status)] = failed{fault: mockserver.Fault{Status: status}, class: ClassServer}
		rows[strconv.Itoa(status)+" to a change"] = failed{operation: updates, fault: mockserver.Fault{Status: status}, class: ClassServer}
	}
	for _, status := range []int{406, 415} { // a service may have the other path family
		rows[strconv.Itoa(status)] = failed{operation: updates, fault: mockserver.Fault{Status: status}, class: ClassRejected, says: "account_id|project_id"}
	}
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "3600": 2 * time.Minute, "9223372037": 2 * time.Minute, "-1": 0, "abc": 0} {
		rows["429 with "+header] = failed{operation: updates, fault: wish(header), class: ClassRateLimited, attempts: 5, retryAfter: want}
	}

	for status, tooLarge := range map[int]failed{
		413: {attribute: "source", says: "source|135 bytes"}, 414: {attribute: "identity_id", says: "identity_id"}, 431: {attribute: "identity_id", says: "identity_id"},
	} {
		tooLarge.operation, tooLarge.class = updates, ClassRequestTooLarge
		tooLarge.fault = mockserver.Fault{Status: status, Body: []byte("<html>too large</html>")}
		rows[strconv.Itoa(status)] = tooLarge
	}

	redirect := func(status int, operation, location, says string) {
		rows[strconv.Itoa(status)+" "+operation+" to "+location] = failed{
			operation: operation, class: ClassRedirect, says: says + "|base_url",
			fault: mockserver.Fault{Status: status, Header: http.Header{"Location": {location}}},
		}
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, operation := range []string{"", updates, logins} {
			redirect(status, operation, "https://elsewhere.example.com/canary?apiSecretToken=canary", "to https://elsewhere.example.com")
		}
	}
	redirect(301, "", "https://localhost/v1/canary", "to https://localhost")
	redirect(301, "", "/api/canary/", "to http://localhost")
	redirect(301, "", "", "elsewhere")
	redirect(302, updates, "https://h.example.com/%zz", "elsewhere")
	redirect(307, logins, "http://localhost/v1/user/self", "to http://localhost")

	for name, body := range map[string]string{
		"no token":       `{"session":"canary"}`,
		"null":           `{"token":null}`,
		"number":         `{"token":7}`,
		"not a JWT":      `{"token":"canary"}`,
		"two parts":      `{"token":"eyJhIjoxfQ.canary"}`,
		"bad header":     `{"token":"Y2FuYXJ5.e30.c2ln"}`,
		"empty part":     `{"token":"eyJhIjoxfQ..c2ln"}`,
		"empty":          ``,
		"a list":         `["canary"]`,
		"other capitals": `{"Token":"eyJhIjoxfQ.e30.c2ln"}`,
	} {
		rows["login answer: "+name] = failed{operation: logins, fault: mockserver.Fault{Status: 200, Body: []byte(body)}, class: ClassLoginAnswer, says: "not shown"}
	}

	return rows
}

// wish is a 429 with a Retry-After.
func wish(retryAfter string) mockserver.Fault {
	return mockserver.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {retryAfter}}}
}

// TestFailures_areAnErrorAfterTheirAttempts has each failure for ever, which is its error, and
// once if it is repeated, which nobody notices.
func TestFailures_areAnErrorAfterTheirAttempts(t *testing.T) {
	t.Parallel()

	calls := map[string]func(context.Context, *Sender) error{"": read, mockserver.OpUpdateConsent: update, mockserver.OpLogin: logIn}
	for name, tc := range failuresOfAService() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			tc.attempts = max(tc.attempts, 1)
			call, fault := calls[tc.operation], tc.fault
			if fault.Operation = tc.operation; fault.Operation == "" {
				fault.Operation = mockserver.OpGetConsent
			}
			credentials := useSecretKey
			if tc.operation == mockserver.OpLogin {
				credentials = func(*mocktest.Instance, *Config) {}
			}

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				fault.Times = -1
				service.Inject(fault)
				began := time.Now()

				e := wantClass(t, call(t.Context(), s), tc.class)
				if e.Status != tc.fault.Status && tc.fault.Status != 0 || e.Attempts != tc.attempts || e.Attribute != tc.attribute || e.Ambiguous || e.RetryAfter != tc.retryAfter {
					t.Errorf("%+v", e)
				}
				for words := range strings.SplitSeq(tc.says, "|") {
					if !strings.Contains(e.Error(), words) {
						t.Errorf("the error is %q, want %q", e, words)
					}
				}
				if tc.class == ClassServer && e.Detail == "" && tc.attempts == 1 || strings.Contains(e.Error(), "canary") {
					t.Errorf("the error is %q", e)
				}
				wantCount(t, service, "", tc.attempts)
				if took := time.Since(began); took > time.Duration(tc.attempts)*3*time.Minute {
					t.Errorf("it took %v", took)
				}
			}, credentials)
			if tc.attempts == 1 {
				return
			}

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				fault.Times = 1
				service.Inject(fault)
				noError(t, call(t.Context(), s))
				wantCount(t, service, "", 2)
			}, credentials)
		})
	}
}

// gzipBomb returns more than the limit of 32 MiB, compressed to a few KB per MiB.
var gzipBomb = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}

	return bytes.Repeat(packed.Bytes(), soak.Size(33, 100))
})

func TestFailures_theLastOneCounts(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		first, lasting mockserver.Fault
		class          ErrorClass
	}{
		"a cut answer before 429":    {mockserver.Fault{Cut: mockserver.CutBody, CutAt: 3}, mockserver.Fault{Status: 429}, ClassRateLimited},
		"a broken answer before 503": {mockserver.Fault{Status: 200, Body: []byte(`{"a":`)}, mockserver.Fault{Status: 503}, ClassServer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				tc.first.Operation, tc.lasting.Operation, tc.lasting.Times = mockserver.OpGetConsent, mockserver.OpGetConsent, -1
				service.Inject(tc.first, tc.lasting)
				_ = wantClass(t, read(t.Context(), s), tc.class)

				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				if err := readUser(ctx, s); err != nil {
					t.Errorf("the slot is lost: %v", err)
				}
			}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { cfg.MaxConcurrency = 1 })
		})
	}
}

func TestComplaint_foundInUsualPlaces(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]Error{
		`{"code":"E1","message":"m"}`:                       {Code: "E1", Message: "m"},
		`{"error":"m"}`:                                     {Message: "m"},
		`{"error":"invalid_grant","error_description":"m"}`: {Message: "m"},
		`{"error":{"code":7,"message":"m","fields":[{"field":"f","message":"fm"}]}}`: {Code: "7", Message: "m", Fields: []FieldError{{"f", "fm"}}},
		`{"message":"m","errors":{"f":["fm","x"],"g":"gm"}}`:                         {Message: "m", Fields: []FieldError{{"f", "fm"}, {"g", "gm"}}},
		`{"errors":[{"path":"f","msg":"fm"}]}`:                                       {Message: "fm", Fields: []FieldError{{"f", "fm"}}},
		`{"errors":["m"]}`:                                                           {Message: "m", Fields: []FieldError{{"", "m"}}},
		`{"title":"m","type":"about:blank"}`:                                         {Code: "about:blank", Message: "m"},
		`{}`:                                                                         {},
	} {
		k := &Call{Redact: NewRedactor()}
		got := k.statusError(&http.Response{StatusCode: http.StatusConflict}, []byte(body))
		if got.Code != want.Code || got.Message != want.Message || !slices.Equal(got.Fields, want.Fields) {
			t.Errorf("%s: %+v, want %+v", body, got, want)
		}
	}
}
