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

// Listening is a server that accepts connections.
type Listening struct {
	// URL is {base_url} of the interface: with the base path, and without a slash at
	// its end.
	URL string

	http  *http.Server
	done  chan struct{}  // closed when nothing is accepted any more
	err   error          // why, set before done is closed; nil where it was stopped
	conns sync.WaitGroup // connections that the HTTP server still owns
}

// Listen serves on a TCP address such as "127.0.0.1:0".
func (s *Server) Listen(ctx context.Context, addr string) (*Listening, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return s.Serve(l, nil), nil
}

// Serve serves on a listener, which it owns from then on. With a TLS configuration
// it does so over TLS, with HTTP/2 for clients that ask for it.
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
		// Panics are violations; what is left to log is what clients do on purpose.
		ErrorLog:  log.New(io.Discard, "", 0),
		ConnState: g.watch(s),
	}
	if s.StreamEnd != ResetInternal {
		g.http.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": serveHTTP2(s.StreamEnd)}
	}
	go g.accept(l)
	return g
}

// watch counts connections in and out. The first state of a connection comes from
// the goroutine that accepts, so that nothing is added after done is closed.
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

// Done is closed when the server has ceased to accept connections.
func (g *Listening) Done() <-chan struct{} { return g.done }

// Stop closes the listener and all connections, which ends what hangs, and returns
// when they are gone; with the error at which the server had ceased before, if any.
func (g *Listening) Stop() error {
	err := g.http.Close()
	<-g.done
	g.conns.Wait()
	return errors.Join(err, g.err)
}

// ConnState counts connections; it has the form of http.Server's hook.
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
