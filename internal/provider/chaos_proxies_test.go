// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package provider_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// startLimit is how long a proxy may take until it accepts connections.
const startLimit = 30 * time.Second

// start runs the program that a variable of the environment names until the test ends, and
// returns when dial has connected to it.
func start(t *testing.T, variable string, dial func() (net.Conn, error), environment []string, args ...string) (stop func()) {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Fatalf("%s names no program; make chaos builds the proxies and runs these tests", variable)
	}

	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), path, args...) // until the test's connections are closed
	cmd.Dir, cmd.Env = t.TempDir(), environment
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
	}
	t.Cleanup(stop)

	limit := time.After(startLimit)
	conn, err := dial()
	for ; err != nil; conn, err = dial() {
		select {
		case <-ended:
			t.Fatalf("%s has ended:\n%s", variable, &output)
		case <-limit:
			t.Fatalf("%s accepts no connection: %v", variable, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	_ = conn.Close()

	return stop
}

// lastPort is the last port that freePort has tried. Systems choose ports above 32767 by
// themselves, so that nobody takes one of these between the look and the start of a proxy.
var lastPort atomic.Int32

// freePort returns a port on which nothing listens, another one for each call.
func freePort(t *testing.T) string {
	t.Helper()
	for range 1000 {
		port := strconv.Itoa(20_000 + int(lastPort.Add(1)))
		if l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}

	t.Fatal("no port is free")

	return ""
}

// toxiproxy is a running toxiproxy with one proxy.
type toxiproxy struct {
	t       *testing.T
	api     string
	address string // where the proxy listens
}

// startToxiproxy starts a toxiproxy that passes connections on to an address.
func startToxiproxy(t *testing.T, upstream string) *toxiproxy {
	t.Helper()
	port := freePort(t)
	dial := func() (net.Conn, error) { return new(net.Dialer).DialContext(t.Context(), "tcp", "127.0.0.1:"+port) }
	start(t, "CHAOS_TOXIPROXY", dial, nil, "-host", "127.0.0.1", "-port", port)

	p := &toxiproxy{t: t, api: "http://127.0.0.1:" + port}
	var created struct{ Listen string }
	answer := p.call("/proxies", map[string]any{"name": "service", "listen": "127.0.0.1:0", "upstream": upstream, "enabled": true})
	if err := json.Unmarshal(answer, &created); err != nil {
		t.Fatal(err)
	}
	p.address = created.Listen

	return p
}

// disturb adds toxics. They meet connections that are opened from then on.
func (p *toxiproxy) disturb(toxics []toxic) {
	p.t.Helper()
	for _, toxic := range toxics {
		p.call("/proxies/service/toxics", toxic)
	}
}

// heal removes all toxics.
func (p *toxiproxy) heal() {
	p.t.Helper()
	p.call("/reset", nil)
}

// call calls the API, and returns the body of the answer.
func (p *toxiproxy) call(path string, body any) []byte {
	p.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.api+path, bytes.NewReader(encoded))
	if err != nil {
		p.t.Fatal(err)
	}

	once := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: startLimit}
	resp, err := once.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()

	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= http.StatusMultipleChoices {
		p.t.Fatalf("toxiproxy answers %s: %s (%v)", resp.Status, answer, err)
	}

	return answer
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

https://127.0.0.1:%[2]s {
	tls internal
	log {
		output file %[1]s/access.log
	}
%[3]s
}
`

// caddy is a Caddy with one site.
type caddy struct {
	t       *testing.T
	folder  string
	address string // https://host:port
	stop    func()
}

// startCaddy starts a Caddy whose site has these directives.
func startCaddy(t *testing.T, directives string) *caddy {
	t.Helper()
	folder, port := t.TempDir(), freePort(t)
	c := &caddy{t: t, folder: folder, address: "https://127.0.0.1:" + port}
	if err := os.WriteFile(filepath.Join(folder, "Caddyfile"), fmt.Appendf(nil, caddyfile, folder, port, directives), 0o600); err != nil {
		t.Fatal(err)
	}
	c.start()

	return c
}

func (c *caddy) start() {
	c.t.Helper()
	trusting := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	dial := func() (net.Conn, error) { // Caddy issues its certificate while it listens already
		return trusting.DialContext(c.t.Context(), "tcp", strings.TrimPrefix(c.address, "https://"))
	}

	file := filepath.Join(c.folder, "Caddyfile")
	c.stop = start(c.t, "CHAOS_CADDY", dial, []string{"HOME=" + c.folder}, "run", "--config", file, "--adapter", "caddyfile")
}

// restart ends the process with its connections and starts another one.
func (c *caddy) restart() {
	c.t.Helper()
	c.stop()
	c.start()
}

// authority returns the path of the certificate to trust.
func (c *caddy) authority() string {
	return filepath.Join(c.folder, "pki", "authorities", "local", "root.crt")
}

// access is a line of Caddy's log of what it has received.
type access struct {
	Request struct {
		Method string
		URI    string
		Proto  string
	}
	Answer http.Header `json:"resp_headers"`
}

// received returns the log of what Caddy has received.
func (c *caddy) received() (list []access) {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.folder, "access.log"))
	if err != nil {
		c.t.Fatal(err)
	}

	for line := range bytes.Lines(text) {
		var a access
		if err := json.Unmarshal(line, &a); err != nil {
			c.t.Fatal(err)
		}
		list = append(list, a)
	}

	return list
}
