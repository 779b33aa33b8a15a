// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package chaos

import (
	"context"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// startLimit is how long a proxy may take until it listens.
const startLimit = 30 * time.Second

func TestMain(m *testing.M) { acctest.Main(m) }

// start runs the program that a variable of the environment names until the test ends, and
// returns when it has printed the words that say that it listens.
func start(t *testing.T, variable, words string, environment []string, args ...string) (stop func()) {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Fatalf("%s names no program; make chaos builds the proxies and runs these tests", variable)
	}

	ctx, end := context.WithCancel(context.WithoutCancel(t.Context())) // until the test's connections are closed
	program := terraformcli.CLI{Path: path, Dir: t.TempDir(), Env: environment}
	process, err := program.Start(ctx, args...)
	if err != nil {
		end()
		t.Fatal(err)
	}

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = process.Wait(ctx)
	}()
	stop = func() {
		end()
		<-ended
	}
	t.Cleanup(stop)

	select {
	case <-process.Printed(words):
	case <-ended:
		t.Fatalf("%s has ended:\n%s", variable, process.Output())
	case <-time.After(startLimit):
		t.Fatalf("%s does not listen:\n%s", variable, process.Output())
	}

	return stop
}

// awaitConnection waits until a program accepts connections, which it does some time after
// it has printed that it starts.
func awaitConnection(t *testing.T, dial func() (net.Conn, error)) {
	t.Helper()
	deadline := time.Now().Add(startLimit)

	conn, err := dial()
	for ; err != nil; conn, err = dial() {
		if time.Now().After(deadline) {
			t.Fatal(err)
		}

		<-time.After(10 * time.Millisecond)
	}

	_ = conn.Close()
}

// lastPort is the last port that freePort has tried. Systems choose ports above 32767 by
// themselves, so that nobody takes one of these between the look and the start of a proxy.
var lastPort atomic.Int32

func init() { lastPort.Store(20_000) }

// freePort returns a port on which nothing listens, another one for each call.
func freePort(t *testing.T) string {
	t.Helper()
	for range 1000 {
		port := strconv.Itoa(int(lastPort.Add(1)))
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:"+port)
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}

		return port
	}

	t.Fatal("no port is free")

	return ""
}
