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

// Sighting is what a listing shows of a request.
type Sighting struct {
	List List
	Gap  string // why that is less than could be; empty if it is not
	Code string // the service's code of a failure
}

// IsOlder reports whether an answer may be older than the request: a cache has kept it, or the service dates
// it before. date is zero if the service does not say when it made the answer.
func (s *Submission) IsOlder(isCached bool, date time.Time) bool {
	isBefore := !date.IsZero() && date.Before(s.SentDate)
	return isCached || isBefore
}

// Evaluate returns what a listing shows of the request, and remembers it.
func (s *Submission) Evaluate(seen Snapshot, r Rules) Sighting {
	if s.IsOlder(seen.Cached, seen.Date) {
		return Sighting{Gap: gapStale}
	}

	own, candidates := s.match(seen)
	switch {
	case len(own) > 0:
		return s.evaluateOwn(own)
	case len(candidates) > 0:
		return s.evaluateCandidates(candidates, seen, r)
	}

	return s.evaluateAbsence(seen, r)
}

// match returns the records that have the ID of the request, and the candidates: all of the type that are new
// since before it was sent, as long as the list has not shown its ID. The oldest is the first. It notes that
// another record explains the effect: one that is open or new.
func (s *Submission) match(seen Snapshot) (own, candidates []*answer.PendingRecord) {
	before := slices.Clone(s.Before)
	for _, record := range seen.Named {
		switch {
		case record.RequestType != s.Type:
		case s.ID != "" && record.ID == s.ID:
			own = append(own, record)
		default:
			isKnown := removeAny(&before, KeysOf(record))
			if !isKnown && s.isCandidate(record) {
				candidates = append(candidates, record)
			} else if !isKnown || IsOpen(record) {
				s.Explained = true
			}
		}
	}
	for _, record := range seen.Uncertain { // an ID counts however its record names the person
		if s.ID != "" && record.ID == s.ID && record.RequestType == s.Type {
			own = append(own, record)
		}
	}

	s.Explained = s.Explained || len(own)+len(candidates) > 1
	if len(own) == 0 {
		return nil, candidates
	}
	if s.isRetimed(own[0]) && slices.ContainsFunc(seen.Named, s.mayBe) {
		return nil, nil // an ID is a position in the list, and another record is the request
	}

	return own, nil
}

