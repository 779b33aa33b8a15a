// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
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
