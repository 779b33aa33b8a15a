// SPDX-License-Identifier: MPL-2.0

// Package mocktest starts mock servers for tests. Each server belongs to one test, which a
// violation of the contract fails.
package mocktest

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/contract"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// Instance is a running mock server with one user and one secret key.
type Instance struct {
	*mockserver.Server

	URL string // {base_url} of the interface
	// Email, Password and SecretKey are unique to the instance, which lets a test search
	// an output for them. They contain characters that every encoding has to escape.
	Email, Password, SecretKey string
	CAPEM                      []byte // the authority of the certificate of StartTLS

	http        *httptest.Server
	pipes       *pipes // of StartPipe
	connections atomic.Int64
	allowed     atomic.Bool

	mu         sync.Mutex
	violations []string
}

// Org and Project are the scope of everything that does not name another.
const (
	Org     = "org-demo"
	Project = "web"
)

// Environment returns the environment of a provider that uses the service's secret key.
func (i *Instance) Environment() map[string]string {
	return map[string]string{
		"ANALYTICS_BASE_URL": i.URL, "ANALYTICS_API_SECRET_KEY": i.SecretKey,
		"ANALYTICS_ORG_ID": Org, "ANALYTICS_PROJECT_ID": Project,
	}
}

// Start starts a mock server on 127.0.0.1 that stops when the test ends. configure
// functions set fields of the Server before it starts.
func Start(t testing.TB, configure ...func(*mockserver.Server)) *Instance {
	t.Helper()
	return begin(t, httptest.NewUnstartedServer(nil), (*httptest.Server).Start, configure)
}

// StartTLS is like Start, over TLS and with HTTP/2. change may replace the certificate of httptest, for 127.0.0.1, or
// how the server speaks HTTP/2; nil changes nothing.
func StartTLS(t testing.TB, change func(*httptest.Server), configure ...func(*mockserver.Server)) *Instance {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	i := begin(t, server, func(s *httptest.Server) {
		if change != nil {
			change(s)
		}
		s.StartTLS()
	}, configure)
	i.CAPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})

	return i
}

// StartPipe is like Start, with connections in memory by Instance.DialContext, for the bubbles of
// testing/synctest: a goroutine that waits on one is durably blocked. Before the bubble ends, the client has to
// close its connections, or the server has to stop.
func StartPipe(t testing.TB, configure ...func(*mockserver.Server)) *Instance {
	t.Helper()
	listener := &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})}
	i := begin(t, &httptest.Server{Listener: listener}, (*httptest.Server).Start, configure)
	i.pipes = listener

	return i
}

// AllowViolations keeps violations, which Violations still returns, from failing the test.
func (i *Instance) AllowViolations() { i.allowed.Store(true) }

// Violations returns the violations of the contract, in order.
func (i *Instance) Violations() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.violations)
}

// Connections returns how many connections have been accepted so far.
func (i *Instance) Connections() int { return int(i.connections.Load()) }

// Stop stops the server before the test ends, and waits until all connections are closed.
func (i *Instance) Stop() {
	_ = i.http.Config.Close()
	i.http.Close()
}

var instances atomic.Int64

// begin starts a server and registers its end, and the check for violations, with the test.
func begin(t testing.TB, server *httptest.Server, start func(*httptest.Server), configure []func(*mockserver.Server)) *Instance {
	t.Helper()
	number := strconv.FormatInt(instances.Add(1), 10)
	i := &Instance{
		Server:    &mockserver.Server{},
		Email:     "operator+" + number + "&co@example.com",
		Password:  "p@ss/w+rd & 100% \"sécret\" <" + number + ">",
		SecretKey: "s3cret/k+y=&? 100%#é-" + number,
		http:      server,
	}

	i.Check = func(answer *http.Response) {
		violations := contract.Violations(answer, i.Wire.Export.KindParameter)
		i.mu.Lock()
		defer i.mu.Unlock()
		i.violations = append(i.violations, violations...)
	}
	for _, set := range configure {
		set(i.Server)
	}

	i.AddUser(i.Email, i.Password)
	i.AddSecretKey(i.SecretKey)

	server.Config = &http.Server{
		Handler:  i.Server,
		ErrorLog: log.New(t.Output(), "", 0),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				i.connections.Add(1)
			}
		},
	}
	t.Cleanup(func() {
		i.Stop()
		soak.Add(soak.Requests, len(i.Requests()))
		if !i.allowed.Load() {
			for _, violation := range i.Violations() {
				t.Errorf("violation of the interface: %s", violation)
			}
		}
	})
	start(server)
	i.URL = server.URL

	return i
}

