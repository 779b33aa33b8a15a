// SPDX-License-Identifier: MPL-2.0

package doctor_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestExamine_repeatsNoUpdateOverAChoice has the person choose while an update gets lost, which the
// client would repeat. The exploration of the trial has every other course.
func TestExamine_repeatsNoUpdateOverAChoice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const person = "test-person"
		scope := mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}
		withdrawn := mockserver.ConsentRecord{AgreementTime: "2026-03-01T08:00:00Z", Manual: new(false)}
		service := mocktest.StartPipe(t)
		service.PutConsent(scope, person, mockserver.ConsentRecord{
			Clauses: [mockserver.Clauses]bool{true, true}, AgreementTime: "2026-02-01T08:00:00Z", Manual: new(false),
		})
		service.Inject(mockserver.Fault{
			Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutBeforeCommit, Then: func() { service.PutConsent(scope, person, withdrawn) },
		})

		report := doctor.Examine(t.Context(), doctor.Options{
			Client: client.Config{BaseURL: service.URL, Config: transport.Config{
				UserAgent: "doctor-test", DialContext: service.DialContext, Credentials: transport.Credentials{APISecretKey: service.SecretKey},
			}},
			Scope:    client.Scope{OrgID: scope.OrgID, ProjectID: scope.ProjectID},
			Identity: person, Write: true, Day: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), Settle: 2 * time.Second,
		})

		record, _ := service.Consent(scope, person)
		if n := service.Count(mockserver.OpUpdateConsent); n != 1 || record.AgreementTime != withdrawn.AgreementTime {
			t.Errorf("after %d updates, the consent is %+v", n, record)
		}
		said := report.Findings[len(report.Findings)-1]
		if said.Check != "restored" || said.Word != doctor.Broken {
			t.Errorf("the last finding is %+v", said)
		}
		for _, words := range []string{"somebody else", "clause_2_consent = true"} {
			if !strings.Contains(said.Text, words) {
				t.Errorf("it does not say %q: %s", words, said.Text)
			}
		}
	})
}
