// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// losing counts requests, and loses their answers.
type losing struct{ sent int }

func (l *losing) RoundTrip(req *http.Request) (*http.Response, error) {
	l.sent++
	httptrace.ContextClientTrace(req.Context()).WroteHeaders()
	return nil, io.ErrUnexpectedEOF
}

// newSender returns a sender whose answers are lost. Unless a test expects so many requests, it fails.
func newSender(t *testing.T, credentials Credentials, expected int) *Sender {
	t.Helper()
	pool := &losing{}
	t.Cleanup(func() {
		if pool.sent != expected {
			t.Errorf("%d requests are sent", pool.sent)
		}
	})
	s, err := New(Config{
		Base: &url.URL{Scheme: "http", Host: "localhost"}, Credentials: credentials, MaxConcurrency: 1, RequestTimeout: time.Minute, MaxRetries: 4,
		Around: func(http.RoundTripper) http.RoundTripper { return pool },
	})
	if err != nil {
		t.Fatal(err)
	}

	return s
}

func TestSend_onlyToTheConfiguredOrigin(t *testing.T) {
	t.Parallel()

	s := newSender(t, Credentials{APISecretKey: "k"}, 0)
	for _, address := range []string{"https://localhost/", "http://localhost:8443/", "http://example.com/"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (&call{sender: s}).RoundTrip(req); !IsClass(err, ClassInternal) { //nolint:bodyclose // no answer comes
			t.Errorf("%s: the error is %v", address, err)
		}
	}
}

func TestPolicy_updateIsNotSentAgainWithoutAComparison(t *testing.T) {
	t.Parallel()
	_, err := newSender(t, Credentials{APISecretKey: "k"}, 1).Do(t.Context(), Request{Op: Operation{Method: http.MethodPatch, Kind: Writes}})
	if e, _ := errors.AsType[*Error](err); !IsClass(err, ClassConnectionLost) || !e.Ambiguous {
		t.Errorf("the error is %v", err)
	}
}

// TestSend_whatIsAnsweredWasSent has an answer before the connection says that the header was written, as of HTTP/2.
func TestSend_whatIsAnsweredWasSent(t *testing.T) {
	t.Parallel()

	s := newSender(t, Credentials{APISecretKey: "k"}, 0)
	s.around = answering{}
	_, err := s.Do(t.Context(), Request{Op: Operation{Method: http.MethodDelete, Kind: Queues}})
	if e, _ := errors.AsType[*Error](err); !IsClass(err, ClassServer) || !e.Ambiguous {
		t.Errorf("the error is %v", err)
	}
}

// answering answers each request with a failure.
type answering struct{}

func (answering) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusInternalServerError, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
}

// TestAdmission_noWriteWaitsAfterItsComparison has a machine that stood still, no token yet, and a service that
// asked another caller for time.
func TestAdmission_noWriteWaitsAfterItsComparison(t *testing.T) {
	t.Parallel()

	key, login := Credentials{APISecretKey: "k"}, Credentials{Email: "e", Password: "p"}
	for name, tc := range map[string]struct {
		credentials Credentials
		after, hold time.Duration
	}{"stood still": {key, 2 * staleAfter, 0}, "no token": {login, 0, 0}, "asked for time": {key, 0, time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			s := newSender(t, tc.credentials, 0)
			ctx, release, err := s.Admit(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			defer release()
			compared, _ := ctx.Value(admissionKey{}).(*time.Time)
			*compared = time.Now().Add(-tc.after)
			s.gate.hold(tc.hold)

			if _, err = s.Do(ctx, Request{Op: Operation{Method: http.MethodPatch, Kind: Writes}}); !IsClass(err, ClassOutdated) {
				t.Errorf("%s: the error is %v", name, err)
			}
		})
	}
}

// TestAnswer_onlyWordsAcknowledge has texts beside a status that says as much as words can.
func TestAnswer_onlyWordsAcknowledge(t *testing.T) {
	t.Parallel()

	accepted := Answer{Exchange: Exchange{Op: Operation{Kind: Writes}, Status: http.StatusAccepted, Redact: &Redactor{}}, MediaType: "text/plain"}
	for body, class := range map[string]ErrorClass{"Accepted": "", "": "", `{"id":"a`: ClassTruncated, `[{}`: ClassTruncated, `{"a":1,"a":2}`: ClassPayload, "<p>": ClassNotJSON} {
		v, err := accepted.Parse(strings.NewReader(body))
		if isClass := IsClass(err, class); v != nil || isClass != (class != "") {
			t.Errorf("%s is %s, %v", body, v, err)
		}
	}
}

