// SPDX-License-Identifier: MPL-2.0

package decode_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

var managed = map[string]jsontext.Value{"plan": jsontext.Value(`"gold"`), "name": jsontext.Value("null")}

// TestProfileCall_whatAnAnswerIs has answers and what they are read as, by the place that is told:
// a profile, or an outcome. An answer that looks like an envelope has the place in its error.
func TestProfileCall_whatAnAnswerIs(t *testing.T) {
	t.Parallel()

	const nowhere = "not told"
	envelope := func(at string) string { return `wire.profile.at = "` + at + `"` }
	for _, c := range []struct {
		about   string
		managed map[string]jsontext.Value
		at      string
		answers
	}{
		{"somebody whose members are managed", managed, nowhere, answers{
			`{}`:                          `{}`,
			`{"data":{"a":1},"x":1}`:      `{"data":{"a":1},"x":1}`,
			`{"error":"none","name":"x"}`: `{"error":"none","name":"x"}`,
			`{"plan":{"name":"gold"}}`:    `{"plan":{"name":"gold"}}`,

			`{"data":{"plan":"gold"}}`:                           envelope("/data"),
			`{"data":{"type":"x","attributes":{"plan":"gold"}}}`: envelope("/data/attributes"),
			`{"id":7,"properties":{"plan":"gold"},"ids":["x"]}`:  envelope("/properties"),
			`{"user@example.com":{"plan":"gold"}}`:               "wire.profile.at",
			`{"a":{"plan":"gold"},"b":{"plan":"gold"}}`:          "wire.profile.at admits it",
			`{"error":"no","code":7}`:                            refused,
			`{"ok":false,"any":{"member":"there is"}}`:           refused,
			`[{"plan":"gold"}]`:                                  "expected an object, found an array",
		}},
		{"somebody of whom nothing is known", nil, nowhere, answers{
			`{}`:                                     `{}`,
			`{"plan":"gold","status":"active"}`:      `{"plan":"gold","status":"active"}`,
			`{"address":{"city":"x"},"plan":"gold"}`: `{"address":{"city":"x"},"plan":"gold"}`,
			`{"data":{},"plan":"gold"}`:              `{"data":{},"plan":"gold"}`,

			`{"user":{"plan":"gold"}}`:                            envelope("/user"),
			`{"status":"success","data":{"plan":"gold"}}`:         envelope("/data"),
			`{"data":{"plan":"gold"},"meta":{"id":1},"links":{}}`: envelope("/data"),
			`{"status":"error","message":"not found"}`:            "wire.profile.at admits it",
			`{"status":"active"}`:                                 "wire.profile.at admits it",
			`{"ok":false}`:                                        refused,
			`{"code":50000,"msg":"x","data":null}`:                refused,
			`{"error":"none","rank":7}`:                           refused,
			`null`:                                                "expected an object, found null",
		}},
		{"the answer itself", nil, "", answers{
			`{"status":"active"}`:      `{"status":"active"}`,
			`{"user":{"plan":"gold"}}`: `{"user":{"plan":"gold"}}`,
			`{"ok":false}`:             refused,
		}},
		{"a member", managed, "/data", answers{
			`{"data":{"plan":"gold"},"links":{"self":"x"}}`: `{"plan":"gold"}`,
			`{"success":true,"data":{}}`:                    `{}`,
			`{"data":null}`:                                 `{}`,
			`{}`:                                            `{}`,

			`{"plan":"gold"}`:            `has nothing at "/data", where the settings point`,
			`{"data":"gold"}`:            "expected an object, found a string",
			`{"data":[{"plan":"gold"}]}`: "expected an object, found an array",
			`{"error":"no","code":7}`:    refused, `{"success":false,"code":"x"}`: refused, `{"success":false,"data":{"plan":"gold"}}`: refused,
			`{"data":{"error":"no"}}`: refused,
		}},
		{"inside of what is empty", managed, "/data/profile", answers{
			`{"data":{}}`: `{}`, `{"code":0,"data":{}}`: `{}`,
			`{"code":500,"message":"down","data":{}}`: `what stands beside it may say why: "/code", "/message"`,
		}},
		{"deep inside", managed, "/data/0/attributes", answers{
			`{"data":[{"attributes":{"plan":"gold"}}]}`: `{"plan":"gold"}`,
			`{"data":[]}`: `{}`,
			`{"data":[{"attributes":{"plan":"x"},"success":false}]}`: refused,
		}},
	} {
		call := decode.ProfileCall{Managed: c.managed}
		if c.at != nowhere {
			call.At = new(jsontext.Pointer(c.at))
		}
		c.answers.check(t, c.about, reads(call))

		for body, want := range c.answers { // the place that is named admits the answer
			at, isNamed := strings.CutPrefix(want, `wire.profile.at = "`)
			call.At = new(jsontext.Pointer(strings.TrimSuffix(at, `"`)))
			if p, err := call.Read(parse(t, body)); isNamed && (err != nil || len(p.Members) == 0) {
				t.Errorf("%s: %s at %s is read as %v, %v", c.about, body, at, p.Members, err)
			}
		}
	}
}

// reads returns the reading of a profile, as text.
func reads(call decode.ProfileCall) func(jsontext.Value) (string, error) {
	return func(v jsontext.Value) (string, error) {
		p, err := call.Read(v)
		return jsonvalue.FormatObject(p.Members), err
	}
}

// TestProfileCall_envelopeOfWhatIsIgnored has words of envelopes that say nothing, and are still words of
// envelopes.
func TestProfileCall_envelopeOfWhatIsIgnored(t *testing.T) {
	t.Parallel()
	ignoring := decode.ProfileCall{Envelope: decode.Envelope{
		Ignored: map[jsontext.Pointer]string{"/success": "true", "/message": decode.AnyValue},
		Result:  decode.Result{At: "/code", Success: []string{"0"}},
	}}
	answers{
		`{"success":true}`:                        "wire.profile.at",
		`{"success":true,"user":{"plan":"gold"}}`: "wire.profile.at",
		`{"code":0,"data":{"plan":"gold"}}`:       "wire.profile.at",
		`{"message":"x","code":"E7"}`:             refused,
	}.check(t, ignoring, reads(ignoring))
}
