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

// laterNote records in private state that the service holds a choice of the person that
// stands. State then holds the person's own values, so comparing it with the configuration
// would not show that. The zero note means that no such choice is known.
//
// It is encoded as configured in milliseconds since 1970, negative if untimed.
type laterNote struct {
	// configured is the agreement_time of the configuration; zero if there was none.
	configured time.Time
	// untimed reports that the record has no agreement_time, and other clauses than this
	// object has written. It may be a later choice, so it stands.
	untimed bool
}

// untimedOnly encodes an untimed note without a configured time.
const untimedOnly = -1

// readNote returns the note in private state; the zero note if it holds none.
func readNote(ctx context.Context, private tfkit.PrivateReader) laterNote {
	value, _ := private.GetKey(ctx, noteKey)
	ms, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return laterNote{}
	}

	if ms == untimedOnly {
		return laterNote{untimed: true}
	}
	if ms < 0 {
		return laterNote{time.UnixMilli(-ms), true}
	}

	return laterNote{time.UnixMilli(ms), false}
}

// stands reports whether a choice of the person is known to stand.
func (n laterNote) stands() bool { return n.untimed || !n.configured.IsZero() }

// comparedWith returns the configured time that a choice is compared with: the noted one,
// or else the attribute's. The zero Time is none.
func (n laterNote) comparedWith(agreementTime customtypes.Instant) time.Time {
	if !n.configured.IsZero() {
		return n.configured
	}

	configured, _ := agreementTime.Value()
	return configured
}

// after returns the note to store after a refresh of state.
func (n laterNote) after(state resourceModel, held answers.Consent) laterNote {
	configured := n.comparedWith(state.AgreementTime)

	_, timed := held.AgreementTime.Get()
	if !timed && !n.stands() && state.hasClausesOf(held) {
		return laterNote{} // this object has written the record
	}
	if !timed {
		return laterNote{configured, true}
	}

	protected := state.protected(configured)
	own := !n.stands() && state.hasTimeOf(held)
	if own || protected.IsZero() || !held.LaterThan(protected) {
		return laterNote{}
	}

	return laterNote{configured, false}
}

// write stores the note in private state. The zero note removes it.
func (n laterNote) write(ctx context.Context, private tfkit.PrivateWriter) diag.Diagnostics {
	if !n.stands() {
		return private.SetKey(ctx, noteKey, nil)
	}

	ms := n.configured.UnixMilli()
	if n.untimed {
		ms = -ms
	}
	if n.configured.IsZero() {
		ms = untimedOnly
	}

	return private.SetKey(ctx, noteKey, strconv.AppendInt(nil, ms, 10))
}
