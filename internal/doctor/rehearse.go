// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// How a rehearsal waits: between two readings, and for what is late.
const (
	readInterval = time.Second
	lateness     = 10 * time.Second
	dataInterval = 15 * time.Second // between two requests for all data, each of which is queued
)

// rehearsal does everything once with one person.
type rehearsal struct {
	*examination

	who   *person
	kept  choice.Keeping    // how the service shows consent records
	lag   time.Duration     // the longest until a reading showed what was accepted
	ended map[string]bool   // the types of requests that have had their effect
	left  map[string]string // what is left of the person, by consent, profile or a type of requests
}

// request is a deferred request that was sent.
type request struct {
	*infer.Request
	at       time.Time
	listed   bool      // the list has shown it
	delisted bool      // the list has shown it, and no longer does
	due      time.Time // when the data is asked for again
}

// rehearse does everything in order, and says what is left of it. An interrupt ends it at once.
func (x *examination) rehearse(ctx context.Context) {
	if !x.options.Rehearse {
		x.report.NotAnswered = []string{"how writes are sent and answered, where all data of a person is, and how long readings lag: -rehearse does everything once, with an invented person"}
		return
	}

	who := &person{Person: client.Person{Scope: x.use.scope, Identity: cmp.Or(x.options.Identity, x.invented)}}
	who.profile = map[string]jsontext.Value{"doctor_rehearsal": jsontext.Value(`"` + x.invented[7:15] + `"`)}
	if x.options.Identity == "" {
		x.report.Person = x.invented
		for _, seen := range x.readings {
			if seen.check == noPerson && seen.err != nil {
				x.report.add("Rehearsal", "person", Broken, "nothing was written, since the answers about an invented person do not say that there is none")
				return
			}
		}
	}

	r := &rehearsal{examination: x, who: who, ended: map[string]bool{}, left: map[string]string{}}
	begun, third := time.Now(), x.options.Timeout/3
	r.writeConsent(ctx, begun.Add(third))
	r.carryOut(ctx, decode.RequestProfileUpdate, begun.Add(third), reading{
		group: "Profile", check: "written profile", read: who.readProfile, propose: who.proposeProfile, whenEmpty: "the profile that was written is not shown",
	})
	r.carryOut(ctx, decode.RequestDataAccess, begun.Add(2*third), reading{
		group: "All data", check: "data", read: who.submit(decode.RequestDataAccess), propose: infer.Data, whenEmpty: "no data came",
	})
	r.carryOut(ctx, decode.RequestDataDeletion, begun.Add(3*third), reading{
		group: "Profile", check: "deleted profile", read: nothing(who.readProfile), propose: infer.Absent,
	})
	r.withdraw(ctx)
	r.sumUp()
}

// wait waits until the next reading is due. It reports false where the end has come, or ctx has ended.
func wait(ctx context.Context, end time.Time) bool {
	return !time.Now().After(end) && transport.Pause(ctx, readInterval) == nil
}

// carryOut sends a request, waits until a reading shows its effect, and then for the list, which may lag: while it does, it
// shows what the request was before, perhaps for the first time.
func (r *rehearsal) carryOut(ctx context.Context, requestType string, end time.Time, effect reading) {
	q := r.submit(ctx, requestType)
	if q == nil {
		return
	}

	for r.find(ctx, q); !r.isShown(ctx, q, effect); r.find(ctx, q) {
		if !wait(ctx, end) {
			return
		}
	}
	delete(r.left, requestType)
	r.ended[requestType], q.State = true, "effective"
	r.report.add("Rehearsal", requestType, OK, "carried out, after "+time.Since(q.at).Round(time.Second).String())

	end = time.Now().Add(lateness)
	if q.listed { // what it shows after the lag is its last status
		end = time.Now().Add(r.lag + readInterval)
	}

	for r.find(ctx, q); !q.delisted && wait(ctx, end); {
		r.find(ctx, q)
	}
	q.State = "done"
	r.find(ctx, q) // it may be there with another status
}