// isCandidate reports whether a record of the type that was not there before may be the request, as far as
// no ID tells. One that has ended may as well be an old one, which the list did not show before.
func (s *Submission) isCandidate(record *answer.PendingRecord) bool {
	switch {
	case s.IsListed:
		return false
	case slices.Contains(s.Candidates, KeysOf(record)[0]):
		return true
	case s.Frozen:
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
func (s *Submission) evaluateOwn(own []*answer.PendingRecord) Sighting {
	isRetimed := s.isRetimed(own[0])
	if !s.IsListed {
		s.IsListed, s.ListedAt = true, own[0].CreatedAt
	}
	s.At = cmp.Or(s.At, own[0].CreatedAt)
	s.Absent, s.Candidates = Mark{}, nil

	all, _ := summarize(own)
	if all.List == SaysFailed && isRetimed {
		return Sighting{List: Unclear, Gap: gapReused}
	}

	return all
}

// evaluateCandidates returns what the records show that may be the request, the oldest first. Once one of them
// has failed and another one has not, nothing more is concluded. One reading that says done is not enough.
func (s *Submission) evaluateCandidates(candidates []*answer.PendingRecord, seen Snapshot, r Rules) Sighting {
	s.At = cmp.Or(s.At, candidates[0].CreatedAt)
	s.Absent = Mark{}

	all, failed := summarize(candidates)
	hasLeft := s.addCandidates(candidates)
	s.learn(candidates[0], seen, r)
	isMixed := hasLeft || failed < len(candidates)
	if isMixed && failed > 0 {
		s.Doubt = true
	}
	if s.Doubt && all.Gap == "" {
		all = Sighting{List: Unclear, Gap: gapDisagree}
	}

	if all.List != Done && all.List != Over {
		s.Done = Mark{}
		return all
	}
	if gap := seen.gapAbout(s.Type); gap != "" && !r.Partial { // such a reading is not the first of two
		return Sighting{List: Unclear, Gap: gap}
	}
	if !s.Done.isConfirmed(seen.Listing, r.Lag) {
		return Sighting{List: DoneOnce}
	}

	return all
}

// addCandidates adds the keys of records to the candidates, and reports whether one of before has left the list.
func (s *Submission) addCandidates(records []*answer.PendingRecord) (hasLeft bool) {
	var keys []string
	for _, record := range records {
		keys = append(keys, KeysOf(record)[0])
	}
	for _, key := range s.Candidates {
		hasLeft = hasLeft || !slices.Contains(keys, key)
	}
	keys = append(keys, s.Candidates...)
	slices.Sort(keys)
	s.Candidates = slices.Compact(keys)

	return hasLeft
}

// learn freezes the candidates once the list has had time to show the request. A single one that
// has an ID is the request then. first is the oldest of them.
func (s *Submission) learn(first *answer.PendingRecord, seen Snapshot, r Rules) {
	isWhole := seen.Gap == "" || r.Partial
	if isWhole && seen.IsAfter(s.Sent, s.EndDate, r.Lag) {
		s.Frozen = true
	}
	if s.Frozen && len(s.Candidates) == 1 && first.ID != "" {
		s.ID, s.IsListed, s.ListedAt, s.Candidates = first.ID, true, first.CreatedAt, nil
	}
}

// summarize returns what records show together, and how many of them have failed: one that is pending keeps
// all open, and one that has ended does not say how.
func summarize(records []*answer.PendingRecord) (all Sighting, failed int) {
	has := map[answer.Progress]bool{}
	isContrary := false
	for _, record := range records {
		has[record.Progress] = true
		isContrary = isContrary || record.Disagrees
		if record.Progress == answer.Failed {
			failed++
		}
	}

	switch isOver := has[answer.Done] || has[answer.Ended]; {
	case isContrary:
		all = Sighting{List: Unclear, Gap: gapContrary}
	case has[answer.Unclear]:
		all = Sighting{List: Unclear, Gap: gapUnknown}
	case has[answer.Waiting]:
		all.List = Waiting
	case failed > 0 && isOver:
		all = Sighting{List: Unclear, Gap: gapDisagree}
	case failed > 0:
		all = Sighting{List: SaysFailed, Code: records[0].Code}
	case has[answer.Ended]:
		all.List = Over
	default:
		all.List = Done
	}

	return all, failed
}

// evaluateAbsence returns what a listing shows that does not have the request, and why its absence proves
// nothing, where it does not.
func (s *Submission) evaluateAbsence(seen Snapshot, r Rules) Sighting {
	s.Done = Mark{}
	if hidden := s.mayHide(seen, r); hidden.Gap != "" {
		s.Absent = Mark{}
		return hidden
	}

	if s.State != Unanswered && seen.IsAfter(s.Sent, s.EndDate, r.Lag) { // else the lag may have to be set longer
		s.Frozen = true
	}
	if !s.Absent.isConfirmed(seen.Listing, r.Lag) {
		return Sighting{List: Absent}
	}

	return Sighting{List: AbsentTwice}
}

// mayHide returns why a listing may hide the request.
func (s *Submission) mayHide(seen Snapshot, r Rules) Sighting {
	if slices.ContainsFunc(seen.Named, s.mayBe) {
		return Sighting{List: Ambiguous, Gap: gapEqual}
	}
	for _, record := range seen.ByID[s.ID] {
		if record.RequestType == "" || record.RequestType == s.Type {
			return Sighting{List: Ambiguous, Gap: gapIdentity}
		}
	}
	if r.Partial {
		return Sighting{}
	}
	if gap := seen.gapAbout(s.Type); gap != "" {
		return Sighting{List: Ambiguous, Gap: gap}
	}

	return Sighting{List: Unread, Gap: seen.Gap}
}

// EvaluateEffect returns what a reading of the effect shows, and remembers it. The reading began and was
// dated like l.
func (s *Submission) EvaluateEffect(seen Effect, l Listing, r Rules) Effect {
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

// removeAny removes the first occurrence of each key from all, and reports whether it had any.
func removeAny(all *[]string, keys []string) (had bool) {
	for _, key := range keys {
		if at := slices.Index(*all, key); at >= 0 {
			*all, had = slices.Delete(*all, at, at+1), true
		}
	}
	return had
}
