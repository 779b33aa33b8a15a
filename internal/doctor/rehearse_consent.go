// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// formPatience is how long a rehearsal waits for what one form of an update has made.
const formPatience = 2 * time.Second

// sentUpdate is an update of the consent, and the form in which it was sent.
type sentUpdate struct {
	client.ConsentUpdate
	in, format string // the place of its parameters, and the format of its time
	at         time.Time
}

// sentAs returns the update that has the clauses of a record; nil if none has.
func sentAs(held answer.Consent, updates []sentUpdate) *sentUpdate {
	for _, u := range updates {
		if held.HasClauses(u.Clauses) {
			return &u
		}
	}
	return nil
}

// writeConsent writes a consent in each form until one is read back, and finds out what the service
// makes of it.
func (r *rehearsal) writeConsent(ctx context.Context) {
	configured := r.wire.Consent
	r.wire.Consent.TimeFormat = "" // unless it is needed to read

	var works *reading
	outcomes := map[string][]string{} // forms, by what became of them
	for _, in := range firstOf(client.Placements, configured.ParametersIn) {
		for _, format := range firstOf(client.TimeFormats, configured.TimeFormat) {
			isOver := ctx.Err() != nil || time.Now().After(r.deadline(1))
			if works != nil || isOver {
				continue
			}
			var outcome string
			works, outcome = r.tryForm(ctx, in, format)
			outcomes[outcome] = append(outcomes[outcome], in+" with "+format)
		}
	}
	if works == nil && len(r.updates) > 0 {
		works = r.readBack(ctx, "written record", min(lateness, time.Until(r.deadline(1))), r.updates...)
	}
	if works == nil {
		r.wire.Consent = configured
		all := []string{"no form was read back as it was written"}
		for _, outcome := range slices.Sorted(maps.Keys(outcomes)) {
			all = append(all, list(outcomes[outcome])+": "+outcome)
		}
		r.note("consent update", Broken, strings.Join(all, ". "))

		return
	}

	r.adopt(ctx, works)
	isSame := reflect.DeepEqual(r.wire.Minimal(), r.options.Client.Wire.Minimal())
	in := r.wire.Consent.ParametersIn
	r.note("consent update", asConfigured[isSame], "read back as written: parameters as "+in+urlWarning[in])
}

// adopt adopts the form of the update that a reading has shown, and how its record differs from it.
// Times are sent as they are answered, if the service takes them so.
func (r *rehearsal) adopt(ctx context.Context, shown *reading) {
	sent := sentAs(shown.seen.held, r.updates)
	if answered := r.wire.Consent.TimeFormat; answered != "" && answered != sent.format {
		if other, _ := r.tryForm(ctx, sent.in, answered); other != nil {
			shown, sent = other, sentAs(other.seen.held, r.updates)
		} else {
			r.wire.Consent.TimeAnswered = answered
		}
	}
	r.wire.Consent.ParametersIn, r.wire.Consent.TimeFormat = sent.in, sent.format

	held := shown.seen.held
	if at, isTimed := held.AgreementTime.Get(); isTimed {
		r.wire.Consent.TimeKept = keptAs(at, sent.AgreementTime)
	}
	if manual, isKnown := held.Manual.Get(); isKnown && manual != sent.Manual {
		r.wire.Consent.Altered = []string{"manual"}
	}
}

// tryForm writes one update, and reads the record for a while. It returns the reading that shows it, or
// what became of it.
func (r *rehearsal) tryForm(ctx context.Context, in, format string) (shown *reading, outcome string) {
	// The values tell the forms apart: clauses that are never all equal, and a time with milliseconds that
	// no date, no second and no other zone can stand for.
	i := len(r.updates)
	u := client.ConsentUpdate{Manual: true, AgreementTime: time.Date(2020, 2, 29, 21, 43, 10+i, 123_000_000, time.UTC)}
	for c := range u.Clauses {
		u.Clauses[c] = (i+1)>>c&1 == 1
	}

	wire := r.wire
	wire.Consent.ParametersIn, wire.Consent.TimeFormat = in, format
	err := r.write(ctx, wire, u)
	e, isError := errors.AsType[*transport.Error](err)
	if isError && e.Status/100 == 4 {
		return nil, "rejected, HTTP " + strconv.Itoa(e.Status)
	}

	r.updates = append(r.updates, sentUpdate{u, in, format, time.Now()})
	r.holds["consent"] = "a consent record with invented choices"
	shown = r.readBack(ctx, "written record", formPatience, r.updates...)
	if shown == nil && err != nil {
		return nil, r.describe(err)
	}

	return shown, "accepted, and not read back"
}

// write sends an update of the consent once.
func (r *rehearsal) write(ctx context.Context, wire client.Wire, u client.ConsentUpdate) error {
	_, _, err := r.do(ctx, session{r.use, wire, 0}, func(ctx context.Context, c *client.Client) (seen, error) {
		_, err := c.UpdateConsent(ctx, r.person, overwriting(u))
		return seen{}, err
	})
	return err
}

// overwriting returns the write of an update whatever the service holds.
func overwriting(u client.ConsentUpdate) client.ConsentWrite {
	return client.ConsentWrite{ConsentUpdate: u, Blind: true, Judge: func(read choice.Reading) bool {
		return choice.Judge(choice.Evidence{Reading: read, Wanted: u, Overrules: true}).On(choice.Write) == choice.Send
	}}
}

// readBack reads the record until it is one of those that were written, and returns the reading that
// shows it; nil if it is not shown in time.
func (r *rehearsal) readBack(ctx context.Context, what string, patience time.Duration, written ...sentUpdate) *reading {
	var one *reading
	isShown := until(ctx, time.Now().Add(patience), func() bool {
		one = &reading{group: "Consent", what: what, way: r.use, propose: infer.Consent, read: readWritten(r.person, written...)}
		r.examine(ctx, one)
		return one.err == nil
	})
	if !isShown {
		return nil
	}
	r.lag = max(r.lag, time.Since(sentAs(one.seen.held, written).at))

	return one
}

// keptAs returns how exactly a time is kept; empty where it is kept to the millisecond.
func keptAs(held, sent time.Time) string {
	for _, kept := range []struct {
		word string
		unit time.Duration
	}{{"", time.Millisecond}, {client.KeptS, time.Second}, {client.KeptMinute, time.Minute}, {client.KeptDay, 24 * time.Hour}} {
		if held.Equal(sent.Truncate(kept.unit)) || held.Equal(sent.Round(kept.unit)) {
			return kept.word
		}
	}

	return client.KeptByService
}

// withdraw writes a consent that refuses everything, since no request removes a record.
func (r *rehearsal) withdraw(ctx context.Context) {
	if len(r.updates) == 0 {
		return
	}

	u := client.ConsentUpdate{Manual: true}
	err := r.write(ctx, r.wire, u)
	if err != nil && ctx.Err() == nil { // it may want a time
		u.AgreementTime = time.Now().Truncate(time.Second)
		err = r.write(ctx, r.wire, u)
	}

	switch {
	case err != nil:
		r.note("withdrawal", Broken, r.describe(err))
	case r.readBack(ctx, "withdrawn record", lateness, sentUpdate{ConsentUpdate: u, at: time.Now()}) == nil:
		r.note("withdrawal", Broken, "accepted, and the record still agrees to some clauses")
	default:
		r.holds["consent"] = "a consent record that refuses everything, which no request of the interface removes"
		r.note("withdrawal", OK, "the consent is withdrawn")
	}
}
