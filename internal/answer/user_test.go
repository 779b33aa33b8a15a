// SPDX-License-Identifier: MPL-2.0

package answer_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

var managed = map[string]jsontext.Value{"plan": jsontext.Value(`"gold"`), "name": jsontext.Value("null")}

// TestReadProfile_objectOrTheMemberThatIsNamed has answers and what they are read as, by the
// member that is named: a profile, or an outcome.
func TestReadProfile_objectOrTheMemberThatIsNamed(t *testing.T) {
	t.Parallel()
	for wrapper, answers := range map[string]map[string]string{
		"": {
			`{}`:                                    `{}`,
			`{"plan":"gold"}`:                       `{"plan":"gold"}`,
			`{"data":{"a":1},"x":1}`:                `{"data":{"a":1},"x":1}`,
			`{"error":"none","name":"x"}`:           `{"error":"none","name":"x"}`,
			`{"accepted":false,"errors":[]}`:        `{"accepted":false,"errors":[]}`,
			`{"status":"active","code":7}`:          `{"code":7,"status":"active"}`,
			`{"address":{"city":"x"}}`:              `{"address":{"city":"x"}}`,
			`{"plan":{"name":"gold"}}`:              `{"plan":{"name":"gold"}}`,
			`{"_links":{"self":"x"},"plan":"gold"}`: `{"_links":{"self":"x"},"plan":"gold"}`,

			`{"error":"no","code":7}`:                                                                     refused,
			`{"success":false,"message":"gone"}`:                                                          refused,
			`{"ok":false,"any":{"member":"there is"}}`:                                                    refused,
			`{"error":{"code":"NotFound","message":"x"}}`:                                                 refused,
			`{"errors":[{"status":"404","title":"Not Found"}]}`:                                           refused,
			`{"type":"about:blank","title":"x","status":500,"detail":"x","instance":"/x","errors":["x"]}`: refused,
		},
		"data": {
			`{"data":{"plan":"gold"},"links":{"self":"x"}}`: `{"plan":"gold"}`,
			`{"status":"success","data":{"plan":"gold"}}`:   `{"plan":"gold"}`,
			`{"success":true,"data":{}}`:                    `{}`,
			`{"data":null}`:                                 `{}`,
			`{}`:                                            `{}`,

			`{"plan":"gold"}`: unrecognised, `{"data":"gold"}`: unrecognised, `{"data":[{"plan":"gold"}]}`: unrecognised, `{"Data":{"plan":"gold"}}`: unrecognised,
			`{"error":"no","code":7}`: refused, `{"success":false,"code":"x"}`: refused, `{"success":false,"data":{"plan":"gold"}}`: refused,
		},
	} {
		for body, want := range answers {
			p, err := answer.ReadProfile(parse(t, body), wrapper, managed)
			got := outcome(err)
			if err == nil {
				got = jsonvalue.FormatObject(p.Members)
			}
			if got != want || got == unrecognised && !strings.Contains(err.Error(), "wire.profile_member") {
				t.Errorf("%s in %q is read as %s, %v", body, wrapper, got, err)
			}
		}
	}

	// To a caller that knows no member of it, it may be the profile.
	for _, body := range []string{`{"error":"none","rank":7}`, `{"ok":false}`, `{"user":{"plan":"gold"}}`, `{"success":false,"errors":["x"]}`} {
		p, err := answer.ReadProfile(parse(t, body), "", nil)
		if got := jsonvalue.FormatObject(p.Members); err != nil || !jsonvalue.Equal(jsontext.Value(got), jsontext.Value(body)) {
			t.Errorf("%s is read as %s, %v", body, got, err)
		}
	}
	for _, body := range []string{`[]`, `null`, `"gold"`, `[{"plan":"gold"}]`} {
		if _, err := answer.ReadProfile(parse(t, body), "", nil); outcome(err) != unrecognised {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// What is managed is in an object that is the only member: the answer is refused, and the
// setting that the refusal names admits it.
func TestReadProfile_wrapperIsAdmittedByTheSettingItNames(t *testing.T) {
	t.Parallel()
	for _, wrapper := range []string{"user", "profile", "traits", "data", "result", "attributes"} {
		body := parse(t, `{"`+wrapper+`":{"plan":"gold"}}`)
		_, err := answer.ReadProfile(body, "", managed)
		if outcome(err) != unrecognised || !strings.Contains(err.Error(), `wire.profile_member = "`+wrapper+`"`) {
			t.Errorf("%s: %v", wrapper, err)
		}

		admitted, err := answer.ReadProfile(body, wrapper, managed)
		if err != nil || !admitted.Holds(managed) {
			t.Errorf("%s: with the setting it is %+v, %v", wrapper, admitted, err)
		}
	}

	_, err := answer.ReadProfile(parse(t, `{"user@example.com":{"plan":"gold"}}`), "", managed)
	if outcome(err) != unrecognised || strings.Contains(err.Error(), "example") {
		t.Errorf("the problem names a person: %v", err)
	}
}

func TestProfile_holdsMembersWithTheirValues(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"plan":"gold"}`: true, `{"plan":"gold","name":null}`: true, `{"plan":"gold","x":1}`: true,
		`{"plan":"free"}`: false, `{}`: false, `{"plan":"gold","name":"x"}`: false,
	} {
		if got := (answer.Profile{Members: jsonvalue.Members(parse(t, body))}).Holds(managed); got != want {
			t.Errorf("%s: %t", body, got)
		}
	}
}

func TestReadToken_textInTheFieldToken(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"token":"a.b.c"}`: "a.b.c", `{"token":"a.b.c","type":"bearer","user":{"id":1}}`: "a.b.c",
		`{"accessJwt":"a.b.c"}`: "", `{"access_token":"a.b.c","token_type":"Bearer"}`: "", `{"data":{"token":"a.b.c"}}`: "", `{"token":{"value":"a.b.c"}}`: "",
		`{"token":null}`: "", `{"error":"invalid_grant","error_description":"x"}`: "", `["a.b.c"]`: "", `"a.b.c"`: "",
	} {
		got, err := answer.ReadToken(parse(t, body))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s is read as %q, %v", body, got, err)
		}
	}
}

func TestReadUser_objectThatReportsNoError(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"id":1,"email":null}`: "", `{"user":{"id":1}}`: "", `{"data":{"viewer":{"login":"x"}}}`: "", `{"id":1,"errors":[],"error":null}`: "",
		`{"error":"unauthorized"}`: refused, `{"success":false}`: refused, `{"data":null,"errors":[{"message":"no"}]}`: refused,
		`{"ok":false,"error":"invalid_auth"}`: refused, `{"error":{"code":"401","message":"token"}}`: refused,
		`null`: unrecognised, `[]`: unrecognised, `"user"`: unrecognised, `true`: unrecognised,
	} {
		if err := answer.ReadUser(parse(t, body)); outcome(err) != want {
			t.Errorf("%s: %v", body, err)
		}
	}
}
