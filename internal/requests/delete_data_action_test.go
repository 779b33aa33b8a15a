// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

const deleteName = "analytics_delete_data"

// invokeWithin returns a configuration of timeouts of an action.
func invokeWithin(limit string) prototest.Attributes {
	return prototest.Attributes{"timeouts": prototest.Attributes{"invoke": limit}}
}

// wantDiscreet fails the test if anything that an action shows holds something of the
// person, or one of others.
func wantDiscreet(t *testing.T, invoked prototest.Invocation, others ...string) {
	t.Helper()
	for _, text := range invoked.Texts() {
		for _, private := range append([]string{person, "jane.doe", "Canary"}, others...) {
			if strings.Contains(text, private) {
				t.Errorf("the person is named: %s", text)
			}
		}
	}
}

// wantProgress fails the test if an action has shown other messages.
func wantProgress(t *testing.T, invoked prototest.Invocation, want ...string) {
	t.Helper()
	if !slices.Equal(invoked.Progress, want) {
		t.Errorf("the messages are\n%s\nwant\n%s", strings.Join(invoked.Progress, "\n"), strings.Join(want, "\n"))
	}
}

func wantNothingSent(t *testing.T, service *mocktest.Instance) {
	t.Helper()
	if requests := service.Requests(); len(requests) > 0 {
		t.Errorf("the service has received %d requests", len(requests))
	}
}

const (
	acceptedFirst = `The service accepted the deletion as request "request-1". It cannot be cancelled.`
	carriedOut    = "Carried out: no longer pending, and the profile is gone or empty. The consent of the person stands."
)

func TestDeleteData_planWarnsAndSendsNothing(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	diags := p.PlanAction(deleteName, config(nil))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "irreversible", "without modifying real infrastructure", "Consent is not revoked")
	wantNoPerson(t, diags)
	wantNothingSent(t, service)
}

func TestDeleteData_unusableScopeIsRefusedInThePlan(t *testing.T) {
	t.Parallel()

	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service).Without("org_id", "project_id"))
	prototest.WantText(t, p.PlanAction(deleteName, config(nil)).Errors(), "No usable scope")
	p.NoErrors(p.PlanAction(deleteName, config(prototest.Attributes{"account_id": prototest.Unknown})))
}

func TestDeleteData_saysWhatHappensInOrder(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	invoked := p.Invoke(deleteName, config(nil))
	p.NoErrors(invoked.Diagnostics)
	wantProgress(t, invoked, acceptedFirst, carriedOut)
	wantDiscreet(t, invoked)
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)

	if _, exists := service.Profile(scope, person); exists {
		t.Error("the profile still exists")
	}
	if _, exists := service.Consent(scope, person); !exists {
		t.Error("the consent is gone")
	}
}

func TestDeleteData_eachRunSendsAnotherRequest(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	p.MustCreate(deletionName, config(nil))
	for range 2 {
		p = nextRun(t, service)
		p.NoErrors(p.Invoke(deleteName, config(nil)).Diagnostics)
	}
	wantQueued(t, service, mockserver.OpDeleteAllData, 3)
}

func TestDeleteData_pendingOneIsAdopted(t *testing.T) {
	t.Parallel()

	for how, tc := range map[string]struct {
		config prototest.Attributes
		says   []string
	}{
		"waits":         {nil, []string{`A deletion is pending already, as request "theirs"; it is waited for, and no other is sent.`, carriedOut}},
		"does not wait": {atOnce, []string{`A deletion is pending already, as request "theirs"; no other is sent.`}},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, never)
			service.Enqueue(mockserver.QueuedRequest{ID: "theirs", Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData})
			service.Enqueue(mockserver.QueuedRequest{ID: "another", Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData})
			invoked := p.InvokePlanned(t.Context(), deleteName, config(tc.config), func(string) bool {
				service.FulfilAll()
				return true
			})
			p.NoErrors(invoked.Diagnostics)
			wantProgress(t, invoked, tc.says...)
			prototest.WantText(t, invoked.Warnings(), "More requests are pending", `"another"`)
			wantQueued(t, service, mockserver.OpDeleteAllData, 2)
		})
	}
}

