// SPDX-License-Identifier: MPL-2.0

package client_test

import (
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
