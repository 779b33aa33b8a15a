package consent

import (
	"context"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// noteKey is the key in private state under which a refresh notes that a later
// choice of the person stands, as milliseconds since 1970. Afterwards state holds
// the person's own agreement_time, and a comparison alone no longer shows it.
const noteKey = "later_choice"

type laterNote struct {
	ms    int64
	noted bool
}

type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func noteOf(ctx context.Context, private privateReader) laterNote {
	value, _ := private.GetKey(ctx, noteKey)
	ms, err := strconv.ParseInt(string(value), 10, 64)
	return laterNote{ms: ms, noted: err == nil}
}

func (n laterNote) chosen() (time.Time, bool) { return time.UnixMilli(n.ms), n.noted }

// standsIn reports whether what the service holds is a later choice than the one
// in state, or still the one that was noted.
func (n laterNote) standsIn(state resourceModel, held client.Consent) bool {
	known, ok := state.AgreementTime.Value()
	chosen, also := held.AgreementTime.Get()
	if !ok || !also || !state.KeepLaterChoice.ValueBool() {
		return false
	}
	return held.LaterThan(known) || n.noted && chosen.UnixMilli() >= n.ms
}

// write notes the choice, or removes the note where none stands any more.
func (n laterNote) write(ctx context.Context, private privateWriter, stands bool, held client.Consent) diag.Diagnostics {
	if !stands {
		return private.SetKey(ctx, noteKey, nil)
	}
	chosen, _ := held.AgreementTime.Get()
	return private.SetKey(ctx, noteKey, strconv.AppendInt(nil, chosen.UnixMilli(), 10))
}
