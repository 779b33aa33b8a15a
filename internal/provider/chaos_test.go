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

// impatience are settings with which outcomes remain unknown that the provider would find
// out about otherwise.
var impatience = prototest.Attributes{"max_retries": 1, "request_timeout": "2s"}

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
				c := newCourse(t, s)
				c.run()
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

// course is a series of applies through a scenario.
type course struct {
	scenario

	t         *testing.T
	service   *mocktest.Instance
	toxiproxy toxiproxy
	front     *caddy               // nil: there is none
	config    prototest.Attributes // of a provider that goes through both
	day       string               // the path of the exported day
	people    []*instance          // each about one person
	all       []*instance          // and the batch and the export

	applies, failed int
	messages        strings.Builder
}

// newCourse starts a service with objects of every resource, and the proxies before it, undisturbed.
func newCourse(t *testing.T, s scenario) *course {
	t.Helper()
	folder := t.TempDir()
	service := mocktest.Start(t, mocktest.AnswerData(`{"profile":{"plan":"gold"}}`), func(s *mockserver.Server) {
		s.FulfilmentDelay, s.ExportRecords = 300*time.Millisecond, 10_000
	})
	service.AllowViolations() // half a request is one
	c := &course{scenario: s, t: t, service: service, config: prototest.Config(service), day: filepath.Join(folder, "lake", "day.ndjson")}
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
	c.all = append(slices.Clone(c.people),
		&instance{resource: "analytics_consent_batch", config: prototest.Attributes{"source": source}},
		&instance{resource: exportFile, config: prototest.Attributes{"utc_date": eventDay, "path": c.day, "create_directories": true}},
	)

	return c
}

// rowPerson returns the identity of a person in the batch.
func rowPerson(i int) string { return fmt.Sprintf("canary-row-%d@example.com", i) }

// run applies until everything is in state, first over a disturbed way, and then over one
// that passes everything on. Toxics meet connections that are opened from then on.
func (c *course) run() {
	c.t.Helper()
	for _, toxic := range c.toxics {
		c.toxiproxy.post(c.t, "/proxies/service/toxics", toxic)
	}

	for c.applies < disturbedApplies && slices.ContainsFunc(c.all, func(o *instance) bool { return !o.isSettled() }) {
		c.apply(impatience)
	}

	c.toxiproxy.post(c.t, "/reset", nil)

	open := openIn(prototest.MustStart(c.t, c.config), c.all)
	for n := 0; open != "" && n < calmApplies; n++ {
		c.apply(nil)
		open = openIn(prototest.MustStart(c.t, c.config), c.all)
	}
	if open != "" {
		c.t.Errorf("after %d applies over a way that works, %s", calmApplies, open)
	}
}

// apply applies all objects in a process of its own, with more settings for the provider.
// During the first apply a person chooses, and Caddy restarts where the scenario wants that.
func (c *course) apply(settings prototest.Attributes) {
	c.t.Helper()
	p := prototest.MustStart(c.t, c.config.With(settings))
	applied := make(chan prototest.Diagnostics)
	for _, o := range c.all {
		go func() { applied <- o.apply(c.t.Context(), p, false) }()
	}
	if c.applies == 0 {
		c.people[0].choose(c.service)()
	}
	if c.applies == 0 && c.restarts {
		c.front.stop()
		c.front.start(c.t)
	}
	c.applies++

	var diags prototest.Diagnostics
	for range c.all {
		diags = append(diags, <-applied...)
	}
	c.failed += min(1, len(diags.Errors()))
	_, _ = fmt.Fprintln(&c.messages, diags.Errors(), diags.Warnings())
}

// check compares the service and the exported file with what was promised, and looks for credentials and
// persons in the messages.
func (c *course) check() {
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
	prototest.WantNoCanary(c.t, "a message", c.messages.String(), secrets...)

	p := prototest.MustStart(c.t, prototest.Config(c.service))
	undisturbed, _ := p.MustUpdate(exportFile, nil, prototest.Attributes{"utc_date": eventDay, "path": filepath.Join(c.t.TempDir(), "day")})
	file, err := os.ReadFile(c.day)
	if sum := fmt.Sprintf("%x", sha256.Sum256(file)); sum != undisturbed.Attributes["sha256"] {
		c.t.Errorf("%d bytes are exported with the sum %s (%v), want %v", len(file), sum, err, undisturbed.Attributes["sha256"])
	}
	prototest.WantAlone(c.t, c.day)
}
