// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// create creates the batch in a run of its own, and clears the request log.
func (b *batchTest) create(others prototest.Attributes) {
	b.Helper()
	b.state = createdBatch(b.T, b.p, b.service, b.f.config(others))
	b.p.NewRun()
}

// destroy destroys the batch, and fails the test where it is still there.
func (b *batchTest) destroy() prototest.Diagnostics {
	b.Helper()
	gone, diags := b.p.Destroy(batchName, b.state)
	b.p.NoErrors(diags)
	if gone != nil {
		b.Error("the object is still there")
	}

	return diags
}

func TestConsentBatch_destroyRetainsOrWithdraws(t *testing.T) {
	t.Parallel()
	inBatch(t, people(6), nil, func(t *testing.T, b *batchTest) {
		b.create(nil)
		prototest.WantText(t, b.destroy().Warnings(), "stays at the service", "withdraw")
		wantRequests(t, b.service, 0, 0)

		b.create(prototest.Attributes{"on_destroy": "withdraw"})
		chooseFor(b.service, 1, early) // has withdrawn already, in another way
		b.service.DeleteConsent(scope, userName(2))
		b.service.PutConsent(scope, userName(3), mockserver.ConsentRecord{Clauses: configured, AgreementTime: late})
		diags := b.destroy()
		prototest.WantText(t, diags.Warnings(), "will be withdrawn")
		prototest.WantText(t, diags.Warnings(), "in 1 of 6 rows: line 5.")
		wantRequests(t, b.service, 6, 3)

		for i, want := range map[int][5]bool{0: {}, 3: configured, 4: {}, 5: {}} {
			wantRow(t, b.service, i, want)
		}
		if _, known := b.service.Consent(scope, userName(2)); known {
			t.Error("a record was made of a person who is gone")
		}
		if record, _ := b.service.Consent(scope, userName(1)); *record.Manual {
			t.Error("who has withdrawn already was withdrawn again")
		}
	})
}

func TestConsentBatch_withdrawsByTheAppliedFileOnly(t *testing.T) {
	t.Parallel()
	for words, change := range soak.SomeOf(1, map[string]func(f *batchFile) error{
		"not the one that was applied": func(f *batchFile) error { return os.WriteFile(f.path, []byte(people(4)), 0o600) },
		"The rows cannot be read":      func(f *batchFile) error { return os.Remove(f.path) },
		"Unusable rows":                func(f *batchFile) error { return os.WriteFile(f.path, []byte("x"), 0o600) },
		"no regular file": func(f *batchFile) error {
			if err := os.Remove(f.path); err != nil {
				return err
			}
			return os.Mkdir(f.path, 0o700)
		},
	}) {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			inBatch(t, people(3), nil, func(t *testing.T, b *batchTest) {
				b.create(prototest.Attributes{"on_destroy": "withdraw"})
				if err := change(b.f); err != nil {
					t.Fatal(err)
				}

				after, diags := b.p.Destroy(batchName, b.state)
				prototest.WantText(t, diags.Errors(), words, "In state now: this resource as it was before")
				if after == nil {
					t.Error("the object is gone")
				}
				wantRequests(t, b.service, 0, 0)
			})
		})
	}
}

func TestConsentBatch_failedWithdrawalGoesOn(t *testing.T) {
	t.Parallel()
	inBatch(t, people(10), nil, func(t *testing.T, b *batchTest) {
		b.create(prototest.Attributes{"on_destroy": "withdraw"})
		failing(400, 4, 5)(b)
		after, diags := b.p.Destroy(batchName, b.state)
		prototest.WantText(t, diags.Errors(), "2 of 10 rows failed", "lines 6, 7\n", "what was withdrawn stays withdrawn", "destroy again")
		if diff := cmp.Diff(b.state.Attributes, after.Attributes); diff != "" {
			t.Errorf("the state changed:\n%s", diff)
		}

		b.service.Reset()
		b.destroy()
		wantRequests(t, b.service, 10, 2)
	})
}
