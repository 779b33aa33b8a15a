package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
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

// matching returns the lines of output that match any of the patterns, without their
// indentation.
func matching(output string, patterns ...string) []string {
	wanted := regexp.MustCompile("(?m)^.*(" + strings.Join(patterns, "|") + ").*$")
	lines := wanted.FindAllString(output, -1)
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return lines
}

// between returns the lines from one that contains start to the next one that contains
// end, both included; none where there are no such lines.
func between(output, start, end string) []string {
	wanted := regexp.MustCompile(`(?m)^.*` + regexp.QuoteMeta(start) + `(?s:.*?)` + regexp.QuoteMeta(end) + `.*$`)
	found := wanted.FindString(output)
	if found == "" {
		return nil
	}
	return strings.Split(found, "\n")
}

// warning is one warning as Terraform prints it.
type warning struct {
	summary string
	about   string // the address of the object; empty where the warning names none
	detail  string // the first paragraph, on one line
}

// warningText matches a warning: its summary, its object with the lines that point into
// the configuration, and the first paragraph of its detail.
var warningText = regexp.MustCompile(`(?m)^Warning: (.+)\n\n(?:  with (.+?),\n(?:  .+\n)*\n)?((?:\S.*\n)+)`)

// warnings returns the warnings in what Terraform printed without colors.
func warnings(output string) []warning {
	var found []warning
	for _, parts := range warningText.FindAllStringSubmatch(output, -1) {
		found = append(found, warning{parts[1], parts[2], strings.Join(strings.Fields(parts[3]), " ")})
	}
	return found
}

// wrapped matches as much of a text as fits into a line of the screen.
var wrapped = regexp.MustCompile(`\S.{0,85}(?: |$)`)

// lines returns the warning with at most so many sentences of its detail.
func (w warning) lines(sentences int) []string {
	shown := []string{"Warning: " + w.summary}
	if w.about != "" {
		shown = append(shown, "  with "+w.about)
	}

	all := strings.SplitAfter(w.detail, ". ")
	detail := strings.Join(all[:min(sentences, len(all))], "")
	for _, line := range wrapped.FindAllString(detail, -1) {
		shown = append(shown, "  "+strings.TrimSpace(line))
	}

	return shown
}