// submit sends a request; nil where it was not sent, or is refused.
func (r *rehearsal) submit(ctx context.Context, requestType string) *request {
	sent, err := r.do(ctx, &reading{way: r.use, read: r.who.submit(requestType)}, r.wire)
	if err != nil {
		r.report.add("Rehearsal", requestType, Broken, r.describe(err))
	}
	if e, isError := errors.AsType[*transport.Error](err); isError && !e.Ambiguous {
		return nil
	}

	now := time.Now()
	q := &request{Request: &infer.Request{Person: r.who.Identity, ID: sent.id, Type: requestType, State: "waiting"}, at: now, due: now.Add(dataInterval)}
	r.known = append(r.known, q.Request)
	r.left[requestType] = "a request of type " + requestType + " that has not ended " + client.ShownID(q.ID, r.options.Identity)
	if requestType == decode.RequestProfileUpdate {
		r.left["profile"] = "a profile with the member doctor_rehearsal"
	}

	return q
}

// find reads the list, and notes whether the request is on it.
func (r *rehearsal) find(ctx context.Context, q *request) {
	list := r.pending()
	if r.examine(ctx, list) != nil {
		return
	}

	isThere := slices.ContainsFunc(list.requests, func(record decode.PendingRecord) bool {
		about := [2]string{cmp.Or(record.RequestType, q.Type), record.Identity}
		return about == [2]string{q.Type, q.Person} && strings.Contains(record.ID, q.ID) // "" if it has none
	})
	if !isThere {
		q.delisted = q.listed
		return
	}
	if !q.listed {
		r.lag = max(r.lag, time.Since(q.at))
	}
	q.listed, q.delisted, q.due = true, false, time.Time{}
}

// isShown reports whether a reading shows the effect of a request. All data is asked for again once the request has left
// the list, and at intervals where it is not on it. A profile that was never read is deleted once the list says so.
func (r *rehearsal) isShown(ctx context.Context, q *request, effect reading) bool {
	isOpen := q.listed != q.delisted || time.Now().Before(q.due)
	isUnread := !r.ended[decode.RequestProfileUpdate] && !q.delisted
	if map[string]bool{decode.RequestDataAccess: isOpen, decode.RequestDataDeletion: isUnread}[q.Type] {
		return false
	}
	if q.Type == decode.RequestDataAccess {
		q.due, r.who.isListed = time.Now().Add(dataInterval), q.listed
	}
	err := r.examine(ctx, &effect)

	return err == nil && effect.text != "" && effect.lacking == 0
}

// sumUp says what is left, and proposes the lag that was measured.
func (r *rehearsal) sumUp() {
	configured, _ := time.ParseDuration(cmp.Or(r.wire.Lag, client.DefaultLag)) // it was validated
	if 2*r.lag > configured {
		r.wire.Lag = min((2 * r.lag).Round(time.Second), client.LimitLag).String()
	}

	if r.ended[decode.RequestDataDeletion] {
		delete(r.left, "profile")
	}
	word, left := OK, slices.Sorted(maps.Values(r.left))
	for what := range r.left {
		if what != "consent" {
			word = Differs
		}
	}
	r.report.Lag, r.report.Remaining = r.lag.Round(100*time.Millisecond).String(), left
	r.report.add("Rehearsal", "left", word, "of "+cmp.Or(r.report.Person, "the person given with -identity")+" is left: "+cmp.Or(strings.Join(left, "; "), "nothing"))
}

// writeConsent writes a consent in each form until one is read back, and adopts what that shows. Each has other clauses,
// which are never all equal, and a time with milliseconds that no date, no second and no other zone has.
func (r *rehearsal) writeConsent(ctx context.Context, end time.Time) {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	configured := r.wire.Consent
	r.wire.Consent.TimeFormat = "" // unless it is needed to read
	first := ""
	for i, form := range forms(configured) {
		u := choice.Record{Manual: true, AgreementTime: time.Date(2020, 2, 29, 21, 43, 11+i, 123_000_000, time.UTC)}
		for c := range u.Clauses {
			u.Clauses[c] = (i+1)>>c&1 == 1
		}
		shown, outcome := r.write(ctx, u, form, "written record")
		if shown != nil {
			r.adopt(ctx, u, form, shown)
			return
		}
		if first = cmp.Or(first, form.Sentence()+": "+outcome); ctx.Err() != nil {
			break
		}
	}

	r.wire.Consent = configured
	r.report.add("Rehearsal", "consent update", Broken, "no form was read back as it was written. With "+first)
}

