// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"errors"
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

	who       person
	lag       time.Duration // the longest until a reading showed what was accepted
	isWritten bool          // the profile was shown as it was written
	requests  []*request
	left      []string // of the person, that no request removes
}

// request is a deferred request that was sent.
type request struct {
	*infer.Request
	at       time.Time
	listed   bool      // the list has shown it
	delisted bool      // the list has shown it, and no longer does
	due      time.Time // when the data is asked for again, unless it is listed
}

// rehearse does everything in order, and says what is left of it. An interrupt ends it at once.
func (x *examination) rehearse(ctx context.Context) {
	x.report.Rehearsal = &Rehearsal{}
	r := &rehearsal{examination: x, who: x.person(cmp.Or(x.options.Identity, x.invented))}
	r.who.profile = map[string]jsontext.Value{"doctor_rehearsal": jsontext.Value(`"` + x.invented[7:15] + `"`)}
	if x.options.Identity == "" {
		x.report.Rehearsal.Person = x.invented
		for _, seen := range x.readings {
			if seen.check == noPerson && seen.err != nil {
				r.report.add("Rehearsal", "person", Broken, "nothing was written, since the answers about an invented person do not say that there is none")
				return
			}
		}
	}

	begun, third := time.Now(), x.options.Timeout/3
	r.writeConsent(ctx, begun.Add(third))
	r.carryOut(ctx, decode.RequestProfileUpdate, begun.Add(third), r.showsProfile)
	r.carryOut(ctx, decode.RequestDataAccess, begun.Add(2*third), r.getsData)
	r.carryOut(ctx, decode.RequestDataDeletion, begun.Add(3*third), r.showsNoProfile)
	r.withdraw(ctx)
	r.sumUp()
}

// wait waits until the next reading is due. It reports false where the end has come, or ctx has ended.
func wait(ctx context.Context, end time.Time) bool {
	return !time.Now().After(end) && transport.Pause(ctx, readInterval) == nil
}

// carryOut sends a request, waits for its effect, and then for the list, which may lag: while it does, it shows what
// the request was before, perhaps for the first time.
func (r *rehearsal) carryOut(ctx context.Context, requestType string, end time.Time, hasEffect func(context.Context, *request) bool) {
	request := r.submit(ctx, requestType)
	if request == nil {
		return
	}

	for r.find(ctx, request); !hasEffect(ctx, request); r.find(ctx, request) {
		if !wait(ctx, end) {
			return
		}
	}
	r.report.add("Rehearsal", requestType, OK, "carried out, after "+time.Since(request.at).Round(time.Second).String())

	request.State = "effective"
	end = time.Now().Add(lateness)
	if request.listed { // what it shows after the lag is its last status
		end = time.Now().Add(r.lag + readInterval)
	}

	for r.find(ctx, request); !request.delisted && wait(ctx, end); {
		r.find(ctx, request)
	}
	request.State = "done"
	r.find(ctx, request) // it may be there with another status
}

// submit sends a request; nil where it was not sent, or is refused.
func (r *rehearsal) submit(ctx context.Context, requestType string) *request {
	sent, err := r.do(ctx, &session{way: r.use}, r.who.submit(requestType))
	if err != nil {
		r.report.add("Rehearsal", requestType, Broken, r.describe(err))
	}
	if e, isError := errors.AsType[*transport.Error](err); isError && !e.Ambiguous {
		return nil
	}

	known := &infer.Request{Person: r.who.Identity, ID: sent.text, Type: requestType, State: "waiting"}
	r.known = append(r.known, known)
	r.requests = append(r.requests, &request{Request: known, at: time.Now(), due: time.Now().Add(dataInterval)})

	return r.requests[len(r.requests)-1]
}

