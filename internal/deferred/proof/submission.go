// SPDX-License-Identifier: MPL-2.0

package proof

import (
	"cmp"
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

	// IsOurs reports that this process has submitted the request, and Adopted that somebody else has sent it.
	IsOurs  bool `json:"-"`
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
	id, isID := strings.CutPrefix(s.Candidates[0], KeyOfID)
	if !isID {
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

// IsOlder reports whether an answer may be older than the request: a cache has kept it, or the service dates
// it before. date is zero if the service does not say when it made the answer.
func (s *Submission) IsOlder(isCached bool, date time.Time) bool {
	isBefore := !date.IsZero() && date.Before(s.SentDate)
	return isCached || isBefore
}

// Evaluate returns what a listing shows of the request, and why that is less than could be; empty if it is not.
// It remembers what is shown.
func (s *Submission) Evaluate(seen Snapshot, r Rules) (shows List, gap string) {
	s.Code = ""
	if s.IsOlder(seen.Cached, seen.Date) {
		return Unread, gapStale
	}
	found := s.match(seen)
	if len(found.own) > 0 {
		return s.evaluateOwn(found.own, seen)
	}
	if len(found.candidates) > 0 {
		return s.evaluateCandidates(found.candidates, seen, r)
	}

	s.Done = Mark{}
	if gap := s.mayHide(seen, r); gap != "" {
		s.Absent = Mark{}
		return Unread, gap
	}
	if s.State != Unanswered && seen.IsAfter(s.Sent, s.EndDate, r.Lag) { // else the lag may have to be set longer
		s.Frozen = true
	}
	if !s.Absent.isConfirmed(seen.Listing, r.Lag) {
		return Absent, ""
	}

	return AbsentTwice, ""
}

// matches are the records that have the ID of a request, or else the candidates: all of the type that are
// new since before it was sent, as long as the list has not shown its ID. The oldest is the first.
type matches struct {
	own, candidates []*answer.PendingRecord

	before []string // what is left of the keys of records that are not the request
}

// match returns the records that may be the request. It notes that another record explains the effect: one that
// is open or new.
func (s *Submission) match(seen Snapshot) matches {
	found := matches{before: slices.Clone(s.Before)}
	for _, record := range slices.Concat(seen.Named, seen.Uncertain) {
		if record.RequestType == s.Type {
			found.add(s, record, record.Identity == seen.Person)
		}
	}
	s.Explained = s.Explained || len(found.own)+len(found.candidates) > 1

	return found
}

// add adds a record of the type. Without an ID that tells, only one that names the person exactly counts.
func (found *matches) add(s *Submission, record *answer.PendingRecord, isNamed bool) {
	if s.ID != "" && record.ID == s.ID {
		found.own = append(found.own, record)
		return
	}
	if !isNamed {
		return
	}

	isKnown := removeAny(&found.before, KeysOf(record))
	switch {
	case !isKnown && s.isCandidate(record):
		found.candidates = append(found.candidates, record)
	case !isKnown, IsOpen(record):
		s.Explained = true
	}
}

// isCandidate reports whether a record of the type that was not there before may be the request, as far as
// no ID tells. One that has ended may as well be an old one, which the list did not show before.
func (s *Submission) isCandidate(record *answer.PendingRecord) bool {
	switch {
	case slices.Contains(s.Candidates, KeysOf(record)[0]):
		return true
	case s.IsListed, s.Frozen:
		return false
	case IsOpen(record):
		return true
	}

	return !record.CreatedAt.IsZero() && !record.CreatedAt.Before(s.SentDate) && !record.CreatedAt.Before(s.Begun.Truncate(time.Second))
}

// isRetimed reports whether a record with the ID of the request has another time than the list gave it first.
func (s *Submission) isRetimed(own *answer.PendingRecord) bool {
	return !own.CreatedAt.IsZero() && !s.ListedAt.IsZero() && !own.CreatedAt.Equal(s.ListedAt)
}

// mayBe reports whether an open record without the ID of the request may be the request: any of the type, as
// long as the list has not shown the ID, and one of the same time afterwards, for an ID may be a position.
func (s *Submission) mayBe(record *answer.PendingRecord) bool {
	if record.RequestType != s.Type || !IsOpen(record) {
		return false
	}
	isSameTime := !record.CreatedAt.IsZero() && record.CreatedAt.Equal(s.ListedAt)
	return isSameTime || !s.IsListed
}

// evaluateOwn returns what the records with the ID of the request show. A failure with another time than
// before may be that of another request with the same ID.
func (s *Submission) evaluateOwn(own []*answer.PendingRecord, seen Snapshot) (List, string) {
	s.Absent = Mark{}
	isRetimed := s.isRetimed(own[0])
	if isRetimed && slices.ContainsFunc(seen.Named, s.mayBe) { // an ID is a position in the list
		return Unread, gapEqual
	}

	if !s.IsListed {
		s.IsListed, s.ListedAt = true, own[0].CreatedAt
	}
	s.At, s.Candidates = cmp.Or(s.At, own[0].CreatedAt), nil
	shows, gap := s.summarize(own)
	if isRetimed && shows == SaysFailed {
		return Unclear, gapReused
	}

	return shows, gap
}

// evaluateCandidates returns what the records show that may be the request, the oldest first. Once one of them
// has failed and another one has not, nothing more is concluded. One reading that says done is not enough.
func (s *Submission) evaluateCandidates(candidates []*answer.PendingRecord, seen Snapshot, r Rules) (List, string) {
	s.At, s.Absent = cmp.Or(s.At, candidates[0].CreatedAt), Mark{}
	shows, unclear := s.summarize(candidates)
	s.addCandidates(candidates, shows)
	gap := seen.gap(r, s.Type)
	if gap == "" && seen.IsAfter(s.Sent, s.EndDate, r.Lag) {
		s.freeze(candidates[0])
	}

	if s.Doubt {
		shows, unclear = Unclear, cmp.Or(unclear, gapDisagree)
	}
	if shows != Done && shows != Over {
		s.Done = Mark{}
		return shows, unclear
	}
	if gap != "" { // such a reading is not the first of two
		return Unclear, gap
	}
	if !s.Done.isConfirmed(seen.Listing, r.Lag) {
		return DoneOnce, ""
	}

	return shows, ""
}

// addCandidates adds the keys of records to the candidates, and notes the doubt where one of them has failed and
// another one has not, or has left the list.
func (s *Submission) addCandidates(records []*answer.PendingRecord, all List) {
	isMixed, hasFailed := all != SaysFailed, false
	var keys []string
	for _, record := range records {
		keys = append(keys, KeysOf(record)[0])
		hasFailed = hasFailed || record.Progress == answer.Failed
	}
	for _, key := range s.Candidates {
		isMixed = isMixed || !slices.Contains(keys, key)
	}
	keys = append(keys, s.Candidates...)
	slices.Sort(keys)
	s.Candidates = slices.Compact(keys)

	if isMixed && hasFailed {
		s.Doubt = true
	}
}

// freeze notes that the list has had time to show all candidates, of which first is the oldest. A single one that
// has an ID is the request.
func (s *Submission) freeze(first *answer.PendingRecord) {
	s.Frozen = true
	if first.ID != "" && len(s.Candidates) == 1 {
		s.ID, s.IsListed, s.ListedAt, s.Candidates = first.ID, true, first.CreatedAt, nil
	}
}

// summarize returns what records show together, and why that is nothing certain: one that is pending keeps all
// open, and one that has ended does not say how. It notes the code of a failure.
func (s *Submission) summarize(records []*answer.PendingRecord) (List, string) {
	count := map[answer.Progress]int{}
	for _, record := range records {
		count[record.Progress]++
	}

	switch {
	case count[answer.Unclear] > 0:
		return Unclear, gapUnclear
	case count[answer.Waiting] > 0:
		return Waiting, ""
	case count[answer.Failed] == len(records):
		s.Code = records[0].Code
		return SaysFailed, ""
	case count[answer.Failed] > 0:
		return Unclear, gapDisagree
	case count[answer.Ended] > 0:
		return Over, ""
	}

	return Done, ""
}

// mayHide returns why a listing that does not have the request proves nothing; empty if it does.
func (s *Submission) mayHide(seen Snapshot, r Rules) string {
	if slices.ContainsFunc(seen.Named, s.mayBe) {
		return gapEqual
	}
	for _, record := range seen.ByID[s.ID] {
		if record.RequestType == "" || record.RequestType == s.Type {
			return gapIdentity
		}
	}

	return seen.gap(r, s.Type)
}

// EvaluateEffect returns what a reading of the effect shows, and remembers it. The reading began and was
// dated like l. One that shows the effect is followed by another one also where the effect proves nothing: it
// may be wrong, and the effect be missing.
func (s *Submission) EvaluateEffect(seen Effect, l Listing, r Rules) Effect {
	if seen != Shown {
		s.Shown = Mark{}
		return seen
	}
	if !s.Shown.isConfirmed(l, r.Lag) {
		return Shown
	}
	if s.Explained {
		return NoEffect
	}

	return Proven
}

// Enter enters the state that was concluded now from what a list shows.
func (s *Submission) Enter(state State, shows List, now time.Time) {
	if s.State == state {
		return
	}

	s.State = state
	s.At = cmp.Or(s.At, s.Sent) // the answer with the time may have been lost
	s.Dropped = state == Failed && shows != SaysFailed
	s.Confirmed = state == Fulfilled && shows == Done
	if state == Fulfilled {
		s.FulfilledAt = now
	}
}

// KeyOfID is the prefix of the key of a record with an ID.
const KeyOfID = "id "

// KeysOf returns what distinguishes a record from others, the best first: its ID and its time, or
// else a digest of all of it.
func KeysOf(record *answer.PendingRecord) (keys []string) {
	if record.ID != "" {
		keys = append(keys, KeyOfID+record.ID)
	}
	if !record.CreatedAt.IsZero() {
		keys = append(keys, "at "+record.CreatedAt.UTC().Format(time.RFC3339Nano))
	}
	if len(keys) == 0 {
		sum := sha256.Sum256(record.JSON)
		keys = append(keys, "as "+hex.EncodeToString(sum[:8]))
	}

	return keys
}

// Without returns keys without one of them.
func Without(keys []string, key string) []string {
	return slices.DeleteFunc(keys, func(k string) bool { return k == key })
}

// removeAny removes the first occurrence of each key from all, and reports whether it had any.
func removeAny(all *[]string, keys []string) (had bool) {
	for _, key := range keys {
		if at := slices.Index(*all, key); at >= 0 {
			*all, had = slices.Delete(*all, at, at+1), true
		}
	}
	return had
}
