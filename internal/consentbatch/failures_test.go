package consentbatch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

func TestFailuresAreGroupedByWhatHappened(t *testing.T) {
	t.Parallel()
	var f failures
	for part := 30; part > 0; part-- {
		f.Add(part, &client.Error{Kind: client.KindServer, Status: 500, Operation: "Get consent", Method: "GET", Attempts: part})
	}
	f.Add(40, fmt.Errorf("around it: %w", &client.Error{Kind: client.KindServer, Status: 503}))
	f.Add(41, &client.Error{Kind: client.KindConflict, Status: 409, Code: "E1", Message: "said of 41"})
	f.Add(42, &client.Error{Kind: client.KindConflict, Status: 409, Code: "E1", Message: "said of 42"})
	f.Add(43, errors.New("jane@example.com"))
	want := strings.Join([]string{
		"The service failed (30): lines #1, #2, #3, #4, #5, #6, #7, #8, #9, #10, #11, #12, #13, #14, #15, #16, #17, #18, #19, #20 and 10 more\nOperation: Get consent: GET\nHTTP status: 500\nAttempts: 30",
		"Changed elsewhere (2): 2 lines\nHTTP status: 409\nCode of the service: \"E1\"\nThe service says: \"said of 41\"",
		"The service failed (1): 1 line\nHTTP status: 503",
		"Internal error (1): 1 line\n",
	}, "\n\n")
	if got := f.Text(func(part int) string { return "#" + strconv.Itoa(part) }); got != want || f.Count != 34 {
		t.Errorf("%d failures:\n%s\nwant:\n%s", f.Count, got, want)
	}
	if f.Advice() != tfkit.Advice(&client.Error{Kind: client.KindServer}) {
		t.Errorf("the advice is %q", f.Advice())
	}
}

func TestFailuresOfTooManySortsAreStillCounted(t *testing.T) {
	t.Parallel()
	var f failures
	for part := range 1000 {
		f.Add(part, &client.Error{Kind: client.KindRejected, Code: strconv.Itoa(part)})
	}
	if text := f.Text(strconv.Itoa); f.Count != 1000 || strings.Count(text, "rejected") != limitGroups || !strings.Contains(text, "(993): line") {
		t.Errorf("%d failures:\n%s", f.Count, text)
	}
}
