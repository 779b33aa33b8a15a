// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// Rehearsal is what a rehearsal has done.
type Rehearsal struct {
	// Person is who was invented; empty for the person who was given.
	Person string `json:"person,omitzero"`
	// Left is what is left of it at the service.
	Left []string `json:"left"`
	// Lag is the longest time after which a reading showed what had been accepted.
	Lag string `json:"lag"`
}

// How a rehearsal waits: between two readings, for what a form of an update has made, and for what
// is late.
const (
	lookInterval = time.Second
	formPatience = 2 * time.Second
	latePatience = 10 * time.Second
	// dataInterval is between two requests for all data, each of which is queued.
	dataInterval = 15 * time.Second
)

// rehearsal does everything once with one person.
type rehearsal struct {
	*examination

	person  client.Person
	name    string // of the person, for messages
	begun   time.Time
	updates []sentUpdate
	works   *sentUpdate // that was read back
	// otherwise is the first update that was answered with a time in another format than it was sent.
	otherwise *sentUpdate
	listed    bool       // the list has shown a request
	lacking   int        // fields that were not recognised when it did
	wrote     bool       // the profile was shown as it was written
	waiting   []*awaited // requests that have not ended
	profile   map[string]jsontext.Value
	holds     map[string]string // what the service holds of the rehearsal, in words
	lag       time.Duration
}

// sentUpdate is an update of the consent, and the settings with which it was sent.
type sentUpdate struct {
	client.ConsentUpdate
	in       string // the place of its parameters
	format   string // of its time
	settings infer.Settings
	at       time.Time
}

// awaited is a deferred request.
type awaited struct {
	known  infer.Request
	at     time.Time
	listed bool // the list has shown it
	left   bool // the list has shown it, and no longer does
}

func newRehearsal(x *examination) *rehearsal {
	r := &rehearsal{
		examination: x, begun: time.Now(), holds: map[string]string{},
		profile: map[string]jsontext.Value{"doctor_rehearsal": jsonText(invented()[7:15])},
	}
	r.person = client.Person{Scope: x.family.scope, Identity: cmp.Or(x.options.Identity, invented())}
	r.name = "the person given with -identity"
	x.report.Rehearsal = &Rehearsal{}
	if x.options.Identity == "" {
		r.name, x.report.Rehearsal.Person = r.person.Identity, r.person.Identity
	}

	return r
}

// run does everything in order, and says what is left of it. An interrupt ends it at once.
func (r *rehearsal) run(ctx context.Context) {
	r.report.group = "Rehearsal"
	if r.options.Identity == "" && !r.isNobody(ctx) {
		return
	}

	for _, step := range []func(context.Context){r.writeConsent, r.updateProfile, r.askForData, r.deleteData, r.withdraw} {
		if ctx.Err() == nil {
			step(ctx)
		}
	}
	r.conclude(ctx)
}

// note adds a finding of the rehearsal.
func (r *rehearsal) note(check string, word Word, text string) {
	r.report.group = "Rehearsal"
	r.report.add(check, word, text)
}

// isNobody reports whether the service shows nothing about the invented person.
func (r *rehearsal) isNobody(ctx context.Context) bool {
	for _, reading := range []*reading{
		{group: "Rehearsal", what: "consent before", way: r.use, read: readNone(readConsent(r.person)), propose: infer.Absent},
		{group: "Rehearsal", what: "profile before", way: r.use, read: readNone(readProfile(r.person, nil)), propose: noProfile},
	} {
		r.examine(ctx, reading)
		if reading.err != nil {
			r.note("person", Broken, "nothing was written, since the answer about an invented person does not say that there is none ("+r.describe(reading.err)+")")
			return false
		}
	}

	return true
}

// isOver reports whether the rehearsal was interrupted, or the time of one of its parts is over.
func (r *rehearsal) isOver(ctx context.Context, part int) bool {
	return ctx.Err() != nil || time.Now().After(r.deadline(part))
}

