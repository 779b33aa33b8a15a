// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// exportDay is a day that is over.
const exportDay = "2026-02-03"

// personRecords returns Person records that hold the identities in a member.
func personRecords(member string, identities ...any) []any {
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
		"a number":                     {persons: personRecords("identityId", 4711), want: []string{"4711"}},
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
