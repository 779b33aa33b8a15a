// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// noteKey is the key of the note in private state.
const noteKey = "later_choice"

// choiceNote records in private state that the service holds a choice that this object has
// not written. State then holds the person's own values, so comparing it with the
// configuration would not show that. The zero note means that no such choice is known.
//
// It is encoded as configured in milliseconds since 1970, negative if untimed.
type choiceNote struct {
	// configured is the agreement_time of the configuration; zero if there was none.
	configured time.Time
	// untimed reports that the record has no agreement_time, and other clauses than this
	// object has written. It may be a later choice, so it stands.
	untimed bool
	// unconfigured reports that the record has other clauses than this object has written,
	// and a time, while the configuration has none to compare it with. It does not stand.
	unconfigured bool
}

// Encodings of notes without a configured time.
const (
	untimedOnly      = -1
	unconfiguredOnly = -2
)

// readNote returns the note in private state; the zero note if it holds none.
func readNote(ctx context.Context, private tfkit.PrivateReader) choiceNote {
	value, _ := private.GetKey(ctx, noteKey)
	ms, err := strconv.ParseInt(string(value), 10, 64)

	switch {
	case err != nil:
		return choiceNote{}
	case ms == untimedOnly:
		return choiceNote{untimed: true}
	case ms == unconfiguredOnly:
		return choiceNote{unconfigured: true}
	case ms < 0:
		return choiceNote{configured: time.UnixMilli(-ms), untimed: true}
	}

	return choiceNote{configured: time.UnixMilli(ms)}
}

// write stores the note in private state. The zero note removes it.
func (n choiceNote) write(ctx context.Context, private tfkit.PrivateWriter) diag.Diagnostics {
	if n == (choiceNote{}) {
		return private.SetKey(ctx, noteKey, nil)
	}

	ms := n.configured.UnixMilli()
	switch {
	case n.unconfigured:
		ms = unconfiguredOnly
	case n.configured.IsZero():
		ms = untimedOnly
	case n.untimed:
		ms = -ms
	}

	return private.SetKey(ctx, noteKey, strconv.AppendInt(nil, ms, 10))
}

// stands reports whether a choice of the person is known to stand.
func (n choiceNote) stands() bool { return n.untimed || !n.configured.IsZero() }

// comparedWith returns the configured time that a choice is compared with: the noted one,
// or else the attribute's. The zero Time is none.
func (n choiceNote) comparedWith(agreementTime customtypes.Instant) time.Time {
	if !n.configured.IsZero() {
		return n.configured
	}

	configured, _ := agreementTime.Value()
	return configured
}

// after returns the note to store after a refresh of state.
func (n choiceNote) after(state resourceModel, held answers.Consent) choiceNote {
	configured := n.comparedWith(state.AgreementTime)
	_, timed := held.AgreementTime.Get()
	isOwn := n == choiceNote{} && state.hasClausesOf(held)

	if !timed && !isOwn {
		return choiceNote{configured: configured, untimed: true}
	}
	if configured.IsZero() && !isOwn {
		return choiceNote{unconfigured: true}
	}

	isOwn = isOwn && (!timed || state.hasTimeOf(held))
	protected := state.protected(configured)
	if isOwn || protected.IsZero() || !held.LaterThan(protected) {
		return choiceNote{}
	}

	return choiceNote{configured: configured}
}
