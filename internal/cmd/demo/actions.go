package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// enter goes to the folder of a configuration, with these files of it.
func enter(configuration string, files ...string) action {
	return func(_ context.Context, d *demo) error {
		dir, err := d.stage.Example(configuration, files...)
		if err != nil {
			return err
		}
		if d.tf.Dir != "" {
			d.screen.command("cd " + filepath.Join("..", configuration))
		}

		d.tf = d.stage.Terraform.In(dir, d.service.Environment()...)

		return nil
	}
}

// missingError reports a step that the CLI cannot take.
type missingError struct{ needed string }

func (e *missingError) Error() string { return "this needs " + e.needed }

// needs returns a missingError where the CLI is older than this minor version of 1.
func needs(minor int) action {
	return func(_ context.Context, d *demo) error {
		if d.stage.Version.Before(minor) {
			return &missingError{fmt.Sprintf("version 1.%d of Terraform or OpenTofu", minor)}
		}
		return nil
	}
}

// needsTerraform is needs for what OpenTofu does not have.
func needsTerraform(minor int) action {
	return func(_ context.Context, d *demo) error {
		if v := d.stage.Version; v.Product != "Terraform" || v.Before(minor) {
			return &missingError{fmt.Sprintf("Terraform 1.%d", minor)}
		}
		return nil
	}
}

// terraform runs a command that has to succeed.
func terraform(args ...string) action {
	return func(ctx context.Context, d *demo) error { return d.command(ctx, 0, args...) }
}

// plan plans changes into a file.
func plan(name string, args ...string) action {
	args = append([]string{"plan", "-detailed-exitcode", "-out=" + planFile(name)}, args...)
	return func(ctx context.Context, d *demo) error { return d.command(ctx, terraformcli.PlanChanges, args...) }
}

// emptyPlan makes a plan that has to be empty. The exit status says whether it is, so
// that no text has to be trusted for it.
func emptyPlan(name string) action {
	return sequence(
		terraform("plan", "-detailed-exitcode", "-out="+planFile(name)),
		show(`^No changes\.`),
	)
}

// planOne plans one new object into a file.
func planOne(name string) action {
	return sequence(plan(name), show(`^Plan: 1 to add, 0 to change, 0 to destroy`))
}

// apply applies what was planned into a file.
func apply(name string) action {
	return sequence(terraform("apply", planFile(name)), show(`^Apply complete!`))
}

// destroy destroys all objects of the configuration.
var destroy = terraform("destroy", "-auto-approve")

func sequence(actions ...action) action {
	return func(ctx context.Context, d *demo) error {
		for _, act := range actions {
			if err := act(ctx, d); err != nil {
				return err
			}
		}
		return nil
	}
}

// add takes one more file of an example into the configuration and shows it.
func add(example, file string) action {
	return func(_ context.Context, d *demo) error {
		dir, err := d.stage.Example(example, file)
		if err != nil {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return err
		}

		d.screen.say("Added to the configuration, %s:", file)
		d.screen.excerpt(strings.Split(strings.TrimSpace(string(content)), "\n"))

		return os.WriteFile(filepath.Join(d.tf.Dir, file), content, 0o600)
	}
}

// say prints a sentence of the demo's own.
func say(text string) action {
	return func(_ context.Context, d *demo) error {
		d.screen.say("%s", text)
		return nil
	}
}

// show shows the lines of the last command's output that match patterns. Each pattern
// has to match one.
func show(patterns ...string) action {
	return func(_ context.Context, d *demo) error {
		for _, pattern := range patterns {
			if len(matching(d.last.Stdout, pattern)) == 0 {
				return fmt.Errorf("no line matches %s", pattern)
			}
		}
		d.screen.excerpt(matching(d.last.Stdout, patterns...))
		return nil
	}
}

// showBetween shows the lines from one that contains start to one that contains end.
func showBetween(start, end string) action {
	return func(_ context.Context, d *demo) error {
		lines := between(d.last.Stdout, start, end)
		if len(lines) == 0 || !strings.Contains(lines[len(lines)-1], end) {
			return fmt.Errorf("no lines from %q to %q", start, end)
		}
		d.screen.excerpt(lines)
		return nil
	}
}

// warned expects a warning about an object and shows the first sentences of it. An
// empty address stands for a warning that names no object.
func warned(about string, sentences int) action {
	return func(_ context.Context, d *demo) error {
		for _, w := range warnings(d.last.Stdout) {
			if w.about == about {
				d.screen.excerpt(w.lines(sentences))
				return nil
			}
		}
		return fmt.Errorf("there is no warning about %q", about)
	}
}

// received expects so many requests with a purpose in the step so far.
func received(want int, p purpose) action {
	return func(_ context.Context, d *demo) error {
		if got := len(withPurpose(d.requests, p)); got != want {
			return fmt.Errorf("the service should have received %s, and received %s", plural(want, string(p)), count(d.requests))
		}
		return nil
	}
}

// accepted expects so many requests with a purpose that the service has queued.
func accepted(want int, p purpose) action {
	return func(_ context.Context, d *demo) error {
		got := 0
		for _, e := range withPurpose(d.requests, p) {
			if e.Status == http.StatusAccepted {
				got++
			}
		}
		if got != want {
			return fmt.Errorf("the service should have queued %s, and queued %d", plural(want, string(p)), got)
		}

		return nil
	}
}

// sent expects the names of all fields in the last request with a purpose.
func sent(p purpose, want ...string) action {
	return func(_ context.Context, d *demo) error {
		requests := withPurpose(d.requests, p)
		if got := requests[len(requests)-1].Fields; !slices.Equal(got, want) {
			return fmt.Errorf("the fields %v should be sent, and %v were", want, got)
		}
		return nil
	}
}

// expectNotStored fails where the stored state contains text.
func expectNotStored(text string) action {
	return func(_ context.Context, d *demo) error {
		stored, err := d.stateFile()
		if err == nil && strings.Contains(stored, text) {
			err = fmt.Errorf("the state contains %q", text)
		}
		return err
	}
}

// showStateSize shows how large the stored state is.
func showStateSize(_ context.Context, d *demo) error {
	stored, err := d.stateFile()
	d.screen.say("Terraform's state has %d bytes, for all of them.", len(stored))
	return err
}

// expectNoOutput fails where the last command has printed anything.
func expectNoOutput(_ context.Context, d *demo) error {
	if strings.TrimSpace(d.last.Stdout) != "" {
		return errors.New("the command should print nothing")
	}
	return nil
}
