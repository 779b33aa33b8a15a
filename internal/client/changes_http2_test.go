// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"golang.org/x/net/http2"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// startHTTP2 starts a service over HTTP/2 and a client with an open connection to it. The
// streams that the service resets end as end says.
func startHTTP2(t *testing.T, end streamEnd) (*mocktest.Instance, *client.Client) {
	t.Helper()
	service := mocktest.StartTLS(t, func(server *httptest.Server) {
		server.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": serveHTTP2(end)}
	})
	c, err := client.New(client.Config{BaseURL: service.URL, Config: transport.Config{
		Credentials: transport.Credentials{APISecretKey: service.SecretKey}, CACertPEM: service.CAPEM, MaxRetries: 1,
	}})
	noError(t, err)
	t.Cleanup(c.Close)
	_, err = c.CurrentUser(t.Context())
	noError(t, err)

	return service, c
}

func TestHTTP2_onlyARefusalProvesThatNothingWasProcessed(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		end     streamEnd
		refuses bool // and does not process the request
	}{
		"REFUSED_STREAM": {withCode(http2.ErrCodeRefusedStream), true}, "GOAWAY": {goAway, true},
		"INTERNAL_ERROR": {withCode(http2.ErrCodeInternal), false}, "PROTOCOL_ERROR": {withCode(http2.ErrCodeProtocol), false},
	} {
		for operation, call := range changes() {
			t.Run(name+" "+operation, func(t *testing.T) {
				t.Parallel()

				service, c := startHTTP2(t, tc.end)
				cut, attempts := mockserver.CutAfterCommit, 1
				if tc.refuses { // first a single time
					cut, attempts = mockserver.CutBeforeCommit, 2
					service.Inject(mockserver.Fault{Operation: operation, Cut: cut})
					noError(t, call(t.Context(), c))
					wantCount(t, service, "", 3) // with the one that made the connection
				}

				service.Inject(mockserver.Fault{Operation: operation, Cut: cut, Times: -1},
					// The read that could resolve the outcome fails too.
					mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 403, Times: -1})
				before := service.Count(operation)
				e := wantClass(t, call(t.Context(), c), transport.ClassUnreachable, transport.ClassConnectionLost, transport.ClassUnknownOutcome)
				if e.Ambiguous == tc.refuses || e.Attempts != attempts {
					t.Errorf("%+v", e)
				}
				wantCount(t, service, operation, before+attempts)
			})
		}
	}
}

// TestHTTP2_endOfAStreamProvesAnExport has lines without a length, of which HTTP/1 would not show
// whether they are all.
func TestHTTP2_endOfAStreamProvesAnExport(t *testing.T) {
	t.Parallel()

	service, c := startHTTP2(t, goAway)
	service.Export.Shape, service.ExportRecords = mockserver.ExportNDJSON, 10_000
	service.Change(func(_ mockserver.Request, a *mockserver.Response) { a.Header.Del("Content-Length") })

	got, err := export(t.Context(), t, c, &received{})
	noError(t, err)
	if got.Counts[records.Event] != 10_000 {
		t.Errorf("counted are %v", got.Counts)
	}
}

// streamEnd returns the frame to write in place of an RST_STREAM, whose stream is at byte 5 and whose code at
// byte 9 (RFC 9113, section 4.1).
type streamEnd func(reset []byte) []byte

// withCode resets the stream with a code. Only REFUSED_STREAM says that the request was
// not processed (RFC 9113, section 8.7).
func withCode(code http2.ErrCode) streamEnd {
	return func(reset []byte) []byte { return binary.BigEndian.AppendUint32(reset[:9:9], uint32(code)) }
}

// goAway is a GOAWAY without an error, whose last stream is the client's stream before the
// given one: the request was not processed (RFC 9113, section 6.8).
func goAway(reset []byte) []byte {
	frame := []byte{0, 0, 8, byte(http2.FrameGoAway), 0, 0, 0, 0, 0}
	frame = binary.BigEndian.AppendUint32(frame, max(binary.BigEndian.Uint32(reset[5:]), 2)-2) // 0 names no stream

	return binary.BigEndian.AppendUint32(frame, uint32(http2.ErrCodeNo))
}

// serveHTTP2 returns a function for http.Server.TLSNextProto that replaces the resets of
// streams.
func serveHTTP2(end streamEnd) func(*http.Server, *tls.Conn, http.Handler) {
	return func(server *http.Server, conn *tls.Conn, handler http.Handler) {
		//nolint:staticcheck // net/http's own HTTP/2 server offers no way to wrap its connection.
		new(http2.Server).ServeConn(&streamEnds{Conn: conn, end: end}, &http2.ServeConnOpts{BaseConfig: server, Handler: handler})
	}
}

// streamEnds is a connection that replaces the RST_STREAM frames written to it. They have 13 bytes, and
// nothing is written behind them at once.
type streamEnds struct {
	*tls.Conn

	end streamEnd
}

func (c *streamEnds) Write(p []byte) (int, error) {
	before, reset := p[:max(0, len(p)-13)], p[max(0, len(p)-13):]
	if !bytes.HasPrefix(reset, []byte{0, 0, 4, byte(http2.FrameRSTStream)}) {
		return c.Conn.Write(p)
	}
	_, err := c.Conn.Write(slices.Concat(before, c.end(reset)))

	return len(p), err
}
