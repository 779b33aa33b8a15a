// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestLocks_updatesOfOnePersonDoNotInterleave(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Latency = 10 * time.Millisecond
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if _, err := c.UpdateConsent(t.Context(), scope, person, protected()); err != nil {
					t.Error(err)
				}
			})
		}

		wg.Wait()
		requests := service.Requests()
		if len(requests) != 100 {
			t.Fatalf("%d requests, want 50 comparisons and 50 writes", len(requests))
		}

		for i, r := range requests {
			want := []string{mockserver.OpGetConsent, mockserver.OpUpdateConsent}[i%2]
			if r.Operation != want {
				t.Fatalf("request %d is %s: a comparison and its write were torn apart", i, r.Operation)
			}
		}
	}, useSecretKey)
}

// TestNewSessionToken_wrongPasswordIsTriedOnce asks for several tokens at once, beside
// requests that need one as well: a rejected login is not repeated by any of them.
func TestNewSessionToken_wrongPasswordIsTriedOnce(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		const n = 8
		errs := make([]error, 2*n)

		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() { _, _, errs[i] = c.NewSessionToken(t.Context()) })
			wg.Go(func() { _, errs[n+i] = c.GetConsent(t.Context(), scope, person) })
		}
		wg.Wait()

		for _, err := range errs {
			_ = wantClass(t, err, transport.ClassAuthentication)
		}
		wantCount(t, service, mockserver.OpLogin, 1)
	}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Credentials.Password = "wrong-password" })
}

func FuzzParseDay(f *testing.F) {
	for _, text := range []string{"2026-02-28", "2026-02-30", "2026-2-3", "today", "", "2026-03-01T00:00:00Z", "0000-01-01", "２０２６-01-01"} {
		f.Add(text)
	}

	f.Fuzz(func(t *testing.T, text string) {
		day, err := client.ParseDay(text)
		if err != nil {
			return
		}

		if len(text) != 10 || client.FormatDay(day) != text || day.Location() != time.UTC {
			t.Errorf("%q is %v", text, day)
		}
	})
}

func TestWire_kindsAreThreeAndSelectedByAParameterOfTheirOwn(t *testing.T) {
	t.Parallel()
	for values, ok := range map[string]bool{"": true, "P,S,E": true, " a , b , c ": true, "a,b": false, "a,b,c,d": false, "a,a,b": false, "a,,b": false, "a, ,b": false} {
		if err := (client.Wire{ExportKindValues: values}).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", values, err)
		}
	}
	for name, ok := range map[string]bool{"": true, "kind": true, "utcDate": false, "UTCDATE": false, "apiSecretToken": false, "apisecrettoken": false} {
		if err := (client.Wire{ExportKindParameter: name}).Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestShownID_withoutThePersonOfTheCall(t *testing.T) {
	t.Parallel()

	for id, want := range map[string]string{
		"req-1":                    "req-1",
		"Customer-4711":            "[redacted]",
		"del-customer-4711/2":      "del-[redacted]/2",
		"del-customer%2D4711":      "del-[redacted]",
		"ZGVsOmN1c3RvbWVyLTQ3MTE=": "[redacted]=",
		"bob@example.org":          "[redacted]",
	} {
		if got := client.ShownID(id, "customer-4711"); got != want {
			t.Errorf("%q is shown as %q, want %q", id, got, want)
		}
	}
}

const allClauses = `"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true`

func TestAnswer_classOfWhatIsNot(t *testing.T) {
	t.Parallel()

	const none = transport.ErrorClass("")
	consents := map[string]transport.ErrorClass{
		"":                                    transport.ClassEmpty,
		`null`:                                transport.ClassNotFound,
		`{"manual":1,"manual":2}`:             transport.ClassPayload,
		"{" + allClauses + ",\"x\":\"\xff\"}": transport.ClassPayload,
		`{"message":"nobody"}`:                transport.ClassPayload,
		`{"error":"no"}`:                      transport.ClassRejected,
		"\uFEFF{" + allClauses + `}`:          none,
		" \r\n{" + allClauses + "}\r\n":       none,
	}
	lists := map[string]transport.ErrorClass{
		"": transport.ClassEmpty, "{}": transport.ClassPayload, "null": transport.ClassPayload, `{"error":{"code":"E"}}`: transport.ClassRejected, "[]": none,
	}

	for operation, bodies := range map[string]map[string]transport.ErrorClass{mockserver.OpGetConsent: consents, mockserver.OpListPendingRequests: lists} {
		for body, class := range bodies {
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				service.Inject(mockserver.Fault{Operation: operation, Status: 200, Body: []byte(body), Times: -1})
				_, err := c.GetConsent(t.Context(), scope, person)
				if operation == mockserver.OpListPendingRequests {
					_, err = c.ListPending(t.Context(), scope)
				}
				if class != none {
					_ = wantClass(t, err, class)
				} else if err != nil {
					t.Errorf("%q: %v", body, err)
				}
			}, useSecretKey)
		}
	}
}

