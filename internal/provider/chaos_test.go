// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package provider_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

const (
	disturbedApplies = 6 // how many applies are disturbed at most
	calmApplies      = 5 // how many applies without a disturbance have to be enough
	batchRows        = 40
	exportFile       = "analytics_export_file"
	eventDay         = "2026-02-01"
)

// TestChaos_nothingIsLostRepeatedOrOverwritten applies objects of every kind through each of
// the ways until the state has them all, while a person chooses. Then the service has
// accepted each request once, every person has what they chose or else what is configured,
// the exported day is whole, and no message has named anybody.
func TestChaos_nothingIsLostRepeatedOrOverwritten(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios {
		for i := range soak.Schedules(3, 30) {
			t.Run(fmt.Sprintf("%s, %d", s.name, i+1), func(t *testing.T) {
				t.Parallel()
				c := newChaos(t, s)
				c.run(s)
				c.check()

				unknown := 0
				for _, o := range c.people {
					unknown += o.unknown
				}
				if !t.Failed() {
					t.Logf("%s keeps every promise: %d applies, %d of them with errors, %d outcomes unknown, %d requests", t.Name(), c.applies, c.failed, unknown, len(c.service.Requests()))
				}
			})
		}
	}
}

// chaos is a course through a scenario.
type chaos struct {
	course

	toxiproxy toxiproxy
	front     *caddy      // nil: there is none
	day       string      // the path of the exported day
	people    []*instance // the objects that are about one person each
}

// newChaos starts a service with objects of every resource, and the proxies before it, undisturbed.
func newChaos(t *testing.T, s scenario) *chaos {
	t.Helper()
	folder := t.TempDir()
	service := mocktest.Start(t, mocktest.AnswerData(`{"profile":{"plan":"gold"}}`), func(s *mockserver.Server) {
		s.FulfilmentDelay, s.ExportRecords = 300*time.Millisecond, 10_000
	})
	service.AllowViolations() // half a request is one
	c := &chaos{course: course{t: t, service: service, config: prototest.Config(service)}, day: filepath.Join(folder, "lake", "day.ndjson")}
	c.toxiproxy = startToxiproxy(t, strings.TrimPrefix(service.URL, "http://"))
	c.config["base_url"] = "http://" + c.toxiproxy.address
	if s.caddy != "" {
		c.front = startCaddy(t, fmt.Sprintf(s.caddy, c.toxiproxy.address))
		c.config["base_url"], c.config["ca_cert_file"] = "https://"+c.front.address, c.front.authority()
	}

	for i, resource := range []string{consentName, consentName, consentName, profileName, profileName, deletionName, deletionName, dataAccessName, dataAccessName} {
		c.people = append(c.people, newInstance(resource, fmt.Sprintf("canary-person-%d@example.com", i), folder))
		if resource == deletionName {
			service.PutProfile(demoScope, c.people[i].person, `{"plan":"gold"}`)
		}
	}

	rows := strings.TrimSpace(header) + ",agreement_time\n"
	for i := range batchRows {
		rows += rowPerson(i) + ",true,true,true,true,true," + agreedAt + "\n"
	}
	source := filepath.Join(folder, "rows.csv")
	if err := os.WriteFile(source, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	c.objects = append(slices.Clone(c.people),
		&instance{resource: "analytics_consent_batch", config: prototest.Attributes{"source": source}},
		&instance{resource: exportFile, config: prototest.Attributes{"utc_date": eventDay, "path": c.day, "create_directories": true}},
	)

	return c
}

// rowPerson returns the identity of a person in the batch.
func rowPerson(i int) string { return fmt.Sprintf("canary-row-%d@example.com", i) }

// run applies until everything is in state, first over a disturbed way, on which outcomes remain unknown, and then over
// one that passes everything on. Toxics meet connections that are opened from then on. During the first apply a person
// chooses, and Caddy restarts where the scenario wants that.
func (c *chaos) run(s scenario) {
	c.t.Helper()
	for _, toxic := range s.toxics {
		c.toxiproxy.post(c.t, "/proxies/service/toxics", toxic)
	}

	patient := c.config
	c.config = patient.With(prototest.Attributes{"max_retries": 1, "request_timeout": "2s"})
	choose := c.people[0].choose(c.service)
	c.beside = func() {
		choose()
		if s.restarts {
			c.front.stop()
			c.front.start(c.t)
		}
	}

	for c.applies < disturbedApplies && slices.ContainsFunc(c.objects, func(o *instance) bool { return !o.isSettled() }) {
		c.apply(c.t.Context(), c.start(), false)
	}

	c.toxiproxy.post(c.t, "/reset", nil)
	c.config = patient
	c.wantSettled(calmApplies)
}

// check compares the service and the exported file with what was promised, and looks for credentials and
// persons in the messages.
func (c *chaos) check() {
	c.t.Helper()
	everybody := slices.Clone(c.people)
	for i := range batchRows {
		everybody = append(everybody, newInstance(consentName, rowPerson(i), ""))
	}
	wantKept(c.t, c.service, everybody)

	secrets := []string{c.service.Password, c.service.Email, c.service.SecretKey}
	for _, o := range everybody {
		secrets = append(secrets, o.person)
	}
	prototest.WantNoCanary(c.t, "a message", c.said.String(), secrets...)

	p := prototest.MustStart(c.t, prototest.Config(c.service))
	undisturbed, _ := p.MustUpdate(exportFile, nil, prototest.Attributes{"utc_date": eventDay, "path": filepath.Join(c.t.TempDir(), "day")})
	file, err := os.ReadFile(c.day)
	if sum := fmt.Sprintf("%x", sha256.Sum256(file)); sum != undisturbed.Attributes["sha256"] {
		c.t.Errorf("%d bytes are exported with the sum %s (%v), want %v", len(file), sum, err, undisturbed.Attributes["sha256"])
	}
	prototest.WantAlone(c.t, c.day)
}

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
