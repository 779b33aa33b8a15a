// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/bench/people"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

const (
	// slowSingles is how many people have a resource each at most at a service with
	// latency, which adds little to what Terraform takes.
	slowSingles = 1000

	// seedingParallelism is how many requests are under way at a time, in every way.
	seedingParallelism = 16

	// shortRounds is how often people are seeded in a batch at a service without latency:
	// on a busy machine a short apply varies more than its distance from the loop.
	shortRounds = 3
)

// The configurations that are compared: people in a batch, with a resource each, and
// with a resource each that has the same values and no provider behind it.
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
	local  bool // no provider behind it
}

var (
	batchSeeder    = seeder{name: "analytics_consent_batch", config: batchTF}
	consentsSeeder = seeder{name: "analytics_consent", config: consentsTF, single: true}
	dataSeeder     = seeder{name: "terraform_data", config: dataTF, single: true, local: true}
)

// seedingCase is one seeding that is measured.
type seedingCase struct {
	seeder  seeder
	people  int
	latency time.Duration
	round   int // from 0
}

// tooLong reports whether a case would take long and show nothing new.
func (c seedingCase) tooLong(singles int) bool {
	if c.latency > 0 && c.seeder.local {
		return true
	}
	if c.latency > 0 {
		singles = min(singles, slowSingles)
	}
	return c.seeder.single && c.people > singles
}

// rounds returns how often the case is measured.
func (c seedingCase) rounds() int {
	if c.seeder.single || c.latency > 0 {
		return 1
	}
	return shortRounds
}

func (b *bench) seedingCases() []seedingCase {
	var cases []seedingCase
	for _, latency := range b.latencies {
		for _, n := range b.sizes {
			for _, s := range []seeder{batchSeeder, consentsSeeder, dataSeeder} {
				cases = append(cases, seedingCase{seeder: s, people: n, latency: latency})
			}
		}
	}

	return slices.DeleteFunc(cases, func(c seedingCase) bool { return c.tooLong(b.singles) })
}

// seeded is one seeding, as it was measured.
type seeded struct {
	seedingCase

	plan, apply, empty cost
	loop               time.Duration  // of a plain loop with the requests of the apply
	traffic            map[string]int // requests of the apply, by operation
	state              int64          // bytes
}

// take keeps the shorter times and the higher peak.
func (s *seeded) take(other seeded) {
	if s.people == 0 {
		*s = other
		return
	}

	s.plan.take(other.plan)
	s.apply.take(other.apply)
	s.empty.take(other.empty)
	s.loop = min(s.loop, other.loop)
}

// seeding measures how the cost of seeding grows with the number of people.
func seeding(ctx context.Context, b *bench) (fmt.Stringer, error) {
	loop, err := b.stage.Program(ctx, "internal/cmd/bench/loop")
	if err != nil {
		return nil, err
	}

	var all []seeded
	for _, c := range b.seedingCases() {
		got, err := b.seedInRounds(ctx, c, loop)
		if err != nil {
			return nil, err
		}
		b.note("%s people as %s, latency %s: plan %s, apply %s",
			thousands(c.people), c.seeder.name, c.latency, inSeconds(got.plan.wall.Seconds()), inSeconds(got.apply.wall.Seconds()))
		all = append(all, got)
	}

	return seedingGrid(all), nil
}

func seedingGrid(all []seeded) grid {
	g := grid{
		title:  "Seeding consent",
		head:   []string{"people as", "people", "latency", "plan", "apply", "plan again", "loop", "apply to loop", "memory", "growth per row", "requests per person", "state"},
		remark: "The loop is a plain Go program with the requests of that apply, " + strconv.Itoa(seedingParallelism) + " at a time. Of a batch without latency these are the best of " + strconv.Itoa(shortRounds) + " rounds, each followed by its loop. Terraform plans once more when it applies, and the batch compares each time. Growth is that of the provider's peak from the smallest number of people on.",
	}

	smallest := map[string]seeded{}
	for _, s := range all {
		key := s.seeder.name + s.latency.String()
		if _, known := smallest[key]; !known {
			smallest[key] = s
		}
		g.rows = append(g.rows, s.cells(smallest[key]))
	}

	return g
}

