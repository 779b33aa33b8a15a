// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"encoding/json"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestConsent_dataSourceGivesFieldsAndTheCompleteAnswer(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	address, yes := "2001:db8::1", true
	service.PutConsent(scope, person, mockserver.ConsentRecord{
		Clauses: configured, UserIPv6: &address, AgreementTime: "2026-01-31T13:00:00+01:00", Manual: &yes,
		Extra: map[string]any{"version": 9007199254740993, "note": "<&\u2028>"},
	})

	read, diags := p.ReadData(name, prototest.Attributes{"identity_id": person})
	p.NoErrors(diags)
	for attribute, want := range map[string]any{
		"clause_1_consent": true, "clause_3_consent": false, "user_ipv6": address, "agreement_time": early, "manual": true,
	} {
		if read[attribute] != want {
			t.Errorf("%s is %v, want %v", attribute, read[attribute], want)
		}
	}

	text, _ := read["json"].(string)
	var answer map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	if string(answer["version"]) != "9007199254740993" {
		t.Errorf("a number in the JSON became %s", answer["version"])
	}

	wantOperations(t, service, mockserver.OpGetConsent)
}

func TestConsent_dataSourceGivesNullForWhatTheServiceDoesNotSay(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil, func(s *mockserver.Server) {
		s.ReshapeConsents(func(map[string]any) any {
			return map[string]any{"data": map[string]any{"clause_1_consent": nil, "clause_2_consent": true, "clause_3_consent": nil, "clause_4_consent": nil, "clause_5_consent": nil}}
		})
	})
	service.PutConsent(scope, person, mockserver.ConsentRecord{})
	read, diags := p.ReadData(name, prototest.Attributes{"identity_id": person})
	p.NoErrors(diags)
	if read["clause_2_consent"] != true || read["clause_1_consent"] != nil || read["user_ipv6"] != nil || read["agreement_time"] != nil || read["manual"] != nil {
		t.Errorf("read %v", read)
	}
}

func TestConsent_dataSourceRefusesAnUnknownPersonAndAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	_, diags := p.ReadData(name, prototest.Attributes{"identity_id": "nobody"})
	prototest.WantText(t, diags.Errors(), "Not found", "HTTP status: 404", "identity_id and the scope")
	service.PutConsent(scope, person, mockserver.ConsentRecord{})
	service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte(`{"clause_1_consent":"yes","clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true}`)})
	_, diags = p.ReadData(name, prototest.Attributes{"identity_id": person})
	prototest.WantText(t, diags.Errors(), "Unexpected response", "$.clause_1_consent: expected a boolean, found a string")
}