// deadline returns when the waiting for one of the deferred requests ends.
func (r *rehearsal) deadline(part int) time.Time {
	return r.begun.Add(r.options.Timeout * time.Duration(part) / 3)
}

// writeConsent writes a consent in each form until one is read back, and finds out what the service
// makes of it.
func (r *rehearsal) writeConsent(ctx context.Context) {
	wire, err := wireOf(r.settings)
	if err != nil {
		r.note("consent update", Broken, err.Error())
		return
	}

	became := r.tryForms(ctx, wire)
	if r.works == nil && r.otherwise != nil {
		r.adopt(infer.Settings{"consent": map[string]any{"time_answered": r.answersWith()}})
		r.tryForm(ctx, r.otherwise.in, r.otherwise.format)
	}
	if r.works == nil && len(r.updates) > 0 {
		r.readBack(ctx, min(latePatience, time.Until(r.deadline(1))))
	}
	if r.works == nil {
		r.note("consent update", Broken, "no form was read back as it was written. "+became)
		return
	}

	r.adopt(r.works.settings)
	r.compare(ctx)
	isSame := reflect.DeepEqual(r.settings, settingsOf(r.options.Client.Wire))
	r.note("consent update", asConfigured[isSame], "read back as written: parameters as "+r.works.in+urlWarning[r.works.in])
}

// tryForms writes an update in each form until one is read back. It returns what became of the others.
func (r *rehearsal) tryForms(ctx context.Context, wire client.Wire) string {
	alike := map[string][]string{} // forms, by what became of them
	for _, in := range firstOf(client.Placements, wire.Consent.ParametersIn) {
		for _, format := range firstOf(client.TimeFormats, wire.Consent.TimeFormat) {
			if r.works != nil || r.isOver(ctx, 1) {
				continue
			}
			became := r.tryForm(ctx, in, format)
			alike[became] = append(alike[became], in+" with "+format)
		}
	}

	var all []string
	for _, became := range slices.Sorted(maps.Keys(alike)) {
		all = append(all, list(alike[became])+": "+became)
	}

	return strings.Join(all, ". ")
}

// tryForm writes one update, and reads the record for a while. It returns what became of it.
func (r *rehearsal) tryForm(ctx context.Context, in, format string) string {
	form := infer.Settings{"consent": map[string]any{"parameters_in": in, "time_format": format}}
	u := r.testUpdate(len(r.updates))
	refusal := r.write(ctx, form, u)
	e, isError := errors.AsType[*transport.Error](refusal)
	if isError && e.Status/100 == 4 {
		return "rejected, HTTP " + strconv.Itoa(e.Status)
	}

	r.updates = append(r.updates, sentUpdate{u, in, format, form, time.Now()})
	r.holds["consent"] = "a consent record with invented choices"
	became := r.readBack(ctx, formPatience)
	if refusal != nil && became == notReadBack {
		return r.describe(refusal)
	}

	return "accepted, and " + became
}

// answersWith returns the format of times that the service answers with, if it is read only by the
// setting for what is sent; empty otherwise.
func (r *rehearsal) answersWith() string {
	wire, _ := wireOf(r.settings) // which have admitted an answer
	if wire.Consent.TimeFormat == answer.TimeRFC3339 || wire.Consent.TimeAnswered != "" {
		return ""
	}
	return wire.Consent.TimeFormat
}

// testUpdate returns values that tell the forms apart: clauses that are never all equal, and a time
// with milliseconds that no date, no second and no other zone can stand for.
func (r *rehearsal) testUpdate(i int) client.ConsentUpdate {
	u := client.ConsentUpdate{Manual: true, AgreementTime: time.Date(2020, 2, 29, 21, 43, 10+i, 123_000_000, time.UTC)}
	for c := range u.Clauses {
		u.Clauses[c] = (i+1)>>c&1 == 1
	}
	return u
}