// find reads the list, and notes whether the request is on it.
func (r *rehearsal) find(ctx context.Context, request *request) {
	list := r.pending()
	if r.examine(ctx, list) != nil {
		return
	}

	isThere := slices.ContainsFunc(list.requests, func(record decode.PendingRecord) bool {
		isOfType := slices.Contains([]string{request.Type, ""}, record.RequestType)
		return isOfType && record.Identity == request.Person && strings.Contains(record.ID, request.ID) // "" if it has none
	})
	if isThere && !request.listed {
		request.listed, request.due, r.lag = true, time.Time{}, max(r.lag, time.Since(request.at))
	}
	request.delisted = request.listed && !isThere
}

// showsProfile reports whether the profile is read as it was written.
func (r *rehearsal) showsProfile(ctx context.Context, _ *request) bool {
	const whenEmpty = "the profile that was written is not shown"
	profile := &reading{group: "Profile", check: "written profile", read: r.who.readProfile, propose: r.who.proposeProfile, whenEmpty: whenEmpty}
	r.isWritten = r.examine(ctx, profile) == nil && profile.text != "" && profile.lacking == 0

	return r.isWritten
}

// getsData asks for all data again: once the request has left the list, and at intervals where it is not on it.
func (r *rehearsal) getsData(ctx context.Context, request *request) bool {
	isOpen := request.listed && !request.delisted
	if isOpen || time.Now().Before(request.due) {
		return false
	}

	request.due = time.Now().Add(dataInterval)
	r.who.isListed = request.listed
	data := &reading{group: "All data", check: "data", read: r.who.data, propose: infer.Data, whenEmpty: "no data came"}

	return r.examine(ctx, data) == nil && data.text != ""
}

// showsNoProfile reports whether there is no profile. What was never read is deleted once the list says so.
func (r *rehearsal) showsNoProfile(ctx context.Context, request *request) bool {
	profile := &reading{group: "Profile", check: "deleted profile", read: nothing(r.who.readProfile), propose: infer.Absent}
	isShown := r.isWritten || request.delisted

	return r.examine(ctx, profile) == nil && isShown
}

// sumUp says what is left, and proposes the lag that was measured.
func (r *rehearsal) sumUp() {
	configured, _ := time.ParseDuration(cmp.Or(r.wire.Lag, client.DefaultLag)) // it was validated
	if 2*r.lag > configured {
		r.wire.Lag = min((2 * r.lag).Round(time.Second), client.LimitLag).String()
	}

	word, left, states := OK, r.left, map[string]string{}
	for _, request := range r.requests {
		states[request.Type] = request.State
		if request.State == "waiting" {
			word, left = Differs, append(left, strings.TrimSpace("a request of type "+request.Type+" that has not ended "+client.ShownID(request.ID, r.options.Identity)))
		}
	}
	if states[decode.RequestProfileUpdate] != "" && states[decode.RequestDataDeletion] != "done" {
		word, left = Differs, append(left, "a profile with the member doctor_rehearsal")
	}

	result := r.report.Rehearsal
	result.Lag, result.Remaining = r.lag.Round(100*time.Millisecond).String(), left
	r.report.add("Rehearsal", "left", word, "of "+cmp.Or(result.Person, "the person given with -identity")+" is left: "+cmp.Or(strings.Join(left, "; "), "nothing"))
}

// update is an update of the consent.
type update struct {
	choice.Record
	form infer.Settings // by which it is sent, other than those that were found
	at   time.Time
}

