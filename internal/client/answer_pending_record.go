package client

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

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

// Progress is what the status of a pending record means.
type Progress int

// The values of Progress. An unknown status is Unclear, and treated like Waiting: a
// request must never be taken for done because its status was new.
const (
	Waiting Progress = iota
	Unclear
	Failed
	Done
)

// statuses are the known ones, by their letters.
var statuses = byWord(map[Progress]string{
	Waiting: "pending queued waiting inprogress processing running scheduled new open accepted submitted created started active",
	Failed:  "failed failure error errored rejected cancelled canceled aborted expired",
	Done:    "done completed complete fulfilled finished succeeded success processed",
})

// byWord returns the progress of each word, from words with spaces between.
func byWord(words map[Progress]string) map[string]Progress {
	progress := map[string]Progress{}
	for p, list := range words {
		for word := range strings.FieldsSeq(list) {
			progress[word] = p
		}
	}
	return progress
}

// PendingRecord is one entry of the pending list. The interface does not show its fields
// (section 2), so that they are recognised under the usual spellings. What is not
// recognised is absent, and only in JSON.
type PendingRecord struct {
	ID          Optional[string]
	Identity    Optional[string]
	RequestType Optional[string] // one of RequestTypes
	CreatedAt   Optional[time.Time]
	Status      Optional[string]
	Code        string // of a failure
	JSON        []byte // the complete record
}

// Progress returns what the status means; Waiting where there is none.
func (r PendingRecord) Progress() Progress {
	status, _ := r.Status.Get()
	word := lettersOf(status)
	if word == "" {
		return Waiting
	}

	if progress, known := statuses[word]; known {
		return progress
	}

	return Unclear
}

// Is reports whether the record is of one of the request types.
func (r PendingRecord) Is(requestTypes ...string) bool {
	requestType, known := r.RequestType.Get()
	return known && slices.Contains(requestTypes, requestType)
}

// ShownStatus returns the status for a message: escaped and cut; empty where there is
// none.
func (r PendingRecord) ShownStatus() string {
	status, _ := r.Status.Get()
	return newRedactor().text(status, 60)
}

// FailureCode returns the service's code of a failure for a message: escaped, cut, and
// without what looks like a person or a secret; empty where there is none.
func (r PendingRecord) FailureCode() string {
	identity, _ := r.Identity.Get()
	return newRedactor(identity).text(r.Code, 80)
}

// ShownID returns the service's identifier of a request for a message: escaped, cut, and
// without what looks like a person or a secret.
func ShownID(id string) string { return newRedactor().text(id, 80) }

// SameWord reports whether two words are equal by their letters and digits, so that
// "in_progress" and "inProgress" are.
func SameWord(a, b string) bool { return lettersOf(a) == lettersOf(b) }

// MemberNames returns the names of an object's members for a message, such as
// ` (its members are "id", "personId")`, and never a value. It is empty where v is no
// object.
func MemberNames(v []byte) string {
	names := jsonvalue.Names(jsonvalue.Members(v))
	if len(names) == 0 {
		return ""
	}

	for i, name := range names {
		names[i] = strconv.Quote(newRedactor().text(name, 40))
	}
	if len(names) > 12 {
		names = append(names[:12], "…")
	}

	return " (its members are " + strings.Join(names, ", ") + ")"
}

// Spellings of the fields of a record, the usual first.
var (
	idNames          = []string{"id", "_id", "request_id", "action_id", "uuid"}
	identityNames    = []string{"identity_id", "identity", "user_id", "user", "subject_id", "subject"}
	requestTypeNames = []string{"operation", "type", "action", "request_type", "action_type", "kind", "name"}
	createdNames     = []string{"created_at", "requested_at", "submitted_at", "created", "timestamp", "time", "date"}
	statusNames      = []string{"status", "state"}
	codeNames        = []string{"code", "error_code", "error"}
	recordWrappers   = []string{"request", "record", "action", "data", "attributes"}
)

