package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
)

// terraform runs a command on the screen, counts what it asks of the service, and
// fails where the exit status is not the wanted one.
func (d *demo) terraform(ctx context.Context, wantedExit int, args ...string) (stage.Result, error) {
	tf := d.tf
	line := tf.Name + " " + strings.Join(args, " ")
	d.screen.command(line)

	var res stage.Result
	requests, err := d.service.During(ctx, func() (err error) {
		res, err = tf.Run(ctx, args...)
		return err
	})
	if err != nil {
		return res, err
	}
	d.requests = append(d.requests, requests...)
	d.everything = append(d.everything, requests...)
	if d.service.Leaked(res.All()) {
		// The output is not shown: it holds what must not be seen.
		return res, &stage.UnexpectedError{Reason: line + " printed a credential"}
	}
	if res.Exit != wantedExit {
		return res, &stage.UnexpectedError{Reason: fmt.Sprintf("%s ended with status %d instead of %d", line, res.Exit, wantedExit), Transcript: res.All()}
	}
	return res, nil
}

// plan plans into a file and reads it. The exit status says whether the plan is
// empty, so that no text has to be trusted for it.
func (d *demo) plan(ctx context.Context, wantedExit int, name string, args ...string) (stage.Result, *plan, error) {
	res, err := d.terraform(ctx, wantedExit, append([]string{"plan", "-detailed-exitcode", "-out=" + planFile(name)}, args...)...)
	if err != nil {
		return res, nil, err
	}
	p, err := readPlan(ctx, d.tf, planFile(name))
	return res, p, err
}

// expectRequests fails unless exactly so many records were read and written in
// this step.
func (d *demo) expectRequests(what string, reads, writes int) error {
	if len(ofKind(d.requests, kindRead)) != reads {
		return fmt.Errorf("%s should read %s and made %s", what, plural(reads, "record"), count(d.requests))
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
	got, err := d.service.consent(ctx, person)
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
func (d *demo) expectWarning(res stage.Result, about string, sentences int) error {
	for _, w := range warnings(res.Stdout) {
		if w.about == about {
			d.screen.excerpt(w.lines(sentences))
			return nil
		}
	}
	return &stage.UnexpectedError{Reason: "there is no warning about " + about, Transcript: res.All()}
}
