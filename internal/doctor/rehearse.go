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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
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

	who person
	lag time.Duration

	isWithdrawn bool
	isWritten   bool // the profile was shown as it was written
	isListed    bool // the list has shown a request
	lacking     int  // fields that were not recognised when it did so last
	requests    []*awaited
}

// step is a request that the service queues, and what shows that it was carried out.
type step struct {
	requestType string
	end         time.Time // of the waiting for its effect
	send        reader
	hasEffect   func(context.Context, *awaited) bool
}

// awaited is a deferred request that was sent.
type awaited struct {
	*infer.Request
	at       time.Time
	listed   bool      // the list has shown it
	delisted bool      // the list has shown it, and no longer does
	asked    time.Time // again for the data; zero before
}

// rehearse does everything in order, and says what is left of it. An interrupt ends it at once.
func (x *examination) rehearse(ctx context.Context) {
	x.report.Rehearsal = &Rehearsal{}
	begun, third := time.Now(), x.options.Timeout/3
	r := &rehearsal{examination: x, who: x.person(x.options.Identity)}
	r.who.profile = map[string]jsontext.Value{"doctor_rehearsal": jsontext.Value(`"` + invented()[7:15] + `"`)}
	if r.who.Identity == "" {
		r.who.Identity = invented()
		x.report.Rehearsal.Person = r.who.Identity
		for _, none := range nothingOf(x.person(r.who.Identity), "before the rehearsal") {
			if _, err := x.examine(ctx, none); err != nil {
				r.note("person", Broken, "nothing was written, since the answer about an invented person does not say that there is none ("+x.describe(err)+")")
				return
			}
		}
	}

	r.writeConsent(ctx, begun.Add(third))
	r.carryOut(ctx, step{decode.RequestProfileUpdate, begun.Add(third), r.who.updateProfile, r.showsProfile})
	r.carryOut(ctx, step{decode.RequestDataAccess, begun.Add(2 * third), r.who.askForData, r.getsData})
	r.carryOut(ctx, step{decode.RequestDataDeletion, begun.Add(3 * third), r.who.deleteData, r.showsNoProfile})
	r.withdraw(ctx)
	r.conclude(ctx)
}

// note adds a finding of the rehearsal.
func (r *rehearsal) note(check string, word Word, text string) {
	r.report.add("Rehearsal", check, word, text)
}

// since returns the word for a step that began with these settings, and works.
func (r *rehearsal) since(configured client.Wire) Word {
	return asConfigured[reflect.DeepEqual(configured.Minimal(), r.wire.Minimal())]
}

// wait waits until the next reading is due. It reports false where the end has come, or ctx has ended.
func wait(ctx context.Context, end time.Time) bool {
	return !time.Now().After(end) && transport.Pause(ctx, readInterval) == nil
}

// carryOut sends the request of a step, waits for its effect, and reports how long that took.
func (r *rehearsal) carryOut(ctx context.Context, s step) {
	configured := r.wire
	request := r.submit(ctx, s)
	if request == nil {
		return
	}

	for r.find(ctx, request); !s.hasEffect(ctx, request); r.find(ctx, request) {
		if !wait(ctx, s.end) {
			return
		}
	}

	took := time.Since(request.at)
	r.watch(ctx, request)
	r.note(s.requestType, r.since(configured), "carried out, after "+took.Round(time.Second).String())
}

// watch reads the list after the effect of a request, until it has caught up. While it lags, it shows what the request
// was before, perhaps for the first time.
func (r *rehearsal) watch(ctx context.Context, request *awaited) {
	request.State = "effective"
	end := time.Now().Add(lateness)
	if request.listed {
		end = time.Now().Add(r.lag + readInterval)
	}

	for r.find(ctx, request); !request.delisted && wait(ctx, end); {
		r.find(ctx, request)
	}

	request.State = "done"
	if request.isOpen() { // it may be there with another status
		_, _ = r.examine(ctx, r.pending())
	}
}

// submit sends a request; nil where it was not sent, or is refused.
func (r *rehearsal) submit(ctx context.Context, s step) *awaited {
	if ctx.Err() != nil {
		return nil
	}

	at := time.Now()
	sent, _, err := r.do(ctx, session{way: r.use, wire: r.wire}, s.send)
	if err != nil {
		r.note(s.requestType, Broken, r.describe(err))
	}
	if e, isError := errors.AsType[*transport.Error](err); isError && !e.Ambiguous {
		return nil
	}

	request := &awaited{Request: &infer.Request{Person: r.who.Identity, ID: sent.text, Type: s.requestType, State: "waiting"}, at: at}
	r.known = append(r.known, request.Request)
	r.requests = append(r.requests, request)

	return request
}

