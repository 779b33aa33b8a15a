// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Listening is a Server that accepts connections. Stop ends it.
type Listening struct {
	// URL is {base_url} of the interface, without a slash at the end.
	URL string

	http  *http.Server
	done  chan struct{}  // closed when no more connections are accepted
	err   error          // the reason, nil after Stop; set before done is closed
	conns sync.WaitGroup // open connections of the HTTP server
}

// Listen serves HTTP on a TCP address such as "127.0.0.1:0". The error is that of
// listening.
func (s *Server) Listen(ctx context.Context, addr string) (*Listening, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}

	return s.Serve(l, nil), nil
}

// Serve serves HTTP on a listener and takes ownership of it. With a config, it serves
// over TLS, and HTTP/2 if config.NextProtos offers it.
func (s *Server) Serve(l net.Listener, config *tls.Config) *Listening {
	scheme, serve := "http", (*http.Server).Serve
	if config != nil {
		scheme = "https"
		serve = func(server *http.Server, l net.Listener) error { return server.ServeTLS(l, "", "") }
	}

	g := &Listening{URL: scheme + "://" + l.Addr().String(), done: make(chan struct{})}
	g.http = &http.Server{
		Handler:           s,
		TLSConfig:         config,
		ReadHeaderTimeout: time.Minute,
		// Panics are violations. What is left are errors that tests cause on purpose.
		ErrorLog: log.New(io.Discard, "", 0),
		// The goroutine that accepts reports http.StateNew, so that conns does not grow after
		// done is closed.
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				g.conns.Add(1)
				s.mu.Lock()
				s.connections++
				s.mu.Unlock()
			case http.StateClosed, http.StateHijacked:
				g.conns.Done()
			}
		},
	}

	if s.Serving != nil {
		s.Serving(g.http)
	}

	go func() {
		defer close(g.done)
		if err := serve(g.http, l); !errors.Is(err, http.ErrServerClosed) {
			g.err = err
		}
	}()

	return g
}

// Done returns a channel that is closed when the server accepts no more connections.
func (g *Listening) Done() <-chan struct{} { return g.done }

// Stop closes the listener and all connections, and waits until they are gone. It
// returns the error that had stopped the server before, if any.
func (g *Listening) Stop() error {
	err := g.http.Close()
	<-g.done
	g.conns.Wait()

	return errors.Join(err, g.err)
}

// Connections returns how many connections have been accepted so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}