// A name of a member that has the form of a field's name is not shown if it is the person.
func TestAnswer_problemsAreRedacted(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(`{"owner":{"plan":"gold"}}`)})
		_, err := c.GetProfile(t.Context(), scope, "owner", map[string]jsontext.Value{"plan": jsontext.Value(`"gold"`)})
		if e := wantClass(t, err, transport.ClassPayload); strings.Contains(e.Error(), "owner") || !strings.Contains(e.Detail, "wire.profile_member") {
			t.Errorf("the error is %v", e)
		}
	}, useSecretKey)
}

func TestAnswer_loginThatMakesAToken(t *testing.T) {
	t.Parallel()
	for status, ok := range map[int]bool{200: true, 201: true, 202: false, 206: false} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			const token = "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmVk"
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: status, Body: []byte(`{"token":"` + token + `"}`)})
			got, _, err := c.NewSessionToken(t.Context())
			if (err == nil) != ok || ok && got != token {
				t.Errorf("a token under %d is %q, %v", status, got, err)
			}
		})
	}
}

// TestChange_statusOfWhatIsNotDone has 206, which is no success of a change, and 425 (RFC 8470),
// after which nothing was carried out: the change is sent again, and nothing is read back.
func TestChange_statusOfWhatIsNotDone(t *testing.T) {
	t.Parallel()

	for operation, change := range changes() {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: operation, Status: 425, Times: 7})
			if e := wantClass(t, change(t.Context(), c), transport.ClassServer); e.Ambiguous {
				t.Errorf("%s: what was not carried out is called ambiguous", operation)
			}
			wantCount(t, service, operation, client.DefaultMaxRetries+1)

			noError(t, change(t.Context(), c))
			wantCount(t, service, "", 8)

			service.Inject(
				mockserver.Fault{Operation: operation, Status: 206, Body: []byte(`{"id":"1"}`), Times: -1},
				mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 403, Times: -1})
			_ = wantClass(t, change(t.Context(), c), transport.ClassPayload, transport.ClassUnknownOutcome)
			wantCount(t, service, operation, 9)
		}, useSecretKey)
	}
}

func TestLogin_failureIsTheSameForAllCallers(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 500, Times: -1},
			mockserver.Fault{Operation: mockserver.OpGetConsent, Times: -1, Delay: 95 * time.Second},
		)

		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Skip: 1, Status: 400, Times: -1, Body: []byte("{}")})
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				_, err := c.UpdateConsent(t.Context(), scope, strings.Repeat("x", i+1), allTrue())
				e, _ := errors.AsType[*transport.Error](err)
				if e.Operation == "Log in" && e.Attempts != 1 {
					t.Errorf("%s: %d attempts", e.Operation, e.Attempts)
				}
			})
		}

		wg.Wait()
	}, func(s *mocktest.Instance, cfg *client.Config) {
		cfg.RequestTimeout = 5 * time.Minute
		s.Claims = func(now time.Time) map[string]any { return map[string]any{"iat": now.Unix(), "exp": now.Unix() + 100} }
	})
}

func TestSecrets_whatTheServiceNamesBesidesItsMessage(t *testing.T) {
	t.Parallel()

	key := "canary" + strings.Repeat("0123456789abcdef", 8)
	for name, header := range map[string]http.Header{
		"media type":      {"Content-Type": {"application/x-" + key}},
		"redirect host":   {"Location": {"https://" + key + ".example.com/"}},
		"redirect scheme": {"Location": {key + "://localhost/"}},
		"page":            {"Content-Type": {"text/html"}},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.AllowViolations()
			status := map[bool]int{true: 301, false: 200}[header.Get("Location") != ""]
			page := []byte("<p>no</p>")
			if name == "page" { // the key begins before the end of what is read
				page = []byte("<!--" + strings.Repeat("x", transport.LimitError-len("<!---->")-40) + "-->" + key)
			}

			service.Inject(
				mockserver.Fault{Operation: mockserver.OpExportRecords, Status: status, Header: header, Body: page, Times: -1},
				mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: max(status, 301), Header: header, Body: page, Times: -1})

			_, err := export(t.Context(), t, c, &received{})
			_, other := c.CurrentUser(t.Context())
			for _, err := range []error{err, other} {
				if err == nil || strings.Contains(err.Error(), "canary") {
					t.Errorf("%s: the error is %v", name, err)
				}
			}
		}, func(service *mocktest.Instance, cfg *client.Config) {
			service.AddSecretKey(key)
			cfg.Credentials = transport.Credentials{APISecretKey: key}
		})
	}
}

// The body of an update of a profile is what the user wrote, and may be long.
func TestUpdateProfile_tooLargeNamesTheAttribute(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: http.StatusRequestEntityTooLarge})
		_, err := c.UpdateProfile(t.Context(), scope, person, nil)
		if e := wantClass(t, err, transport.ClassRequestTooLarge); e.Attribute != "profile" {
			t.Errorf("the attribute is %q", e.Attribute)
		}
	}, useSecretKey)
}
