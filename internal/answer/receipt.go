// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Receipt is the service's answer to a deferred request that it has accepted.
type Receipt struct {
	// ID is the service's identifier of the request; empty where it gave none.
	ID string
	// At is when the service accepted it, as the answer says, or else the time of the
	// answer.
	At time.Time
	// Delivered reports whether the answer is the person's data, and was written to the
	// writer of FetchData.
	Delivered bool
	// NotUnderstood is the structure of an answer that nothing shows to be a receipt; empty
	// where it is one. The request was sent, and whether it was accepted is not known.
	NotUnderstood string
}

// ReadReceipt returns the receipt that an answer to a queueing call is: anything under 202
// or 204; nothing; a request; or a flag that says yes. person is whom the call is about. An
// answer that says no is a *Error, and the service has not accepted the request.
func ReadReceipt(status int, v jsontext.Value, person string) (Receipt, error) {
	r := openRequest(v, "")
	if r.saysNo() {
		return Receipt{}, refused()
	}

	receipt := Receipt{ID: r.id(person), At: time.Now()}
	if at, given := r.createdAt().Get(); given && r.isRequest(person) {
		receipt.At = at
	}

	saysYes := func(m member) bool { return m.isNamed(flags) && m.saysYes() }
	const accepted, noContent = 202, 204
	understood := status == accepted || status == noContent || isBlank(v) || r.isRequest(person) || slices.ContainsFunc(Open(v).members, saysYes)
	if !understood {
		receipt.NotUnderstood = Structure(v)
	}

	return receipt, nil
}

// ReadUpdateReceipt is ReadReceipt for the update of a profile. An answer that is the
// profile with the values that were sent is a receipt too; its identifier is not that of a
// request.
func ReadUpdateReceipt(status int, v jsontext.Value, person string, sent map[string]jsontext.Value) (Receipt, error) {
	members := jsonvalue.Members(v)
	if inside := Open(v).sole().value; inside.Kind() == '{' {
		members = jsonvalue.Members(inside)
	}
	if shareName(sent, members) && !SaysNo(v) && (Profile{Members: members}).Holds(sent) {
		return Receipt{At: time.Now()}, nil
	}

	return ReadReceipt(status, v, person)
}

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
