package main

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// The people of the two configurations, and what happens to each.
const (
	drifting    = "user-1001"         // an operator's script changes this consent; later the person's data is deleted
	withdrawing = "user-1002"         // on_destroy = "withdraw"
	choosing    = "ada@example.com"   // makes a new choice of her own; later asks for a correction and for her data
	existing    = "grace@example.com" // known to the service before Terraform is
)

// The first two configurations, as folders of examples/.
const (
	quickstart = "quickstart"
	dataRights = "data-rights"
)

// fulfilmentDelay is how long the mock server takes for what it queues: long enough
// to be seen pending.
const fulfilmentDelay = 2 * time.Second

// seed is what the service knows before the demo begins.
//
//go:embed seed.json
var seed []byte

// demo is one performance: the steps, and what they have to remember of each other.
type demo struct {
	screen  *screen
	stage   *stage.Stage
	service service
	tf      *stage.Terraform // in the folder of the current configuration

	// requests are those that Terraform's provider has made in the current step,
	// everything those of all steps.
	requests   []stage.Entry
	everything []stage.Entry
	// configured is what the configuration says of each person, by identity.
	configured map[string]consent
	// chosen is what a person has chosen herself since.
	chosen consent
}

// step is one numbered part: what it does, and what a reader may take from it
// once it has gone as it should.
type step struct {
	title   string
	meaning string
	play    func(context.Context) error
}

func (d *demo) steps() []step {
	return []step{
		{"Init", "The provider was built here and comes from a folder; no registry was asked.", d.initialise},
		{"Plan: three people's consent as code", "A plan writes nothing.", d.planFirst},
		{"Apply", "One write for each person, and the service holds exactly what was planned.", d.apply},
		{"Plan again", "What was written is read back as it was written, so there is nothing to do.", d.planEmpty},
		{"Two changes behind Terraform's back", "The operator's change is drift and will be repaired. The person's later choice is hers: it stands.", d.drift},
		{"Apply: repair the drift, respect the choice", "One write. Code and service agree again, and nobody was overruled.", d.repair},
		{"Import a person whom the service knew before", "Taken over as she is, without a write.", d.importExisting},
		{"Another configuration: a person's profile is corrected", "Queued by the service and awaited. Only the configured members were sent, the others are as before.", d.correctProfile},
		{"The person asks for her data", "Asked for once, awaited, and written where only its owner can read it. State has the digest.", d.requestData},
		{"Another person asks to be deleted: plan", "What cannot be undone is said before it is done, and the plan sends nothing.", d.planDeletion},
		{"Apply, without waiting", "Accepted once by the service, and seen where it waits.", d.submitDeletion},
		{"Wait for the same deletion", "Nothing was sent again. The data is gone, and the consent is still there: deleting does not revoke it.", d.awaitDeletion},
		{"Another configuration: yesterday, in a plan", "What a plan can say of a day, while the day itself stays small in it.", d.readYesterday},
		{"Yesterday, in three files", "One request, one file for each kind, and one of them read back. State has digests and counts, and no record.", d.writeYesterday},
		{"A thousand people from one file", "One object, bounded requests, progress in the log, and nobody in state.", d.seedPeople},
		{"One row changes", "Everybody is compared, one row is written.", d.seedAgain},
		{"Destroy the first two", "One consent was withdrawn, because its configuration says so. Everything else was only let go of.", d.destroy},
	}
}

// prepare builds what is needed, starts the service and enters the quickstart.
func (d *demo) prepare(ctx context.Context, st *stage.Stage) error {
	d.stage = st
	d.screen.title("Consent as code: " + st.Terraform.Version + " and the analytics provider, against a mock of the service")

	began := time.Now()
	if err := st.Build(ctx); err != nil {
		return err
	}
	d.screen.fact("provider and mock server built in %s", seconds(time.Since(began)))

	known, err := st.Write("seed.json", seed)
	if err != nil {
		return err
	}
	started, err := st.Start(ctx, "-seed", known, "-fulfilment-delay", fulfilmentDelay.String(), "-export-records", strconv.Itoa(exportedEvents))
	if err != nil {
		return err
	}
	d.service = service{started}
	d.screen.fact("mock server listens on %s, on this machine only", d.service.BaseURL())
	return d.enter(quickstart, "main.tf")
}

// enter goes to the folder of a configuration, with these files of it.
func (d *demo) enter(configuration string, files ...string) error {
	dir, err := d.stage.Example(configuration, files...)
	if err != nil {
		return err
	}
	if d.tf != nil {
		d.screen.command("cd " + filepath.Join("..", configuration))
	}
	d.tf = d.stage.Terraform.In(dir, d.service.Environment()...)
	return nil
}

func (d *demo) run(ctx context.Context) error {
	steps := d.steps()
	for i, s := range steps {
		d.screen.heading(i+1, len(steps), s.title)
		d.requests = nil
		began := time.Now()
		if err := s.play(ctx); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		d.screen.outcome(s.meaning, time.Since(began), count(d.requests))
	}
	return nil
}

func planFile(name string) string { return name + ".tfplan" }
