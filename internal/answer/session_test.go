// SPDX-License-Identifier: MPL-2.0

package answer_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

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
