// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestToken_answerWithoutAJWTIsNotShown(t *testing.T) {
	t.Parallel()

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
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: 200, Body: []byte(body), Times: -1})
			_, err := c.CurrentUser(t.Context())
			e := wantClass(t, err, transport.ClassLoginAnswer)
			if strings.Contains(e.Error(), "canary") {
				t.Errorf("%s: the answer is shown: %v", name, e)
			}

			wantCount(t, service, mockserver.OpLogin, 1)
		})
	}
}

func TestToken_itsClockPlaysNoPart(t *testing.T) {
	t.Parallel()

	hour := time.Hour.Seconds()
	for name, tc := range map[string]struct {
		claims func(time.Time) map[string]any
		logins int // in 100 minutes
		notice bool
	}{
		"exp in the past": {func(now time.Time) map[string]any { return map[string]any{"exp": now.Unix() - 500} }, 2, false},
		"a day behind": {func(now time.Time) map[string]any {
			at := now.Unix() - 86400
			return map[string]any{"iat": at, "exp": at + int64(hour)}
		}, 2, true},
		"a day ahead": {func(now time.Time) map[string]any {
			at := now.Unix() + 86400
			return map[string]any{"iat": at, "exp": at + int64(hour)}
		}, 2, true},
		"four minutes off": {func(now time.Time) map[string]any {
			at := now.Unix() - 240
			return map[string]any{"iat": at, "exp": at + int64(hour)}
		}, 2, false},
		"exp before iat":        {func(now time.Time) map[string]any { return map[string]any{"iat": now.Unix(), "exp": now.Unix() - 1} }, 2, false},
		"half an hour":          {func(now time.Time) map[string]any { return map[string]any{"iat": now.Unix(), "exp": now.Unix() + 1800} }, 4, false},
		"no claims":             {func(time.Time) map[string]any { return map[string]any{} }, 2, false},
		"claims of other types": {func(time.Time) map[string]any { return map[string]any{"iat": "now", "exp": true} }, 2, false},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Claims = tc.claims
			service.PutConsent(serverScope, person, mockserver.ConsentRecord{})

			for range 100 {
				_, err := c.GetConsent(t.Context(), scope, person)
				noError(t, err)
				<-time.After(time.Minute)
			}

			if got := service.Count(mockserver.OpLogin); got != tc.logins {
				t.Errorf("%s: %d logins, want %d", name, got, tc.logins)
			}

			notices := c.Notices()
			if (len(notices) > 0) != tc.notice {
				t.Errorf("%s: the notices are %q", name, notices)
			}

			if len(c.Notices()) != 0 {
				t.Errorf("%s: a notice is given twice", name)
			}
		})
	}
}
