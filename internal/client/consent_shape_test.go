package client

import (
	"strings"
	"testing"
)

func TestConsentAnswer_foundUnderAnyWrappers(t *testing.T) {
	t.Parallel()
	const record = `{` + allTrue + `,"agreement_time":"2026-01-31T12:00:00Z"}`

	for _, body := range []string{
		record,
		`{"whatever":` + record + `}`,
		`{"data":{"attributes":` + record + `}}`,
		`{"a":{"b":` + record + `},"c":{"d":{"version":1}}}`,
		`{"status":"ok","user_consent":` + record + `,"data":null}`,
		`{"links":{"self":{"href":"x"}},"payload":` + record + `}`,
	} {
		held, err := consentFrom(t, body)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}

		if !held.hasClauses([Clauses]bool{true, true, true, true, true}) || held.isUntimed() {
			t.Errorf("%s is read as %+v", body, held)
		}
	}
}

func TestConsentAnswer_onlyOneObjectMayHaveClauses(t *testing.T) {
	t.Parallel()
	const record = `{` + allTrue + `}`

	for body, detail := range map[string]string{
		`{"a":` + record + `,"b":` + record + `}`:                   "more than one object",
		`{"data":{"now":` + record + `,"old":{` + allTrue + `}}}`:   "more than one object",
		`{` + allTrue + `,"previous":` + record + `}`:               "more than one object",
		`{"consent":` + record + `,"history":{"x":` + record + `}}`: "more than one object",
		`{"a":{"b":{"c":` + record + `}}}`:                          "no field of a consent record",
		`{"data":[` + record + `]}`:                                 "no field of a consent record",
		`{"whatever":{"agreement_time":null}}`:                      "no field of a consent record",
	} {
		held, err := consentFrom(t, body)
		if err == nil {
			t.Errorf("%s is read as %+v", body, held)
			continue
		}

		if err.Class != ClassPayload || !strings.Contains(err.Detail, detail) {
			t.Errorf("%s: %s: %s", body, err.Title(), err.Detail)
		}
	}
}

func TestConsentAnswer_emptyMeansNoConsent(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"{}", "null", `{"consent":null}`, `{"data":{}}`, `{"data":{"attributes":{}}}`} {
		_, err := consentFrom(t, body)
		if err == nil || err.Class != ClassNotFound {
			t.Errorf("%s: %v", body, err)
		}
	}
}
