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
		c.apply(c.t.Context(), false)
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
