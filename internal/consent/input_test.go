// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// TestConsent_refusedConfigurations has values that are refused at their attribute, and never
// repeated.
func TestConsent_refusedConfigurations(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	for _, tc := range []struct {
		attribute string // where the error is
		others    prototest.Attributes
		words     string
	}{
		{"identity_id", prototest.Attributes{"identity_id": ""}, "is empty"},
		{"identity_id", prototest.Attributes{"identity_id": ".."}, "change the path"},
		{"identity_id", prototest.Attributes{"identity_id": "canary\u202e"}, "U+202E"},
		{"identity_id", prototest.Attributes{"identity_id": strings.Repeat("canary", 1400)}, "longer than 8192 bytes"},
		{"org_id", prototest.Attributes{"org_id": "..", "project_id": "p"}, "change the path"},
		{"project_id", prototest.Attributes{"org_id": "o", "project_id": ""}, "is empty"},
		{"account_id", prototest.Attributes{"account_id": " "}, "spaces only"},
		{"org_id", prototest.Attributes{"org_id": "o"}, "project_id"},
		{"project_id", prototest.Attributes{"project_id": "p"}, "org_id"},
		{"account_id", prototest.Attributes{"org_id": "o", "project_id": "p", "account_id": "a"}, "org_id"},
		{"account_id", prototest.Attributes{"org_id": "o", "account_id": "a"}, "org_id"},
		{"user_ipv6", prototest.Attributes{"user_ipv6": "canary"}, "IPv6 or IPv4 address"},
		{"user_ipv6", prototest.Attributes{"user_ipv6": ""}, "IPv6 or IPv4 address"},
		{"user_ipv6", prototest.Attributes{"user_ipv6": "fe80::1%canary"}, "without a zone"},
		{"user_ipv6", prototest.Attributes{"user_ipv6": "192.0.2.7", "user_ipv6_wo": "192.0.2.7", "user_ipv6_wo_version": 1}, "user_ipv6_wo"},
		{"user_ipv6_wo", prototest.Attributes{"user_ipv6_wo": "192.0.2.7"}, "user_ipv6_wo_version"},
		{"user_ipv6_wo", prototest.Attributes{"user_ipv6_wo": "canary", "user_ipv6_wo_version": 1}, "must be an IPv6 or IPv4 address"},
		{"user_ipv6_wo_version", prototest.Attributes{"user_ipv6_wo_version": 1}, "user_ipv6_wo"},
		{"agreement_time", prototest.Attributes{"agreement_time": "canary"}, "RFC 3339"},
		{"agreement_time", prototest.Attributes{"agreement_time": ""}, "RFC 3339"},
		{"agreement_time", prototest.Attributes{"agreement_time": "2026-01-31T12:00:00"}, "RFC 3339"},
		{"on_destroy", prototest.Attributes{"on_destroy": "another"}, "one of"},
	} {
		errors := p.Validate(name, config(tc.others)).Errors()
		prototest.WantText(t, errors, tc.words, `AttributeName("`+tc.attribute+`")`)
		if strings.Contains(strings.Join(errors, "\n"), "canary") {
			t.Errorf("%s: the value is repeated: %s", tc.attribute, errors)
		}
	}

	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestConsent_withoutAnyScopeTheErrorNamesWhatToSet(t *testing.T) {
	t.Parallel()
	p, service := start(t, prototest.Attributes{"org_id": nil, "project_id": nil})
	_, diags := p.Create(name, config(nil))
	prototest.WantText(t, diags.Errors(), "No usable scope", "org_id and project_id", "ANALYTICS_ACCOUNT_ID")
	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestConsent_importTakesEveryDocumentedForm(t *testing.T) {
	t.Parallel()
	for id, want := range soak.SomeOf(2, map[string]struct {
		scope    mockserver.Scope
		identity string
		config   prototest.Attributes
	}{
		"jane.doe@example.com":                {scope, person, nil},
		"org-demo/web/jane.doe@example.com":   {scope, person, nil},
		"org-two/shop/jane.doe%40example.com": {mockserver.Scope{OrgID: "org-two", ProjectID: "shop"}, person, prototest.Attributes{"org_id": "org-two", "project_id": "shop"}},
		"acct-7/user-1001":                    {mockserver.Scope{AccountID: "acct-7"}, "user-1001", prototest.Attributes{"account_id": "acct-7"}},
		"o%2Fx/p%20y/a+b":                     {mockserver.Scope{OrgID: "o/x", ProjectID: "p y"}, "a+b", prototest.Attributes{"org_id": "o/x", "project_id": "p y"}},
	}) {
		t.Run(strings.ReplaceAll(id, "/", "|"), func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			address, yes := "2001:db8::1", true
			service.PutConsent(want.scope, want.identity, mockserver.ConsentRecord{Clauses: configured, UserIPv6: &address, AgreementTime: early, Manual: &yes})
			state, diags := p.Import(name, id)
			p.NoErrors(diags)

			if state.Attributes["identity_id"] != want.identity || state.Attributes["user_ipv6"] != address {
				t.Errorf("imported %v", state.Attributes)
			}

			wantEmptyPlan(t, p, state, config(agreed).With(want.config).With(prototest.Attributes{"identity_id": want.identity}))
			if n := service.Count(mockserver.OpUpdateConsent); n != 0 {
				t.Errorf("%d writes", n)
			}
		})
	}
}

func TestConsent_importRefusesWithTheFormsAndLeavesNothing(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	for _, id := range []string{"", "/", "//", "a/", "/a", "a//b", "a/b/c/d", ".", "..", "o/p/..", "%2e%2e", "%zz", "a/b%", "o/p/%00", "acct-7/%20"} {
		state, diags := p.Import(name, id)
		if state != nil {
			t.Errorf("%q left %v", id, state.Attributes)
		}
		prototest.WantText(t, diags.Errors(), "Unusable import id", "org/project/identity, account/identity, or identity", "org-demo/web/user-1001", "%40")
	}
	if n := service.Count(""); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func FuzzImportIDsReadBackWhatWasWritten(f *testing.F) {
	for _, seed := range []string{"user-1001", "a/b", "%2F", "jane@example.com", "a b", "é", "..."} {
		f.Add("org-demo", "web", seed)
	}

	f.Fuzz(func(t *testing.T, org, project, identity string) {
		for _, part := range []string{org, project, identity} {
			if client.ValidateSegment(part) != nil {
				return
			}
		}

		service := prototest.Attributes{"base_url": "http://localhost:1", "api_secret_key": "k"}
		p := prototest.MustStart(t, service)
		state := p.ImportOnly(name, transport.EscapeSegment(org)+"/"+transport.EscapeSegment(project)+"/"+transport.EscapeSegment(identity))
		if state.Attributes["org_id"] != org || state.Attributes["project_id"] != project || state.Attributes["identity_id"] != identity {
			t.Fatalf("%q %q %q became %v", org, project, identity, state.Attributes)
		}
	})
}
