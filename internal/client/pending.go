package client

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

var opListPending = operation{name: "List pending actions", method: http.MethodGet}

// The deferred operations (section 4), as this provider names them.
const (
	OperationProfileUpdate = "profile_update"
	OperationDataAccess    = "data_access"
	OperationDataDeletion  = "data_deletion"
)

// Operations are the names of all deferred operations.
var Operations = []string{OperationDataAccess, OperationDataDeletion, OperationProfileUpdate}

// Progress is what a pending record's status says.
type Progress int

// The kinds of progress. A status that nobody knows is Unclear, and treated like
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
	ID        Optional[string]
	Identity  Optional[string]
	Operation Optional[string] // one of Operations
	CreatedAt Optional[time.Time]
	Status    Optional[string]
	Code      string // of a failure
	JSON      []byte
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

// is reports whether the record is about an operation.
func (r PendingRecord) is(operations ...string) bool {
	op, known := r.Operation.Get()
	return known && slices.Contains(operations, op)
}

// isOpen reports whether the request may still be carried out.
func (r PendingRecord) isOpen() bool {
	p := r.Progress()
	return p == Waiting || p == Unclear
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
func readRecord(v jsontext.Value) PendingRecord {
	m := foldedMembers(v)
	for _, wrapper := range recordWrappers {
		if len(pick(m, idNames)) > 0 || len(pick(m, identityNames)) > 0 {
			break
		}
		if inner := m[lettersOf(wrapper)]; inner.Kind() == '{' {
			m = foldedMembers(inner)
		}
	}
	r := PendingRecord{JSON: v}
	r.ID = textField(pick(m, idNames))
	r.Identity = textField(pick(m, identityNames))
	r.Status = textField(pick(m, statusNames))
	r.Code = textOf(pick(m, codeNames))
	if inner := membersOf(pick(m, []string{"error"})); inner != nil {
		r.Code = firstText(inner, "code", "message")
	}
	if t, ok := readInstant(pick(m, createdNames)); ok {
		r.CreatedAt = Some(t)
	}
	for _, name := range operationNames {
		if op := operationOf(textOf(m[lettersOf(name)])); op != "" {
			r.Operation = Some(op)
			break
		}
	}
	return r
}

// foldedMembers gives an object's members by their letters alone, so that camel
// and snake case are one.
func foldedMembers(v jsontext.Value) map[string]jsontext.Value {
	folded := map[string]jsontext.Value{}
	members := membersOf(v)
	for _, name := range sortedNames(members) {
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
		if v := m[lettersOf(name)]; len(v) > 0 && v.Kind() != 'n' {
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
		return Some(textOf(v))
	case '0':
		return Some(string(v))
	case '{':
		m := membersOf(v)
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
		return OperationDataDeletion
	case has("profile"):
		return OperationProfileUpdate
	case has("access", "alldata", "export", "getdata", "download"):
		return OperationDataAccess
	}
	return ""
}

// ListPending is GET …/pending-requests (section 4), which lists only deferrable
// actions. The order is by time, then id, then text, whatever the order of the
// service. Errors are *Error.
func (c *Client) ListPending(ctx context.Context, scope Scope) ([]PendingRecord, error) {
	to, err := scope.pending()
	if err != nil {
		return nil, invalid(opListPending, err)
	}
	got, err := c.do(ctx, opListPending, to, payload{})
	if err != nil {
		return nil, err
	}
	if err := got.wantBody(); err != nil {
		return nil, err
	}
	list, found := findList(got.json)
	if !found {
		if err := got.complaint(); err != nil {
			return nil, err
		}
		return nil, got.unexpected("no list of pending requests was recognised in the answer")
	}
	var records []PendingRecord
	for _, element := range elementsOf(list) {
		records = append(records, readRecord(element))
	}
	slices.SortFunc(records, compareRecords)
	return records, nil
}

// findList finds the array: the answer itself, or below one or two wrappers. A
// null is an empty list.
func findList(v jsontext.Value) (jsontext.Value, bool) {
	for range 3 {
		switch v.Kind() {
		case '[', 'n':
			return v, true
		case '{':
			inner, ok := foldedMembers(v)[firstWrapper(v)]
			if !ok {
				return nil, false
			}
			v = inner
		default:
			return nil, false
		}
	}
	return nil, false
}

func firstWrapper(v jsontext.Value) string {
	m := foldedMembers(v)
	for _, name := range listWrappers {
		if kind := m[lettersOf(name)].Kind(); kind == '[' || kind == '{' || kind == 'n' && len(m) == 1 {
			return lettersOf(name)
		}
	}
	return ""
}

func compareRecords(a, b PendingRecord) int {
	at, _ := a.CreatedAt.Get()
	bt, _ := b.CreatedAt.Get()
	aid, _ := a.ID.Get()
	bid, _ := b.ID.Get()
	return cmp.Or(at.Compare(bt), cmp.Compare(aid, bid), cmp.Compare(string(a.JSON), string(b.JSON)))
}
