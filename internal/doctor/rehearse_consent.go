// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// formPatience is how long a rehearsal waits for what one form of an update has made.
const formPatience = 2 * time.Second

// form is how an update of the consent is sent.
type form struct{ in, format string } // the place of its parameters, and the format of its time

// sentUpdate is an update of the consent that was sent.
type sentUpdate struct {
	choice.Record
	form
	at time.Time
}

// sentAs returns the update that has the clauses of a record; nil if none has.
func (p person) sentAs(record decode.Consent) *sentUpdate {
	for _, u := range p.updates {
		if record.HasClauses(u.Clauses) {
			return &u
		}
	}
	return nil
}

// writeConsent writes a consent in each form until one is read back, and finds out what the service
// makes of it.
func (r *rehearsal) writeConsent(ctx context.Context, end time.Time) {
	configured := r.wire
	r.wire.Consent.TimeFormat = "" // unless it is needed to read
	works, outcomes := r.tryForms(ctx, configured.Consent, end)
	if works == nil && len(r.who.updates) > 0 {
		works = r.readBack(ctx, "written record", min(lateness, time.Until(end)), r.who)
	}
	if works == nil {
		r.wire.Consent = configured.Consent
		r.note("consent update", Broken, "no form was read back as it was written. "+strings.Join(outcomes, "; "))
		return
	}

	r.adopt(ctx, works)
	in := r.wire.Consent.ParametersIn
	r.note("consent update", r.since(configured), "read back as written: parameters as "+in+urlWarning[in])
}

// tryForms writes an update in each form, the configured one first, until a reading shows one. It returns that
// reading, and what became of each form.
func (r *rehearsal) tryForms(ctx context.Context, configured client.ConsentWire, end time.Time) (shown *reading, outcomes []string) {
	for _, in := range firstOf(client.Placements, configured.ParametersIn) {
		for _, format := range firstOf(client.TimeFormats, configured.TimeFormat) {
			if ctx.Err() != nil || time.Now().After(end) {
				return nil, outcomes
			}
			shown, outcome := r.tryForm(ctx, form{in, format})
			if shown != nil {
				return shown, nil
			}
			outcomes = append(outcomes, in+" with "+format+": "+outcome)
		}
	}

	return nil, outcomes
}

// adopt adopts the form of the update that a reading has shown, and how its record differs from it.
// Times are sent as they are answered, if the service takes them so.
func (r *rehearsal) adopt(ctx context.Context, shown *reading) {
	sent := r.who.sentAs(shown.decoded.consent)
	wire := &r.wire.Consent
	if answered := wire.TimeFormat; answered != "" && answered != sent.format {
		other, _ := r.tryForm(ctx, form{sent.in, answered})
		if other == nil {
			wire.TimeAnswered = answered
		} else {
			shown, sent = other, r.who.sentAs(other.decoded.consent)
		}
	}
	wire.ParametersIn, wire.TimeFormat = sent.in, sent.format

	record := shown.decoded.consent
	if record.AgreementTime.Given {
		wire.TimeKept = keptAs(record.AgreementTime.Value, sent.AgreementTime)
	}
	isAltered := record.Manual.Given && record.Manual.Value != sent.Manual
	if isAltered && !slices.Contains(wire.Altered, "manual") {
		wire.Altered = append(wire.Altered, "manual")
	}
}

// tryForm writes one update, and reads the record for a while. It returns the reading that shows it, and
// what became of it.
func (r *rehearsal) tryForm(ctx context.Context, as form) (shown *reading, outcome string) {
	// The values differ by form: clauses that are never all equal, and a time with milliseconds that no
	// date, no second and no other zone has.
	i := len(r.who.updates)
	u := choice.Record{Manual: true, AgreementTime: time.Date(2020, 2, 29, 21, 43, 10+i, 123_000_000, time.UTC)}
	for c := range u.Clauses {
		u.Clauses[c] = (i+1)>>c&1 == 1
	}

	err := r.write(ctx, as, u)
	if e, ok := errors.AsType[*transport.Error](err); ok && e.Status/100 == 4 {
		return nil, fmt.Sprint("rejected, HTTP ", e.Status)
	}
	r.who.updates = append(r.who.updates, sentUpdate{u, as, time.Now()})
	outcome = "accepted, and not read back"
	if err != nil {
		outcome = r.describe(err)
	}

	return r.readBack(ctx, "written record", formPatience, r.who), outcome
}

// write sends an update of the consent once.
func (r *rehearsal) write(ctx context.Context, as form, u choice.Record) error {
	wire := r.wire
	wire.Consent.ParametersIn, wire.Consent.TimeFormat = as.in, as.format
	_, _, err := r.do(ctx, session{way: r.use, wire: wire}, func(ctx context.Context, c *client.Client) (decoded, error) {
		_, err := c.UpdateConsent(ctx, r.who.Person, overwriting(u))
		return decoded{}, err
	})

	return err
}

// overwriting returns the write of an update whatever the service holds.
func overwriting(u choice.Record) client.ConsentWrite {
	return client.ConsentWrite{Record: u, Blind: true, Judge: func(read choice.Reading) bool {
		_, act := choice.Judge(choice.Evidence{Action: choice.Write, Reading: read, Wanted: u, Overrules: true})
		return act == choice.Send
	}}
}

// readBack reads the record of a person until it is one of those that were written, and returns the reading
// that shows it; nil if it is not shown in time.
func (r *rehearsal) readBack(ctx context.Context, check string, patience time.Duration, who person) *reading {
	end := time.Now().Add(patience)

	for {
		one := &reading{group: "Consent", check: check, propose: infer.WrittenConsent, read: who.consent}
		if got, err := r.examine(ctx, one); err == nil {
			r.lag = max(r.lag, time.Since(who.sentAs(got.consent).at))
			return one
		}
		if !wait(ctx, end) {
			return nil
		}
	}
}

// keptAs returns how exactly a time is kept; empty where it is kept to the millisecond.
func keptAs(record, sent time.Time) string {
	for _, kept := range []struct {
		word string
		unit time.Duration
	}{{"", time.Millisecond}, {client.KeptS, time.Second}, {client.KeptMinute, time.Minute}, {client.KeptDay, 24 * time.Hour}} {
		if record.Equal(sent.Truncate(kept.unit)) || record.Equal(sent.Round(kept.unit)) {
			return kept.word
		}
	}

	return client.KeptByService
}

// withdraw writes a consent that refuses everything, since no request removes a record.
func (r *rehearsal) withdraw(ctx context.Context) {
	if len(r.who.updates) == 0 || ctx.Err() != nil {
		return
	}

	u := choice.Record{Manual: true}
	as := form{r.wire.Consent.ParametersIn, r.wire.Consent.TimeFormat}
	withdrawn := r.who

	withdrawn.updates = []sentUpdate{{u, as, time.Now()}}
	err := r.write(ctx, as, u)
	switch {
	case err != nil:
		r.note("withdrawal", Broken, r.describe(err))
	case r.readBack(ctx, "withdrawn record", lateness, withdrawn) == nil:
		r.note("withdrawal", Broken, "accepted, and the record still agrees to some clauses")
	default:
		r.isWithdrawn = true
		r.note("withdrawal", OK, "the consent is withdrawn")
	}
}
