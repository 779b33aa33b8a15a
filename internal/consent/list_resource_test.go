// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// identities returns user-1 to user-n.
func identities(n int) []any {
	var list []any
	for i := range n {
		list = append(list, fmt.Sprintf("user-%d", i+1))
	}
	return list
}

// names returns the identities as the names of results.
func names(identities ...any) (names []string) {
	for _, identity := range identities {
		names = append(names, fmt.Sprint(identity))
	}
	return names
}

// putConsents gives each person a consent record.
func putConsents(service *mocktest.Instance, identities ...any) {
	for _, identity := range identities {
		service.PutConsent(scope, fmt.Sprint(identity), mockserver.ConsentRecord{Clauses: configured, AgreementTime: early})
	}
}

// listOf returns a request for the people with these identities.
func listOf(identities ...any) prototest.ListRequest {
	return prototest.ListRequest{Config: prototest.Attributes{"identity_ids": identities}}
}

// wantNames fails the test unless exactly these people are listed, in this order.
func wantNames(t *testing.T, results prototest.ListResults, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, results.Names()); diff != "" {
		t.Errorf("listed are other people (-want +got):\n%s\n%v", diff, results.Diagnostics().Errors())
	}
}

// wantNobodyNamed fails the test if a diagnostic names a person or holds a path of one.
func wantNobodyNamed(t *testing.T, results prototest.ListResults) {
	t.Helper()
	diags := results.Diagnostics()
	for _, text := range append(diags.Errors(), diags.Warnings()...) {
		if strings.Contains(text, "user-") || strings.Contains(text, person) || strings.Contains(text, "2001:db8") {
			t.Errorf("a diagnostic names a person: %s", text)
		}
	}
}

func TestConsentList_resourceIsWhatAPersonWouldWrite(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	account := mockserver.Scope{AccountID: "acct-7"}
	clauses := prototest.Attributes{"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": false, "clause_4_consent": true, "clause_5_consent": true}

	for label, tc := range soak.SomeOf(2, map[string]struct {
		scope  mockserver.Scope
		record mockserver.ConsentRecord
		config prototest.Attributes
		want   prototest.Attributes
	}{
		"defaults are left out":         {scope, mockserver.ConsentRecord{Clauses: configured, AgreementTime: early, Manual: new(true)}, nil, prototest.Attributes{"agreement_time": early}},
		"what differs from a default":   {scope, mockserver.ConsentRecord{Clauses: configured, AgreementTime: early, Manual: new(false)}, nil, prototest.Attributes{"agreement_time": early, "manual": false}},
		"the address stays out":         {scope, mockserver.ConsentRecord{Clauses: configured, UserIPv6: new("2001:db8::1")}, nil, prototest.Attributes{}},
		"another scope is written down": {account, mockserver.ConsentRecord{Clauses: configured}, prototest.Attributes{"account_id": "acct-7"}, prototest.Attributes{"account_id": "acct-7"}},
		"the provider's scope is not":   {scope, mockserver.ConsentRecord{Clauses: configured}, prototest.Attributes{"org_id": mocktest.Org, "project_id": mocktest.Project}, prototest.Attributes{}},
	}) {
		service.PutConsent(tc.scope, person, tc.record)
		results := p.List(name, prototest.ListRequest{Config: prototest.Attributes{"identity_ids": []any{person}}.With(tc.config), IncludeResource: true})
		wantNames(t, results, person)

		want := clauses.With(tc.want).With(prototest.Attributes{"identity_id": person})
		for attribute, value := range results[0].Resource {
			if value != want[attribute] {
				t.Errorf("%s: %s is %v, want %v", label, attribute, value, want[attribute])
			}
		}
	}
}

func TestConsentList_endsWithAnErrorWhereGoingOnIsUseless(t *testing.T) {
	t.Parallel()

	for label, tc := range map[string]struct {
		fault mockserver.Fault
		says  []string
		most  int // look-ups
	}{
		"401":          {mockserver.Fault{Status: 401, Body: []byte(`{}`), Times: -1}, []string{"Authentication rejected"}, 64},
		"403":          {mockserver.Fault{Status: 403, Body: []byte(`{}`), Skip: 3, Times: 1}, []string{"Not permitted"}, 40},
		"ten failures": {mockserver.Fault{Status: 500, Body: []byte(`{}`), Skip: 3, Times: 10}, []string{"The service failed", "10 of its people could not be read"}, 40},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, prototest.Attributes{"max_retries": 0})
			putConsents(service, identities(100)...)
			tc.fault.Operation = mockserver.OpGetConsent
			service.Inject(tc.fault)

			results := p.List(name, listOf(identities(100)...))
			prototest.WantText(t, results[len(results)-1].Errors(), tc.says...)
			if n := len(results.Diagnostics().Errors()); n != 1 {
				t.Errorf("there are %d errors", n)
			}
			if n := service.Count(mockserver.OpGetConsent); n > tc.most {
				t.Errorf("%d people were looked up", n)
			}
			wantNobodyNamed(t, results)
		})
	}
}

