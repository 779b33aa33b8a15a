package client

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func consentFrom(tb testing.TB, body string) (*Consent, *Error) {
	tb.Helper()

	k := &call{op: opGetConsent, endpoint: endpoint{template: "/t"}, redact: newRedactor()}
	resp := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{"Content-Type": {"application/json"}}}
	got, err := k.readAnswer(tb.Context(), resp)
	if err == nil {
		err = got.wantBody()
	}

	var held *Consent
	if err == nil {
		var read Consent
		if read, err = got.consent(); err == nil {
			held = &read
		}
	}

	e, _ := err.(*Error) //nolint:errorlint // the test is about exactly this type
	if err != nil && e == nil {
		tb.Fatalf("not a client error: %v", err)
	}

	return held, e
}

const allTrue = `"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true`

func TestConsentAnswer_readTolerantly(t *testing.T) {
	t.Parallel()

	for name, body := range map[string]string{
		"plain":              `{` + allTrue + `}`,
		"unknown fields":     `{"x":{"y":[1,null]},` + allTrue + `,"z":1e400}`,
		"under consent":      `{"consent":{` + allTrue + `}}`,
		"under data":         `{"data":{` + allTrue + `},"meta":{"page":1}}`,
		"under data.consent": `{"data":{"consent":{` + allTrue + `}}}`,
		"with a BOM":         "\uFEFF{" + allTrue + `}`,
		"with white space":   " \r\n{" + allTrue + "}\r\n",
	} {
		held, err := consentFrom(t, body)
		if err != nil || held == nil {
			t.Errorf("%s: %v %v", name, held, err)
			continue
		}

		for i, c := range held.Clauses {
			if v, ok := c.Get(); !ok || !v {
				t.Errorf("%s: clause %d is %v %v", name, i+1, v, ok)
			}
		}

		if !held.UserIPv6.IsAbsent() || !held.AgreementTime.IsAbsent() || !held.Manual.IsAbsent() {
			t.Errorf("%s: an absent field is present", name)
		}
	}
}

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

func TestConsentAnswer_fieldsAreAbsentNullOrAValue(t *testing.T) {
	t.Parallel()

	held, err := consentFrom(t, `{"clause_1_consent":false,"clause_2_consent":null,"user_ipv6":null,"manual":false,"agreement_time":1769860800123}`)
	if err != nil {
		t.Fatal(err)
	}

	if v, ok := held.Clauses[0].Get(); !ok || v {
		t.Error("clause 1 is not false")
	}

	if !held.Clauses[1].IsNull() || !held.UserIPv6.IsNull() {
		t.Error("null is not null")
	}

	if !held.Clauses[2].IsAbsent() {
		t.Error("absent is not absent")
	}

	if at, _ := held.AgreementTime.Get(); FormatInstant(at) != "2026-01-31T12:00:00.123Z" {
		t.Errorf("milliseconds are read as %v", at)
	}
}

func TestConsentAnswer_spellingsOfATime(t *testing.T) {
	t.Parallel()

	for _, text := range []string{
		`"2026-01-31T12:00:00Z"`, `"2026-01-31T12:00:00.000Z"`, `"2026-01-31T13:00:00+01:00"`, `"2026-01-31T13:00:00.000000+0100"`, `1769860800000`, `"1769860800000"`,
	} {
		held, err := consentFrom(t, `{"agreement_time":`+text+`}`)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}

		if at, ok := held.AgreementTime.Get(); !ok || FormatInstant(at) != "2026-01-31T12:00:00Z" {
			t.Errorf("%s is read as %v", text, at)
		}
	}
}

func TestConsentAnswer_doubtfulOnesAreErrors(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		body   string
		class  ErrorClass
		detail string
	}{
		"empty":                    {"", ClassEmpty, "no body"},
		"blank":                    {" \n", ClassEmpty, "no body"},
		"cut in a number":          {`{"clause_1_consent":tru`, ClassTruncated, "ends in the middle"},
		"cut at a boundary":        {`{"clause_1_consent":true,`, ClassTruncated, "ends in the middle"},
		"cut in an array":          {`{"a":[{"b":1},`, ClassTruncated, "ends in the middle"},
		"two values":               {`{"clause_1_consent":true}{}`, ClassPayload, "behind the JSON value"},
		"trailing text":            {`{"clause_1_consent":true} x`, ClassPayload, "behind the JSON value"},
		"a name twice":             {`{"clause_1_consent":true,"clause_1_consent":false}`, ClassPayload, "name twice"},
		"other capitals":           {`{"clause_1_consent":true,"Clause_1_Consent":false}`, ClassPayload, "$.clause_1_consent is spelled with other capitals"},
		"only other capitals":      {`{"CLAUSE_1_CONSENT":true}`, ClassPayload, "other capitals"},
		"invalid UTF-8":            {"{\"clause_1_consent\":true,\"x\":\"\xff\"}", ClassPayload, "not valid"},
		"text for a boolean":       {`{"clause_1_consent":"true"}`, ClassPayload, "$.clause_1_consent: expected a boolean, found a string"},
		"number for a boolean":     {`{"consent":{"clause_2_consent":1}}`, ClassPayload, "$.consent.clause_2_consent: expected a boolean, found a number"},
		"object for text":          {`{"clause_1_consent":true,"user_ipv6":{}}`, ClassPayload, "$.user_ipv6: expected a string, found an object"},
		"a word for a time":        {`{"clause_1_consent":true,"agreement_time":"yesterday"}`, ClassPayload, "$.agreement_time: expected an RFC 3339 time"},
		"a fraction for a time":    {`{"clause_1_consent":true,"agreement_time":1.5}`, ClassPayload, "$.agreement_time: expected"},
		"a huge time":              {`{"clause_1_consent":true,"agreement_time":1e400}`, ClassPayload, "$.agreement_time: expected"},
		"an array":                 {`[{"clause_1_consent":true}]`, ClassPayload, "$: expected an object, found an array"},
		"a string":                 {`"clause_1_consent"`, ClassPayload, "$: expected an object, found a string"},
		"an error with status 200": {`{"error":{"code":"E7","message":"no"}}`, ClassRejected, "an error inside"},
		"success false":            {`{"success":false,"message":"no"}`, ClassRejected, "an error inside"},
	} {
		held, err := consentFrom(t, tc.body)
		if err == nil {
			t.Errorf("%s: accepted as %+v", name, held)
			continue
		}

		if err.Class != tc.class || !strings.Contains(err.Detail, tc.detail) {
			t.Errorf("%s: %s: %s, want %v: %q", name, err.Title(), err.Detail, classTitles[tc.class], tc.detail)
		}
	}
}

func FuzzConsentAnswer_readOrRefused(f *testing.F) {
	for _, seed := range []string{`{` + allTrue + `}`, `{"consent":{` + allTrue + `}}`, `{"data":null}`, "\uFEFF{}", "<html>", `{"a":1`, `[[[[`, `{"clause_1_consent":1}`, "null", "", `{"agreement_time":"1e9"}`} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, body string) {
		held, err := consentFrom(t, body)
		if err != nil && err.Title() == "" {
			t.Fatal("an error without a title")
		}

		if held != nil && len(held.JSON) == 0 {
			t.Fatal("a consent without its JSON")
		}
	})
}
