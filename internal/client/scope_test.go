package client

import (
	"strings"
	"testing"
)

func TestScope_wholeOrRefused(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		scope Scope
		want  string
	}{
		{Scope{}, "no scope"},
		{Scope{OrgID: "o"}, "org_id needs project_id"},
		{Scope{ProjectID: "p"}, "project_id needs org_id"},
		{Scope{OrgID: "o", ProjectID: "p", AccountID: "a"}, "excludes"},
		{Scope{OrgID: "..", ProjectID: "p"}, "org_id is"},
		{Scope{OrgID: "o", ProjectID: " "}, "project_id consists"},
		{Scope{AccountID: "."}, "account_id is"},
		{Scope{OrgID: "o", ProjectID: "p"}, ""},
		{Scope{AccountID: "a"}, ""},
	} {
		err := tc.scope.Validate()
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v, want %q", tc.scope, err, tc.want)
		}
	}
}

func TestValidateSegment_misleadingOnesAreRefused(t *testing.T) {
	t.Parallel()

	for segment, want := range map[string]string{
		"":                                  "is empty",
		"   ":                               "spaces only",
		"\u00a0\u2003":                      "spaces only",
		".":                                 "change the path",
		"..":                                "change the path",
		"jane\x00doe":                       "U+0000 at byte 4",
		"jane\rdoe":                         "U+000D at byte 4",
		"jane\ndoe":                         "U+000A",
		"jane\u202edoe":                     "U+202E",
		"jane\u2066doe":                     "U+2066",
		"jane\u2028doe":                     "U+2028",
		"jane\u0085doe":                     "U+0085",
		"jane\xffdoe":                       "UTF-8",
		strings.Repeat("x", LimitSegment+1): "longer than 8192 bytes",
	} {
		err := ValidateSegment(segment)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ValidateSegment(%q) = %v, want an error with %q", segment, err, want)
		}

		if err != nil && strings.Contains(err.Error(), "jane") {
			t.Errorf("ValidateSegment(%q) repeats the value: %v", segment, err)
		}
	}
}
