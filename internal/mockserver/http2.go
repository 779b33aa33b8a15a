// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"crypto/tls"
	"encoding/binary"
	"net"
	"net/http"

	"golang.org/x/net/http2"
)

// StreamEnd is how a Cut that resets the connection ends a request over HTTP/2.
type StreamEnd int

const (
	// ResetInternal resets the stream with INTERNAL_ERROR, as servers do when a
	// handler crashes. It does not say whether the request was processed.
	ResetInternal StreamEnd = iota
	// ResetProtocol resets the stream with PROTOCOL_ERROR, which does not say so either.
	ResetProtocol
	// ResetRefused resets the stream with REFUSED_STREAM: the request was not processed
	// (RFC 9113, section 8.7).
	ResetRefused
	// GoAway sends a GOAWAY whose last stream is an earlier one: the request was not
	// processed (RFC 9113, section 6.8).
	GoAway
)

// serveHTTP2 returns a function for http.Server.TLSNextProto that replaces the resets
// of streams as end says.
func serveHTTP2(end StreamEnd) func(*http.Server, *tls.Conn, http.Handler) {
	return func(server *http.Server, conn *tls.Conn, handler http.Handler) {
		//nolint:staticcheck // net/http's own HTTP/2 server offers no way to wrap its connection.
		new(http2.Server).ServeConn(&streamEnds{Conn: conn, end: end}, &http2.ServeConnOpts{BaseConfig: server, Handler: handler})
	}
}

// streamEnds is a connection that replaces the RST_STREAM frames written to it.
type streamEnds struct {
	*tls.Conn

	end     StreamEnd
	pending []byte // the beginning of a frame
}

// Write writes the frames that are complete and keeps the rest.
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

// nextFrame returns the first frame of b; false if it is not complete.
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

// replace returns the frame to write in place of frame.
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

// goAwayBelow returns a GOAWAY without an error, whose last stream is the client's
// stream before the given one.
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
