// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
)

// memory is what private state remembers of managed members: digests of values, and names. A
// service may make another value of one that it was sent, such as an address in lower case.
type memory struct {
	// Before are the values that the members of the latest update had before it, until that
	// is over. A value that is not known is empty.
	Before map[string]string `json:"before,omitempty"`
	// Normalized are the values that the service has made of others, which are in state.
	Normalized map[string]string `json:"made,omitempty"`
	// WriteOnly are the names of write-only members that were sent. They are not in state, and
	// on_destroy = "clear" needs them.
	WriteOnly []string `json:"written,omitempty"`
}

// readMemory returns the memory of a document; an empty one if there is none.
func readMemory(of run.Document) (m memory) {
	_ = json.Unmarshal(of.Values, &m) // is empty, or what encode has returned
	return m
}

// encode returns the memory as JSON; nil if it is empty. No digest of write-only values is stored: those
// of before may be write-only ones too.
func (m memory) encode(isWriteOnly bool) jsontext.Value {
	if isWriteOnly {
		before := map[string]string{}
		for name := range m.Before {
			before[name] = ""
		}
		m.Before = before
	}

	text, _ := json.Marshal(m) // cannot fail for strings
	if string(text) == "{}" {
		return nil
	}

	return text
}

// digest returns a digest of a member's value. One that is null counts as absent.
func digest(value jsontext.Value) string {
	if len(value) == 0 || value.Kind() == 'n' {
		return "absent"
	}
	sum := sha256.Sum256([]byte(jsonvalue.FormatObject(members{"": value})))
	return hex.EncodeToString(sum[:8])
}

// noteSending notes that changes are about to be sent to a profile that has the members in current;
// nil if they are not known.
func (m *memory) noteSending(changes, current members) {
	m.Before, m.Normalized = map[string]string{}, maps.Clone(m.Normalized)
	for name := range changes {
		delete(m.Normalized, name)
		m.Before[name] = ""
		if current != nil && !slices.Contains(m.WriteOnly, name) { // whose value is stored in no form
			m.Before[name] = digest(current[name])
		}
	}
}

// sent returns those of our members that the latest update has set; all of them if that is
// not known.
func (m *memory) sent(ours members) members {
	if len(m.Before) == 0 {
		return ours
	}

	sent := members{}
	for name, value := range ours {
		if _, ok := m.Before[name]; ok {
			sent[name] = value
		}
	}

	return sent
}

// noteNormalized notes what the service shows of values that were sent: of those that are spelled
// otherwise, and with isOurs of any.
func (m *memory) noteNormalized(sent, current members, isOurs bool) {
	made := map[string]string{}
	maps.Copy(made, m.Normalized)
	for name, value := range sent {
		isMade := isOurs || alike(value, current[name])
		if shown := digest(current[name]); isMade && shown != digest(value) {
			made[name] = shown
		}
	}
	m.Normalized = made
}

// effectOf returns what a profile that holds members shows of an update that sets others, which had the
// digests in before; empty where that is not known.
func effectOf(sent, current members, before map[string]string) proof.Effect {
	isShown, isAltered := true, false
	for name, value := range sent {
		if !alike(value, current[name]) {
			isShown = false
		}
		if before[name] != "" && before[name] != digest(current[name]) {
			isAltered = true
		}
	}

	switch {
	case isShown:
		return proof.Shown
	case isAltered:
		return proof.Altered
	}

	return proof.Missing
}

// alike reports whether a value is the one that was sent, or differs from it only as a service may
// spell it: a text by capitals, blanks and punctuation, and an empty text by being absent.
func alike(sent, shown jsontext.Value) bool {
	if isNothing(sent) || isNothing(shown) {
		return isNothing(sent) && isNothing(shown)
	}
	if jsonvalue.Equal(sent, shown) {
		return true
	}

	text := jsonvalue.Fold(jsonvalue.Text(sent))

	return text != "" && text == jsonvalue.Fold(jsonvalue.Text(shown))
}

// isNothing reports whether a value is absent, null or an empty text.
func isNothing(v jsontext.Value) bool { return len(v) == 0 || v.Kind() == 'n' || string(v) == `""` }
