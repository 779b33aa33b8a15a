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

// request is an object that may describe a request, with the members of the wrappers inside of it.
type request struct {
	*node

	levels []*node // the outermost first
}

// request opens the wrappers around a request. A wrapper is the only object in another one, beside
// what describes the answer, and not beside a list, which makes it one of several things.
func (n *node) request() request {
	r := request{node: &node{Value: n.Value}}
	const limit = 4
	for range limit {
		r.levels = append(r.levels, n)
		r.members = append(r.members, n.members...)

		isOther := func(m *node) bool {
			return m.ignored || !m.isComposite() || m.isNamed(describingFields, personalParts, idFields, personFields)
		}
		inside := slices.DeleteFunc(slices.Clone(n.members), isOther)
		if len(inside) != 1 || inside[0].Kind() != '{' {
			break
		}
		n = inside[0]
	}

	return r
}

// field returns the first of these fields from the outermost level that has one: an id inside may be
// that of a record.
func (r request) field(names ...string) *node {
	for _, level := range r.levels {
		if n := level.field(names...); n.Value != nil {
			return n
		}
	}
	return &node{}
}

// isOpen reports whether an object has a status that is known to be open.
func (n *node) isOpen() bool {
	return slices.ContainsFunc(n.members, func(m *node) bool { return m.isNamed(statusFields) && m.verdict() == Waiting })
}

// isOperation reports whether an object that may describe a request says so by its type, or by a status
// that is known to be open.
func (n *node) isOperation() bool { return n.isOpen() || RecordMap{}.requestType(n) != "" }

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
// answer that says no is an *Error, and the service has not accepted the request.
func (e Envelope) ReadReceipt(status int, v jsontext.Value, person string) (Receipt, error) {
	e.Ignored = nil // a flag that is ignored elsewhere refuses a request all the same
	answer := e.decode(v)
	request := answer.request()
	if request.saysNo(flagFields, statusFields) {
		return Receipt{}, refused()
	}
	receipt := Receipt{ID: requestID(request.field(idFields...), person), At: time.Now()}
	isRequest := receipt.ID != "" || request.isOperation()
	if at := createdAt(request.field(createdFields...)); isRequest && !at.IsZero() {
		receipt.At = at
	}

	const accepted, noContent = 202, 204
	saysYes := func(m *node) bool { return m.isNamed(flagFields) && truths[m.text] }
	switch {
	case e.Result.Says(v) != nil: // the identifier may be that of the call
		receipt = Receipt{At: time.Now(), NotUnderstood: Structure(v)}
	case status == accepted, status == noContent, isRequest, answer.isBlank():
	case slices.ContainsFunc(answer.members, saysYes), e.Result.IsSuccess(e.Result.At, answer.find(e.Result.At).text):
	default:
		receipt.NotUnderstood = Structure(v)
	}

	return receipt, nil
}

// ReadUpdateReceipt is ReadReceipt for the update of a profile. An answer that is the
// profile with the values that were sent is a receipt too; its identifier is not that of a
// request.
func (e Envelope) ReadUpdateReceipt(status int, v jsontext.Value, person string, sent map[string]jsontext.Value) (Receipt, error) {
	members := jsonvalue.Members(v)
	if answer := e.decode(v); len(answer.members) == 1 && answer.members[0].Kind() == '{' {
		members = jsonvalue.Members(answer.members[0].Value)
	}
	if shareName(sent, members) && !SaysNo(v) && (Profile{Members: members}).Holds(sent) {
		return Receipt{At: time.Now()}, nil
	}

	return e.ReadReceipt(status, v, person)
}
