package main

import (
	"context"
	"fmt"
	"strings"
)

// terraform runs a command on the screen, counts what it asks of the service, and
// fails where the exit status is not the wanted one.
func (d *demo) terraform(ctx context.Context, wantedExit int, args ...string) (result, error) {
	tf := d.stage.terraform
	line := tf.name + " " + strings.Join(args, " ")
	d.screen.command(line)

	var res result
	requests, err := d.stage.service.during(ctx, func() (err error) {
		res, err = tf.run(ctx, args...)
		return err
	})
	if err != nil {
		return res, err
	}
	d.requests = append(d.requests, requests...)
	d.everything = append(d.everything, requests...)
	if d.stage.service.leaked(res.all()) {
		// The output is not shown: it holds what must not be seen.
		return res, &unexpected{reason: line + " printed a credential"}
	}
	if res.exit != wantedExit {
		return res, &unexpected{fmt.Sprintf("%s ended with status %d instead of %d", line, res.exit, wantedExit), res.all()}
	}
	return res, nil
}

// plan plans into a file and reads it. The exit status says whether the plan is
// empty, so that no text has to be trusted for it.
func (d *demo) plan(ctx context.Context, wantedExit int, name string) (result, *plan, error) {
	res, err := d.terraform(ctx, wantedExit, "plan", "-detailed-exitcode", "-out="+planFile(name))
	if err != nil {
		return res, nil, err
	}
	p, err := d.stage.terraform.readPlan(ctx, planFile(name))
	return res, p, err
}

// expectRequests fails unless exactly so many consents were read and written in
// this step.
func (d *demo) expectRequests(what string, reads, writes int) error {
	got := 0
	for _, e := range d.requests {
		if e.kind() == kindRead {
			got++
		}
	}
	if got != reads {
		return fmt.Errorf("%s should read %s and made %s", what, plural(reads, "consent"), count(d.requests))
	}
	return d.expectWrites(what, writes)
}

func (d *demo) expectWrites(what string, wanted int) error {
	if got := writes(d.requests); got != wanted {
		return fmt.Errorf("%s should make %s and made %s", what, plural(wanted, "write"), count(d.requests))
	}
	return nil
}

// expectRecord compares a person's record at the service with the wanted one and
// shows it. Where the wanted record is silent on a field, the field is not compared.
func (d *demo) expectRecord(ctx context.Context, person string, wanted consent) error {
	got, err := d.stage.service.read(ctx, person)
	if err != nil {
		return err
	}
	d.screen.say("%-18s %s", person, got)
	if difference := wanted.difference(got); difference != "" {
		return fmt.Errorf("the service's record of %s is not as it should be: %s", person, difference)
	}
	return nil
}

// expectWarning fails unless there is a warning about the object, and shows the
// first sentences of it.
func (d *demo) expectWarning(res result, about string, sentences int) error {
	for _, w := range warnings(res.stdout) {
		if w.about == about {
			d.screen.excerpt(w.lines(sentences))
			return nil
		}
	}
	return &unexpected{"there is no warning about " + about, res.all()}
}
