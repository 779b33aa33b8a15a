// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"slices"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// How actions end is tested in package requests: this one submits and waits as they do.

const (
	clearName = "analytics_clear_profile"
	cleared   = "The profile has no value for any of the members."
	accepted  = `The service accepted the update of the profile as request "request-1". It cannot be cancelled.`

	// held is the profile at the service before an action.
	held = `{"name":"Jane Canary","plan":"gold","phone":"+49 30 5550123","fax":null}`
)

// clears returns a configuration that clears members.
func clears(members ...any) prototest.Attributes {
	return prototest.Attributes{"identity_id": person, "members": members}
}

// wantSaid fails the test if an invocation fails, or shows other messages.
func wantSaid(t *testing.T, invoked prototest.Invocation, want ...string) {
	t.Helper()
	if len(invoked.Errors()) > 0 || !slices.Equal(invoked.Progress, want) {
		t.Errorf("the messages are %q %q, want %q", invoked.Progress, invoked.Errors(), want)
	}
}

func TestClearProfile_sendsOnlyWhatIsThere(t *testing.T) {
	t.Parallel()
	run(t, "one by one", func(t *testing.T, o *object) {
		prototest.WantText(t, o.PlanAction(clearName, clears()).Errors(), "at least 1")
		prototest.WantText(t, o.PlanAction(clearName, clears("")).Errors(), "members")
		prototest.WantText(t, o.PlanAction(clearName, clears("name")).Warnings(), "irreversible", "without modifying real infrastructure")

		members := clears("phone", "fax", "address", "name")
		wantSaid(t, o.Invoke(clearName, members), cleared) // of a person without a profile
		o.put(held)
		o.answer(mockserver.OpGetProfile, 1, 404, `{"error":{"code":"not_found"}}`)
		wantSaid(t, o.Invoke(clearName, members), accepted, "Still pending after 30s.", "Still pending after 1m0s.", "Still pending after 1m30s.", cleared)
		wantSaid(t, o.Invoke(clearName, members), cleared)
		wantSent(t, o.service, `{"name":null,"phone":null}`)
		o.wantHeld("plan", "gold")
		o.wantHeld("name", nil)
		o.wantHeld("phone", nil)
	}, outcome(mockserver.Outcome{After: 95 * time.Second}))
}

// Another update may set members that the profile does not have yet, and a cache may not show them. What is cleared by
// somebody else after it was read is sent all the same: nothing else may count as accepted.
func TestClearProfile_allIsSentWhereLessProvesNothing(t *testing.T) {
	t.Parallel()
	run(t, "beside another update", func(t *testing.T, o *object) {
		o.put(`{"plan":null}`)
		o.enqueue("gold")
		o.NoErrors(o.Invoke(clearName, clears("plan").With(notWaiting)).Diagnostics)
		wantSent(t, o.service, `{"plan":null}`)
	}, never)
	run(t, "behind a cache", func(t *testing.T, o *object) {
		o.put(held)
		o.service.Inject(mockserver.Fault{
			Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(`{"name":"Jane Canary"}`), Header: map[string][]string{"Age": {"86400"}}, Times: -1,
		})
		wantSaid(t, o.Invoke(clearName, clears("name", "phone").With(notWaiting)), accepted)
		wantSent(t, o.service, `{"name":null,"phone":null}`)
	}, never)
	run(t, "somebody else clears meanwhile", func(t *testing.T, o *object) {
		o.put(held)
		o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Commit: true, Then: func() { o.put(gold) }})
		wantSaid(t, o.Invoke(clearName, clears("phone", "name")), accepted, cleared)
		wantSent(t, o.service, `{"name":null,"phone":null}`)
	})
}