// writeConsent writes a consent in each form until one is read back, and adopts what that shows.
func (r *rehearsal) writeConsent(ctx context.Context, end time.Time) {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	configured := r.wire.Consent
	r.wire.Consent.TimeFormat = "" // unless it is needed to read
	shown, outcomes := r.tryForms(ctx, configured)
	if shown == nil && len(r.who.updates) > 0 {
		shown = r.readBack(ctx, "written record", lateness)
	}
	if shown == nil {
		r.wire.Consent = configured
		r.report.add("Rehearsal", "consent update", Broken, "no form was read back as it was written. "+strings.Join(outcomes, "; "))
		return
	}

	var survey choice.Survey
	record := choice.PrintOf(shown.consent)
	survey.Add(shown.sent.Print(), record)
	r.who.kept, _ = survey.Proposal(1)
	isExact := r.who.kept.Precision == 0 && !r.who.kept.SetsTime
	if isExact && record.Time > 0 && record.Time%1000 == 0 { // else a choice in the second of agreement_time would look earlier
		r.who.kept.Precision = time.Second
	}
	found := shown.sent.form.Merge(client.ConsentSettings(r.who.kept))
	if answered := r.wire.Consent.TimeFormat; answered != "" && answered != found["/consent/time_format"] {
		found["/consent/time_answered"] = answered
	}
	r.wire, _ = r.wire.With(found)       // which has values that are accepted
	r.readBack(ctx, "written record", 0) // with them
	word := map[bool]Word{true: OK, false: Differs}[reflect.DeepEqual(r.options.Client.Wire.Minimal().Consent, r.wire.Minimal().Consent)]
	r.report.add("Rehearsal", "consent update", word, "read back as written, with "+shown.sent.form.Sentence())
}

// tryForms tries each form, the configured one first. It returns the reading that shows one, and what became of each.
func (r *rehearsal) tryForms(ctx context.Context, configured client.ConsentWire) (shown *reading, outcomes []string) {
	for _, in := range firstOf(client.Placements, configured.ParametersIn) {
		for _, format := range firstOf(client.TimeFormats, configured.TimeFormat) {
			// The values differ by form: clauses that are never all equal, and a time with milliseconds that no
			// date, no second and no other zone has.
			i := len(outcomes) + 1
			u := update{form: infer.Settings{"/consent/parameters_in": in, "/consent/time_format": format}}
			u.Manual, u.AgreementTime = true, time.Date(2020, 2, 29, 21, 43, 10+i, 123_000_000, time.UTC)
			for c := range u.Clauses {
				u.Clauses[c] = i>>c&1 == 1
			}

			shown, outcome := r.write(ctx, u, "written record", 2*readInterval)
			outcomes = append(outcomes, u.form.Sentence()+": "+outcome)
			if shown != nil || ctx.Err() != nil {
				return shown, outcomes
			}
		}
	}

	return nil, outcomes
}

// write sends an update of the consent. It returns the reading that shows one, and what became of this one.
func (r *rehearsal) write(ctx context.Context, u update, check string, patience time.Duration) (shown *reading, outcome string) {
	_, err := r.do(ctx, &session{way: r.use, more: u.form}, r.who.overwrite(u.Record))
	outcome = "accepted, and not read back"
	if err != nil {
		outcome = r.describe(err)
	}
	if e, ok := errors.AsType[*transport.Error](err); ok && !e.Ambiguous && e.Status/100 != 2 {
		return nil, outcome // nothing was written
	}

	u.at = time.Now()
	r.who.updates = append(r.who.updates, u)
	if r.left == nil {
		r.left = []string{"a consent record with invented choices"}
	}

	return r.readBack(ctx, check, patience), outcome
}

// readBack returns the reading that shows one of the updates; nil if none is shown in time.
func (r *rehearsal) readBack(ctx context.Context, check string, patience time.Duration) *reading {
	end := time.Now().Add(patience)
	for isDue := true; isDue; isDue = wait(ctx, end) {
		one := &reading{group: "Consent", check: check, propose: infer.WrittenConsent, read: r.who.consent}
		if r.examine(ctx, one) == nil {
			r.lag = max(r.lag, time.Since(one.sent.at))
			return one
		}
	}

	return nil
}

// withdraw writes a consent that refuses everything, since no request removes a record.
func (r *rehearsal) withdraw(ctx context.Context) {
	if r.left == nil {
		return
	}

	r.who.updates = nil // which it must not show any more
	shown, outcome := r.write(ctx, update{Record: choice.Record{Manual: true}}, "withdrawn record", lateness)
	if shown == nil {
		r.report.add("Rehearsal", "withdrawal", Broken, outcome)
		return
	}
	r.left = []string{"a consent record that refuses everything, which no request of the interface removes"}
	r.report.add("Rehearsal", "withdrawal", OK, "the consent is withdrawn")
}
