// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// attempts do something that reads an answer of the service, and return the diagnostics that
// keep it from working.
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

// namedSetting is how a diagnostic names a setting, with its value if it can be shown.
var namedSetting = regexp.MustCompile(`wire\.([a-z0-9_.]*[a-z0-9_])(?: = (?:"([^"]*)"|\{ (.*?) \}|(true)))?`)

// followAdvice repeats an attempt with the first setting that its diagnostics name, until it
// works, and returns the settings by their names, such as profile.at. values are those that only
// the user knows.
func followAdvice(t *testing.T, service *mocktest.Instance, operation string, values prototest.Attributes) prototest.Attributes {
	t.Helper()
	wire := prototest.Attributes{}
	for range 6 {
		p := prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"wire": grouped(wire)}))
		texts := attempts[operation](t, p)
		if len(texts) == 0 {
			return wire
		}

		name, value := nextSetting(strings.Join(texts, "\n"), wire, values)
		if value == nil {
			t.Fatalf("with %v, no setting that helps is named: %q", wire, texts)
		}
		wire[name] = value
	}

	t.Fatalf("it does not work with %v", wire)

	return nil
}

// grouped returns the block wire with settings.
func grouped(settings prototest.Attributes) prototest.Attributes {
	wire := prototest.Attributes{}
	for name, value := range settings {
		group, member, isGrouped := strings.Cut(name, ".")
		if !isGrouped {
			wire[name] = value
			continue
		}
		others, _ := wire[group].(prototest.Attributes)
		wire[group] = prototest.Attributes{member: value}.With(others)
	}

	return wire
}

// nextSetting returns the first setting of a text that is not in wire yet with this value;
// nil where there is none.
func nextSetting(text string, wire, values prototest.Attributes) (name string, value any) {
	for _, found := range namedSetting.FindAllStringSubmatch(text, -1) {
		name, value = found[1], values[found[1]]
		if found[2] != "" {
			value = found[2]
		}
		if found[3] != "" {
			before, _ := wire[name].(prototest.Attributes)
			value = leavesOf(found[3]).With(before)
		}
		if found[4] != "" {
			value = true
		}
		if value != nil && !reflect.DeepEqual(value, wire[name]) {
			return name, value
		}
	}

	return "", nil
}

// leavesOf returns the map that is written between braces, such as "/next" = "null".
func leavesOf(text string) prototest.Attributes {
	leaves := prototest.Attributes{}
	for leaf := range strings.SplitSeq(text, ", ") {
		pointer, value, _ := strings.Cut(leaf, " = ")
		word, isList := strings.CutPrefix(value, "[")
		leaves[strings.Trim(pointer, `"`)] = strings.Trim(value, `"`)
		if isList {
			leaves[strings.Trim(pointer, `"`)] = []any{strings.Trim(word, `"]`)}
		}
	}

	return leaves
}

// TestProvider_settingThatADiagnosticNamesAdmitsTheAnswer has answers that are not recognised,
// and the settings with which they are.
func TestProvider_settingThatADiagnosticNamesAdmitsTheAnswer(t *testing.T) {
	t.Parallel()

	const (
		record  = `{"id":"r-1","identityId":"somebody","operation":"deleteAllData","status":"pending"}`
		record5 = `"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true`
		others  = `"persons":[],"sessions":[]`
	)
	data := prototest.Attributes{"all_data.at": "/data"}
	for _, c := range soak.Some(8, []struct {
		operation, body string
		wire            prototest.Attributes
		header          http.Header
	}{
		{mockserver.OpExportRecords, `{"tenant":"web","hasMore":false,` + others + `,"events":[{"id":1}],"next":null}`, prototest.Attributes{"ignored": prototest.Attributes{"/tenant": "*", "/hasMore": "false"}, "export.next": "/next"}, nil},
		{mockserver.OpExportRecords, ``, prototest.Attributes{"export.empty": true}, nil},
		{mockserver.OpExportRecords, `[{"sort":"visit","id":1},{"sort":"visit","id":2}]`, prototest.Attributes{"export.kind": "/sort", "export.kinds": prototest.Attributes{"sessions": []any{"visit"}}}, nil},
		{mockserver.OpExportRecords, `{` + others + `,"events":[{"pk":1},{"pk":2}]}`, prototest.Attributes{"export.record": prototest.Attributes{"events": "/pk"}}, nil},
		{mockserver.OpExportRecords, "[{\"type\":\"event\",\"id\":\"\xff\"}]", prototest.Attributes{"export.invalid_utf8": "replace"}, nil},

		{mockserver.OpListPendingRequests, `{"requests":[` + record + `],"has_more":true,"page":{"number":1}}`, prototest.Attributes{"ignored": prototest.Attributes{"/has_more": "true", "/page/number": "*"}}, nil},
		{mockserver.OpListPendingRequests, `[{"id":"r-1","customer":"somebody","operation":"deleteAllData"}]`, prototest.Attributes{"pending.identity": "/customer"}, nil},
		{mockserver.OpListPendingRequests, `[{"id":"r-1","identityId":"jane.doe@example.com","operation":"purge"}]`, prototest.Attributes{"pending.use": "partial"}, nil},
		{mockserver.OpListPendingRequests, `{"somebody":` + record + `}`, prototest.Attributes{"pending.use": "ignored"}, nil},

		{mockserver.OpGetConsent, `[{` + record5 + `}]`, prototest.Attributes{"consent.at": "/0"}, nil},
		{mockserver.OpGetConsent, `{"data":{` + record5 + `},"former":{` + record5 + `}}`, prototest.Attributes{"consent.at": "/data"}, nil},
		{mockserver.OpGetConsent, `[{` + record5 + `,"agreement_time":"2026-01-31T12:00:00"}]`, prototest.Attributes{"consent.at": "/0", "consent.time_format": "utc"}, nil},
		{mockserver.OpGetConsent, `{` + record5 + `,"agreement_time":1769860800}`, prototest.Attributes{"consent.time_format": "unix_s"}, nil},

		{mockserver.OpGetProfile, `{"id":1,"data":{"type":"user","attributes":{"plan":"gold"}}}`, prototest.Attributes{"profile.at": "/data/attributes"}, nil},
		{mockserver.OpGetProfile, `{"traits":{"plan":"gold"}}`, prototest.Attributes{"profile.at": "/traits"}, nil},

		{mockserver.OpGetAllData, `{"message":"Here it is.","data":{"events":[{"id":1}]}}`, data, nil},
		{mockserver.OpGetAllData, `{"orders":[{"sku":"1"}],"paging":{"next":"2"}}`, prototest.Attributes{"all_data.at": "/orders"}, nil},
	}) {
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
				service.Inject(mockserver.Fault{Operation: c.operation, Status: 200, Header: c.header, Body: []byte(c.body), Times: -1})
			}

			wire := followAdvice(t, service, c.operation, c.wire)
			for name, want := range c.wire {
				if !reflect.DeepEqual(wire[name], want) || len(wire) != len(c.wire) {
					t.Errorf("the settings are %v", wire)
				}
			}
		})
	}
}
