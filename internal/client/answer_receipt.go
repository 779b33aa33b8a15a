package client

import (
	"slices"
	"strings"
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
	// Delivered reports whether the answer is the person's data, by its structure, and was
	// written to the writer of FetchData.
	Delivered bool
}

// acknowledgementNames are the members that an acknowledgement of a request may have, by
// their letters. The interface does not show the answers of deferred requests (section 4,
// gaps): these names are our assumption. Members that hold the name of a person or a thing
// are not among them, since they are data.
var acknowledgementNames = []string{
	"id", "requestid", "actionid", "jobid", "taskid", "ticketid", "uuid", "ticket",
	"request", "action", "job", "task", "operation", "type", "requesttype", "actiontype", "kind",
	"status", "state", "progress", "position", "ok", "success", "accepted", "queued", "pending",
	"message", "msg", "detail", "details", "description", "title", "code", "error", "errors", "errorcode", "reason",
	"createdat", "requestedat", "submittedat", "updatedat", "expiresat", "created", "timestamp", "time", "date", "eta",
	"identityid", "identity", "userid", "user", "subjectid", "subject", "orgid", "projectid", "accountid",
	"url", "href", "link", "links", "location", "downloadurl",
	"data", "result", "response", "record",
}

// listNames are the members of an acknowledgement that may hold lists of objects.
var listNames = []string{"errors", "details", "links"}

// isAcknowledgement reports whether an answer says only that a request was accepted, or
// where its result is, as opposed to being the result. Every value without members is one:
// an empty answer proves nothing.
func isAcknowledgement(v jsontext.Value) bool {
	if slices.ContainsFunc(jsonvalue.Elements(v), isComposite) {
		return false
	}

	for name, member := range jsonvalue.Members(v) {
		if !isAcknowledgementMember(lettersOf(name), member) {
			return false
		}
	}

	return true
}

func isComposite(v jsontext.Value) bool { return v.Kind() == '{' || v.Kind() == '[' }

// isAcknowledgementMember reports whether an acknowledgement may have this member. name is
// its letters.
func isAcknowledgementMember(name string, v jsontext.Value) bool {
	if !slices.Contains(acknowledgementNames, name) {
		return false
	}

	if v.Kind() != '[' || !slices.Contains(listNames, name) {
		return isAcknowledgement(v)
	}
	return !slices.ContainsFunc(jsonvalue.Elements(v), func(e jsontext.Value) bool { return !isAcknowledgement(e) })
}

// receiptOf returns the receipt of an acknowledgement.
func receiptOf(v jsontext.Value) Receipt {
	record := readRecord(unwrapped(v), "")

	r := Receipt{At: time.Now()}
	r.ID, _ = record.ID.Get()
	if at, given := record.CreatedAt.Get(); given {
		r.At = at
	}
	return r
}

// unwrapped returns the object below a wrapper that is the only member, or else v.
func unwrapped(v jsontext.Value) jsontext.Value {
	members := jsonvalue.Members(v)
	if len(members) != 1 {
		return v
	}

	for name, inner := range members {
		if inner.Kind() == '{' && !strings.EqualFold(name, "user") {
			return inner
		}
	}

	return v
}
