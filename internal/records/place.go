package records

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// place is where records stand in an answer.
type place struct {
	// lines: record after record, and no array around them.
	lines bool
	// kind is the kind that the name of the place tells; Unknown where it tells none.
	kind Kind
	// strange: an array under a name that says nothing. Only its objects are records.
	strange bool
}

// attribution finds the kind of records.
type attribution struct {
	// asked is the one kind that was asked for; Unknown where all were.
	asked Kind
	// silent: the text that the records are in names no discriminator.
	silent bool
}

// kindOf returns the kind of a record in a place. Where the place does not tell it, the
// record has to. Where one kind was asked for, a record that clearly says another is
// noticed: it would be counted once for each kind. own is what the record itself says,
// as far as it was looked at.
func (a attribution) kindOf(record jsontext.Value, in place) (kind, own Kind) {
	if a.isTold(in) {
		return in.kind, Unknown
	}

	own = a.ownKind(record)
	return orKind(own, orKind(in.kind, a.asked)), own
}

// isTold reports whether a place alone tells the kind of its records.
func (a attribution) isTold(in place) bool { return in.kind != Unknown && a.asked == Unknown }

// ownKind returns what a record says of itself: in a member that can mean nothing else,
// or in the first that may say it, or as the name of its only member.
func (a attribution) ownKind(record jsontext.Value) Kind {
	silent := a.silent || !namesDiscriminator(record)
	if silent && singular(firstName(record)) == Unknown {
		return Unknown
	}

	only, found, members := Unknown, Unknown, 0
	for name, value := range jsonvalue.EachMember(record) {
		members++
		only = Unknown
		if value.Kind() == '{' {
			only = singular(name)
		}

		says, clearly := discriminates(name)
		if !says || value.Kind() != '"' {
			continue
		}
		switch k := kindSaid(value); {
		case k == Unknown:
		case clearly:
			return k
		case a.asked != Unknown && a.asked != k, found != Unknown:
		case mayBeClear(record):
			found = k
		default:
			return k
		}
	}

	if found == Unknown && members == 1 {
		return only
	}
	return found
}

// namesDiscriminator reports whether the name of a discriminator may be in a text: all
// that discriminates knows end in one of these two. It spares most texts without one
// from being looked through.
func namesDiscriminator(text []byte) bool {
	return bytes.Contains(text, []byte(`ype"`)) || bytes.Contains(text, []byte(`ind"`))
}

// mayBeClear reports whether a record may have a member that says its kind clearly.
func mayBeClear(record []byte) bool {
	return bytes.Contains(record, []byte(`"record`)) || bytes.Contains(record, []byte(`"entity`))
}

func firstName(record jsontext.Value) []byte {
	for name := range jsonvalue.EachMember(record) {
		return name
	}
	return nil
}

// discriminates recognises the name of a member in which a record may say its kind. It
// does so clearly where the name can mean nothing else: an event may have a type of its
// own.
func discriminates(name []byte) (says, clearly bool) {
	switch string(name) {
	case "recordType", "record_type", "recordKind", "record_kind", "entityType", "entity_type":
		return true, true
	case "kind", "type", "_type":
		return true, false
	}
	return false, false
}

// singular returns the kind of a record that stands under its name alone, such as
// {"event": {…}}.
func singular(name []byte) Kind {
	switch string(name) {
	case "person", "Person":
		return Person
	case "session", "Session":
		return Session
	case "event", "Event":
		return Event
	}
	return Unknown
}

// kindSaid returns the kind that the value of a discriminator names.
func kindSaid(quoted jsontext.Value) Kind {
	switch string(quoted) {
	case `"person"`:
		return Person
	case `"session"`:
		return Session
	case `"event"`:
		return Event
	}

	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return Unknown
	}
	return kindNamed(text)
}

// longestPlace bounds the names that a place or a kind may have, in bytes.
const longestPlace = 40

// kindNamed recognises a kind by the name of an array or the value of a
// discriminator, in any usual spelling: persons, People, eventRecords, SESSION.
func kindNamed[T ~string | ~[]byte](name T) Kind {
	var room [longestPlace]byte // so that nothing is allocated
	plain := appendPlain(room[:0], name)
	for {
		switch string(plain) {
		case "person", "persons", "people":
			return Person
		case "session", "sessions":
			return Session
		case "event", "events":
			return Event
		}

		shorter := plain
		for _, ending := range [...]string{"records", "record", "list"} {
			shorter = bytes.TrimSuffix(shorter, []byte(ending))
		}
		if len(shorter) == len(plain) {
			return Unknown
		}
		plain = shorter
	}
}

// appendPlain appends a name in lower case and without what separates its words; one
// that is too long becomes empty.
func appendPlain[T ~string | ~[]byte](plain []byte, name T) []byte {
	if len(name) > longestPlace {
		return plain
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'A' && c <= 'Z':
			plain = append(plain, c+'a'-'A')
		case c != '_' && c != '-' && c != ' ' && c != '.':
			plain = append(plain, c)
		}
	}
	return plain
}

// isPlace recognises names under which records are found: a kind, or what services
// call that which they answer.
func isPlace[T ~string | ~[]byte](name T) bool {
	var room [longestPlace]byte
	switch string(appendPlain(room[:0], name)) {
	case "data", "records", "result", "results", "items", "export", "response", "payload", "content", "values", "value", "rows":
		return true
	}
	return kindNamed(name) != Unknown
}

func orKind(k, otherwise Kind) Kind {
	if k == Unknown {
		return otherwise
	}
	return k
}

// form is what an object is, by its members.
type form int

const (
	aRecord     form = iota // no place of records in it
	anEnvelope              // nothing but places of records
	aDescribed              // places of records, and members about the answer
	anAmbiguity             // places of records, and members that a record has
)

// formOf judges an object: an envelope holds records and what there is to say about
// them, and an object with members of its own is a record. named reports whether one of
// the places has the name of a kind.
func formOf(object jsontext.Value) (f form, named bool) {
	var m members
	for name, value := range jsonvalue.EachMember(object) {
		m.note(name, value.Kind(), value)
	}
	return m.form(), m.named
}

// hasOwn reports whether an object has a member that a record has, and looks no further
// than the first.
func hasOwn(object jsontext.Value) bool {
	var m members
	for name, value := range jsonvalue.EachMember(object) {
		if m.note(name, value.Kind(), value); m.own {
			return true
		}
	}
	return false
}

// members says what sorts of members an object has.
type members struct {
	places bool // where records are
	named  bool // one of these has the name of a kind
	about  bool // what is said about an answer
	own    bool // anything else that has a value
}

// note takes one member. value is nil where its end is not known yet.
func (m *members) note(name []byte, kind jsontext.Kind, value jsontext.Value) {
	place := isPlace(name)
	switch {
	case place && (kind == '[' || kind == '{' && (value == nil || holdsPlaces(value))):
		m.places = true
		m.named = m.named || kindNamed(name) != Unknown
	case kind == 'n':
	case place, !jsonvalue.RoleOf(name).IsData():
		m.about = true
	case kind != '[':
		m.own = true
	}
}

func holdsPlaces(object jsontext.Value) bool {
	f, _ := formOf(object)
	return f != aRecord
}

func (m *members) form() form {
	switch {
	case !m.places:
		return aRecord
	case m.own:
		return anAmbiguity
	case m.about:
		return aDescribed
	}
	return anEnvelope
}
