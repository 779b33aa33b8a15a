package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

const printedPlan = `analytics_consent.person["user-1001"]: Refreshing state...

Terraform will perform the following actions:

  # analytics_consent.person["user-1001"] will be updated in-place
  ~ resource "analytics_consent" "person" {
      ~ clause_2_consent = false -> true
        # (9 unchanged attributes hidden)
    }

Plan: 0 to add, 1 to change, 0 to destroy.

Warning: A later choice stands

  with analytics_consent.person["ada@example.com"],
  on main.tf line 58, in resource "analytics_consent" "person":
  58: resource "analytics_consent" "person" {

The service holds a choice that
is later than this configuration. It stands.

(and one more similar warning elsewhere)

Warning: Consent is retained

It stays.

─────────────────────────────────

Saved the plan to: repair.tfplan
`

func TestMatching_keepsTheWantedLines(t *testing.T) {
	t.Parallel()
	got := matching(printedPlan, `will be updated`, `clause_2`)
	want := []string{
		`# analytics_consent.person["user-1001"] will be updated in-place`,
		`~ clause_2_consent = false -> true`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected lines (-want +got):\n%s", diff)
	}
}

func TestBetween_keepsBothEnds(t *testing.T) {
	t.Parallel()
	got := between(printedPlan, "will be updated", "Plan:")
	if len(got) != 7 || !strings.HasPrefix(got[0], "  # analytics") || !strings.HasPrefix(got[6], "Plan: 0 to add") {
		t.Errorf("unexpected lines: %q", got)
	}
	if got := between(printedPlan, "nowhere", "Plan:"); got != nil {
		t.Errorf("lines without a start: %q", got)
	}
}

func TestWarnings_areReadAcrossLineBreaks(t *testing.T) {
	t.Parallel()
	want := []warning{
		{"A later choice stands", `analytics_consent.person["ada@example.com"]`, "The service holds a choice that is later than this configuration. It stands."},
		{"Consent is retained", "", "It stays."},
	}
	if diff := cmp.Diff(want, warnings(printedPlan), cmp.AllowUnexported(warning{})); diff != "" {
		t.Errorf("unexpected warnings (-want +got):\n%s", diff)
	}
}

func TestWarning_hasAsManySentencesAsWanted(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 20) + "end."
	w := warning{"Careful", "a.b", "One. Two. " + long}
	for sentences, want := range [][]string{
		{"Warning: Careful", "  with a.b"},
		{"Warning: Careful", "  with a.b", "  One."},
		{"Warning: Careful", "  with a.b", "  One. Two."},
		{"Warning: Careful", "  with a.b", "  One. Two. " + strings.TrimSpace(strings.Repeat("word ", 15)), "  word word word word word end."},
		{"Warning: Careful", "  with a.b", "  One. Two. " + strings.TrimSpace(strings.Repeat("word ", 15)), "  word word word word word end."},
	} {
		if diff := cmp.Diff(want, w.lines(sentences)); diff != "" {
			t.Errorf("%d sentences (-want +got):\n%s", sentences, diff)
		}
	}
}
