// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWireBlock_hasOnlyWhatDiffersFromTheDefaults(t *testing.T) {
	t.Parallel()
	defaults := client.Wire{
		LoginParametersIn: transport.InJSON, AgreementTimeFormat: client.TimeRFC3339,
		PendingListLag: client.DefaultPendingListLag,
	}
	if got := wireBlock(settingsOf(defaults)); got != "" {
		t.Errorf("the defaults are printed: %s", got)
	}

	own := client.Wire{
		ConsentParametersIn: transport.InForm, ExportRecordMember: "uid", ExportKindParameter: `k"${x}%{y}\`, EndedStatuses: "closed,gone away",
	}
	want := `wire = {
  consent_parameters_in = "form"
  ended_statuses        = ["closed", "gone away"]
  export_kind_parameter = "k\"$${x}%%{y}\\"
  export_record_member  = "uid"
}
`
	if got := wireBlock(settingsOf(own)); got != want {
		t.Errorf("got %s", got)
	}
}

func TestTestClauses_areNeverRepeatedOrAllEqual(t *testing.T) {
	t.Parallel()
	for before := range 1 << answer.Clauses {
		trial := &trial{forms: make([]client.Wire, len(client.Placements)*len(client.TimeFormats))}
		for c := range answer.Clauses {
			trial.before.Clauses[c] = answer.Some(before>>c&1 == 1)
		}

		seen := map[[answer.Clauses]bool]bool{}
		for i := range trial.forms {
			clauses := trial.testUpdate(i).Clauses
			if seen[clauses] || clauses == [answer.Clauses]bool{} || clauses == [answer.Clauses]bool{true, true, true, true, true} {
				t.Errorf("from %05b, update %d sends %v", before, i, clauses)
			}
			for c, agreed := range clauses {
				if was, _ := trial.before.Clauses[c].Get(); was != agreed {
					seen[clauses] = true
				}
			}
			if !seen[clauses] {
				t.Errorf("from %05b, update %d changes nothing", before, i)
			}
		}
	}
}

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

		report := Examine(t.Context(), Options{
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
		if said.Check != "restored" || said.Word != Broken {
			t.Errorf("the last finding is %+v", said)
		}
		for _, words := range []string{"somebody else", "clause_2_consent = true"} {
			if !strings.Contains(said.Text, words) {
				t.Errorf("it does not say %q: %s", words, said.Text)
			}
		}
	})
}
