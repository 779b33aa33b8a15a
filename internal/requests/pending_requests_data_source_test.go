// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

const pendingName = "analytics_pending_requests"

// list makes the service answer with these records as its list of pending requests.
func list(records ...any) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		mockserver.Reshape(s, func([]map[string]any) any { return records }, mockserver.OpListPendingRequests)
	}
}

// reader returns a provider whose service answers as configured.
func reader(t *testing.T, configure ...func(*mockserver.Server)) (*prototest.Provider, *mocktest.Instance) {
	t.Helper()
	service := mocktest.Start(t, configure...)
	return prototest.MustStart(t, prototest.Config(service)), service
}

// read reads the pending requests without an error.
func read(t *testing.T, p *prototest.Provider, config prototest.Attributes) (prototest.Attributes, prototest.Diagnostics) {
	t.Helper()
	got, diags := p.ReadData(pendingName, config)
	p.NoErrors(diags)
	return got, diags
}

func ids(t *testing.T, got prototest.Attributes) string {
	t.Helper()
	var all []string
	requests, _ := got["requests"].([]any)
	for _, r := range requests {
		record, _ := r.(prototest.Attributes)
		all = append(all, fmt.Sprint(record["id"]))
	}

	return strings.Join(all, " ")
}

func counts(access, deletion, profile, unknown float64) prototest.Attributes {
	return prototest.Attributes{"data_access": access, "data_deletion": deletion, "profile_update": profile, "unknown": unknown}
}

func TestPendingRequests_areFilteredAndCounted(t *testing.T) {
	t.Parallel()

	p, service := reader(t, never, func(s *mockserver.Server) {
		mockserver.Reshape(s, func(records []map[string]any) any {
			rand.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
			return records
		}, mockserver.OpListPendingRequests)
	})
	for i, q := range []mockserver.QueuedRequest{
		{Identity: person, Operation: mockserver.OpDeleteAllData},
		{Identity: "other", Operation: mockserver.OpDeleteAllData},
		{Identity: person, Operation: mockserver.OpGetAllData},
		{Identity: "other", Operation: mockserver.OpUpdateProfile},
	} {
		q.Scope, q.ID = scope, fmt.Sprint("r", i)
		service.Enqueue(q)
	}

	service.Enqueue(mockserver.QueuedRequest{ID: "elsewhere", Scope: mockserver.Scope{AccountID: "acct"}, Identity: person, Operation: mockserver.OpGetAllData})
	for _, tc := range []struct {
		config prototest.Attributes
		ids    string
		counts prototest.Attributes
	}{
		{prototest.Attributes{}, "r0 r1 r2 r3", counts(1, 2, 1, 0)},
		{prototest.Attributes{"identity_id": person}, "r0 r2", counts(1, 1, 0, 0)},
		{prototest.Attributes{"operation": "data_deletion"}, "r0 r1", counts(0, 2, 0, 0)},
		{prototest.Attributes{"identity_id": person, "operation": "profile_update"}, "", counts(0, 0, 0, 0)},
		{prototest.Attributes{"max_requests": 0}, "", counts(1, 2, 1, 0)},
		{prototest.Attributes{"max_requests": 2}, "r0 r1", counts(1, 2, 1, 0)},
		{prototest.Attributes{"account_id": "acct"}, "elsewhere", counts(1, 0, 0, 0)},
	} {
		got, _ := read(t, p, tc.config)
		if ids := ids(t, got); ids != tc.ids {
			t.Errorf("%v gives %q, want %q", tc.config, ids, tc.ids)
		}
		if diff := cmp.Diff(tc.counts, got["counts_by_operation"]); diff != "" {
			t.Errorf("%v: %s", tc.config, diff)
		}

		sum := 0.0
		for _, n := range tc.counts {
			f, _ := n.(float64)
			sum += f
		}

		if got["total"] != sum {
			t.Errorf("%v counts %v, want %v", tc.config, got["total"], sum)
		}
	}
}

