// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// fickleListener answers the first request of every connection, and reads the second
// and closes. net/http then repeats a request that it considers replayable.
type fickleListener struct{ requests atomic.Int64 }

func (f *fickleListener) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		reader := bufio.NewReader(theirs)
		for n := range 2 {
			req, err := http.ReadRequest(reader)
			if err != nil {
				return
			}

			_ = req.Body.Close()
			f.requests.Add(1)

			if n == 0 {
				_, _ = theirs.Write([]byte("HTTP/1.1 204 No Content\r\n\r\n"))
			}
		}
	}()

	return ours, nil
}

func TestSendOnce_HTTP1RepeatsNoChange(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		method  string
		effect  bool
		arrives int64
	}{
		"a read is repeated":     {http.MethodGet, false, 2},
		"a queueing read is not": {http.MethodGet, true, 1},
		"a deletion is not":      {http.MethodDelete, true, 1},
		"an update is not":       {http.MethodPatch, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				service := &fickleListener{}
				transport := &http.Transport{DialContext: service.dial}
				defer transport.CloseIdleConnections()
				send := func(method string, effect bool) error {
					k := &Call{Request: Request{Op: Operation{Method: method, Effect: effect}}}
					req, err := http.NewRequestWithContext(t.Context(), method, "http://localhost/", nil)
					if err != nil {
						t.Fatal(err)
					}

					sealed, err := k.sentOnce(req)
					if err != nil {
						t.Fatal(err)
					}
					resp, err := transport.RoundTrip(sealed)
					if err == nil {
						resp.Body.Close()
					}

					return err
				}

				if err := send(http.MethodGet, false); err != nil { // from now on the connection is a reused one
					t.Fatal(err)
				}

				_ = send(tc.method, tc.effect)

				if got := service.requests.Load() - 1; got != tc.arrives {
					t.Errorf("%d requests arrived, want %d", got, tc.arrives)
				}
			})
		})
	}
}
