// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

// How a rehearsal waits: between two readings, and for what is late.
const (
	readInterval = time.Second
	lateness     = 10 * time.Second
	// dataInterval is between two requests for all data, each of which is queued.
	dataInterval = 15 * time.Second
)

// rehearsal does everything once with one person.
type rehearsal struct {
	*examination

	person  client.Person
	begun   time.Time
	profile map[string]jsontext.Value // that is written
	lag     time.Duration

	updates []sentUpdate
	waiting []*awaited        // requests that have not ended
	holds   map[string]string // what the service holds of the rehearsal, in words, by consent and profile
	wrote   bool              // the profile was shown as it was written
	listed  bool              // the list has shown a request
	lacking int               // fields that were not recognised when it did
}

// awaited is a deferred request.
type awaited struct {
	known  infer.Request
	at     time.Time
	listed bool // the list has shown it
	left   bool // the list has shown it, and no longer does
}

func newRehearsal(x *examination) *rehearsal {
	r := &rehearsal{examination: x, begun: time.Now(), holds: map[string]string{}}
	r.profile = map[string]jsontext.Value{"doctor_rehearsal": jsontext.Value(`"` + invented()[7:15] + `"`)}
	x.report.Rehearsal = &Rehearsal{}
	r.person = client.Person{Scope: x.family.scope, Identity: x.options.Identity}
	if r.person.Identity == "" {
		r.person.Identity = invented()
		x.report.Rehearsal.Person = r.person.Identity
	}

	return r
}

// run does everything in order, and says what is left of it. An interrupt ends it at once.
func (r *rehearsal) run(ctx context.Context) {
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
	r.report.add("Rehearsal", check, word, text)
}

// isNobody reports whether the service shows nothing about the invented person.
func (r *rehearsal) isNobody(ctx context.Context) bool {
	for _, reading := range []*reading{r.noConsent(r.person, "before the rehearsal"), r.noProfile(r.person, "before the rehearsal")} {
		r.examine(ctx, reading)
		if reading.err != nil {
			r.note("person", Broken, "nothing was written, since the answer about an invented person does not say that there is none ("+r.describe(reading.err)+")")
			return false
		}
	}
	return true
}

// deadline returns when the waiting for one of the three deferred requests ends.
func (r *rehearsal) deadline(part int) time.Time {
	return r.begun.Add(r.options.Timeout * time.Duration(part) / 3)
}

// until calls isDone once a second until it reports true. It reports false where it has not by the end, or
// ctx ends.
func until(ctx context.Context, end time.Time, isDone func() bool) bool {
	for !isDone() {
		if time.Now().After(end) || transport.Pause(ctx, readInterval) != nil {
			return false
		}
	}
	return true
}

// updateProfile updates the profile, and waits until it is read.
func (r *rehearsal) updateProfile(ctx context.Context) {
	send := func(ctx context.Context, c *client.Client) (answer.Receipt, error) {
		return c.UpdateProfile(ctx, r.person, r.profile)
	}
	request := r.submit(ctx, answer.RequestProfileUpdate, send)
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
	send := func(ctx context.Context, c *client.Client) (answer.Receipt, error) {
		return c.FetchData(ctx, r.person, answer.DataCall{Person: r.person.Identity}, io.Discard)
	}
	request := r.submit(ctx, answer.RequestDataAccess, send)
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
	send := func(ctx context.Context, c *client.Client) (answer.Receipt, error) {
		return c.DeleteData(ctx, r.person)
	}
	request := r.submit(ctx, answer.RequestDataDeletion, send)
	if request == nil {
		return
	}

	isGone := r.await(ctx, request, r.deadline(3), func() bool {
		one := &reading{group: "Profile", what: "deleted profile", way: r.use, read: readNone(readProfile(r.person, r.profile)), propose: infer.Absent}
		r.examine(ctx, one)
		isShown := r.wrote || request.left // only the list can show that what was never read is gone
		return one.err == nil && isShown
	})
	if isGone {
		delete(r.holds, "profile")
	}
}

