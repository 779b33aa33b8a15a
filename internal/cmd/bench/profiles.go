package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// fulfilmentDelay is how long the service takes for an update once it is accepted.
const fulfilmentDelay = 5 * time.Second

// parallelism is how many objects Terraform works on at a time; the provider allows
// as many requests.
const parallelism = 100

// profilesTF is a configuration with one profile for each of var.people.
//
//go:embed profiles.tf
var profilesTF []byte

// profiles measures how profiles wait for their fulfilment: whether many cost the
// service more looks at its queue than one.
func profiles(ctx context.Context, b *bench) (fmt.Stringer, error) {
	one, err := b.applyProfiles(ctx, 1)
	if err != nil {
		return nil, err
	}
	many, err := b.applyProfiles(ctx, b.many)
	if err != nil {
		return nil, err
	}
	waves := (b.many + parallelism - 1) / parallelism
	return table{
		title: fmt.Sprintf("Profiles, each update fulfilled %s after it is accepted", fulfilmentDelay),
		one:   "1 profile", many: thousands(b.many) + " profiles",
		rows: []row{
			{"wall time of apply", one.wall.Seconds(), many.wall.Seconds(), inSeconds},
			{"looks at the pending list", float64(one.polls), float64(many.polls), whole},
			{"looks per second while waiting", one.pollsPerSecond(), many.pollsPerSecond(), hundredths},
			{"other requests per profile", one.othersPer(1), many.othersPer(b.many), hundredths},
			{"peak memory of the provider", one.memory, many.memory, inMegabytes},
		},
		remark: fmt.Sprintf("-parallelism=%d makes that %s of at least %s each.", parallelism, counted(waves, "wave"), fulfilmentDelay),
	}, nil
}

// applied is one apply, as it was measured.
type applied struct {
	traffic

	wall   time.Duration
	memory float64 // bytes; not a number where it cannot be found out
}

// applyProfiles creates so many profiles at a service of their own.
func (b *bench) applyProfiles(ctx context.Context, n int) (applied, error) {
	b.note("applying %s ...", counted(n, "profile"))
	service, err := b.stage.Start(ctx, "-fulfilment-delay", fulfilmentDelay.String())
	if err != nil {
		return applied{}, err
	}
	dir, err := b.writeProfiles(n)
	if err != nil {
		return applied{}, err
	}
	tf := b.stage.Terraform.In(dir, service.Environment()...)
	tf.Limit = timeLimit
	if err := expect(ctx, tf, "successfully initialized", "init"); err != nil {
		return applied{}, err
	}

	memory := b.watchMemory(ctx)
	began := time.Now()
	err = expect(ctx, tf, fmt.Sprintf("Resources: %d added, 0 changed, 0 destroyed", n),
		"apply", "-auto-approve", fmt.Sprintf("-parallelism=%d", parallelism))
	wall, peak := time.Since(began), memory.Stop()
	if err != nil {
		return applied{}, err
	}
	if err := service.Stop(); err != nil {
		return applied{}, err
	}
	return applied{traffic: trafficOf(service.Entries()), wall: wall, memory: peak}, nil
}

// writeProfiles writes a configuration with so many people.
func (b *bench) writeProfiles(n int) (dir string, err error) {
	type person struct {
		Plan  string `json:"plan"`
		Seats int    `json:"seats"`
	}
	people := map[string]person{}
	for i := range n {
		people[fmt.Sprintf("user-%05d", i+1)] = person{Plan: "gold", Seats: i}
	}
	values, err := json.Marshal(map[string]any{"people": people})
	if err != nil {
		return "", err
	}
	folder := fmt.Sprintf("profiles-%d", len(people))
	if _, err := b.stage.Write(filepath.Join(folder, "people.auto.tfvars.json"), values); err != nil {
		return "", err
	}
	file, err := b.stage.Write(filepath.Join(folder, "main.tf"), profilesTF)
	return filepath.Dir(file), err
}

// expect runs a command that has to succeed and to say so.
func expect(ctx context.Context, tf terraformcli.CLI, words string, args ...string) error {
	res, err := tf.Run(ctx, args...)
	if err != nil {
		return err
	}
	if res.Code != 0 || !strings.Contains(res.Stdout, words) {
		return &terraformcli.UnexpectedError{
			Reason:     fmt.Sprintf("%s %s ended with status %d, or without %q", filepath.Base(tf.Path), args[0], res.Code, words),
			Transcript: res.Output,
		}
	}
	return nil
}

var unknown = math.NaN()