// forms returns the settings of the forms in which a consent can be sent, those of the configuration first.
func forms(configured client.ConsentWire) (all []infer.Settings) {
	for _, in := range firstOf(client.Placements, configured.ParametersIn) {
		for _, format := range firstOf(client.TimeFormats, configured.TimeFormat) {
			all = append(all, infer.Settings{"/consent/parameters_in": in, "/consent/time_format": format})
		}
	}
	return all
}

// firstOf returns the values with one of them moved to the front, if it is one of them.
func firstOf(values []string, first string) []string {
	i := max(0, slices.Index(values, first))
	return slices.Concat(values[i:i+1], values[:i], values[i+1:])
}

// write sends a consent in a form. It returns the reading that shows it, nil if it is not shown in time, and what became
// of the request.
func (r *rehearsal) write(ctx context.Context, u choice.Record, form infer.Settings, check string) (shown *reading, outcome string) {
	wire, _ := r.wire.With(form)
	_, err := r.do(ctx, &reading{way: r.use, read: r.who.overwrite(u)}, wire)
	outcome = "accepted, and not read back"
	if err != nil {
		outcome = r.describe(err)
	}
	if e, ok := errors.AsType[*transport.Error](err); ok && !e.Ambiguous && e.Status/100 != 2 {
		return nil, outcome // nothing was written
	}

	r.left["consent"] = cmp.Or(r.left["consent"], "a consent record with invented choices")
	at := time.Now()
	for isDue := true; isDue; isDue = wait(ctx, at.Add(lateness)) {
		shown = &reading{group: "Consent", check: check, read: r.who.written(u, r.kept), propose: infer.WrittenConsent}
		if r.examine(ctx, shown) == nil {
			r.lag = max(r.lag, time.Since(at))
			return shown, outcome
		}
	}

	return nil, outcome
}

// adopt adopts the form in which a consent was sent, and how the service keeps records, as the reading shows that has it.
func (r *rehearsal) adopt(ctx context.Context, u choice.Record, form infer.Settings, shown *reading) {
	record := choice.PrintOf(shown.consent)
	r.kept = choice.Keeping{}
	r.kept.Learn(u.Print(), record)
	isCut := record.Time != 0 && record.Time%1000 == 0
	if isCut && !r.kept.SetsTime { // else a choice in the second of agreement_time would look earlier
		r.kept.Precision = max(r.kept.Precision, time.Second)
	}

	found, sent := form.Merge(client.ConsentSettings(r.kept)), form["/consent/time_format"]
	if answered := r.wire.Consent.TimeFormat; answered != "" && answered != sent {
		found["/consent/time_answered"] = answered
	}
	r.wire, _ = r.wire.With(found) // which has values that are accepted
	shown.read = r.who.written(u, r.kept)
	_ = r.examine(ctx, shown) // its finding has the error

	word := OK
	if !reflect.DeepEqual(r.options.Client.Wire.Minimal().Consent, r.wire.Minimal().Consent) {
		word = Differs
	}
	r.report.add("Rehearsal", "consent update", word, "read back as written, with "+form.Sentence())
}

// withdraw writes a consent that refuses everything, since no request removes a record.
func (r *rehearsal) withdraw(ctx context.Context) {
	if r.left["consent"] == "" {
		return
	}
	if shown, outcome := r.write(ctx, choice.Record{Manual: true}, nil, "withdrawn record"); shown == nil {
		r.report.add("Rehearsal", "withdrawal", Broken, outcome)
		return
	}
	r.left["consent"] = "a consent record that refuses everything, which no request of the interface removes"
}
