// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

const pendingName = "analytics_pending_requests"

type listing struct {
	prototest.Attributes

	warnings []string
}

func list(t *testing.T, answer any, config prototest.Attributes) listing {
	t.Helper()
	body, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}

	service := mocktest.Start(t)
	service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 200, Body: body, Times: -1})
	p := prototest.MustStart(t, prototest.Config(service))
	got, diags := p.ReadData(pendingName, config)
	p.NoErrors(diags)
	wantUnnamed(t, diags.Warnings())

	return listing{got, diags.Warnings()}
}

func (l listing) ids() string {
	var all []string
	requests, _ := l.Attributes["requests"].([]any)
	for _, r := range requests {
		record, _ := r.(prototest.Attributes)
		all = append(all, fmt.Sprint(record["id"]))
	}
	return strings.Join(all, " ")
}

func counts(access, deletion, profile, unknown float64) prototest.Attributes {
	return prototest.Attributes{"data_access": access, "data_deletion": deletion, "profile_update": profile, "unknown": unknown}
}

// A request that may be the person's is counted apart, and the list is not complete then.
func TestPendingRequests_mayMatch(t *testing.T) {
	t.Parallel()
	type row struct {
		record           map[string]any // with what the record of a deletion has else
		total, uncertain float64
	}
	rows(t, map[string]row{
		"exactly":             {map[string]any{"identityId": person}, 1, 0},
		"in capitals":         {map[string]any{"identityId": "JANE.DOE@EXAMPLE.COM"}, 0, 1},
		"encoded twice":       {map[string]any{"identityId": "jane.doe%2540example.com"}, 0, 1},
		"as a mailbox":        {map[string]any{"identityId": "mailto:" + person}, 0, 1},
		"in another member":   {map[string]any{"identityId": "u-77", "email": person}, 0, 1},
		"nobody":              {nil, 0, 1},
		"no operation":        {map[string]any{"identityId": person, "operation": "simmer"}, 0, 1},
		"somebody else":       {map[string]any{"identityId": "u-77"}, 0, 0},
		"a longer name":       {map[string]any{"identityId": person + ".au"}, 0, 0},
		"another operation":   {map[string]any{"identityId": person, "operation": "getAllData"}, 0, 0},
		"nobody, another one": {map[string]any{"operation": "getAllData"}, 0, 0},
	}, func(t *testing.T, _ string, row row) {
		record := map[string]any{"id": "r-1", "operation": "deleteAllData"}
		maps.Copy(record, row.record)
		got := list(t, []any{record}, prototest.Attributes{"identity_id": person, "operation": "data_deletion"})
		if got.Attributes["total"] != row.total || got.Attributes["uncertain"] != row.uncertain || got.Attributes["complete"] != (row.uncertain == 0) {
			t.Errorf("total %v, uncertain %v, complete %v", got.Attributes["total"], got.Attributes["uncertain"], got.Attributes["complete"])
		}
	})
}

func TestPendingRequests_areFilteredAndCounted(t *testing.T) {
	t.Parallel()
	var records []any
	for i, r := range [][2]string{{person, "deleteAllData"}, {"other", "deleteAllData"}, {person, "getAllData"}, {"other", "updateUserProfile"}} {
		records = append(records, map[string]any{"id": fmt.Sprint("r", i), "identityId": r[0], "operation": r[1], "createdAt": fmt.Sprintf("2026-01-0%dT00:00:00Z", i+1)})
	}
	slices.Reverse(records) // the newest comes first
	type row struct {
		config prototest.Attributes
		ids    string
		total  float64
		counts prototest.Attributes
	}
	rows(t, map[string]row{
		"all":             {prototest.Attributes{}, "r0 r1 r2 r3", 4, counts(1, 2, 1, 0)},
		"a person":        {prototest.Attributes{"identity_id": person}, "r0 r2", 2, counts(1, 1, 0, 0)},
		"an operation":    {prototest.Attributes{"operation": "data_deletion"}, "r0 r1", 2, counts(0, 2, 0, 0)},
		"both":            {prototest.Attributes{"identity_id": person, "operation": "profile_update"}, "", 0, counts(0, 0, 0, 0)},
		"the counts":      {prototest.Attributes{"max_requests": 0}, "", 4, counts(1, 2, 1, 0)},
		"some, and a cut": {prototest.Attributes{"max_requests": 2}, "r0 r1", 4, counts(1, 2, 1, 0)},
	}, func(t *testing.T, name string, row row) {
		got := list(t, records, row.config)
		if diff := cmp.Diff(row.counts, got.Attributes["counts_by_operation"]); diff != "" || got.ids() != row.ids || got.Attributes["total"] != row.total {
			t.Errorf("%v gives %q of %v: %s", row.config, got.ids(), got.Attributes["total"], diff)
		}
		if strings.Contains(name, "cut") {
			prototest.WantText(t, got.warnings, "4 pending requests match, and max_requests keeps 2", "identity_id or operation", "max_requests = 0")
		} else if len(got.warnings) > 0 {
			t.Errorf("it warns %q", got.warnings)
		}
	})
}