// IsPendingMember reports whether a member of a pending record is recognised by its name.
// identityField is Wire.PendingIdentityField.
func IsPendingMember(name, identityField string) bool {
	known := slices.Concat([]string{identityField}, idNames, identityNames, requestTypeNames, createdNames, statusNames, codeNames, recordWrappers)
	return slices.ContainsFunc(known, func(other string) bool { return other != "" && SameWord(name, other) })
}

// readRecord returns the fields of a record, at its top or below a wrapper. identityField
// is a further name of the field that holds the person; empty if there is none.
func readRecord(v jsontext.Value, identityField string) PendingRecord {
	identityNames := slices.Concat([]string{identityField}, identityNames)
	m := recordMembers(v, identityNames)

	r := PendingRecord{
		ID:          textField(pick(m, idNames)),
		Identity:    textField(pick(m, identityNames)),
		RequestType: requestTypeIn(m),
		Status:      textField(pick(m, statusNames)),
		Code:        failureCodeIn(m),
		JSON:        v,
	}
	if t, ok := readInstant(pick(m, createdNames)); ok {
		r.CreatedAt = Some(t)
	}

	return r
}

// recordMembers returns the members of the object in v that has an identifier or a person:
// v itself, or one below a wrapper.
func recordMembers(v jsontext.Value, identityNames []string) map[string]jsontext.Value {
	m := foldedMembers(v)
	for _, wrapper := range recordWrappers {
		if pick(m, idNames) != nil || pick(m, identityNames) != nil {
			break
		}
		if inner := m[lettersOf(wrapper)]; inner.Kind() == '{' {
			m = foldedMembers(inner)
		}
	}

	return m
}

func requestTypeIn(m map[string]jsontext.Value) Optional[string] {
	for _, name := range requestTypeNames {
		if requestType := RequestTypeOf(jsonvalue.Text(m[lettersOf(name)])); requestType != "" {
			return Some(requestType)
		}
	}
	return Optional[string]{}
}

func failureCodeIn(m map[string]jsontext.Value) string {
	if inner := pick(m, []string{"error"}); inner.Kind() == '{' {
		return firstText(jsonvalue.Members(inner), "code", "message")
	}
	return jsonvalue.Text(pick(m, codeNames))
}

// foldedMembers returns the members of an object by the letters of their names, so that
// camel case and snake case are equal.
func foldedMembers(v jsontext.Value) map[string]jsontext.Value {
	folded := map[string]jsontext.Value{}
	members := jsonvalue.Members(v)
	for _, name := range jsonvalue.Names(members) {
		folded[lettersOf(name)] = members[name]
	}
	return folded
}

// lettersOf returns the letters and digits of a word, in lower case.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// pick returns the first of these members that is not null; nil where there is none. m is
// of foldedMembers.
func pick(m map[string]jsontext.Value, names []string) jsontext.Value {
	for _, name := range names {
		if v := m[lettersOf(name)]; name != "" && len(v) > 0 && v.Kind() != 'n' {
			return v
		}
	}
	return nil
}

// textField returns text, a number, or the identifier in an object, such as
// {"$oid": "…"} or a user.
func textField(v jsontext.Value) Optional[string] {
	switch v.Kind() {
	case '"':
		return Some(jsonvalue.Text(v))
	case '0':
		return Some(string(v))
	}

	if id := firstText(jsonvalue.Members(v), "$oid", "id", "_id", "identityId", "identity_id"); id != "" {
		return Some(id)
	}

	return Optional[string]{}
}

// requestTypeWords are the parts of names by which a request type is recognised, in the
// order in which they are tried.
var requestTypeWords = []struct{ requestType, parts string }{
	{RequestDataDeletion, "delet erase erasure remov forget"},
	{RequestProfileUpdate, "profile"},
	{RequestDataAccess, "access alldata export getdata download"},
}

// RequestTypeOf returns the request type that a word of the service stands for; empty where
// it stands for none.
func RequestTypeOf(name string) string {
	word := lettersOf(name)
	for _, known := range requestTypeWords {
		for part := range strings.FieldsSeq(known.parts) {
			if strings.Contains(word, part) {
				return known.requestType
			}
		}
	}

	return ""
}
