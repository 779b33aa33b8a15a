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

func TestListPending_recordOfARequest(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.FulfilmentDelay = time.Hour
		id := service.Enqueue(mockserver.QueuedRequest{Scope: serverScope, Identity: person, Operation: mockserver.OpDeleteAllData})
		list, err := c.ListPending(t.Context(), scope)
		noError(t, err)
		if len(list.Records) != 1 {
			t.Fatalf("%d records", len(list.Records))
		}

		r := list.Records[0]
		gotID, _ := r.ID.Get()
		identity, _ := r.Identity.Get()
		at, ok := r.CreatedAt.Get()
		if gotID != id || identity != person || !r.Is(answer.RequestDataDeletion) || !ok || time.Since(at) > time.Minute {
			t.Errorf("recognised %q %q %v %v", gotID, identity, r.RequestType, at)
		}
	}, useSecretKey)
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
