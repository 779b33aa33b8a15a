// SPDX-License-Identifier: MPL-2.0

package decode_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
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
	incomplete   = "incomplete"
)

var outcomes = map[decode.Outcome]string{decode.Unrecognised: unrecognised, decode.Refused: refused, decode.Absent: absent, decode.Incomplete: incomplete}

// answers are what they are read as: text for a value, an outcome, or a part of the error of what is not recognised or
// not whole.
type answers map[string]string

// check reads each answer with a call. No error quotes a value.
func (all answers) check(t *testing.T, call any, read func(jsontext.Value) (string, error)) {
	t.Helper()
	for body, want := range all {
		got, err := read(parse(t, body))
		isNamed := false
		if err != nil {
			p, _ := errors.AsType[*decode.Error](err)
			got = outcomes[p.Outcome]
			isNamed = (got == unrecognised || got == incomplete) && strings.Contains(err.Error(), want)
		}
		if got != want && !isNamed {
			t.Errorf("%s with %+v is read as %q, %v; want %q", body, call, got, err, want)
		}
		if text := fmt.Sprint(err); strings.Contains(text, "example.com") || strings.Contains(text, "gold") {
			t.Errorf("%s: the error quotes it: %v", body, err)
		}
	}
}

// field returns a field for a table: - where it is absent.
func field[T any](o decode.Optional[T]) string {
	switch {
	case o.Given:
		return fmt.Sprint(o.Value)
	case o.Null:
		return "null"
	}
	return "-"
}

// consentText returns the time, the address, manual, and the clauses that are not true.
func consentText(held decode.Consent) string {
	at := field(held.AgreementTime)
	if held.AgreementTime.Given {
		at = held.AgreementTime.Value.UTC().Format(time.RFC3339Nano)
	}
	text := at + " " + field(held.UserIPv6) + " " + field(held.Manual)
	for i, clause := range held.Clauses {
		if agreed := field(clause); agreed != "true" {
			text += fmt.Sprintf(" %d:%s", i+1, agreed)
		}
	}

	return text
}

const (
	allTrue = `"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true`
	record  = `{` + allTrue + `,"agreement_time":"2026-01-31T12:00:00Z"}`
	older   = `{"clause_1_consent":false,"clause_2_consent":false,"clause_3_consent":false,"clause_4_consent":false,"clause_5_consent":false}`
	nulls   = `"clause_1_consent":null,"clause_2_consent":null,"clause_3_consent":null,"clause_4_consent":null,"clause_5_consent":null`
	mixed   = `"clause_1_consent":1,"clause_2_consent":0,"clause_3_consent":"true","clause_4_consent":"0","clause_5_consent":false`
)

// timed returns a record with a time, and without one that has it around its clauses.
func timed(value string) string      { return `{` + allTrue + `,"agreement_time":` + value + `}` }
func replaced(old, by string) string { return strings.Replace(record, old, by, 1) }

