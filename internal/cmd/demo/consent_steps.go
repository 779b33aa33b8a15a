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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// existingTF is what the import adds to the configuration.
//
//go:embed existing.tf
var existingTF []byte

func (d *demo) initialise(ctx context.Context) error {
	res, err := d.terraform(ctx, 0, "init")
	if err != nil {
		return err
	}
	lines := matching(res.Stdout, `Installed terraform-analytics/analytics v`+stage.Version, `successfully initialized`)
	if len(lines) != 2 {
		return &stage.UnexpectedError{Reason: "init did not install the provider that was just built", Transcript: res.All()}
	}
	d.screen.excerpt(lines)
	return d.expectRequests("init", 0, 0)
}

func (d *demo) planFirst(ctx context.Context) error {
	res, p, err := d.plan(ctx, stage.PlanChanges, "create")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `will be created$`, `^Plan:`))
	if d.configured, err = p.planned(); err != nil {
		return &stage.UnexpectedError{Reason: err.Error(), Transcript: res.All()}
	}
	for _, person := range []string{drifting, withdrawing, choosing} {
		if _, ok := d.configured[person]; !ok {
			return &stage.UnexpectedError{Reason: "the plan does not create the consent of " + person, Transcript: res.All()}
		}
	}
	wanted := []string{}
	for person := range d.configured {
		wanted = append(wanted, "create "+address(person))
	}
	if err := p.expect(wanted...); err != nil {
		return &stage.UnexpectedError{Reason: err.Error(), Transcript: res.All()}
	}
	return d.expectWrites("a plan", 0)
}

func (d *demo) apply(ctx context.Context) error {
	res, err := d.terraform(ctx, 0, "apply", planFile("create"))
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^Apply complete!`, `^agreed_to_`))
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
	res, _, err := d.plan(ctx, stage.PlanEmpty, "again")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^No changes\.`))
	return d.expectRequests("a plan of three people", len(d.configured), 0)
}

func (d *demo) drift(ctx context.Context) error {
	if err := d.changeBehind(ctx); err != nil {
		return err
	}
	res, p, err := d.plan(ctx, stage.PlanChanges, "repair")
	if err != nil {
		return err
	}
	if err := p.expect("update " + address(drifting)); err != nil {
		return &stage.UnexpectedError{Reason: err.Error(), Transcript: res.All()}
	}
	d.screen.excerpt(between(res.Stdout, "# "+address(drifting)+" will be updated", "Plan:"))
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
	if err := d.service.writeConsent(ctx, drifting, flipped); err != nil {
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
	return d.service.writeConsent(ctx, choosing, d.chosen)
}

func (d *demo) repair(ctx context.Context) error {
	res, err := d.terraform(ctx, 0, "apply", planFile("repair"))
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^Apply complete!`))
	if err := d.expectWrites("the repair", 1); err != nil {
		return err
	}
	if err := d.expectRecord(ctx, drifting, d.configured[drifting]); err != nil {
		return err
	}
	if err := d.expectRecord(ctx, choosing, d.chosen); err != nil {
		return err
	}
	res, _, err = d.plan(ctx, stage.PlanEmpty, "repaired")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^No changes\.`))
	return d.expectWarning(res, address(choosing), 0)
}

func (d *demo) importExisting(ctx context.Context) error {
	d.screen.say("Added to the configuration:")
	d.screen.excerpt(strings.Split(strings.TrimSpace(string(existingTF)), "\n"))
	if err := os.WriteFile(filepath.Join(d.tf.Dir, "existing.tf"), existingTF, 0o600); err != nil {
		return fmt.Errorf("the configuration could not be extended: %w", err)
	}
	res, p, err := d.plan(ctx, stage.PlanChanges, "import")
	if err != nil {
		return err
	}
	if err := p.expect("import analytics_consent.grace"); err != nil {
		return &stage.UnexpectedError{Reason: err.Error(), Transcript: res.All()}
	}
	d.screen.excerpt(matching(res.Stdout, `will be imported`, `^Plan:`))
	res, err = d.terraform(ctx, 0, "apply", planFile("import"))
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^Apply complete!`))
	res, _, err = d.plan(ctx, stage.PlanEmpty, "imported")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^No changes\.`))
	return d.expectWrites("the import", 0)
}

func (d *demo) destroyConsents(ctx context.Context) error {
	before := map[string]consent{}
	for _, person := range []string{drifting, withdrawing, choosing, existing} {
		record, err := d.service.consent(ctx, person)
		if err != nil {
			return err
		}
		before[person] = record
	}
	res, err := d.terraform(ctx, 0, "destroy", "-auto-approve")
	if err != nil {
		return err
	}
	d.screen.excerpt(matching(res.Stdout, `^Destroy complete!`))
	if len(warnings(res.Stdout)) == 0 {
		return &stage.UnexpectedError{Reason: "the destroy does not warn of the consents that stay at the service", Transcript: res.All()}
	}
	d.screen.excerpt(warnings(res.Stdout)[0].lines(1))
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
	if strings.TrimSpace(left.Stdout) != "" {
		return &stage.UnexpectedError{Reason: "the state is not empty after destroy", Transcript: left.All()}
	}
	d.screen.say("Terraform's state holds nobody any more.")
	return nil
}

func address(person string) string {
	return fmt.Sprintf("analytics_consent.person[%q]", person)
}
