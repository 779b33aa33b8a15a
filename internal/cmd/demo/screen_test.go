package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestScreen_aFileGetsNoColours(t *testing.T) {
	t.Parallel()
	none := func(string) string { return "" }
	if useColour(&bytes.Buffer{}, none) {
		t.Error("a buffer is no terminal")
	}
	var out bytes.Buffer
	perform(newScreen(&out, false))
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("escape sequences in:\n%s", out.String())
	}
}

func TestScreen_coloursChangeNoWord(t *testing.T) {
	t.Parallel()
	var coloured, uncoloured bytes.Buffer
	perform(newScreen(&coloured, true))
	perform(newScreen(&uncoloured, false))
	if !strings.Contains(coloured.String(), bold) {
		t.Error("no colours")
	}
	stripped := coloured.String()
	for _, style := range []string{bold, dim, red, green, yellow, cyan, plain} {
		stripped = strings.ReplaceAll(stripped, style, "")
	}
	if stripped != uncoloured.String() {
		t.Errorf("with colours:\n%s\nwithout:\n%s", stripped, uncoloured.String())
	}
}

func perform(s *screen) {
	s.title("Title")
	s.heading(1, 2, "Heading")
	s.command("terraform plan")
	s.excerpt([]string{"  + created", "  ~ changed", "  - gone", "Warning: careful"})
	s.say("A sentence.")
	s.outcome("It works.", time.Second, "no request")
	s.failure("It does not.", "the reason")
	s.closing(time.Minute, "2 requests")
}
