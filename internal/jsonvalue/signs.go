package jsonvalue

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Sign is what a document says about itself that keeps it from being a complete answer.
type Sign int

const (
	// NoSign is the zero Sign.
	NoSign Sign = iota
	// Failed: the document reports an error.
	Failed
	// Unfinished: the document is not ready yet.
	Unfinished
	// Paged: the document is one part, and there are more.
	Paged
	// Elsewhere: the document points to the data instead of holding it.
	Elsewhere
)

// Finding is a sign and the name of the member that gives it. The name is one of those
// that this package knows, so it is never personal.
type Finding struct {
	Sign   Sign
	Member string
}

// signDepth is how many levels of nested objects are searched.
const signDepth = 16

// SignOf returns the sign that one member of a document gives. If v is an object, it is
// searched at any depth. If v is an array, only links with the relation next count,
// since its other elements are records of some sort. Members with an ignored name, in
// any spelling, give no sign.
func SignOf(name []byte, v jsontext.Value, ignored []string) Finding {
	return signOf(name, v, ignored, signDepth)
}

// Signs returns the first sign that the members of the object v give. A value that is
// not an object gives none.
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
	if hasNextLink(v) {
		return Finding{Paged, "rel"}
	}

	return signsIn(v, ignored, depth-1)
}

// hasNextLink reports whether v is an array that holds a link to a further page.
func hasNextLink(v jsontext.Value) bool {
	for link := range EachElement(v) {
		if isNextLink(link) {
			return true
		}
	}
	return false
}

// isNextLink reports whether v is a link to a further page, such as
// {"rel": "next", "href": "…"}.
func isNextLink(v jsontext.Value) bool {
	for name, value := range EachMember(v) {
		if string(name) == "rel" && strings.EqualFold(Text(value), "next") {
			return true
		}
	}
	return false
}

// SpeaksOnly reports whether the object v holds no data at all, but an error, or a
// message, a status and their like. Such an object among records is not a record. The
// finding names the member that says so.
func SpeaksOnly(v jsontext.Value, ignored []string) (Finding, bool) {
	var m message
	for name, value := range EachMember(v) {
		role := RoleOf(name)
		if role.IsData() || isIgnored(name, ignored) {
			return Finding{}, false
		}
		m.add(role, name, value)
	}

	return m.finding()
}

// message is an object without data.
type message struct {
	failure   Finding // a member that can only mean failure
	other     Finding // the first other member with a sign, or else the last that says anything
	describes bool    // a member describes the document
}

func (m *message) add(role Role, name []byte, v jsontext.Value) {
	if role == RoleAbout {
		m.describes = true
		return
	}

	sign := role.sign(v)
	if sign == Failed && role.tellsFailure() {
		m.failure = Finding{sign, string(name)}
		return
	}

	speaks := sign != NoSign || role.replacesData() && Told(v)
	if speaks && m.other.Sign == NoSign {
		m.other = Finding{sign, string(name)}
	}
}

// finding returns what the message says. ok is false if it may be a record.
func (m *message) finding() (_ Finding, ok bool) {
	if m.failure.Sign != NoSign {
		return m.failure, true
	}
	if m.describes || m.other.Member == "" {
		return Finding{}, false
	}

	if m.other.Sign == NoSign {
		return Finding{Failed, m.other.Member}, true
	}

	return m.other, true
}

// TotalOf returns the largest number of records that a member states, at any depth of its
// objects. stated is false if it states none.
func TotalOf(name []byte, v jsontext.Value, ignored []string) (total int64, stated bool) {
	return totalOf(name, v, ignored, signDepth)
}

func totalIn(v jsontext.Value, ignored []string, depth int) (total int64, stated bool) {
	for name, value := range EachMember(v) {
		if n, ok := totalOf(name, value, ignored, depth); ok {
			total, stated = max(total, n), true
		}
	}
	return total, stated
}

