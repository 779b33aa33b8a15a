// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestConsent_destroyRetainsWithAWarningAndSendsNothing(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, nil)
	after, diags := p.Destroy(name, state)
	p.NoErrors(diags)

	if after != nil {
		t.Error("the object is still in state")
	}
	if texts := diags.Warnings(); len(texts) != 1 {
		t.Errorf("plan and apply warn %d times: %v", len(texts), texts)
	}

	prototest.WantText(t, diags.Warnings(), "The consent stays at the service", "withdraw")
	wantOperations(t, service)
	wantHeld(t, service, configured)
}

func TestConsent_destroySendsNothingWhereThePersonHasRefused(t *testing.T) {
	t.Parallel()
	for _, at := range []any{nil, early} {
		p, service := start(t, nil)
		state := created(t, p, service, withdrawing)
		theirs := mockserver.ConsentRecord{Manual: &no, AgreementTime: at, UserIPv6: new("2001:db8::2")}
		service.PutConsent(scope, person, theirs)

		_, diags := p.Destroy(name, state)
		p.NoErrors(diags)
		if len(diags) != 0 {
			t.Errorf("%v: warnings %v", at, diags.Warnings())
		}
		if held, _ := service.Consent(scope, person); !cmp.Equal(held, theirs) {
			t.Errorf("%v: the person's record is changed: %v", at, held)
		}
	}
}

func TestConsent_destroyWithdrawsAllFiveClauses(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	others := prototest.Attributes{"on_destroy": "withdraw", "agreement_time": early, "user_ipv6": "2001:db8::1"}
	state := created(t, p, service, others)
	_, diags := p.Destroy(name, state)
	p.NoErrors(diags)

	if len(diags) != 0 {
		t.Errorf("warnings: %v", diags.Warnings())
	}

	wantOperations(t, service, mockserver.OpGetConsent, mockserver.OpUpdateConsent)
	wantHeld(t, service, [5]bool{})
	requests := service.Requests()
	sent := requests[len(requests)-1].Sent
	if _, named := sent["agreement_time"]; named || sent["user_ipv6"] != "2001:db8::1" || sent["manual"] != true {
		t.Errorf("sent %v", slices.Sorted(maps.Keys(sent)))
	}
}

// TestConsent_withdrawingFromAPersonWhoIsGone succeeds, and makes no record of the person.
func TestConsent_withdrawingFromAPersonWhoIsGone(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	for _, gone := range []func(){
		func() { service.DeleteConsent(scope, person) },
		func() {
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 410, Body: []byte(`{"error":{"code":"gone"}}`)})
		},
	} {
		state := created(t, p, service, withdrawing)
		gone()
		after, diags := p.Destroy(name, state)
		p.NoErrors(diags)
		if record, held := service.Consent(scope, person); after != nil || held && record.Clauses != configured {
			t.Errorf("in state is %v, and the service holds %v", after, record)
		}
	}
}

func TestConsent_failedWithdrawalKeepsTheObject(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state := created(t, p, service, prototest.Attributes{"on_destroy": "withdraw"})
	service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 403, Body: []byte(`{}`)})
	after, diags := p.Destroy(name, state)
	prototest.WantText(t, diags.Errors(), "Not permitted", "as it was before")
	if after == nil {
		t.Error("the object is lost")
	}
}
