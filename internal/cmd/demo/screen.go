package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// The colours of the screen, as ANSI sequences.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	plain  = "\x1b[0m"
)

// screen writes what a person reads: headings, commands, the lines of Terraform's
// output that matter, and one sentence on what a step shows.
type screen struct {
	out    io.Writer
	colour bool
}

func newScreen(out io.Writer, colour bool) *screen {
	return &screen{out: out, colour: colour}
}

// useColour reports whether out shows colours and they are not turned off
// (https://no-color.org).
func useColour(out io.Writer, getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && isTerminal(out)
}

// isTerminal reports whether out is a character device, which is enough to choose
// colours.
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (s *screen) paint(style, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return style + text + plain
}

// line writes to the screen. An error has no other place to go.
func (s *screen) line(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format+"\n", args...)
}

func (s *screen) title(text string) {
	s.line("%s\n", s.paint(bold, text))
}

// fact is one line of preparation.
func (s *screen) fact(format string, args ...any) {
	s.line("  %s", s.paint(dim, fmt.Sprintf(format, args...)))
}

func (s *screen) heading(number, of int, text string) {
	s.line("\n%s %s", s.paint(cyan, fmt.Sprintf("%d/%d", number, of)), s.paint(bold, text))
}

func (s *screen) command(text string) {
	s.line("    %s %s", s.paint(dim, "$"), text)
}

// say is a sentence of the demo's own, such as what an operator does by hand.
func (s *screen) say(format string, args ...any) {
	s.line("    %s", fmt.Sprintf(format, args...))
}

// excerpt shows lines of a program's output, set apart from the demo's own words.
func (s *screen) excerpt(lines []string) {
	for _, text := range lines {
		if text == "" {
			s.line("    %s", s.paint(dim, "|"))
			continue
		}
		s.line("    %s %s", s.paint(dim, "|"), s.paintDiff(text))
	}
}

// paintDiff gives a line of a plan the colour of its sign.
func (s *screen) paintDiff(text string) string {
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, "+ "):
		return s.paint(green, text)
	case strings.HasPrefix(trimmed, "~ "), strings.HasPrefix(trimmed, "Warning:"):
		return s.paint(yellow, text)
	case strings.HasPrefix(trimmed, "- "):
		return s.paint(red, text)
	}

	return text
}

// outcome closes a step: what it showed, how long it took and what it cost the service.
func (s *screen) outcome(meaning string, took time.Duration, requests string) {
	s.line("    %s %s", s.paint(green, "ok"), meaning)
	s.line("       %s", s.paint(dim, fmt.Sprintf("%s, the service received %s", seconds(took), requests)))
}

func (s *screen) failure(reason, transcript string) {
	s.line("\n%s %s", s.paint(red, "FAILED"), reason)
	if transcript != "" {
		s.line("\nTerraform printed:\n")
		s.excerpt(strings.Split(strings.TrimSpace(transcript), "\n"))
	}
}

func (s *screen) closing(took time.Duration, requests string) {
	s.line("\n%s in %s. The service received %s.", s.paint(bold, "All steps went as they should"), seconds(took), requests)
	s.line("Nothing is left behind. The configurations are in examples/quickstart, examples/data-rights, examples/nightly-export and examples/seeding, the documentation in docs/.")
}

func seconds(d time.Duration) string {
	return fmt.Sprintf("%.1f s", d.Seconds())
}
