package records

import "fmt"

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
		return false, s.strangers()
	case '{':
		switch {
		case kind != Unknown:
			return true, s.holder(kind)
		case place:
			return s.members(of)
		}
	}
	return false, s.dec.SkipValue()
}

// strangers passes on the objects of an array under a name that says nothing. What
// is no object is about the answer, such as a list of the kinds in it.
func (s *splitter) strangers() error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
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
