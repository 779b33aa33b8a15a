// SPDX-License-Identifier: MPL-2.0

package proof

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// Submission is what is known about one request. The zero value is a request that was never sent.
type Submission struct {
	State State  `json:"state,omitempty"`
	Type  string `json:"type,omitempty"` // one of answer.RequestTypes
	// IdempotencyKey distinguishes requests of one type about one person.
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	// ID is the service's identifier of the request; empty if it is not known. IsListed reports
	// that the list has shown it, and ListedAt is the time that the list gave it then.
	ID       string    `json:"id,omitempty"`
	IsListed bool      `json:"is_listed,omitempty"`
	ListedAt time.Time `json:"listed_at,omitzero"`

	// Begun is when sending it first began, and Sent when that ended: the list may lag from then
	// on. At is when the service accepted it, as it says or else when its answer came.
	Begun time.Time `json:"begun,omitzero"`
	At    time.Time `json:"at,omitzero"`
	Sent  time.Time `json:"sent,omitzero"`
	// SentDate is Begun by the service's clock, or earlier, and EndDate is Sent by that clock, or
	// later; zero if the list that was read before had no date.
	SentDate time.Time `json:"sent_date,omitzero"`
	EndDate  time.Time `json:"end_date,omitzero"`
	// FulfilledAt is when the fulfilment was seen.
	FulfilledAt time.Time `json:"fulfilled_at,omitzero"`

	// Before are the keys of records of the same person and type that are not the request.
	Before []string `json:"before,omitempty"`
	// Candidates are the keys of records that may be the request, as long as no ID tells. Frozen
	// reports that the list has had time to show all of them, and Doubt that one of them failed
	// and another one did not.
	Candidates []string `json:"candidates,omitempty"`
	Frozen     bool     `json:"frozen,omitempty"`
	Doubt      bool     `json:"doubt,omitempty"`
	// Absent, Done and Shown are when the list first did not contain the request, showed it as
	// done, and when its effect was first seen.
	Absent Mark `json:"absent,omitzero"`
	Done   Mark `json:"done,omitzero"`
	Shown  Mark `json:"shown,omitzero"`

	// Adopted reports that somebody else has sent the request.
	Adopted bool `json:"adopted,omitempty"`
	// Explained reports that seeing the effect proves nothing: it was there before, was not
	// measured then, or another request of the type may have caused it.
	Explained bool `json:"explained,omitempty"`
	// Code is the service's code of a failure.
	Code string `json:"code,omitempty"`
	// Confirmed reports that the list has shown the request itself as done.
	Confirmed bool `json:"confirmed,omitempty"`
	// Dropped reports that the request has left the list without its effect.
	Dropped bool `json:"dropped,omitempty"`
	// Interrupted reports that the run was interrupted while it waited, so that the next one
	// goes on waiting.
	Interrupted bool `json:"interrupted,omitempty"`
}

// IsOpen reports whether the service may still be working on the request that it has accepted.
func (s Submission) IsOpen() bool { return s.State == Accepted || s.State == Listed }

// ShownID returns the service's identifier of the request, or that of the only record which may be
// the request; empty if none is known.
func (s Submission) ShownID() string {
	if s.ID != "" || len(s.Candidates) != 1 {
		return s.ID
	}
	id, _ := strings.CutPrefix(s.Candidates[0], KeyOfID(""))
	if KeyOfID(id) != s.Candidates[0] {
		return ""
	}
	return id
}

// Mark is the first of two readings that have to show the same: when it began, and its date by the
// service's clock; zero if there is none.
type Mark struct {
	At   time.Time `json:"at,omitzero"`
	Date time.Time `json:"date,omitzero"`
}

// isConfirmed sets the mark if there is none, and reports whether a listing comes a lag after it.
func (m *Mark) isConfirmed(l Listing, lag time.Duration) bool {
	if m.At.IsZero() {
		m.At, m.Date = l.Began, l.Date
		return false
	}
	return l.Began.After(m.At) && l.IsAfter(m.At, m.Date, lag)
}

// Rules are the settings of wire that decide what a reading proves.
type Rules struct {
	// Lag is how long any reading may lag behind the service.
	Lag time.Duration
	// Partial takes what is understood of a list for the whole list.
	Partial bool
}

