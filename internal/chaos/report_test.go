// SPDX-License-Identifier: MPL-2.0

//go:build chaos

package chaos

import (
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/markdown"
)

// figures are what the courses over one way have counted.
type figures struct{ courses, applies, failed, unknown, requests int }

// summary holds the figures by the name of the scenario.
var summary struct {
	sync.Mutex

	byName map[string]figures
}

// report adds a course that kept all promises to the summary.
func (c *course) report() {
	if c.t.Failed() {
		return
	}

	summary.Lock()
	defer summary.Unlock()
	if summary.byName == nil {
		summary.byName = map[string]figures{}
	}

	sum := summary.byName[c.way.name]
	sum.courses++
	sum.applies += c.applies
	sum.failed += c.failed
	sum.requests += len(c.service.Requests())
	for _, o := range c.people {
		sum.unknown += o.Unknown
	}
	summary.byName[c.way.name] = sum
}

// writeSummary writes the summary into the file that CHAOS_SUMMARY names.
func writeSummary(t *testing.T) {
	t.Helper()
	path := os.Getenv("CHAOS_SUMMARY")
	if path == "" {
		return
	}

	var lines [][]string
	for _, s := range scenarios {
		sum := summary.byName[s.name]
		line := []string{s.name}
		for _, n := range []int{sum.courses, sum.applies, sum.failed, sum.unknown, sum.requests} {
			line = append(line, strconv.Itoa(n))
		}
		lines = append(lines, line)
	}

	head := []string{"on the way", "courses that kept every promise", "applies", "of them with errors", "outcomes unknown", "requests"}
	if err := os.WriteFile(path, []byte(markdown.Table(head, lines)), 0o600); err != nil {
		t.Error(err)
	}
}
