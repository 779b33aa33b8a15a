// SPDX-License-Identifier: MPL-2.0

package choice

import (
	"cmp"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

var (
	configured = time.Date(2026, 1, 31, 12, 0, 30, 0, time.UTC)
	sent       = Record{
		Clauses: [decode.Clauses]bool{true, true, false, true, true}, UserIPv6: netip.MustParseAddr("192.0.2.7"), AgreementTime: configured, Manual: true,
	}
)

// shown returns the answer of a service that shows what was sent, changed.
func shown(changes ...func(*decode.Consent)) decode.Consent {
	held := decode.Consent{
		UserIPv6: decode.Some("::ffff:192.0.2.7"), AgreementTime: decode.Some(configured), Manual: decode.Some(true),
	}
	for i, agreed := range sent.Clauses {
		held.Clauses[i] = decode.Some(agreed)
	}
	for _, change := range changes {
		change(&held)
	}

	return held
}

func refused(c *decode.Consent) {
	for i := range c.Clauses {
		c.Clauses[i] = decode.Some(false)
	}
}

func untimed(c *decode.Consent)   { c.AgreementTime = decode.Optional[time.Time]{} }
func byBanner(c *decode.Consent)  { c.Manual = decode.Some(false) }
func masked(c *decode.Consent)    { c.UserIPv6 = decode.Some("192.0.2.0") }
func noClause(c *decode.Consent)  { c.Clauses[0] = decode.Optional[bool]{Null: true} }
func noAddress(c *decode.Consent) { c.UserIPv6 = decode.Optional[string]{} }

func after(d time.Duration) func(*decode.Consent) {
	return func(c *decode.Consent) { c.AgreementTime = decode.Some(configured.Add(d)) }
}

// TestJudge_eachVerdict has each verdict, and what the actions do then.
func TestJudge_eachVerdict(t *testing.T) {
	t.Parallel()

	minutes := Keeping{Precision: time.Minute}
	unstamped, withFraction := sent, sent
	unstamped.AgreementTime, withFraction.AgreementTime = time.Time{}, configured.Add(500*time.Millisecond)
	confirmed := Confirmed{Sent: sent.Print()}
	asShown := Confirmed{Sent: sent.Print(), Shown: PrintOf(shown(masked, after(-30*time.Second)))}
	for name, tc := range map[string]struct {
		held    []func(*decode.Consent)
		e       Evidence // Print, Wanted and Since are set, unless it is of none
		untimed bool     // no time is configured
		want    Verdict
	}{
		"kept by another":        {e: Evidence{Taken: true, Action: Withdraw}, want: ByAnother},
		"from a cache":           {e: Evidence{Reading: Reading{Cached: true}}, want: Unread},
		"none, twice":            {e: Evidence{Twice: true, Reading: Reading{IsNone: true}, Known: true}, want: Missing},
		"none of somebody known": {e: Evidence{Reading: Reading{IsNone: true}, Known: true}, want: Doubted},
		"none of somebody new":   {e: Evidence{Reading: Reading{IsNone: true}}, want: Nobody},

		"lost and arrived":                  {e: Evidence{Reading: Reading{Lost: true}}, want: Arrived},
		"lost and arrived, another address": {held: of(masked), e: Evidence{Reading: Reading{Lost: true, Before: &Print{}}}, want: Arrived},
		"lost, another address as before":   {held: of(masked), e: Evidence{Reading: Reading{Lost: true, Before: new(PrintOf(shown(masked)))}}, want: Earlier},
		"lost and changed":                  {held: of(refused), e: Evidence{Reading: Reading{Lost: true, Before: new(PrintOf(shown()))}}, want: Later},
		"lost and changed, overruled":       {held: of(refused), e: Evidence{Reading: Reading{Lost: true, Before: new(PrintOf(shown()))}, Overrules: true}, want: Overruled},
		"lost and unchanged":                {held: of(refused), e: Evidence{Reading: Reading{Lost: true, Before: new(PrintOf(shown(refused)))}}, want: Earlier},
		"the record that is wanted":         {want: Same},
		"without a field":                   {held: of(untimed, noAddress), want: Same},
		"sent anew":                         {e: Evidence{Anew: true, Last: confirmed}, want: Resent},
		"ours with an address that is written only": {
			held: of(masked, after(-30*time.Second)), e: Evidence{Action: Withdraw, Last: Confirmed{Sent: PrintOf(shown(noAddress)), Shown: PrintOf(shown(noAddress, after(-30*time.Second)))}}, want: Ours,
		},
		"ours without its time":             {held: of(untimed), e: Evidence{Action: Withdraw, Last: confirmed}, want: Ours},
		"ours that has a time by now":       {held: of(after(time.Hour)), untimed: true, e: Evidence{Action: Withdraw, Last: Confirmed{Sent: unstamped.Print()}}, want: Untimed},
		"ours that the service dates":       {held: of(after(time.Hour)), untimed: true, e: Evidence{Action: Withdraw, Keeping: Keeping{SetsTime: true}, Last: Confirmed{Sent: unstamped.Print()}}, want: Ours},
		"ours with a clause of null":        {held: of(noClause, untimed), e: Evidence{Last: confirmed}, want: Untimed},
		"an address of null":                {held: of(func(c *decode.Consent) { c.UserIPv6 = decode.Optional[string]{Null: true} }), want: Earlier},
		"an address in another spelling":    {held: of(func(c *decode.Consent) { c.UserIPv6 = decode.Some("192.0.2.7") }), want: Same},
		"another manual":                    {held: of(byBanner), want: Earlier},
		"another manual, which is altered":  {held: of(byBanner), e: Evidence{Keeping: Keeping{Altered: []string{"manual"}}}, want: Same},
		"another address":                   {held: of(masked), want: Earlier},
		"another address, which is altered": {held: of(masked), e: Evidence{Keeping: Keeping{Altered: []string{"user_ipv6"}}}, want: Same},
		"a time that the service sets":      {held: of(after(time.Hour)), e: Evidence{Keeping: Keeping{SetsTime: true}}, want: Same},
		"the fraction of a second, cut":     {held: of(after(0)), e: Evidence{Wanted: withFraction}, want: Same},
		"the fraction, which counts":        {held: of(after(0)), e: Evidence{Wanted: withFraction, Keeping: Keeping{Precision: time.Millisecond}}, want: Earlier},
		"the same choice later":             {held: of(after(time.Millisecond)), want: Later},
		"a refusal later":                   {held: of(refused, after(time.Hour)), want: Later},
		"a refusal later, overruled":        {held: of(refused, after(time.Hour)), e: Evidence{Overrules: true}, want: Overruled},
		"a refusal earlier":                 {held: of(refused, after(-time.Hour)), want: Earlier},
		"a refusal at the same time":        {held: of(refused), want: Earlier},
		"a refusal in the same minute":      {held: of(refused, after(-30*time.Second)), e: Evidence{Keeping: minutes}, want: Untimed},
		"a refusal in the minute before":    {held: of(refused, after(-90*time.Second)), e: Evidence{Keeping: minutes}, want: Earlier},
		"a refusal without a time":          {held: of(refused, untimed), want: Untimed},
		"a refusal, and no time configured": {held: of(refused), untimed: true, want: Untimed},
		"a consent, and no time configured": {held: of(byBanner), untimed: true, want: Agreed},
		"shown in the minute of ours":       {held: of(refused, after(-30*time.Second)), e: Evidence{Last: asShown}, want: Untimed},
		"shown after the minute of ours":    {held: of(refused, after(-20*time.Second)), e: Evidence{Last: asShown}, want: Later},
		"shown otherwise, configured later": {held: of(refused, after(-20*time.Second)), e: Evidence{Since: configured.Add(time.Hour), Last: asShown}, want: Earlier},
		"shown otherwise, another time":     {held: of(refused, after(-20*time.Second)), e: Evidence{Last: Confirmed{Sent: sent.Print(), Shown: Print{Address: 7}}}, want: Earlier},
		"ours":                              {held: of(refused), e: Evidence{Last: Confirmed{Shown: PrintOf(shown(refused))}}, want: Ours},
		"ours, and then a later choice":     {held: of(refused, after(time.Hour)), e: Evidence{Last: confirmed}, want: Later},
		"withdrawn already":                 {held: of(refused, byBanner, untimed), e: Evidence{Action: Withdraw}, want: Same},
		"to be withdrawn, of ours":          {e: Evidence{Action: Withdraw, Last: confirmed}, want: Ours},
		"to be withdrawn, and chosen later": {held: of(byBanner, after(time.Hour)), e: Evidence{Action: Withdraw, Last: asShown}, want: Later},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			e := tc.e
			if !e.IsNone {
				e.Print = PrintOf(shown(tc.held...))
			}
			if e.Action != Withdraw && e.Wanted == (Record{}) {
				e.Wanted = sent
			}
			if !tc.untimed {
				e.Since = cmp.Or(e.Since, configured)
			}
			if got, _ := Judge(e); got != tc.want {
				t.Errorf("the verdict is %d, want %d", got, tc.want)
			}
		})
	}
}

