package records

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// holder passes on the records in the arrays of the object that comes next. Arrays
// that are named like a kind hold that kind, arrays under the name of a wrapper
// whatever their elements say, arrays of objects under other names records that
// nobody can attribute. Other members are about the answer and no records.
func (s *splitter) holder(of Kind) error {
	found, err := s.members(of)
	if err == nil && !found {
		err = fmt.Errorf("%w: an object holds no records and is none", ErrShape)
	}
	return err
}

func (s *splitter) members(of Kind) (found bool, err error) {
	if _, err := s.dec.ReadToken(); err != nil {
		return false, err
	}
	for n := 0; s.dec.PeekKind() != '}'; n++ {
		name, err := s.dec.ReadToken()
		switch {
		case err != nil:
			return false, err
		case n == LimitMembers:
			return false, fmt.Errorf("%w: an object has more than %d members", ErrShape, LimitMembers)
		}
		holds, err := s.member(name.String(), of)
		if err != nil {
			return false, err
		}
		found = found || holds
	}
	_, err = s.dec.ReadToken()
	return found, err
}

// member reads the value of one member, and reports whether it is where records are.
func (s *splitter) member(name string, of Kind) (bool, error) {
	kind, place := kindNamed(name), isPlace(name)
	switch s.dec.PeekKind() {
	case '[':
		if place {
			return true, s.elements(orKind(kind, of))
		}
		return false, s.strangers(name)
	case '{':
		switch {
		case isError(name):
		case kind != Unknown:
			return true, s.holder(kind)
		case place:
			return s.members(of)
		}
	}
	return false, s.remark(name)
}

// remark reads what an answer says of itself. A part of a day, or none of it, must not
// pass for the day.
func (s *splitter) remark(name string) error {
	v, err := s.dec.ReadValue()
	if err != nil {
		return err
	}
	switch strings.ToLower(separators.Replace(name)) {
	case "error", "errors":
		if isTold(v) {
			return ErrFailed
		}
	case "success", "ok":
		if v.Kind() == 'f' {
			return ErrFailed
		}
	case "hasmore", "truncated", "partial", "next", "nextpage", "nextpagetoken", "nextcursor", "nexttoken", "continuationtoken":
		if isTold(v) {
			return ErrPage
		}
	}
	return nil
}

func isError(name string) bool {
	return strings.EqualFold(name, "error") || strings.EqualFold(name, "errors")
}

// isTold reports whether a value says anything: not null, false, or empty.
func isTold(v jsontext.Value) bool {
	switch string(v) {
	case "null", "false", `""`, "{}", "[]":
		return false
	}
	return true
}

// strangers passes on the objects of an array under a name that says nothing. What
// is no object is about the answer, such as a list of the kinds in it.
func (s *splitter) strangers(name string) error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	if kind := s.dec.PeekKind(); kind != ']' && isError(name) {
		return ErrFailed
	}
	for kind := s.dec.PeekKind(); kind != ']'; kind = s.dec.PeekKind() {
		v, err := s.dec.ReadValue()
		if err == nil && kind == '{' {
			err = s.pass(orKind(s.kindOf(v, Unknown), s.assumed), v)
		}
		if err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	return err
}
