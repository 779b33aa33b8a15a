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

	// Messages that differ for each row take no memory without bounds, and no failure counts for a
	// cause that it does not have.
	var many failures
	for row := range 3 * limitCauses {
		many.add(row, &transport.Error{Class: transport.ClassRejected, Status: 400, Message: "request " + strconv.Itoa(row)})
		if row < 5 {
			many.add(10_000+row, &transport.Error{Class: transport.ClassConflict})
		}
	}
	text, _ = many.describe(strconv.Itoa)
	vague, rest := fmt.Sprintf("(%d): lines %d, ", 2*limitCauses+1, limitCauses-1), "993 other causes (993): 993 lines"
	if !strings.Contains(text, vague) || !strings.HasSuffix(text, rest) || strings.Count(text, "The service says") != limitShownCauses-2 {
		t.Errorf("with more causes, it is\n%s", text)
	}
}