func of(changes ...func(*decode.Consent)) []func(*decode.Consent) { return changes }

// TestJudge_everySetOfFacts holds what users are promised for every set of facts, possible or not.
func TestJudge_everySetOfFacts(t *testing.T) {
	t.Parallel()

	found := map[Verdict]bool{}
	for all := range FactUntimed << 1 {
		row := rows[slices.IndexFunc(rows, func(r row) bool { return all&r.facts == r.facts })]
		found[row.verdict] = true
		has := func(facts Fact) bool { return all&facts != 0 }
		for i, act := range row.acts {
			action := Action(i)
			writes := act == Send
			for promise, broken := range map[string]bool{
				"a reading from a cache does not count":                  has(FactCached) && writes,
				"a later choice stands":                                  has(FactLater) && !has(FactNone|FactSame|FactOurs|FactOverrules) && writes,
				"what cannot be compared stands":                         has(FactUntimed) && !has(FactNone|FactSame|FactOurs|FactOverrules|FactClauses) && writes,
				"a refresh sends nothing":                                action == Refresh && writes,
				"nobody is withdrawn whom another object keeps":          action == Withdraw && has(FactTaken) && writes,
				"nothing is written about somebody whose record is gone": action != Plan && has(FactNone) && has(FactKnown) && writes,
				"one reading of none forgets nobody known":               has(FactKnown) && !has(FactTwice) && act == Forget,
				"a withdrawal makes no record":                           action == Withdraw && has(FactNone) && writes,
			} {
				if broken {
					t.Errorf("%s: with the facts %b, action %d does %d", promise, all, action, act)
				}
			}
		}
	}

	if len(found) != int(Earlier)+1 {
		t.Errorf("%d verdicts of %d are reached", len(found), Earlier+1)
	}
}

// TestTable_isInTheGuide has the table in the guide, a line for each row of facts. To renew it, replace it
// by what the test prints.
func TestTable_isInTheGuide(t *testing.T) {
	t.Parallel()
	words := map[Act]string{
		Nothing: "–", Send: "writes", Stand: "**leaves it, warns**", Take: "shows it", Ask: "reads again",
		Forget: "removes the resource from state", Report: "warns that it is missing", Refuse: "error", Withhold: "leaves it, warns",
	}
	table := "| the service holds | a refresh | a plan | a write | a withdrawal |\n|---|---|---|---|---|\n"
	for _, row := range rows {
		table += "| " + row.says
		for _, act := range row.acts {
			table += " | " + words[act]
		}
		table += " |\n"
	}

	page, err := os.ReadFile("../../templates/guides/consent-as-code.md.tmpl")
	if err != nil || !strings.Contains(string(page), table) {
		t.Errorf("the table of the guide is not (%v):\n%s", err, table)
	}
}
