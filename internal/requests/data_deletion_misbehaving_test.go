// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// oldRequest adds a request to the queue that ended long ago and is still listed.
func oldRequest(service *mocktest.Instance, operation string, end mockserver.Outcome) {
	id := service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: operation, At: time.Now().Add(-48 * time.Hour)})
	service.Conclude(id, end)
	service.PutProfile(scope, person, `{"name":"Jane Canary"}`)
}

func TestDataDeletion_oldFailureIsNotItsOwn(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	oldRequest(service, mockserver.OpDeleteAllData, mockserver.Outcome{Fate: mockserver.Failed, Code: "E_OLD"})
	state, diags := p.MustCreate(deletionName, config(atOnce))
	wantNoPerson(t, diags)
	for range 3 { // further applies
		p = nextRun(t, service)
		state, diags = p.MustRefresh(deletionName, state)
		if len(diags.Warnings()) > 0 {
			t.Errorf("a refresh warns: %v", diags.Warnings())
		}

		p.WantEmptyPlan(deletionName, state, config(atOnce))
	}

	service.FulfilAll()
	state, _ = p.MustRefresh(deletionName, state)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": true, "request_id": "request-2"})
	wantQueued(t, service, mockserver.OpDeleteAllData, 2)
}

// A request with a final status that the provider does not know prevents a deletion until
// wire.ended_statuses names the status, which no message shows.
func TestDataDeletion_unknownFinalStatusHasAWayOut(t *testing.T) {
	t.Parallel()

	for _, status := range []string{"closed", "delivered", "available"} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, never)
			oldRequest(service, mockserver.OpGetAllData, mockserver.Outcome{KeepListed: true, FinalStatus: status})
			state, diags := p.Create(deletionName, config(atOnce))
			if state != nil {
				t.Error("something is in state")
			}

			prototest.WantText(t, diags.Errors(), "onflicting pending request", "wire.ended_statuses")
			for _, text := range diags.Errors() {
				if strings.Contains(text, status) {
					t.Errorf("an unknown status is shown: %s", text)
				}
			}

			withWire(p, service, prototest.Attributes{"ended_statuses": []any{status}})
			state, _ = p.MustCreate(deletionName, config(atOnce))
			wantAttributes(t, state, prototest.Attributes{"fulfilled": false})
			wantQueued(t, service, mockserver.OpDeleteAllData, 1)
		})
	}
}

func TestDataDeletion_listThatIsNotUnderstoodHasAWayOut(t *testing.T) {
	t.Parallel()

	p, service := start(t, never, func(s *mockserver.Server) { s.RenamePending("identityId", "") })
	service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData})
	state, diags := p.Create(deletionName, config(atOnce))
	if state != nil {
		t.Error("something is in state")
	}

	prototest.WantText(t, diags.Errors(), "cannot be read as a whole", "wire.pending_list", "wire.pending_identity_field")
	wantNoPerson(t, diags)
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)

	for _, way := range []string{"partial", "ignored"} {
		withWire(p, service, prototest.Attributes{"pending_list": way})
		other := prototest.Attributes{"identity_id": "user-" + way, "wait_for_fulfilment": false}
		if _, diags := p.Create(deletionName, other); len(diags.Errors()) > 0 {
			t.Errorf("%s: %v", way, diags.Errors())
		}
	}
}

// A deletion whose answer is not understood is in state as sent, with a warning, and is
// never sent again.
func TestDataDeletion_answerThatIsNotUnderstoodIsKept(t *testing.T) {
	t.Parallel()

	p, service := start(t, never, mocktest.AnswerQueueing(200, `{"simmering":"a little"}`))
	state, diags := p.MustCreate(deletionName, config(atOnce))
	prototest.WantText(t, diags.Warnings(), "Sent, and the answer is not understood", "$.simmering (a string)", "never sent again")
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "request_id": nil})

	p = nextRun(t, service)
	state, _ = p.MustRefresh(deletionName, state)
	p.WantEmptyPlan(deletionName, state, config(atOnce))
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)

	service.FulfilAll()
	state, _ = p.MustRefresh(deletionName, state)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": true})
}

// An answer that says no leaves nothing in state.
func TestDataDeletion_refusalUnderAStatusOfSuccess(t *testing.T) {
	t.Parallel()

	for _, body := range []string{`{"accepted":false}`, `{"ok":false}`, `{"success":false,"reason":"quota"}`, `{"status":"rejected"}`, `{"id":"request-1","status":"failed"}`, `{"state":"CANCELLED"}`} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()

			p, _ := start(t, mocktest.AnswerQueueing(200, body))
			state, diags := p.Create(deletionName, config(atOnce))
			if state != nil || len(diags.Errors()) != 1 {
				t.Errorf("the errors are %q, and something may be in state", diags.Errors())
			}
		})
	}
}

// A changed scope of the provider is refused while the request is pending. Once it is
// fulfilled, the object is replaced with a warning.
func TestDataDeletion_changedProviderScope(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	state, _ := p.MustCreate(deletionName, config(atOnce))
	other := prototest.Config(service).With(prototest.Attributes{"project_id": "shop"})

	p.Reconfigure(other)
	state, _ = p.MustRefresh(deletionName, state)
	_, diags := p.Plan(deletionName, state, config(atOnce))
	prototest.WantText(t, diags.Errors(), "under way in the former scope", "project_id")
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false})

	service.FulfilAll()
	state, _ = p.MustRefresh(deletionName, state)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": true, "project_id": mocktest.Project})
	plan, diags := p.Plan(deletionName, state, config(atOnce))
	p.NoErrors(diags)
	if len(plan.Replace) == 0 {
		t.Error("the object is not replaced")
	}

	prototest.WantText(t, diags.Warnings(), "scope of the provider has changed")
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

// The text of a failure may name people, so none of it is shown.
func TestDataDeletion_failureNamesNobody(t *testing.T) {
	t.Parallel()

	for name, answer := range map[string]func(map[string]any) map[string]any{
		"message in the record": func(r map[string]any) map[string]any {
			r["error"] = map[string]any{"message": "cannot erase " + person + " for other@example.com"}
			return r
		},
		"text in the record": func(r map[string]any) map[string]any {
			r["error"] = "cannot erase " + person + " for other@example.com"
			return r
		},
		"code in the record": func(r map[string]any) map[string]any {
			r["code"] = "held-by-other@example.com"
			return r
		},
		"status in the record": func(r map[string]any) map[string]any {
			r["status"] = "held by other@example.com"
			return r
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1}), func(s *mockserver.Server) { s.ReshapePending(answer) })
			_, diags := p.Create(deletionName, config(within("2500ms")))
			wantNoPerson(t, diags)
			for _, text := range append(diags.Errors(), diags.Warnings()...) {
				if strings.Contains(text, "other@") {
					t.Errorf("somebody else is named: %s", text)
				}
			}

			wantQueued(t, service, mockserver.OpDeleteAllData, 1)
		})
	}
}

// Nothing shows whether a deletion was carried out that the list has never shown, of a person
// without a profile.
func TestDataDeletion_neverListedIsNotFulfilled(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	service.DeleteProfile(scope, person)
	state, diags := p.MustCreate(deletionName, config(nil))
	prototest.WantText(t, diags.Warnings(), "nothing shows that it was carried out", "request-1")
	for range 2 {
		state, diags = nextRun(t, service).MustRefresh(deletionName, state)
		prototest.WantText(t, diags.Warnings(), "nothing shows that it was carried out", "request-1")
		wantNoPerson(t, diags)
		wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "fulfilled_at": nil})
		p.WantEmptyPlan(deletionName, state, config(nil))
	}
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}
