// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

const (
	// limitCauses is how many causes are distinguished by their texts. Later ones are
	// distinguished by status and code only.
	limitCauses = 1000

	// Limits of a message.
	limitShownCauses = 8
	limitShownLines  = 20
)

// failures holds the failed rows of one run by cause. The zero value is empty.
type failures struct {
	causes []*cause
	byKey  map[string]*cause
}

// cause is a failure and the rows that it happened to. Details of the error that do not
// distinguish causes, such as the attempts, are those of the first row.
type cause struct {
	error *transport.Error
	rows  []int
}

// causeKey returns a text that is equal for failures with the same cause.
func causeKey(e *transport.Error) string {
	return fmt.Sprintf("%q %q %d %q %q %q %q", e.Title(), e.Operation, e.Status, e.Code, e.Detail, e.Message, e.Fields)
}

// add records that a row failed.
func (f *failures) add(row int, err error) {
	e, ok := errors.AsType[*transport.Error](err)
	if !ok {
		e = &transport.Error{Class: transport.ClassInternal}
	}

	c := f.byKey[causeKey(e)]
	if c == nil && len(f.causes) >= limitCauses {
		vague := *e
		vague.Detail, vague.Message, vague.Fields = "", "", nil
		e = &vague
		c = f.byKey[causeKey(e)]
	}

	if c == nil {
		c = &cause{error: e}
		if f.byKey == nil {
			f.byKey = map[string]*cause{}
		}
		f.byKey[causeKey(e)] = c
		f.causes = append(f.causes, c)
	}
	c.rows = append(c.rows, row)
}

// nameRows returns the places of rows, and counts those that are too many to show.
func (b *batch) nameRows(rows []int) string { return nameSome(rows, limitShownLines, b.position) }

// position returns the position of a row as text.
func (b *batch) position(row int) string { return b.rows[row].String() }

// describe returns which rows failed and why, the most frequent causes first, and what to do
// about the most frequent one. There has to be a failure.
func (f *failures) describe(place func(row int) string) (text, advice string) {
	for _, c := range f.causes {
		slices.Sort(c.rows)
	}
	slices.SortFunc(f.causes, func(a, b *cause) int {
		return cmp.Or(cmp.Compare(len(b.rows), len(a.rows)), cmp.Compare(a.rows[0], b.rows[0]))
	})

	room := limitShownLines
	var texts []string
	for _, c := range f.causes[:min(len(f.causes), limitShownCauses)] {
		shown := nameSome(c.rows, room, place)
		room = max(0, room-len(c.rows))
		texts = append(texts, fmt.Sprintf("%s (%d): %s\n%s", c.error.Title(), len(c.rows), shown, c.error.Describe()))
	}

	if len(f.causes) > limitShownCauses {
		var rows []int
		for _, c := range f.causes[limitShownCauses:] {
			rows = append(rows, c.rows...)
		}
		texts = append(texts, fmt.Sprintf("%d other causes (%d): %s", len(f.causes)-limitShownCauses, len(rows), nameSome(rows, room, place)))
	}

	return strings.Join(texts, "\n\n"), tfkit.Advice(f.causes[0].error)
}

// nameSome returns the places of rows in the order of the file. After limit places, it counts
// the rest.
func nameSome(rows []int, limit int, place func(row int) string) string {
	slices.Sort(rows)

	var names []string
	for _, row := range rows[:min(len(rows), limit)] {
		names = append(names, place(row))
	}

	lines := "lines"
	if len(rows) == 1 {
		lines = "line"
	}

	switch more := len(rows) - len(names); {
	case more == 0:
		return lines + " " + strings.Join(names, ", ")
	case len(names) == 0:
		return fmt.Sprintf("%d %s", more, lines)
	default:
		return fmt.Sprintf("%s %s and %d more", lines, strings.Join(names, ", "), more)
	}
}
