package main

import (
	"encoding/json"
	"testing"
)

func TestAttributesOfTheStateAreCompared(t *testing.T) {
	t.Parallel()
	var s state
	text := `{"values": {"outputs": {"pending": {"value": 1}}, "root_module": {"resources": [
		{"address": "a.b", "values": {"fulfilled": true, "sha256": "abc", "fulfilled_at": null}}]}}}`
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	if err := s.expect("a.b", map[string]any{"fulfilled": true, "sha256": "abc"}); err != nil {
		t.Errorf("the state is as expected: %v", err)
	}
	for _, wanted := range []map[string]any{{"fulfilled": false}, {"sha256": "abd"}, {"fulfilled_at": "now"}} {
		if s.expect("a.b", wanted) == nil {
			t.Errorf("expected %v and nothing was said", wanted)
		}
	}
	if s.expect("a.c", map[string]any{"fulfilled": true}) == nil {
		t.Error("an object that is not there has attributes")
	}
	if s.Values.Outputs["pending"].Value != float64(1) {
		t.Errorf("the output is %v", s.Values.Outputs["pending"].Value)
	}
}
