// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// ReadToken returns the text of the token in the answer to a login (section 2). The error
// is a *Error.
func ReadToken(v jsontext.Value) (string, error) {
	if text := jsonvalue.Text(jsonvalue.Members(v)["token"]); text != "" {
		return text, nil
	}
	return "", &Error{Why: "the answer has no text in a field token (section 2 of the interface); it is not shown"}
}

// ReadUser returns an error, which is a *Error, for an answer that is not the record of
// the current user: an object that reports no error. The interface says nothing else of it.
func ReadUser(v jsontext.Value) error {
	if v.Kind() != '{' {
		return wantObject(v)
	}
	if Open(v).saysNo(outcomes) {
		return refused()
	}
	return nil
}