// TestToken_isRenewedByItsLife has what tokens state of their life, and how long they are used.
func TestToken_isRenewedByItsLife(t *testing.T) {
	t.Parallel()

	for claims, want := range map[string]time.Duration{
		`{"iat":1000,"exp":1001}`:                   tokenFloor,
		`{"iat":1000,"exp":2800}`:                   27 * time.Minute,
		`{"iat":1000,"exp":4600}`:                   55 * time.Minute,
		`{"iat":1000,"exp":173801}`:                 55 * time.Minute, // more than a day
		`{"iat":1000,"exp":999}`:                    55 * time.Minute,
		`{"iat":"now","exp":true}`:                  55 * time.Minute,
		`{}`:                                        55 * time.Minute,
		`{"iat":1767225600000,"exp":1767225601000}`: 55 * time.Minute, // milliseconds
	} {
		encode := base64.RawURLEncoding.EncodeToString
		got, ok := parseToken(encode([]byte("{}")) + "." + encode([]byte(claims)) + ".c2ln")
		if !ok || got.lifetime() != want {
			t.Errorf("%s is used for %v, want %v", claims, got.lifetime(), want)
		}
	}
}

func TestRetryAfter_parsedAndBounded(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) { // at the beginning of 2000
		for value, want := range map[string]time.Duration{
			"1.5":                           1500 * time.Millisecond,
			"3600":                          limitRetryAfter,
			"NaN":                           0,
			"Sat, 01 Jan 2000 00:00:30 GMT": 30 * time.Second,
			"Fri, 31 Dec 1999 23:00:00 GMT": 0,
			"Sat, 01 Jan 2000 02:00:00 GMT": limitRetryAfter,
		} {
			if wait := retryAfter(http.Header{"Retry-After": {value}}, limitRetryAfter); wait != want {
				t.Errorf("%q: %v, want %v", value, wait, want)
			}
		}
	})
}

// FuzzBackoff_neitherHotLoopNorHang checks the wait before the next attempt: what the service asks for,
// with full jitter under a limit that doubles.
func FuzzBackoff_neitherHotLoopNorHang(f *testing.F) {
	for attempt, seed := range []string{"", "-1", "1.5", "9223372037", "abc", "", "Fri, 31 Dec 9999 23:59:59 GMT", "0x10", "1_000", "", "2"} {
		f.Add(seed, attempt)
		f.Add("", attempt*20)
	}

	f.Fuzz(func(t *testing.T, value string, attempt int) {
		attempt = max(attempt, 0)
		asked := retryAfter(http.Header{"Retry-After": {value}}, limitRetryAfter)
		limit := asked + backoffFloor + min(backoffBase<<min(attempt, 10), backoffCap)
		for range 20 {
			wait := backoffAfter(attempt, asked)
			if asked < 0 || asked > limitRetryAfter || wait < asked+backoffFloor || wait > limit {
				t.Fatalf("Retry-After %q, attempt %d: waits %v", value, attempt, wait)
			}
		}
	})
}

// TestPolicy_neverRepeatsWhatMayHaveBeenCarriedOut checks the columns of what changes something.
func TestPolicy_neverRepeatsWhatMayHaveBeenCarriedOut(t *testing.T) {
	t.Parallel()

	refused := []ErrorClass{ClassUnreachable, ClassRateLimited, ClassTooEarly, classRenewed}
	for class, row := range policy {
		isRefused := slices.Contains(refused, class)
		isRepeated := row[Reads] == retries || row[Reads] == anew
		if row[Queues] == retries && !isRefused || row[Writes] == retries && !isRefused {
			t.Errorf("%s: a change is repeated without a look", class)
		}
		if isRepeated && !isRefused && (row[Writes] != compared || row[Queues] != unknown) {
			t.Errorf("%s: a change whose outcome is open is called refused", class)
		}
	}
	for class := range policy {
		if e := NewError(Exchange{Op: Operation{Kind: Queues}}, class, ""); e.Ambiguous {
			t.Errorf("%s: what was not sent is called open: %+v", class, e)
		}
	}
}

