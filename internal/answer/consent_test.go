// SPDX-License-Identifier: MPL-2.0

package answer_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// parse returns JSON text as a value, as the client hands it over.
func parse(tb testing.TB, text string) jsontext.Value {
	tb.Helper()
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return v
}

// What an answer is that is not the value it was asked for.
const (
	unrecognised = "unrecognised"
	refused      = "refused"
	absent       = "absent"
)

// outcome returns what an error says that an answer is; empty for no error.
func outcome(err error) string {
	if err == nil {
		return ""
	}
	if p, ok := errors.AsType[*answer.Error](err); ok {
		return map[answer.Outcome]string{answer.Unrecognised: unrecognised, answer.Refused: refused, answer.Absent: absent}[p.Outcome]
	}
	return "an error that is no problem: " + err.Error()
}

const (
	allTrue = `"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true`
	record  = `{` + allTrue + `,"agreement_time":"2026-01-31T12:00:00Z"}`
)

func TestReadConsent_outermostObjectWithTheFiveClauses(t *testing.T) {
	t.Parallel()

	const older = `{"clause_1_consent":false,"clause_2_consent":false,"clause_3_consent":false,"clause_4_consent":false,"clause_5_consent":false}`
	for name, body := range map[string]string{
		"unknown fields":             `{"x":{"y":[1,null]},` + strings.TrimPrefix(record, "{"),
		"JSON:API":                   `{"data":{"type":"consents","id":"1","attributes":` + record + `},"links":{"self":"x"}}`,
		"GraphQL":                    `{"data":{"user":{"consent":` + record + `}}}`,
		"camel case":                 `{"clause1Consent":true,"clause2Consent":true,"clause3Consent":true,"clause4Consent":true,"clause5Consent":true,"agreementTime":"2026-01-31T12:00:00Z"}`,
		"an acceptance beside":       `{"accepted":false,` + strings.TrimPrefix(record, "{"),
		"a history inside":           `{` + allTrue + `,"agreement_time":"2026-01-31T12:00:00Z","previous":` + older + `}`,
		"a history of part":          `{` + allTrue + `,"agreement_time":"2026-01-31T12:00:00Z","previous":{"clause_1_consent":false}}`,
		"a history beside, deeper":   `{"consent":` + record + `,"history":{"last":` + older + `}}`,
		"errors that say nothing":    `{"success":true,"error":null,"errors":[],"data":` + record + `}`,
		"a number that is too large": `{` + allTrue + `,"agreement_time":"2026-01-31T12:00:00Z","z":1e400}`,
	} {
		held, err := answer.ReadConsent(parse(t, body))
		if err != nil || !held.HasClauses([answer.Clauses]bool{true, true, true, true, true}) || held.IsUntimed() {
			t.Errorf("%s: %+v, %v", name, held, err)
		}
		if !held.UserIPv6.IsAbsent() || !held.Manual.IsAbsent() {
			t.Errorf("%s: an absent field is present", name)
		}
	}
}