// write sends an update of the consent once.
func (r *rehearsal) write(ctx context.Context, form infer.Settings, u client.ConsentUpdate) error {
	wire, err := wireOf(r.settings.Merge(form))
	if err != nil {
		return err
	}
	c, _, err := r.connect(r.use, wire, 0)
	if err != nil {
		return err
	}
	_, err = c.UpdateConsent(ctx, r.person, overwriting(u))

	return err
}

// overwriting returns the write of an update whatever the service holds.
func overwriting(u client.ConsentUpdate) client.ConsentWrite {
	return client.ConsentWrite{ConsentUpdate: u, Blind: true, Judge: func(read choice.Reading) bool {
		return choice.Judge(choice.Evidence{Reading: read, Wanted: u, Overrules: true}).On(choice.Write) == choice.Send
	}}
}

// notReadBack is what became of an update that no reading shows.
const notReadBack = "not read back"

// errOther is the error of a record that is not one of those that were written.
var errOther = errors.New("the record is not one that was written")

// readBack reads the record until it is one of those that were written, which then works unless the
// service answers with another format of times than it was sent. It returns what became of the last
// one.
func (r *rehearsal) readBack(ctx context.Context, patience time.Duration) string {
	end := time.Now().Add(patience)
	for {
		var found *sentUpdate
		reading := &reading{
			group: "Consent", what: "written record", way: r.use, propose: infer.Consent,
			read: readHeld(r.person, func(held answer.Consent) (seen, error) {
				found = r.sentAs(held)
				if found == nil {
					return seen{}, errOther
				}
				return seen{text: consentText(held), lacking: len(choice.Keeping{}.Differences(found.ConsentUpdate, held))}, nil
			}),
		}
		r.examine(ctx, reading)
		isRead := found != nil && reading.err == nil
		isOtherwise := isRead && r.answersWith() != "" && found.format != r.answersWith()
		if isRead && !isOtherwise {
			r.works = found
			r.lag = max(r.lag, time.Since(found.at))
			return "read back"
		}

		r.readings = slices.DeleteFunc(r.readings, reading.isSame)
		if isOtherwise {
			if r.otherwise == nil {
				r.otherwise = found
			}
			return "answered with a time as " + r.answersWith()
		}
		if time.Now().After(end) || transport.Pause(ctx, lookInterval) != nil {
			return notReadBack
		}
	}
}

// sentAs returns the update that has the clauses of a record; nil if none has.
func (r *rehearsal) sentAs(held answer.Consent) *sentUpdate {
	for i := range r.updates {
		if held.HasClauses(r.updates[i].Clauses) {
			return &r.updates[i]
		}
	}
	return nil
}