// TestComplaint_asServicesWordIt has bodies of answers that refuse, and what of them is shown.
func TestComplaint_asServicesWordIt(t *testing.T) {
	t.Parallel()

	about := func(field, message string) []FieldError { return []FieldError{{field, message}} }
	for body, want := range map[string]Error{
		`{"error":"invalid_grant","error_description":"m"}`:                          {Message: "m"},
		`{"error":{"code":7,"message":"m","fields":[{"field":"f","message":"fm"}]}}`: {Code: "7", Message: "m", Fields: about("f", "fm")},
		`{"message":"m","errors":{"f":["fm","x"],"g":"gm"}}`:                         {Message: "m", Fields: []FieldError{{"f", "fm"}, {"f", "x"}, {"g", "gm"}}},
		`{"errors":[{"path":"f","msg":"fm"}]}`:                                       {Message: "fm", Fields: about("f", "fm")},
		`{"errors":["m"]}`:                                                           {Message: "m", Fields: about("", "m")},
		`{"title":"m","type":"about:blank"}`:                                         {Code: "about:blank", Message: "m"},
		`{}`:                                                                         {},

		// RFC 9457, and the example of RFC 7807.
		`{"title":"t","detail":"m","errors":[{"detail":"fm","pointer":"#/a/f"}]}`: {Message: "m", Fields: about("f", "fm")},
		`{"title":"m","invalid-params":[{"name":"f","reason":"fm"}]}`:             {Message: "m", Fields: about("f", "fm")},
		// JSON:API
		`{"errors":[{"code":"7","title":"t","detail":"fm","source":{"pointer":"/data/attributes/f"}}]}`: {Message: "fm", Fields: about("f", "fm")},
		`{"errors":[{"title":"fm","source":{"parameter":"utcDate"}}]}`:                                  {Message: "fm", Fields: about("utcDate", "fm")},
		// FastAPI
		`{"detail":[{"type":"missing","loc":["body","f"],"msg":"fm"}]}`:   {Message: "fm", Fields: about("f", "fm")},
		`{"detail":[{"type":"missing","loc":["body","f",0],"msg":"fm"}]}`: {Message: "fm", Fields: about("f", "fm")},
		`{"detail":"m"}`: {Message: "m"},
		// Rails, Django REST framework
		`{"f":["fm"],"g":["gm"]}`:           {Message: "fm", Fields: []FieldError{{"f", "fm"}, {"g", "gm"}}},
		`{"f":["fm"],"count":1}`:            {},
		`{"errors":{"detail":"Not Found"}}`: {Message: "Not Found", Fields: about("detail", "Not Found")},
		// ASP.NET, Symfony, Spring
		`{"title":"m","errors":{"$.f":["fm"]},"traceId":"x"}`:                                  {Message: "m", Fields: about("$.f", "fm")},
		`{"title":"m","violations":[{"propertyPath":"f","title":"fm"}]}`:                       {Message: "m", Fields: about("f", "fm")},
		`{"error":"Bad Request","message":"m","errors":[{"field":"f","defaultMessage":"fm"}]}`: {Message: "m", Fields: about("f", "fm")},
		// AIP-193
		`{"error":{"code":400,"message":"m","details":[{"@type":"t","fieldViolations":[{"field":"f","description":"fm"}]}]}}`: {Code: "400", Message: "m", Fields: about("f", "fm")},
		// GraphQL
		`{"data":null,"errors":[{"message":"fm","path":["user","f"]}]}`: {Message: "fm", Fields: about("f", "fm")},
		// HAL, Azure, AWS
		`{"message":"m","_embedded":{"errors":[{"message":"fm"}]}}`: {Message: "m", Fields: about("", "fm")},
		`{"error":{"code":"Bad","target":"f","message":"m"}}`:       {Code: "Bad", Message: "m"},
		`{"__type":"ValidationException","message":"m"}`:            {Code: "ValidationException", Message: "m"},

		// What is private to the request is not shown.
		`{"errors":{"f":"not for jane@example.com"}}`: {Message: "not for [redacted]", Fields: about("f", "not for [redacted]")},
	} {
		conflict := Answer{Exchange: Exchange{Status: http.StatusConflict, Redact: &Redactor{Values: []string{"jane@example.com"}}}}
		got, err := (&call{}).refuse(conflict, strings.NewReader(body))
		if err != nil || got.Code != want.Code || got.Message != want.Message || !slices.Equal(got.Fields, want.Fields) {
			t.Errorf("%s: %+v, want %+v", body, got, want)
		}
	}

	if e := Refusal(Answer{JSON: []byte(`[{"name":"Jane"}]`)}); strings.Contains(e.Error(), "Jane") { // which may be data
		t.Errorf("it says %v", e)
	}
}
