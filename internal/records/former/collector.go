package records

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// limitSole bounds the only record of an answer that is examined again, in bytes. What a
// service answers in place of records is short.
const limitSole = 64 << 10

// collector counts the records of an answer and passes them on. At the end, it checks
// what only all of them together can tell.
type collector struct {
	options Options
	emit    func(Kind, jsontext.Value) error

	counts Counts
	mended int64
	arrays [len(kindNames)]bool // kinds that have an array or object of their own
	solid  bool                 // a record is an object, or stands in an array of its kind
	last   verdict              // on the last record
	sole   sole
}

// sole is the only record so far, if it may be something else.
type sole struct {
	value jsontext.Value
	// ambiguous: it may be a record, or hold the records.
	ambiguous bool
}

// addArray notes that a kind has an array or object of its own.
func (c *collector) addArray(k Kind) {
	if k != Unknown {
		c.arrays[k] = true
	}
}

// add counts a record and passes it on.
func (c *collector) add(r record, in container) error {
	if err := c.examine(r, in); err != nil {
		return err
	}

	c.counts[r.kind]++
	if r.mended {
		c.mended++
	}

	if err := c.emit(r.kind, r.value); err != nil {
		return &emitError{err}
	}

	return nil
}

// examine refuses what is not a record of the answer, and notes what finish has to know.
func (c *collector) examine(r record, in container) error {
	if !c.options.wants(r.kind) {
		return ErrOtherKind
	}

	c.sole = sole{}
	if c.counts.Total() == 0 {
		if r.verdict == bare {
			return ErrNoRecord
		}
		c.keepSole(r, in)
	}

	if in.kind != Unknown || !r.isScalar() {
		c.solid = true
	}

	c.last = r.verdict

	return nil
}

// keepSole keeps the first record for finish, if nothing has shown that it is one.
func (c *collector) keepSole(r record, in container) {
	if in.kind != Unknown || r.own || r.verdict != ordinary {
		return
	}

	if in.lines && c.options.Shape == ShapeAuto {
		c.sole.ambiguous = c.mayHoldAll(r.value)
	}
	if len(r.value) <= limitSole {
		c.sole.value = r.value.Clone()
	}
}

// mayHoldAll reports whether a record that is the whole answer may hold the records.
func (c *collector) mayHoldAll(object jsontext.Value) bool {
	f, _ := formOf(object)
	return f == aDescribed || f == anAmbiguity && !c.options.Lines
}

// finish checks the answer as a whole.
func (c *collector) finish() error {
	if c.counts.Total() == 0 {
		return c.checkEmpty()
	}

	if c.last == bare || !c.solid {
		return ErrNoRecord
	}

	if err := c.checkSole(); err != nil {
		return err
	}

	if c.sole.ambiguous {
		return ErrAmbiguous
	}

	return nil
}

// checkEmpty refuses an answer without records whose arrays are all of other kinds than
// the one that was asked for.
func (c *collector) checkEmpty() error {
	if c.options.Asked == Unknown || c.arrays[c.options.Asked] {
		return nil
	}

	for _, other := range c.arrays {
		if other {
			return ErrOtherKind
		}
	}

	return nil
}

// checkSole refuses the only record of an answer if it is about a job, or if it holds
// the records under another name.
func (c *collector) checkSole() error {
	if c.sole.value == nil || holdsData(c.sole.value) {
		return nil
	}

	if !jsonvalue.Told(c.sole.value) { // an empty object
		return ErrNoRecord
	}
	return signError(jsonvalue.Signs(c.sole.value, c.options.Ignored))
}

// holdsData reports whether an object has a member with data. Identifiers and containers
// are none.
func holdsData(object jsontext.Value) bool {
	for name := range jsonvalue.EachMember(object) {
		if jsonvalue.RoleOf(name).IsData() && !isIdentifier(name) && !isContainerName(name) {
			return true
		}
	}
	return false
}

// isIdentifier reports whether a name is that of an identifier, such as id or jobId.
func isIdentifier(name []byte) bool {
	for _, ending := range [...]string{"id", "Id", "ID"} {
		if bytes.HasSuffix(name, []byte(ending)) {
			return true
		}
	}
	return false
}
