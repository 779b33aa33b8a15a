// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// overlap holds, by object, the rows of people that another object of the run manages as well.
type overlap map[string][]int

// overlapBy returns the rows for whose person look returns another object; none while the scope
// is not known.
func (b *batch) overlapBy(look func(by *tfkit.Object, p client.Person) (other *tfkit.Object)) overlap {
	found := overlap{}
	scope, known := b.resource.KnownScope(b.model.Scope)
	if !known {
		return found
	}

	for i, row := range b.content.rows {
		if other := look(b.object, client.Person{Scope: scope, Identity: row.Identity}); other != nil {
			found[other.String()] = append(found[other.String()], i)
		}
	}

	return found
}

// The problems of an overlap. Their details end with the other objects and the rows of each.
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

// warnShared warns of rows that another object of the run manages as well.
func (b *batch) warnShared() {
	look := b.resource.Consents.Keep
	if b.prior == nil { // the object has no number yet
		look = b.resource.Consents.Keeper
	}

	shared := b.overlapBy(look)
	if b.warns() {
		shared.addProblem(sharedPeople, b, tfkit.Problem.AddWarning)
		b.warnSpelling()
	}
}

// warnSpelling warns of identities that differ by the case of letters only, among the rows or in
// another object of the plan. The first pass records those with capital letters.
func (b *batch) warnSpelling() {
	scope, known := b.resource.KnownScope(b.model.Scope)
	if !known {
		return
	}

	var twice []int
	for range 2 {
		twice = twice[:0]
		for i, row := range b.content.rows {
			if b.resource.Consents.IsSpelledTwice(client.Person{Scope: scope, Identity: row.Identity}, false) {
				twice = append(twice, i)
			}
		}
	}
	if len(twice) == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Identities differ by case only",
		Detail:  fmt.Sprintf("Rows have an identity that differs from another one by the case of letters only: %s. For the provider, these are two people. If the service takes them for one, the rows overwrite each other.", nameSome(twice, limitShownLines, b.content.position)),
		Do:      "nothing, if they are different people. Otherwise remove these rows, or the others.",
	}.AddWarning(b.diags)
}

// addProblem adds a problem, as an error or a warning, if there is an overlap.
func (o overlap) addProblem(problem tfkit.Problem, b *batch, add func(tfkit.Problem, *diag.Diagnostics)) {
	if len(o) == 0 {
		return
	}

	var list strings.Builder
	for _, other := range slices.Sorted(maps.Keys(o)) {
		fmt.Fprintf(&list, "\n%s (%d): %s", other, len(o[other]), nameSome(o[other], limitShownLines, b.content.position))
	}
	problem.Detail += " The other resources, and the rows of this batch:" + list.String()
	add(problem, b.diags)
}
