package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// profile is a person's profile: members of any kind, each as its JSON text.
type profile map[string]json.RawMessage

// String names the members in order, such as `newsletter: false, plan: "gold"`.
func (p profile) String() string {
	var members []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		members = append(members, fmt.Sprintf("%s: %s", name, p[name]))
	}
	return strings.Join(members, ", ")
}

// with is the profile with some members replaced.
func (p profile) with(members profile) profile {
	all := maps.Clone(p)
	maps.Copy(all, members)
	return all
}

// profileOf reads a profile as a configuration has it: the text of a JSON object.
func profileOf(text string) (p profile, err error) {
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return nil, fmt.Errorf("no profile in the configuration: %w", err)
	}
	return p, nil
}
