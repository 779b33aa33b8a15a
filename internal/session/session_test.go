// SPDX-License-Identifier: MPL-2.0

package session_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	currentUser  = "analytics_current_user"
	sessionToken = "analytics_session_token"
)

// TestCurrentUser_ofEveryCredential reads the user, and then an error with a status of success.
func TestCurrentUser_ofEveryCredential(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	for _, settings := range []prototest.Attributes{
		prototest.Config(service),
		{"base_url": service.URL, "api_secret_key": service.SecretKey},
		{"base_url": service.URL, "token": service.IssueToken(service.Email)},
	} {
		p := prototest.MustStart(t, settings)
		read, diags := p.ReadData(currentUser, prototest.Attributes{})
		if text, _ := read["json"].(string); len(diags) > 0 || !strings.Contains(text, service.Email) && settings["api_secret_key"] == nil {
			t.Errorf("the user is %q, with %v", text, diags.Errors())
		}

		service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Body: []byte(`{"error":"no"}`)})
		_, diags = p.ReadData(currentUser, prototest.Attributes{})
		prototest.WantText(t, diags.Errors(), "rejected the request", "this was only read")
	}
}

// TestSessionToken_isFreshEachTime opens tokens beside the one that the provider has.
func TestSessionToken_isFreshEachTime(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service))
	_, diags := p.ReadData(currentUser, prototest.Attributes{}) // the provider has a token of its own now
	p.NoErrors(diags)

	var tokens [2]string
	for i := range tokens {
		began := time.Now()
		opened, diags := p.Open(sessionToken, prototest.Attributes{})
		p.NoErrors(diags)

		tokens[i], _ = opened["token"].(string)
		_, diags = prototest.MustStart(t, prototest.Attributes{"base_url": service.URL, "token": tokens[i]}).ReadData(currentUser, prototest.Attributes{})
		p.NoErrors(diags)
		expires, _ := opened["expires_at"].(string)
		if at, err := time.Parse(time.RFC3339, expires); err != nil || at.Before(began.Add(59*time.Minute)) || at.After(time.Now().Add(61*time.Minute)) {
			t.Errorf("the token expires at %s", expires)
		}
	}
	if tokens[0] == tokens[1] || service.Count(mockserver.OpLogin) != 3 {
		t.Errorf("the tokens %q came from %d logins", tokens, service.Count(mockserver.OpLogin))
	}

	service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 400, Body: []byte(`{"message":"bad token ` + tokens[1] + `"}`)})
	_, diags = p.ReadData(currentUser, prototest.Attributes{})
	if text := strings.Join(diags.Errors(), " "); !strings.Contains(text, "bad token") || strings.Contains(text, tokens[1]) {
		t.Errorf("the errors are %s", text)
	}
}

// TestSessionToken_refusals holds that nothing is sent without e-mail and password, and that
// the ephemeral resource and the provider's own requests share what a rejected login means.
func TestSessionToken_refusals(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Attributes{"base_url": service.URL, "token": service.IssueToken(service.Email)})
	_, diags := p.Open(sessionToken, prototest.Attributes{})
	prototest.WantText(t, diags.Errors(), "Nothing to log in with", "ANALYTICS_PASSWORD")
	if len(service.Requests()) != 0 {
		t.Error("something was sent")
	}

	p = prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"password": "wrong-password"}))
	for range 3 {
		_, diags = p.Open(sessionToken, prototest.Attributes{})
		prototest.WantText(t, diags.Errors(), "Authentication rejected", "this was only read")
		if strings.Contains(strings.Join(diags.Errors(), " "), "wrong-password") {
			t.Errorf("the password is shown: %q", diags.Errors())
		}
	}
	_, diags = p.ReadData(currentUser, prototest.Attributes{})
	prototest.WantText(t, diags.Errors(), "Authentication rejected")
	if n := service.Count(mockserver.OpLogin); n != 1 {
		t.Errorf("%d logins were tried", n)
	}
}
