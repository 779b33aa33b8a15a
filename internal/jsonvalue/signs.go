package jsonvalue

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Sign is what a document says of itself that keeps it from being a complete answer.
type Sign int

// The signs. Failed: it reports an error. Unfinished: it is not ready yet. Paged: it
// is a part, and there is more. Elsewhere: it points to the data instead of holding
// them.
const (
	NoSign Sign = iota
	Failed
	Unfinished
	Paged
	Elsewhere
)

// Finding is a sign, and the name of the member that gives it. The name is one of
// those that this package knows, and so never personal.
type Finding struct {
	Sign   Sign
	Member string
}

// signDepth is how many objects inside each other are searched.
const signDepth = 16

// SignOf returns the sign that one member of a document gives. An object in v is
// searched at any depth; of an array only links with the relation next count, since
// its elements are records of some sort. Members under an ignored name, in any
// spelling of it, give no sign.
func SignOf(name []byte, v jsontext.Value, ignored []string) Finding {
	return signOf(name, v, ignored, signDepth)
}

// Signs returns the first sign that the members of the object v give. A value of
// another kind gives none.
func Signs(v jsontext.Value, ignored []string) Finding {
	return signsIn(v, ignored, signDepth)
}

func signsIn(v jsontext.Value, ignored []string, depth int) Finding {
	for name, value := range EachMember(v) {
		if found := signOf(name, value, ignored, depth); found.Sign != NoSign {
			return found
		}
	}
	return Finding{}
}

func signOf(name []byte, v jsontext.Value, ignored []string, depth int) Finding {
	if depth == 0 || isIgnored(name, ignored) {
		return Finding{}
	}

	if sign := RoleOf(name).sign(v); sign != NoSign {
		return Finding{sign, string(name)}
	}
	if v.Kind() == '{' {
		return signsIn(v, ignored, depth-1)
	}
	for link := range EachElement(v) {
		if isNextLink(link) {
			return Finding{Paged, "rel"}
		}
	}
	return Finding{}
}

// isNextLink reports whether v is a link to a further page, such as
// {"rel": "next", "href": "…"}.
func isNextLink(v jsontext.Value) bool {
	for name, value := range EachMember(v) {
		if string(name) == "rel" && strings.EqualFold(text(value), "next") {
			return true
		}
	}
	return false
}

// SpeaksOnly reports whether the object v holds no data at all: it is an error, or it
// consists of a message, a status and their like. Such an object among records is no
// record, and the finding says which member tells so.
func SpeaksOnly(v jsontext.Value, ignored []string) (Finding, bool) {
	var first, loud Finding
	describes := false
	for name, value := range EachMember(v) {
		role := RoleOf(name)
		if role.IsData() || isIgnored(name, ignored) {
			return Finding{}, false
		}

		sign := role.sign(value)
		switch {
		case sign == Failed && (role == roleError || role == roleSuccess):
			loud = Finding{sign, string(name)}
		case role == RoleAbout:
			describes = true
		case first.Sign == NoSign && (sign != NoSign || role.Speaks() && Told(value)):
			first = Finding{sign, string(name)}
		}
	}

	if loud.Sign != NoSign {
		return loud, true
	}
	if describes || first.Member == "" {
		return Finding{}, false
	}
	if first.Sign == NoSign {
		first.Sign = Failed
	}
	return first, true
}

// Total returns the largest number of records that the members of the object v state,
// at any depth of its objects, and false where they state none.
func Total(v jsontext.Value, ignored []string) (total int64, stated bool) {
	for name, value := range EachMember(v) {
		if n, ok := TotalOf(name, value, ignored); ok {
			total, stated = max(total, n), true
		}
	}
	return total, stated
}

// TotalOf is Total for one member.
func TotalOf(name []byte, v jsontext.Value, ignored []string) (total int64, stated bool) {
	return totalOf(name, v, ignored, signDepth)
}

func totalOf(name []byte, v jsontext.Value, ignored []string, depth int) (total int64, stated bool) {
	if depth == 0 || isIgnored(name, ignored) {
		return 0, false
	}
	if RoleOf(name) == roleTotal && v.Kind() == '0' {
		n, err := strconv.ParseInt(string(v), 10, 64)
		return n, err == nil
	}

	for inner, value := range EachMember(v) {
		if n, ok := totalOf(inner, value, ignored, depth-1); ok {
			total, stated = max(total, n), true
		}
	}
	return total, stated
}

// Told reports whether a value says anything: it is not null, false, zero or empty.
func Told(v jsontext.Value) bool {
	switch v.Kind() {
	case 'n', 'f', 0:
		return false
	case '"':
		return strings.TrimSpace(text(v)) != ""
	case '0':
		n, err := strconv.ParseFloat(string(v), 64)
		return err != nil || n != 0
	case '{':
		for range EachMember(v) {
			return true
		}
		return false
	case '[':
		for range EachElement(v) {
			return true
		}
		return false
	}
	return true
}

// sign returns what a value says in a member with this role.
func (r Role) sign(v jsontext.Value) Sign {
	switch r {
	case roleError:
		return signIf(Told(v), Failed)
	case roleSuccess:
		return signIf(v.Kind() == 'f', Failed)
	case roleStatus, roleCode:
		return statusSign(r, v)
	case roleNext, roleMore:
		return signIf(Told(v), Paged)
	case roleLast:
		return signIf(v.Kind() == 'f' || number(v) > 1, Paged)
	case rolePages:
		return signIf(number(v) > 1, Paged)
	case roleComplete:
		return signIf(v.Kind() == 'f', Unfinished)
	case roleIncomplete:
		return signIf(Told(v), Unfinished)
	case roleElsewhere:
		return signIf(v.Kind() == '"' && Told(v), Elsewhere)
	}
	return NoSign
}

func signIf(given bool, sign Sign) Sign {
	if given {
		return sign
	}
	return NoSign
}

// statusSign judges a status: the word of a job, or the number of HTTP.
func statusSign(r Role, v jsontext.Value) Sign {
	if n := number(v); n >= 400 && n < 600 {
		return Failed
	} else if n == 202 {
		return Unfinished
	}
	if r == roleCode || v.Kind() != '"' {
		return NoSign
	}

	word := string(normalized([]byte(text(v))))
	switch {
	case slices.Contains(failureWords, word):
		return Failed
	case slices.Contains(pendingWords, word):
		return Unfinished
	}
	return NoSign
}

var (
	failureWords = []string{"error", "errored", "failed", "failure", "fail", "rejected", "denied", "unavailable", "cancelled", "canceled", "expired", "aborted", "timeout", "timedout", "notfound", "forbidden", "unauthorized"}
	pendingWords = []string{"queued", "enqueued", "pending", "processing", "inprogress", "running", "accepted", "preparing", "scheduled", "started", "waiting", "generating", "building", "submitted", "incomplete", "partial", "notready", "retry"}
)

func isIgnored(name []byte, ignored []string) bool {
	return slices.ContainsFunc(ignored, func(other string) bool {
		return bytes.Equal(normalized(name), normalized([]byte(other)))
	})
}

func text(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return string(unquoted(v))
}

// number returns a number or the number in a string; zero where v is neither.
func number(v jsontext.Value) float64 {
	spelled := string(v)
	if v.Kind() == '"' {
		spelled = text(v)
	}
	n, err := strconv.ParseFloat(spelled, 64)
	if err != nil {
		return 0
	}
	return n
}