func TestConsentList_configurations(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	exactlyOne := []string{"Exactly one of these attributes must be configured: [utc_date,identity_ids]"}

	for label, tc := range soak.SomeOf(3, map[string]struct {
		config  prototest.Attributes
		refused []string // nil is accepted
	}{
		"nothing":               {prototest.Attributes{}, exactlyOne},
		"a day and people":      {prototest.Attributes{"utc_date": exportDay, "identity_ids": []any{"user-1"}}, exactlyOne},
		"no day":                {prototest.Attributes{"utc_date": "2026-02-30"}, []string{"Not a date"}},
		"nobody":                {prototest.Attributes{"identity_ids": []any{}}, []string{"identity_ids", "at least 1"}},
		"too many":              {prototest.Attributes{"identity_ids": identities(10_001)}, []string{"identity_ids", "at most 10000"}},
		"a null":                {prototest.Attributes{"identity_ids": []any{"user-1", nil}}, []string{"identity_ids"}},
		"another path":          {prototest.Attributes{"identity_ids": []any{".."}}, []string{"Unusable identifier"}},
		"a field without a day": {prototest.Attributes{"identity_ids": []any{"user-1"}, "identity_field": "id"}, []string{"identity_field", "utc_date"}},
		"an empty field":        {prototest.Attributes{"utc_date": exportDay, "identity_field": ""}, []string{"identity_field"}},
		"a day of an account":   {prototest.Attributes{"utc_date": exportDay, "account_id": "acct-7"}, []string{"account_id"}},
		"half a scope":          {prototest.Attributes{"identity_ids": []any{"user-1"}, "org_id": "org"}, []string{"project_id"}},
		"an unknown day":        {prototest.Attributes{"utc_date": prototest.Unknown}, nil},
		"unknown people":        {prototest.Attributes{"identity_ids": prototest.Unknown}, nil},
		"an unknown person":     {prototest.Attributes{"identity_ids": []any{prototest.Unknown}}, nil},
	}) {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			errors := p.ValidateList(name, tc.config).Errors()
			if len(errors) > 0 != (tc.refused != nil) {
				t.Errorf("the errors are %q", errors)
			}
			if tc.refused != nil {
				prototest.WantText(t, errors, tc.refused...)
			}
			if n := service.Count(""); n != 0 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}

// TestConsentList_personWhoIsNotReadIsNamedByPlace has a person whom the service fails to show,
// and one in a day whose identity Terraform would turn into that of another one.
func TestConsentList_personWhoIsNotReadIsNamedByPlace(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	putConsents(service, "user-1", "jose\u0301")
	service.PutExport(scope, exportDay, mockserver.ExportDay{Persons: personRecords("identityId", "user-1", "user-1", "jose\u0301")})
	service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Identity: "user-3", Status: 400, Body: []byte(`{}`)})

	for _, req := range []prototest.ListRequest{listDay(nil), listOf("user-1", "user-1", "user-3")} {
		results := p.List(name, req)
		wantNames(t, results, "user-1")
		prototest.WantText(t, results.Diagnostics().Warnings(), "A person could not be read", "Person 2 of the source")
	}
}

func TestConsentList_cancelledEndsAtOnce(t *testing.T) {
	t.Parallel()
	for operation, says := range map[string]string{mockserver.OpGetConsent: "The list was interrupted", mockserver.OpExportRecords: "Cancelled"} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
				service.Inject(mockserver.Fault{Operation: operation, Hang: true, Times: -1})
				service.PutExport(scope, exportDay, mockserver.ExportDay{Persons: personRecords("identityId", identities(5)...)})

				ctx, cancel := context.WithCancel(t.Context())
				began := time.Now()
				time.AfterFunc(5*time.Second, cancel)
				var results prototest.ListResults
				p.ListUntil(ctx, name, listDay(nil), func(result prototest.ListResult) bool {
					results = append(results, result)
					return true
				})

				wantNames(t, results)
				prototest.WantText(t, results.Diagnostics().Errors(), says)
				if took := time.Since(began); took > 6*time.Second {
					t.Errorf("it took %s to end", took)
				}
			})
		})
	}
}

// TestConsentList_panicIsAnError panics in a goroutine that looks a person up. One in the
// iteration itself is the guard's of the provider.
func TestConsentList_panicIsAnError(t *testing.T) {
	t.Parallel()

	service := mocktest.Start(t)
	config := prototest.Config(service).Without("email", "password").With(prototest.Attributes{"api_secret_key": service.SecretKey})
	p := prototest.MustStart(t, config, func(cfg *client.Config) {
		cfg.Proxy = func(*http.Request) (*url.URL, error) { panic(person) }
	})

	results := p.List(name, listOf(person, "user-2"))
	prototest.WantText(t, results.Diagnostics().Errors(), "Internal error", "panic")
	wantNobodyNamed(t, results)
}