func totalOf(name []byte, v jsontext.Value, ignored []string, depth int) (total int64, stated bool) {
	if depth == 0 || isIgnored(name, ignored) {
		return 0, false
	}

	if RoleOf(name) == roleTotal && v.Kind() == '0' {
		n, err := strconv.ParseInt(string(v), 10, 64)
		return n, err == nil
	}

	return totalIn(v, ignored, depth-1)
}

// Told reports whether a value says anything: it is not null, false, zero or empty.
func Told(v jsontext.Value) bool {
	switch v.Kind() {
	case 'n', 'f', 0:
		return false
	case '"':
		return strings.TrimSpace(Text(v)) != ""
	case '0':
		return !isZero(v)
	case '{', '[':
		return !isEmpty(v)
	}

	return true
}

func isZero(number jsontext.Value) bool {
	n, err := strconv.ParseFloat(string(number), 64)
	return err == nil && n == 0
}

// isEmpty reports whether an object or array holds nothing.
func isEmpty(composite jsontext.Value) bool {
	i := inside(composite, byte(composite.Kind()))
	return i == len(composite) || composite[i] == '}' || composite[i] == ']'
}

// signTests are the conditions under which a member gives a sign, by its role.
// statusSign judges roleStatus and roleCode.
var signTests = map[Role]struct {
	sign  Sign
	given func(jsontext.Value) bool
}{
	roleError:      {Failed, Told},
	roleSuccess:    {Failed, isFalse},
	roleNext:       {Paged, Told},
	roleMore:       {Paged, Told},
	roleLast:       {Paged, func(v jsontext.Value) bool { return isFalse(v) || number(v) > 1 }},
	rolePages:      {Paged, func(v jsontext.Value) bool { return number(v) > 1 }},
	roleComplete:   {Unfinished, isFalse},
	roleIncomplete: {Unfinished, Told},
	roleElsewhere:  {Elsewhere, func(v jsontext.Value) bool { return v.Kind() == '"' && Told(v) }},
}

func isFalse(v jsontext.Value) bool { return v.Kind() == 'f' }

// sign returns the sign that the value v gives in a member with this role.
func (r Role) sign(v jsontext.Value) Sign {
	if r == roleStatus || r == roleCode {
		return statusSign(r, v)
	}

	if test, ok := signTests[r]; ok && test.given(v) {
		return test.sign
	}
	return NoSign
}

// statusSign returns the sign that a status gives: the status code of HTTP, or the word
// for the state of a job. A code gives none by a word.
func statusSign(r Role, v jsontext.Value) Sign {
	if sign := codeSign(number(v)); sign != NoSign {
		return sign
	}

	if r == roleCode || v.Kind() != '"' {
		return NoSign
	}
	return signWords[string(normalized([]byte(Text(v))))]
}

func codeSign(code float64) Sign {
	if code >= 400 && code < 600 {
		return Failed
	}
	if code == 202 {
		return Unfinished
	}
	return NoSign
}

// signWords are the states of a job that give a sign, without separators.
var signWords = func() map[string]Sign {
	signs := map[string]Sign{}
	for word := range strings.FieldsSeq("error errored failed failure fail rejected denied unavailable cancelled canceled expired aborted timeout timedout notfound forbidden unauthorized") {
		signs[word] = Failed
	}
	for word := range strings.FieldsSeq("queued enqueued pending processing inprogress running accepted preparing scheduled started waiting generating building submitted incomplete partial notready retry") {
		signs[word] = Unfinished
	}
	return signs
}()

func isIgnored(name []byte, ignored []string) bool {
	return slices.ContainsFunc(ignored, func(other string) bool {
		return bytes.Equal(normalized(name), normalized([]byte(other)))
	})
}

// number returns the value of a number, or of a number in a string; zero if v is neither.
func number(v jsontext.Value) float64 {
	spelled := string(v)
	if v.Kind() == '"' {
		spelled = Text(v)
	}

	n, err := strconv.ParseFloat(spelled, 64)
	if err != nil {
		return 0
	}

	return n
}
