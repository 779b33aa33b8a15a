// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package chaos

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest/objects"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/terraformcli"
)

func TestMain(m *testing.M) { acctest.Main(m) }

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

// way is the way from the provider to the service.
type way struct {
	scenario

	toxiproxy *toxiproxy
	front     *caddy // nil: there is none
}

// open starts the proxies, undisturbed.
func (s scenario) open(t *testing.T, service *mocktest.Instance) *way {
	t.Helper()
	w := &way{scenario: s, toxiproxy: startToxiproxy(t, strings.TrimPrefix(service.URL, "http://"))}
	if s.caddy != "" {
		w.front = startCaddy(t, fmt.Sprintf(s.caddy, w.toxiproxy.address))
	}
	return w
}

// impatience are settings with which outcomes remain unknown that the provider would find
// out about otherwise.
var impatience = prototest.Attributes{"max_retries": 1, "request_timeout": "2s"}

// config returns the configuration of a provider that takes this way.
func (w *way) config(service *mocktest.Instance) prototest.Attributes {
	config := prototest.Config(service).With(prototest.Attributes{"base_url": "http://" + w.toxiproxy.address})
	if w.front != nil {
		config["base_url"], config["ca_cert_file"] = w.front.address, w.front.authority()
	}
	return config
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
				service := startService(t)
				c := newCourse(t, service, s.open(t, service))
				c.run()

				var persons []string
				for _, o := range c.people {
					persons = append(persons, o.Person())
				}
				for i := range batchRows {
					persons = append(persons, rowPerson(i))
				}
				c.check(c.messages.String(), persons)

				unknown := 0
				for _, o := range c.people {
					unknown += o.Unknown
				}
				if !t.Failed() {
					t.Logf("%s keeps every promise: %d applies, %d of them with errors, %d outcomes unknown, %d requests", t.Name(), c.applies, c.failed, unknown, len(service.Requests()))
				}
			})
		}
	}
}

func startService(t *testing.T) *mocktest.Instance {
	t.Helper()
	service := mocktest.Start(t, func(s *mockserver.Server) {
		s.FulfilmentDelay, s.ExportRecords = 300*time.Millisecond, dayEvents
	})
	service.AllowViolations() // half a request is one
	return service
}

// course is a series of applies over a way.
type course struct {
	t       *testing.T
	service *mocktest.Instance
	way     *way
	day     string            // the path of the exported day
	people  []*objects.Object // each about one person
	all     []*objects.Object // and the batch and the export

	applies, failed int
	messages        strings.Builder
}

