// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestAuth_presentedAsDocumented(t *testing.T) {
	t.Parallel()

	for want, use := range map[string]func(*mocktest.Instance, *client.Config){
		mockserver.AuthBearer: func(s *mocktest.Instance, cfg *client.Config) {
			cfg.Credentials = transport.Credentials{Token: s.IssueToken(s.Email)}
		},
		mockserver.AuthSecret: useSecretKey,
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			user, err := c.CurrentUser(t.Context())
			noError(t, err)

			if len(user) == 0 {
				t.Error("no user")
			}

			noError(t, update(t.Context(), c))
			for _, r := range service.Requests() {
				if r.Auth != want || r.Header.Get("X-Gateway") != "g 1" || r.Header.Get("User-Agent") != "client-test" || r.Header.Get("Referer") != "" {
					t.Errorf("%s %s: %v", want, r.Auth, r.Header)
				}
			}
		}, use, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Headers = map[string]string{"X-Gateway": "g 1"} })
	}
}

func TestAuth_givenTokenAndKeyAreNeverRenewed(t *testing.T) {
	t.Parallel()
	for name, credentials := range map[string]transport.Credentials{"token": {Token: "eyJhIjoxfQ.e30.c2ln"}, "key": {APISecretKey: "wrong-canary"}} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			_, err := c.CurrentUser(t.Context())
			e := wantClass(t, err, transport.ClassAuthentication)
			if strings.Contains(e.Error(), "canary") {
				t.Errorf("%s: %v", name, e)
			}
			wantCount(t, service, "", 1)
		}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Credentials = credentials })
	}
}

func TestAuth_updateIsReplayedOnceAfter401(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 401})
		noError(t, update(t.Context(), c))
		wantCount(t, service, mockserver.OpLogin, 2)
		wantCount(t, service, mockserver.OpUpdateConsent, 2)
		wantCount(t, service, mockserver.OpGetConsent, 0)
	})
}
