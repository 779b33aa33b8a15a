// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package provider_test

// toxic is a disturbance of connections, in the words of toxiproxy. It disturbs the share
// Toxicity of all connections.
type toxic struct {
	Type       string         `json:"type"`
	Stream     string         `json:"stream"` // the direction
	Toxicity   float64        `json:"toxicity"`
	Attributes map[string]int `json:"attributes"`
}

const (
	answers  = "downstream"
	requests = "upstream"
)

// scenario is what lies between the provider and the service: toxiproxy with toxics, and in
// front of it a Caddy where it has directives.
type scenario struct {
	name   string
	toxics []toxic
	// caddy are the directives of Caddy's site; %s is the address that it passes requests
	// on to. Empty: the provider reaches toxiproxy itself.
	caddy string
	// restarts: Caddy is ended and started again during the first apply.
	restarts bool
}

func limit(direction string, toxicity float64, bytes int) toxic {
	return toxic{"limit_data", direction, toxicity, map[string]int{"bytes": bytes}}
}

func reset(direction string, toxicity float64, milliseconds int) toxic {
	return toxic{"reset_peer", direction, toxicity, map[string]int{"timeout": milliseconds}}
}

func timeout(direction string, toxicity float64) toxic {
	return toxic{"timeout", direction, toxicity, map[string]int{"timeout": 1500}}
}

func latency(milliseconds, jitter int) toxic {
	return toxic{"latency", answers, 1, map[string]int{"latency": milliseconds, "jitter": jitter}}
}

func slicer(direction string, size int) toxic {
	return toxic{"slicer", direction, 1, map[string]int{"average_size": size, "size_variation": size / 2, "delay": 10}}
}

const plain = "reverse_proxy %s" // of Caddy

var scenarios = []scenario{
	{name: "toxiproxy: latency and jitter", toxics: []toxic{latency(150, 140)}},
	{name: "toxiproxy: slicer", toxics: []toxic{slicer(answers, 700), slicer(requests, 20)}},
	{name: "toxiproxy: bandwidth", toxics: []toxic{{"bandwidth", answers, 1, map[string]int{"rate": 400}}}},
	{name: "toxiproxy: slow_close", toxics: []toxic{{"slow_close", answers, 1, map[string]int{"delay": 700}}}},
	{name: "toxiproxy: timeout of answers", toxics: []toxic{timeout(answers, 0.6)}},
	{name: "toxiproxy: timeout of requests", toxics: []toxic{timeout(requests, 0.6)}},
	{name: "toxiproxy: reset_peer of answers", toxics: []toxic{reset(answers, 0.9, 40)}},
	{name: "toxiproxy: reset_peer of requests", toxics: []toxic{reset(requests, 0.9, 40)}},
	{name: "toxiproxy: limit_data of answers", toxics: []toxic{limit(answers, 0.8, 1500)}},
	{name: "toxiproxy: limit_data of requests", toxics: []toxic{limit(requests, 0.8, 1500)}},
	{name: "toxiproxy: all of them", toxics: []toxic{latency(30, 30), slicer(answers, 700), timeout(answers, 0.1), reset(requests, 0.3, 200), limit(answers, 0.3, 2500), limit(requests, 0.2, 2500)}},

	{name: "Caddy: TLS, HTTP/2, zstd and gzip", caddy: "encode zstd gzip {\n minimum_length 1\n match header Content-Type *\n}\n" + plain, toxics: []toxic{slicer(answers, 900)}},
	{name: "Caddy: buffers", caddy: plain + " {\n request_buffers 64KiB\n response_buffers 16MiB\n}", toxics: []toxic{slicer(answers, 900)}},
	{name: "Caddy: no kept connections", caddy: plain + " {\n transport http {\n keepalive off\n }\n}", toxics: []toxic{limit(answers, 0.3, 300)}},
	{name: "Caddy: 502 after the service has answered", caddy: plain, toxics: []toxic{limit(answers, 0.7, 1500), reset(answers, 0.3, 40)}},
	{name: "Caddy: 504 before the service has answered", caddy: plain + " {\n transport http {\n response_header_timeout 300ms\n }\n}", toxics: []toxic{latency(200, 190)}},
	{name: "Caddy: pages in place of errors", caddy: plain + "\nhandle_errors {\n header Content-Type text/html\n respond \"<!doctype html><p>Sorry.</p>\" 502\n}", toxics: []toxic{limit(answers, 0.7, 1500)}},
	{name: "Caddy: restarts", caddy: plain, restarts: true},
}