// See returns what a listing shows of the request, and remembers it. gap says why that is less than
// could be; empty if it is not. code is the service's code of a failure.
func (s *Submission) See(v View, r Rules) (shows List, gap, code string) {
	if v.isStale(s.SentDate) {
		return Unread, gapStale, ""
	}

	if own := s.own(v); len(own) > 0 {
		return s.seeOwn(own, v)
	}

	added := s.added(v)
	s.noteOthers(v, added)
	if len(added) > 0 {
		return s.seeCandidates(added, v, r)
	}

	s.Done = Mark{}
	if gap, shows := s.hiddenIn(v, r); gap != "" {
		s.Absent = Mark{}
		return shows, gap, ""
	}
	if s.State != Unanswered { // else the list may be known to lag for too short a time
		s.Frozen = s.Frozen || v.IsAfter(s.Sent, s.EndDate, r.Lag)
	}
	if !s.Absent.isConfirmed(v.Listing, r.Lag) {
		return Absent, "", ""
	}

	return Gone, "", ""
}

// own returns the records with the ID of the request, however they name the person.
func (s *Submission) own(v View) []answer.PendingRecord {
	if s.ID == "" {
		return nil
	}
	return pick(slices.Concat(v.Named, v.Uncertain), func(record answer.PendingRecord) bool {
		return hasID(record, s.ID) && record.Is(s.Type)
	})
}

// seeOwn is See for the records with the ID of the request. A failure whose record has another time
// than before may be that of another request, to which the service has given the ID.
func (s *Submission) seeOwn(own []answer.PendingRecord, v View) (List, string, string) {
	s.noteOthers(v, own)
	at, timed := own[0].CreatedAt.Get()
	if !s.IsListed {
		s.IsListed, s.ListedAt = true, at
	}
	if timed && s.At.IsZero() {
		s.At = at
	}
	s.Absent, s.Candidates = Mark{}, nil
	isOther := timed && !s.ListedAt.IsZero() && !at.Equal(s.ListedAt)
	if isOther && slices.ContainsFunc(v.Named, s.mayHaveMoved) {
		return Held, gapEqual, "" // an ID may be a position
	}

	switch tally := count(own); {
	case tally.unclear > 0:
		return Unclear, gapUnclear(own), ""
	case tally.waiting > 0:
		return Waiting, "", ""
	case tally.failed == 0:
		return tally.end(), "", ""
	case tally.over > 0:
		return Unclear, gapDisagree, ""
	case isOther:
		return Unclear, gapReused, ""
	}

	return SaysFailed, "", own[0].Code
}

// added returns the person's records of the type that may be the request, as far as no ID tells: all
// that are new since before it was sent, until the list has had time to show every one.
func (s *Submission) added(v View) []answer.PendingRecord {
	if s.IsListed {
		return nil
	}

	before := slices.Clone(s.Before)

	return pick(v.Named, func(record answer.PendingRecord) bool {
		keys := keysOf(record)
		if !record.Is(s.Type) || removeAny(&before, keys) {
			return false
		}
		if slices.Contains(s.Candidates, keys[0]) {
			return true
		}
		return !s.Frozen && s.mayBeNew(record)
	})
}

// mayBeNew reports whether a record that was not seen before may be new since the request was sent. One
// that has ended may as well be an old one, which the list did not show before.
func (s *Submission) mayBeNew(record answer.PendingRecord) bool {
	at, timed := record.CreatedAt.Get()
	if IsOpen(record) {
		return true
	}
	return timed && !at.Before(s.SentDate) && !at.Before(s.Begun.Truncate(time.Second))
}

// seeCandidates is See for records that may be the request. They have to agree.
func (s *Submission) seeCandidates(added []answer.PendingRecord, v View, r Rules) (List, string, string) {
	s.Absent = Mark{}
	var seen []string
	for _, record := range added {
		seen = append(seen, keysOf(record)[0])
	}
	hasLeft := slices.ContainsFunc(s.Candidates, func(key string) bool { return !slices.Contains(seen, key) })
	s.Candidates = slices.Compact(slices.Sorted(slices.Values(append(seen, s.Candidates...))))
	s.learn(added, v, r)

	tally := count(added)
	isSplit := tally.failed > 0 && (tally.failed < len(added))
	if tally.failed > 0 && hasLeft {
		isSplit = true
	}
	s.Doubt = s.Doubt || isSplit
	isDone := tally.over == len(added)
	if !isDone {
		s.Done = Mark{}
	}

	hidden := ""
	if !r.Partial {
		hidden = gapAbout(v, s.Type)
	}

	switch {
	case tally.unclear > 0:
		return Unclear, gapUnclear(added), ""
	case s.Doubt:
		return Unclear, gapDisagree, ""
	case tally.failed > 0:
		return SaysFailed, "", added[0].Code
	case !isDone:
		return Waiting, "", ""
	case hidden != "":
		return Unclear, hidden, ""
	case !s.Done.isConfirmed(v.Listing, r.Lag):
		return DoneOnce, "", ""
	}

	return tally.end(), "", ""
}

