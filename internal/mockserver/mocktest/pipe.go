// SPDX-License-Identifier: MPL-2.0

package mocktest

import (
	"context"
	"net"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// StartPipe is like Start, with connections in memory, for the bubbles of
// testing/synctest: a goroutine that waits on such a connection is durably blocked. The
// client connects with Instance.DialContext. Before the bubble ends, the client has to
// close its connections, or the server has to stop.
func StartPipe(t testing.TB, configure ...func(*mockserver.Server)) *Instance {
	t.Helper()
	pipes := &pipeListener{accepted: make(chan net.Conn), closed: make(chan struct{})}
	i := begin(t, &httptest.Server{Listener: pipes}, (*httptest.Server).Start, configure)
	i.pipes = pipes

	return i
}

// DialContext connects to a server of StartPipe and ignores the address. The error is
// that of ctx, or net.ErrClosed in a *net.OpError once the server has stopped.
func (i *Instance) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case i.pipes.accepted <- theirs:
		return ours, nil
	case <-i.pipes.closed:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: i.pipes.Addr(), Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Tracked returns a function like DialContext, and one that closes all connections
// made with it, for clients that cannot be closed.
func (i *Instance) Tracked() (dial func(ctx context.Context, network, address string) (net.Conn, error), closeAll func()) {
	open, closeAll := context.WithCancel(context.Background())

	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := i.DialContext(ctx, network, address)
		if err == nil {
			context.AfterFunc(open, func() { _ = c.Close() })
		}
		return c, err
	}, closeAll
}

// pipeListener is a listener for connections in memory.
type pipeListener struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr returns an address whose text is a host that the client accepts without TLS.
func (*pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "localhost", Net: "pipe"} }
