// SPDX-License-Identifier: MPL-2.0

package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
)

const (
	org, project = "org-bench", "web"

	// slowSingles is how many people have a resource each at most at a service with
	// latency, which adds little to what Terraform takes.
	slowSingles = 1000

	// parallelism is how many requests are under way at a time, in every way.
	parallelism = 16

	// shortRounds is how often people are seeded in a batch at a service without latency:
	// on a busy machine a short apply varies more than its distance from curl.
	shortRounds = 3
)

// The configurations that are compared, which read their people from people.csv.
var (
	//go:embed batch.tf
	batchTF []byte
	//go:embed consents.tf
	consentsTF []byte
	//go:embed data.tf
	dataTF []byte
)

// seeder is one way to seed people.
type seeder struct {
	name   string
	config []byte
	single bool // a resource for each person
	slow   bool // measured at a service with latency too
}

// seeders are the ways to compare: people in a batch, with a resource each, and with a resource
// each that has the same values and no provider behind it.
var seeders = []seeder{
	{name: "analytics_consent_batch", config: batchTF, slow: true},
	{name: "analytics_consent", config: consentsTF, single: true, slow: true},
	{name: "terraform_data", config: dataTF, single: true},
}

// seedingCase is one seeding that is measured.
type seedingCase struct {
	seeder

	people  int
	latency time.Duration
}

// cases returns what is measured. It leaves out what would take long and show nothing new.
func (o options) cases() (list []seedingCase) {
	for _, latency := range o.latencies {
		for _, n := range o.sizes {
			for _, s := range seeders {
				most := o.singles
				if latency > 0 {
					most = min(most, slowSingles)
				}
				takesLong := s.single && n > most
				showsNothing := latency > 0 && !s.slow
				if takesLong || showsNothing {
					continue
				}
				list = append(list, seedingCase{seeder: s, people: n, latency: latency})
			}
		}
	}

	return list
}

// seeded is one seeding, as it was measured.
type seeded struct {
	seedingCase

	plan, apply, again cost
	curl               time.Duration  // for the requests of the apply
	sent, sentAgain    map[string]int // requests of the apply and of the plan after it, by operation
	state              int64          // bytes
}

// seeding measures how the cost of seeding grows with the number of people.
func seeding(ctx context.Context, b *bench) (grid, error) {
	var all []seeded
	for _, c := range b.cases() {
		rounds := 1
		if !c.single && c.latency == 0 {
			rounds = shortRounds
		}

		var best seeded
		for range rounds {
			got, err := b.seed(ctx, c)
			if err != nil {
				return grid{}, fmt.Errorf("%s: %w", c.name, err)
			}
			best.take(got)
		}
		b.note("%s people as %s, latency %s: plan %s, apply %s",
			humanize.Comma(int64(c.people)), c.name, c.latency, seconds(best.plan.wall), seconds(best.apply.wall))
		all = append(all, best)
	}

	return seedingGrid(all), nil
}

// take keeps the shorter times and the higher peaks.
func (s *seeded) take(other seeded) {
	if s.people == 0 {
		*s = other
		return
	}

	s.plan.take(other.plan)
	s.apply.take(other.apply)
	s.again.take(other.again)
	s.curl = min(s.curl, other.curl)
}

func seedingGrid(all []seeded) grid {
	g := grid{
		title: "Seeding consent",
		head: []string{
			"people as", "people", "latency", "plan", "apply", "its CPU", "plan again", "curl", "apply to curl",
			"memory", "growth per row", "requests per person", "of plan again", "state",
		},
		remark: "Curl sends the requests of that apply, " + strconv.Itoa(parallelism) + " at a time as Terraform does. CPU is that of Terraform and the provider; terraform_data has no provider. " +
			"Of a batch without latency these are the best of " + strconv.Itoa(shortRounds) + " rounds, each followed by its curl. Terraform plans once more when it applies, and the batch compares each time. " +
			"Memory is the provider's peak, which only Linux reports, and growth is that of the peak from the smallest number of people on.",
	}

	smallest := map[string]seeded{}
	for _, s := range all {
		key := s.name + s.latency.String()
		if _, known := smallest[key]; !known {
			smallest[key] = s
		}
		g.rows = append(g.rows, s.cells(smallest[key]))
	}

	return g
}

