// SPDX-License-Identifier: MPL-2.0

package decode

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// The request types, which are the deferred actions of section 4, as this provider names them.
const (
	RequestProfileUpdate = "profile_update"
	RequestDataAccess    = "data_access"
	RequestDataDeletion  = "data_deletion"
)

// RequestTypes are all request types.
var RequestTypes = []string{RequestDataAccess, RequestDataDeletion, RequestProfileUpdate}

// Progress is what the status of a request means.
type Progress int

// The values of Progress. A request must never be taken for done because its status was new, so that an unknown one is
// Unclear. Ended means that the request is over by the settings, and that its outcome is unknown.
const (
	Unclear Progress = iota - 1
	Waiting
	Done
	Failed
	Ended
)

// The meanings of statuses, as the settings have them.
const (
	StatusWaiting = "waiting"
	StatusDone    = "done"
	StatusFailed  = "failed"
	StatusEnded   = "ended" // no longer waiting, whatever came of it
)

// StatusMeanings are the meanings of statuses, each at the index of its Progress.
var StatusMeanings = []string{StatusWaiting, StatusDone, StatusFailed, StatusEnded}

// PersonKey returns what identifiers that may be of one person have in common: they differ only by capitals,
// percent-encoding, once or twice, a plus sign for a blank, Unicode normalisation, and mailto: in front.
func PersonKey(identity string) string {
	for range 2 {
		if plain, err := url.PathUnescape(identity); err == nil {
			identity = plain
		}
	}
	key := strings.ToLower(norm.NFC.String(strings.ReplaceAll(identity, "+", " ")))
	return strings.TrimPrefix(key, "mailto:")
}

// request is what an object says of a request.
type request struct {
	isRefused bool // by an error, a flag or a status
	isOpen    bool // by a type, or by a status that is known to be open
	id        string
	created   time.Time
}

// request returns what an object and the only objects in it say of a request about a person. An id or a time is that of
// the outermost one: those inside may be of a record.
func (n *node) request(person string) (r request) {
	id := &node{}
	for object := n; object != nil; object = object.only(unwrappedNames) {
		isOpen := object.says(statusNames, Waiting) || RecordMap{}.requestType(object) != ""
		created, _ := object.field("", createdNames).instant(TimeUnixS)

		r.isRefused = r.isRefused || object.says(failureNames, Failed)
		r.isOpen = r.isOpen || isOpen
		r.created = cmp.Or(r.created, created)
		if id.Value == nil {
			id = object.field("", idNames)
		}
	}
	r.id = requestID(id, person)

	return r
}

// requestID returns the identifier of a request, which may stand in {"$oid": "…"}. That of the person does not count.
func requestID(n *node, person string) string {
	id := cmp.Or(n.text, n.find("/$oid").text)
	if PersonKey(id) == PersonKey(person) {
		return ""
	}
	return id
}

// Receipt is the service's answer to a deferred request that it has accepted.
type Receipt struct {
	ID            string    // the service's identifier of the request; empty where it gave none
	At            time.Time // when the service accepted it, as the answer says, or else the time of the answer
	Delivered     bool      // the answer is the person's data, and was written to the writer of FetchData
	NotUnderstood string    // the structure of an answer that nothing shows to be a receipt, so that nothing shows that the request was accepted
}

// ReadReceipt returns the receipt that an answer to a queueing call about a person is: anything under 202 or 204;
// nothing; a request; or a flag that says yes. One that refuses is an *Error.
func (e Envelope) ReadReceipt(status int, v jsontext.Value, person string) (Receipt, error) {
	e.Ignored = nil // a flag that is ignored elsewhere refuses a request all the same

	answer := e.decode(v)
	request, isDone := answer.request(person), e.Result.Says(v) == nil
	switch {
	case request.isRefused:
		return Receipt{}, refused()
	case !isDone: // the identifier may be that of the call
		return Receipt{At: time.Now(), NotUnderstood: Structure(v)}, nil
	}

	receipt, isRequest := Receipt{ID: request.id, At: time.Now()}, request.id != "" || request.isOpen
	if isRequest {
		receipt.At = cmp.Or(request.created, receipt.At)
	}

	isSuccess := answer.find(e.Result.At).isIgnored // by its word
	switch {
	case status == 202, status == 204, isRequest, isSuccess, answer.says(flagNames, Done), answer.isBlank():
	default:
		receipt.NotUnderstood = Structure(v)
	}

	return receipt, nil
}

// ReadUpdateReceipt is ReadReceipt for the update of a profile. The answer may be the profile with the values sent. Its
// identifier is not that of a request then.
func (e Envelope) ReadUpdateReceipt(status int, v jsontext.Value, person string, sent map[string]jsontext.Value) (Receipt, error) {
	shown := Envelope{}.decode(v)
	if parts := shown.parts; len(parts) == 1 && parts[0].Kind() == '{' {
		shown = parts[0]
	}
	profile := Profile{Members: jsonvalue.Members(shown.Value)}
	if shown.shares(sent) && profile.Holds(sent) && !SaysNo(v) {
		return Receipt{At: time.Now()}, nil
	}

	return e.ReadReceipt(status, v, person)
}
