// SPDX-License-Identifier: MPL-2.0

package proof

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table into the guide")

var (
	states  = []State{Unanswered, Accepted, Listed}
	lists   = []List{Unread, Absent, AbsentTwice, Unclear, Waiting, DoneOnce, Done, Over, SaysFailed}
	effects = []Effect{NoEffect, Unreadable, Missing, Altered, Shown, Proven}
)

// What the guide calls the values.
var (
	listTexts = map[List]string{
		Unread:      "nothing: it is not whole, comes from a cache, is older than the request, or has a record that may be the request",
		Absent:      "not the request, once",
		AbsentTwice: "not the request, and `wire.lag` later again not",
		Unclear:     "the request, with statuses that are not known or disagree",
		Waiting:     "the request as pending",
		DoneOnce:    "the request as done, once, in a record without its ID",
		Done:        "the request as done: by its ID, or for the second time",
		Over:        "the request with a status that only `wire` calls ended",
		SaysFailed:  "the request as failed",
	}
	effectTexts = map[Effect]string{
		NoEffect: "none can be seen", Unreadable: "could not be read", Missing: "is missing",
		Altered: "is missing, and the values have changed", Shown: "was seen once", Proven: "was seen twice",
	}
)

// cells returns the texts of the verdicts for a list and an effect, by state.
func cells(list List, effect Effect) string {
	text := ""
	for _, s := range states {
		v := Table[list][s][effect]
		text += " " + string(v.State)
		if v.Action == GiveUp || v.Action == Repeat {
			text += "; waiting ends"
		}
		text += " |"
	}

	return text
}

// guide returns the table as the guide has it. Effects with the same verdicts share a row.
func guide() string {
	text := "| the pending list shows | the effect | unanswered becomes | accepted becomes | listed becomes |\n|---|---|---|---|---|\n"
	for _, list := range lists {
		var order []string
		shared := map[string][]string{}
		for _, effect := range effects {
			verdicts := cells(list, effect)
			if shared[verdicts] == nil {
				order = append(order, verdicts)
			}
			shared[verdicts] = append(shared[verdicts], effectTexts[effect])
		}

		for _, verdicts := range order {
			effect := strings.Join(shared[verdicts], "; ")
			if len(order) == 1 {
				effect = "any"
			} else if len(shared[verdicts]) > 3 {
				effect = "any other"
			}
			text += "| " + listTexts[list] + " | " + effect + " |" + verdicts + "\n"
		}
	}

	return text
}

// TestGuides_tableOfRequests compares the table with what the guide says.
func TestGuides_tableOfRequests(t *testing.T) {
	t.Parallel()
	const file = "../../../templates/guides/erasure-and-access.md.tmpl"
	const begin, end = "<!-- The table is that of internal/deferred/proof. -->\n\n", "\nThe states:"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	before, rest, begins := strings.Cut(string(text), begin)
	shown, after, ends := strings.Cut(rest, end)
	switch {
	case !begins || !ends:
		t.Errorf("%s has no place for the table", file)
	case shown == guide():
	case *update:
		if err := os.WriteFile(file, []byte(before+begin+guide()+end+after), 0o600); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("%s has another table; run: make docs", file)
	}
}

// Every cell keeps the promises of the package.
func TestTable_everyCell(t *testing.T) {
	t.Parallel()
	cells := 0
	for _, s := range states {
		for _, list := range lists {
			for _, effect := range effects {
				cells++
				v := Table[list][s][effect]
				for _, promise := range promises {
					if promise.concerns(s, list, effect, v) {
						t.Errorf("%s, %s, effect %s: %+v, but %s", s, listTexts[list], effectTexts[effect], v, promise.text)
					}
				}
			}
		}
	}
	t.Logf("%d cells", cells)
}

// promises are what no cell may break. concerns reports whether a cell breaks the promise.
var promises = []struct {
	text     string
	concerns func(s State, list List, effect Effect, v Verdict) bool
}{
	{"a list that proves nothing decides nothing", func(s State, list List, _ Effect, v Verdict) bool {
		return list == Unread && v != Verdict{s, ReadAgain}
	}},
	{"one reading of a record without its ID does not prove that it is done", func(_ State, list List, _ Effect, v Verdict) bool {
		return list == DoneOnce && v.State == Fulfilled
	}},
	{"its absence proves nothing if the list has never shown it, without an effect that was seen twice", func(s State, list List, effect Effect, v Verdict) bool {
		isAbsent := slices.Contains([]List{Absent, AbsentTwice}, list)
		return s != Listed && isAbsent && effect != Proven && v.Action == End
	}},
	{"a single absence proves nothing", func(_ State, list List, effect Effect, v Verdict) bool {
		return list == Absent && effect != Proven && v.Action != ReadAgain
	}},
	{"what could not be read decides nothing, nor does an effect that was seen once", func(_ State, list List, effect Effect, v Verdict) bool {
		isMeasured := slices.Contains([]List{Absent, AbsentTwice, Over}, list)
		return isMeasured && slices.Contains([]Effect{Unreadable, Shown}, effect) && v.Action != ReadAgain
	}},
	{"what was accepted stays known", func(s State, _ List, _ Effect, v Verdict) bool {
		return s != Unanswered && v.State == Unanswered
	}},
	{"only a request that nothing shows, read twice, may be sent again", func(s State, list List, _ Effect, v Verdict) bool {
		return v.Action == Repeat && (s != Unanswered || list != AbsentTwice)
	}},
	{"only what is fulfilled or failed has ended, and only then", func(_ State, _ List, _ Effect, v Verdict) bool {
		isOver := slices.Contains([]State{Fulfilled, Failed}, v.State)
		return isOver != (v.Action == End)
	}},
}
