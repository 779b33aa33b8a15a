package answer

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// flags are the members by which an answer says yes or no.
const flags = "accepted ok success"

// saysNo reports whether the object reports an error, or one of its flags is false. An
// error that is null, 0, false or empty says nothing.
func (o *Object) saysNo() bool {
	for _, m := range o.members {
		if m.isNamed("error errors") && jsonvalue.Told(m.value) {
			return true
		}
		if m.isNamed(flags) && (m.value.Kind() == 'f' || fold(jsonvalue.Text(m.value)) == "false") {
			return true
		}
	}

	return false
}

// saysYes reports whether one of the flags is true.
func (o *Object) saysYes() bool {
	for _, m := range o.members {
		if m.isNamed(flags) && m.value.Kind() == 't' {
			return true
		}
	}
	return false
}

// SaysNo reports whether an answer says that something failed, although its status is one of
// success: by an error, or by a flag such as success or accepted that is false.
func SaysNo(v jsontext.Value) bool { return Open(v).saysNo() }

// refused returns the Error of an answer that says no.
func refused() *Error {
	return &Error{Outcome: Refused, Why: "the answer has a status of success and says that the service refused the request"}
}

// complaining are the members of an answer that is nothing but an error.
const complaining = flags + " error errors message code status reason detail title type instance"

// onlyComplains reports whether an object is an error, and not data that happens to have a
// member of such a name.
func (o *Object) onlyComplains() bool {
	for _, m := range o.members {
		if !m.isNamed(complaining) {
			return false
		}
	}
	return o.saysNo()
}
