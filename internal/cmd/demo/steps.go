package main

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The people of examples/quickstart, and what happens to each.
const (
	drifting    = "user-1001"         // an operator's script changes this record
	withdrawing = "user-1002"         // on_destroy = "withdraw"
	choosing    = "ada@example.com"   // makes a new choice of her own
	existing    = "grace@example.com" // known to the service before Terraform is
)

// existingTF is what step 7 adds to the configuration.
//
//go:embed existing.tf
var existingTF []byte

// demo is one performance: the steps, and what they have to remember of each other.
type demo struct {
	stage  *stage
	screen *screen

	// requests are those that Terraform's provider has made in the current step,
	// everything those of all steps.
	requests   []logEntry
	everything []logEntry
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
		{"Destroy", "One consent was withdrawn, because its configuration says so. The others were only let go of.", d.destroy},
	}
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

func (d *demo) initialise(ctx context.Context) error {
	res, err := d.terraform(ctx, 0, "init")
	if err != nil {
		return err
	}
	lines := matching(res.stdout, `Installed terraform-analytics/analytics v`+demoVersion, `successfully initialized`)
	if len(lines) != 2 {
		return &unexpected{"init did not install the provider that was just built", res.all()}
	}
	d.screen.excerpt(lines)
	return d.expectRequests("init", 0, 0)
}

func (d *demo) planFirst(ctx context.Context) error {
	res, p, err := d.plan(ctx, planChanges, "create")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.stdout, `will be created$`, `^Plan:`))
	if d.configured, err = p.planned(); err != nil {
		return &unexpected{err.Error(), res.all()}
	}
	for _, person := range []string{drifting, withdrawing, choosing} {
		if _, ok := d.configured[person]; !ok {
			return &unexpected{"the plan does not create the consent of " + person, res.all()}
		}
	}
	wanted := []string{}
	for person := range d.configured {
		wanted = append(wanted, "create "+address(person))
	}
	if err := p.expect(wanted...); err != nil {
		return &unexpected{err.Error(), res.all()}
	}
	return d.expectWrites("a plan", 0)
}

func (d *demo) apply(ctx context.Context) error {
	res, err := d.terraform(ctx, 0, "apply", planFile("create"))
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.stdout, `^Apply complete!`, `^agreed_to_`))
	if err := d.expectWrites("the apply", len(d.configured)); err != nil {
		return err
	}
	for _, person := range slices.Sorted(maps.Keys(d.configured)) {
		if err := d.expectRecord(ctx, person, d.configured[person]); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) planEmpty(ctx context.Context) error {
	res, _, err := d.plan(ctx, planEmpty, "again")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.stdout, `^No changes\.`))
	return d.expectRequests("a plan of three people", len(d.configured), 0)
}

func (d *demo) drift(ctx context.Context) error {
	if err := d.changeBehind(ctx); err != nil {
		return err
	}
	res, p, err := d.plan(ctx, planChanges, "repair")
	if err != nil {
		return err
	}
	if err := p.expect("update " + address(drifting)); err != nil {
		return &unexpected{err.Error(), res.all()}
	}
	d.screen.excerpt(between(res.stdout, "# "+address(drifting)+" will be updated", "Plan:"))
	if err := d.expectWarning(res, address(choosing), 2); err != nil {
		return err
	}
	return d.expectWrites("a plan", 0)
}

// changeBehind does what two people do without Terraform: an operator's script
// flips a clause and leaves the time of agreement alone; a person chooses anew.
func (d *demo) changeBehind(ctx context.Context) error {
	flipped := d.configured[drifting]
	flipped.Clause2 = !flipped.Clause2
	d.screen.say("An operator's script sets clause 2 of %s to %t.", drifting, flipped.Clause2)
	if err := d.stage.service.write(ctx, drifting, flipped); err != nil {
		return err
	}
	before := d.configured[choosing]
	agreed, err := time.Parse(time.RFC3339, before.AgreementTime)
	if err != nil {
		return fmt.Errorf("%s has no agreement_time in examples/quickstart: %w", choosing, err)
	}
	byHerself := false
	d.chosen = before
	d.chosen.Clause4, d.chosen.Clause5 = !before.Clause4, !before.Clause5
	d.chosen.AgreementTime = agreed.Add(20 * 24 * time.Hour).Format(time.RFC3339)
	d.chosen.Manual = &byHerself
	d.screen.say("Twenty days after the agreement in the code, %s changes clauses 4 and 5 herself.", choosing)
	return d.stage.service.write(ctx, choosing, d.chosen)
}

func (d *demo) repair(ctx context.Context) error {
	res, err := d.terraform(ctx, 0, "apply", planFile("repair"))
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.stdout, `^Apply complete!`))
	if err := d.expectWrites("the repair", 1); err != nil {
		return err
	}
	if err := d.expectRecord(ctx, drifting, d.configured[drifting]); err != nil {
		return err
	}
	if err := d.expectRecord(ctx, choosing, d.chosen); err != nil {
		return err
	}
	res, _, err = d.plan(ctx, planEmpty, "repaired")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.stdout, `^No changes\.`))
	return d.expectWarning(res, address(choosing), 0)
}

func (d *demo) importExisting(ctx context.Context) error {
	d.screen.say("Added to the configuration:")
	d.screen.excerpt(strings.Split(strings.TrimSpace(string(existingTF)), "\n"))
	if err := os.WriteFile(filepath.Join(d.stage.terraform.dir, "existing.tf"), existingTF, 0o600); err != nil {
		return fmt.Errorf("the configuration could not be extended: %w", err)
	}
	res, p, err := d.plan(ctx, planChanges, "import")
	if err != nil {
		return err
	}
	if err := p.expect("import analytics_consent.grace"); err != nil {
		return &unexpected{err.Error(), res.all()}
	}
	d.screen.excerpt(matching(res.stdout, `will be imported`, `^Plan:`))
	res, err = d.terraform(ctx, 0, "apply", planFile("import"))
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.stdout, `^Apply complete!`))
	res, _, err = d.plan(ctx, planEmpty, "imported")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.stdout, `^No changes\.`))
	return d.expectWrites("the import", 0)
}

func (d *demo) destroy(ctx context.Context) error {
	before := map[string]consent{}
	for _, person := range []string{drifting, withdrawing, choosing, existing} {
		record, err := d.stage.service.read(ctx, person)
		if err != nil {
			return err
		}
		before[person] = record
	}
	res, err := d.terraform(ctx, 0, "destroy", "-auto-approve")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.stdout, `^Destroy complete!`))
	if len(warnings(res.stdout)) == 0 {
		return &unexpected{"the destroy does not warn of the consents that stay at the service", res.all()}
	}
	d.screen.excerpt(warnings(res.stdout)[0].lines(1))
	if err := d.expectWrites("the destroy", 1); err != nil {
		return err
	}
	d.screen.say("What the service holds now:")
	for _, person := range []string{drifting, withdrawing, choosing, existing} {
		wanted := before[person].clauses()
		if person == withdrawing {
			wanted = consent{}
		}
		if err := d.expectRecord(ctx, person, wanted); err != nil {
			return err
		}
	}
	left, err := d.terraform(ctx, 0, "state", "list")
	if err != nil {
		return err
	}
	if strings.TrimSpace(left.stdout) != "" {
		return &unexpected{"the state is not empty after destroy", left.all()}
	}
	d.screen.say("Terraform's state holds nobody any more.")
	return nil
}

func address(person string) string {
	return fmt.Sprintf("analytics_consent.person[%q]", person)
}

func planFile(name string) string { return name + ".tfplan" }
