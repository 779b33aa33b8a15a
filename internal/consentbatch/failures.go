package consentbatch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// Limits on what is said about the failed parts of one operation.
const (
	limitParts  = 20
	limitGroups = 8
)

// failures are the failures of the parts of one large operation, by what happened.
// The zero value is empty.
type failures struct {
	// Count is how many parts failed.
	Count  int
	groups []failureGroup
}

// failureGroup is the parts to which the same happened.
type failureGroup struct {
	first *client.Error
	parts []int32
}

// Add notes that a part failed.
func (f *failures) Add(part int, err error) {
	f.Count++
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		e = &client.Error{Kind: client.KindInternal}
	}
	at := slices.IndexFunc(f.groups, func(g failureGroup) bool { return isAlike(g.first, e) })
	switch {
	case at < 0 && len(f.groups) == limitGroups: // too many sorts to tell apart
		at = limitGroups - 1
	case at < 0:
		f.groups = append(f.groups, failureGroup{first: e})
		at = len(f.groups) - 1
	}
	f.groups[at].parts = append(f.groups[at].parts, int32(part)) //nolint:gosec // parts are counted in int32 by their owners
}

func isAlike(a, b *client.Error) bool {
	return a.Title() == b.Title() && a.Operation == b.Operation && a.Status == b.Status && a.Code == b.Code
}

// Text tells what happened to which parts: twenty of them by name, and the number of
// the others. What the service says is what it said of the first.
func (f *failures) Text(name func(part int) string) string {
	slices.SortStableFunc(f.groups, func(a, b failureGroup) int { return len(b.parts) - len(a.parts) })
	room := limitParts
	var texts []string
	for _, g := range f.groups {
		shown := nameSome(g.parts, room, name)
		room = max(0, room-len(g.parts))
		texts = append(texts, fmt.Sprintf("%s (%d): %s\n%s", g.first.Title(), len(g.parts), shown, tfkit.Describe(g.first)))
	}
	return strings.Join(texts, "\n\n")
}

// Advice is what to do about the failure that is the most frequent.
func (f *failures) Advice() string {
	most := slices.MaxFunc(f.groups, func(a, b failureGroup) int { return len(a.parts) - len(b.parts) })
	return tfkit.Advice(most.first)
}

// nameSome names lines in the order of the parts that they stand for, at most so many,
// and counts the others.
func nameSome(parts []int32, limit int, name func(part int) string) string {
	slices.Sort(parts)
	var names []string
	for _, part := range parts[:min(len(parts), limit)] {
		names = append(names, name(int(part)))
	}
	lines := "lines"
	if len(parts) == 1 {
		lines = "line"
	}
	switch more := len(parts) - len(names); {
	case more == 0:
		return lines + " " + strings.Join(names, ", ")
	case len(names) == 0:
		return fmt.Sprintf("%d %s", more, lines)
	default:
		return fmt.Sprintf("%s %s and %d more", lines, strings.Join(names, ", "), more)
	}
}
