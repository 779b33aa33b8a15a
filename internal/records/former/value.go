package records

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// nextByte is like peek, but returns ErrTruncated at the end of the answer.
func (s *splitter) nextByte() (byte, error) {
	c, err := s.src.peek()
	if err == nil && c == 0 {
		err = ErrTruncated
	}
	return c, err
}

// expect returns an error unless want is the next byte.
func (s *splitter) expect(want byte) error {
	c, err := s.nextByte()
	if err != nil {
		return err
	}
	if c != want {
		return located(ErrSyntax, s.src.offset)
	}
	return nil
}

// consume moves past the next byte, which has to be want.
func (s *splitter) consume(want byte) error {
	if err := s.expect(want); err != nil {
		return err
	}
	s.src.advance(1)
	return nil
}

// value reads one value that is not a record. It is valid until more is read.
func (s *splitter) value() (jsontext.Value, error) {
	for {
		ended, size := s.src.ended(), len(s.src.window)
		v, err := s.valueInWindow()
		if v != nil || err != nil {
			return v, err
		}

		if ended {
			return nil, s.truncated()
		}

		if size > LimitRecord {
			return nil, ErrTooLarge
		}

		s.src.load(min(max(4*size, s.src.block), LimitRecord+s.src.block))
	}
}

// valueInWindow reads the value at the beginning of the window; it returns nil if the
// window may not hold all of it.
func (s *splitter) valueInWindow() (jsontext.Value, error) {
	text := s.src.window
	s.scanner.decode(text)
	v, err := s.scanner.dec.ReadValue()
	if err != nil {
		at, failure := parseError(err)
		if s.scanner.relax(failure) {
			return s.valueInWindow()
		}
		return nil, located(failure, s.src.offset+int64(at))
	}

	end := int(s.scanner.dec.InputOffset())
	if end == len(text) && !s.src.ended() && isOpenEnded(v) {
		return nil, nil
	}

	return s.takeValue(v, end)
}

// truncated returns the error about an answer that ends too early.
func (s *splitter) truncated() error {
	if err := s.src.failure(); err != nil {
		return err
	}
	return ErrTruncated
}

func (s *splitter) takeValue(v jsontext.Value, end int) (jsontext.Value, error) {
	if !utf8.Valid(v) && !s.options.ReplaceInvalid {
		return nil, located(ErrUTF8, s.src.offset+int64(end-len(v)+invalidAt(v)))
	}
	s.src.advance(end)
	return v, nil
}
