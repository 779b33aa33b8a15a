package records

import (
	"bytes"
	"errors"
	"io"
)

// blockSize is how much of an answer is read and parsed at a time, in bytes.
const blockSize = 1 << 20

// source is an answer as it comes. The window holds what was read and is not used yet;
// it moves on with advance, and detach hands its beginning over to another goroutine.
type source struct {
	r     io.Reader
	block int // how much is read at a time

	window []byte
	home   []byte // the buffer that the window is in
	offset int64  // of the window in the answer
	err    error  // what the reader ended with, behind the window

	spare [][]byte // buffers to read blocks into
	large []byte   // buffer for records that are larger than a block, made when one comes
}

func newSource(r io.Reader, block int) *source { return &source{r: r, block: block} }

// inMemory returns a source of a value that was read already.
func inMemory(v []byte) *source { return &source{window: v, block: blockSize, err: io.EOF} }

// ended reports whether the window holds all that is left.
func (s *source) ended() bool { return s.err != nil }

// failure returns what the reader ended with, if that is not the end of the answer.
func (s *source) failure() error {
	if errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// fill reads until the window holds n bytes or the answer has ended.
func (s *source) fill(n int) {
	if len(s.window) >= n || s.ended() {
		return
	}
	s.reserve(n)

	for len(s.window) < n && s.err == nil {
		var read int
		read, s.err = s.r.Read(s.window[len(s.window):n])
		s.window = s.window[:len(s.window)+read]
	}
}

// reserve makes room for a window of n bytes.
func (s *source) reserve(n int) {
	if cap(s.window) >= n {
		return
	}

	old := s.home
	switch {
	case n <= s.block && len(old) != s.block:
		s.home = s.buffer()
	case n > s.block && len(old) < n:
		if len(s.large) < n {
			s.large = make([]byte, max(n, min(LimitRecord, 16*s.block)+2*s.block))
		}
		s.home = s.large
	}
	s.window = s.home[:copy(s.home, s.window)]
	if len(old) == s.block && len(s.home) != s.block {
		s.release(old)
	}
}

// buffer returns a buffer of the size of a block.
func (s *source) buffer() []byte {
	if last := len(s.spare) - 1; last >= 0 {
		b := s.spare[last]
		s.spare = s.spare[:last]
		return b
	}
	return make([]byte, s.block)
}

// release takes a buffer back that nothing refers to any more.
func (s *source) release(b []byte) { s.spare = append(s.spare, b) }

// advance drops n bytes from the beginning of the window.
func (s *source) advance(n int) {
	s.window = s.window[n:]
	s.offset += int64(n)
}

// detach hands over the first n bytes of the window, at most a block, and the buffer
// that they are in. It keeps the rest.
func (s *source) detach(n int) (head, home []byte) {
	next := s.buffer()
	if len(s.home) != s.block { // holds more than is handed over
		head = next[:copy(next, s.window[:n])]
		s.advance(n)
		return head, next
	}

	head, home = s.window[:n:n], s.home
	s.window = next[:copy(next, s.window[n:])]
	s.home = next
	s.offset += int64(n)
	return head, home
}

// putBack puts blocks that follow each other in front of the window again. They are
// copied.
func (s *source) putBack(blocks ...[]byte) {
	total := len(s.window)
	for _, b := range blocks {
		total += len(b)
		s.offset -= int64(len(b))
	}

	joined := make([]byte, 0, max(total, s.block+1)) // never taken for a buffer of one block
	for _, b := range blocks {
		joined = append(joined, b...)
	}
	s.window = append(joined, s.window...)
	if len(s.home) == s.block {
		s.release(s.home)
	}
	s.home = joined[:cap(joined)]
}

// peek returns the next byte that is no white space and moves on to it. At the end of
// the answer it returns 0.
func (s *source) peek() (byte, error) {
	for skipped := 0; ; {
		trimmed := bytes.TrimLeft(s.window, " \t\r\n")
		skipped += len(s.window) - len(trimmed)
		s.advance(len(s.window) - len(trimmed))

		switch {
		case skipped > LimitRecord:
			return 0, ErrTooLarge
		case len(s.window) > 0:
			return s.window[0], nil
		case s.ended():
			return 0, s.failure()
		}
		s.fill(s.block)
	}
}
