// SPDX-License-Identifier: MPL-2.0

package session_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const name = "analytics_current_user"

func TestCurrentUser_eitherKindOfCredentials(t *testing.T) {
	t.Parallel()

	service := mocktest.Start(t)
	for label, settings := range map[string]prototest.Attributes{
		"password": prototest.Config(service),
		"key":      {"base_url": service.URL, "api_secret_key": service.SecretKey},
		"token":    {"base_url": service.URL, "token": service.IssueToken(service.Email)},
	} {
		p := prototest.MustStart(t, settings)
		read, diags := p.ReadData(name, prototest.Attributes{})
		p.NoErrors(diags)
		if text, _ := read["json"].(string); !strings.HasPrefix(text, "{") {
			t.Errorf("%s: the user is %q", label, text)
		}
	}
}

func TestCurrentUser_answerThatIsNoUserIsAnError(t *testing.T) {
	t.Parallel()

	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service))
	for words, fault := range map[string]mockserver.Fault{
		"Not JSON (text/html)":      {Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>Sign in</p>")},
		"Empty response":            {Status: 204},
		"rejected the request":      {Body: []byte(`{"error":"no"}`)},
		"Endpoint not found, check": {Status: 404, Body: []byte("<p>nginx</p>")},
	} {
		fault.Operation = mockserver.OpGetCurrentUser
		service.Inject(fault)
		_, diags := p.ReadData(name, prototest.Attributes{})
		prototest.WantText(t, diags.Errors(), words)
	}
}
