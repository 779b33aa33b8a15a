// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// flags are the members by which the answer to a request for a change says yes or no, and
// outcomes those by which any answer does: what a person has accepted is data.
const (
	flags    = "accepted " + outcomes
	outcomes = "ok success"
)

// saysNo reports whether the object reports an error, or one of its flags is false. An
// error that is null, 0, false or empty says nothing.
func (o *Object) saysNo(flags string) bool {
	return slices.ContainsFunc(o.members, func(m member) bool {
		isFalse := m.value.Kind() == 'f' || jsonvalue.Fold(jsonvalue.Text(m.value)) == "false"
		return m.isNamed("error errors") && jsonvalue.Told(m.value) || m.isNamed(flags) && isFalse
	})
}

// saysYes reports whether the member is a flag that is true, or a status of success.
func (m member) saysYes() bool {
	return m.isNamed(flags) && m.value.Kind() == 't' || m.isNamed(statusFields) && progressOf(scalar(m.value)) == Done
}

// SaysNo reports whether the answer to a request for a change says that it failed, although
// its status is one of success: by an error, or by a flag such as success or accepted that is
// false.
func SaysNo(v jsontext.Value) bool { return Open(v).saysNo(flags) }

// refused returns the Error of an answer that says no.
func refused() *Error {
	return &Error{Outcome: Refused, Why: "the answer has a status of success and says that the service refused the request"}
}
