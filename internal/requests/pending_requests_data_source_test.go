// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
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

// A request that may be the person's is counted apart, and the list is not complete then.
func TestPendingRequests_mayMatch(t *testing.T) {
	t.Parallel()
	request := func(identity any, more map[string]any) map[string]any {
		record := map[string]any{"id": "r-1", "operation": "deleteAllData"}
		if identity != nil {
			record["identityId"] = identity
		}
		maps.Copy(record, more)
		return record
	}
	for name, tc := range map[string]struct {
		record           map[string]any
		total, uncertain float64
	}{
		"exactly":             {request(person, nil), 1, 0},
		"in capitals":         {request("JANE.DOE@EXAMPLE.COM", nil), 0, 1},
		"encoded twice":       {request("jane.doe%2540example.com", nil), 0, 1},
		"as a mailbox":        {request("mailto:"+person, nil), 0, 1},
		"in another member":   {request("u-77", map[string]any{"email": person}), 0, 1},
		"nobody":              {request(nil, nil), 0, 1},
		"no operation":        {request(person, map[string]any{"operation": "simmer"}), 0, 1},
		"somebody else":       {request("u-77", nil), 0, 0},
		"a longer name":       {request(person+".au", nil), 0, 0},
		"another operation":   {request(person, map[string]any{"operation": "getAllData"}), 0, 0},
		"nobody, another one": {request(nil, map[string]any{"operation": "getAllData"}), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := reader(t, list(tc.record))
			got, diags := read(t, p, prototest.Attributes{"identity_id": person, "operation": "data_deletion"})
			if got["total"] != tc.total || got["uncertain"] != tc.uncertain || got["complete"] != (tc.uncertain == 0) {
				t.Errorf("total %v, uncertain %v, complete %v", got["total"], got["uncertain"], got["complete"])
			}
			wantNoPerson(t, diags)
		})
	}
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
		total  float64
		counts prototest.Attributes
	}{
		{prototest.Attributes{}, "r0 r1 r2 r3", 4, counts(1, 2, 1, 0)},
		{prototest.Attributes{"identity_id": person}, "r0 r2", 2, counts(1, 1, 0, 0)},
		{prototest.Attributes{"operation": "data_deletion"}, "r0 r1", 2, counts(0, 2, 0, 0)},
		{prototest.Attributes{"identity_id": person, "operation": "profile_update"}, "", 0, counts(0, 0, 0, 0)},
		{prototest.Attributes{"max_requests": 0}, "", 4, counts(1, 2, 1, 0)},
		{prototest.Attributes{"max_requests": 2}, "r0 r1", 4, counts(1, 2, 1, 0)},
		{prototest.Attributes{"account_id": "acct"}, "elsewhere", 1, counts(1, 0, 0, 0)},
	} {
		got, diags := read(t, p, tc.config)
		if ids := ids(t, got); ids != tc.ids {
			t.Errorf("%v gives %q, want %q", tc.config, ids, tc.ids)
		}
		if diff := cmp.Diff(tc.counts, got["counts_by_operation"]); diff != "" {
			t.Errorf("%v: %s", tc.config, diff)
		}
		if got["total"] != tc.total {
			t.Errorf("%v counts %v, want %v", tc.config, got["total"], tc.total)
		}
		if tc.ids == "r0 r1" && tc.total > 2 {
			prototest.WantText(t, diags.Warnings(), "4 pending requests match, and max_requests keeps 2", "identity_id or operation", "max_requests = 0")
		} else {
			wantNoDiagnostics(t, diags)
		}
	}

	service.Reset()
	for _, config := range []prototest.Attributes{
		{"identity_id": ""},
		{"operation": "delete"},
		{"max_requests": -1},
		{"max_requests": 10_001},
		{"org_id": "only"},
		{"account_id": "a", "org_id": "o", "project_id": "p"},
	} {
		if _, diags := p.ReadData(pendingName, config); len(diags.Errors()) == 0 {
			t.Errorf("%v is accepted", config)
		}
	}
	wantNothingSent(t, service)
}

func TestPendingRequests_longListIsCut(t *testing.T) {
	t.Parallel()
	many := soak.Size(soak.Raced(1_010, 1_500), 100_000)
	records := make([]any, many)
	for i := range records {
		records[i] = map[string]any{"id": fmt.Sprintf("r-%06d", i), "identityId": fmt.Sprint("user-", i), "operation": "deleteAllData"}
	}
	rand.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })

	p, _ := reader(t, list(records...))
	got, diags := read(t, p, prototest.Attributes{})
	prototest.WantText(t, diags.Warnings(), fmt.Sprintf("%d pending requests match, and max_requests keeps 1000", many))
	if kept, _ := got["requests"].([]any); got["total"] != float64(many) || len(kept) != 1_000 {
		t.Errorf("%v in total, %d kept", got["total"], len(kept))
	}
}

// Records are read as far as they are recognised, and a part of the list is said to be one.
func TestPendingRequests_answers(t *testing.T) {
	t.Parallel()
	const page = `{"id":"r-1"}`
	unknown := prototest.Attributes{"id": nil, "identity_id": nil, "operation": nil, "created_at": nil, "status": nil}
	const foreign = `{"_id":{"$oid":"65a"},"userId":"` + person + `","type":"DELETE_ALL_DATA","state":"queued","created":"2026-01-31T13:00:00+01:00"}`
	for name, tc := range map[string]struct {
		body     string
		says     []string // in a warning
		counts   prototest.Attributes
		requests []any
	}{
		"none": {`[]`, nil, counts(0, 0, 0, 0), []any{}},
		"other names": {`[` + foreign + `,{"what":"is this"}]`, nil, counts(0, 1, 0, 1), []any{
			unknown.With(prototest.Attributes{"json": `{"what":"is this"}`}),
			prototest.Attributes{
				"id": "65a", "identity_id": person, "operation": "data_deletion", "created_at": "2026-01-31T12:00:00Z", "status": "queued", "json": foreign,
			},
		}},
		"a page": {
			`{"requests":[` + page + `],"has_more":true}`,
			[]string{"pending requests is not complete", "complete = false"},
			counts(0, 0, 0, 1),
			[]any{unknown.With(prototest.Attributes{"id": "r-1", "json": page})},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, service := reader(t)
			service.Inject(mockserver.Fault{Status: 200, Body: []byte(tc.body), Operation: mockserver.OpListPendingRequests})
			got, diags := read(t, p, prototest.Attributes{})
			prototest.WantText(t, append(diags.Warnings(), ""), tc.says...)
			if got["complete"] != (tc.says == nil) {
				t.Errorf("complete is %v", got["complete"])
			}
			if diff := cmp.Diff(tc.counts, got["counts_by_operation"]); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tc.requests, got["requests"]); diff != "" {
				t.Error(diff)
			}
		})
	}

	p, _ := reader(t, func(s *mockserver.Server) {
		s.Inject(mockserver.Fault{Status: 200, Body: []byte(`{"neither":"list"}`), Operation: mockserver.OpListPendingRequests})
	})
	_, diags := p.ReadData(pendingName, prototest.Attributes{})
	prototest.WantText(t, diags.Errors(), "No list of pending requests", "pending-requests")
}
