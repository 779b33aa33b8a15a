// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package chaos

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
	file := filepath.Join(c.folder, "Caddyfile")
	c.stop = start(c.t, "CHAOS_CADDY", "serving initial configuration", []string{"HOME=" + c.folder}, "run", "--config", file, "--adapter", "caddyfile")

	// Caddy issues its certificate while it listens already.
	trusting := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}
	awaitConnection(c.t, func() (net.Conn, error) {
		return trusting.DialContext(c.t.Context(), "tcp", strings.TrimPrefix(c.address, "https://"))
	})
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
	file, err := os.Open(filepath.Join(c.folder, "access.log"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer file.Close()

	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var a access
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			c.t.Fatal(err)
		}
		list = append(list, a)
	}
	if err := lines.Err(); err != nil {
		c.t.Fatal(err)
	}

	return list
}

// count returns how many requests Caddy has received with a method, for a path that ends
// like this.
func (c *caddy) count(method, end string) int {
	c.t.Helper()
	n := 0
	for _, a := range c.received() {
		if path, _, _ := strings.Cut(a.Request.URI, "?"); a.Request.Method == method && strings.HasSuffix(path, end) {
			n++
		}
	}
	return n
}
