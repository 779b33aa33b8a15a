package records

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// container is what records stand in: an array, or the answer itself.
type container struct {
	// lines: records follow each other without an array around them.
	lines bool
	// kind is the kind that the name of the container tells; Unknown if it tells none.
	kind Kind
	// unrecognized: the name of the array says nothing. Only its objects are records.
	unrecognized bool
}

// isContainerName reports whether services use a name for what holds records: a kind, or
// a wrapper such as data.
func isContainerName[T ~string | ~[]byte](name T) bool {
	var room [longestName]byte // avoids an allocation
	switch string(appendPlain(room[:0], name)) {
	case "data", "records", "result", "results", "items", "export", "response", "payload", "content", "values", "value", "rows":
		return true
	}
	return kindNamed(name) != Unknown
}

// isOwn reports whether a member belongs to a record: it has a value, and its name means
// neither a container nor something about the answer.
func isOwn(name []byte, kind jsontext.Kind) bool {
	return kind != 'n' && jsonvalue.RoleOf(name).IsData() && !isContainerName(name)
}

// form is what an object is, judged by its members.
type form int

const (
	aRecord     form = iota // no containers
	anEnvelope              // nothing but containers
	aDescribed              // containers, and members about the answer
	anAmbiguity             // containers, and members that a record has
)

// formOf returns the form of an object. An envelope holds records and what there is to
// say about them; an object with members of its own is a record. named reports whether
// one of the containers has the name of a kind.
func formOf(object jsontext.Value) (f form, named bool) {
	var m members
	for name, value := range jsonvalue.EachMember(object) {
		m.add(name, value.Kind(), value)
	}
	return m.form(), m.named
}

// hasOwn reports whether an object has a member that a record has. It reads no further
// than the first one.
func hasOwn(object jsontext.Value) bool {
	var m members
	for name, value := range jsonvalue.EachMember(object) {
		if m.add(name, value.Kind(), value); m.own {
			return true
		}
	}
	return false
}

// members says what sorts of members an object has.
type members struct {
	containers bool // of records
	named      bool // a container has the name of a kind
	about      bool // something about the answer
	own        bool // anything else that has a value
}

// add takes one member into account. value is nil if its end is not known yet.
func (m *members) add(name []byte, kind jsontext.Kind, value jsontext.Value) {
	if isContainerName(name) {
		m.addContainer(name, kind, value)
		return
	}

	switch {
	case kind == 'n':
	case !jsonvalue.RoleOf(name).IsData():
		m.about = true
	case kind != '[':
		m.own = true
	}
}

func (m *members) addContainer(name []byte, kind jsontext.Kind, value jsontext.Value) {
	if mayHoldRecords(kind, value) {
		m.containers = true
		m.named = m.named || kindNamed(name) != Unknown
	} else if kind != 'n' {
		m.about = true
	}
}

// mayHoldRecords reports whether the value of a container can hold records. value is nil
// if its end is not known yet.
func mayHoldRecords(kind jsontext.Kind, value jsontext.Value) bool {
	switch kind {
	case '[':
		return true
	case '{':
		return value == nil || holdsContainers(value)
	}
	return false
}

func holdsContainers(object jsontext.Value) bool {
	f, _ := formOf(object)
	return f != aRecord
}

func (m *members) form() form {
	switch {
	case !m.containers:
		return aRecord
	case m.own:
		return anAmbiguity
	case m.about:
		return aDescribed
	}

	return anEnvelope
}
