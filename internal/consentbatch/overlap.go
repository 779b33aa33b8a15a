// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// The problems of rows whose people another object has as well. Their details end with the other
// objects and the rows of each.
var (
	sharedPeople = tfkit.Problem{
		Summary: "Another resource manages people of these rows",
		Detail:  "The consent of one person is managed by this batch and by another resource. Where they differ, each apply undoes the other one, and the plan never stays empty.",
		Do:      "remove these rows, or take the other resource out of the configuration with on_destroy = \"retain\".",
	}
	notWithdrawn = tfkit.Problem{
		Summary: "Not withdrawn, another resource writes these rows",
		Detail:  "on_destroy is \"withdraw\", and in the same run another resource writes the consent of these people, so theirs was not withdrawn.",
		Do:      "nothing, if the batch was renamed or its people are managed by the other resource now. To withdraw their consent, set the clauses to false there.",
	}
	keptByAnother = tfkit.Problem{
		Summary: "Another resource keeps the consent to be withdrawn",
		Detail:  "This batch and another resource have people in common. The plan destroys one of the two with on_destroy = \"withdraw\" and keeps the other one: it would withdraw the consent of these people, and the next plan would give it again.",
		Do:      "keep the first resource in the configuration, apply on_destroy = \"retain\", and remove it then. To withdraw the consent, set the clauses of the other resource to false, or remove both.",
	}
)

// claim makes a claim about the person of each of the rows. It returns the rows for which other objects
// have the opposite one, by object. Nothing is claimed while the scope is not known.
func (b *batch) claim(of []int, claim func(by *tfkit.Object, p client.Person) (other *tfkit.Object)) map[string][]int {
	rowsOf := map[string][]int{}
	if !b.isScopeKnown {
		return rowsOf
	}

	for _, i := range of {
		if other := claim(b.object, b.person(i)); other != nil {
			rowsOf[other.String()] = append(rowsOf[other.String()], i)
		}
	}

	return rowsOf
}

// addOthers adds a problem of rows that other objects have as well, if there are any.
func (b *batch) addOthers(rowsOf map[string][]int, problem tfkit.Problem, add func(tfkit.Problem, *diag.Diagnostics)) {
	if len(rowsOf) == 0 {
		return
	}

	problem.Detail += " The other resources, and the rows of this batch:"
	for _, other := range slices.Sorted(maps.Keys(rowsOf)) {
		problem.Detail += fmt.Sprintf("\n%s (%d): %s", other, len(rowsOf[other]), b.nameRows(rowsOf[other]))
	}
	add(problem, b.diags)
}

// warnSpelling warns of identities that differ by the case of letters only, among the rows or in
// another object of the plan. The first pass records those with capital letters.
func (b *batch) warnSpelling() {
	if !b.isScopeKnown {
		return
	}

	var twice []int
	for range 2 {
		twice = twice[:0]
		for i := range b.rows {
			if b.resource.Consents.IsSpelledTwice(b.person(i), false) {
				twice = append(twice, i)
			}
		}
	}
	if len(twice) == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Identities differ by case only",
		Detail:  fmt.Sprintf("Rows have an identity that differs from another one by the case of letters only: %s. For the provider, these are two people. If the service takes them for one, the rows overwrite each other.", b.nameRows(twice)),
		Do:      "nothing, if they are different people. Otherwise remove these rows, or the others.",
	}.AddWarning(b.diags)
}
