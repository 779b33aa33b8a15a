// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
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
func wantNames(t *testing.T, results []prototest.ListResult, want ...string) {
	t.Helper()
	var names []string
	for _, result := range results {
		if result.Identity != nil {
			names = append(names, result.DisplayName)
		}
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("listed are other people (-want +got):\n%s", diff)
	}
}

// wantSaid fails the test unless a list warns with one text and fails with another; nil for neither. No diagnostic
// names a person.
func wantSaid(t *testing.T, diags prototest.Diagnostics, warning, errors []string) {
	t.Helper()
	prototest.WantText(t, diags.Warnings(), warning...)
	prototest.WantText(t, diags.Errors(), errors...)
	for _, text := range append(diags.Errors(), diags.Warnings()...) {
		if strings.Contains(text, "user-") || strings.Contains(text, person) || strings.Contains(text, "2001:db8") {
			t.Errorf("a diagnostic names a person: %s", text)
		}
	}
}

func TestConsentList_resourceIsWhatAPersonWouldWrite(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	for label, tc := range map[string]struct {
		scope  mockserver.Scope
		record mockserver.ConsentRecord
		config prototest.Attributes
		want   prototest.Attributes
	}{
		"neither defaults nor the address": {
			scope: scope, record: own(nil), want: prototest.Attributes{"agreement_time": early},
		},
		"what differs": {
			scope: mockserver.Scope{AccountID: "acct-7"}, record: mockserver.ConsentRecord{Clauses: configured, Manual: new(false)},
			config: prototest.Attributes{"account_id": "acct-7"}, want: prototest.Attributes{"account_id": "acct-7", "manual": false},
		},
		"not the provider's scope": {
			scope: scope, record: mockserver.ConsentRecord{Clauses: configured},
			config: prototest.Attributes{"org_id": mocktest.Org, "project_id": mocktest.Project},
		},
	} {
		service.PutConsent(tc.scope, person, tc.record)
		results, _ := p.List(t.Context(), name, prototest.ListRequest{Config: prototest.Attributes{"identity_ids": []any{person}}.With(tc.config), IncludeResource: true})
		wantNames(t, results, person)
		if got := results[0].Identity["account_id"]; got != tc.config["account_id"] {
			t.Errorf("%s: the account of the identity is %v", label, got)
		}

		resource := results[0].Resource
		maps.DeleteFunc(resource, func(_ string, value any) bool { return value == nil })
		if diff := cmp.Diff(config(tc.want), resource); diff != "" {
			t.Errorf("%s (-want +got):\n%s", label, diff)
		}
	}
}

// TestConsentList_people lists user-1 and so on, of whom some have no record or cannot be read, two at a
// time and in the order of the source.
func TestConsentList_people(t *testing.T) {
	t.Parallel()
	const unread, ends = "People could not be read", "The list ends after 2 people, and its source has more"
	for label, tc := range map[string]struct {
		source          []string // identities(5) by default
		absent, failing []string
		limit           int64

		names           []string
		warning, errors []string // words of one each; nil for none
		lookUps         int
	}{
		"all":                  {names: identities(5), lookUps: 5},
		"each once":            {source: []string{"user-2", "user-1", "user-2"}, names: []string{"user-2", "user-1"}, lookUps: 2},
		"without a record":     {absent: []string{"user-1", "user-4"}, names: []string{"user-2", "user-3", "user-5"}, warning: []string{"People without a consent record", "some people in the source: 2."}, lookUps: 5},
		"one fails":            {failing: []string{"user-3"}, names: []string{"user-1", "user-2", "user-4", "user-5"}, warning: []string{unread, "not listed: 1.", "person 3 "}, lookUps: 5},
		"ten fail":             {source: identities(14), failing: identities(12)[1:], names: []string{"user-1"}, errors: []string{unread, "The list has ended", "person 2 "}, lookUps: 11},
		"all fail":             {failing: identities(5), errors: []string{"The list has ended", "not listed: 5."}, lookUps: 5},
		"a limit":              {limit: 2, names: identities(2), warning: []string{ends}, lookUps: 2},
		"a limit, and absence": {absent: []string{"user-1"}, limit: 2, names: []string{"user-2", "user-3"}, warning: []string{ends}, lookUps: 3},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, prototest.Attributes{"max_retries": 0, "max_concurrency": 2})
			source := tc.source
			if source == nil {
				source = identities(5)
			}
			putConsents(service, source...)
			for _, identity := range tc.absent {
				service.DeleteConsent(scope, identity)
			}
			for _, identity := range tc.failing {
				service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Identity: identity, Status: 500, Body: []byte(`{}`), Times: -1})
			}

			req := listOf(source...)
			req.Limit = tc.limit
			results, diags := p.List(t.Context(), name, req)
			wantNames(t, results, tc.names...)
			wantSaid(t, diags, tc.warning, tc.errors)
			if results[len(results)-1].Identity == nil && tc.names != nil {
				t.Error("what follows the last person is never read")
			}
			if n := service.Count(mockserver.OpGetConsent); n < tc.lookUps || n > tc.lookUps+1 { // one may be under way
				t.Errorf("%d people were looked up, want %d", n, tc.lookUps)
			}
		})
	}
}