// TestReadConsent_noRecord has answers and why they are none. What says no is refused, and what is
// empty means that there is none.
func TestReadConsent_noRecord(t *testing.T) {
	t.Parallel()

	const nulls = `"clause_1_consent":null,"clause_2_consent":null,"clause_3_consent":null,"clause_4_consent":null,"clause_5_consent":null`
	replaced := func(old, other string) string { return strings.Replace(record, old, other, 1) }
	for body, why := range map[string]string{
		`{"a":` + record + `,"b":` + record + `}`:                         "more than one object",
		`{"clause_1_consent":true}`:                                       "some of the five clauses",
		`{"clause_1_consent":false,"consent":` + record + `}`:             "some of the five clauses",
		`{"data":[` + record + `]}`:                                       "no object of the answer",
		`{"message":"user not found"}`:                                    "no object of the answer",
		`[` + record + `]`:                                                "expected an object, found an array",
		`"clause_1_consent"`:                                              "expected an object, found a string",
		replaced(`1_consent":true`, `1_consent":"yes"`):                   "clause_1_consent: expected a boolean, found a string",
		`{"consent":` + replaced(`2_consent":true`, `2_consent":2`) + `}`: "clause_2_consent: expected a boolean, found a number",
		replaced(`"2026-01-31T12:00:00Z"`, `"2026-01-31T12:00:00"`):       `wire.consent.time_format = "utc" admits it`,
		replaced(`"2026-01-31T12:00:00Z"`, `"2026-01-31"`):                `wire.consent.time_format = "date" admits it`,
		replaced(`"2026-01-31T12:00:00Z"`, `1769860800`):                  `wire.consent.time_format = "unix_s" admits it`,
		replaced(`{`, `{"user_ipv6":{},`):                                 "user_ipv6: expected a string, found an object",
		replaced(`{`, `{"Clause_1_Consent":false,`):                       "twice, in different spellings",
		replaced(`{`, `{"clause1Consent":null,`):                          "twice, in different spellings",

		`{"error":{"code":"E7","message":"no"}}`:  refused,
		`{"success":false,"data":` + record + `}`: refused,
		`{"data":{"consent":null},"errors":[{"message":"Cannot query field","locations":[{"line":1,"column":1}]}]}`: refused,
		`{"error":{"code":"","message":"no","innererror":{}}}`:                                                      refused,

		`{}`: absent, `null`: absent, `{"consent":null}`: absent, `{"data":{}}`: absent, `{"data":{"attributes":{}}}`: absent,
		`{` + nulls + `}`: absent, `{"identity_id":"user-1",` + nulls + `}`: absent,
	} {
		held, err := answer.ReadConsent(parse(t, body))
		if got := outcome(err); got != why && (got != unrecognised || !strings.Contains(err.Error(), why)) {
			t.Errorf("%s is read as %+v, %v", body, held, err)
		}
	}
}

// TestConsentCall_whereTheSettingsPoint has answers, settings that read them, and what they hold: the
// clauses and the hour of the time.
func TestConsentCall_whereTheSettingsPoint(t *testing.T) {
	t.Parallel()

	const clauses = `{"clause_1_consent":1,"clause_2_consent":0,"clause_3_consent":"true","clause_4_consent":"0","clause_5_consent":false}`
	at := func(form string) answer.ConsentCall { return answer.ConsentCall{TimeFormat: form} }
	timed := func(value string) string { return strings.Replace(clauses, "}", `,"agreement_time":`+value+`}`, 1) }
	inData := answer.Envelope{At: "/data", Ignored: map[jsontext.Pointer]string{"/success": "false"}}
	for body, c := range map[string]struct {
		call answer.ConsentCall
		want string
	}{
		timed(`"2026-01-31T12:00:00"`):                            {at(answer.TimeUTC), "12"},
		timed(`"2026-01-31 12:00:00.5"`):                          {at(answer.TimeUTC), "12"},
		timed(`"2026-01-31T13:00:00+01:00"`):                      {at(answer.TimeUTC), "12"},
		timed(`"2026-01-31"`):                                     {at(answer.TimeDate), "0"},
		timed(`1769860800`):                                       {at(answer.TimeUnixS), "12"},
		timed(`1769860800000`):                                    {at(answer.TimeUnixS), "12"},
		timed(`"1769860800"`):                                     {at(answer.TimeUnixS), "12"},
		`[` + timed(`1769860800000`) + `]`:                        {answer.ConsentCall{At: "/0"}, "12"},
		`{"a":` + timed(`1769860800000`) + `,"b":` + record + `}`: {answer.ConsentCall{At: "/a"}, "12"},
		`{"data":` + timed(`1769860800000`) + `,"success":false}`: {answer.ConsentCall{Envelope: inData}, "12"},

		`{"agreement_time":1769860800000,"clauses":` + clauses + `}`:                    {answer.ConsentCall{}, "12"},
		`{"agreement_time":1769860800000,"x":{"y":` + clauses + `}}`:                    {answer.ConsentCall{At: "/x/y"}, "12"},
		`{"agreement_time":1,"x":{"agreement_time":1769860800000,"y":` + clauses + `}}`: {answer.ConsentCall{}, "12"},
		`{"agreement_time":1769860800000,"clauses":` + timed("null") + `}`:              {answer.ConsentCall{}, ""},

		`{"data":null}`:         {answer.ConsentCall{Envelope: inData}, absent},
		`{"data":{}}`:           {answer.ConsentCall{Envelope: inData}, absent},
		`{"consent":{},"id":1}`: {answer.ConsentCall{At: "/consent"}, absent},
		`{"id":1}`:              {answer.ConsentCall{At: "/consent"}, unrecognised},
		record:                  {answer.ConsentCall{Envelope: inData}, unrecognised},
		`{"data":` + record + `,"success":"no","error":"x"}`: {answer.ConsentCall{Envelope: inData}, refused},
	} {
		held, err := c.call.Read(parse(t, body))
		got := outcome(err)
		if moment, ok := held.AgreementTime.Get(); ok {
			got = strconv.Itoa(moment.Hour())
		}
		if got != c.want || err == nil && !held.HasClauses([answer.Clauses]bool{true, false, true, false, false}) {
			t.Errorf("%s is read as %+v, %v", body, held, err)
		}
	}
}