// compare finds out what the service has made of the values that it was sent.
func (r *rehearsal) compare(ctx context.Context) {
	var held answer.Consent
	i := slices.IndexFunc(r.readings, func(one *reading) bool { return one.what == "written record" })
	same := *r.readings[i]
	same.read = readHeld(r.person, func(read answer.Consent) (seen, error) {
		held = read
		return seen{}, nil
	})
	if _, err := r.again(ctx, &same, r.settings); err != nil {
		return
	}

	if at, isTimed := held.AgreementTime.Get(); isTimed {
		if kept := keptAs(at, r.works.AgreementTime); kept != "" {
			r.adopt(infer.Settings{"consent": map[string]any{"time_kept": kept}})
		}
	}
	if manual, isKnown := held.Manual.Get(); isKnown && manual != r.works.Manual {
		r.adopt(infer.Settings{"consent": map[string]any{"altered": []any{"manual"}}})
	}
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

// updateProfile updates the profile, and waits until it is read.
func (r *rehearsal) updateProfile(ctx context.Context) {
	request := r.submit(ctx, answer.RequestProfileUpdate, func(ctx context.Context, c *client.Client) (answer.Receipt, error) {
		return c.UpdateProfile(ctx, r.person, r.profile)
	})
	if request == nil {
		return
	}

	r.holds["profile"] = "a profile with the member doctor_rehearsal"
	r.await(ctx, request, r.deadline(1), func() bool {
		one := &reading{
			group: "Profile", what: "written profile", way: r.use, read: readHolding(r.person, r.profile),
			propose: proposeProfile("doctor_rehearsal"),
		}
		r.examine(ctx, one)
		r.wrote = one.err == nil
		return r.wrote
	})
}

// askForData asks for all data, and again once the request has left the list, or may have.
func (r *rehearsal) askForData(ctx context.Context) {
	request := r.submit(ctx, answer.RequestDataAccess, func(ctx context.Context, c *client.Client) (answer.Receipt, error) {
		return c.FetchData(ctx, r.person, answer.DataCall{Person: r.person.Identity}, discard{})
	})
	if request == nil {
		return
	}

	asked, again := request.at, false
	r.await(ctx, request, r.deadline(2), func() bool {
		isOpen := request.listed && !request.left
		isNew := request.left && !again
		isDue := isNew || time.Since(asked) >= dataInterval
		if isOpen || !isDue {
			return false
		}

		asked, again = time.Now(), true
		one := &reading{group: "All data", what: "data", way: r.use, read: readData(r.person), propose: infer.Data}
		r.examine(ctx, one)

		return one.err == nil && one.seen.text == "data"
	})
}

// deleteData deletes all data, and waits until the profile is gone.
func (r *rehearsal) deleteData(ctx context.Context) {
	request := r.submit(ctx, answer.RequestDataDeletion, func(ctx context.Context, c *client.Client) (answer.Receipt, error) {
		return c.DeleteData(ctx, r.person)
	})
	if request == nil {
		return
	}

	// Without a profile that was shown before, only the list can show that it is gone.
	r.await(ctx, request, r.deadline(3), func() bool {
		one := &reading{group: "Profile", what: "deleted profile", way: r.use, read: readNone(readProfile(r.person, r.profile)), propose: infer.Absent}
		r.examine(ctx, one)
		isShown := r.wrote || request.left
		if one.err != nil || !isShown {
			return false
		}
		delete(r.holds, "profile")
		return true
	})
}

// submit sends a request that the service queues. It returns nil where the service has not accepted
// it.
func (r *rehearsal) submit(ctx context.Context, requestType string, send func(context.Context, *client.Client) (answer.Receipt, error)) *awaited {
	wire, err := wireOf(r.settings)
	if err != nil {
		r.note(requestType, Broken, err.Error())
		return nil
	}
	c, _, err := r.connect(r.use, wire, 0)
	if err != nil {
		r.note(requestType, Broken, err.Error())
		return nil
	}

	at := time.Now()
	receipt, err := send(ctx, c)
	e, isError := errors.AsType[*transport.Error](err)
	if err != nil {
		r.note(requestType, Broken, r.describe(err))
	}
	if isError && !e.Ambiguous {
		return nil
	}

	request := &awaited{known: infer.Request{Person: r.person.Identity, ID: receipt.ID, Type: requestType, State: "waiting"}, at: at}
	r.known = append(r.known, request.known)
	r.waiting = append(r.waiting, request)

	return request
}

// await reads the list and looks for the effect of a request until it is there, and says how long
// that took.
func (r *rehearsal) await(ctx context.Context, request *awaited, end time.Time, hasEffect func() bool) {
	for {
		r.look(ctx, request)
		if hasEffect() {
			took := time.Since(request.at)
			r.waiting = slices.DeleteFunc(r.waiting, func(w *awaited) bool { return w == request })
			r.end(ctx, request)
			r.note(request.known.Type, OK, "carried out, after "+took.Round(time.Second).String())
			return
		}
		if time.Now().After(end) || transport.Pause(ctx, lookInterval) != nil {
			return
		}
	}
}

// look reads the list, and notes whether the request is on it.
func (r *rehearsal) look(ctx context.Context, request *awaited) {
	one := r.pending()
	r.examine(ctx, one)
	if one.err != nil {
		return
	}

	// Without an id, the identity is all that is known: every text contains an empty one.
	isListed := strings.Contains(one.seen.text, r.person.Identity) && strings.Contains(one.seen.text, request.known.ID)
	if isListed && !request.listed {
		r.lag = max(r.lag, time.Since(request.at))
	}
	if request.listed && !isListed {
		request.left = true
	}
	request.listed = request.listed || isListed
	r.listed = r.listed || isListed
	if isListed {
		r.lacking = one.seen.lacking
	}
}

// end reads the list once more, in which a request that has ended may stand with another status.
func (r *rehearsal) end(ctx context.Context, request *awaited) {
	for i := range r.known {
		if r.known[i] == request.known {
			r.known[i].State = "done"
		}
	}
	if request.listed && !request.left {
		r.examine(ctx, r.pending())
	}
}

// withdraw writes a consent that refuses everything, since no request removes a record.
func (r *rehearsal) withdraw(ctx context.Context) {
	if len(r.updates) == 0 {
		return
	}

	u := client.ConsentUpdate{Manual: true}
	err := r.write(ctx, nil, u)
	if err != nil && ctx.Err() == nil { // it may want a time
		u.AgreementTime = time.Now().Truncate(time.Second)
		err = r.write(ctx, nil, u)
	}
	if err != nil {
		r.note("withdrawal", Broken, r.describe(err))
		return
	}

	if !r.isWithdrawn(ctx) {
		r.note("withdrawal", Broken, "accepted, and the record still agrees to some clauses")
		return
	}

	r.holds["consent"] = "a consent record that refuses everything, which no request of the interface removes"
	r.note("withdrawal", OK, "the consent is withdrawn")
}

// isWithdrawn reads the record until it refuses everything.
func (r *rehearsal) isWithdrawn(ctx context.Context) bool {
	end := time.Now().Add(latePatience)
	for {
		one := &reading{
			group: "Consent", what: "withdrawn record", way: r.use, propose: infer.Consent,
			read: readHeld(r.person, func(held answer.Consent) (seen, error) {
				if !held.HasClauses([answer.Clauses]bool{}) {
					return seen{}, errOther
				}
				return seen{text: consentText(held)}, nil
			}),
		}
		r.examine(ctx, one)
		if one.err == nil {
			return true
		}

		r.readings = slices.DeleteFunc(r.readings, one.isSame)
		if time.Now().After(end) || transport.Pause(ctx, lookInterval) != nil {
			return false
		}
	}
}

// conclude says what is left, and proposes the lag that was measured.
func (r *rehearsal) conclude(ctx context.Context) {
	result := r.report.Rehearsal
	result.Lag = r.lag.Round(100 * time.Millisecond).String()
	if r.lag > latePatience/2 {
		lag := min((2 * r.lag).Round(time.Second), client.LimitLag)
		r.adopt(infer.Settings{"lag": lag.String()})
	}

	if !r.listed && len(r.known) > 0 {
		r.note("list", Unknown, "the list of pending requests has shown none of the requests")
	}
	if r.lacking > 0 {
		r.note("list", Broken, "the list of pending requests shows the requests, and their type, person or status is not recognised; wire.pending says where these are, and what the words mean")
	}

	word := OK
	for _, what := range []string{"consent", "profile"} {
		if text := r.holds[what]; text != "" {
			result.Left = append(result.Left, text)
		}
	}
	if r.holds["profile"] != "" {
		word = Differs
	}
	for _, request := range r.waiting {
		word = Differs
		id := client.ShownID(request.known.ID, r.options.Identity)
		result.Left = append(result.Left, strings.TrimSpace("a request of type "+request.known.Type+" that has not ended "+id))
	}
	if ctx.Err() != nil {
		word = Broken
	}

	text := "nothing is left of " + r.name
	if len(result.Left) > 0 {
		text = "of " + r.name + " is left: " + strings.Join(result.Left, "; ")
	}
	r.note("left", word, text)
}

// discard is a writer that keeps nothing.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
