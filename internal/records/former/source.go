package records

import (
	"bytes"
	"errors"
	"io"
)

// blockSize is how much of an answer is read and parsed at a time, in bytes.
const blockSize = 1 << 20

// source is an answer that is being read. The window holds what was read and is not used
// yet; advance moves it on, and detach hands its beginning over to another goroutine.
type source struct {
	r     io.Reader
	block int // how much is read at a time

	window []byte
	buf    []byte // the buffer that holds the window
	offset int64  // of the window in the answer
	err    error  // what the reader returned behind the window

	spare [][]byte // buffers of the size of a block
	large []byte   // buffer for records that are larger than a block
}

func newSource(r io.Reader, block int) *source { return &source{r: r, block: block} }

// inMemory returns a source for a value that has been read already.
func inMemory(v []byte) *source { return &source{window: v, block: blockSize, err: io.EOF} }

// ended reports whether the window holds all that can be read.
func (s *source) ended() bool { return s.err != nil }

// complete reports whether the window reaches to the end of the answer.
func (s *source) complete() bool { return errors.Is(s.err, io.EOF) }

// failure returns the error that the reader ended with; nil at the end of the answer.
func (s *source) failure() error {
	if s.complete() {
		return nil
	}
	return s.err
}

// load reads until the window holds n bytes or nothing more can be read.
func (s *source) load(n int) {
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

	old := s.buf
	s.buf = s.bufferFor(n)
	s.window = s.buf[:copy(s.buf, s.window)]
	if len(old) == s.block && len(s.buf) != s.block {
		s.release(old)
	}
}

// bufferFor returns the current buffer if it has room for n bytes, and another one if it
// has not.
func (s *source) bufferFor(n int) []byte {
	if n <= s.block {
		if len(s.buf) == s.block {
			return s.buf
		}
		return s.buffer()
	}

	if len(s.buf) >= n {
		return s.buf
	}

	if len(s.large) < n {
		s.large = make([]byte, max(n, min(LimitRecord, 16*s.block)+2*s.block))
	}

	return s.large
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

// release takes back a buffer that is no longer in use.
func (s *source) release(b []byte) { s.spare = append(s.spare, b) }

// advance removes n bytes from the beginning of the window.
func (s *source) advance(n int) {
	s.window = s.window[n:]
	s.offset += int64(n)
}

// detach removes the first n bytes of the window, at most a block, and returns them with
// the buffer that holds them.
func (s *source) detach(n int) (head, buf []byte) {
	next := s.buffer()
	if len(s.buf) != s.block { // holds more than a block
		head = next[:copy(next, s.window[:n])]
		s.advance(n)
		return head, next
	}

	head, buf = s.window[:n:n], s.buf
	s.window = next[:copy(next, s.window[n:])]
	s.buf = next
	s.offset += int64(n)

	return head, buf
}

// putBack puts copies of blocks that follow each other in front of the window again.
func (s *source) putBack(blocks ...[]byte) {
	total := len(s.window)
	for _, b := range blocks {
		total += len(b)
		s.offset -= int64(len(b))
	}

	joined := make([]byte, 0, max(total, s.block+1)) // longer than a block, to be told from its buffers
	for _, b := range blocks {
		joined = append(joined, b...)
	}
	s.window = append(joined, s.window...)

	if len(s.buf) == s.block {
		s.release(s.buf)
	}

	s.buf = joined[:cap(joined)]
}

// peek moves on to the next byte that is not white space, and returns it. It returns 0 at
// the end of the answer.
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

		s.load(s.block)
	}
}
