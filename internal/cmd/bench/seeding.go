package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

const (
	// limitSlow is the same for a service with latency, which adds little to what
	// Terraform takes.
	limitSlow = 1000

	// seedingParallelism is how many requests are under way at a time, in every way.
	seedingParallelism = 16
)

var seedingLatencies = []time.Duration{0, 20 * time.Millisecond}

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

// seeded is one seeding, as it was measured.
type seeded struct {
	seeder  string
	people  int
	latency time.Duration

	plan, apply, empty time.Duration
	loop               time.Duration // a plain loop with the requests of the apply
	planMemory, memory float64       // of the provider, in bytes
	traffic            map[string]int
	state              int64 // bytes
}

// seeding measures how the cost of seeding grows with the number of people.
func seeding(ctx context.Context, b *bench) (fmt.Stringer, error) {
	var all []seeded
	for _, latency := range seedingLatencies {
		for _, n := range b.sizes {
			for _, s := range []seeder{batchSeeder, consentsSeeder, dataSeeder} {
				if s.single && n > b.singles || s.local && latency > 0 || s.single && latency > 0 && n > limitSlow {
					continue
				}
				got, err := b.seed(ctx, s, n, latency)
				if err != nil {
					return nil, err
				}
				b.note("%s people as %s, latency %s: plan %s, apply %s", thousands(n), s.name, latency, inSeconds(got.plan.Seconds()), inSeconds(got.apply.Seconds()))
				all = append(all, got)
			}
		}
	}
	return seedingGrid(all), nil
}

func seedingGrid(all []seeded) grid {
	g := grid{
		title:  "Seeding consent",
		head:   []string{"people as", "people", "latency", "plan", "apply", "plan again", "loop", "apply to loop", "memory", "growth per row", "requests per person", "state"},
		remark: "The loop is a plain Go program with the requests of that apply, " + strconv.Itoa(seedingParallelism) + " at a time. Terraform plans once more when it applies, and the batch compares each time. Growth is that of the provider's peak from the smallest number of people on.",
	}
	smallest := map[string]seeded{}
	for _, s := range all {
		key := s.seeder + s.latency.String()
		if _, known := smallest[key]; !known {
			smallest[key] = s
		}
		line := []string{s.seeder, thousands(s.people), s.latency.String(), inSeconds(s.plan.Seconds()), inSeconds(s.apply.Seconds()), inSeconds(s.empty.Seconds()), "", "", "", "", "", fmt.Sprintf("%.1f kB", float64(s.state)/1e3)}
		if s.loop > 0 {
			requests := 0
			for _, n := range s.traffic {
				requests += n
			}
			line[6], line[7] = inSeconds(s.loop.Seconds()), fmt.Sprintf("x %.2f", s.apply.Seconds()/s.loop.Seconds())
			line[8], line[10] = shown(s.memory, inMegabytes), fmt.Sprintf("%.2f", float64(requests)/float64(s.people))
			if first := smallest[key]; first.people < s.people {
				line[9] = shown((s.memory-first.memory)/float64(s.people-first.people), func(f float64) string { return fmt.Sprintf("%.0f B", f) })
			}
		}
		g.rows = append(g.rows, line)
	}
	return g
}

// seed seeds people at a service of their own: plan, apply, and a plan that has to be
// empty.
func (b *bench) seed(ctx context.Context, s seeder, n int, latency time.Duration) (got seeded, err error) {
	got = seeded{seeder: s.name, people: n, latency: latency}
	tf, service, err := b.seedingStage(ctx, s, n, latency)
	if err != nil {
		return got, err
	}
	if got.plan, got.planMemory, err = b.timed(ctx, tf, "to add", "plan", "-out=seed.tfplan", parallel()); err != nil {
		return got, err
	}
	before := len(service.Entries())
	if got.apply, got.memory, err = b.timed(ctx, tf, "Apply complete!", "apply", parallel(), "seed.tfplan"); err != nil {
		return got, err
	}
	requests := service.Entries()[before:]
	if got.empty, _, err = b.timed(ctx, tf, "No changes.", "plan", parallel()); err != nil {
		return got, err
	}
	if info, err := os.Stat(filepath.Join(tf.Dir, "terraform.tfstate")); err == nil {
		got.state = info.Size()
	}
	if err := service.Stop(); err != nil || s.local {
		return got, err
	}
	got.traffic = operations(requests)
	got.loop, err = b.loop(ctx, n, latency, got.traffic)
	return got, err
}

