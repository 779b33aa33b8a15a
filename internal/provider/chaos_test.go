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
	// disturbedApplies is how many applies are disturbed at most.
	disturbedApplies = 6
	// calmApplies is how many applies without a disturbance have to be enough.
	calmApplies = 5

	batchRows  = 40
	exportFile = "analytics_export_file"
	eventDay   = "2026-02-01"
	dayEvents  = 10_000
)

// impatience are settings with which outcomes remain unknown that the provider would find
// out about otherwise.
var impatience = prototest.Attributes{"max_retries": 1, "request_timeout": "2s"}

// way is the way from the provider to the service.
type way struct {
	toxiproxy toxiproxy
	front     *caddy               // nil: there is none
	config    prototest.Attributes // of a provider that takes this way
}

// open starts the proxies, undisturbed.
func (s scenario) open(t *testing.T, service *mocktest.Instance) way {
	t.Helper()
	w := way{toxiproxy: startToxiproxy(t, strings.TrimPrefix(service.URL, "http://")), config: prototest.Config(service)}
	w.config["base_url"] = "http://" + w.toxiproxy.address
	if s.caddy != "" {
		w.front = startCaddy(t, fmt.Sprintf(s.caddy, w.toxiproxy.address))
		w.config["base_url"], w.config["ca_cert_file"] = "https://"+w.front.address, w.front.authority()
	}

	return w
}

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
				service := mocktest.Start(t, mocktest.AnswerData(`{"profile":{"plan":"gold"}}`), func(s *mockserver.Server) {
					s.FulfilmentDelay, s.ExportRecords = 300*time.Millisecond, dayEvents
				})
				service.AllowViolations() // half a request is one
				c := &course{t: t, service: service, scenario: s, way: s.open(t, service), day: filepath.Join(t.TempDir(), "day.ndjson")}
				c.configure()
				c.run()
				c.check()

				unknown := 0
				for _, o := range c.people {
					unknown += o.unknown
				}
				if !t.Failed() {
					t.Logf("%s keeps every promise: %d applies, %d of them with errors, %d outcomes unknown, %d requests", t.Name(), c.applies, c.failed, unknown, len(service.Requests()))
				}
			})
		}
	}
}

// course is a series of applies over a way.
type course struct {
	scenario
	way

	t       *testing.T
	service *mocktest.Instance
	day     string      // the path of the exported day
	people  []*instance // each about one person
	all     []*instance // and the batch and the export

	applies, failed int
	messages        strings.Builder
}

// configure makes objects of every resource.
func (c *course) configure() {
	c.t.Helper()
	folder := c.t.TempDir()
	for i, resource := range []string{
		consentName, consentName, consentName, profileName, profileName,
		deletionName, deletionName, dataAccessName, dataAccessName,
	} {
		o := newInstance(resource, fmt.Sprintf("canary-person-%d@example.com", i), folder)
		switch resource {
		case consentName:
			o.config["agreement_time"] = agreedAt
		case deletionName:
			c.service.PutProfile(demoScope, o.person, `{"plan":"gold"}`)
		}
		c.people = append(c.people, o)
	}

	rows := "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time\n"
	for i := range batchRows {
		rows += rowPerson(i) + ",true,true,true,true,true," + agreedAt + "\n"
	}
	source := filepath.Join(folder, "rows.csv")
	if err := os.WriteFile(source, []byte(rows), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.all = append(slices.Clone(c.people),
		&instance{resource: "analytics_consent_batch", config: prototest.Attributes{"source": source}},
		&instance{resource: exportFile, config: prototest.Attributes{"utc_date": eventDay, "path": c.day}},
	)
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
	for range disturbedApplies {
		c.apply(impatience)
		if !slices.ContainsFunc(c.all, func(o *instance) bool { return !o.isSettled() }) {
			break
		}
	}

	c.toxiproxy.post(c.t, "/reset", nil)
	open := openIn(prototest.MustStart(c.t, c.config), c.all)
	for range calmApplies {
		if open == "" {
			return
		}
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
		if c.restarts {
			c.front.stop()
			c.front.start(c.t)
		}
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
	undisturbed, _ := p.MustCreate(exportFile, prototest.Attributes{"utc_date": eventDay, "path": filepath.Join(c.t.TempDir(), "day")})
	file, err := os.ReadFile(c.day)
	if sum := fmt.Sprintf("%x", sha256.Sum256(file)); sum != undisturbed.Attributes["sha256"] {
		c.t.Errorf("%d bytes are exported with the sum %s (%v), want %v", len(file), sum, err, undisturbed.Attributes["sha256"])
	}
	prototest.WantAlone(c.t, c.day)
}
