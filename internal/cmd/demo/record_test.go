package main

import "testing"

func TestDifferenceNamesWhatIsNotAsWanted(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	wanted := consent{Clause1: true, Clause2: true, AgreementTime: "2026-01-15T09:30:00Z", Manual: &no}
	for name, c := range map[string]struct {
		got  consent
		want string
	}{
		"equal":            {wanted, ""},
		"the same instant": {consent{Clause1: true, Clause2: true, AgreementTime: "2026-01-15T10:30:00.000+01:00", Manual: &no}, ""},
		"a clause":         {consent{Clause1: true, AgreementTime: "2026-01-15T09:30:00Z", Manual: &no}, "clause 2 is false instead of true"},
		"the time":         {consent{Clause1: true, Clause2: true, AgreementTime: "soon", Manual: &no}, `agreement_time is "soon" instead of "2026-01-15T09:30:00Z"`},
		"the origin":       {consent{Clause1: true, Clause2: true, AgreementTime: "2026-01-15T09:30:00Z", Manual: &yes}, "manual is not false"},
	} {
		if got := wanted.difference(c.got); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if got := wanted.clauses().difference(consent{Clause1: true, Clause2: true}); got != "" {
		t.Errorf("clauses alone differ: %s", got)
	}
}

func TestARecordReadsAsASentence(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]consent{
		"agrees to nothing":            {},
		"agrees to clause 3":           {Clause3: true},
		"agrees to clauses 1, 2 and 5": {Clause1: true, Clause2: true, Clause5: true},
	} {
		if got := c.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
