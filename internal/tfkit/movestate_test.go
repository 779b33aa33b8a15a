// SPDX-License-Identifier: MPL-2.0

package tfkit_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const (
	consentType = "analytics_consent"
	profileType = "analytics_profile"
)

// The scope of the fixtures.
var (
	movedScope   = mockserver.Scope{OrgID: "example-org", ProjectID: "example-project"}
	fixtureScope = prototest.Attributes{"org_id": "example-org", "project_id": "example-project"}
)

// source returns a restful_resource with a path.
func source(path string) prototest.Source {
	attributes, _ := json.Marshal(map[string]any{"id": path, "body": "secret-body"}) //nolint:errchkjson // a map of strings
	return prototest.Source{Type: "restful_resource", Provider: "registry.terraform.io/magodo/restful", SchemaVersion: 2, Attributes: attributes}
}

// TestMoveState_ofGenericProviders moves what both providers have left in state. Neither a body
// nor a credential of the other provider, nor a member of a profile, gets into state.
func TestMoveState_ofGenericProviders(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"restful", "restapi"} {
		text, err := os.ReadFile("testdata/" + provider + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var sources map[string]prototest.Source
		if err := json.Unmarshal(text, &sources); err != nil {
			t.Fatal(err)
		}

		for what, name := range map[string]string{"consent": consentType, "profile": profileType} {
			t.Run(what+" of "+provider, func(t *testing.T) {
				t.Parallel()
				prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
					p.Reconfigure(prototest.Config(service).With(fixtureScope))
					service.PutConsent(movedScope, ada, mockserver.ConsentRecord{Clauses: [5]bool{true}, AgreementTime: "2026-01-10T08:00:00Z"})
					service.PutProfile(movedScope, ada, `{"plan":"gold","phone":"secret-phone"}`)

					state, diags := p.Move(sources[what], name)
					p.NoErrors(diags)
					for attribute, want := range fixtureScope.With(prototest.Attributes{"identity_id": ada, "account_id": nil, "on_destroy": "retain"}) {
						if state.Attributes[attribute] != want {
							t.Errorf("%s is %v, want %v", attribute, state.Attributes[attribute], want)
						}
					}
					moved := fmt.Sprint(state.Attributes, string(state.Private))
					state, _ = p.MustRefresh(name, state)
					for _, foreign := range []string{"invented-key", "gold", "secret-phone"} {
						if strings.Contains(moved+fmt.Sprint(state.Attributes, string(state.Private)), foreign) {
							t.Errorf("state has taken over %q", foreign)
						}
					}

					config := identified[name]
					if what == "profile" { // the next apply writes the members that are configured
						config = config.With(prototest.Attributes{"wait_for_fulfilment": false})
						state, diags = p.Update(name, state, config)
						p.NoErrors(diags)
						service.FulfilAll()
						state, _ = p.MustRefresh(name, state)
					}
					p.WantEmptyPlan(name, state, config)
					if held, _ := service.Profile(movedScope, ada); held["plan"] != "gold" || held["phone"] != "secret-phone" || service.Count(mockserver.OpUpdateConsent) != 0 {
						t.Errorf("%d consents were written, and the service holds %v", service.Count(mockserver.OpUpdateConsent), held)
					}
				})
			})
		}
	}
}

// TestMoveState_paths moves paths of people. Terraform says of every other object that it cannot be
// moved, and the provider why a person cannot be. No message quotes what is in state.
func TestMoveState_paths(t *testing.T) {
	t.Parallel()
	const unsupported = "does not include support for the given source resource"
	person := source("/v1/org/o/project/p/compliance/user/secret-person/consent")
	foreign, other, broken := person, person, person
	foreign.Provider = "registry.terraform.io/example/restful2"
	other.Type = "restful_operation"
	broken.Attributes = json.RawMessage(`{"id":["secret-person"]}`)
	p := prototest.MustStart(t, prototest.Config(mocktest.Start(t)))

	for what, tc := range map[string]struct {
		from prototest.Source
		want string // the scope and the person, or what the error says
	}{
		"encoded":          {source("/v1/org/o/project/p/compliance/user/jane%20doe/consent"), "o p  jane doe"},
		"not encoded":      {source("v1/org/o/project/p/compliance/user/a+b@example.com/consent/"), "o p  a+b@example.com"},
		"with a host":      {source("https://analytics.example.com/api/v1/org/v1/project/v1/compliance/user/u/consent"), "v1 v1  u"},
		"an account":       {source("/v1/account/acct%2F7/compliance/user/u/consent?apiSecretToken=x#y"), "  acct/7 u"},
		"another provider": {foreign, unsupported},
		"another type":     {other, unsupported},
		"a profile":        {source("/v1/org/o/project/p/compliance/user/secret-person/profile"), unsupported},
		"another path":     {source("/v2/users/secret-person/consent"), unsupported},
		"no text":          {broken, unsupported},
		"too many parts":   {source("/v1/org/o/project/p/compliance/user/secret-person/x/consent"), unsupported},
		"bad encoding":     {source("/v1/org/o/project/p/compliance/user/secret-person%zz/consent"), "cannot be used: a percent sign in part 3"},
		"a parent":         {source("/v1/org/../project/p/compliance/user/secret-person/consent"), "cannot be used: org_id"},
		"not NFC":          {source("/v1/account/a/compliance/user/secret-e\u0301/consent"), "cannot be used: identity_id is not in the Unicode form NFC"},
	} {
		state, diags := p.Move(tc.from, consentType)
		if text := strings.Join(diags.Errors(), " "); text != "" {
			if !strings.Contains(text, tc.want) || strings.Contains(text, "secret-") {
				t.Errorf("%s: the error is %q", what, text)
			}
			continue
		}

		for where, values := range map[string]prototest.Attributes{"state": state.Attributes, "identity": state.Identity} {
			text := func(name string) string { s, _ := values[name].(string); return s }
			if got := strings.Join([]string{text("org_id"), text("project_id"), text("account_id"), text("identity_id")}, " "); got != tc.want {
				t.Errorf("%s becomes %q in the %s, want %q", what, got, where, tc.want)
			}
		}
	}
}
