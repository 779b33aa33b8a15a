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
func identities(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("user-%d", i+1))
	}
	return list
}

// putConsents gives each person a consent record.
func putConsents(service *mocktest.Instance, identities ...string) {
	for _, identity := range identities {
		service.PutConsent(scope, identity, mockserver.ConsentRecord{Clauses: configured, AgreementTime: early})
	}
}

// listOf returns a request for the people with these identities.
func listOf(identities ...string) prototest.ListRequest {
	list := make([]any, len(identities))
	for i, identity := range identities {
		list[i] = identity
	}

	return prototest.ListRequest{Config: prototest.Attributes{"identity_ids": list}}
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
		"too many":              {listOf(identities(10_001)...).Config, []string{"identity_ids", "at most 10000"}},
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
			if tc.refused != nil {
				prototest.WantText(t, errors, tc.refused...)
			} else if len(errors) > 0 || service.Count("") != 0 {
				t.Errorf("%q, after %d requests", errors, service.Count(""))
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

// exportDay is a day that is over.
const exportDay = "2026-02-03"

// personRecords returns Person records that hold the identities in a member.
func personRecords(member string, identities ...string) []any {
	var list []any
	for i, identity := range identities {
		list = append(list, map[string]any{"id": fmt.Sprintf("p-%d", i), member: identity, "plan": "gold"})
	}
	return list
}

// listDay returns a request for the people of the day.
func listDay(others prototest.Attributes) prototest.ListRequest {
	return prototest.ListRequest{Config: prototest.Attributes{"utc_date": exportDay}.With(others)}
}

// TestConsentListDay_people has days of one or two people, and what is said of their records.
func TestConsentListDay_people(t *testing.T) {
	t.Parallel()
	both := map[string]any{"identity_id": "user-2", "identityId": "user-1"}
	unusable := []any{
		map[string]any{"mail": "user-7@example.com", "id": "p-7", "seen": 1},
		map[string]any{"id": "p", "seen": 1, "identityId": nil},
		map[string]any{"id": "p", "seen": 1, "identityId": ""},
		map[string]any{"id": "p", "seen": 1, "identityId": ".."},
		map[string]any{"id": "p", "seen": 1, "identityId": 1.5},
		map[string]any{"id": "p", "seen": 1, "identityId": -1},
		map[string]any{"id": "p", "seen": 1, "identityId": []any{"user-2"}},
		map[string]any{"id": "p", "seen": 1, "nested": map[string]any{"identityId": "user-2"}},
	}
	field := func(name string) prototest.Attributes { return prototest.Attributes{"identity_field": name} }
	export := func(f mockserver.Fault) mockserver.Fault { f.Operation = mockserver.OpExportRecords; return f }

	for label, tc := range soak.SomeOf(6, map[string]struct {
		persons, others []any
		config          prototest.Attributes
		fault           mockserver.Fault
		want            []string
		warning, errors []string
	}{
		"the first name":               {persons: personRecords("identityId", "user-1", "user-2"), want: []string{"user-1", "user-2"}},
		"the second name":              {persons: personRecords("identity_id", "user-1"), want: []string{"user-1"}},
		"both":                         {persons: []any{both}, want: []string{"user-1"}},
		"an empty first name":          {persons: []any{map[string]any{"identityId": "", "identity_id": "user-2"}}, want: []string{"user-2"}},
		"a configured name":            {persons: personRecords("db id", "user-1"), config: field("db id"), want: []string{"user-1"}},
		"a configured name goes first": {persons: []any{both}, config: field("identity_id"), want: []string{"user-2"}},
		"a number":                     {persons: []any{map[string]any{"identityId": 4711}}, want: []string{"4711"}},
		"nobody":                       {},
		"a person twice":               {persons: personRecords("identityId", "user-1", "user-2", "user-1"), want: []string{"user-1", "user-2"}},
		"records without an identity": {
			persons: append(unusable, map[string]any{"id": "p-1", "seen": 1, "identityId": "user-1"}), want: []string{"user-1"},
			warning: []string{"Person records without an identity", "8 of the 9 Person records", `"identityId" or "identity_id"`, `(its members are "id", "mail", "seen")`},
		},
		"only records without an identity": {
			persons: unusable, config: field("user"), errors: []string{"Person records without an identity", "8 of the 8", `"user"`, `"mail"`, `(AttributeName("identity_field"))`},
		},
		"records of an unknown kind": {
			others: personRecords("identityId", "user-1", "user-2"), warning: []string{"Records of an unknown kind", "include 2", "wire.export_kind_parameter"},
		},
		"a day that breaks off": {
			persons: append([]any{map[string]any{"id": "p"}}, personRecords("identityId", "user-1", "user-2")...), fault: export(mockserver.Fault{Cut: mockserver.CutBody, CutAt: -20}),
			want: []string{"user-1", "user-2"}, warning: []string{"1 of the 3 Person records"},
		},
		"403":                 {fault: export(mockserver.Fault{Status: 403, Body: []byte(`{}`)}), errors: []string{"Not permitted", "Export records"}},
		"not a finished list": {fault: export(mockserver.Fault{Body: []byte(`{"persons":[],"status":"processing"}`)}), errors: []string{"Unexpected response", "wire.export_ignored_members"}},
	}) {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, prototest.Attributes{"wire": prototest.Attributes{"export_record_member": "identityId"}})
			putConsents(service, "user-1", "user-2", "4711")
			service.PutExport(scope, exportDay, mockserver.ExportDay{
				Persons: tc.persons, Sessions: personRecords("identityId", "user-8"), Events: personRecords("identityId", "user-9"), Others: tc.others,
			})
			if tc.fault.Operation != "" {
				service.Inject(tc.fault)
			}

			results := p.List(name, listDay(tc.config))
			wantNames(t, results, tc.want...)
			wantNobodyNamed(t, results)

			diags := results.Diagnostics()
			switch {
			case tc.warning != nil:
				prototest.WantText(t, diags.Warnings(), tc.warning...)
			case tc.errors != nil:
				prototest.WantText(t, diags.Errors(), tc.errors...)
			case len(diags) > 0:
				t.Errorf("it says %v %v", diags.Errors(), diags.Warnings())
			}
		})
	}
}

func TestConsentListDay_dayThatIsNotOverIsRefused(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	today := time.Now().UTC()
	for day, says := range map[string]string{
		today.Format(time.DateOnly):                   "The day is not over",
		today.AddDate(0, 0, 7).Format(time.DateOnly):  "A day in the future",
		today.AddDate(0, 0, -1).Format(time.DateOnly): "",
	} {
		errors := p.List(name, listDay(prototest.Attributes{"utc_date": day})).Diagnostics().Errors()
		if says == "" && len(errors) > 0 {
			t.Errorf("%s: %v", day, errors)
		}
		if says != "" {
			prototest.WantText(t, errors, says, "utc_date")
		}
	}

	if n := service.Count(mockserver.OpExportRecords); n != 1 {
		t.Errorf("%d days were asked for", n)
	}
}
