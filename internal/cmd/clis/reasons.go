package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// finding is a test that did not pass, and with which CLIs that was for the same reason.
type finding struct {
	pkg, test string
	status    status
	reason    string
	clis      []string
}

// group is findings that differ in the test only.
type group struct {
	status status
	reason string
	clis   []string
	tests  []finding
}

// findings returns each test that did not pass, in the order of packages and names.
func (r *report) findings() (found []finding) {
	for _, t := range r.packages {
		begin := len(found)
		for i, results := range t.with {
			for _, f := range t.missed(results) {
				same := slices.IndexFunc(found, f.same)
				if same < 0 {
					same, found = len(found), append(found, f)
				}
				found[same].clis = append(found[same].clis, r.clis[i])
			}
		}
		slices.SortStableFunc(found[begin:], func(a, b finding) int { return cmp.Compare(a.test, b.test) })
	}

	return found
}

func (f finding) same(other finding) bool {
	return f.pkg == other.pkg && f.test == other.test && f.status == other.status && f.reason == other.reason
}

// missed returns a finding for each test that was skipped or failed by itself.
func (t *tested) missed(r results) (found []finding) {
	for _, name := range r.failures() {
		found = append(found, finding{t.name, name, failed, cmp.Or(r[name].Reason, "no reason given"), nil})
	}
	for name, result := range r {
		if result.Status == skipped {
			found = append(found, finding{t.name, name, skipped, withoutVersion(result.Reason), nil})
		}
	}

	return found
}

// thisCLI matches the version that ran, at the end of a reason to skip.
var thisCLI = regexp.MustCompile(`, and this is \w+ v\S+$`)

func withoutVersion(reason string) string { return thisCLI.ReplaceAllString(reason, "") }

func (f finding) belongsTo(g group) bool {
	return f.status == g.status && f.reason == g.reason && slices.Equal(f.clis, g.clis)
}

// reasons returns a list of the tests for each reason, those that failed first.
func (r *report) reasons() string {
	var groups []group
	for _, f := range r.findings() {
		i := slices.IndexFunc(groups, f.belongsTo)
		if i < 0 {
			i, groups = len(groups), append(groups, group{status: f.status, reason: f.reason, clis: f.clis})
		}
		groups[i].tests = append(groups[i].tests, f)
	}
	slices.SortStableFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(a.status, b.status), cmp.Compare(a.reason, b.reason))
	})

	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "\n%s with %s: %s.\n\n", g.status.word(), r.named(g.clis), strings.TrimSuffix(g.reason, ":"))
		g.list(&b)
	}

	return b.String()
}

// named returns the names of some CLIs.
func (r *report) named(clis []string) string {
	if len(clis) > 1 && len(clis) == len(r.clis) {
		return "each of them"
	}
	return strings.Join(clis, ", ")
}

// list prints the tests, with one line for each package.
func (g group) list(b *strings.Builder) {
	for i, f := range g.tests {
		switch {
		case i == 0:
			fmt.Fprintf(b, "- %s: ", f.pkg)
		case f.pkg != g.tests[i-1].pkg:
			fmt.Fprintf(b, "\n- %s: ", f.pkg)
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "`%s`", cmp.Or(f.test, "the program of the tests"))
	}
	b.WriteString("\n")
}
