// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package provider_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// startLimit is how long a proxy may take until it accepts connections.
const startLimit = 30 * time.Second

// dialer opens a connection to a proxy.
type dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// start runs the program that a variable of the environment names until the test ends, and returns when
// with has connected to the address.
func start(t *testing.T, variable, address string, with dialer, args ...string) (stop func()) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Getenv(variable), args...) // until the test's connections are closed
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir}
	if err := cmd.Start(); err != nil {
		t.Fatalf("make chaos builds the proxies and runs these tests: %s: %v", variable, err)
	}
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}
	t.Cleanup(stop)

	began := time.Now()
	conn, err := with.DialContext(t.Context(), "tcp", address)
	for ; err != nil; conn, err = with.DialContext(t.Context(), "tcp", address) {
		if time.Since(began) > startLimit {
			t.Fatalf("%s accepts no connection: %v", variable, err)
		}
		<-time.After(10 * time.Millisecond)
	}
	_ = conn.Close()

	return stop
}

// lastPort is the last port that freeAddress has tried. Systems choose ports above 32767 by themselves, so
// that nobody takes one of these between the look and the start of a proxy.
var lastPort atomic.Int32

// freeAddress returns an address at which nothing listens, another one for each call.
func freeAddress(t *testing.T) string {
	t.Helper()

	for {
		address := fmt.Sprintf("127.0.0.1:%d", 20_000+lastPort.Add(1))
		if l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address); err == nil {
			_ = l.Close()
			return address
		}
	}
}

// toxiproxy is a running toxiproxy with one proxy.
type toxiproxy struct{ api, address string }

// startToxiproxy starts a toxiproxy that passes connections on to an address.
func startToxiproxy(t *testing.T, upstream string) toxiproxy {
	t.Helper()
	p := toxiproxy{api: freeAddress(t), address: freeAddress(t)}
	host, port, _ := net.SplitHostPort(p.api)
	start(t, "CHAOS_TOXIPROXY", p.api, new(net.Dialer), "-host", host, "-port", port)
	p.post(t, "/proxies", map[string]any{"name": "service", "listen": p.address, "upstream": upstream, "enabled": true})

	return p
}

// post calls the API.
func (p toxiproxy) post(t *testing.T, path string, body any) {
	t.Helper()
	encoded, _ := json.Marshal(body)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+p.api+path, bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}

	once := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: startLimit}
	resp, err := once.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("toxiproxy answers %s", resp.Status)
	}
}

// caddyfile is the configuration of a Caddy with one site. Its authority for TLS is its own.
const caddyfile = `{
	admin off
	persist_config off
	skip_install_trust
	auto_https disable_redirects
	default_bind 127.0.0.1
	grace_period 1s
	storage file_system %[1]s
}

https://%[2]s {
	tls internal
	%[3]s
}
`

// caddy is a Caddy with one site.
type caddy struct {
	folder, address string
	stop            func()
}

// startCaddy starts a Caddy whose site has these directives.
func startCaddy(t *testing.T, directives string) *caddy {
	t.Helper()
	c := &caddy{folder: t.TempDir(), address: freeAddress(t)}
	if err := os.WriteFile(filepath.Join(c.folder, "Caddyfile"), fmt.Appendf(nil, caddyfile, c.folder, c.address, directives), 0o600); err != nil {
		t.Fatal(err)
	}
	c.start(t)

	return c
}

// start starts the process. Caddy issues its certificate while it listens already.
func (c *caddy) start(t *testing.T) {
	t.Helper()
	trusting := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	c.stop = start(t, "CHAOS_CADDY", c.address, trusting, "run", "--config", filepath.Join(c.folder, "Caddyfile"), "--adapter", "caddyfile")
}

// authority returns the path of the certificate to trust.
func (c *caddy) authority() string {
	return filepath.Join(c.folder, "pki", "authorities", "local", "root.crt")
}