// TestConsentCall_whatAnAnswerIs has answers by the settings that they are read with, and what they are
// read as: the fields of a record, an outcome, or a part of the error of what is not recognised.
func TestConsentCall_whatAnAnswerIs(t *testing.T) {
	t.Parallel()

	const noon, none = "2026-01-31T12:00:00Z - -", "- - -"
	inData := decode.Envelope{At: "/data", Ignored: map[jsontext.Pointer]string{"/success": "false"}}
	noTimes := answers{} // the last one is of the year 10000 in UTC
	for value := range strings.FieldsSeq(`"2026-01-31T12:00:00" "2026-01-31" 1769860800 1769860800000000 "yesterday" 1.5 1e400 {} true "9999-12-31T23:59:59-01:00"`) {
		noTimes[timed(value)] = "agreement_time: expected an RFC 3339 time"
	}
	for _, c := range []struct {
		call decode.ConsentCall
		answers
	}{
		{decode.ConsentCall{}, answers{
			`{"accepted":false,` + strings.TrimPrefix(record, "{"):                                        noon,
			`{` + allTrue + `,"agreement_time":"2026-01-31T12:00:00Z","previous":{"clause_1_consent":0}}`: noon,
			`{"consent":` + record + `,"history":{"last":` + older + `}}`:                                 noon,
			`{"success":true,"error":null,"errors":[],"data":` + record + `}`:                             noon,
			replaced(`2_consent":true`, `2_consent":null,"user_ipv6":null,"manual":false`):                "2026-01-31T12:00:00Z null false 2:null",
			replaced(`{`, `{"user_ipv6":"::1","manual":"1",`):                                             "2026-01-31T12:00:00Z ::1 true",
			`{` + mixed + `}`: none + " 2:false 4:false 5:false",

			// A field that is not beside the clauses is that of the closest object around them.
			`{"agreement_time":1769860800000,"manual":1,"clauses":{` + allTrue + `}}`:                     "2026-01-31T12:00:00Z - true",
			`{"agreement_time":1,"x":{"agreement_time":1769860800000,"y":{` + allTrue + `}}}`:             noon,
			`{"agreement_time":1769860800000,"clauses":` + timed("null") + `}`:                            "null - -",
			`{"agreement_time":"2026-01-31T12:00:00Z","Agreement_Time":null,"clauses":{` + allTrue + `}}`: "twice, in different spellings",

			// Programs write times before 2000 for none. Anything else may be a time.
			timed(`"2026-01-31T12:00:00.000Z"`): noon, timed(`"2026-01-31T13:00:00+01:00"`): noon, timed(`"2026-01-31T13:00:00.000000+0100"`): noon,
			timed(`1769860800000`): noon, timed(`"1769860800000"`): noon,
			timed(`1769860800123`):              "2026-01-31T12:00:00.123Z - -",
			timed(`"2000-01-01T00:00:00Z"`):     "2000-01-01T00:00:00Z - -",
			timed(`"1999-12-31T23:59:59.999Z"`): none, timed(`"1970-01-01T00:00:00.000Z"`): none, timed(`"0001-01-01T00:00:00Z"`): none, timed(`""`): none,
			timed(`0`): none, timed(`"0"`): none, timed(`-62135596800000`): none,
			`{"a":` + record + `,"b":` + record + `}`:                         "several objects have clauses",
			`{"clause_1_consent":true}`:                                       "some of the five clauses",
			`{"clause_1_consent":false,"consent":` + record + `}`:             "some of the five clauses",
			replaced(`1_consent":true`, `1_consent":"yes"`):                   "clause_1_consent: expected a boolean, found a string",
			`{"consent":` + replaced(`2_consent":true`, `2_consent":2`) + `}`: "clause_2_consent: expected a boolean, found a number",
			replaced(`{`, `{"user_ipv6":{},`):                                 "user_ipv6: expected a string, found an object",
			replaced(`{`, `{"Clause_1_Consent":false,`):                       "twice, in different spellings",
			replaced(`{`, `{"clause1Consent":null,`):                          "twice, in different spellings",

			`{"error":{"code":"E7","message":"no"}}`: refused, `{"success":false,"data":` + record + `}`: refused,
			`{"data":{"consent":null},"errors":[{"message":"Cannot query field","locations":[{"line":1,"column":1}]}]}`: refused,
			`{"error":{"code":"","message":"no","innererror":{}}}`:                                                      refused,

			`{}`: absent, `null`: absent, `{"consent":null}`: absent, `{"data":{}}`: absent, `{"data":{"attributes":{}}}`: absent,
			`{` + nulls + `}`: absent, `{"identity_id":"user-1",` + nulls + `}`: absent, `{"data":{` + nulls + `},"code":50000}`: `what stands beside it may say why: "/code"`,
		}},
		{decode.ConsentCall{}, noTimes},
		{decode.ConsentCall{TimeFormat: decode.TimeUTC}, answers{
			timed(`"2026-01-31T12:00:00"`): noon, timed(`"2026-01-31 12:00:00.5"`): "2026-01-31T12:00:00.5Z - -", timed(`"2026-01-31T13:00:00+01:00"`): noon,
		}},
		{decode.ConsentCall{TimeFormat: decode.TimeUnixS}, answers{
			timed(`1769860800`): noon, timed(`1769860800000`): noon, timed(`"1769860800"`): noon,
		}},
		{decode.ConsentCall{OmitsFalse: true}, answers{
			`{"name":"x","clause2Consent":true,"agreementTime":"2026-01-31T12:00:00Z"}`: noon + " 1:false 3:false 4:false 5:false",
			`{"manual":true,"updateTime":"2026-01-31T12:00:00Z"}`:                       "- - true 1:false 2:false 3:false 4:false 5:false",
			`{"data":{"clause2Consent":true}}`:                                          "some of the five clauses", `{"message":"x"}`: "no object of the answer has the five clauses",
			record: noon, `{` + nulls + `}`: absent, `{}`: absent, `{"clause_1_consent":true,"error":"x"}`: refused,
			`{"user_ipv6":null,"agreement_time":null}`: absent, `{"clause_1_consent":null}`: absent,
		}},
		{decode.ConsentCall{Envelope: decode.Envelope{Ignored: map[jsontext.Pointer]string{"/history": decode.AnyValue}}}, answers{
			`{"data":{"user":{"consent":` + record + `}},"history":[` + older + `]}`: noon,
			`{"history":[` + older + `]}`:                                            "no object of the answer",
		}},
		{decode.ConsentCall{At: "/0"}, answers{`[` + record + `]`: noon, `[]`: absent, `[null]`: absent, `[{` + nulls + `}]`: absent}},
		{decode.ConsentCall{At: "/data/0"}, answers{`{"data":[]}`: absent}},
		{decode.ConsentCall{At: "/a"}, answers{`{"a":` + record + `,"b":` + older + `}`: noon}},
		{decode.ConsentCall{At: "/x/y"}, answers{`{"agreement_time":1769860800000,"x":{"y":{` + allTrue + `}}}`: noon}},
		{decode.ConsentCall{At: "/consent"}, answers{`{"consent":{},"id":1}`: absent, `{"id":1}`: `has nothing at "/consent", where the settings point`}},
		{decode.ConsentCall{Envelope: inData}, answers{
			`{"data":` + record + `,"success":false}`: noon,
			`{"data":null}`:     absent,
			`{"data":{}}`:       absent,
			`{"success":false}`: `has nothing at "/data"`, // which says nothing, and not that there is none
			record:              `has nothing at "/data", where the settings point`,
			`{"data":` + record + `,"success":"no","error":"x"}`: refused,
		}},
	} {
		c.answers.check(t, c.call, func(v jsontext.Value) (string, error) {
			held, err := c.call.Read(v)
			if err == nil && string(held.JSON) != string(v) {
				t.Errorf("of %s it has %s", v, held.JSON)
			}
			return consentText(held), err
		})
	}
}