func TestDeleteData_withoutWaitingEndsWithTheAnswer(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	invoked := p.Invoke(deleteName, config(atOnce))
	p.NoErrors(invoked.Diagnostics)
	wantProgress(t, invoked, acceptedFirst)
	if warnings := invoked.Warnings(); len(warnings) != 1 {
		t.Errorf("besides that of the plan, it warns: %q", warnings)
	}
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

func TestDeleteData_endsThatAreNotTheUsualOne(t *testing.T) {
	t.Parallel()

	conflicting := func(s *mockserver.Server) {
		never(s)
		s.Enqueue(mockserver.QueuedRequest{ID: "update", Scope: scope, Identity: person, Operation: mockserver.OpUpdateProfile})
	}
	for name, tc := range map[string]struct {
		configure func(*mockserver.Server)
		fault     mockserver.Fault
		errors    []string // words of one error; none if it only warns
		warnings  []string
		queued    int
	}{
		"time is over":        {configure: never, warnings: []string{"Accepted and still pending", `"request-1"`, "must not be repeated"}, queued: 1},
		"unknown status":      {configure: outcome(mockserver.Outcome{Fate: mockserver.Never, Status: "ON_ICE"}), warnings: []string{"Unknown status", "wire.ended_statuses"}, queued: 1},
		"failed later":        {configure: outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1, Code: "E_HOLD"}), errors: []string{"request-1", "E_HOLD"}, queued: 1},
		"dropped":             {configure: outcome(mockserver.Outcome{Fate: mockserver.Vanished, After: 1200 * time.Millisecond}), errors: []string{"is gone, and its effect cannot be seen", `"request-1"`}, queued: 1},
		"refused":             {configure: never, fault: mockserver.Fault{Status: 422, Body: []byte(`{"error":{"code":"E_LEGAL_HOLD"}}`)}, errors: []string{"E_LEGAL_HOLD"}},
		"conflicting request": {configure: conflicting, errors: []string{"Conflicting pending request update"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, tc.configure)
			if tc.fault.Status != 0 {
				tc.fault.Operation = mockserver.OpDeleteAllData
				service.Inject(tc.fault)
			}
			invoked := p.Invoke(deleteName, config(invokeWithin("3s")))
			wantDiscreet(t, invoked)
			wantQueued(t, service, mockserver.OpDeleteAllData, tc.queued)
			prototest.WantText(t, append(invoked.Errors(), ""), tc.errors...)
			prototest.WantText(t, append(invoked.Warnings(), ""), tc.warnings...)
			if failed := len(invoked.Errors()) > 0; failed != (len(tc.errors) > 0) {
				t.Errorf("the errors are %q", invoked.Errors())
			}
		})
	}
}

// Nothing shows whether a deletion was carried out that the list has never shown, of a person
// without a profile.
func TestDeleteData_neverListedIsAWarning(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	service.DeleteProfile(scope, person)
	invoked := p.Invoke(deleteName, config(nil))
	p.NoErrors(invoked.Diagnostics)
	prototest.WantText(t, invoked.Warnings(), "nothing shows that it was carried out", `"request-1"`, "Invoking the action again sends another one")
	wantDiscreet(t, invoked)
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

func TestDeleteData_unknownOutcomeSaysWhatToDo(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	service.Inject(mockserver.Fault{
		Operation: mockserver.OpDeleteAllData, Cut: mockserver.CutAfterCommit,
		Then: func() {
			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 403, Body: []byte(`{"error":{}}`)})
		},
	})
	invoked := p.Invoke(deleteName, config(nil))
	prototest.WantText(t, invoked.Errors(), "Outcome unknown", "look at analytics_pending_requests before you invoke the action again")
	wantProgress(t, invoked)
	wantDiscreet(t, invoked)

	again := nextRun(t, service).Invoke(deleteName, config(atOnce))
	wantProgress(t, again, `A deletion is pending already, as request "request-1"; no other is sent.`)
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

// TestDeleteData_interruptComesAfterTheID interrupts an action as soon as it has said under
// which ID the deletion was accepted. The package's TestMain finds what is left running.
func TestDeleteData_interruptComesAfterTheID(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	stopped := make(chan struct{})
	invoked := p.InvokePlanned(t.Context(), deleteName, config(nil), func(string) bool {
		go func() {
			defer close(stopped)
			p.Stop() // which waits for the end of the action
		}()
		return true
	})
	<-stopped
	p.NoErrors(invoked.Diagnostics)
	wantProgress(t, invoked, acceptedFirst)
	prototest.WantText(t, invoked.Warnings(), "Interrupted while waiting", `"request-1"`)
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

// TestDeleteData_clientThatGoesAwayLeavesNothingRunning is interruptComesAfterTheID for a
// connection that breaks: nobody takes what the action says afterwards.
func TestDeleteData_clientThatGoesAwayLeavesNothingRunning(t *testing.T) {
	t.Parallel()

	p, _ := start(t, never)
	ctx, cancel := context.WithCancel(t.Context())
	invoked := p.InvokePlanned(ctx, deleteName, config(nil), func(string) bool {
		cancel()
		return false
	})
	wantProgress(t, invoked, acceptedFirst)
}

// panicOn lets a request with a method panic in the goroutine that sends it.
func panicOn(method string) provider.Option {
	return func(cfg *client.Config) {
		cfg.Proxy = func(r *http.Request) (*url.URL, error) {
			if r.Method == method {
				panic("canary of " + person)
			}
			return nil, nil
		}
	}
}

func TestDeleteData_panicIsAnErrorOfTheAction(t *testing.T) {
	t.Parallel()

	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service), panicOn(http.MethodDelete))
	invoked := p.Invoke(deleteName, config(nil))
	prototest.WantText(t, invoked.Errors(), "Internal error", "panic")
	wantDiscreet(t, invoked)
}
