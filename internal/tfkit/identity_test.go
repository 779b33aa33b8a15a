// SPDX-License-Identifier: MPL-2.0

package tfkit_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

const (
	consentType = "analytics_consent"
	profileType = "analytics_profile"
	ada         = "ada@example.com"
)

// identified are the resources that have an identity, with a configuration of each.
var identified = map[string]prototest.Attributes{
	consentType: {
		"identity_id": ada, "agreement_time": "2026-01-10T08:00:00Z",
		"clause_1_consent": true, "clause_2_consent": false, "clause_3_consent": false, "clause_4_consent": false, "clause_5_consent": false,
	},
	profileType: {"identity_id": ada, "profile": `{"plan":"gold"}`},
}

// scopes are the scopes of a provider block or an object.
var scopes = map[string]prototest.Attributes{
	"demo":    {"org_id": mocktest.Org, "project_id": mocktest.Project, "account_id": nil},
	"two":     {"org_id": "org-two", "project_id": "shop", "account_id": nil},
	"account": {"org_id": nil, "project_id": nil, "account_id": "acct-7"},
	"moved":   {"org_id": "example-org", "project_id": "example-project", "account_id": nil}, // of the fixtures
}

// identityIn returns the identity of Ada in a scope; without a scope if that is empty.
func identityIn(scope string) prototest.Attributes {
	return prototest.Attributes{"identity_id": ada}.With(scopes[scope])
}

// serviceScope returns a scope as one of the mock server.
func serviceScope(name string) mockserver.Scope {
	text := func(attribute string) string { s, _ := scopes[name][attribute].(string); return s }
	return mockserver.Scope{OrgID: text("org_id"), ProjectID: text("project_id"), AccountID: text("account_id")}
}

// putAda stores Ada's consent and profile at the service, as they are configured.
func putAda(service *mocktest.Instance, scope string) {
	service.PutConsent(serviceScope(scope), ada, mockserver.ConsentRecord{Clauses: [5]bool{true}, AgreementTime: "2026-01-10T08:00:00Z"})
	service.PutProfile(serviceScope(scope), ada, `{"plan":"gold"}`)
}

// identifiedObject is an object of a resource that has an identity, in a provider whose scope is "demo".
type identifiedObject struct {
	*prototest.Provider
	service *mocktest.Instance
	name    string
	config  prototest.Attributes
}

// forEachIdentified runs a test for each resource that has an identity. Waiting for a profile takes no time
// in its bubble.
func forEachIdentified(t *testing.T, label string, test func(t *testing.T, o identifiedObject)) {
	t.Helper()
	for name, config := range identified {
		t.Run(label+name, func(t *testing.T) {
			t.Parallel()
			prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
				test(t, identifiedObject{p, service, name, config})
			})
		})
	}
}

// setScope changes the scope of the provider block; empty for none.
func (o identifiedObject) setScope(scope string) {
	o.Reconfigure(prototest.Config(o.service).Without("org_id", "project_id").With(scopes[scope]))
}

// wantIdentity fails the test if an object does not have the identity of Ada in a scope, or
// its attributes say anything else.
func wantIdentity(t *testing.T, state *prototest.State, scope string) {
	t.Helper()
	if diff := cmp.Diff(identityIn(scope), state.Identity); diff != "" {
		t.Errorf("identity (-want +got):\n%s", diff)
	}
	for attribute, want := range identityIn(scope) {
		if state.Attributes[attribute] != want {
			t.Errorf("%s in state is %v, want %v", attribute, state.Attributes[attribute], want)
		}
	}
}