// newCourse has objects of every resource.
func newCourse(t *testing.T, service *mocktest.Instance, w *way) *course {
	t.Helper()
	folder := t.TempDir()
	c := &course{t: t, service: service, way: w, day: filepath.Join(t.TempDir(), "day.ndjson")}
	for i, resource := range []string{
		objects.Consent, objects.Consent, objects.Consent, objects.Profile, objects.Profile,
		objects.Deletion, objects.Deletion, objects.DataAccess, objects.DataAccess,
	} {
		o := objects.New(resource, fmt.Sprintf("canary-person-%d@example.com", i), folder)
		switch resource {
		case objects.Consent:
			o.Config["agreement_time"] = objects.AgreedAt
		case objects.Deletion:
			service.PutProfile(objects.Scope, o.Person(), `{"plan":"gold"}`)
		}
		c.people = append(c.people, o)
	}

	rows := "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time\n"
	for i := range batchRows {
		rows += rowPerson(i) + ",true,true,true,true,true," + objects.AgreedAt + "\n"
	}
	source := filepath.Join(folder, "rows.csv")
	if err := os.WriteFile(source, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	c.all = append(slices.Clone(c.people),
		&objects.Object{Resource: "analytics_consent_batch", Config: prototest.Attributes{"source": source}},
		&objects.Object{Resource: exportFile, Config: prototest.Attributes{"utc_date": eventDay, "path": c.day}},
	)

	return c
}

// rowPerson returns the identity of a person in the batch.
func rowPerson(i int) string { return fmt.Sprintf("canary-row-%d@example.com", i) }

// run applies until everything is in state, first over a disturbed way, and then over one
// that passes everything on.
func (c *course) run() {
	c.t.Helper()
	c.way.toxiproxy.disturb(c.way.toxics)
	for range disturbedApplies {
		c.apply(impatience)
		if !slices.ContainsFunc(c.all, func(o *objects.Object) bool { return !o.Settled() }) {
			break
		}
	}

	c.way.toxiproxy.heal()
	for range calmApplies {
		if c.open() == "" {
			return
		}
		c.apply(nil)
	}

	if open := c.open(); open != "" {
		c.t.Errorf("after %d applies over a way that works, %s", calmApplies, open)
	}
}

// apply applies all objects in a process of its own, with more settings for the provider.
// During the first apply a person chooses, and Caddy restarts where the scenario wants that.
func (c *course) apply(settings prototest.Attributes) {
	c.t.Helper()
	p := prototest.MustStart(c.t, c.way.config(c.service).With(settings))
	first := c.applies == 0
	c.applies++

	applied := make(chan prototest.Diagnostics)
	for _, o := range c.all {
		go func() { applied <- o.Apply(c.t.Context(), p) }()
	}
	if first {
		c.people[0].Chooses(c.service)()
		if c.way.restarts {
			c.way.front.restart()
		}
	}

	var diags prototest.Diagnostics
	for range c.all {
		diags = append(diags, <-applied...)
	}
	if len(diags.Errors()) > 0 {
		c.failed++
	}
	for _, text := range append(diags.Errors(), diags.Warnings()...) {
		_, _ = fmt.Fprintln(&c.messages, text)
	}
}

// open says what is still to be done; empty if nothing is.
func (c *course) open() string {
	c.t.Helper()
	return objects.Open(prototest.MustStart(c.t, c.way.config(c.service)), c.all)
}

// check compares the service and the exported file with what was promised, and looks in what was said
// for credentials and persons.
func (c *course) check(said string, persons []string) {
	c.t.Helper()
	kept := slices.Clone(c.people)
	for i := range batchRows {
		kept = append(kept, objects.New(objects.Consent, rowPerson(i), ""))
	}
	objects.WantKept(c.t, c.service, kept)

	undisturbed := &objects.Object{Resource: exportFile, Config: prototest.Attributes{"utc_date": eventDay, "path": filepath.Join(c.t.TempDir(), "day")}}
	p := prototest.MustStart(c.t, prototest.Config(c.service))
	p.NoErrors(undisturbed.Apply(c.t.Context(), p))
	file, err := os.ReadFile(c.day)
	if sum := fmt.Sprintf("%x", sha256.Sum256(file)); sum != undisturbed.State.Attributes["sha256"] {
		c.t.Errorf("%d bytes are exported with the sum %s (%v), want %v", len(file), sum, err, undisturbed.State.Attributes["sha256"])
	}
	prototest.WantAlone(c.t, c.day)

	prototest.WantNoCanary(c.t, "a message", said, append(persons, c.service.Password, c.service.Email, c.service.SecretKey)...)
}

// TestCLIChaos_terraformThroughCaddyAndToxiproxy applies the same objects with the real CLI through
// both proxies until an apply succeeds. Then the plan is empty, every promise is kept, and the
// connections have used HTTP/2 alone and compressed answers.
func TestCLIChaos_terraformThroughCaddyAndToxiproxy(t *testing.T) {
	t.Parallel()
	service := startService(t)
	c := newCourse(t, service, scenario{caddy: compressing}.open(t, service))
	environment := service.EnvironmentWithLogin()
	environment["ANALYTICS_BASE_URL"], environment["ANALYTICS_CA_CERT_FILE"] = c.way.front.address, c.way.front.authority()
	environment["ANALYTICS_MAX_RETRIES"], environment["ANALYTICS_REQUEST_TIMEOUT"] = "1", "2s"
	cli := clitest.New(t, "", environment)

	resources := map[string]map[string]any{}
	for i, o := range c.all {
		if resources[o.Resource] == nil {
			resources[o.Resource] = map[string]any{}
		}
		resources[o.Resource][fmt.Sprintf("of_%d", i)] = o.Config
	}
	text, err := json.Marshal(map[string]any{"resource": resources})
	if err == nil {
		err = os.WriteFile(filepath.Join(cli.Dir, "resources.tf.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}

	c.way.toxiproxy.disturb([]toxic{latency(20, 20), slicer(answers, 900), limit(answers, 0.8, 4000), reset(requests, 0.3, 300)})

	printed := ""
	for failed := true; failed && c.applies < disturbedApplies; c.applies++ {
		res := cli.Run("apply", "-auto-approve", "-no-color")
		printed += res.Output
		failed = res.Code != 0
	}

	c.way.toxiproxy.heal()
	printed += cli.MustRun("apply", "-auto-approve", "-no-color").Output
	if res := cli.Run("plan", "-detailed-exitcode", "-no-color"); res.Code != terraformcli.PlanEmpty {
		t.Errorf("the plan is not empty:\n%s", res.Output)
	}
	t.Logf("%d disturbed applies, %d requests", c.applies, len(service.Requests()))

	for _, o := range c.people {
		o.Unknown = strings.Count(printed, "Outcome unknown")
	}
	c.check(printed, []string{rowPerson(7)})

	compressed := 0
	for _, a := range c.way.front.received() {
		if a.Request.Proto != "HTTP/2.0" {
			t.Errorf("a request came over %s", a.Request.Proto)
		}
		if len(a.Answer["Content-Encoding"]) > 0 {
			compressed++
		}
	}
	if compressed == 0 {
		t.Error("no answer was compressed")
	}
}
