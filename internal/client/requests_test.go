// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestListPending_recognisesUsualShapes(t *testing.T) {
	t.Parallel()

	record := func(m map[string]any, names ...string) map[string]any {
		return map[string]any{names[0]: m["id"], names[1]: m["identityId"], names[2]: m["operation"], names[3]: m["createdAt"], names[4]: m["status"]}
	}

	each := func(records []map[string]any, names ...string) []any {
		var out []any
		for _, r := range records {
			out = append(out, record(r, names...))
		}
		return out
	}

	for name, shape := range map[string]func([]map[string]any) any{
		"camel": func(r []map[string]any) any { return r },
		"snake": func(r []map[string]any) any {
			return each(r, "request_id", "identity_id", "request_type", "created_at", "state")
		},
		"mongo": func(r []map[string]any) any {
			return map[string]any{"data": each(r, "_id", "userId", "action", "timestamp", "status")}
		},
		"wrapped":          func(r []map[string]any) any { return map[string]any{"pendingRequests": r, "total": len(r)} },
		"wrapped twice":    func(r []map[string]any) any { return map[string]any{"data": map[string]any{"items": r}} },
		"a record wrapped": func(r []map[string]any) any { return []any{map[string]any{"request": r[0]}} },
		"ids in objects": func(r []map[string]any) any {
			return []any{map[string]any{"_id": map[string]any{"$oid": r[0]["id"]}, "user": map[string]any{"id": r[0]["identityId"]}, "type": "DELETE_ALL_DATA", "createdAt": r[0]["createdAt"], "status": "queued"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				service.FulfilmentDelay = time.Hour
				mockserver.Reshape(service.Server, shape, mockserver.OpListPendingRequests)
				id := service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: person, Operation: mockserver.OpDeleteAllData})
				list, err := c.ListPending(t.Context(), scope)
				records := list.Records
				noError(t, err)

				if len(records) != 1 {
					t.Fatalf("%d records", len(records))
				}

				gotID, _ := records[0].ID.Get()
				identity, _ := records[0].Identity.Get()
				operation, _ := records[0].RequestType.Get()
				at, ok := records[0].CreatedAt.Get()
				if gotID != id || identity != person || operation != answer.RequestDataDeletion || !ok || !at.Equal(service.Queue()[0].At.Truncate(time.Second)) && time.Since(at) > time.Minute {
					t.Errorf("recognised %q %q %q %v", gotID, identity, operation, at)
				}
			}, useSecretKey)
		})
	}
}

func TestListPending_somethingElseIsAnError(t *testing.T) {
	t.Parallel()

	for body, class := range map[string]transport.ErrorClass{
		"":                       transport.ClassEmpty,
		"{}":                     transport.ClassPayload,
		"null":                   transport.ClassPayload,
		`{"data":null}`:          transport.ClassPayload,
		`"x"`:                    transport.ClassPayload,
		`{"error":{"code":"E"}}`: transport.ClassRejected,
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 200, Body: []byte(body)})
			_, err := c.ListPending(t.Context(), scope)
			_ = wantClass(t, err, class)
		}, useSecretKey)
	}

	for _, body := range []string{"[]", `{"data":[]}`, `{"pending_requests":[],"next":null}`} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 200, Body: []byte(body)})
			list, err := c.ListPending(t.Context(), scope)
			if err != nil || len(list.Records) != 0 || list.Gap != "" {
				t.Errorf("%s: %v %v", body, list, err)
			}
		}, useSecretKey)
	}
}

func TestShownID_withoutThePersonOfTheCall(t *testing.T) {
	t.Parallel()

	for id, want := range map[string]string{
		"req-1":                    "req-1",
		"Customer-4711":            "[redacted]",
		"del-customer-4711/2":      "del-[redacted]/2",
		"del-customer%2D4711":      "del-[redacted]",
		"ZGVsOmN1c3RvbWVyLTQ3MTE=": "[redacted]=",
		"bob@example.org":          "[redacted]",
	} {
		if got := client.ShownID(id, "customer-4711"); got != want {
			t.Errorf("%q is shown as %q, want %q", id, got, want)
		}
	}
}