// TestIdentity_movesOnlyByAPlanThatSaysSo refreshes an object whose state has no identity, and then
// plans it with other scopes in the provider block: the plan replaces it, with a warning. Without a
// scope nothing is planned, and neither is it in the apply of a plan for another scope. No refresh
// changes a stored identity: the framework's error about that would show both.
func TestIdentity_movesOnlyByAPlanThatSaysSo(t *testing.T) {
	t.Parallel()
	forEachIdentified(t, "", func(t *testing.T, o identifiedObject) {
		created, _ := o.MustUpdate(o.name, nil, o.config)
		older := &prototest.State{Attributes: created.Attributes, Private: created.Private}
		state, _ := o.MustRefresh(o.name, older)
		wantIdentity(t, state, "demo")
		if diff := cmp.Diff(older.Attributes, state.Attributes); diff != "" {
			t.Errorf("the refresh changes attributes (-before +after):\n%s", diff)
		}

		o.setScope("account")
		state, _ = o.MustRefresh(o.name, state)
		wantIdentity(t, state, "demo")
		_, diags := o.Plan(o.name, state, o.config)
		prototest.WantText(t, diags.Warnings(), "The scope of the provider has changed", `org_id = "org-demo"`, `account_id = "acct-7"`)
		o.WantEmptyPlan(o.name, state, o.config.With(scopes["demo"]))
		state, diags = o.Replace(o.name, state, o.config)
		o.NoErrors(diags)
		wantIdentity(t, state, "account")

		o.setScope("")
		_, diags = o.Plan(o.name, state, o.config)
		prototest.WantText(t, diags.Errors(), "No usable scope")
		o.setScope("two") // nothing is read before, as in the apply of a saved plan
		_, diags = o.Plan(o.name, state, o.config)
		prototest.WantText(t, diags.Errors(), "The plan is for another scope", "Nothing was sent", "In state now")
		moved, _ := o.Plan(o.name, state, o.config.With(scopes["two"]))
		if len(moved.Replace) == 0 {
			t.Error("a scope of its own does not replace the object")
		}

		putAda(o.service, "two")
		imported, diags := o.Import(o.name, "", identityIn("account"))
		o.NoErrors(diags)
		wantIdentity(t, imported, "account")
		imported, diags = o.Import(o.name, "", identityIn(""))
		o.NoErrors(diags)
		wantIdentity(t, imported, "two")
	})
}

// TestIdentity_ofAScopeThatIsNotKnown plans a scope of its own that is not known, and turns out to be null,
// and one of the provider that is not known: what is planned later must not contradict the first plan, and an
// object stays where it is.
func TestIdentity_ofAScopeThatIsNotKnown(t *testing.T) {
	t.Parallel()
	forEachIdentified(t, "", func(t *testing.T, o identifiedObject) {
		for scope, unknown := range map[string]prototest.Attributes{
			"demo":    {"account_id": prototest.Unknown},
			"account": {"org_id": prototest.Unknown, "project_id": prototest.Unknown},
		} {
			o.setScope(scope)
			first, _ := o.MustPlan(o.name, nil, o.config.With(unknown))
			known, _ := o.MustPlan(o.name, nil, o.config)
			for attribute := range scopes[scope] {
				if got := first.Attributes[attribute]; got != prototest.Unknown && got != known.Attributes[attribute] {
					t.Errorf("%s is planned as %v, and then as %v", attribute, got, known.Attributes[attribute])
				}
			}
		}

		state, _ := o.MustUpdate(o.name, nil, o.config)
		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"org_id": prototest.Unknown}))
		o.WantEmptyPlan(o.name, state, o.config)
		first, _ := o.MustPlan(o.name, nil, o.config)
		for attribute := range scopes["account"] {
			if first.Attributes[attribute] != prototest.Unknown {
				t.Errorf("%s is planned as %v while the provider's scope is not known", attribute, first.Attributes[attribute])
			}
		}
	})
}

