package main

import (
	"regexp"
	"strings"
)

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
