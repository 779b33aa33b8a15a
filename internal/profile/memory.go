// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// keyMemory is the key of a memory in private state.
const keyMemory = "values"

// memory is what private state remembers of managed members: digests of values, and names. A
// service may make another value of one that it was sent, such as an address in lower case.
type memory struct {
	// Before are the values that the members of the latest update had before it, until that
	// is over. A value that is not known is empty.
	Before map[string]string `json:"before,omitempty"`
	// Made are the values that the service has made of others, which are in state.
	Made map[string]string `json:"made,omitempty"`
	// Written are the names of write-only members that were sent. They are not in state, and
	// on_destroy = "clear" needs them.
	Written []string `json:"written,omitempty"`
}

// readMemory returns the memory in private state; an empty one if there is none.
func readMemory(ctx context.Context, private tfkit.Private) (m memory) {
	text, _ := private.GetKey(ctx, keyMemory)
	_ = json.Unmarshal(text, &m) // is empty, or what save has stored

	return m
}

// save stores the memory, or removes it if it is empty.
func (m memory) save(ctx context.Context, private tfkit.Private) diag.Diagnostics {
	text, _ := json.Marshal(m) // cannot fail for strings
	if string(text) == "{}" {
		text = nil
	}

	return private.SetKey(ctx, keyMemory, text)
}

// digestOf returns a digest of members and their values.
func digestOf(all members) string {
	sum := sha256.Sum256([]byte(jsonvalue.FormatObject(all)))
	return hex.EncodeToString(sum[:8])
}

// digest returns a digest of a member's value. One that is null counts as absent.
func digest(name string, of members) string {
	value, ok := of[name]
	if !ok || value.Kind() == 'n' {
		return "absent"
	}
	return digestOf(members{"": value})
}

// noteSending notes that changes are about to be sent to a profile that has the members in held;
// nil if they are not known.
func (m *memory) noteSending(changes, held members) {
	m.Before, m.Made = map[string]string{}, maps.Clone(m.Made)
	for name := range changes {
		m.Before[name] = ""
		if held != nil {
			m.Before[name] = digest(name, held)
		}
		delete(m.Made, name)
	}
}

// sent returns those of our members that the latest update has set; all of them if that is
// not known.
func (m *memory) sent(ours members) members {
	if len(m.Before) == 0 {
		return ours
	}

	sent := maps.Clone(ours)
	maps.DeleteFunc(sent, func(name string, _ jsontext.Value) bool {
		_, ok := m.Before[name]
		return !ok
	})

	return sent
}

// make notes what the service has made of the values of members.
func (m *memory) make(names []string, held members) {
	if m.Made == nil {
		m.Made = map[string]string{}
	}
	for _, name := range names {
		m.Made[name] = digest(name, held)
	}
}
