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

// The meanings of statuses, as the settings have them. What has ended is no longer waiting, whatever came
// of it.
const (
	StatusWaiting = "waiting"
	StatusDone    = "done"
	StatusFailed  = "failed"
	StatusEnded   = "ended"
)

// StatusMeanings are the meanings of statuses.
var StatusMeanings = []string{StatusWaiting, StatusDone, StatusFailed, StatusEnded}

var progressOfStatus = map[string]Progress{StatusWaiting: Waiting, StatusDone: Done, StatusFailed: Failed, StatusEnded: Ended}

// request returns an object that may describe a request together with what its wrappers have. An id or a
// time counts from the outermost object that has one: those inside may be of a record.
func (n *node) request() *node {
	const wrappers = 4
	all, known := &node{Value: n.Value}, role(0)
	for range wrappers {
		outer := known & (roleID | roleCreated)
		for _, m := range n.members {
			if m.is&outer == 0 && m.Kind() != 'n' {
				all.members = append(all.members, m)
				known |= m.is
			}
		}
		if n = n.wrapped(); n == nil {
			break
		}
	}

	return all
}

// wrapped returns the only object in another one, beside what describes the answer, and not beside a list,
// which makes it one of several things; nil where there is none.
func (n *node) wrapped() *node {
	const ofRequest = roleDescribes | rolePart | roleID | rolePerson
	var inside []*node
	for _, m := range n.members {
		isComposite := strings.ContainsRune("{[", rune(m.Kind()))
		if isComposite && m.is&ofRequest == 0 {
			inside = append(inside, m)
		}
	}
	if len(inside) != 1 || inside[0].Kind() != '{' {
		return nil
	}

	return inside[0]
}

// isOperation reports whether an object that may describe a request says so by its type, or by a status
// that is known to be open.
func (n *node) isOperation() bool {
	return n.says(roleStatus, Waiting) || RecordMap{}.requestType(n) != ""
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
// answer that says no is an *Error, and the service has not accepted the request.
func (e Envelope) ReadReceipt(status int, v jsontext.Value, person string) (Receipt, error) {
	e.Ignored = nil // a flag that is ignored elsewhere refuses a request all the same
	answer := e.decode(v)
	request := answer.request()
	if request.says(roleError|roleFlag|roleStatus, Failed) {
		return Receipt{}, refused()
	}

	receipt := Receipt{ID: requestID(request.field(roleID), person), At: time.Now()}
	if name := answer.find("/name").text; receipt.ID == "" && strings.Contains(name, "operations/") {
		receipt.ID = name // of a long-running operation (AIP-151)
	}
	isRequest := receipt.ID != "" || request.isOperation()
	if created, _ := request.field(roleCreated).instant(TimeUnixS); isRequest && !created.IsZero() {
		receipt.At = created
	}

	isAccepted := slices.Contains([]int{202, 204}, status)
	switch {
	case e.Result.Says(v) != nil: // the identifier may be that of the call
		receipt = Receipt{At: time.Now(), NotUnderstood: Structure(v)}
	case isAccepted, isRequest, answer.says(roleFlag, Done), answer.find(e.Result.At).isIgnored, answer.isBlank():
	default:
		receipt.NotUnderstood = Structure(v)
	}

	return receipt, nil
}

// ReadUpdateReceipt is ReadReceipt for the update of a profile. An answer that is the
// profile with the values that were sent is a receipt too; its identifier is not that of a
// request.
func (e Envelope) ReadUpdateReceipt(status int, v jsontext.Value, person string, sent map[string]jsontext.Value) (Receipt, error) {
	shown, answer := v, decode(v)
	if len(answer.members) == 1 && answer.members[0].Kind() == '{' {
		shown = answer.members[0].Value
	}
	profile := Profile{Members: jsonvalue.Members(shown)}
	if shareName(sent, profile.Members) && profile.Holds(sent) && !answer.says(roleError|roleFlag, Failed) {
		return Receipt{At: time.Now()}, nil
	}

	return e.ReadReceipt(status, v, person)
}