func TestConsentList_configurations(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	for refused, config := range map[string]prototest.Attributes{
		"one (and only one) of [utc_date,identity_ids]": {},
		"Not a date":                         {"utc_date": "2026-02-30"},
		"at most 10000":                      listOf(identities(10_001)...).Config,
		`when "identity_field" is specified`: {"identity_ids": []any{"user-1"}, "identity_field": "id"},
		"account_id":                         {"utc_date": exportDay, "account_id": "acct-7"},
	} {
		prototest.WantText(t, p.ValidateList(name, config).Errors(), refused)
	}
	p.NoErrors(p.ValidateList(name, prototest.Attributes{"utc_date": prototest.Unknown}))
	p.NoErrors(p.ValidateList(name, prototest.Attributes{"identity_ids": []any{prototest.Unknown}}))
	wantUpdates(t, service)
}

func TestConsentList_cancelledEndsAtOnce(t *testing.T) {
	t.Parallel()
	for operation, says := range map[string]string{mockserver.OpGetConsent: "The list was interrupted", mockserver.OpExportRecords: "Cancelled"} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			prototest.Bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
				service.Inject(mockserver.Fault{Operation: operation, Hang: true, Times: -1})
				service.PutExport(scope, exportDay, mockserver.ExportDay{Persons: personRecords(identities(5)...)})

				ctx, cancel := context.WithCancel(t.Context())
				began := time.Now()
				time.AfterFunc(5*time.Second, cancel)
				results, diags := p.List(ctx, name, listDay(nil))

				wantNames(t, results)
				prototest.WantText(t, diags.Errors(), says)
				if took := time.Since(began); took > 6*time.Second || len(results) != 1 {
					t.Errorf("it took %s to end, and it says %v", took, diags.Warnings())
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
		cfg.Around = func(http.RoundTripper) http.RoundTripper { return panicking{} }
	})

	_, diags := p.List(t.Context(), name, listOf(person, "user-2"))
	wantSaid(t, diags, nil, []string{"Internal error", "panic"})
}

// panicking sends no request.
type panicking struct{}

func (panicking) RoundTrip(*http.Request) (*http.Response, error) { panic(person) }

// exportDay is a day that is over.
const exportDay = "2026-02-03"

// personRecords returns Person records of people.
func personRecords(identities ...string) []any {
	var list []any
	for i, identity := range identities {
		list = append(list, map[string]any{"id": fmt.Sprintf("p-%d", i), "identityId": identity, "plan": "gold"})
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
		map[string]any{"id": "p", "seen": 1, "identityId": []any{"user-2"}},
		map[string]any{"id": "p", "seen": 1, "nested": map[string]any{"identityId": "user-2"}},
	}
	field := func(name string) prototest.Attributes { return prototest.Attributes{"identity_field": name} }
	export := func(f mockserver.Fault) mockserver.Fault { f.Operation = mockserver.OpExportRecords; return f }

	for label, tc := range map[string]struct {
		persons         []any
		config          prototest.Attributes
		fault           mockserver.Fault
		want            []string
		warning, errors []string
	}{
		"the first name":               {persons: personRecords("user-1", "user-2"), want: []string{"user-1", "user-2"}},
		"a configured name goes first": {persons: []any{both}, config: field("identity_id"), want: []string{"user-2"}},
		"a number":                     {persons: []any{map[string]any{"identityId": 4711, "identity_id": 8}}, want: []string{"4711"}},
		"nobody":                       {},
		"an identity not in NFC": {
			persons: personRecords("user-1", "jose\u0301"), want: []string{"user-1"},
			warning: []string{"People could not be read", "person 2 "},
		},
		"records without an identity": {
			persons: append(unusable, map[string]any{"id": "p-1", "seen": 1, "identityId": "user-1"}), want: []string{"user-1"},
			warning: []string{"Person records without an identity", "6 of the 7 Person records", `["identityId" "identity_id"]`, `(its members are "id", "mail", "seen")`},
		},
		"only records without an identity": {
			persons: append(unusable, map[string]any{"id": "p", "seen": 1}), config: field("user"),
			errors: []string{"Person records without an identity", "7 of the 7", `"user"`, `"mail"`, `(AttributeName("identity_field"))`},
		},
		"a day that breaks off": {
			persons: append([]any{map[string]any{"id": "p"}}, personRecords("user-1", "user-2")...),
			fault:   export(mockserver.Fault{Body: []byte(`{"persons":[{"id":"p"},{"id":"q","identityId":"4711"}]}`), Cut: mockserver.CutBody, CutAt: -2}),
			want:    []string{"user-1", "user-2"}, warning: []string{"1 of the 3 Person records"},
		},
		"a day in the future": {config: prototest.Attributes{"utc_date": "2999-01-01"}, errors: []string{"The day has not begun"}},
		"not over by the service's clock": {
			fault:  export(mockserver.Fault{Body: []byte(`[]`), Header: http.Header{"Date": {"Tue, 03 Feb 2026 23:59:59 GMT"}}}),
			errors: []string{"2026-02-03"},
		},
		"not a finished list": {fault: export(mockserver.Fault{Body: []byte(`{"persons":[],"status":"processing"}`)}), errors: []string{"Unexpected response", "wire.ignored"}},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			putConsents(service, "user-1", "user-2", "4711")
			service.PutExport(scope, exportDay, mockserver.ExportDay{
				Persons: tc.persons, Sessions: personRecords("user-8"), Events: personRecords("user-9"),
			})
			if tc.fault.Operation != "" {
				service.Inject(tc.fault)
			}

			results, diags := p.List(t.Context(), name, listDay(tc.config))
			wantNames(t, results, tc.want...)
			wantSaid(t, diags, tc.warning, tc.errors)
		})
	}
}
