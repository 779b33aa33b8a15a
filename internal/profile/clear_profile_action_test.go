// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// How actions end that are not refused is tested in package requests, for all actions.

const (
	clearName   = "analytics_clear_profile"
	nothingSaid = "Nothing to clear."
)

// held is the profile at the service before an action.
const held = `{"name":"Jane Canary","plan":"gold","phone":"+49 30 5550123","fax":null}`

// clears returns a configuration that clears members.
func clears(members ...any) prototest.Attributes {
	return prototest.Attributes{"identity_id": person, "members": members}
}

// invoke clears members. Nothing that the action shows may hold anything of the person.
func (o *object) invoke(members ...any) prototest.Invocation {
	o.t.Helper()
	invoked := o.Invoke(clearName, clears(members...))
	for _, text := range invoked.Texts() {
		for _, private := range []string{person, "jane.doe", "Canary", "5550123"} {
			if strings.Contains(text, private) {
				o.t.Errorf("the person is named: %s", text)
			}
		}
	}

	return invoked
}

func TestClearProfile_membersAreNeeded(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		prototest.WantText(t, o.PlanAction(clearName, clears()).Errors(), "at least 1")
		prototest.WantText(t, o.PlanAction(clearName, clears("")).Errors(), "members")
		if n := len(o.service.Requests()); n > 0 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestClearProfile_sendsOnlyWhatIsThere(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		for _, profile := range []string{"", held, ""} { // no profile, one, and that one cleared
			want := []string{nothingSaid}
			if profile != "" {
				o.service.PutProfile(scope, person, profile)
				want = []string{
					`The service accepted the update of the profile as request "request-1". It cannot be cancelled.`,
					"Carried out: the profile has no value for any of the members.",
				}
			}
			invoked := o.invoke("phone", "fax", "address", "name")
			o.NoErrors(invoked.Diagnostics)
			if !slices.Equal(invoked.Progress, want) {
				t.Errorf("the messages are %q, want %q", invoked.Progress, want)
			}
		}

		wantSent(t, o.service, `{"name":null,"phone":null}`)
		o.wantHeld("plan", "gold")
		o.wantHeld("name", nil)
		o.wantHeld("phone", nil)
	})
}

func TestClearProfile_unreadableProfileSendsNothing(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 403, Body: []byte(`{"error":{}}`)})
		prototest.WantText(t, o.invoke("name").Errors(), "Not permitted")
		wantSent(t, o.service)
	})
}

// A member that a resource manages is set again by the next apply.
func TestClearProfile_managedMemberIsSetAgain(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		state := o.create(config(gold, nil))
		o.NoErrors(o.invoke("plan").Diagnostics)
		o.NewRun()
		state, _ = o.MustRefresh(name, state)
		o.mustUpdate(state, config(gold, nil))
		wantSent(t, o.service, `{"plan":null}`, gold)
	})
}
