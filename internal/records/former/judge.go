package records

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// verdict is what else there is to say about a record.
type verdict uint8

const (
	ordinary  verdict = iota
	bare              // a text or null
	scalar            // a number, a boolean or an array
	wrapper           // holds records itself
	ambiguous         // may be a record, or hold records itself
)

// judge determines the kind of a record, and the verdict on it.
func (s *scanner) judge(r *record, in container) error {
	switch r.value.Kind() {
	case '{':
		return s.judgeObject(r, in)
	case '"', 'n':
		r.verdict = bare
	default:
		r.verdict = scalar
	}

	r.kind = orKind(in.kind, s.asked)

	return nil
}

func (s *scanner) judgeObject(r *record, in container) error {
	var own Kind
	r.kind, own = s.kindOf(r.value, in)
	r.own = own != Unknown
	if r.own || isPlain(r.value) {
		return nil
	}

	if sign, only := jsonvalue.SpeaksOnly(r.value, s.ignored); only {
		return signError(sign)
	}

	if s.mayBeWrapper(r, in) {
		return s.judgeWrapper(r, in)
	}

	return nil
}

// isPlain reports whether the first member of an object shows that it is a record. It
// does for nearly all records, which then need no closer look.
func isPlain(object jsontext.Value) bool {
	for name, value := range jsonvalue.EachMember(object) {
		k := value.Kind()
		return k != '[' && isOwn(name, k)
	}
	return false
}

func (s *scanner) mayBeWrapper(r *record, in container) bool {
	return in.kind == Unknown && s.shape != ShapeRecords && !hasOwn(r.value)
}

// judgeWrapper judges an object among records that may hold records itself.
func (s *scanner) judgeWrapper(r *record, in container) error {
	f, named := formOf(r.value)
	if f == anEnvelope && in.lines {
		r.verdict = wrapper
		return nil
	}

	// Of lines, one with remarks could be an envelope too.
	if named && (f == anEnvelope || f == aDescribed && in.lines) {
		r.verdict = ambiguous
		return signError(jsonvalue.Signs(r.value, s.ignored))
	}

	return nil
}
