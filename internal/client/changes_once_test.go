// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

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
