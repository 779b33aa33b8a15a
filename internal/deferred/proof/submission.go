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
	if id, isID := strings.CutPrefix(s.Candidates[0], KeyOfID("")); isID {
		return id
	}
	return ""
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
func (s Submission) IsOlder(isCached bool, date time.Time) bool {
	isBefore := !date.IsZero() && date.Before(s.SentDate)
	return isCached || isBefore
}

// Evaluate returns what a listing shows of the request, and remembers it. gap says why that is less than
// could be; empty if it is not. code is the service's code of a failure.
func (s *Submission) Evaluate(seen Snapshot, r Rules) (shows List, gap, code string) {
	if s.IsOlder(seen.Cached, seen.Date) {
		return Unread, gapStale, ""
	}

	mine, isOwn := s.match(seen)
	if len(mine) == 0 || s.hasMoved(mine[0], seen) {
		shows, gap = s.evaluateAbsence(seen, r)
		return shows, gap, ""
	}

	s.Absent = Mark{}
	if s.At.IsZero() {
		s.At = mine[0].CreatedAt
	}
	all := summarize(mine)
	isProven := true
	if isOwn {
		gap = s.noteOwn(mine[0], all)
	} else {
		gap, isProven = s.noteCandidates(mine, all, seen, r)
	}

	switch {
	case gap != "":
		return Unclear, gap, ""
	case all.shows == SaysFailed:
		return SaysFailed, "", mine[0].Code
	case all.shows == Waiting:
		return Waiting, "", ""
	case !isProven:
		return DoneOnce, "", ""
	}

	return all.shows, "", ""
}

// noteOwn notes a record with the ID of the request, and returns why all such records show nothing
// certain; empty if they do. A failure with another time than before may be that of another request
// with the same ID.
func (s *Submission) noteOwn(own answer.PendingRecord, all summary) (gap string) {
	if !s.IsListed {
		s.IsListed = true
		s.ListedAt = own.CreatedAt
	}
	s.Candidates = nil
	if all.gap == "" && all.shows == SaysFailed && s.isRetimed(own) {
		return gapReused
	}

	return all.gap
}

// match returns the records that are the request, the oldest first, and whether they have its ID. Until the
// list has shown the ID, they are the candidates: all of the type that are new since before it was sent,
// until the list has had time to show every one. It notes that another record explains the effect: one that
// is open or new.
func (s *Submission) match(seen Snapshot) (records []answer.PendingRecord, isOwn bool) {
	var own, candidates []answer.PendingRecord
	before := slices.Clone(s.Before)
	for _, record := range seen.OfType(s.Type) {
		if hasID(record, s.ID) {
			own = append(own, record)
			continue
		}

		isKnown := removeAny(&before, keysOf(record))
		if !isKnown && s.isCandidate(record) {
			candidates = append(candidates, record)
			continue
		}
		s.Explained = s.Explained || !isKnown || IsOpen(record)
	}
	for _, record := range seen.Uncertain { // an ID counts however its record names the person
		if hasID(record, s.ID) && record.RequestType == s.Type {
			own = append(own, record)
		}
	}

	s.Explained = s.Explained || len(own)+len(candidates) > 1
	if len(own) > 0 {
		return own, true
	}

	return candidates, false
}

// isCandidate reports whether a record of the type that was not there before may be the request, as far as
// no ID tells. One that has ended may as well be an old one, which the list did not show before.
func (s *Submission) isCandidate(record answer.PendingRecord) bool {
	switch {
	case s.IsListed:
		return false
	case slices.Contains(s.Candidates, keysOf(record)[0]):
		return true
	case s.Frozen:
		return false
	case IsOpen(record):
		return true
	}

	at := record.CreatedAt

	return !at.IsZero() && !at.Before(s.SentDate) && !at.Before(s.Begun.Truncate(time.Second))
}

// noteCandidates notes records that may be the request, the oldest first, and returns why they show nothing
// certain, and whether they have shown for long enough that they are all over. As long as they have not been
// the only ones once the list has had time to show the request, they have to agree.
func (s *Submission) noteCandidates(added []answer.PendingRecord, all summary, seen Snapshot, r Rules) (gap string, isProven bool) {
	var keys []string
	for _, record := range added {
		keys = append(keys, keysOf(record)[0])
	}
	hasLeft := slices.ContainsFunc(s.Candidates, func(key string) bool { return !slices.Contains(keys, key) })
	s.Candidates = slices.Compact(slices.Sorted(slices.Values(append(keys, s.Candidates...))))

	s.learn(added[0], seen, r)
	isMixed := hasLeft || all.failed < len(added)
	if isMixed && all.failed > 0 {
		s.Doubt = true
	}
	gap = all.gap
	if s.Doubt {
		gap = cmp.Or(gap, gapDisagree)
	}
	if all.over < len(added) {
		s.Done = Mark{}
		return gap, false
	}
	if !r.Partial {
		gap = cmp.Or(gap, seen.gapAbout(s.Type))
	}
	if gap != "" { // such a reading is not the first of two
		return gap, false
	}

	return "", s.Done.isConfirmed(seen.Listing, r.Lag)
}

