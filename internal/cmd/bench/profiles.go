// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
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
// service more looks at its pending list than one.
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

// appliedProfiles is one apply, as it was measured.
type appliedProfiles struct {
	cost
	traffic
}

// applyProfiles creates so many profiles at a service of their own.
func (b *bench) applyProfiles(ctx context.Context, n int) (appliedProfiles, error) {
	b.note("applying %s ...", counted(n, "profile"))
	var applied appliedProfiles
	service, err := b.stage.Start(ctx, "-fulfilment-delay", fulfilmentDelay.String())
	if err != nil {
		return applied, err
	}
	values, err := profileValues(n)
	if err != nil {
		return applied, err
	}

	files := map[string][]byte{"main.tf": profilesTF, "people.auto.tfvars.json": values}
	tf, err := b.initialize(ctx, fmt.Sprintf("profiles-%d", n), files, service.Environment())
	if err != nil {
		return applied, err
	}
	applied.cost, err = b.measured(ctx, tf, fmt.Sprintf("Resources: %d added, 0 changed, 0 destroyed", n),
		"apply", "-auto-approve", fmt.Sprintf("-parallelism=%d", parallelism))
	if err != nil {
		return applied, err
	}

	err = service.Stop()
	applied.traffic = trafficOf(service.Entries())

	return applied, err
}

// profileValues returns a value for var.people with so many people.
func profileValues(n int) ([]byte, error) {
	type profile struct {
		Plan  string `json:"plan"`
		Seats int    `json:"seats"`
	}
	people := map[string]profile{}
	for i := range n {
		people[fmt.Sprintf("user-%05d", i+1)] = profile{Plan: "gold", Seats: i}
	}

	return json.Marshal(map[string]any{"people": people})
}

// traffic is what the service received: looks at its pending list, and all others.
type traffic struct {
	polls, others int

	// waiting is the time from the first request that the service accepted into its
	// queue to the last request at all; waitingPolls are the looks in it.
	waiting      time.Duration
	waitingPolls int
}

func trafficOf(entries []stage.Entry) traffic {
	t := traffic{polls: pollsIn(entries)}
	t.others = len(entries) - t.polls

	first := slices.IndexFunc(entries, func(e stage.Entry) bool { return e.Status == http.StatusAccepted })
	if first >= 0 {
		t.waiting = entries[len(entries)-1].At.Sub(entries[first].At)
		t.waitingPolls = pollsIn(entries[first:])
	}

	return t
}

func pollsIn(entries []stage.Entry) int {
	n := 0
	for _, e := range entries {
		if e.Operation == "listPendingRequests" {
			n++
		}
	}
	return n
}

func (t traffic) pollsPerSecond() float64 {
	if t.waiting <= 0 {
		return unknown
	}
	return float64(t.waitingPolls) / t.waiting.Seconds()
}

// othersPer returns how many requests beside the looks there were for each of n
// objects.
func (t traffic) othersPer(n int) float64 { return float64(t.others) / float64(n) }