func TestPendingRequests_recordsAreReadAsFarAsTheyAreRecognised(t *testing.T) {
	t.Parallel()

	p, _ := reader(t, list(
		map[string]any{"_id": map[string]any{"$oid": "65a"}, "userId": person, "type": "DELETE_ALL_DATA", "state": "queued", "created": "2026-01-31T13:00:00+01:00"},
		map[string]any{"what": "is this"},
	))
	got, _ := read(t, p, prototest.Attributes{})
	want := []any{
		prototest.Attributes{"id": nil, "identity_id": nil, "operation": nil, "created_at": nil, "status": nil, "json": `{"what":"is this"}`},
		prototest.Attributes{
			"id": "65a", "identity_id": person, "operation": "data_deletion", "created_at": "2026-01-31T12:00:00Z", "status": "queued",
			"json": `{"_id":{"$oid":"65a"},"created":"2026-01-31T13:00:00+01:00","state":"queued","type":"DELETE_ALL_DATA","userId":"` + person + `"}`,
		},
	}

	if diff := cmp.Diff(want, got["requests"]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(counts(0, 1, 0, 1), got["counts_by_operation"]); diff != "" {
		t.Error(diff)
	}
}

func TestPendingRequests_longListIsCutAndCountedWhole(t *testing.T) {
	t.Parallel()

	many := soak.Size(soak.Raced(1_010, 1_500), 100_000)
	records := make([]any, many)
	for i := range records {
		records[i] = map[string]any{"id": fmt.Sprintf("r-%06d", i), "identityId": fmt.Sprint("user-", i), "operation": "deleteAllData"}
	}

	rand.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	p, _ := reader(t, list(records...))

	for name, tc := range map[string]struct {
		config prototest.Attributes
		total  int
		kept   int
		warned bool
	}{
		"by default":      {prototest.Attributes{}, many, 1_000, true},
		"to some":         {prototest.Attributes{"max_requests": 3}, many, 3, true},
		"to none":         {prototest.Attributes{"max_requests": 0}, many, 0, false},
		"not for one":     {prototest.Attributes{"identity_id": "user-711"}, 1, 1, false},
		"not where it is": {prototest.Attributes{"identity_id": "user-711", "max_requests": 1}, 1, 1, false},
		"nothing matches": {prototest.Attributes{"operation": "data_access", "max_requests": 1}, 0, 0, false},
	} {
		got, diags := read(t, p, tc.config)
		kept, _ := got["requests"].([]any)
		if got["total"] != float64(tc.total) || len(kept) != tc.kept {
			t.Errorf("%s: %v in total, %d kept", name, got["total"], len(kept))
		}

		wanted := counts(0, float64(tc.total), 0, 0)
		if diff := cmp.Diff(wanted, got["counts_by_operation"]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}

		if !tc.warned {
			if len(diags) > 0 {
				t.Errorf("%s: %v", name, diags.Warnings())
			}

			continue
		}

		prototest.WantText(t, diags.Warnings(), fmt.Sprintf("%d pending requests match, and max_requests keeps %d", tc.total, tc.kept),
			"identity_id or operation", "max_requests = 0")
	}
}

func TestPendingRequests_partOfTheListIsSaidToBeOne(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		body  string
		total float64
		says  string
	}{
		"a page":             {`{"requests":[{"id":"r-1","identityId":"user-1","operation":"deleteAllData"}],"has_more":true}`, 1, "complete = false"},
		"an entry of a text": {`["r-1"]`, 0, "an entry that is no object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, service := reader(t)
			service.Inject(mockserver.Fault{Status: 200, Body: []byte(tc.body), Operation: mockserver.OpListPendingRequests})
			got, diags := read(t, p, prototest.Attributes{})
			prototest.WantText(t, diags.Warnings(), "The pending list is not complete", tc.says)
			if got["complete"] != false || got["total"] != tc.total {
				t.Errorf("complete is %v, total %v", got["complete"], got["total"])
			}
		})
	}
}

func TestPendingRequests_emptyListAndNone(t *testing.T) {
	t.Parallel()
	p, service := reader(t)
	got, _ := read(t, p, prototest.Attributes{})
	if diff := cmp.Diff([]any{}, got["requests"]); diff != "" || got["total"] != 0.0 {
		t.Errorf("read is %v", got)
	}

	service.Inject(mockserver.Fault{Status: 200, Body: []byte(`{"neither":"list"}`), Operation: mockserver.OpListPendingRequests})
	_, diags := p.ReadData(pendingName, prototest.Attributes{})
	prototest.WantText(t, diags.Errors(), "No list of pending requests", "pending-requests")
}

func TestPendingRequests_unusableFiltersAreRefused(t *testing.T) {
	t.Parallel()
	p, service := reader(t)
	for _, config := range []prototest.Attributes{
		{"identity_id": ""}, {"operation": "delete"}, {"max_requests": -1}, {"max_requests": 10_001}, {"org_id": "only"},
	} {
		if _, diags := p.ReadData(pendingName, config); len(diags.Errors()) == 0 {
			t.Errorf("%v is accepted", config)
		}
	}
	wantNothingSent(t, service)
}
