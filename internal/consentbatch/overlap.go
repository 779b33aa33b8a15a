package consentbatch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// overlap collects, by object, the rows of people that another object of the run manages as
// well. The zero value is empty and safe for concurrent use.
type overlap struct {
	mu   sync.Mutex
	rows map[string][]int32
}

func (o *overlap) add(other tfkit.Object, row int) {
	o.mu.Lock()
	defer o.mu.Unlock()

	if o.rows == nil {
		o.rows = map[string][]int32{}
	}
	o.rows[other.String()] = append(o.rows[other.String()], int32(row)) //nolint:gosec // rows are counted in int32
}

// text lists the other objects and the rows of each.
func (o *overlap) text(place func(row int) string) string {
	var text strings.Builder

	for _, other := range slices.Sorted(maps.Keys(o.rows)) {
		list := o.rows[other]
		fmt.Fprintf(&text, "\n%s (%d): %s", other, len(list), nameSome(list, limitShownLines, place))
	}

	return text.String()
}

// objectIn returns the object that private state belongs to. Its label names the file.
func (m *model) objectIn(ctx context.Context, private tfkit.Private) tfkit.Object {
	label := "analytics_consent_batch"
	if !m.isWriteOnly() {
		label += " with source " + strconv.Quote(m.Source.ValueString())
	}

	return tfkit.ObjectIn(ctx, private, label)
}

// warnShared warns of rows that another object manages as well.
func (o *overlap) warnShared(diags *diag.Diagnostics, place func(int) string) {
	if len(o.rows) == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Another object manages people of these rows",
		Detail:  "The consent of one person is managed by this batch and by another object. Where they differ, each apply undoes the other one, and the plan never stays empty. The other objects, and the rows of this batch:" + o.text(place),
		Do:      "remove these rows, or take the other object out of the configuration with on_destroy = \"retain\".",
	}.AddWarning(diags)
}

// warnSuperseded warns of rows that were not withdrawn.
func (o *overlap) warnSuperseded(diags *diag.Diagnostics, place func(int) string) {
	if len(o.rows) == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Not withdrawn, another object writes these rows",
		Detail:  "on_destroy is \"withdraw\", and in the same run another object writes the consent of these people, so theirs was not withdrawn. The other objects, and the rows of this batch:" + o.text(place),
		Do:      "nothing, if the batch was renamed or its people are managed by the other object now. To withdraw their consent, set the clauses to false there.",
	}.AddWarning(diags)
}

// addKeptByAnother reports rows that a plan withdraws by one object and keeps by another one.
func (o *overlap) addKeptByAnother(diags *diag.Diagnostics, place func(int) string) {
	if len(o.rows) == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Another object keeps the consent to be withdrawn",
		Detail:  "Of this batch and another object, the plan destroys one, with on_destroy = \"withdraw\", and leaves the other one as it is. The consent of the people of both would be withdrawn, and the next plan would give it again. The other objects, and the rows of this batch:" + o.text(place),
		Do:      "keep the first object in the configuration, apply on_destroy = \"retain\", and remove it then. To withdraw the consent, set the clauses of the other object to false, or remove both.",
	}.AddError(diags)
}
