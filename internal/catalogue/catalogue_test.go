// SPDX-License-Identifier: MPL-2.0

package catalogue_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
)

// endpoints are all endpoints, in the order of the catalogue.
var endpoints = []catalogue.Endpoint{
	catalogue.Login, catalogue.User, catalogue.Consent, catalogue.ConsentUpdate, catalogue.Profile,
	catalogue.ProfileUpdate, catalogue.Deletion, catalogue.AllData, catalogue.Pending, catalogue.Export,
}

// harmful is what must never be taken for what was asked for.
var harmful = []catalogue.Meaning{catalogue.Refused, catalogue.Part, catalogue.Job, catalogue.Elsewhere}

func TestAll_keepsTheRules(t *testing.T) {
	t.Parallel()
	names, order := map[string]bool{}, 0

	for _, a := range catalogue.All() {
		at := slices.Index(endpoints, a.Endpoint)
		for rule, broken := range map[string]bool{
			"a name is unique":                           names[a.Name],
			"an endpoint exists, and has one place":      at < order,
			"a source and a status are given":            a.Source == "" || http.StatusText(a.Status) == "",
			"a body is JSON or text":                     a.JSON != nil && a.Text != "",
			"text that is content has a media type":      a.Text != "" && a.Headers["Content-Type"] == "",
			"what is harmful says why no setting admits": slices.Contains(harmful, a.Is) && a.Why == "",
			"what is natural says how it reads":          a.IsNatural() && a.Reads == "",
			"what is never read has no reading":          a.Why != "" && a.Reads != "",
			"what is never read has no settings":         a.Why != "" && a.Wire != nil,
			"only a refusal has words for the user":      a.Says != nil && a.Is != catalogue.Refused,
			"persons and hosts are of reserved ranges":   strings.Count(string(a.Body()), "://") > strings.Count(string(a.Body()), "example.com")+strings.Count(string(a.Body()), "tools.ietf.org"),
			"the words for the user are in the answer":   slices.ContainsFunc(a.Says, func(w string) bool { return !strings.Contains(string(a.Body()), w) }),
			"a page is followed by another of its form":  a.Then != nil && a.JSON == nil,
		} {
			if broken {
				t.Errorf("%s: %s", a.Name, rule)
			}
		}

		names[a.Name], order = true, at
	}
}

// TestAll_mostOfWhatIsNaturalReadsByDefault holds the catalogue to its purpose: an ordinary
// service needs no setting.
func TestAll_mostOfWhatIsNaturalReadsByDefault(t *testing.T) {
	t.Parallel()
	count := map[bool]int{} // of natural answers, by whether they read by default
	for _, a := range catalogue.All() {
		if a.IsNatural() {
			count[a.Wire == nil]++
		}
	}
	if len(catalogue.All()) < 120 || count[true] < 4*count[false] {
		t.Errorf("%d answers; of the natural ones, %d read by default, and %d do not", len(catalogue.All()), count[true], count[false])
	}
}
