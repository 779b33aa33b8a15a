// SPDX-License-Identifier: MPL-2.0

package records

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// model is what the records of a kind have in common, which the first one shows.
type model struct {
	idName string          // of the member that identifies it
	others map[string]bool // the names of up to a hundred others

	// The frame: a record that begins and ends as the first one does is recognised without a
	// look at its members. head is what is in front of the identifying value, next is what follows
	// that value where only that shows another member in common, and tail is how the record ends.
	// Where the kind is not known from the place of the record, head or tail states it.
	head, next, tail []byte
}

// modelOf returns the model that the first record of a kind is; nil if nothing identifies it.
func modelOf(v jsontext.Value) *model {
	const compared = 100
	m, rank := &model{others: map[string]bool{}}, 0
	for name, value := range jsonvalue.EachMember(v) {
		own := idNames[string(name)]
		isFirst := rank == 0 || own < rank
		if own > 0 && isFirst && identifies(value) {
			m.idName, rank = string(name), own
		}
		if len(m.others) < compared {
			m.others[string(name)] = true
		}
	}
	if rank == 0 {
		return nil
	}
	delete(m.others, m.idName)

	return m
}

// objectionTo returns why an object is not a record like the first one; empty if it is one.
func (m *model) objectionTo(v jsontext.Value, kind Kind) string {
	isIdentified, isAlike := false, len(m.others) == 0
	for name, value := range jsonvalue.EachMember(v) {
		if string(name) == m.idName {
			isIdentified = identifies(value)
		} else if !isAlike {
			isAlike = m.others[string(name)]
		}
		if isIdentified && isAlike {
			return ""
		}
	}
	if !isIdentified {
		return "has no \"" + m.idName + "\", which identifies the first " + kind.String() + " record"
	}

	return "shares nothing but \"" + m.idName + "\" with the first " + kind.String() + " record"
}

// fits reports whether a record has the frame of the first one.
func (m *model) fits(v jsontext.Value) bool {
	if m == nil || m.head == nil || !bytes.HasPrefix(v, m.head) || !bytes.HasSuffix(v, m.tail) {
		return false
	}
	value := v[len(m.head):]
	end := jsonvalue.ValueLen(value)
	return identifies(value[:end]) && bytes.HasPrefix(value[end:], m.next)
}

// learn makes m the model of a kind, whose first record is v. It sets the frame unless another record
// with the same frame could be of another kind. placed says that the kind is known from the place of
// the record.
func (x *Reader) learn(m *model, v jsontext.Value, kind Kind, placed bool) {
	x.models[kind] = m
	at := x.options.Kind
	if at != "" && x.ownKind(v) != kind {
		return
	}

	var names []string
	var values []jsontext.Value
	for name, value := range jsonvalue.EachMember(v) {
		if names, values = append(names, string(name)), append(values, value); len(names) == 2 {
			break
		}
	}
	if len(names) < 2 {
		return
	}

	switch m.idName {
	case names[0]:
		if at != "" {
			m.tail = tailOf(v, at)
			placed = m.tail != nil
		}
		if placed {
			m.head, m.next = []byte(`{"`+names[0]+`":`), []byte(`,"`+names[1]+`":`)
		}
	case names[1]:
		states := at == jsontext.Pointer("").AppendToken(names[0])
		if at == "" {
			states = statedKind([]byte(names[0]), values[0]) != Unknown
		}
		if states {
			m.head = []byte(`{"` + names[0] + `":` + string(values[0]) + `,"` + names[1] + `":`)
		}
	}
}

// tailOf returns the end of a record from the member on that has what is at a pointer; nil if that is
// long, or if it could be the end of a record that has something else there. Without a backslash and
// with an even number of quotation marks, it begins outside of a string in every record that ends with it.
func tailOf(v jsontext.Value, at jsontext.Pointer) []byte {
	const longest = 200
	first := jsontext.Pointer("").AppendToken(slices.Collect(at.Tokens())[0])
	member := `,"` + first.LastToken() + `":` + string(jsonvalue.At(v, first))
	begin := bytes.LastIndex(v, []byte(member))
	if begin < 0 || len(v)-begin > longest || bytes.IndexByte(v[begin:], '\\') >= 0 || bytes.Count(v[begin:], []byte(`"`))%2 != 0 {
		return nil
	}

	object := append([]byte("{"), v[begin+1:]...)
	if jsonvalue.ValueLen(object) != len(object) || !bytes.Equal(jsonvalue.At(object, at), jsonvalue.At(v, at)) {
		return nil
	}

	return bytes.Clone(v[begin:])
}
