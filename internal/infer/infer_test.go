// SPDX-License-Identifier: MPL-2.0

package infer_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// proposed returns what is proposed for an answer of the catalogue, in whose lists the person of the
// first requests is known.
func proposed(a catalogue.Answer) []infer.Settings {
	seen := infer.Answer{Status: a.Status, MediaType: a.MediaType(), Body: a.Body()}
	if a.Is == catalogue.None {
		return infer.Absent(seen)
	}

	switch a.Endpoint {
	case catalogue.Consent:
		return infer.Consent(seen)
	case catalogue.Profile:
		return infer.Profile(seen, []string{"plan", "seats"})
	case catalogue.AllData:
		return infer.Data(seen)
	case catalogue.Pending:
		return infer.Pending(seen, infer.Request{Person: "ada@example.com"})
	case catalogue.Export:
		return infer.Export(seen)
	}

	return nil
}

// covers reports whether settings have all values of others.
func covers(all, some map[string]any) bool {
	for name, want := range some {
		switch want := want.(type) {
		case map[string]any:
			inner, _ := all[name].(map[string]any)
			if !covers(inner, want) {
				return false
			}
		case []any:
			list, _ := all[name].([]any)
			if slices.ContainsFunc(want, func(word any) bool { return !slices.Contains(list, word) }) {
				return false
			}
		default:
			if all[name] != want {
				return false
			}
		}
	}

	return true
}

// TestProposals_haveWhatAdmitsAnAnswer checks that one of the proposals for each answer that needs
// settings has them.
func TestProposals_haveWhatAdmitsAnAnswer(t *testing.T) {
	t.Parallel()
	for _, a := range catalogue.All() {
		if a.Wire == nil {
			continue
		}

		want := map[string]any{}
		if err := json.Unmarshal(a.Wire, &want); err != nil {
			t.Fatal(err)
		}
		all := proposed(a)
		if !slices.ContainsFunc(all, func(s infer.Settings) bool { return covers(s, want) }) {
			shown, _ := json.Marshal(all)
			t.Errorf("%s: none of %s has %s", a.Name, shown, a.Wire)
		}
	}
}

// TestProposals_thereAreNoneForARefusal checks that nothing is proposed for what says no.
func TestProposals_thereAreNoneForARefusal(t *testing.T) {
	t.Parallel()
	for _, a := range catalogue.All() {
		if all := proposed(a); a.Is == catalogue.Refused && a.Status == 200 && a.Endpoint != catalogue.Export && len(all) > 0 {
			t.Errorf("%s: proposes %v", a.Name, all)
		}
	}
}

func TestSettings_areMergedAndTakenApart(t *testing.T) {
	t.Parallel()
	a := infer.Settings{"absent": []any{"json_404"}, "pending": map[string]any{"at": "/data"}}
	b := infer.Settings{"absent": []any{"json_404", "204"}, "pending": map[string]any{"total": "/meta/total"}}
	all := a.Merge(b)
	if got := fmt.Sprint(all); got != "map[absent:[json_404 204] pending:map[at:/data total:/meta/total]]" {
		t.Errorf("merged: %s", got)
	}

	got := map[string]string{}
	for path, rest := range all.Without() {
		got[path] = fmt.Sprint(rest)
	}
	want := map[string]string{
		"absent":        "map[pending:map[at:/data total:/meta/total]]",
		"pending.at":    "map[absent:[json_404 204] pending:map[total:/meta/total]]",
		"pending.total": "map[absent:[json_404 204] pending:map[at:/data]]",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("taken apart: %v", got)
	}
	if names := all.Names(); !slices.Contains(names, "total") || !slices.Contains(names, "meta") {
		t.Errorf("names: %v", names)
	}
}