// TestIdentity_importThatIsRefusedLeavesNothing imports identities that cannot exist, and one in a
// provider without a scope. No message quotes a value.
func TestIdentity_importThatIsRefusedLeavesNothing(t *testing.T) {
	t.Parallel()
	forEachIdentified(t, "", func(t *testing.T, o identifiedObject) {
		refused := func(given prototest.Attributes, says ...string) {
			state, diags := o.Import(o.name, "", prototest.Attributes{"identity_id": "secret-person"}.With(given))
			prototest.WantText(t, diags.Errors(), says...)
			if state != nil || strings.Contains(strings.Join(diags.Errors(), " "), "secret-") {
				t.Errorf("%v left %v, and the error is %v", given, state, diags.Errors())
			}
		}

		for _, tc := range []struct {
			says  string
			given prototest.Attributes
		}{
			{"either org_id and project_id", prototest.Attributes{"org_id": "secret-org"}},
			{"either org_id and project_id", prototest.Attributes{"project_id": "secret-project", "account_id": "secret-account"}},
			{"either org_id and project_id", prototest.Attributes{"account_id": ""}},
			{"identity_id is empty", prototest.Attributes{"identity_id": nil, "account_id": "secret-account"}},
			{"U+0000", prototest.Attributes{"org_id": "secret-org\x00", "project_id": "secret-project"}},
		} {
			refused(tc.given, "Unusable import identity", tc.says, "Accepted forms", "nothing; the import was not begun")
		}

		o.setScope("")
		refused(nil, "No usable scope", "org_id")
		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"org_id": prototest.Unknown, "project_id": prototest.Unknown}))
		refused(nil, "Provider configuration not known yet", "org_id")
		if n := o.service.Count(""); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
}

// source is an object in the state of another provider.
type source struct {
	Type, Provider string
	SchemaVersion  int64 `json:"schema_version"`
	Attributes     json.RawMessage
}

// restful returns a restful_resource with a path.
func restful(path string) source {
	attributes, _ := json.Marshal(map[string]any{"id": path, "body": "secret-body"}) //nolint:errchkjson // a map of strings
	return source{Type: "restful_resource", Provider: "registry.terraform.io/magodo/restful", SchemaVersion: 2, Attributes: attributes}
}

// moved moves an object to a resource of ours, as a moved block does.
func moved(p *prototest.Provider, from source, name string) (*prototest.State, prototest.Diagnostics) {
	return p.Move(&tfprotov6.MoveResourceStateRequest{
		SourceProviderAddress: from.Provider, SourceTypeName: from.Type, SourceSchemaVersion: from.SchemaVersion,
		SourceState: &tfprotov6.RawState{JSON: from.Attributes}, TargetTypeName: name,
	})
}

// TestMoveState_ofGenericProviders moves what both providers have left in state. Neither a body
// nor a credential of the other provider, nor a member of a profile, gets into state.
func TestMoveState_ofGenericProviders(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"restful", "restapi"} {
		forEachIdentified(t, provider+" to ", func(t *testing.T, o identifiedObject) {
			var sources map[string]source
			text, err := os.ReadFile("testdata/" + provider + ".json")
			if err := errors.Join(err, json.Unmarshal(text, &sources)); err != nil {
				t.Fatal(err)
			}
			o.setScope("moved")
			putAda(o.service, "moved")
			o.service.PutProfile(serviceScope("moved"), ada, `{"plan":"gold","phone":"secret-phone"}`)

			object, diags := moved(o.Provider, sources[strings.TrimPrefix(o.name, "analytics_")], o.name)
			o.NoErrors(diags)
			wantIdentity(t, object, "moved")
			state, _ := o.MustRefresh(o.name, object)
			for _, foreign := range []string{"invented-key", "gold", "secret-phone"} {
				if strings.Contains(fmt.Sprint(object, string(object.Private), state, string(state.Private)), foreign) {
					t.Errorf("state has taken over %q", foreign)
				}
			}

			if o.name == profileType { // the next apply writes the members that are configured
				o.config = o.config.With(prototest.Attributes{"wait_for_fulfilment": false})
				state, _ = o.MustUpdate(o.name, state, o.config)
				o.service.FulfilAll()
				state, _ = o.MustRefresh(o.name, state)
			}
			o.WantEmptyPlan(o.name, state, o.config)
			if held, _ := o.service.Profile(serviceScope("moved"), ada); held["plan"] != "gold" || held["phone"] != "secret-phone" || o.service.Count(mockserver.OpUpdateConsent) != 0 {
				t.Errorf("%d consents were written, and the service holds %v", o.service.Count(mockserver.OpUpdateConsent), held)
			}
		})
	}
}

