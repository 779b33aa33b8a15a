// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package chaos

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/markdown"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest/objects"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
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
	t.Cleanup(func() { writeSummary(t) })
	for _, s := range scenarios {
		for i := range soak.Schedules(3, 30) {
			t.Run(fmt.Sprintf("%s, %d", s.name, i+1), func(t *testing.T) {
				t.Parallel()
				service := startService(t)
				c := newCourse(t, service, s.open(t, service))
				c.run()
				c.check()
				c.report()
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
	folder  string
	day     string            // the path of the exported day
	people  []*objects.Object // each about one person
	all     []*objects.Object // and the batch and the export

	applies, failed int
	messages        strings.Builder
}

func newCourse(t *testing.T, service *mocktest.Instance, w *way) *course {
	t.Helper()
	c := &course{t: t, service: service, way: w, folder: t.TempDir(), day: filepath.Join(t.TempDir(), "day.ndjson")}
	c.people = c.newPeople()
	c.all = append(slices.Clone(c.people),
		&objects.Object{Resource: "analytics_consent_batch", Config: prototest.Attributes{"source": c.writeRows()}},
		&objects.Object{Resource: exportFile, Config: prototest.Attributes{"utc_date": eventDay, "path": c.day}},
	)

	return c
}

// newPeople returns objects of every resource that is about one person.
func (c *course) newPeople() (list []*objects.Object) {
	for i, resource := range []string{
		objects.Consent, objects.Consent, objects.Consent, objects.Profile, objects.Profile,
		objects.Deletion, objects.Deletion, objects.DataAccess, objects.DataAccess,
	} {
		o := objects.New(resource, fmt.Sprintf("canary-person-%d@example.com", i), c.folder)
		switch resource {
		case objects.Consent:
			o.Config["agreement_time"] = objects.AgreedAt
		case objects.Deletion:
			c.service.PutProfile(objects.Scope, o.Person(), `{"plan":"gold"}`)
		}
		list = append(list, o)
	}

	return list
}

// rowPerson returns the identity of a person in the batch.
func rowPerson(i int) string { return fmt.Sprintf("canary-row-%d@example.com", i) }

func (c *course) writeRows() (path string) {
	c.t.Helper()
	rows := "identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,agreement_time\n"
	for i := range batchRows {
		rows += rowPerson(i) + ",true,true,true,true,true," + objects.AgreedAt + "\n"
	}

	path = filepath.Join(c.folder, "rows.csv")
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		c.t.Fatal(err)
	}

	return path
}

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

// check compares the service, the exported file and the messages with what was promised.
func (c *course) check() {
	c.t.Helper()
	persons := slices.Clone(c.people)
	for i := range batchRows {
		persons = append(persons, objects.New(objects.Consent, rowPerson(i), ""))
	}
	objects.WantKept(c.t, c.service, persons)

	file, err := os.ReadFile(c.day)
	if err != nil {
		c.t.Fatal(err)
	}
	if got, want := sha256.Sum256(file), c.wholeDay(); hex.EncodeToString(got[:]) != want {
		c.t.Errorf("%d bytes are exported with the sum %x, want %s", len(file), got, want)
	}

	secrets := []string{c.service.Password, c.service.Email, c.service.SecretKey}
	for _, o := range persons {
		secrets = append(secrets, o.Person())
	}
	prototest.WantNoCanary(c.t, "a message", c.messages.String(), secrets...)
	prototest.WantAlone(c.t, c.day)
}

// wholeDay returns the SHA-256 of the day as it is exported without proxies.
func (c *course) wholeDay() string {
	c.t.Helper()
	p := prototest.MustStart(c.t, prototest.Config(c.service))
	o := &objects.Object{Resource: exportFile, Config: prototest.Attributes{"utc_date": eventDay, "path": filepath.Join(c.t.TempDir(), "day.ndjson")}}
	p.NoErrors(o.Apply(c.t.Context(), p))

	return fmt.Sprint(o.State.Attributes["sha256"])
}

// summary has, by the name of the way, how many courses kept every promise, their applies,
// those of them with errors, the outcomes that remained unknown, and the requests.
var summary = struct {
	sync.Mutex

	byName map[string][5]int
}{byName: map[string][5]int{}}

// report adds a course that kept every promise to the summary.
func (c *course) report() {
	if c.t.Failed() {
		return
	}
	unknown := 0
	for _, o := range c.people {
		unknown += o.Unknown
	}

	summary.Lock()
	defer summary.Unlock()
	sum := summary.byName[c.way.name]
	for i, n := range []int{1, c.applies, c.failed, unknown, len(c.service.Requests())} {
		sum[i] += n
	}
	summary.byName[c.way.name] = sum
}

// writeSummary writes the summary into the file that CHAOS_SUMMARY names.
func writeSummary(t *testing.T) {
	t.Helper()
	path := os.Getenv("CHAOS_SUMMARY")
	if path == "" {
		return
	}

	var lines [][]string
	for _, s := range scenarios {
		line := []string{s.name}
		for _, n := range summary.byName[s.name] {
			line = append(line, strconv.Itoa(n))
		}
		lines = append(lines, line)
	}

	head := []string{"on the way", "courses that kept every promise", "applies", "of them with errors", "outcomes unknown", "requests"}
	if err := os.WriteFile(path, []byte(markdown.Table(head, lines)), 0o600); err != nil {
		t.Error(err)
	}
}
