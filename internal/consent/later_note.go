package consent

import (
	"context"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// noteKey is the key of the note in private state.
const noteKey = "later_choice"

// laterNote says that the record at the service is a choice that stands. State holds the
// person's own values then, so that a comparison with state alone would not show it. The
// zero note says that no such choice is known.
//
// In private state it is configured as milliseconds since 1970, negative if untimed.
type laterNote struct {
	// configured is the agreement_time of the configuration; zero if there was none.
	configured time.Time
	// untimed: the record has no agreement_time, and its clauses are not those that this
	// object has written. Whether it is later cannot be known, so it stands.
	untimed bool
}

// untimedOnly is how an untimed note without a configured time is written.
const untimedOnly = -1

func noteOf(ctx context.Context, private tfkit.PrivateReader) laterNote {
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
// or else that of the attribute. The zero Time is none.
func (n laterNote) comparedWith(agreementTime customtypes.Instant) time.Time {
	if !n.configured.IsZero() {
		return n.configured
	}

	configured, _ := agreementTime.Value()
	return configured
}

// after returns the note to store after a refresh of state.
func (n laterNote) after(state resourceModel, held client.Consent) laterNote {
	configured := n.comparedWith(state.AgreementTime)

	if _, timed := held.AgreementTime.Get(); !timed {
		if n.stands() || !state.hasClausesOf(held) {
			return laterNote{configured, true}
		}
		return laterNote{}
	}

	if !state.KeepLaterChoice.ValueBool() || configured.IsZero() || !held.LaterThan(configured) {
		return laterNote{}
	}
	return laterNote{configured, false}
}

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
