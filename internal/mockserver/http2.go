package mockserver

import (
	"crypto/tls"
	"encoding/binary"
	"net"
	"net/http"

	"golang.org/x/net/http2"
)

// StreamEnd is how a request ends over HTTP/2 where a Cut resets the connection.
type StreamEnd int

const (
	// ResetInternal resets the stream with INTERNAL_ERROR, as servers do when a
	// handler crashes. It says nothing of what was processed.
	ResetInternal StreamEnd = iota
	// ResetProtocol resets the stream with PROTOCOL_ERROR, which says nothing either.
	ResetProtocol
	// ResetRefused resets the stream with REFUSED_STREAM: nothing was processed
	// (RFC 9113, section 8.7).
	ResetRefused
	// GoAway sends a GOAWAY that leaves the stream out: nothing of it was processed
	// (RFC 9113, section 6.8).
	GoAway
)

// serveHTTP2 serves HTTP/2 connections whose streams end as end says.
func serveHTTP2(end StreamEnd) func(*http.Server, *tls.Conn, http.Handler) {
	return func(server *http.Server, conn *tls.Conn, handler http.Handler) {
		//nolint:staticcheck // the server of net/http does not let anybody between it and its connection.
		new(http2.Server).ServeConn(&streamEnds{Conn: conn, end: end}, &http2.ServeConnOpts{BaseConfig: server, Handler: handler})
	}
}

// streamEnds replaces the RST_STREAM frames that a server writes.
type streamEnds struct {
	*tls.Conn

	end     StreamEnd
	pending []byte // the beginning of a frame
}

// Write passes complete frames on.
func (c *streamEnds) Write(p []byte) (int, error) {
	c.pending = append(c.pending, p...)

	for {
		frame, ok := nextFrame(c.pending)
		if !ok {
			return len(p), nil
		}
		c.pending = c.pending[len(frame):]

		if _, err := c.Conn.Write(c.replace(frame)); err != nil {
			return 0, err
		}
	}
}

// The layout of a frame (RFC 9113, section 4.1).
const (
	frameHeader     = 9
	frameTypeAt     = 3
	frameStreamIDAt = 5
)

// nextFrame returns the first frame of b; false where it is not complete.
func nextFrame(b []byte) ([]byte, bool) {
	if len(b) < frameHeader {
		return nil, false
	}
	size := frameHeader + int(b[0])<<16 + int(b[1])<<8 + int(b[2])
	if len(b) < size {
		return nil, false
	}
	return b[:size:size], true
}

// replace returns what is sent instead of a frame.
func (c *streamEnds) replace(frame []byte) []byte {
	if http2.FrameType(frame[frameTypeAt]) != http2.FrameRSTStream {
		return frame
	}

	switch c.end {
	case ResetProtocol:
		return withCode(frame, http2.ErrCodeProtocol)
	case ResetRefused:
		return withCode(frame, http2.ErrCodeRefusedStream)
	case GoAway:
		return goAwayBelow(binary.BigEndian.Uint32(frame[frameStreamIDAt:]))
	case ResetInternal:
	}
	return frame
}

func withCode(frame []byte, code http2.ErrCode) []byte {
	binary.BigEndian.PutUint32(frame[frameHeader:], uint32(code))
	return frame
}

// goAwayBelow is a GOAWAY without an error whose last stream is the one before a
// client's stream.
func goAwayBelow(stream uint32) []byte {
	frame := make([]byte, frameHeader+8)
	frame[2] = 8
	frame[frameTypeAt] = byte(http2.FrameGoAway)
	if stream > 1 {
		binary.BigEndian.PutUint32(frame[frameHeader:], stream-2)
	}
	return frame
}

var _ net.Conn = (*streamEnds)(nil)
