// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

// genericPeople is how many people have a resource each.
const genericPeople = 500

// genericRounds is how often each kind is measured, all in turn.
const genericRounds = 2

// The configurations that keep the same records by generic providers.
var (
	//go:embed restful.tf
	restfulTF []byte
	//go:embed restapi.tf
	restapiTF []byte
)

// keeper is one way to keep a resource for each person, and what it took.
type keeper struct {
	seeder

	source, program string // empty for what needs no other provider

	apply, refresh cost
	written, read  int   // requests of the apply and of the refresh
	state          int64 // bytes
}

// generic measures generic REST providers beside analytics_consent.
func generic(ctx context.Context, b *bench) (fmt.Stringer, error) {
	keepers := []*keeper{{seeder: consentsSeeder}, {seeder: dataSeeder}}
	if b.restful != "" {
		keepers = append(keepers, &keeper{seeder: seeder{name: "restful_resource", config: restfulTF, single: true}, source: "magodo/restful", program: b.restful})
	}
	if b.restapi != "" {
		keepers = append(keepers, &keeper{seeder: seeder{name: "restapi_object", config: restapiTF, single: true}, source: "Mastercard/restapi", program: b.restapi})
	}

	for round := range genericRounds {
		for _, k := range keepers {
			b.note("%s people by %s, round %d of %d ...", thousands(genericPeople), k.name, round+1, genericRounds)
			if err := b.keep(ctx, k); err != nil {
				return nil, fmt.Errorf("%s: %w", k.name, err)
			}
		}
	}

	return genericGrid(keepers), nil
}

func genericGrid(keepers []*keeper) grid {
	g := grid{
		title: "The consent of " + thousands(genericPeople) + " people, by analytics_consent and by generic providers",
		head:  []string{"", "apply", "its CPU", "requests per person", "plan with refresh", "its CPU", "requests per person", "state per person"},
		remark: fmt.Sprintf("The best of %d rounds, all in turn, with -parallelism at its default of 10. CPU is that of Terraform and the provider; "+
			"terraform_data has no provider. analytics_consent reads before it writes, because a person may have chosen since; restful_resource reads what it has written.", genericRounds),
	}

	for _, k := range keepers {
		perPerson := func(requests int) string { return hundredths(float64(requests) / genericPeople) }
		g.rows = append(g.rows, []string{
			k.name, inSeconds(k.apply.wall.Seconds()), inSeconds(k.apply.cpu.Seconds()), perPerson(k.written),
			inSeconds(k.refresh.wall.Seconds()), inSeconds(k.refresh.cpu.Seconds()), perPerson(k.read),
			fmt.Sprintf("%d B", k.state/genericPeople),
		})
	}

	return g
}

// keep creates a resource for each person, at a service of their own, and refreshes them.
func (b *bench) keep(ctx context.Context, k *keeper) error {
	if k.program != "" {
		program, err := filepath.Abs(k.program)
		if err != nil {
			return err
		}
		if err := b.stage.Offer(k.source, program); err != nil {
			return err
		}
	}

	tf, service, err := b.seedingStage(ctx, seedingCase{seeder: k.seeder, people: genericPeople})
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tf.Dir) }()

	before := len(service.Entries())
	applied, err := b.measured(ctx, tf, "Apply complete!", "apply", "-auto-approve")
	if err != nil {
		return err
	}
	between := len(service.Entries())
	refreshed, err := b.measured(ctx, tf, "No changes.", "plan")
	if err != nil {
		return err
	}

	k.apply.take(applied)
	k.refresh.take(refreshed)
	k.state = stateSize(tf)
	k.written, k.read = between-before, len(service.Entries())-between

	return service.Stop()
}