func parallel() string { return "-parallelism=" + strconv.Itoa(seedingParallelism) }

func (b *bench) seedingStage(ctx context.Context, s seeder, n int, latency time.Duration, flags ...string) (tf terraformcli.CLI, service *stage.Service, err error) {
	service, err = b.stage.Start(ctx, append([]string{"-latency", latency.String()}, flags...)...)
	if err != nil {
		return tf, nil, err
	}
	folder := fmt.Sprintf("%s-%d-%s", s.name, n, latency)
	name, people := "people.csv", peopleCSV
	if s.single {
		name, people = "people.auto.tfvars.json", peopleJSON
	}
	if _, err := b.stage.Write(filepath.Join(folder, name), people(n)); err != nil {
		return tf, nil, err
	}
	file, err := b.stage.Write(filepath.Join(folder, "main.tf"), s.config)
	if err != nil {
		return tf, nil, err
	}
	tf = b.stage.Terraform.In(filepath.Dir(file), append(service.Environment(), "ANALYTICS_ORG_ID=org-bench", "ANALYTICS_PROJECT_ID=web")...)
	tf.Limit = timeLimit
	return tf, service, expect(ctx, tf, "successfully initialized", "init")
}

// timed runs a command that has to succeed, and gives its time and the peak memory of
// the provider.
func (b *bench) timed(ctx context.Context, tf terraformcli.CLI, words string, args ...string) (time.Duration, float64, error) {
	memory := b.watchMemory(ctx)
	began := time.Now()
	err := expect(ctx, tf, words, args...)
	return time.Since(began), memory.Stop(), err
}

// person is who is seeded, number i.
type person struct {
	IdentityID    string `json:"identity_id,omitempty"`
	Clause1       bool   `json:"clause_1_consent"`
	Clause2       bool   `json:"clause_2_consent"`
	Clause3       bool   `json:"clause_3_consent"`
	Clause4       bool   `json:"clause_4_consent"`
	Clause5       bool   `json:"clause_5_consent"`
	UserIPv6      string `json:"user_ipv6"`
	AgreementTime string `json:"agreement_time"`
}

func personNumber(i int) person {
	return person{
		fmt.Sprintf("user-%06d@example.com", i), true, true, i%2 == 0, i%3 == 0, false,
		fmt.Sprintf("2001:db8::%x:%x", i>>16, i&0xffff), time.Date(2026, 2, 1, 8, 0, i%86_400, 0, time.UTC).Format(time.RFC3339),
	}
}

func peopleCSV(n int) []byte {
	var b bytes.Buffer
	b.WriteString("identity_id,clause_1_consent,clause_2_consent,clause_3_consent,clause_4_consent,clause_5_consent,user_ipv6,agreement_time\n")
	for i := range n {
		p := personNumber(i)
		fmt.Fprintf(&b, "%s,%t,%t,%t,%t,%t,%s,%s\n", p.IdentityID, p.Clause1, p.Clause2, p.Clause3, p.Clause4, p.Clause5, p.UserIPv6, p.AgreementTime)
	}
	return b.Bytes()
}

func peopleJSON(n int) []byte {
	people := map[string]person{}
	for i := range n {
		p := personNumber(i)
		people[p.IdentityID] = p
	}
	text, err := json.Marshal(map[string]any{"people": people})
	if err != nil {
		panic(err) // texts and booleans
	}
	return text
}
