// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestConsentBatch_destroyRetainsOrWithdraws(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(6))
	state := createdBatch(t, p, service, f.config(nil))
	gone, diags := p.Destroy(batchName, state)
	p.NoErrors(diags)

	if gone != nil {
		t.Error("the object is still there")
	}

	prototest.WantText(t, diags.Warnings(), "stays at the service", "withdraw")
	wantRequests(t, service, 0, 0)

	p.NewRun()
	state = createdBatch(t, p, service, f.config(prototest.Attributes{"on_destroy": "withdraw"}))
	chooseFor(service, 1, early) // has withdrawn already, in another way
	service.DeleteConsent(scope, userName(2))
	service.PutConsent(scope, userName(3), mockserver.ConsentRecord{Clauses: configured, AgreementTime: late})
	gone, diags = p.Destroy(batchName, state)
	p.NoErrors(diags)

	if gone != nil {
		t.Error("the object is still there")
	}

	prototest.WantText(t, diags.Warnings(), "will be withdrawn")
	prototest.WantText(t, diags.Warnings(), "in 1 of 6 rows: line 5.")
	wantRequests(t, service, 6, 3)

	for _, i := range []int{0, 4, 5} {
		wantRow(t, service, i, [5]bool{})
	}

	wantRow(t, service, 3, configured)
	if _, known := service.Consent(scope, userName(2)); known {
		t.Error("a record was made of a person who is gone")
	}
	if record, _ := service.Consent(scope, userName(1)); *record.Manual {
		t.Error("who has withdrawn already was withdrawn again")
	}
}

func TestConsentBatch_withdrawsByTheAppliedFileOnly(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(3))
	state := createdBatch(t, p, service, f.config(prototest.Attributes{"on_destroy": "withdraw"}))

	for words, change := range map[string]func(){
		"not the one that was applied": func() { f.write(people(4)) },
		"The rows cannot be read":      func() { _ = os.Remove(f.path) },
		"Unusable rows":                func() { f.write("x") },
		"no regular file":              func() { _ = os.Remove(f.path); _ = os.Mkdir(f.path, 0o700) },
	} {
		change()
		after, diags := p.Destroy(batchName, state)
		prototest.WantText(t, diags.Errors(), words, "In state now: this resource as it was before")
		if after == nil {
			t.Fatalf("%s: the object is gone", words)
		}

		_ = os.Remove(f.path)
	}

	wantRequests(t, service, 0, 0)
}

func TestConsentBatch_failedWithdrawalGoesOn(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(10))
	state := createdBatch(t, p, service, f.config(prototest.Attributes{"on_destroy": "withdraw"}))
	service.Inject(rejecting(400, 4, 5)...)
	after, diags := p.Destroy(batchName, state)
	prototest.WantText(t, diags.Errors(), "2 of 10 rows failed", "lines 6, 7\n", "what was withdrawn stays withdrawn", "destroy again")
	if diff := cmp.Diff(state.Attributes, after.Attributes); diff != "" {
		t.Errorf("the state changed:\n%s", diff)
	}

	service.Reset()
	after, diags = p.Destroy(batchName, after)
	p.NoErrors(diags)
	if after != nil {
		t.Error("the object is still there")
	}

	wantRequests(t, service, 10, 2)
}
