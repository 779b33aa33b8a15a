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

func TestReadProfile_objectAsItIs(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{}`:                                    `{}`,
		`{"plan":"gold"}`:                       `{"plan":"gold"}`,
		`{"data":{"a":1},"x":1}`:                `{"data":{"a":1},"x":1}`,
		`{"error":"none","name":"x"}`:           `{"error":"none","name":"x"}`,
		`{"accepted":false,"errors":[]}`:        `{"accepted":false,"errors":[]}`,
		`{"status":"active","code":7}`:          `{"code":7,"status":"active"}`,
		`{"address":{"city":"x"}}`:              `{"address":{"city":"x"}}`,
		`{"plan":{"name":"gold"}}`:              `{"plan":{"name":"gold"}}`,
		`{"_links":{"self":"x"},"plan":"gold"}`: `{"_links":{"self":"x"},"plan":"gold"}`,
	} {
		p, err := answer.ReadProfile(parse(t, body), "", managed)
		if got := jsonvalue.FormatObject(p.Members); err != nil || got != want {
			t.Errorf("%s is read as %s, %v", body, got, err)
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
		p := wantProblem(t, err, answer.Unrecognised)
		if want := `wire.profile_member = "` + wrapper + `"`; !strings.Contains(p.Advice, want) {
			t.Fatalf("%s: the advice is %q", wrapper, p.Advice)
		}

		admitted, err := answer.ReadProfile(body, wrapper, managed)
		if err != nil || !admitted.Holds(managed) {
			t.Errorf("%s: with the setting it is %+v, %v", wrapper, admitted, err)
		}
	}

	_, err := answer.ReadProfile(parse(t, `{"user@example.com":{"plan":"gold"}}`), "", managed)
	if p := wantProblem(t, err, answer.Unrecognised); strings.Contains(p.Error(), "example") {
		t.Errorf("the problem names a person: %s", p)
	}
}

func TestReadProfile_inTheMemberThatIsNamed(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"data":{"plan":"gold"},"links":{"self":"x"}}`: `{"plan":"gold"}`,
		`{"status":"success","data":{"plan":"gold"}}`:   `{"plan":"gold"}`,
		`{"success":true,"data":{}}`:                    `{}`,
		`{"data":null}`:                                 `{}`,
		`{}`:                                            `{}`,
	} {
		p, err := answer.ReadProfile(parse(t, body), "data", managed)
		if got := jsonvalue.FormatObject(p.Members); err != nil || got != want {
			t.Errorf("%s is read as %s, %v", body, got, err)
		}
	}

	for body, outcome := range map[string]answer.Outcome{
		`{"plan":"gold"}`:              answer.Unrecognised,
		`{"data":"gold"}`:              answer.Unrecognised,
		`{"data":[{"plan":"gold"}]}`:   answer.Unrecognised,
		`{"Data":{"plan":"gold"}}`:     answer.Unrecognised,
		`{"error":"no","code":7}`:      answer.Refused,
		`{"success":false,"code":"x"}`: answer.Refused,

		`{"success":false,"data":{"plan":"gold"}}`: answer.Refused,
	} {
		_, err := answer.ReadProfile(parse(t, body), "data", managed)
		if p := wantProblem(t, err, outcome); outcome == answer.Unrecognised && !strings.Contains(p.Error(), "wire.profile_member") {
			t.Errorf("%s: %s", body, p)
		}
	}
}

func TestReadProfile_refusesErrors(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"error":"no","code":7}`,
		`{"success":false,"message":"gone"}`,
		`{"ok":false,"any":{"member":"there is"}}`,
		`{"error":{"code":"NotFound","message":"x"}}`,
		`{"errors":[{"status":"404","title":"Not Found"}]}`,
		`{"type":"about:blank","title":"x","status":500,"detail":"x","instance":"/x","errors":["x"]}`,
	} {
		_, err := answer.ReadProfile(parse(t, body), "", managed)
		_ = wantProblem(t, err, answer.Refused)
	}
	// To a caller that knows no member of it, it may be the profile.
	for _, body := range []string{`{"error":"none","rank":7}`, `{"ok":false}`, `{"user":{"plan":"gold"}}`, `{"success":false,"errors":["x"]}`} {
		p, err := answer.ReadProfile(parse(t, body), "", nil)
		if got := jsonvalue.FormatObject(p.Members); err != nil || !jsonvalue.Equal(jsontext.Value(got), jsontext.Value(body)) {
			t.Errorf("%s is read as %s, %v", body, got, err)
		}
	}
	for _, body := range []string{`[]`, `null`, `"gold"`, `[{"plan":"gold"}]`} {
		_, err := answer.ReadProfile(parse(t, body), "", nil)
		_ = wantProblem(t, err, answer.Unrecognised)
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
		`{"token":"a.b.c"}`: "a.b.c",
		`{"token":"a.b.c","type":"bearer","user":{"id":1}}`: "a.b.c",
		`{"accessJwt":"a.b.c"}`:                             "",
		`{"access_token":"a.b.c","token_type":"Bearer"}`:    "",
		`{"data":{"token":"a.b.c"}}`:                        "",
		`{"token":{"value":"a.b.c"}}`:                       "",
		`{"token":null}`:                                    "",
		`{"error":"invalid_grant","error_description":"x"}`: "",
		`["a.b.c"]`: "",
		`"a.b.c"`:   "",
	} {
		got, err := answer.ReadToken(parse(t, body))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s is read as %q, %v", body, got, err)
		}
	}
}

func TestReadUser_objectThatReportsNoError(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"id":1,"email":null}`, `{"user":{"id":1}}`, `{"data":{"viewer":{"login":"x"}}}`, `{"id":1,"errors":[],"error":null}`} {
		if err := answer.ReadUser(parse(t, body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}

	for body, outcome := range map[string]answer.Outcome{
		`{"error":"unauthorized"}`:                   answer.Refused,
		`{"success":false}`:                          answer.Refused,
		`{"data":null,"errors":[{"message":"no"}]}`:  answer.Refused,
		`{"ok":false,"error":"invalid_auth"}`:        answer.Refused,
		`{"error":{"code":"401","message":"token"}}`: answer.Refused,
		`null`: answer.Unrecognised, `[]`: answer.Unrecognised, `"user"`: answer.Unrecognised, `true`: answer.Unrecognised,
	} {
		_ = wantProblem(t, answer.ReadUser(parse(t, body)), outcome)
	}
}
