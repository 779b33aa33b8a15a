package main

import (
	"regexp"
	"strings"
)

// matching returns the lines of output that match any of the patterns, without
// the indentation they share.
func matching(output string, patterns ...string) []string {
	wanted := regexp.MustCompile(strings.Join(patterns, "|"))
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, " \r\n")
		if wanted.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return outdent(lines)
}

// between returns the lines from the first that contains start to the next that
// contains end, both included; to the last line where none does.
func between(output, start, end string) []string {
	var lines []string
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, " \r\n")
		if len(lines) == 0 && !strings.Contains(line, start) {
			continue
		}
		lines = append(lines, line)
		if len(lines) > 1 && strings.Contains(line, end) {
			break
		}
	}
	return outdent(lines)
}

// warning is one warning as Terraform prints it, without the lines of the
// configuration that it quotes.
type warning struct {
	summary string
	about   string // the address of the object, if any
	detail  string // with single spaces; Terraform breaks lines where its terminal ends
}

// quoted are the lines with which a warning points into the configuration.
var quoted = regexp.MustCompile(`^(on \S+ line \d+|\d+:)`)

// warnings returns the warnings in what Terraform printed.
func warnings(output string) []warning {
	var found []warning
	open := false
	for line := range strings.Lines(output) {
		text := strings.TrimSpace(strings.TrimLeft(line, "\u2502\u2577\u2575 "))
		summary, starts := strings.CutPrefix(text, "Warning: ")
		switch {
		case starts:
			found = append(found, warning{summary: summary})
			open = true
		case endsWarning(text):
			open = false
		case !open || text == "" || quoted.MatchString(text):
		case strings.HasPrefix(text, "with "):
			found[len(found)-1].about = strings.TrimSuffix(strings.TrimPrefix(text, "with "), ",")
		default:
			last := &found[len(found)-1]
			last.detail = strings.TrimSpace(last.detail + " " + strings.Join(strings.Fields(text), " "))
		}
	}
	return found
}

// lines shows the warning in at most so many sentences of its detail.
func (w warning) lines(sentences int) []string {
	shown := []string{"Warning: " + w.summary}
	if w.about != "" {
		shown = append(shown, "  with "+w.about)
	}
	rest, told := w.detail, ""
	for range sentences {
		sentence, after, more := strings.Cut(rest, ". ")
		told += sentence
		if !more {
			break
		}
		told, rest = told+". ", after
	}
	for _, line := range wrap(told, 86) {
		shown = append(shown, "  "+line)
	}
	return shown
}

// endsWarning reports whether text opens something that follows a warning.
func endsWarning(text string) bool {
	for _, opening := range []string{"Error: ", "Plan: ", "No changes.", "Apply complete!", "Destroy complete!", "Saved the plan to:", "\u2500\u2500\u2500", "Outputs:"} {
		if strings.HasPrefix(text, opening) {
			return true
		}
	}
	return false
}

// wrap breaks text into lines of at most width characters, at spaces.
func wrap(text string, width int) []string {
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case current == "":
			current = word
		case len(current)+1+len(word) > width:
			lines = append(lines, current)
			current = word
		default:
			current += " " + word
		}
	}
	if current != "" {
		lines = append(lines, current)
	}
	return lines
}

// outdent removes the indentation that all non-empty lines share.
func outdent(lines []string) []string {
	shared := -1
	for _, line := range lines {
		if line == "" {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if shared < 0 || indent < shared {
			shared = indent
		}
	}
	for i, line := range lines {
		if shared > 0 && line != "" {
			lines[i] = line[shared:]
		}
	}
	return lines
}
