// Command demo shows the provider at work on a real Terraform: consent is seeded, read
// back, drifted, repaired, imported and withdrawn, a profile is corrected, a person's
// data handed out and deleted, a day exported, against the mock server in a process of
// its own. Each step checks what it says, and nothing is left behind: no file, no
// process, no trace in a person's Terraform settings.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// timeLimit ends a demo in which something hangs. It leaves room for the first
// build on a slow machine.
const timeLimit = 15 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Stdout)
	stop()
	os.Exit(code)
}

// run plays the demo on out and returns the exit status of the process.
func run(ctx context.Context, out *os.File) int {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()

	scr := newScreen(out, useColour(out, os.Getenv))
	err := play(ctx, scr)
	if err == nil {
		return 0
	}

	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		scr.failure("stopped before the end; everything that had been started is gone", "")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		scr.failure(fmt.Sprintf("Given up after %s: %v", timeLimit, err), "")
	default:
		scr.failure(err.Error(), terraformcli.TranscriptOf(err))
	}

	return 1
}

// play prepares the stage, runs the story on it and clears it again.
func play(ctx context.Context, scr *screen) (err error) {
	began := time.Now()
	st, err := stage.New(ctx, "analytics-demo-")
	if st != nil {
		defer func() { err = errors.Join(err, st.Clear()) }()
	}
	if err != nil {
		return err
	}

	d := &demo{screen: scr, stage: st}
	if err := d.prepare(ctx); err != nil {
		return err
	}
	if err := d.run(ctx); err != nil {
		return err
	}
	scr.closing(time.Since(began), count(d.everything))

	return nil
}

// demo is one performance of the story, with what its steps remember of each other.
type demo struct {
	screen  *screen
	stage   *stage.Stage
	service *stage.Service
	tf      terraformcli.CLI // in the folder of the current configuration

	// last is the result of the last command of the current step.
	last terraformcli.Result
	// requests are those of the current step's commands, everything those of all steps.
	requests   []stage.Entry
	everything []stage.Entry
}

// step is one numbered part of the story: what it does, and what a reader learns from
// it.
type step struct {
	title   string
	meaning string
	actions []action
}

// action is a command, a check, or a part of the story beside Terraform.
type action func(context.Context, *demo) error

// prepare builds what is needed, starts the service and enters the quickstart.
func (d *demo) prepare(ctx context.Context) error {
	d.screen.title("Consent as code: " + d.stage.Version.Line + " and the analytics provider, against a mock of the service")

	began := time.Now()
	if err := d.stage.Build(ctx); err != nil {
		return err
	}
	d.screen.fact("provider and mock server built in %s", seconds(time.Since(began)))

	known, err := d.stage.Write("seed.json", seed)
	if err != nil {
		return err
	}
	d.service, err = d.stage.Start(ctx, "-seed", known, "-fulfilment-delay", fulfilmentDelay.String(), "-export-records", strconv.Itoa(exportedEvents))
	if err != nil {
		return err
	}
	d.screen.fact("mock server listens on %s, on this machine only", d.service.BaseURL())

	return enter(quickstart, "main.tf")(ctx, d)
}

// run performs all steps.
func (d *demo) run(ctx context.Context) error {
	for i, s := range story {
		d.screen.heading(i+1, len(story), s.title)
		d.requests, d.last = nil, terraformcli.Result{}
		began := time.Now()

		err := sequence(s.actions...)(ctx, d)
		if _, missing := errors.AsType[*missingError](err); missing {
			d.screen.say("Skipped: %v.", err)
			continue
		}
		if err != nil {
			return &terraformcli.UnexpectedError{
				Reason:     fmt.Sprintf("step %d: %v", i+1, err),
				Transcript: cmp.Or(terraformcli.TranscriptOf(err), d.last.Output),
			}
		}

		d.screen.outcome(s.meaning, time.Since(began), count(d.requests))
	}

	return nil
}

// command runs Terraform on the screen, and collects what it asks of the service.
func (d *demo) command(ctx context.Context, wantCode int, args ...string) error {
	line := d.stage.Version.Name() + " " + strings.Join(args, " ")
	d.screen.command(line)

	var res terraformcli.Result
	requests, err := d.service.During(ctx, func() (err error) {
		res, err = d.tf.Run(ctx, args...)
		return err
	})
	if err != nil {
		return err
	}
	d.requests = append(d.requests, requests...)
	d.everything = append(d.everything, requests...)

	// An output with a credential must not become the transcript of a failure.
	if d.service.Leaked(res.Output) {
		return fmt.Errorf("%s printed a credential", line)
	}
	d.last = res

	if res.Code != wantCode {
		return fmt.Errorf("%s ended with status %d instead of %d", line, res.Code, wantCode)
	}

	return nil
}

// stateFile returns the state as it is stored.
func (d *demo) stateFile() (string, error) {
	content, err := os.ReadFile(filepath.Join(d.tf.Dir, "terraform.tfstate"))
	return string(content), err
}

func planFile(name string) string { return name + ".tfplan" }
