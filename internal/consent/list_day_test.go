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

func TestConsentListDay_identityIsTakenFromTheRecords(t *testing.T) {
	t.Parallel()

	both := map[string]any{"identity_id": "user-2", "identityId": "user-1"}
	for label, tc := range soak.SomeOf(3, map[string]struct {
		persons []any
		config  prototest.Attributes
		want    []string
	}{
		"the first name":               {personRecords("identityId", "user-1", "user-2"), nil, []string{"user-1", "user-2"}},
		"the second name":              {personRecords("identity_id", "user-1"), nil, []string{"user-1"}},
		"both":                         {[]any{both}, nil, []string{"user-1"}},
		"an empty first name":          {[]any{map[string]any{"identityId": "", "identity_id": "user-2"}}, nil, []string{"user-2"}},
		"a configured name":            {personRecords("db id", "user-1"), prototest.Attributes{"identity_field": "db id"}, []string{"user-1"}},
		"a configured name goes first": {[]any{both}, prototest.Attributes{"identity_field": "identity_id"}, []string{"user-2"}},
		"a number":                     {personRecords("identityId", 4711), nil, []string{"4711"}},
		"nobody":                       {nil, nil, nil},
		"a person twice":               {personRecords("identityId", "user-1", "user-2", "user-1"), nil, []string{"user-1", "user-2"}},
	}) {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil)
			putConsents(service, "user-1", "user-2", "4711")
			service.PutExport(scope, exportDay, mockserver.ExportDay{
				Persons:  tc.persons,
				Sessions: personRecords("identityId", "user-8"),
				Events:   personRecords("identityId", "user-9"),
			})

			results := p.List(name, listDay(tc.config))
			wantNames(t, results, tc.want...)
			if diags := results.Diagnostics(); len(diags) > 0 {
				t.Errorf("it says %v %v", diags.Errors(), diags.Warnings())
			}
		})
	}
}

func TestConsentListDay_recordsWithoutAnIdentityAreCounted(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	putConsents(service, "user-1", "user-2")

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
	service.PutExport(scope, exportDay, mockserver.ExportDay{Persons: append(unusable, map[string]any{"id": "p-1", "seen": 1, "identityId": "user-1"})})
	results := p.List(name, listDay(nil))
	wantNames(t, results, "user-1")
	prototest.WantText(t, results.Diagnostics().Warnings(), "Person records without an identity", "8 of the 9 Person records", `"identityId" or "identity_id"`, `(its members are "id", "mail", "seen")`)
	wantNobodyNamed(t, results)

	service.PutExport(scope, exportDay, mockserver.ExportDay{Persons: unusable})
	results = p.List(name, listDay(prototest.Attributes{"identity_field": "user"}))
	prototest.WantText(t, results.Diagnostics().Errors(), "No Person record holds an identity", "8 of the 8", `"user"`, `"mail"`, "set identity_field", "(AttributeName(\"identity_field\"))")
	wantNobodyNamed(t, results)
}

func TestConsentListDay_recordsOfAnUnknownKindAreNoPeople(t *testing.T) {
	t.Parallel()
	p, service := start(t, prototest.Attributes{"wire": prototest.Attributes{"export_record_member": "identityId"}})
	service.PutExport(scope, exportDay, mockserver.ExportDay{Others: personRecords("identityId", "user-1", "user-2")})
	results := p.List(name, listDay(nil))
	wantNames(t, results)
	prototest.WantText(t, results.Diagnostics().Warnings(), "Records of an unknown kind", "include 2", "wire.export_kind_parameter")
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

func TestConsentListDay_failedExportIsAnError(t *testing.T) {
	t.Parallel()
	p, service := start(t, prototest.Attributes{"max_retries": 0})
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Status: 403, Body: []byte(`{}`)})
	results := p.List(name, listDay(nil))
	prototest.WantText(t, results.Diagnostics().Errors(), "Not permitted", "Export records")

	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Body: []byte(`{"persons":[],"status":"processing"}`)})
	results = p.List(name, listDay(nil))
	prototest.WantText(t, results.Diagnostics().Errors(), "Unexpected response", "wire.export_ignored_members")
}

func TestConsentListDay_dayThatBreaksOffIsReadAgain(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	putConsents(service, identities(40)...)
	service.PutExport(scope, exportDay, mockserver.ExportDay{Persons: append([]any{map[string]any{"id": "p"}}, personRecords("identityId", identities(40)...)...)})
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutBody, CutAt: -20})

	results := p.List(name, listDay(nil))
	wantNames(t, results, names(identities(40)...)...)
	prototest.WantText(t, results.Diagnostics().Warnings(), "1 of the 41 Person records")
	if n := service.Count(mockserver.OpExportRecords); n != 2 {
		t.Errorf("the day was asked for %d times", n)
	}
}
