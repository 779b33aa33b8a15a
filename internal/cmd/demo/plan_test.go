package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func decodePlan(t *testing.T, text string) *plan {
	t.Helper()
	var p plan
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

func TestExpectFailsForEveryOtherChange(t *testing.T) {
	t.Parallel()
	p := decodePlan(t, `{"resource_changes": [
		{"address": "a", "change": {"actions": ["no-op"]}},
		{"address": "b", "change": {"actions": ["update"]}},
		{"address": "c", "change": {"actions": ["no-op"], "importing": {"id": "c"}}},
		{"address": "d", "change": {"actions": ["delete", "create"]}}
	]}`)
	if err := p.expect("update b", "import c", "create d", "delete d"); err != nil {
		t.Errorf("the plan is as expected: %v", err)
	}
	for _, wanted := range [][]string{{}, {"update b"}, {"update b", "import c", "create d", "delete d", "update a"}} {
		if p.expect(wanted...) == nil {
			t.Errorf("expected %q and nothing was said", wanted)
		}
	}
}

func TestPlannedReadsThePeopleOfAPlan(t *testing.T) {
	t.Parallel()
	p := decodePlan(t, `{"resource_changes": [{"address": "a", "change": {"actions": ["create"],
		"after": {"identity_id": "user-1", "clause_1_consent": true, "agreement_time": "2026-01-15T09:30:00Z"}}}]}`)
	got, err := p.planned()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]consent{"user-1": {Clause1: true, AgreementTime: "2026-01-15T09:30:00Z"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected people (-want +got):\n%s", diff)
	}
	if _, err := decodePlan(t, `{"resource_changes": [{"address": "a", "change": {"actions": ["delete"], "after": null}}]}`).planned(); err == nil {
		t.Error("a plan without a person was accepted")
	}
}
