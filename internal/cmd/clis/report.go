package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/markdown"
)

// report is what a run has found so far.
type report struct {
	clis     []string // such as "Terraform 1.15.9"
	packages []*tested
}

// tested is a package, and its results with each CLI of the report.
type tested struct {
	name string
	with []results
}

// counts are how many tests ended in which way.
type counts map[status]int

// String returns the text of a cell: how many tests passed, and how many did not.
func (c counts) String() string {
	words := []string{strconv.Itoa(c[passed])}
	if c[skipped] > 0 {
		words = append(words, fmt.Sprintf("%d skipped", c[skipped]))
	}
	if c[failed] > 0 {
		words = append(words, fmt.Sprintf("%d FAILED", c[failed]))
	}
	return strings.Join(words, ", ")
}

func (c counts) plus(other counts) counts {
	sum := maps.Clone(other)
	for status, n := range c {
		sum[status] += n
	}
	return sum
}

// leaves returns the tests without subtests. Those that only some CLIs ran are among them.
func (t *tested) leaves() []string {
	parents, all := map[string]bool{}, map[string]bool{}
	for _, r := range t.with {
		for name := range r {
			all[name] = true
			for i, c := range name {
				if c == '/' {
					parents[name[:i]] = true
				}
			}
		}
	}

	maps.DeleteFunc(all, func(name string, _ bool) bool { return parents[name] })

	return slices.Sorted(maps.Keys(all))
}

// count returns how the tests without subtests ended with a CLI. A test that failed
// although its subtests did not counts too.
func (t *tested) count(cli int) counts {
	got := counts{failed: len(t.with[cli].failures())}
	for _, leaf := range t.leaves() {
		if ended := t.with[cli].of(leaf); ended == passed || ended == skipped {
			got[ended]++
		}
	}
	return got
}

// failed returns how many tests failed with any CLI.
func (r *report) failed() (n int) {
	for _, t := range r.packages {
		for _, results := range t.with {
			n += len(results.failures())
		}
	}
	return n
}

// String returns the report as Markdown.
func (r *report) String() string {
	return "How many tests passed with each version:\n\n" + r.perPackage() + r.reasons()
}

// perPackage returns a table with a row for each package.
func (r *report) perPackage() string {
	var lines [][]string
	total := make([]counts, len(r.clis))
	for _, t := range r.packages {
		line := []string{t.name}
		for i := range r.clis {
			n := t.count(i)
			line = append(line, n.String())
			total[i] = total[i].plus(n)
		}
		lines = append(lines, line)
	}

	last := []string{"all"}
	for _, n := range total {
		last = append(last, n.String())
	}

	return markdown.Table(append([]string{"package"}, r.clis...), append(lines, last))
}