func TestReadConsent_fieldsAreAbsentNullOrAValue(t *testing.T) {
	t.Parallel()

	body := strings.Replace(`{`+allTrue+`,"user_ipv6":null,"manual":false,"agreement_time":1769860800123}`, `2_consent":true`, `2_consent":null`, 1)
	held, err := answer.ReadConsent(parse(t, body))
	clause, isTrue := held.Clauses[0].Get()
	manual, isSet := held.Manual.Get()
	at, _ := held.AgreementTime.Get()
	if err != nil || !clause || !isTrue || manual || !isSet || string(held.JSON) != body || !at.Equal(time.UnixMilli(1769860800123)) {
		t.Errorf("%+v, %v", held, err)
	}
	if !held.Clauses[1].IsNull() || !held.UserIPv6.IsNull() {
		t.Error("null is not null")
	}
}

// TestReadConsent_spellingsOfATime has times, and what is none: no time is one before 2000,
// which programs write for none, and an error anything that may be a time.
func TestReadConsent_spellingsOfATime(t *testing.T) {
	t.Parallel()

	const noon, first, none, invalid = 1769860800, 946684800, 0, -1
	for text, want := range map[string]int64{
		`"2026-01-31T12:00:00Z"`: noon, `"2026-01-31T12:00:00.000Z"`: noon, `"2026-01-31T13:00:00+01:00"`: noon, `"2026-01-31T13:00:00.000000+0100"`: noon,
		`1769860800000000`: noon, `1769860800000000000`: noon, `""`: none,
		`1769860800000`: noon, `"1769860800000"`: noon, `"2000-01-01T00:00:00Z"`: first,
		`"1970-01-01T00:00:00.000Z"`: none, `"0001-01-01T00:00:00Z"`: none, `"1999-12-31T23:59:59.999Z"`: none, `0`: none, `"0"`: none, `-62135596800000`: none,
		`"yesterday"`: invalid, `1.5`: invalid, `1e400`: invalid, `1769860800`: invalid, `"9999-12-31T23:59:59-01:00"`: invalid, `{}`: invalid, `true`: invalid,
	} {
		held, err := answer.ReadConsent(parse(t, `{`+allTrue+`,"agreement_time":`+text+`}`))
		if want == invalid {
			if err == nil || !strings.Contains(err.Error(), "agreement_time: expected an RFC 3339 time") {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if at, ok := held.AgreementTime.Get(); err != nil || ok != (want != none) || ok && at.Unix() != want || ok == held.AgreementTime.IsAbsent() {
			t.Errorf("%s is read as %v, %v", text, at, err)
		}
	}
}
