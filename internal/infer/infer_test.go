// SPDX-License-Identifier: MPL-2.0

package infer_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

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
func covers(all, some infer.Settings) bool { return reflect.DeepEqual(all.Merge(some), all) }

// TestProposals_haveWhatAdmitsAnAnswer checks that one of the proposals for each answer that needs
// settings has them.
func TestProposals_haveWhatAdmitsAnAnswer(t *testing.T) {
	t.Parallel()
	for _, a := range catalogue.All() {
		if a.Wire == nil {
			continue
		}

		want := infer.ParseSettings(a.Wire)
		all := proposed(a)
		if !slices.ContainsFunc(all, func(s infer.Settings) bool { return covers(s, want) }) {
			t.Errorf("%s: none of %v has %s", a.Name, all, a.Wire)
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

func TestSettings_areMergedShortenedAndWritten(t *testing.T) {
	t.Parallel()
	a := infer.ParseSettings(jsontext.Value(`{"absent":["json_404"],"ignored":{"/meta/took":"*"},"pending":{"at":"/data","types":{"data_access":["GET"]}}}`))
	b := infer.ParseSettings(jsontext.Value(`{"absent":["json_404","204"],"ignored":{"/ok":"true"},"pending":{"empty":true,"total":"/meta/total","types":{"data_access":["get"]}}}`))
	all := a.Merge(b)
	const merged = `{"absent":["json_404","204"],"ignored":{"/meta/took":"*","/ok":"true"},` +
		`"pending":{"at":"/data","empty":true,"total":"/meta/total","types":{"data_access":["GET","get"]}}}`
	if diff := cmp.Diff(merged, string(all.JSON())); diff != "" {
		t.Errorf("merged: %s", diff)
	}

	short := all.Shortest(func(s infer.Settings) bool { return s["/pending/at"] != nil })
	if diff := cmp.Diff(`wire.pending.at = "/data" and wire.pending.total = "/meta/total"`, short.Sentence()); diff != "" {
		t.Errorf("shortened, a total stays: %s", diff)
	}
	all["/ignored/~1a"] = `"${x}"`
	const block = `wire {
  absent  = ["json_404", "204"]
  ignored = { "/a" = "\"$${x}\"", "/meta/took" = "*", "/ok" = "true" }
  pending {
    at    = "/data"
    empty = true
    total = "/meta/total"
    types = { "data_access" = ["GET", "get"] }
  }
}
`
	if diff := cmp.Diff(block, all.Block()); diff != "" {
		t.Errorf("block: %s", diff)
	}
	if texts := all.Texts(); !slices.Contains(texts, "/meta/total") || !slices.Contains(texts, "GET") || !slices.Contains(texts, "/ok") {
		t.Errorf("texts: %v", texts)
	}
}
