// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// attempt reads an answer of the service to an operation, and returns the errors about it.
func attempt(t *testing.T, p *prototest.Provider, operation string) []string {
	t.Helper()

	var state *prototest.State
	var diags prototest.Diagnostics
	switch person := (prototest.Attributes{"identity_id": "jane.doe@example.com"}); operation {
	case mockserver.OpExportRecords:
		_, diags = p.ReadData("analytics_export", prototest.Attributes{"utc_date": "2026-01-31"})
	case mockserver.OpListPendingRequests:
		_, diags = p.Update(deletionName, nil, person.With(prototest.Attributes{"wait_for_fulfilment": false}))
	case mockserver.OpGetConsent:
		_, diags = p.ReadData(consentName, person)
	case mockserver.OpGetProfile:
		state, diags = p.Update(profileName, nil, person.With(prototest.Attributes{"profile": `{"plan":"gold"}`, "timeouts": prototest.Attributes{"create": "2s"}}))
		if state != nil {
			_, diags = p.Refresh(profileName, state)
		}
	case mockserver.OpGetAllData:
		path := filepath.Join(t.TempDir(), "data.json")
		_, diags = p.Update(dataAccessName, nil, person.With(prototest.Attributes{"output_path": path}))
		if _, err := os.Stat(path); err != nil {
			return append(diags.Errors(), diags.Warnings()...)
		}
	}

	return diags.Errors()
}

// TestProvider_settingThatADiagnosticNamesAdmitsTheAnswer has answers that are not recognised, with
// a setting that the diagnostic about them names. With the settings of the row the attempt works.
func TestProvider_settingThatADiagnosticNamesAdmitsTheAnswer(t *testing.T) {
	t.Parallel()
	const clauses = `"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true`
	type settings = prototest.Attributes
	for _, c := range []struct {
		operation, body, says string
		wire                  settings
	}{
		{mockserver.OpExportRecords, `{"hasMore":false,"persons":[],"sessions":[],"events":[{"id":1}]}`, `wire.ignored = { "/hasMore" = "false" }`, settings{"ignored": settings{"/hasMore": "false"}}},
		{mockserver.OpExportRecords, ``, `wire.export.empty = true`, settings{"export": settings{"empty": true}}},
		{
			mockserver.OpExportRecords, `[{"sort":"visit","id":1},{"sort":"visit","id":2}]`, `wire.export.kinds = { "sessions" = ["visit"] }`,
			settings{"export": settings{"kind": "/sort", "kinds": settings{"sessions": []any{"visit"}}}},
		},
		{mockserver.OpExportRecords, "[{\"type\":\"event\",\"id\":\"\xff\"}]", `wire.export.invalid_utf8 = "replace"`, settings{"export": settings{"invalid_utf8": "replace"}}},
		{
			mockserver.OpListPendingRequests, `[{"id":"r-1","identityId":"jane.doe@example.com","wanted":"purge"}]`, `wire.pending.types = { "data_deletion" = ["purge"] }`,
			settings{"pending": settings{"type": "/wanted", "types": settings{"data_deletion": []any{"purge"}}}},
		},
		{mockserver.OpGetConsent, `{"data":{` + clauses + `},"former":{` + clauses + `}}`, `wire.consent.at = "/data"`, settings{"consent": settings{"at": "/data"}}},
		{mockserver.OpGetProfile, `{"traits":{"plan":"gold"}}`, `wire.profile.at = "/traits"`, settings{"profile": settings{"at": "/traits"}}},
		{mockserver.OpGetAllData, `{"message":"Here it is.","data":{"events":[{"id":1}]}}`, `wire.all_data.at = "/data/events"`, settings{"all_data": settings{"at": "/data/events"}}},
	} {
		t.Run(c.says, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t, mocktest.AnswerData(c.body), func(s *mockserver.Server) {
				s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{KeepListed: true} }
			})
			service.AllowViolations() // the contract wants UTF-8
			if c.operation != mockserver.OpGetAllData {
				service.Inject(mockserver.Fault{Operation: c.operation, Status: 200, Body: []byte(c.body), Times: -1})
			}

			config := prototest.Config(service)
			prototest.WantText(t, attempt(t, prototest.MustStart(t, config), c.operation), c.says)
			if texts := attempt(t, prototest.MustStart(t, config.With(settings{"wire": c.wire})), c.operation); len(texts) > 0 {
				t.Errorf("with these settings: %q", texts)
			}
		})
	}
}
