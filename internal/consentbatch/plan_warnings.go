package consentbatch

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// warnGone warns of records that are gone although the last apply has left one of each row.
func (p *planner) warnGone(t *tally) {
	tfkit.Problem{
		Summary: "Records that the service no longer holds",
		Detail: fmt.Sprintf("The last apply has left a record of each row, and none can be removed at the service. But the service, or a gateway before it, says that it holds none for %d of %d rows: %s. An apply writes them.",
			t.counts[absent], len(p.content.rows), nameSome(t.rowsThatAre(absent), limitShownLines, p.content.place)),
		Do: "make sure that the service has lost these records before you apply. If the answer is wrong, an apply overwrites what these people have chosen since.",
	}.AddWarning(p.diags)
}

// warnUntimed warns of rows without agreement_time that are written over what the service holds,
// or may be; t is nil if no row was compared.
func (p *planner) warnUntimed(t *tally) {
	var untimed []int32
	for i, row := range p.content.rows {
		if row.Agreed == 0 && (t == nil || t.results[i] == written) {
			untimed = append(untimed, int32(i)) //nolint:gosec // a file is of two billion rows
		}
	}
	if len(untimed) == 0 || !p.model.KeepLaterChoice.ValueBool() {
		return
	}

	tfkit.Problem{
		Summary: "Nothing to compare a later choice with",
		Detail: fmt.Sprintf("%d of %d rows have no agreement_time, so a choice that these people have made since cannot be recognised and is overwritten: %s.",
			len(untimed), len(p.content.rows), nameSome(untimed, limitShownLines, p.content.place)),
		Do: "give these rows the time at which their consent was given, or set keep_later_choice = false if overwriting is intended.",
		At: path.Root("keep_later_choice"),
	}.AddWarning(p.diags)
}

// warnIncomparable warns of the rows that could not be compared.
func (p *planner) warnIncomparable(t *tally) {
	tfkit.Problem{
		Summary: fmt.Sprintf("%d of %d rows could not be compared", t.counts[failed], len(p.content.rows)),
		Detail:  t.failures.Text(p.content.place) + "\n\nAn apply tries them again, and writes all others that differ.",
		Do:      t.failures.Advice(),
	}.AddWarning(p.diags)
}

// warnOfSharedPeople warns of rows that another object of the run manages as well.
func (p *planner) warnOfSharedPeople() {
	scope, known := p.resource.KnownScope(p.model.Scope)
	if !known {
		return
	}

	look := p.resource.Written.Keep
	if p.state == nil { // the object has no number yet
		look = p.resource.Written.Keeper
	}

	var shared overlap
	for i := range len(p.content.rows) {
		if other, also := look(p.object, scope, p.content.rows[i].Identity); also {
			shared.add(other, i)
		}
	}

	shared.warnShared(p.diags, p.content.place)
}

// planRest refuses a plan that withdraws people of these rows while this batch has nothing to
// write.
func (p *planner) planRest() {
	scope, known := p.resource.KnownScope(p.model.Scope)
	if !known || p.content.rows == nil {
		return
	}

	var withdrawn overlap
	for i := range len(p.content.rows) {
		if other, conflict := p.resource.Written.PlanRest(p.object, scope, p.content.rows[i].Identity); conflict {
			withdrawn.add(other, i)
		}
	}

	withdrawn.addKeptByAnother(p.diags, p.content.place)
}

// warnRemoved warns of rows that are gone.
func (p *planner) warnRemoved() {
	if p.state == nil || !p.model.Shard.Equal(p.state.Shard) {
		return
	}

	if gone := p.state.Rows.ValueInt64() - int64(len(p.content.rows)); gone > 0 {
		tfkit.Problem{
			Summary: "Rows that are no longer managed",
			Detail:  fmt.Sprintf("There are %d rows fewer than at the last apply. What the service holds about these people stays as it is.", gone),
			Do:      "nothing. To withdraw the consent of these people, set the clauses to false instead of removing the rows.",
		}.AddWarning(p.diags)
	}
}