// cells returns the row of a seeding; first is the one of the fewest people.
func (s seeded) cells(first seeded) []string {
	perPerson := func(requests map[string]int) string {
		all := 0
		for _, n := range requests {
			all += n
		}
		return fmt.Sprintf("%.2f", float64(all)/float64(s.people))
	}

	var curl, times, growth string
	if s.curl > 0 {
		curl, times = seconds(s.curl), fmt.Sprintf("x %.2f", s.apply.wall.Seconds()/s.curl.Seconds())
	}
	if first.people < s.people {
		growth = bytesIn("B", 1, (s.apply.memory-first.apply.memory)/float64(s.people-first.people))
	}

	return []string{
		s.name, humanize.Comma(int64(s.people)), s.latency.String(),
		seconds(s.plan.wall), seconds(s.apply.wall), seconds(s.apply.cpu), seconds(s.again.wall), curl, times,
		bytesIn("MB", 1e6, s.apply.memory), growth, perPerson(s.sent), perPerson(s.sentAgain), fmt.Sprintf("%.1f kB", float64(s.state)/1e3),
	}
}

// seed seeds people at a service of their own: plan, apply, a plan that has to be empty, and
// curl.
func (b *bench) seed(ctx context.Context, c seedingCase) (got seeded, err error) {
	got.seedingCase = c
	s, err := b.serve(ctx, "-latency", c.latency.String())
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()

	env := append(s.variables(), "ANALYTICS_ORG_ID="+org, "ANALYTICS_PROJECT_ID="+project)
	tf, err := b.initialize(ctx, map[string][]byte{"main.tf": c.config, "people.csv": people(c.people)}, env)
	if err != nil {
		return got, err
	}

	// Each command, with the requests that the service received during it.
	step := func(words, command string, args ...string) (cost, map[string]int, error) {
		took, err := b.measured(ctx, tf, words, append([]string{command, "-parallelism=" + strconv.Itoa(parallelism)}, args...)...)
		if err != nil {
			return took, nil, err
		}
		requests, err := s.requests()
		return took, requests, err
	}
	if got.plan, _, err = step("to add", "plan", "-out=seed.tfplan"); err != nil {
		return got, err
	}
	if got.apply, got.sent, err = step("Apply complete!", "apply", "seed.tfplan"); err != nil {
		return got, err
	}
	if got.again, got.sentAgain, err = step("No changes.", "plan"); err != nil {
		return got, err
	}

	state, err := os.Stat(filepath.Join(tf.Dir, "terraform.tfstate"))
	if err != nil {
		return got, err
	}
	got.state = state.Size()
	got.curl, err = curlRequests(ctx, s, c.people, got.sent)

	return got, err
}

// curlRequests sends the requests of an apply with curl: what the service and the machine
// allow. Where the apply has read each person several times, so does curl, each time all
// people, and it writes after the last.
func curlRequests(ctx context.Context, s *service, people int, sent map[string]int) (took time.Duration, err error) {
	address := fmt.Sprintf("%s/v1/org/%s/project/%s/compliance/user/user-[000000-%06d]%%40example.com/consent?apiSecretToken=%s",
		s.environment["ANALYTICS_BASE_URL"], org, project, people-1, url.QueryEscape(s.environment["ANALYTICS_API_SECRET_KEY"]))
	write := []string{"--request", "PATCH", "--header", "Content-Type: application/json", "--data", consentBody}

	send := func(args ...string) error {
		usual := []string{"--disable", "--noproxy", "*", "--silent", "--show-error", "--parallel", "--parallel-max", strconv.Itoa(parallelism), "--output", os.DevNull, "--write-out", "%{http_code}\n"}
		began := time.Now()
		statuses, err := exec.CommandContext(ctx, "curl", append(append(usual, args...), address)...).Output()
		took += time.Since(began)
		if err != nil {
			return fmt.Errorf("curl: %w", err)
		}

		// The apply has written all of them, so that the service knows each one.
		if answered := bytes.Count(statuses, []byte("200\n")); answered != people {
			return fmt.Errorf("the mock server answered %d of curl's %d requests", answered, people)
		}

		return nil
	}

	for range sent["getConsent"] / people {
		if err := send(); err != nil {
			return took, err
		}
	}
	if sent["updateConsent"] > 0 {
		err = send(write...)
	}

	return took, err
}

// consentBody is a consent that curl writes for everybody.
const consentBody = `{"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":false,"clause_5_consent":false,"user_ipv6":"2001:db8::1","agreement_time":"2026-02-01T08:00:00Z"}`

// people returns a file with n people.
func people(n int) []byte {
	var b bytes.Buffer
	b.WriteString("identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,user_ipv6,agreement_time\n")
	for i := range n {
		at := time.Date(2026, 2, 1, 8, 0, i%86_400, 0, time.UTC)
		fmt.Fprintf(&b, "user-%06d@example.com,true,true,%t,%t,false,2001:db8::%x:%x,%s\n", i, i%2 == 0, i%3 == 0, i>>16, i&0xffff, at.Format(time.RFC3339))
	}
	return b.Bytes()
}
