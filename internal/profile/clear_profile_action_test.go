// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const (
	clearName     = "analytics_clear_profile"
	clearAccepted = `The service accepted the update of the profile as request "request-1". It cannot be cancelled.`
	cleared       = "Carried out: the profile has no value for any of the members."
	nothingSaid   = "Nothing to clear."
)

// held is the profile at the service before an action.
const held = `{"name":"Jane Canary","plan":"gold","phone":"+49 30 5550123","fax":null}`

// clears returns a configuration that clears members.
func clears(others prototest.Attributes, members ...any) prototest.Attributes {
	return prototest.Attributes{"identity_id": person, "members": members}.With(others)
}

// startHeld is start for a person with a profile.
func startHeld(t *testing.T, configure ...func(*mockserver.Server)) (*prototest.Provider, *mocktest.Instance) {
	t.Helper()
	p, service := start(t, configure...)
	service.PutProfile(scope, person, held)
	return p, service
}

// wantProgress fails the test if an action has shown other messages, or anything of the
// person.
func wantProgress(t *testing.T, invoked prototest.Invocation, want ...string) {
	t.Helper()
	if !slices.Equal(invoked.Progress, want) {
		t.Errorf("the messages are\n%s\nwant\n%s", strings.Join(invoked.Progress, "\n"), strings.Join(want, "\n"))
	}
	for _, text := range invoked.Texts() {
		for _, private := range []string{person, "jane.doe", "Canary", "5550123"} {
			if strings.Contains(text, private) {
				t.Errorf("the person is named: %s", text)
			}
		}
	}
}

func TestClearProfile_planWarnsAndSendsNothing(t *testing.T) {
	t.Parallel()

	p, service := startHeld(t)
	diags := p.PlanAction(clearName, clears(nil, "name"))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "irreversible", "without modifying real infrastructure")
	if n := len(service.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
}

func TestClearProfile_refusedInThePlan(t *testing.T) {
	t.Parallel()

	service := mocktest.Start(t)
	p := prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"read_only": true}))
	prototest.WantText(t, p.PlanAction(clearName, clears(nil, "name")).Errors(), "read-only", "Nothing was sent")
	prototest.WantText(t, p.PlanAction(clearName, clears(nil)).Errors(), "at least 1")
	prototest.WantText(t, p.PlanAction(clearName, clears(nil, "")).Errors(), "members")
	if n := len(service.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
}

func TestClearProfile_sendsOnlyWhatIsThere(t *testing.T) {
	t.Parallel()

	p, service := startHeld(t)
	invoked := p.Invoke(clearName, clears(nil, "phone", "fax", "address", "name"))
	p.NoErrors(invoked.Diagnostics)
	wantProgress(t, invoked, clearAccepted, cleared)
	wantSent(t, service, `{"name":null,"phone":null}`)

	after, _ := service.Profile(scope, person)
	if after["plan"] != "gold" || after["name"] != nil || after["phone"] != nil {
		t.Errorf("the service holds %v", after)
	}
	wantProgress(t, p.Invoke(clearName, clears(nil, "phone", "name")), nothingSaid)
	wantSent(t, service, `{"name":null,"phone":null}`)
}

func TestClearProfile_nothingToClear(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	invoked := p.Invoke(clearName, clears(nil, "name"))
	p.NoErrors(invoked.Diagnostics)
	wantProgress(t, invoked, nothingSaid)
	wantSent(t, service)
}

func TestClearProfile_endsThatAreNotTheUsualOne(t *testing.T) {
	t.Parallel()

	pendingDeletion := func(s *mockserver.Server) {
		s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{Fate: mockserver.Never} }
		s.Enqueue(mockserver.QueuedRequest{ID: "erasure", Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData})
	}
	for name, tc := range map[string]struct {
		configure func(*mockserver.Server)
		errors    []string // words of one error; none if it only warns
		warnings  []string
		progress  []string
	}{
		"time is over":        {configure: outcome(mockserver.Outcome{Fate: mockserver.Never}), warnings: []string{"Accepted and still pending", `"request-1"`}, progress: []string{clearAccepted}},
		"failed later":        {configure: outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1, Code: "E_HOLD"}), errors: []string{"request-1", "E_HOLD"}, progress: []string{clearAccepted}},
		"dropped":             {configure: outcome(mockserver.Outcome{Fate: mockserver.Vanished, After: 1200 * time.Millisecond}), errors: []string{"is gone, and its effect cannot be seen"}, progress: []string{clearAccepted}},
		"conflicting request": {configure: pendingDeletion, errors: []string{"Conflicting pending request erasure", "run again once the other request is carried out"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, _ := startHeld(t, tc.configure)
			limit := prototest.Attributes{"timeouts": prototest.Attributes{"invoke": "3s"}}
			invoked := p.Invoke(clearName, clears(limit, "name"))
			wantProgress(t, invoked, tc.progress...)
			prototest.WantText(t, append(invoked.Errors(), ""), tc.errors...)
			prototest.WantText(t, append(invoked.Warnings(), ""), tc.warnings...)
			if failed := len(invoked.Errors()) > 0; failed != (len(tc.errors) > 0) {
				t.Errorf("the errors are %q", invoked.Errors())
			}
		})
	}
}

func TestClearProfile_unknownOutcomeSaysWhatToDo(t *testing.T) {
	t.Parallel()

	p, service := startHeld(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	for range 2 {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateProfile, Cut: mockserver.CutBeforeCommit})
	}
	invoked := p.Invoke(clearName, clears(nil, "name"))
	wantProgress(t, invoked)
	prototest.WantText(t, invoked.Errors(), "Outcome unknown", "It sends only what the profile still has then")
}

func TestClearProfile_unreadableProfileSendsNothing(t *testing.T) {
	t.Parallel()

	p, service := startHeld(t)
	service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 403, Body: []byte(`{"error":{}}`)})
	prototest.WantText(t, p.Invoke(clearName, clears(nil, "name")).Errors(), "Not permitted")
	wantSent(t, service)
}

// TestClearProfile_managedMemberIsSetAgain documents what happens to a member that a
// resource manages.
func TestClearProfile_managedMemberIsSetAgain(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	state := created(t, p, service, config(`{"plan":"gold"}`, nil))
	p.NoErrors(p.Invoke(clearName, clears(nil, "plan")).Diagnostics)

	p.NewRun()
	state, _ = p.MustRefresh(name, state)
	p.NoErrors(second(p.Update(name, state, config(`{"plan":"gold"}`, nil))))
	wantSent(t, service, `{"plan":null}`, `{"plan":"gold"}`)
}

func second(_ *prototest.State, diags prototest.Diagnostics) prototest.Diagnostics { return diags }
