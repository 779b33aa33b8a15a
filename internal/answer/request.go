// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// The request types, which are the deferred actions of section 4, as this provider names
// them.
const (
	RequestProfileUpdate = "profile_update"
	RequestDataAccess    = "data_access"
	RequestDataDeletion  = "data_deletion"
)

// RequestTypes are all request types.
var RequestTypes = []string{RequestDataAccess, RequestDataDeletion, RequestProfileUpdate}

// Progress is what the status of a request means.
type Progress int

// The values of Progress. An unknown status is Unclear, and treated like Waiting: a
// request must never be taken for done because its status was new. Ended is a status of
// which only the settings say that the request is over, and nobody how it ended.
const (
	Waiting Progress = iota
	Unclear
	Failed
	Done
	Ended
)

// The fields of a request, by their folded names, the usual first. The interface shows none
// of them (section 2).
const (
	idFields      = "id requestid actionid jobid taskid uuid"
	personFields  = "identityid identity userid user subjectid subject"
	typeFields    = "operation type action requesttype actiontype kind"
	createdFields = "createdat requestedat submittedat created timestamp time date"
	endFields     = "completedat finishedat endedat closedat fulfilledat processedat deletedat"
	statusFields  = "status state"
	codeFields    = "code errorcode"
)

// request is an object that may describe a request, and the wrappers around it. A field is
// the one of the outermost level that has it.
type request struct{ levels []*Object }

// openRequest opens the wrappers around a request.
func openRequest(v jsontext.Value) request { return requestIn(Open(v)) }

// openRequest opens the wrappers around a request, without the leaves of the answer that are ignored.
func (e Envelope) openRequest(v jsontext.Value) request { return requestIn(e.open(v, "")) }

func requestIn(o *Object) request {
	r := request{}
	const limit = 4
	for ; o != nil && len(r.levels) < limit; o = o.inner("profile consent " + idFields + " " + personFields) {
		r.levels = append(r.levels, o)
	}
	return r
}

// field returns the first of these fields. names are folded.
func (r request) field(names string) jsontext.Value {
	for _, o := range r.levels {
		if v := o.field(names); v != nil {
			return v
		}
	}
	return nil
}

// id returns the service's identifier of the request. The identifier of the person is none.
func (r request) id(person string) string {
	id := identifier(r.field(idFields))
	if PersonKey(id) == PersonKey(person) {
		return ""
	}
	return id
}

func (r request) createdAt() Optional[time.Time] {
	at, ok := instant(r.field(createdFields))
	if !ok || at.Before(earliestInstant) {
		return Optional[time.Time]{}
	}
	return Some(at)
}

// requestType returns the type of the request, which all its fields of this name agree on:
// {"type":"consent","action":"delete"} is not known.
func (r request) requestType() string {
	var words []string
	for _, o := range r.levels {
		words = append(words, typesIn(o)...)
	}
	return RecordMap{}.agreed(words)
}

// saysNo reports whether the request was refused, or has failed.
func (r request) saysNo() bool {
	failed := func(m member) bool { return m.isNamed(statusFields) && progressOf(scalar(m.value)) == Failed }
	return slices.ContainsFunc(r.levels, func(o *Object) bool { return o.saysNo(flags) || slices.ContainsFunc(o.members, failed) })
}

// isRequest reports whether the object is a request: it has an identifier, a type, or a
// status that is known to be open.
func (r request) isRequest(person string) bool {
	return r.id(person) != "" || r.requestType() != "" || r.isOpen()
}

func (r request) isOpen() bool {
	return slices.ContainsFunc(r.levels, func(o *Object) bool {
		status := scalar(o.field(statusFields))
		return status != "" && progressOf(status) == Waiting
	})
}

// PersonKey returns what identifiers that may be of one person have in common: they differ only by
// capitals, percent-encoding, once or twice, a plus sign for a blank, Unicode normalisation, and
// mailto: in front.
func PersonKey(identity string) string {
	for range 2 {
		if plain, err := url.PathUnescape(identity); err == nil {
			identity = plain
		}
	}
	key := strings.ToLower(norm.NFC.String(strings.ReplaceAll(identity, "+", " ")))
	return strings.TrimPrefix(key, "mailto:")
}

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
func (e Envelope) ReadReceipt(status int, v jsontext.Value, person string) (Receipt, error) {
	r := e.openRequest(v)
	if r.saysNo() {
		return Receipt{}, refused()
	}

	receipt := Receipt{ID: r.id(person), At: time.Now()}
	if at, given := r.createdAt().Get(); given && r.isRequest(person) {
		receipt.At = at
	}

	saysYes := func(m member) bool { return m.isNamed(flags) && m.saysYes() }
	const accepted, noContent = 202, 204
	understood := status == accepted || status == noContent || isBlank(v) || e.Result.SaysYes(v) || r.isRequest(person) || slices.ContainsFunc(Open(v).members, saysYes)
	if !understood {
		receipt.NotUnderstood = Structure(v)
	}

	return receipt, nil
}

// ReadUpdateReceipt is ReadReceipt for the update of a profile. An answer that is the
// profile with the values that were sent is a receipt too; its identifier is not that of a
// request.
func (e Envelope) ReadUpdateReceipt(status int, v jsontext.Value, person string, sent map[string]jsontext.Value) (Receipt, error) {
	members := jsonvalue.Members(v)
	if inside := Open(v).onlyMember().value; inside.Kind() == '{' {
		members = jsonvalue.Members(inside)
	}
	if shareName(sent, members) && !SaysNo(v) && (Profile{Members: members}).Holds(sent) {
		return Receipt{At: time.Now()}, nil
	}

	return e.ReadReceipt(status, v, person)
}

// flags are the members by which the answer to a request for a change says yes or no, and
// outcomes those by which any answer does: what a person has accepted is data.
const (
	flags    = "accepted " + outcomes
	outcomes = "ok success"
)

// saysNo reports whether the object reports an error, or one of its flags is false, or 0. An
// error that is null, 0, false or empty says nothing.
func (o *Object) saysNo(flags string) bool {
	return slices.ContainsFunc(o.members, func(m member) bool {
		isTrue, isFlag := truths[strings.ToLower(leafText(m.value))]
		isFalse := isFlag && !isTrue
		return m.isNamed("error errors") && jsonvalue.Told(m.value) || m.isNamed(flags) && isFalse
	})
}

// saysYes reports whether the member is a flag that is true, or a status of success.
func (m member) saysYes() bool {
	return m.isNamed(flags) && truths[leafText(m.value)] || m.isNamed(statusFields) && progressOf(scalar(m.value)) == Done
}

// SaysNo reports whether the answer to a request for a change says that it failed, although
// its status is one of success: by an error, or by a flag such as success or accepted that is
// false.
func SaysNo(v jsontext.Value) bool { return Open(v).saysNo(flags) }

// refused returns the Error of an answer that says no.
func refused() *Error {
	return &Error{Outcome: Refused, Why: "the answer has a status of success and says that the service refused the request"}
}
