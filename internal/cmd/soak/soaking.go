package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// soaking is a run under way.
type soaking struct {
	*results

	only  *regexp.Regexp
	out   io.Writer
	tests tests
	since time.Time     // when this part of the run began
	prior time.Duration // of the parts before it
}

// begin notes when this part of the run begins.
func (s *soaking) begin() time.Time {
	s.since, s.prior = time.Now(), s.Elapsed
	_, _ = fmt.Fprintf(s.out, "Seed %d, for %s; %s holds the results", s.Seed, s.Duration, s.file)
	if s.prior > 0 {
		_, _ = fmt.Fprintf(s.out, ", and the run goes on after %s", s.prior.Round(time.Second))
	}
	_, _ = fmt.Fprintln(s.out)

	return s.since
}

// carryOut runs what is done once, and explores until the time is over.
func (s *soaking) carryOut(ctx context.Context, began time.Time) error {
	if err := s.tests.prepare(ctx, s.settings, filepath.Dir(s.file)); err != nil {
		return err
	}

	wanted := slices.DeleteFunc(slices.Clone(explorations), func(e exploration) bool { return !s.only.MatchString(e.title()) })
	for _, e := range wanted { // a round first, so that a short run has explored as well
		if s.step(e.title()).Runs > 0 {
			continue
		}
		if err := s.explore(ctx, e); err != nil {
			return err
		}
	}

	for _, o := range s.once() {
		if err := s.do(ctx, o); err != nil {
			return err
		}
	}

	for i := 0; len(wanted) > 0 && s.prior+time.Since(began) < s.Duration; i++ {
		if err := s.explore(ctx, wanted[i%len(wanted)]); err != nil {
			return err
		}
	}
	s.Done = true

	return s.keep()
}

// task is a step and how to run it.
type task struct {
	name  string
	group string // in the table; empty: a line of its own
	run   func(ctx context.Context, seed uint64) (step, error)
}

// do runs a task unless that was done before.
func (s *soaking) do(ctx context.Context, t task) error {
	if !s.only.MatchString(t.name) {
		return nil
	}

	s.step(t.name).Group = t.group
	if s.step(t.name).Once {
		return nil
	}

	if err := s.runOnce(ctx, t, s.Seed); err != nil {
		return err
	}
	s.step(t.name).Once = true

	return s.keep()
}

// explore runs a round of random schedules. Each round has seeds of its own.
func (s *soaking) explore(ctx context.Context, e exploration) error {
	t := task{name: e.title(), run: func(ctx context.Context, seed uint64) (step, error) { return s.tests.explore(ctx, e, seed) }}
	return s.runOnce(ctx, t, s.Seed+uint64(s.step(t.name).Runs*e.schedules)) //nolint:gosec // neither is negative
}

// runOnce runs a task, adds what it found, and prints it. A run that was interrupted found
// nothing.
func (s *soaking) runOnce(ctx context.Context, t task, seed uint64) error {
	began := time.Now()
	got, err := t.run(ctx, seed)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}

	got.Runs, got.Seconds = 1, time.Since(began).Seconds()
	s.step(t.name).add(got)
	s.tell(t.name, got)

	return s.keep()
}

// tell prints what a run of a task found, and how far everything is.
func (s *soaking) tell(name string, got step) {
	verdict := "nothing broken"
	if n := got.broken(); n > 0 {
		verdict = fmt.Sprintf("%d BROKEN", n)
	}

	elapsed := s.prior + time.Since(s.since)
	left := "the time is over"
	if rest := s.Duration - elapsed; rest > 0 {
		left = rest.Round(time.Second).String() + " left"
	}

	sum := s.total()
	s.say("%s of %s, %s: %s in %.0f s, %s; %s schedules and %s requests so far", elapsed.Round(time.Second), s.Duration, left,
		name, got.Seconds, verdict, thousands(sum.Figures["schedules"]), thousands(sum.Figures["requests"]))
	for _, f := range got.Failed {
		s.say("  %s failed: SOAK_SEED=%d, see %s", name, f.Seed, f.Output)
	}
}

func (s *soaking) say(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format+"\n", args...) }

// keep saves the results.
func (s *soaking) keep() error {
	s.Elapsed = s.prior + time.Since(s.since)
	return s.save()
}
