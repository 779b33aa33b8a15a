// SPDX-License-Identifier: MPL-2.0

package client

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

func TestConsentUpdate_isShownByAnAnswerWithItsClauses(t *testing.T) {
	t.Parallel()

	const four = `"clause_1_consent":true,"clause_2_consent":false,"clause_3_consent":true,"clause_4_consent":true`
	u := ConsentUpdate{Clauses: [answer.Clauses]bool{true, false, true, true, false}}
	for body, want := range map[string]bool{
		`{"identity":"u",` + four + `,"clause_5_consent":false,"manual":true}`: true,
		`{` + four + `,"clause_5_consent":true}`:                               false,
		`{` + four + `,"clause_5_consent":null}`:                               false,
		`{` + four + `,"clause_5_consent":"false"}`:                            false,
		`{` + four + `,"Clause_5_consent":false}`:                              false,
		`{` + four + `}`: false,
		`{"consent":{` + four + `,"clause_5_consent":false}}`: false,
		`[]`: false, `null`: false, ``: false,
	} {
		if got := u.isShownBy(jsontext.Value(body)); got != want {
			t.Errorf("%s: %t", body, got)
		}
	}
}
