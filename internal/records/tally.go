package records

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// limitSole bounds the only record that is looked at again, in bytes. What a service
// says in place of records is short.
const limitSole = 64 << 10

// tally counts the records of an answer and passes them on, and judges at its end what
// only all of them can tell.
type tally struct {
	options Options
	emit    func(Kind, jsontext.Value) error

	counts Counts
	mended int64
	places [len(kindNames)]bool // kinds that have an array of their own
	solid  bool                 // one record is an object, or stands in an array of its kind
	last   verdict              // on the last record
	sole   sole
}

// sole is the only record so far, where it may be none.
type sole struct {
	value jsontext.Value
	// ambiguous: it stands for itself, and may hold the records.
	ambiguous bool
}

// pass counts a record and passes it on.
func (t *tally) pass(r found, in place) error {
	if t.options.Asked != Unknown && r.kind != t.options.Asked {
		return ErrOtherKind
	}

	first := t.counts.Total() == 0
	if first && r.as == bare {
		return ErrNoRecord
	}
	t.sole = sole{}
	if first && in.kind == Unknown && !r.own && r.as == ordinary {
		t.keepSole(r.value, in)
	}
	t.solid = t.solid || in.kind != Unknown || r.as != bare && r.as != scalar
	t.last = r.as

	t.counts[r.kind]++
	if r.mended {
		t.mended++
	}
	if err := t.emit(r.kind, r.value); err != nil {
		return &emitError{err}
	}
	return nil
}

// keepSole notes what conclude has to know of the first record.
func (t *tally) keepSole(record jsontext.Value, in place) {
	if in.lines && t.options.Shape == ShapeAuto {
		f, _ := formOf(record)
		t.sole.ambiguous = f == aDescribed || f == anAmbiguity && !t.options.Lines
	}
	if len(record) <= limitSole {
		t.sole.value = record.Clone()
	}
}

// conclude judges the answer as a whole.
func (t *tally) conclude() error {
	switch {
	case t.counts.Total() == 0:
		return t.concludeEmpty()
	case t.last == bare, !t.solid:
		return ErrNoRecord
	case t.sole.value != nil:
		if err := t.concludeSole(); err != nil {
			return err
		}
	}
	if t.sole.ambiguous {
		return ErrAmbiguous
	}
	return nil
}

// concludeEmpty refuses an answer whose arrays are all of other kinds than was asked
// for.
func (t *tally) concludeEmpty() error {
	if t.options.Asked == Unknown || t.places[t.options.Asked] {
		return nil
	}
	for _, other := range t.places {
		if other {
			return ErrOtherKind
		}
	}
	return nil
}

// concludeSole judges an answer that consists of one record, which may be about a job
// or hold the records under another name.
func (t *tally) concludeSole() error {
	members, data := 0, false
	for name := range jsonvalue.EachMember(t.sole.value) {
		members++
		data = data || jsonvalue.RoleOf(name).IsData() && !isIdentifier(name) && !isPlace(name)
	}
	if members == 0 {
		return ErrNoRecord
	}
	if !data {
		if sign := jsonvalue.Signs(t.sole.value, t.options.Ignored); sign.Sign != jsonvalue.NoSign {
			return signError(sign)
		}
	}
	return nil
}

// isIdentifier reports whether a member names something, such as id or jobId.
func isIdentifier(name []byte) bool {
	n := len(name)
	return n >= 2 && (string(name[n-2:]) == "id" || string(name[n-2:]) == "Id" || string(name[n-2:]) == "ID")
}