// An apply with -refresh=false knows nothing of what the service holds. It writes over an earlier choice,
// and not over a refusal without a time.
func TestMoveState_withoutARefreshIsWritten(t *testing.T) {
	t.Parallel()
	prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
		for at, want := range map[string][5]bool{"2025-01-10T08:00:00Z": {true}, "": {}} {
			service.PutConsent(serviceScope("demo"), ada, mockserver.ConsentRecord{AgreementTime: at})
			state, diags := moved(p, restful("/v1/org/org-demo/project/web/compliance/user/ada@example.com/consent"), consentType)
			p.NoErrors(diags)
			p.NewRun()
			_, diags = p.Update(consentType, state, identified[consentType])
			p.NoErrors(diags)
			if record, _ := service.Consent(serviceScope("demo"), ada); record.Clauses != want {
				t.Errorf("the service holds %v", record)
			}
		}
	})
}

// TestMoveState_paths moves paths of people. Terraform says of every other object that it cannot be
// moved, and the provider why a person cannot be. No message quotes what is in state.
func TestMoveState_paths(t *testing.T) {
	t.Parallel()
	const unsupported = "does not include support for the given source resource"
	foreign := restful("/v1/org/o/project/p/compliance/user/secret-person/consent")
	foreign.Provider = "registry.terraform.io/example/restful2"
	p := prototest.MustStart(t, prototest.Config(mocktest.Start(t)))

	for _, tc := range []struct {
		from source
		want string // the scope and the person, or what the error says
	}{
		{restful("/v1/org/o/project/p/compliance/user/jane%20doe/consent"), "o p  jane doe"},
		{restful("v1/org/o/project/p/compliance/user/a+b@example.com/consent/"), "o p  a+b@example.com"},
		{restful("https://analytics.example.com/api/v1/org/v1/project/v1/compliance/user/u/consent"), "v1 v1  u"},
		{restful("/v1/account/acct%2F7/compliance/user/u/consent?apiSecretToken=x#y"), "  acct/7 u"},
		{foreign, unsupported},
		{restful("/v1/org/o/project/p/compliance/user/secret-person/profile"), unsupported},
		{restful("/v2/users/secret-person/consent"), unsupported},
		{restful("/v1/org/o/project/p/compliance/user/secret-person/x/consent"), unsupported},
		{restful("/v1/org/o/project/p/compliance/user/secret-person%zz/consent"), "cannot be used: a percent sign in part 3"},
		{restful("/v1/org/../project/p/compliance/user/secret-person/consent"), "cannot be used: org_id"},
		{restful("/v1/account/%2E%2E/compliance/user/secret-person/consent"), "put the block of the restful_resource back"},
	} {
		state, diags := moved(p, tc.from, consentType)
		if text := strings.Join(diags.Errors(), " "); text != "" {
			if !strings.Contains(text, tc.want) || strings.Contains(text, "secret-") {
				t.Errorf("%s: the error is %q", tc.from.Attributes, text)
			}
			continue
		}

		for where, values := range map[string]prototest.Attributes{"state": state.Attributes, "identity": state.Identity} {
			text := func(name string) string { s, _ := values[name].(string); return s }
			if got := strings.Join([]string{text("org_id"), text("project_id"), text("account_id"), text("identity_id")}, " "); got != tc.want {
				t.Errorf("%s becomes %q in the %s, want %q", tc.from.Attributes, got, where, tc.want)
			}
		}
	}
}