// An answer with nothing in it says that there is none only if nothing beside it may say that the
// service has failed.
func TestResult_decidesWhatNothingMeans(t *testing.T) {
	t.Parallel()
	inData := decode.Envelope{At: "/data"}
	withResult := decode.Envelope{At: "/data", Result: decode.Result{At: "/code", Success: []string{"0"}, Absent: []string{"40400"}}}

	for body, want := range map[string]struct{ byDefault, withResult string }{
		`{"code":0,"data":null}`:                              {absent, absent},
		`{"status":"success","data":null}`:                    {absent, absent},
		`{"accepted":true,"data":null}`:                       {absent, absent},
		`{"code":{"x":1},"data":null}`:                        {unrecognised, refused},
		`{"requestId":"r-1","userId":"u-7","data":null}`:      {absent, absent},
		`{"user":["suspended"],"data":null}`:                  {unrecognised, unrecognised},
		`{"code":50000,"data":null}`:                          {unrecognised, refused},
		`{"code":0}`:                                          {unrecognised, unrecognised},
		`{"code":40400,"data":null}`:                          {unrecognised, absent},
		`{"code":40400,"msg":"none","data":[]}`:               {unrecognised, absent},
		`{"status":"fail","data":null}`:                       {unrecognised, unrecognised},
		`{"code":0,"msg":"the database is away","data":null}`: {unrecognised, unrecognised},
	} {
		answers{body: want.byDefault}.check(t, inData, func(v jsontext.Value) (string, error) {
			_, err := decode.ConsentCall{Envelope: inData}.Read(v)
			return "", err
		})
		answers{body: want.withResult}.check(t, withResult, func(v jsontext.Value) (string, error) {
			_, err := decode.ConsentCall{Envelope: withResult}.Read(v)
			return "", cmp.Or(withResult.Result.Says(v), err)
		})
	}
}