func TestPendingRequests_input(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service))
	for _, config := range []prototest.Attributes{{"identity_id": ""}, {"operation": "delete"}, {"max_requests": -1}, {"max_requests": 10_001}, {"org_id": "only"}} {
		if _, diags := p.ReadData(pendingName, config); len(diags.Errors()) == 0 {
			t.Errorf("%v is accepted", config)
		}
	}
	wantNothingSent(t, service)

	_, diags := p.ReadData(pendingName, prototest.Attributes{"account_id": "acct"})
	p.NoErrors(diags)
	if asked := service.Requests(); asked[len(asked)-1].Scope.AccountID != "acct" {
		t.Errorf("the service was asked %v", asked)
	}
}

func TestPendingRequests_longListIsCut(t *testing.T) {
	t.Parallel()
	got := list(t, slices.Repeat([]any{map[string]any{"id": "r-1", "identityId": "user-1", "operation": "deleteAllData"}}, 1_001), prototest.Attributes{})
	prototest.WantText(t, got.warnings, "1001 pending requests match, and max_requests keeps 1000")
	if kept := len(strings.Fields(got.ids())); got.Attributes["total"] != 1_001.0 || kept != 1_000 {
		t.Errorf("%v in total, %d kept", got.Attributes["total"], kept)
	}
}

// Records are read as far as they are recognised, and a part of the list is said to be one.
func TestPendingRequests_answers(t *testing.T) {
	t.Parallel()
	unknown := prototest.Attributes{"id": nil, "identity_id": nil, "operation": nil, "created_at": nil, "status": nil}
	const page, foreign = `{"id":"r-1"}`, `{"_id":{"$oid":"65a"},"userId":"` + person + `","type":"DELETE_ALL_DATA","state":"queued","created":"2026-01-31T13:00:00+01:00"}`
	type row struct {
		body     string
		isPart   bool
		counts   prototest.Attributes
		requests []any
	}
	rows(t, map[string]row{
		"none": {`[]`, false, counts(0, 0, 0, 0), []any{}},
		"other names": {`[` + foreign + `,{"what":"is this"}]`, false, counts(0, 1, 0, 1), []any{
			unknown.With(prototest.Attributes{"json": `{"what":"is this"}`}),
			prototest.Attributes{"id": "65a", "identity_id": person, "operation": "data_deletion", "created_at": "2026-01-31T12:00:00Z", "status": "queued", "json": foreign},
		}},
		"a page": {`{"requests":[` + page + `],"has_more":true}`, true, counts(0, 0, 0, 1), []any{unknown.With(prototest.Attributes{"id": "r-1", "json": page})}},
	}, func(t *testing.T, _ string, row row) {
		got := list(t, json.RawMessage(row.body), prototest.Attributes{})
		if row.isPart {
			prototest.WantText(t, got.warnings, "pending requests is not complete", "complete = false")
		}
		want := prototest.Attributes{"complete": !row.isPart, "counts_by_operation": row.counts, "requests": row.requests}
		for name, value := range want {
			if diff := cmp.Diff(value, got.Attributes[name]); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	})
}
