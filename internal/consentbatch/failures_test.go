// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

func TestFailures_groupedByCause(t *testing.T) {
	t.Parallel()

	var f failures
	for part := 30; part > 0; part-- {
		f.add(part, &transport.Error{Class: transport.ClassServer, Status: 500, Operation: "Get consent", Method: "GET", Attempts: part})
	}

	f.add(40, fmt.Errorf("around it: %w", &transport.Error{Class: transport.ClassServer, Status: 503}))
	f.add(41, &transport.Error{Class: transport.ClassConflict, Status: 409, Code: "E1", Message: "said of 41"})
	f.add(42, &transport.Error{Class: transport.ClassConflict, Status: 409, Code: "E1", Message: "said of 42"})
	f.add(43, errors.New("jane@example.com"))
	want := strings.Join([]string{
		"The service failed (30): lines #1, #2, #3, #4, #5, #6, #7, #8, #9, #10, #11, #12, #13, #14, #15, #16, #17, #18, #19, #20 and 10 more\nOperation: Get consent: GET\nHTTP status: 500\nAttempts: 30",
		"The service failed (1): 1 line\nHTTP status: 503",
		"Changed elsewhere (1): 1 line\nHTTP status: 409\nCode of the service: \"E1\"\nThe service says: \"said of 41\"",
		"Changed elsewhere (1): 1 line\nHTTP status: 409\nCode of the service: \"E1\"\nThe service says: \"said of 42\"",
		"Internal error (1): 1 line\n",
	}, "\n\n")
	text, advice := f.describe(func(part int) string { return "#" + strconv.Itoa(part) })
	if text != want || advice != tfkit.Advice(&transport.Error{Class: transport.ClassServer}) {
		t.Errorf("%s\nwant:\n%s\nthe advice is %q", text, want, advice)
	}

	var many failures // more than are shown
	for row := range 30 {
		many.add(row, &transport.Error{Class: transport.ClassConflict, Code: strconv.Itoa(row)})
		if row < 5 {
			many.add(100+row, &transport.Error{Class: transport.ClassRejected})
		}
	}
	text, _ = many.describe(strconv.Itoa)
	first, last := "The service rejected the request (5): lines 100, 101, 102, 103, 104\n", "23 other causes (23): lines 7, 8, 9, 10, 11, 12, 13, 14 and 15 more"
	if !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) || strings.Count(text, "Code of the service") != limitShownCauses-1 {
		t.Errorf("with more causes, it is\n%s", text)
	}
}

// TestFailures_causesAreBounded checks that messages which differ for each row, such as those
// with a number of the request, do not take memory without bounds, and that no failure is
// counted for a cause that it does not have.
func TestFailures_causesAreBounded(t *testing.T) {
	t.Parallel()
	var f failures
	for row := range 3 * limitCauses {
		f.add(row, &transport.Error{Class: transport.ClassRejected, Status: 400, Message: "request " + strconv.Itoa(row)})
		f.add(row, &transport.Error{Class: transport.ClassServer, Status: 500, Message: "request " + strconv.Itoa(row)})
	}

	rows := 0
	for _, c := range f.causes {
		rows += len(c.rows)
		if len(c.rows) > 1 && c.error.Message != "" {
			t.Errorf("%d rows have the message of one", len(c.rows))
		}
	}

	if rows != 6*limitCauses || len(f.causes) != limitCauses+2 {
		t.Errorf("%d rows, %d causes", rows, len(f.causes))
	}
}
