// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// noteKey is the key of the note in private state.
const noteKey = "later_choice"

// choiceNote records in private state that the service holds a choice that this object has
// not written. State then holds the person's own values, so comparing it with the
// configuration would not show that. The zero note means that no such choice is known.
type choiceNote struct {
	// Configured is the agreement_time of the configuration; zero if there was none.
	Configured time.Time `json:"configured,omitzero"`
	// Untimed reports that the record has no agreement_time, and other clauses than this
	// object has written. It may be a later choice, so it stands.
	Untimed bool `json:"untimed,omitzero"`
	// Unconfigured reports that the record has other clauses than this object has written,
	// and a time, while the configuration has none to compare it with. It does not stand.
	Unconfigured bool `json:"unconfigured,omitzero"`
}

// readNote returns the note in private state; the zero note if it holds none.
func readNote(ctx context.Context, private tfkit.PrivateReader) (n choiceNote) {
	text, _ := private.GetKey(ctx, noteKey)
	if json.Unmarshal(text, &n) != nil {
		return choiceNote{}
	}

	return n
}

// write stores the note in private state. The zero note removes it.
func (n choiceNote) write(ctx context.Context, private tfkit.PrivateWriter) diag.Diagnostics {
	if n == (choiceNote{}) {
		return private.SetKey(ctx, noteKey, nil)
	}

	text, _ := json.Marshal(n) // fails only for a year after 9999, which RFC 3339 cannot hold
	return private.SetKey(ctx, noteKey, text)
}

// stands reports whether a choice of the person is known to stand.
func (n choiceNote) stands() bool { return n.Untimed || !n.Configured.IsZero() }

// configuredTime returns the configured time that a choice is compared with: the noted one,
// or else that of the state. The zero Time is none.
func (n choiceNote) configuredTime(state resourceModel) time.Time {
	inState, _ := state.AgreementTime.Value()
	return cmp.Or(n.Configured, inState)
}

// after returns the note to store after a refresh of state.
func (n choiceNote) after(state resourceModel, held answer.Consent) choiceNote {
	configured := n.configuredTime(state)
	_, timed := held.AgreementTime.Get()
	isOwn := n == choiceNote{} && state.hasClausesOf(held)

	if !timed && !isOwn {
		return choiceNote{Configured: configured, Untimed: true}
	}
	if configured.IsZero() && !isOwn {
		return choiceNote{Unconfigured: true}
	}

	isOwn = isOwn && (!timed || state.hasTimeOf(held))
	protected := state.protected(configured)
	if isOwn || protected.IsZero() || !held.LaterThan(protected) {
		return choiceNote{}
	}

	return choiceNote{Configured: configured}
}