// cells returns the row of a seeding; first is the one of the fewest people.
func (s seeded) cells(first seeded) []string {
	line := []string{
		s.seeder.name, thousands(s.people), s.latency.String(),
		inSeconds(s.plan.wall.Seconds()), inSeconds(s.apply.wall.Seconds()), inSeconds(s.empty.wall.Seconds()),
		"", "", "", "", "", fmt.Sprintf("%.1f kB", float64(s.state)/1e3),
	}
	if s.loop == 0 {
		return line
	}

	requests := 0
	for _, n := range s.traffic {
		requests += n
	}
	line[6], line[7] = inSeconds(s.loop.Seconds()), fmt.Sprintf("x %.2f", s.apply.wall.Seconds()/s.loop.Seconds())
	line[8], line[10] = shown(s.apply.memory, inMegabytes), fmt.Sprintf("%.2f", float64(requests)/float64(s.people))
	if first.people < s.people {
		growth := (s.apply.memory - first.apply.memory) / float64(s.people-first.people)
		line[9] = shown(growth, func(f float64) string { return fmt.Sprintf("%.0f B", f) })
	}

	return line
}

// seedInRounds seeds people as often as the case is measured, and keeps the best of each.
// loop is the program that each round is compared with.
func (b *bench) seedInRounds(ctx context.Context, c seedingCase, loop string) (best seeded, err error) {
	for c.round = range c.rounds() {
		got, err := b.seed(ctx, c, loop)
		if err != nil {
			return best, err
		}
		best.take(got)
	}

	return best, nil
}

// seed seeds people at a service of their own: plan, apply, and a plan that has to be
// empty.
func (b *bench) seed(ctx context.Context, c seedingCase, loop string) (seeded, error) {
	got := seeded{seedingCase: c}
	tf, service, err := b.seedingStage(ctx, c)
	if err != nil {
		return got, err
	}

	parallel := "-parallelism=" + strconv.Itoa(seedingParallelism)
	if got.plan, err = b.measured(ctx, tf, "to add", "plan", "-out=seed.tfplan", parallel); err != nil {
		return got, err
	}
	before := len(service.Entries())
	if got.apply, err = b.measured(ctx, tf, "Apply complete!", "apply", parallel, "seed.tfplan"); err != nil {
		return got, err
	}
	got.traffic = operations(service.Entries()[before:])
	if got.empty, err = b.measured(ctx, tf, "No changes.", "plan", parallel); err != nil {
		return got, err
	}
	got.state = stateSize(tf)

	if err := service.Stop(); err != nil || c.seeder.local {
		return got, err
	}
	got.loop, err = b.loop(ctx, got, loop)

	return got, err
}

// seedingStage starts a service and writes and initializes the configuration of a case.
func (b *bench) seedingStage(ctx context.Context, c seedingCase, flags ...string) (tf terraformcli.CLI, service *stage.Service, err error) {
	service, err = b.stage.Start(ctx, append([]string{"-latency", c.latency.String()}, flags...)...)
	if err != nil {
		return tf, nil, err
	}

	files := map[string][]byte{"main.tf": c.seeder.config}
	if c.seeder.single {
		files["people.auto.tfvars.json"], err = people.JSON(c.people)
	} else {
		files["people.csv"] = people.CSV(c.people)
	}
	if err != nil {
		return tf, nil, err
	}

	env := append(service.Environment(), "ANALYTICS_ORG_ID="+people.Org, "ANALYTICS_PROJECT_ID="+people.Project,
		"TF_VAR_base_url="+service.BaseURL(), "TF_VAR_secret_key="+service.Variable("ANALYTICS_API_SECRET_KEY")) // for generic providers
	tf, err = b.initialize(ctx, fmt.Sprintf("%s-%d-%s-%d", c.seeder.name, c.people, c.latency, c.round), files, env)

	return tf, service, err
}

// loop sends the requests of a seeding's apply without any provider, from a program of its
// own: what the service and the machine allow. Where the apply has read each person several
// times, so does the loop, each time all people, and it writes after the last.
func (b *bench) loop(ctx context.Context, s seeded, program string) (time.Duration, error) {
	service, err := b.stage.Start(ctx, "-latency", s.latency.String())
	if err != nil {
		return 0, err
	}

	loop := terraformcli.GroupCommand(ctx, program,
		"-people", strconv.Itoa(s.people),
		"-reads", strconv.Itoa(s.traffic["getConsent"]/s.people),
		"-write="+strconv.FormatBool(s.traffic["updateConsent"] > 0),
		"-parallelism", strconv.Itoa(seedingParallelism))
	loop.Env = service.Environment()
	began := time.Now()
	output, err := loop.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		err = fmt.Errorf("the loop did not succeed: %w\n%s", err, output)
	}

	return took, errors.Join(err, service.Stop())
}
