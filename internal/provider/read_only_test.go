// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"path/filepath"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

type readOnlyCase struct {
	resource      string
	before, after prototest.Attributes // nil for an object that does not exist
	refused       bool
}

// TestReadOnly_plan plans resources that exist, and new ones, with a provider that is read-only:
// a plan that would change something at the service is refused, and any other is not.
func TestReadOnly_plan(t *testing.T) {
	t.Parallel()
	const person = "user-1001"
	folder := t.TempDir()
	refusing := prototest.Attributes{
		"clause_1_consent": false, "clause_2_consent": false, "clause_3_consent": false, "clause_4_consent": false, "clause_5_consent": false,
	}
	consent := refusing.With(prototest.Attributes{"identity_id": person, "clause_1_consent": true, "agreement_time": "2026-01-31T12:00:00Z"})
	profile := prototest.Attributes{"identity_id": person, "profile": `{"plan":"pro"}`, "wait_for_fulfilment": false}
	deletion := prototest.Attributes{"identity_id": person, "wait_for_fulfilment": false}
	access := deletion.With(prototest.Attributes{"output_path": filepath.Join(folder, "data.json")})
	batch := prototest.Attributes{
		"content_wo": "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent\n" + person + ",true,true,true,true,true\n", "content_wo_version": 1,
	}
	day := prototest.Attributes{"utc_date": "2026-01-31", "path": filepath.Join(folder, "day.ndjson")}

	for name, tc := range soak.SomeOf(6, map[string]readOnlyCase{
		"create a consent":             {"analytics_consent", nil, consent, true},
		"change a consent":             {"analytics_consent", consent, consent.With(refusing), true},
		"change what a destroy does":   {"analytics_consent", consent, consent.With(prototest.Attributes{"on_destroy": "withdraw"}), false},
		"forget a consent":             {"analytics_consent", consent, nil, false},
		"withdraw a consent":           {"analytics_consent", consent.With(prototest.Attributes{"on_destroy": "withdraw"}), nil, true},
		"create a batch":               {"analytics_consent_batch", nil, batch, true},
		"create a profile":             {"analytics_profile", nil, profile, true},
		"change a profile":             {"analytics_profile", profile, profile.With(prototest.Attributes{"profile": `{"plan":"free"}`}), true},
		"manage less of a profile":     {"analytics_profile", profile, profile.With(prototest.Attributes{"profile": `{}`}), false},
		"forget a profile":             {"analytics_profile", profile, nil, false},
		"clear a profile":              {"analytics_profile", profile.With(prototest.Attributes{"on_destroy": "clear"}), nil, true},
		"delete the data of a person":  {"analytics_data_deletion", nil, deletion, true},
		"forget a deletion":            {"analytics_data_deletion", deletion, nil, false},
		"request the data of a person": {"analytics_data_access_request", nil, access, true},
		"forget a request for access":  {"analytics_data_access_request", access, nil, false},
		"export a day":                 {"analytics_export_file", nil, day, false},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t)
			var state *prototest.State
			if tc.before != nil {
				state, _ = prototest.MustStart(t, prototest.Config(service)).MustCreate(tc.resource, tc.before)
			}

			p := prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"read_only": true}))
			_, diags := p.Plan(tc.resource, state, tc.after)
			if !tc.refused {
				p.NoErrors(diags)
				return
			}
			prototest.WantText(t, diags.Errors(), "The provider is read-only", "remove read_only")
			for _, r := range service.Requests() {
				if state == nil && r.Operation != mockserver.OpGetConsent && r.Operation != mockserver.OpLogin {
					t.Errorf("the plan has sent %s", r.Operation)
				}
			}
		})
	}
}
