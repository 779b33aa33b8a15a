package main

import "testing"

func TestAProfileIsToldInOrderAndChangedMemberByMember(t *testing.T) {
	t.Parallel()
	before, err := profileOf(`{"plan": "free", "seats": 3, "newsletter": true}`)
	if err != nil {
		t.Fatal(err)
	}
	change, err := profileOf(`{"plan": "gold"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := before.with(change).String(), `newsletter: true, plan: "gold", seats: 3`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := before.String(), `newsletter: true, plan: "free", seats: 3`; got != want {
		t.Errorf("afterwards the one before is %q, want %q", got, want)
	}
	if _, err := profileOf("<nil>"); err == nil {
		t.Error("accepted what is no profile")
	}
}
