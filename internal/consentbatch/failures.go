package consentbatch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
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
	Count  int
	causes []*cause
	byKey  map[causeKey]*cause
}

// cause is a failure and the rows that it happened to. Details of the error that do not
// distinguish causes, such as the attempts, are those of the first row.
type cause struct {
	error *client.Error
	rows  []int32
}

// causeKey is equal for failures with the same cause.
type causeKey struct {
	title, operation string
	status           int
	code, said       string
}

// Add records that a row failed.
func (f *failures) Add(row int, err error) {
	f.Count++

	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		e = &client.Error{Class: client.ClassInternal}
	}

	c := f.causeOf(e)
	c.rows = append(c.rows, int32(row)) //nolint:gosec // rows are counted in int32
}

// causeOf returns the cause of a failure. It adds the cause if it is new.
func (f *failures) causeOf(e *client.Error) *cause {
	key := causeKey{title: e.Title(), operation: e.Operation, status: e.Status, code: e.Code, said: said(e)}
	if c := f.byKey[key]; c != nil {
		return c
	}

	if len(f.causes) >= limitCauses && key.said != "" {
		vague := *e
		vague.Detail, vague.Message, vague.Fields = "", "", nil

		return f.causeOf(&vague)
	}

	c := &cause{error: e}
	if f.byKey == nil {
		f.byKey = map[causeKey]*cause{}
	}
	f.byKey[key] = c
	f.causes = append(f.causes, c)

	return c
}

// said returns all texts of an error.
func said(e *client.Error) string {
	var b strings.Builder
	if e.Detail != "" || e.Message != "" {
		fmt.Fprintf(&b, "%q%q", e.Detail, e.Message)
	}
	for _, f := range e.Fields {
		fmt.Fprintf(&b, "%q%q", f.Field, f.Message)
	}

	return b.String()
}

// sort puts the most frequent causes first, and the rows of each in the order of the file.
func (f *failures) sort() {
	for _, c := range f.causes {
		slices.Sort(c.rows)
	}
	slices.SortFunc(f.causes, func(a, b *cause) int {
		return cmp.Or(cmp.Compare(len(b.rows), len(a.rows)), cmp.Compare(a.rows[0], b.rows[0]))
	})
}

// Text describes which rows failed and why, the most frequent causes first.
func (f *failures) Text(place func(row int) string) string {
	f.sort()

	room := limitShownLines
	var texts []string
	for _, c := range f.causes[:min(len(f.causes), limitShownCauses)] {
		shown := nameSome(c.rows, room, place)
		room = max(0, room-len(c.rows))
		texts = append(texts, fmt.Sprintf("%s (%d): %s\n%s", c.error.Title(), len(c.rows), shown, tfkit.Describe(c.error)))
	}

	if len(f.causes) > limitShownCauses {
		texts = append(texts, f.textOfOthers(room, place))
	}

	return strings.Join(texts, "\n\n")
}

// textOfOthers describes the causes that Text does not show one by one.
func (f *failures) textOfOthers(room int, place func(row int) string) string {
	others := f.causes[limitShownCauses:]

	var rows []int32
	var titles []string
	for _, c := range others {
		rows = append(rows, c.rows...)
		if title := c.error.Title(); !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
	}

	return fmt.Sprintf("%d other causes (%d): %s\n%s", len(others), len(rows), nameSome(rows, room, place), strings.Join(titles, "; "))
}

// Advice returns what to do about the most frequent cause.
func (f *failures) Advice() string {
	f.sort()
	return tfkit.Advice(f.causes[0].error)
}

// nameSome returns the places of rows in the order of the file. After limit places, it counts
// the rest.
func nameSome(rows []int32, limit int, place func(row int) string) string {
	slices.Sort(rows)

	var names []string
	for _, row := range rows[:min(len(rows), limit)] {
		names = append(names, place(int(row)))
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
