package mocktest

import (
	"context"
	"net"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// StartPipe is Start without a network, for the bubbles of testing/synctest: what
// waits on a connection in memory is durably blocked, so that time can go on. The
// client is given Instance.DialContext; it has to let go of its connections in the
// bubble, or the server be stopped there, which the end of the test does.
func StartPipe(t testing.TB, configure ...func(*mockserver.Server)) *Instance {
	t.Helper()
	i := prepare(t, configure)
	i.pipes = &pipeListener{accepted: make(chan net.Conn), closed: make(chan struct{})}
	i.run(t, i.Serve(i.pipes, nil))
	return i
}

// DialContext connects to a server of StartPipe, whatever the address.
func (i *Instance) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	return i.pipes.dial(ctx)
}

// Tracked is a DialContext and a function that closes all connections it has made,
// for clients that have no end but that of their process.
func (i *Instance) Tracked() (dial func(ctx context.Context, network, address string) (net.Conn, error), closeAll func()) {
	var mu sync.Mutex
	var opened []net.Conn
	dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		c, err := i.pipes.dial(ctx)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			opened = append(opened, c)
		}
		return c, err
	}
	closeAll = func() {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range opened {
			_ = c.Close()
		}
		opened = nil
	}
	return dial, closeAll
}

// pipeListener accepts connections in memory.
type pipeListener struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (l *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.accepted <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: l.Addr(), Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
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

func (*pipeListener) Addr() net.Addr { return pipeAddr{} }

// pipeAddr is an address that clients accept without TLS.
type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "localhost" }