// learn freezes the candidates once the list has had time to show the request. A single one that
// has an ID is the request then. first is the oldest of them.
func (s *Submission) learn(first answer.PendingRecord, seen Snapshot, r Rules) {
	isWhole := seen.Gap == "" || r.Partial
	if isWhole && seen.IsAfter(s.Sent, s.EndDate, r.Lag) {
		s.Frozen = true
	}
	if s.Frozen && first.ID != "" && len(s.Candidates) == 1 {
		s.ID, s.IsListed, s.Candidates = first.ID, true, nil
		s.ListedAt = first.CreatedAt
	}
}

// summary counts records that have failed, and that are over otherwise.
type summary struct {
	failed, over int

	shows List   // what they show together: one that is pending keeps all open
	gap   string // why they show nothing certain; empty if they do
}

// summarize returns the summary of records.
func summarize(records []answer.PendingRecord) summary {
	counts, isContrary := map[answer.Progress]int{}, false
	for _, record := range records {
		counts[record.Progress]++
		isContrary = isContrary || record.Disagrees
	}

	all := summary{failed: counts[answer.Failed], over: counts[answer.Done] + counts[answer.Ended]}
	switch {
	case counts[answer.Waiting] > 0:
		all.shows = Waiting
	case all.failed > 0:
		all.shows = SaysFailed
	case counts[answer.Ended] > 0: // which does not say how
		all.shows = Over
	default:
		all.shows = Done
	}

	switch {
	case isContrary:
		all.gap = gapContrary
	case counts[answer.Unclear] > 0:
		all.gap = gapUnknown
	case all.shows == SaysFailed && all.over > 0:
		all.gap = gapDisagree
	}

	return all
}

// evaluateAbsence returns what a listing shows that does not have the request, and why its absence proves nothing;
// empty if it proves something.
func (s *Submission) evaluateAbsence(seen Snapshot, r Rules) (shows List, gap string) {
	isElsewhere := slices.ContainsFunc(seen.WithID(s.ID), func(record answer.PendingRecord) bool { return mayBe(record, s.Type) })
	switch {
	case slices.ContainsFunc(seen.Named, s.mayHaveMoved):
		shows, gap = Ambiguous, gapEqual
	case isElsewhere:
		shows, gap = Ambiguous, gapIdentity
	case r.Partial:
	case seen.gapAbout(s.Type) != "":
		shows, gap = Ambiguous, seen.gapAbout(s.Type)
	case seen.Gap != "":
		shows, gap = Unread, seen.Gap
	}

	s.Done = Mark{}
	if gap != "" {
		s.Absent = Mark{}
		return shows, gap
	}
	if s.State != Unanswered { // else the list may be known to lag for too short a time
		s.Frozen = s.Frozen || seen.IsAfter(s.Sent, s.EndDate, r.Lag)
	}
	if !s.Absent.isConfirmed(seen.Listing, r.Lag) {
		return Absent, ""
	}

	return AbsentTwice, ""
}

// isRetimed reports whether a record with the ID of the request has another time than the list gave it first.
func (s *Submission) isRetimed(own answer.PendingRecord) bool {
	isKnown := s.IsListed && !own.CreatedAt.IsZero() && !s.ListedAt.IsZero()
	return isKnown && !own.CreatedAt.Equal(s.ListedAt)
}

// hasMoved reports whether a record with the ID of the request is another one, because an ID is a position
// in the list: it has another time than before, and an open record has that of before.
func (s *Submission) hasMoved(own answer.PendingRecord, seen Snapshot) bool {
	return s.isRetimed(own) && slices.ContainsFunc(seen.Named, s.mayHaveMoved)
}

// mayHaveMoved reports whether another open record of the type may be the request: any, as long as the
// list has not shown its ID, and one of the same time afterwards, for an ID may be a position.
func (s *Submission) mayHaveMoved(record answer.PendingRecord) bool {
	if record.RequestType != s.Type || !IsOpen(record) {
		return false
	}
	if !s.IsListed {
		return true
	}
	return !record.CreatedAt.IsZero() && record.CreatedAt.Equal(s.ListedAt)
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

// hasID reports whether a record has an identifier, which is not empty.
func hasID(record answer.PendingRecord, want string) bool {
	return want != "" && record.ID == want
}

// keysOf returns what distinguishes a record from others, the best first: its ID and its time, or
// else a digest of all of it.
func keysOf(record answer.PendingRecord) []string {
	var keys []string
	if record.ID != "" {
		keys = append(keys, KeyOfID(record.ID))
	}
	if !record.CreatedAt.IsZero() {
		keys = append(keys, "at "+record.CreatedAt.UTC().Format(time.RFC3339Nano))
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
