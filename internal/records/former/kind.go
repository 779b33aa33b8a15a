package records

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// attribution determines the kind of records.
type attribution struct {
	// asked is the one kind that was asked for; Unknown if all were.
	asked Kind
	// silent: the text around the records contains no discriminator.
	silent bool
}

// kindOf returns the kind of a record, and own, what the record says itself as far as
// that had to be looked at.
//
// The record is asked unless its container tells the kind. It is asked anyway if one
// kind was requested: a record of another kind would otherwise be counted as that one.
func (a attribution) kindOf(record jsontext.Value, in container) (kind, own Kind) {
	if a.isTold(in) {
		return in.kind, Unknown
	}

	own = a.ownKind(record)
	return orKind(own, orKind(in.kind, a.asked)), own
}

// isTold reports whether the container alone tells the kind of its records.
func (a attribution) isTold(in container) bool { return in.kind != Unknown && a.asked == Unknown }

// ownKind returns the kind that a record says itself: in a discriminator, or as the name
// of its only member.
func (a attribution) ownKind(record jsontext.Value) Kind {
	silent := a.silent || !namesDiscriminator(record)
	if silent && singular(firstName(record)) == Unknown {
		return Unknown
	}

	if k := a.statedKind(record); k != Unknown {
		return k
	}

	return soleKind(record)
}

// statedKind returns the kind in the discriminator of a record. A clear discriminator
// wins over any other; among the others the first one wins that agrees with the kind
// that was asked for.
func (a attribution) statedKind(record jsontext.Value) Kind {
	if k := clearKind(record); k != Unknown {
		return k
	}

	for name, value := range jsonvalue.EachMember(record) {
		if k, isClear := discriminated(name, value); isClear || a.allows(k) {
			return k
		}
	}

	return Unknown
}

// allows reports whether a record may be of a kind, and not merely have a type of its own.
func (a attribution) allows(k Kind) bool {
	return k != Unknown && (a.asked == Unknown || a.asked == k)
}

// clearKind returns the kind in a clear discriminator of a record. It does not look
// through records whose text contains none.
func clearKind(record jsontext.Value) Kind {
	if !bytes.Contains(record, []byte(`"record`)) && !bytes.Contains(record, []byte(`"entity`)) {
		return Unknown
	}

	for name, value := range jsonvalue.EachMember(record) {
		if k, isClear := discriminated(name, value); isClear {
			return k
		}
	}

	return Unknown
}

// soleKind returns the kind of a record whose only member has its name, such as
// {"event": {…}}.
func soleKind(record jsontext.Value) Kind {
	kind := Unknown
	for name, value := range jsonvalue.EachMember(record) {
		if kind != Unknown || value.Kind() != '{' {
			return Unknown
		}
		if kind = singular(name); kind == Unknown {
			return Unknown
		}
	}

	return kind
}

// namesDiscriminator reports whether a text may contain the name of a discriminator: all
// names that discriminates knows end in one of these two. Most texts without one need
// not be looked through.
func namesDiscriminator(text []byte) bool {
	return bytes.Contains(text, []byte(`ype"`)) || bytes.Contains(text, []byte(`ind"`))
}

func firstName(record jsontext.Value) []byte {
	for name := range jsonvalue.EachMember(record) {
		return name
	}
	return nil
}

// discriminated returns the kind that a member states for its record; Unknown if the
// member is not a discriminator. isClear reports whether it can mean nothing else.
func discriminated(name []byte, value jsontext.Value) (k Kind, isClear bool) {
	says, clearly := discriminates(name)
	if !says || value.Kind() != '"' {
		return Unknown, false
	}

	k = kindSaid(value)
	return k, clearly && k != Unknown
}

// discriminates reports whether a member with the name may state the kind of its record,
// and whether it can mean nothing else: an event may have a type of its own.
func discriminates(name []byte) (says, clearly bool) {
	switch string(name) {
	case "recordType", "record_type", "recordKind", "record_kind", "entityType", "entity_type":
		return true, true
	case "kind", "type", "_type":
		return true, false
	}
	return false, false
}

// singular returns the kind with the name, as it stands alone in front of a record.
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

// kindNamed returns the kind that the name of an array or the value of a discriminator
// means, in any of its usual spellings: persons, People, eventRecords, SESSION.
func kindNamed[T ~string | ~[]byte](name T) Kind {
	var room [longestName]byte // avoids an allocation

	plain := appendPlain(room[:0], name)
	for {
		if k := kindSpelled(plain); k != Unknown {
			return k
		}

		shorter := trimListWords(plain)
		if len(shorter) == len(plain) {
			return Unknown
		}
		plain = shorter
	}
}

func kindSpelled(plain []byte) Kind {
	switch string(plain) {
	case "person", "persons", "people":
		return Person
	case "session", "sessions":
		return Session
	case "event", "events":
		return Event
	}

	return Unknown
}

// trimListWords removes words from the end of a name that only say that it holds
// several records.
func trimListWords(plain []byte) []byte {
	for _, word := range [...]string{"records", "record", "list"} {
		plain = bytes.TrimSuffix(plain, []byte(word))
	}
	return plain
}

// longestName bounds the names that a container or a kind may have, in bytes.
const longestName = 40

// appendPlain is jsonvalue.AppendPlain, except that it appends nothing for a name that
// is too long.
func appendPlain[T ~string | ~[]byte](plain []byte, name T) []byte {
	if len(name) > longestName {
		return plain
	}
	return jsonvalue.AppendPlain(plain, name)
}

func orKind(k, otherwise Kind) Kind {
	if k == Unknown {
		return otherwise
	}
	return k
}
