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
	// URL is {base_url} of the interface: it includes the base path and ends
	// without a slash.
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
	scheme := "http"
	if config != nil {
		scheme = "https"
	}

	g := &Listening{URL: scheme + "://" + l.Addr().String() + trimBase(s.BasePath), done: make(chan struct{})}
	g.http = &http.Server{
		Handler:           s,
		TLSConfig:         config,
		ReadHeaderTimeout: time.Minute,
		// Panics are violations. What is left are errors that tests cause on purpose.
		ErrorLog:  log.New(io.Discard, "", 0),
		ConnState: g.watch(s),
	}

	if s.StreamEnd != ResetInternal {
		g.http.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": serveHTTP2(s.StreamEnd)}
	}

	go g.accept(l)

	return g
}

// watch returns a hook that counts the open connections in conns. The goroutine that
// accepts reports http.StateNew, so that conns does not grow after done is closed.
func (g *Listening) watch(s *Server) func(net.Conn, http.ConnState) {
	return func(c net.Conn, state http.ConnState) {
		s.ConnState(c, state)

		switch state {
		case http.StateNew:
			g.conns.Add(1)
		case http.StateClosed, http.StateHijacked:
			g.conns.Done()
		}
	}
}

func (g *Listening) accept(l net.Listener) {
	defer close(g.done)

	var err error
	if g.http.TLSConfig != nil {
		err = g.http.ServeTLS(l, "", "")
	} else {
		err = g.http.Serve(l)
	}

	if !errors.Is(err, http.ErrServerClosed) {
		g.err = err
	}
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

// ConnState counts new connections for Connections. It is a hook for http.Server.
func (s *Server) ConnState(_ net.Conn, state http.ConnState) {
	if state != http.StateNew {
		return
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections++
}

// Connections returns how many connections have been accepted so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}
