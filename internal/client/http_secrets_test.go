// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// quoting returns the error and the heads of a read that is answered with 403 and a message.
func quoting(t *testing.T, message string, change ...option) string {
	t.Helper()

	var shown string
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		body, _ := json.Marshal(map[string]string{"message": message})
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: http.StatusForbidden, Body: body})
		_, err := c.CurrentUser(t.Context())
		shown = wantClass(t, err, transport.ClassForbidden).Error()
	}, change...)

	return shown
}

func TestSecrets_tokenOfTheLoginInAnyForm(t *testing.T) {
	t.Parallel()

	// A header with blanks does not begin like those of most tokens.
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{ "alg":"HS256"}`)) + "." + encode([]byte(`{ "sub":"canary"}`)) + "." + encode([]byte("a signature of 32 bytes, or more."))
	parts := strings.Split(token, ".")

	for name, message := range map[string]string{
		"as it is":    token,
		"in capitals": strings.ToUpper(token),
		"payload":     parts[1],
		"signature":   parts[2],
	} {
		login := func(service *mocktest.Instance, _ *client.Config) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: http.StatusOK, Body: []byte(`{"token":"` + token + `"}`)})
		}
		given := func(_ *mocktest.Instance, cfg *client.Config) { cfg.Credentials = transport.Credentials{Token: token} }
		for way, option := range map[string]option{"login": login, "given": given} {
			shown := quoting(t, "unknown token "+message, option)
			if strings.Contains(shown, message) || !strings.Contains(shown, "unknown token [redacted]") {
				t.Errorf("%s, %s: the error is %q", way, name, shown)
			}
		}
	}
}

func TestSecrets_partsOfHeaderValues(t *testing.T) {
	t.Parallel()

	basic := base64.StdEncoding.EncodeToString([]byte("gate:pass-canary"))
	for value, secret := range map[string]string{
		"whole-canary":               "whole-canary",
		"Token tok_canary":           "tok_canary",
		"a=1; session=canary-2; b=3": "canary-2",
		`key="canary-quoted"`:        "canary-quoted",
		"Basic " + basic:             "pass-canary",
	} {
		headers := func(_ *mocktest.Instance, cfg *client.Config) { cfg.Headers = map[string]string{"X-Gateway": value} }
		shown := quoting(t, "the value "+secret+" is unknown", useSecretKey, headers)
		if strings.Contains(shown, "canary") || !strings.Contains(shown, "the value [redacted] is unknown") {
			t.Errorf("%q: the error is %q", value, shown)
		}
	}
}

func TestSecrets_whatTheServiceNamesBesidesItsMessage(t *testing.T) {
	t.Parallel()

	key := "canary" + strings.Repeat("0123456789abcdef", 8)
	for name, header := range map[string]http.Header{
		"media type":      {"Content-Type": {"application/x-" + key}},
		"redirect host":   {"Location": {"https://" + key + ".example.com/"}},
		"redirect scheme": {"Location": {key + "://localhost/"}},
		"page":            {"Content-Type": {"text/html"}},
		"shorter page":    {"Content-Type": {"text/html"}},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.AllowViolations()
			status := map[bool]int{true: 301, false: 200}[header.Get("Location") != ""]
			page := []byte("<p>no</p>")
			if size := map[string]int{"page": transport.LimitError, "shorter page": 4096}[name]; size > 0 { // the key begins before it and ends behind
				page = []byte("<!--" + strings.Repeat("x", size-len("<!---->")-40) + "-->" + key)
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