// AnswerQueueing returns an option for Start: deferred requests are answered with this status and JSON body.
func AnswerQueueing(status int, body string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.Change(func(_ mockserver.Request, a *mockserver.Response) {
			if a.Receipt {
				a.Status, a.Body = status, json.RawMessage(body)
			}
		})
	}
}

// AnswerData returns an option for Start: getAllData is answered with this JSON body once the data are ready.
func AnswerData(body string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		mockserver.Reshape(s, func(any) any { return json.RawMessage(body) }, mockserver.OpGetAllData)
	}
}

// KeepsTimes returns an option for Start: the service keeps times of agreement cut to a precision.
func KeepsTimes(precision time.Duration) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		mockserver.Reshape(s, func(record map[string]any) any {
			text, _ := record["agreement_time"].(string)
			if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
				record["agreement_time"] = at.UTC().Truncate(precision).Format(time.RFC3339Nano)
			}
			return record
		}, mockserver.OpGetConsent, mockserver.OpUpdateConsent)
	}
}

// DialContext connects to a server of StartPipe and ignores the address.
func (i *Instance) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe() // a deadline of bufconn's that has been taken back may still end a read
	select {
	case i.pipes.accepted <- theirs:
		return ours, nil
	case <-i.pipes.closed:
		return nil, &net.OpError{Op: "dial", Net: "pipe", Addr: i.pipes.Addr(), Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipes is a listener for connections in memory.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr returns an address with a host that the client accepts without TLS.
func (*pipes) Addr() net.Addr { return &net.UnixAddr{Name: "localhost", Net: "pipe"} }

// disorders are what can go wrong on the way to a service and back, or in front of it.
var disorders = []mockserver.Fault{
	{Cut: mockserver.CutBeforeCommit},
	{Cut: mockserver.CutAfterCommit},
	{Cut: mockserver.CutBody, CutAt: 7},
	{Cut: mockserver.CutChunked, CutAt: 7},
	{Hang: true},
	{Hang: true, Commit: true},
	{Delay: 40 * time.Second},
	{Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>Sign in")},
	{Status: 200, Commit: true, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>Back soon")},
	{Status: 302, Header: map[string][]string{"Location": {"/elsewhere"}}},
	{Status: 400, Body: []byte(`{"error":{"code":"E400","message":"not today"}}`)},
	{Status: 401},
	{Status: 403},
	{Status: 408},
	{Status: 429, Header: map[string][]string{"Retry-After": {"1"}}},
	{Status: 500},
	{Status: 500, Commit: true},
	{Status: 503, Header: map[string][]string{"Retry-After": {"2"}}},
	{Status: 504, Commit: true},
}

// Disorder returns choose, a Server.FaultFor with a random fault for one in so many requests, and end, after which it
// has none. Both are safe for concurrent use.
func Disorder(seed uint64, oneIn int) (choose func(mockserver.Request) *mockserver.Fault, end func()) {
	var mu sync.Mutex
	var ended atomic.Bool
	random := rand.New(rand.NewPCG(seed, 3))

	return func(mockserver.Request) *mockserver.Fault {
		mu.Lock()
		defer mu.Unlock()
		if ended.Load() || random.IntN(oneIn) > 0 {
			return nil
		}
		return new(disorders[random.IntN(len(disorders))])
	}, func() { ended.Store(true) }
}
