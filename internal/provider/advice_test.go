// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// attempts read an answer of the service, by operation, and return the diagnostics about it.
var attempts = map[string]func(*testing.T, *prototest.Provider) []string{
	mockserver.OpExportRecords: func(_ *testing.T, p *prototest.Provider) []string {
		yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
		_, diags := p.ReadData("analytics_export", prototest.Attributes{"utc_date": yesterday})
		return diags.Errors()
	},
	mockserver.OpListPendingRequests: func(_ *testing.T, p *prototest.Provider) []string {
		config := prototest.Attributes{"identity_id": "jane.doe@example.com", "wait_for_fulfilment": false}
		_, diags := p.Create("analytics_data_deletion", config)
		return diags.Errors()
	},
	mockserver.OpGetProfile: func(_ *testing.T, p *prototest.Provider) []string {
		config := prototest.Attributes{"identity_id": "john.doe@example.com", "profile": `{"plan":"gold"}`, "timeouts": prototest.Attributes{"create": "2s"}}
		state, diags := p.Create("analytics_profile", config)
		if state == nil {
			return diags.Errors()
		}
		_, refreshed := p.Refresh("analytics_profile", state)
		return append(diags.Errors(), refreshed.Errors()...)
	},
	mockserver.OpGetConsent: func(_ *testing.T, p *prototest.Provider) []string {
		_, diags := p.ReadData("analytics_consent", prototest.Attributes{"identity_id": "user-1001"})
		return diags.Errors()
	},
	mockserver.OpGetAllData: func(t *testing.T, p *prototest.Provider) []string {
		path := filepath.Join(t.TempDir(), "data.json")
		config := prototest.Attributes{"identity_id": "ada@example.com", "output_path": path}
		_, diags := p.Create("analytics_data_access_request", config)
		if _, err := os.Stat(path); err == nil {
			return diags.Errors()
		}
		return append(diags.Errors(), diags.Warnings()...)
	},
}

