package records

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// attribution finds out of what kind a record is.
type attribution struct {
	// assumed is the one kind that was asked for; Unknown where all were.
	assumed Kind

	probe *jsontext.Decoder
	text  bytes.Reader
}

// kindOf is the kind of a record in a place that holds the kind of. Where that is
// Unknown the record has to say it. Where one kind was asked for, a record that
// clearly says another is not overheard: it would be counted once for each kind.
func (a *attribution) kindOf(record jsontext.Value, of Kind) Kind {
	if of != Unknown && a.assumed == Unknown {
		return of
	}
	return orKind(a.ownKind(record), of)
}

// ownKind is what a record says of itself: in a member that can mean nothing else, or
// in the first that may say it, or as the name of its only member.
func (a *attribution) ownKind(record jsontext.Value) Kind {
	if a.open(record) != '{' {
		return Unknown
	}
	only, found, members := Unknown, Unknown, 0
	for ; a.probe.PeekKind() != '}'; members++ {
		name, err := a.probe.ReadValue()
		if err != nil {
			return Unknown
		}
		says, clearly := discriminates(name)
		only = singular(name)
		kind := a.probe.PeekKind()
		if !says || kind != '"' {
			if kind != '{' {
				only = Unknown
			}
			if a.probe.SkipValue() != nil {
				return Unknown
			}
			continue
		}
		only = Unknown
		value, err := a.probe.ReadToken()
		if err != nil {
			return Unknown
		}
		switch k := kindNamed(value.String()); {
		case k == Unknown:
		case clearly:
			return k
		case a.assumed != Unknown && a.assumed != k, found != Unknown:
		case mayBeClear(record):
			found = k
		default:
			return k
		}
	}
	if found != Unknown {
		return found
	}
	if members == 1 {
		return only
	}
	return Unknown
}

// holdsRecords tells an object that holds the records from one that is a record. One
// of several objects holds records only if it has nothing else in it: a person's
// record may well have a list of events.
func (a *attribution) holdsRecords(v jsontext.Value, oneOfMany bool) bool {
	if a.ownKind(v) != Unknown {
		return false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(v))
	if token, err := dec.ReadToken(); err != nil || token.Kind() != '{' {
		return false
	}
	holds := false
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return false
		}
		known := isPlace(name.String())
		value, err := dec.ReadValue()
		switch {
		case err != nil, !known && oneOfMany:
			return false
		case known && value.Kind() == '[', known && value.Kind() == '{' && a.holdsRecords(value, oneOfMany):
			holds = true
		}
	}
	return holds
}

// open begins to read a record, and gives the kind of its first token.
func (a *attribution) open(record jsontext.Value) jsontext.Kind {
	a.text.Reset(record)
	if a.probe == nil {
		a.probe = jsontext.NewDecoder(&a.text)
	} else {
		a.probe.Reset(&a.text)
	}
	token, err := a.probe.ReadToken()
	if err != nil {
		return 0
	}
	return token.Kind()
}

// discriminates recognises the quoted name of a member in which a record may say its
// kind. It does so clearly where the name can mean nothing else: an event may have a
// type of its own.
func discriminates(quoted []byte) (says, clearly bool) {
	switch string(quoted) {
	case `"recordType"`, `"record_type"`, `"recordKind"`, `"record_kind"`, `"entityType"`, `"entity_type"`:
		return true, true
	case `"kind"`, `"type"`, `"_type"`:
		return true, false
	}
	return false, false
}

// mayBeClear reports whether a record may have a member that says its kind clearly. It
// spares most records from being read to their end.
func mayBeClear(record []byte) bool {
	return bytes.Contains(record, []byte(`"record`)) || bytes.Contains(record, []byte(`"entity`))
}

// singular is the kind of a record that stands under its quoted name alone, such as
// {"event": {…}}.
func singular(quoted []byte) Kind {
	switch string(quoted) {
	case `"person"`, `"Person"`:
		return Person
	case `"session"`, `"Session"`:
		return Session
	case `"event"`, `"Event"`:
		return Event
	}
	return Unknown
}

// kindNamed recognises a kind by the name of an array or the value of a
// discriminator, in any usual spelling: persons, People, eventRecords, SESSION.
func kindNamed(name string) Kind {
	switch name { // the spellings that need no look at each letter
	case "person", "persons", "people":
		return Person
	case "session", "sessions":
		return Session
	case "event", "events":
		return Event
	}
	plain := separators.Replace(strings.ToLower(name))
	if plain == name {
		for _, ending := range []string{"records", "record", "list"} {
			plain = strings.TrimSuffix(plain, ending)
		}
	}
	if plain == name {
		return Unknown
	}
	return kindNamed(plain)
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// isPlace recognises names under which records are found: a kind, or what services
// call that which they answer.
func isPlace(name string) bool {
	if kindNamed(name) != Unknown {
		return true
	}
	switch strings.ToLower(name) {
	case "data", "records", "result", "results", "items", "export", "response", "payload", "content", "values", "rows":
		return true
	}
	return false
}

func orKind(k, otherwise Kind) Kind {
	if k == Unknown {
		return otherwise
	}
	return k
}