// submit sends a request that the service queues. It returns nil where the service has not accepted
// it.
func (r *rehearsal) submit(ctx context.Context, requestType string, send func(context.Context, *client.Client) (answer.Receipt, error)) *awaited {
	at := time.Now()
	receipt, _, err := r.do(ctx, session{r.use, r.wire, 0}, func(ctx context.Context, c *client.Client) (seen, error) {
		receipt, err := send(ctx, c)
		return seen{text: receipt.ID}, err
	})
	if err != nil {
		r.note(requestType, Broken, r.describe(err))
	}
	if e, isError := errors.AsType[*transport.Error](err); isError && !e.Ambiguous {
		return nil
	}

	request := &awaited{known: infer.Request{Person: r.person.Identity, ID: receipt.text, Type: requestType, State: "waiting"}, at: at}
	r.known = append(r.known, request.known)
	r.waiting = append(r.waiting, request)

	return request
}

// await reads the list and looks for the effect of a request until it is there, and says how long
// that took.
func (r *rehearsal) await(ctx context.Context, request *awaited, end time.Time, hasEffect func() bool) bool {
	isDone := until(ctx, end, func() bool {
		r.find(ctx, request)
		return hasEffect()
	})
	if !isDone {
		return false
	}

	took := time.Since(request.at)
	r.waiting = slices.DeleteFunc(r.waiting, func(w *awaited) bool { return w == request })
	for i := range r.known {
		if r.known[i] == request.known {
			r.known[i].State = "done"
		}
	}
	if request.listed && !request.left { // it may stand there with another status
		r.examine(ctx, r.pending())
	}
	r.note(request.known.Type, OK, "carried out, after "+took.Round(time.Second).String())

	return true
}

// find reads the list, and notes whether the request is on it.
func (r *rehearsal) find(ctx context.Context, request *awaited) {
	one := r.pending()
	r.examine(ctx, one)
	if one.err != nil {
		return
	}

	// Without an id, the identity is all that is known: every text contains an empty one.
	isListed := strings.Contains(one.seen.text, r.person.Identity) && strings.Contains(one.seen.text, request.known.ID)
	if !isListed {
		request.left = request.listed
		return
	}
	if !request.listed {
		r.lag = max(r.lag, time.Since(request.at))
	}
	request.listed, r.listed, r.lacking = true, true, one.seen.lacking
}

// conclude says what is left, and proposes the lag that was measured.
func (r *rehearsal) conclude(ctx context.Context) {
	result := r.report.Rehearsal
	result.Lag = r.lag.Round(100 * time.Millisecond).String()
	if r.lag > lateness/2 {
		r.wire.Lag = min((2 * r.lag).Round(time.Second), client.LimitLag).String()
	}

	if !r.listed && len(r.known) > 0 {
		r.note("list", Unknown, "the list of pending requests has shown none of the requests")
	}
	if r.lacking > 0 {
		r.note("list", Broken, "the list of pending requests shows the requests, and their type, person or status is not recognised; wire.pending says where these are, and what the words mean")
	}

	for _, what := range []string{"consent", "profile"} {
		if text := r.holds[what]; text != "" {
			result.Left = append(result.Left, text)
		}
	}
	for _, request := range r.waiting {
		id := client.ShownID(request.known.ID, r.options.Identity)
		result.Left = append(result.Left, strings.TrimSpace("a request of type "+request.known.Type+" that has not ended "+id))
	}

	word := OK
	if r.holds["profile"] != "" || len(r.waiting) > 0 {
		word = Differs
	}
	if ctx.Err() != nil {
		word = Broken
	}
	name := cmp.Or(result.Person, "the person given with -identity")
	text := "nothing is left of " + name
	if len(result.Left) > 0 {
		text = "of " + name + " is left: " + strings.Join(result.Left, "; ")
	}
	r.note("left", word, text)
}