// TestProvider_settingThatADiagnosticNamesAdmitsTheAnswer has answers that are not recognised, with
// the diagnostics about them and the settings named there. With these settings the attempt works.
func TestProvider_settingThatADiagnosticNamesAdmitsTheAnswer(t *testing.T) {
	t.Parallel()

	const (
		record  = `{"id":"r-1","identityId":"somebody","operation":"deleteAllData","status":"pending"}`
		record5 = `"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true`
		others  = `"persons":[],"sessions":[]`
	)
	type settings = prototest.Attributes
	for _, c := range []struct {
		operation, body string
		says            []string
		wire            settings
	}{
		{
			mockserver.OpExportRecords, `{"tenant":"web","hasMore":false,` + others + `,"events":[{"id":1}],"next":null}`,
			[]string{`wire.export.next = "/next"`, `wire.ignored = { "/hasMore" = "false", "/tenant" = "*" }`},
			settings{"ignored": settings{"/tenant": "*", "/hasMore": "false"}, "export": settings{"next": "/next"}},
		},
		{mockserver.OpExportRecords, ``, []string{`wire.export.empty = true`}, settings{"export": settings{"empty": true}}},
		{
			mockserver.OpExportRecords, `[{"sort":"visit","id":1},{"sort":"visit","id":2}]`,
			[]string{`wire.export.kind = "/sort"`, `wire.export.kinds = { "sessions" = ["visit"] }`},
			settings{"export": settings{"kind": "/sort", "kinds": settings{"sessions": []any{"visit"}}}},
		},
		{mockserver.OpExportRecords, `{` + others + `,"events":[{"pk":1},{"pk":2}]}`, []string{`wire.export.record = { "events" = "/pk" }`}, settings{"export": settings{"record": settings{"events": "/pk"}}}},
		{mockserver.OpExportRecords, "[{\"type\":\"event\",\"id\":\"\xff\"}]", []string{`wire.export.invalid_utf8 = "replace"`}, settings{"export": settings{"invalid_utf8": "replace"}}},

		{
			mockserver.OpListPendingRequests, `{"requests":[` + record + `],"has_more":false,"page":{"number":1}}`,
			[]string{`wire.ignored = { "/has_more" = "false", "/page/number" = "*" }`},
			settings{"ignored": settings{"/has_more": "false", "/page/number": "*"}},
		},
		{mockserver.OpListPendingRequests, `[{"id":"r-1","customer":"somebody","operation":"deleteAllData"}]`, []string{`wire.pending.identity = "/customer"`}, settings{"pending": settings{"identity": "/customer"}}},
		{mockserver.OpListPendingRequests, `[{"id":"r-1","identityId":"jane.doe@example.com","operation":"reindex"}]`, []string{`wire.pending.use = "partial"`}, settings{"pending": settings{"use": "partial"}}},
		{
			mockserver.OpListPendingRequests, `[{"id":"r-1","identityId":"jane.doe@example.com","wanted":"purge"}]`,
			[]string{`wire.pending.type = "/wanted"`, `wire.pending.types = { "data_deletion" = ["purge"] }`},
			settings{"pending": settings{"type": "/wanted", "types": settings{"data_deletion": []any{"purge"}}}},
		},
		{mockserver.OpListPendingRequests, `{"somebody":` + record + `}`, []string{`wire.pending.use = "ignored"`}, settings{"pending": settings{"use": "ignored"}}},

		{mockserver.OpGetConsent, `[{` + record5 + `}]`, []string{`wire.consent.at = "/0"`}, settings{"consent": settings{"at": "/0"}}},
		{mockserver.OpGetConsent, `{"data":{` + record5 + `},"former":{` + record5 + `}}`, []string{`wire.consent.at = "/data"`}, settings{"consent": settings{"at": "/data"}}},
		{
			mockserver.OpGetConsent, `[{` + record5 + `,"agreement_time":"2026-01-31T12:00:00"}]`,
			[]string{`wire.consent.at = "/0"`, `wire.consent.time_format = "utc"`},
			settings{"consent": settings{"at": "/0", "time_format": "utc"}},
		},
		{mockserver.OpGetConsent, `{` + record5 + `,"agreement_time":1769860800}`, []string{`wire.consent.time_format = "unix_s"`}, settings{"consent": settings{"time_format": "unix_s"}}},

		{mockserver.OpGetProfile, `{"id":1,"data":{"type":"user","attributes":{"plan":"gold"}}}`, []string{`wire.profile.at = "/data/attributes"`}, settings{"profile": settings{"at": "/data/attributes"}}},
		{mockserver.OpGetProfile, `{"traits":{"plan":"gold"}}`, []string{`wire.profile.at = "/traits"`}, settings{"profile": settings{"at": "/traits"}}},

		{mockserver.OpGetAllData, `{"message":"Here it is.","data":{"events":[{"id":1}]}}`, []string{`wire.all_data.at = "/data/events"`}, settings{"all_data": settings{"at": "/data/events"}}},
		{mockserver.OpGetAllData, `{"orders":[{"sku":"1"}],"paging":{"next":"2"}}`, []string{`wire.all_data.at, a pointer`}, settings{"all_data": settings{"at": "/orders"}}},
	} {
		t.Run(c.operation+" "+c.body, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t, mocktest.AnswerData(`{}`), func(s *mockserver.Server) {
				s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{KeepListed: true} }
				if c.operation == mockserver.OpGetAllData {
					mocktest.AnswerData(c.body)(s)
				}
			})
			service.AllowViolations() // the contract wants UTF-8
			if c.operation != mockserver.OpGetAllData {
				service.Inject(mockserver.Fault{Operation: c.operation, Status: 200, Body: []byte(c.body), Times: -1})
			}

			config := prototest.Config(service)
			prototest.WantText(t, attempts[c.operation](t, prototest.MustStart(t, config)), c.says...)
			if texts := attempts[c.operation](t, prototest.MustStart(t, config.With(settings{"wire": c.wire}))); len(texts) > 0 {
				t.Errorf("with these settings: %q", texts)
			}
		})
	}
}
