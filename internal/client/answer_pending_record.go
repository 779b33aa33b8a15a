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

// Progress is what a pending record's status says.
type Progress int

// The values of Progress. A status that nobody knows is Unclear, and treated like
// Waiting: a request must never be taken for done because its status was new.
const (
	Waiting Progress = iota
	Unclear
	Failed
	Done
)

// PendingRecord is one entry of the pending list. The interface does not show its
// fields (section 2), so they are recognised under the usual spellings; what is
// not recognised is absent, and the record's JSON is there.
type PendingRecord struct {
	ID          Optional[string]
	Identity    Optional[string]
	RequestType Optional[string] // one of RequestTypes
	CreatedAt   Optional[time.Time]
	Status      Optional[string]
	Code        string // of a failure
	JSON        []byte
}

// Progress reads the status.
func (r PendingRecord) Progress() Progress {
	status, given := r.Status.Get()
	if !given {
		return Waiting
	}
	switch word := lettersOf(status); word {
	case "", "pending", "queued", "waiting", "inprogress", "processing", "running", "scheduled", "new", "open", "accepted", "submitted", "created", "started", "active":
		return Waiting
	case "failed", "failure", "error", "errored", "rejected", "cancelled", "canceled", "aborted", "expired":
		return Failed
	case "done", "completed", "complete", "fulfilled", "finished", "succeeded", "success", "processed":
		return Done
	}
	return Unclear
}

// Is reports whether the record is about one of the operations.
func (r PendingRecord) Is(operations ...string) bool {
	op, known := r.RequestType.Get()
	return known && slices.Contains(operations, op)
}

// ShownStatus returns the status escaped and cut, for messages; empty where there is
// none.
func (r PendingRecord) ShownStatus() string {
	status, _ := r.Status.Get()
	return newRedactor().text(status, 60)
}

// FailureCode returns the service's code of a failure, escaped, cut, and without what
// looks like a person or a secret; empty where there is none.
func (r PendingRecord) FailureCode() string {
	identity, _ := r.Identity.Get()
	return newRedactor(identity).text(r.Code, 80)
}

// ShownID returns the service's identifier of a request for messages: escaped, cut,
// and without what looks like a person or a secret.
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
	idNames        = []string{"id", "_id", "request_id", "action_id", "uuid"}
	identityNames  = []string{"identity_id", "identity", "user_id", "user", "subject_id", "subject"}
	operationNames = []string{"operation", "type", "action", "request_type", "action_type", "kind", "name"}
	createdNames   = []string{"created_at", "requested_at", "submitted_at", "created", "timestamp", "time", "date"}
	statusNames    = []string{"status", "state"}
	codeNames      = []string{"code", "error_code", "error"}
	recordWrappers = []string{"request", "record", "action", "data", "attributes"}
	listWrappers   = []string{"pending_requests", "pending", "requests", "actions", "data", "items", "results", "records", "list"}
)

// readRecord recognises the fields of a record, at its top or below a wrapper.
// identityField is a further name of the field that holds the person; empty: none.
func readRecord(v jsontext.Value, identityField ...string) PendingRecord {
	m := foldedMembers(v)
	for _, wrapper := range recordWrappers {
		if len(pick(m, idNames)) > 0 || len(pick(m, slices.Concat(identityField, identityNames))) > 0 {
			break
		}
		if inner := m[lettersOf(wrapper)]; inner.Kind() == '{' {
			m = foldedMembers(inner)
		}
	}

	r := PendingRecord{JSON: v}
	r.ID = textField(pick(m, idNames))
	r.Identity = textField(pick(m, slices.Concat(identityField, identityNames)))
	r.Status = textField(pick(m, statusNames))
	r.Code = jsonvalue.Text(pick(m, codeNames))
	if inner := jsonvalue.Members(pick(m, []string{"error"})); inner != nil {
		r.Code = firstText(inner, "code", "message")
	}
	if t, ok := readInstant(pick(m, createdNames)); ok {
		r.CreatedAt = Some(t)
	}

	for _, name := range operationNames {
		if op := operationOf(jsonvalue.Text(m[lettersOf(name)])); op != "" {
			r.RequestType = Some(op)
			break
		}
	}
	return r
}

// foldedMembers gives an object's members by their letters alone, so that camel
// and snake case are one.
func foldedMembers(v jsontext.Value) map[string]jsontext.Value {
	folded := map[string]jsontext.Value{}
	members := jsonvalue.Members(v)
	for _, name := range jsonvalue.Names(members) {
		folded[lettersOf(name)] = members[name]
	}
	return folded
}

func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

func pick(m map[string]jsontext.Value, names []string) jsontext.Value {
	for _, name := range names {
		if v := m[lettersOf(name)]; name != "" && len(v) > 0 && v.Kind() != 'n' {
			return v
		}
	}
	return nil
}

// textField reads text, a number, or an object that holds an id, such as
// {"$oid": "…"} or a user.
func textField(v jsontext.Value) Optional[string] {
	switch v.Kind() {
	case '"':
		return Some(jsonvalue.Text(v))
	case '0':
		return Some(string(v))
	case '{':
		m := jsonvalue.Members(v)
		if inner := firstText(m, "$oid", "id", "_id", "identityId", "identity_id"); inner != "" {
			return Some(inner)
		}
	}
	return Optional[string]{}
}

// operationOf recognises the name of an operation; empty where it is none of ours.
func operationOf(name string) string {
	word := lettersOf(name)
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(word, part) })
	}
	switch {
	case has("delet", "erase", "erasure", "remov", "forget"):
		return RequestDataDeletion
	case has("profile"):
		return RequestProfileUpdate
	case has("access", "alldata", "export", "getdata", "download"):
		return RequestDataAccess
	}
	return ""
}
