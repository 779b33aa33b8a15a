package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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

─────────────────────────────────

Saved the plan to: repair.tfplan
`

func TestMatchingKeepsTheWantedLinesWithoutTheirSharedIndentation(t *testing.T) {
	t.Parallel()
	got := matching(printedPlan, `will be updated`, `clause_2`)
	want := []string{
		`# analytics_consent.person["user-1001"] will be updated in-place`,
		`    ~ clause_2_consent = false -> true`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected lines (-want +got):\n%s", diff)
	}
}

func TestBetweenKeepsBothEnds(t *testing.T) {
	t.Parallel()
	got := between(printedPlan, "will be updated", "Plan:")
	if len(got) != 7 || !strings.HasPrefix(got[0], "# analytics") && !strings.HasPrefix(got[6], "Plan: 0 to add") {
		t.Errorf("unexpected lines: %q", got)
	}
	if got := between(printedPlan, "nowhere", "Plan:"); got != nil {
		t.Errorf("lines without a start: %q", got)
	}
}

func TestWarningsAreReadAcrossLineBreaks(t *testing.T) {
	t.Parallel()
	boxed := "╷\n│ Warning: Consent is retained\n│\n│   with analytics_consent.grace,\n│ It stays.\n╵\n"
	want := []warning{
		{"A later choice stands", `analytics_consent.person["ada@example.com"]`, "The service holds a choice that is later than this configuration. It stands."},
		{"Consent is retained", "analytics_consent.grace", "It stays."},
	}
	if diff := cmp.Diff(want, warnings(printedPlan+boxed), cmp.AllowUnexported(warning{})); diff != "" {
		t.Errorf("unexpected warnings (-want +got):\n%s", diff)
	}
}

func TestAWarningIsShownWithAsManySentencesAsWanted(t *testing.T) {
	t.Parallel()
	w := warning{"Careful", "a.b", "One. Two. Three."}
	for sentences, want := range [][]string{
		{"Warning: Careful", "  with a.b"},
		{"Warning: Careful", "  with a.b", "  One."},
		{"Warning: Careful", "  with a.b", "  One. Two."},
		{"Warning: Careful", "  with a.b", "  One. Two. Three."},
		{"Warning: Careful", "  with a.b", "  One. Two. Three."},
	} {
		if diff := cmp.Diff(want, w.lines(sentences)); diff != "" {
			t.Errorf("%d sentences (-want +got):\n%s", sentences, diff)
		}
	}
}

func TestWrapBreaksAtSpacesOnly(t *testing.T) {
	t.Parallel()
	got := wrap("one two  three four-and-a-half", 9)
	if diff := cmp.Diff([]string{"one two", "three", "four-and-a-half"}, got); diff != "" {
		t.Errorf("unexpected lines (-want +got):\n%s", diff)
	}
}