// learn freezes the candidates once the list has had time to show the request. A single one that
// has an ID is the request then.
func (s *Submission) learn(added []answer.PendingRecord, v View, r Rules) {
	at, timed := added[0].CreatedAt.Get()
	if timed && s.At.IsZero() {
		s.At = at
	}

	isWhole := v.Gap == "" || r.Partial
	if isWhole && v.IsAfter(s.Sent, s.EndDate, r.Lag) {
		s.Frozen = true
	}
	id, given := added[0].ID.Get()
	if s.Frozen && given && len(s.Candidates) == 1 {
		s.ID, s.IsListed, s.ListedAt, s.Candidates = id, true, at, nil
	}
}

// noteOthers notes that another request of the type may explain the effect: one that is open, or
// came since.
func (s *Submission) noteOthers(v View, mine []answer.PendingRecord) {
	own, before := KeysOf(mine), slices.Clone(s.Before)
	for _, record := range v.Named {
		keys := keysOf(record)
		if !record.Is(s.Type) || removeAny(&own, keys) {
			continue
		}
		isKnown := removeAny(&before, keys)
		s.Explained = s.Explained || !isKnown || IsOpen(record)
	}
	s.Explained = s.Explained || len(mine) > 1
}

// tally counts records by what their statuses mean. Of those that are over, ended do not say how.
type tally struct{ waiting, unclear, failed, over, ended int }

func count(records []answer.PendingRecord) (t tally) {
	for _, record := range records {
		switch record.Progress {
		case answer.Waiting:
			t.waiting++
		case answer.Unclear:
			t.unclear++
		case answer.Failed:
			t.failed++
		case answer.Done:
			t.over++
		case answer.Ended:
			t.over++
			t.ended++
		}
	}

	return t
}

// end returns what records show of which all are over.
func (t tally) end() List {
	if t.ended > 0 {
		return Over
	}
	return Done
}

// hiddenIn returns why the absence of the request from a listing proves nothing, and what the
// listing shows instead; empty if it proves something.
func (s *Submission) hiddenIn(v View, r Rules) (gap string, shows List) {
	for _, record := range v.WithID(s.ID) {
		if mayBe(record, s.Type) {
			return gapIdentity, Held
		}
	}

	if slices.ContainsFunc(v.Named, s.mayHaveMoved) {
		return gapEqual, Held
	}

	if r.Partial {
		return "", Absent
	}
	if gap := gapAbout(v, s.Type); gap != "" {
		return gap, Held
	}

	return v.Gap, Unread
}

// mayHaveMoved reports whether another open record of the type may be the request: any, as long as the
// list has not shown its ID, and one of the same time afterwards, for an ID may be a position.
func (s *Submission) mayHaveMoved(record answer.PendingRecord) bool {
	if !record.Is(s.Type) || !IsOpen(record) {
		return false
	}
	if !s.IsListed {
		return true
	}
	at, timed := record.CreatedAt.Get()
	return timed && at.Equal(s.ListedAt)
}

// Measure returns what a reading of the effect shows, and remembers it. The reading began and was
// dated like l.
func (s *Submission) Measure(seen Effect, l Listing, r Rules) Effect {
	if seen != Shown {
		s.Shown = Mark{}
		return seen
	}
	if s.Explained {
		return NoEffect
	}
	if s.Shown.isConfirmed(l, r.Lag) {
		return Proven
	}

	return Shown
}

// keysOf returns what distinguishes a record from others, the best first: its ID and its time, or
// else a digest of all of it.
func keysOf(record answer.PendingRecord) []string {
	var keys []string
	if id, ok := record.ID.Get(); ok {
		keys = append(keys, KeyOfID(id))
	}
	if at, ok := record.CreatedAt.Get(); ok {
		keys = append(keys, "at "+at.UTC().Format(time.RFC3339Nano))
	}
	if len(keys) > 0 {
		return keys
	}

	sum := sha256.Sum256(record.JSON)

	return []string{"as " + hex.EncodeToString(sum[:8])}
}

// KeysOf returns the keys of records.
func KeysOf(records []answer.PendingRecord) []string {
	var keys []string
	for _, record := range records {
		keys = append(keys, keysOf(record)...)
	}
	return keys
}

// KeyOfID returns the key of a record with an identifier.
func KeyOfID(id string) string { return "id " + id }

// removeAny removes the first occurrence of each key from all, and reports whether it had any.
func removeAny(all *[]string, keys []string) (had bool) {
	for _, key := range keys {
		if at := slices.Index(*all, key); at >= 0 {
			*all, had = slices.Delete(*all, at, at+1), true
		}
	}
	return had
}
