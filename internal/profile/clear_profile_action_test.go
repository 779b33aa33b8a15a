// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// How actions end that are not refused is tested in package requests, for all actions.

const clearName = "analytics_clear_profile"

// held is the profile at the service before an action.
const held = `{"name":"Jane Canary","plan":"gold","phone":"+49 30 5550123","fax":null}`

// clears returns a configuration that clears members.
func clears(members ...any) prototest.Attributes {
	return prototest.Attributes{"identity_id": person, "members": members}
}

func TestClearProfile_sendsOnlyWhatIsThere(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		prototest.WantText(t, o.PlanAction(clearName, clears()).Errors(), "at least 1")
		prototest.WantText(t, o.PlanAction(clearName, clears("")).Errors(), "members")

		for _, profile := range []string{"", held, ""} { // no profile, one, and that one cleared
			want := []string{"The profile has no value for any of the members."}
			if profile != "" {
				o.service.PutProfile(scope, person, profile)
				o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 404, Body: []byte(`{"error":{"code":"not_found"}}`)})
				want = []string{
					`The service accepted the update of the profile as request "request-1". It cannot be cancelled.`,
					"Still pending after 30s.", "Still pending after 1m0s.", "Still pending after 1m30s.",
					"The profile has no value for any of the members.",
				}
			}
			invoked := o.Invoke(clearName, clears("phone", "fax", "address", "name"))
			o.NoErrors(invoked.Diagnostics)
			if !slices.Equal(invoked.Progress, want) {
				t.Errorf("the messages are %q, want %q", invoked.Progress, want)
			}
		}

		wantSent(t, o.service, `{"name":null,"phone":null}`)
		o.wantHeld("plan", "gold")
		o.wantHeld("name", nil)
		o.wantHeld("phone", nil)
	}, outcome(mockserver.Outcome{After: 95 * time.Second}))
}

// Another update may set members that the profile does not have yet, and a cache may not show them.
func TestClearProfile_allIsSentWhereLessProvesNothing(t *testing.T) {
	t.Parallel()
	inBubbles(t, map[string]func(t *testing.T, o *object){
		"beside another update": func(t *testing.T, o *object) {
			o.service.PutProfile(scope, person, `{"plan":null}`)
			o.enqueue("gold")
			o.NoErrors(o.Invoke(clearName, clears("plan").With(notWaiting)).Diagnostics)
			wantSent(t, o.service, `{"plan":null}`)
		},
		"behind a cache": func(t *testing.T, o *object) {
			o.service.PutProfile(scope, person, held)
			o.service.Inject(mockserver.Fault{
				Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(`{"name":"Jane Canary"}`), Header: map[string][]string{"Age": {"86400"}}, Times: -1,
			})
			o.NoErrors(o.Invoke(clearName, clears("name", "phone").With(notWaiting)).Diagnostics)
			wantSent(t, o.service, `{"name":null,"phone":null}`)
		},
	}, never)
}

// What is cleared by somebody else after it was read is sent all the same: nothing else may count as
// accepted.
func TestClearProfile_isSentWhereSomebodyElseClearsMeanwhile(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		o.service.PutProfile(scope, person, held)
		o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Commit: true, Then: func() {
			o.service.PutProfile(scope, person, `{"plan":"gold"}`)
		}})
		invoked := o.Invoke(clearName, clears("phone", "name"))
		o.NoErrors(invoked.Diagnostics)
		wantSent(t, o.service, `{"name":null,"phone":null}`)
		if !strings.HasPrefix(invoked.Progress[0], "The service accepted the update of the profile as request") {
			t.Errorf("the messages are %q", invoked.Progress)
		}
	})
}