// find reads the list, and notes whether the request is on it.
func (r *rehearsal) find(ctx context.Context, request *awaited) {
	got, err := r.examine(ctx, r.pending())
	if err != nil {
		return
	}
	if !slices.ContainsFunc(got.requests, request.isRecord) {
		request.delisted = request.listed
		return
	}

	if !request.listed {
		r.lag = max(r.lag, time.Since(request.at))
	}
	request.listed, r.isListed, r.lacking = true, true, got.lacking
}

// isRecord reports whether a record of the list may be that of the request. Without an id, person and type
// are all that is known.
func (a *awaited) isRecord(record decode.PendingRecord) bool {
	isOfType := record.RequestType == a.Type || record.RequestType == ""
	return isOfType && record.Identity == a.Person && strings.Contains(record.ID, a.ID)
}

func (a *awaited) isOpen() bool { return a.listed && !a.delisted }

// showsProfile reports whether the profile is read as it was written.
func (r *rehearsal) showsProfile(ctx context.Context, _ *awaited) bool {
	got, err := r.examine(ctx, &reading{group: "Profile", check: "written profile", read: r.who.readProfile, propose: r.who.proposeProfile})
	r.isWritten = err == nil && got.text != none && got.lacking == 0
	return r.isWritten
}

// getsData asks for all data again: once the request has left the list, and at intervals where it is not on it.
func (r *rehearsal) getsData(ctx context.Context, request *awaited) bool {
	isNew := request.delisted && request.asked.IsZero()
	isLate := !request.isOpen() && time.Since(cmp.Or(request.asked, request.at)) >= dataInterval
	if !isNew && !isLate {
		return false
	}

	request.asked = time.Now()
	// The list may not show the next request that takes as long, if it lags longer.
	who := r.who
	who.isListed = request.listed && time.Since(request.at) > r.lag+3*readInterval/2 // between two readings
	got, err := r.examine(ctx, &reading{group: "All data", check: "data", read: who.data, propose: infer.Data})

	return err == nil && got.text == "data"
}

// showsNoProfile reports whether there is no profile. What was never read is deleted once the list says so.
func (r *rehearsal) showsNoProfile(ctx context.Context, request *awaited) bool {
	_, err := r.examine(ctx, &reading{group: "Profile", check: "deleted profile", read: nothing{r.who.readProfile}.read, propose: infer.Absent})
	isShown := r.isWritten || request.delisted
	return err == nil && isShown
}

// conclude says what is left, and proposes the lag that was measured.
func (r *rehearsal) conclude(ctx context.Context) {
	result := r.report.Rehearsal
	result.Lag = r.lag.Round(100 * time.Millisecond).String()
	if r.lag > lateness/2 {
		r.wire.Lag = min((2 * r.lag).Round(time.Second), client.LimitLag).String()
	}
	r.judgeList()

	unfinished := r.unfinished()
	switch {
	case r.isWithdrawn:
		result.Remaining = []string{"a consent record that refuses everything, which no request of the interface removes"}
	case len(r.who.updates) > 0:
		result.Remaining = []string{"a consent record with invented choices"}
	}
	result.Remaining = append(result.Remaining, unfinished...)

	word := asConfigured[len(unfinished) == 0]
	if ctx.Err() != nil {
		word = Broken
	}
	r.note("left", word, "of "+cmp.Or(result.Person, "the person given with -identity")+" is left: "+cmp.Or(strings.Join(result.Remaining, "; "), "nothing"))
}

// judgeList reports what the list has not shown of the requests.
func (r *rehearsal) judgeList() {
	switch {
	case r.lacking > 0:
		r.note("list", Broken, "the list of pending requests shows the requests, and their type, person or status is not recognised; wire.pending says where these are, and what the words mean")
	case !r.isListed && len(r.requests) > 0:
		r.note("list", Unknown, "the list of pending requests has shown none of the requests")
	}
}

// unfinished returns what is left and should not be: requests that have not ended, and the profile, which is
// updated first and deleted last.
func (r *rehearsal) unfinished() (all []string) {
	isEnded := map[string]bool{}
	for _, request := range r.requests {
		isEnded[request.Type] = request.State != "waiting"
		if !isEnded[request.Type] {
			id := client.ShownID(request.ID, r.options.Identity)
			all = append(all, strings.TrimSpace("a request of type "+request.Type+" that has not ended "+id))
		}
	}
	if _, isUpdated := isEnded[decode.RequestProfileUpdate]; isUpdated && !isEnded[decode.RequestDataDeletion] {
		all = append(all, "a profile with the member doctor_rehearsal")
	}

	return all
}
