package consent

import (
	"context"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// noteKey is the key in private state under which the configured agreement_time is
// noted while a later choice of the person stands, as milliseconds since 1970.
// State holds the person's own time then, and a comparison with it alone would no
// longer show that the choice is later.
const noteKey = "later_choice"

// laterNote is that note; the zero note says that no later choice is known.
type laterNote struct{ configured time.Time }

func noteOf(ctx context.Context, private tfkit.PrivateReader) laterNote {
	value, _ := private.GetKey(ctx, noteKey)
	ms, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return laterNote{}
	}
	return laterNote{time.UnixMilli(ms)}
}

func (n laterNote) stands() bool { return !n.configured.IsZero() }

// comparedWith is the configured time that a choice is compared with: the noted one,
// or else that of the attribute. The zero Time is none.
func (n laterNote) comparedWith(agreementTime tfkit.Instant) time.Time {
	if n.stands() {
		return n.configured
	}
	configured, _ := agreementTime.Value()
	return configured
}

// after is the note once the service was asked: it stays or begins where what the
// service holds is later, and ends otherwise.
func (n laterNote) after(state resourceModel, held client.Consent) laterNote {
	configured := n.comparedWith(state.AgreementTime)
	if !state.KeepLaterChoice.ValueBool() || configured.IsZero() || !held.LaterThan(configured) {
		return laterNote{}
	}
	return laterNote{configured}
}

func (n laterNote) write(ctx context.Context, private tfkit.PrivateWriter) diag.Diagnostics {
	if !n.stands() {
		return private.SetKey(ctx, noteKey, nil)
	}
	return private.SetKey(ctx, noteKey, strconv.AppendInt(nil, n.configured.UnixMilli(), 10))
}
