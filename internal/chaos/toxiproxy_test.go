// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package chaos

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"testing"
)

// toxic is a disturbance of connections, in the words of toxiproxy. It disturbs the share
// Toxicity of all connections.
type toxic struct {
	Type       string         `json:"type"`
	Stream     stream         `json:"stream"`
	Toxicity   float64        `json:"toxicity"`
	Attributes map[string]int `json:"attributes"`
}

// stream is the direction that a toxic disturbs.
type stream string

const (
	answers  stream = "downstream"
	requests stream = "upstream"
)

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
	start(t, "CHAOS_TOXIPROXY", "Starting Toxiproxy HTTP server", nil, "-host", "127.0.0.1", "-port", port)
	awaitConnection(t, func() (net.Conn, error) { return new(net.Dialer).DialContext(t.Context(), "tcp", "127.0.0.1:"+port) })
	p := &toxiproxy{t: t, api: "http://127.0.0.1:" + port}

	var created struct{ Listen string }
	p.call(http.MethodPost, "/proxies", map[string]any{"name": "service", "listen": "127.0.0.1:0", "upstream": upstream, "enabled": true}, &created)
	p.address = created.Listen

	return p
}

// disturb adds toxics. They meet connections that are opened from then on.
func (p *toxiproxy) disturb(toxics []toxic) {
	p.t.Helper()
	for _, toxic := range toxics {
		p.call(http.MethodPost, "/proxies/service/toxics", toxic, nil)
	}
}

// heal removes all toxics.
func (p *toxiproxy) heal() {
	p.t.Helper()
	p.call(http.MethodPost, "/reset", nil, nil)
}

// call calls the API.
func (p *toxiproxy) call(method, path string, body, result any) {
	p.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.api+path, bytes.NewReader(encoded))
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
	if result == nil {
		return
	}
	if err := json.Unmarshal(answer, result); err != nil {
		p.t.Fatal(err)
	}
}
