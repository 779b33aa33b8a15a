// SPDX-License-Identifier: MPL-2.0

package proof

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// Submission is what is known about one request. The zero value is a request that was never sent.
type Submission struct {
	State State  `json:"state,omitempty"`
	Type  string `json:"type,omitempty"` // one of decode.RequestTypes
	// IdempotencyKey distinguishes requests of one type about one person.
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	// ID is the service's identifier of the request; empty if it is not known.
	ID string `json:"id,omitempty"`

	// Begun is when sending it first began, and Sent when that ended: the list may lag from then on. SentDate is
	// Begun by the service's clock, or earlier, and EndDate is Sent by that clock, or later; zero if it is not known.
	Begun    time.Time `json:"begun,omitzero"`
	Sent     time.Time `json:"sent,omitzero"`
	SentDate time.Time `json:"sent_date,omitzero"`
	EndDate  time.Time `json:"end_date,omitzero"`
	// Seen is when the latest listing began that it was judged by, or when sending it ended.
	Seen time.Time `json:"seen,omitzero"`
	// At is when the service accepted it, as it says or else when its answer came.
	At          time.Time `json:"at,omitzero"`
	FulfilledAt time.Time `json:"fulfilled_at,omitzero"` // when that was seen

	// Before are the keys of records of the same person and type that are not the request.
	Before []string `json:"before,omitempty"`
	// Candidates are the keys of records that may be the request; only that of its ID once the list has shown that.
	// Frozen reports that the list has had time to show all of them. Doubt reports that some of them failed and others
	// did not.
	Candidates []string `json:"candidates,omitempty"`
	Frozen     bool     `json:"frozen,omitempty"`
	Doubt      bool     `json:"doubt,omitempty"`
	// Absent, Done and Shown are when the list first did not contain the request, showed it as
	// done, and when its effect was first seen.
	Absent Mark `json:"absent,omitzero"`
	Done   Mark `json:"done,omitzero"`
	Shown  Mark `json:"shown,omitzero"`

	// IsOurs reports that this process has submitted the request; Adopted, that somebody else has sent it.
	IsOurs  bool `json:"-"`
	Adopted bool `json:"adopted,omitempty"`
	// Explained reports that seeing the effect proves nothing: it was there before, was not
	// measured then, or another request of the type may have caused it.
	Explained bool `json:"explained,omitempty"`

	Code        string `json:"code,omitempty"`        // the service's code of a failure
	Confirmed   bool   `json:"confirmed,omitempty"`   // the list has shown the request itself as done
	Dropped     bool   `json:"dropped,omitempty"`     // it has left the list without its effect, and was not adopted
	Interrupted bool   `json:"interrupted,omitempty"` // the run ended while it waited; the next one goes on
}

// IsOpen reports whether the service may still be working on the request that it has accepted.
func (s Submission) IsOpen() bool { return s.State == Accepted || s.State == Listed }

// IsToSend reports whether a request is still to be sent for an object that stands for the submission: that of
// somebody else has come to nothing, or it is not known whether the service has its own.
func (s Submission) IsToSend() bool {
	isVoid := s.Adopted && s.State == Failed
	return isVoid || s.State == Unanswered
}

// key returns the key of the only candidate, or that of the ID.
func (s Submission) key() string {
	if len(s.Candidates) == 1 && !s.Doubt {
		return s.Candidates[0]
	}
	return keyOfID + s.ID
}

// IsSame reports whether another submission is known to be about the same request.
func (s Submission) IsSame(other Submission) bool {
	return s.key() != keyOfID && s.key() == other.key()
}

// ShownID returns the service's identifier of the request, or that of the only candidate; empty if it is not known.
func (s Submission) ShownID() string {
	if s.ID != "" {
		return s.ID
	}
	if id, isID := strings.CutPrefix(s.key(), keyOfID); isID {
		return id
	}
	return ""
}

// Mark is when the first of two readings began that have to show the same, by this clock and by the service's.
type Mark struct {
	At   time.Time `json:"at,omitzero"`
	Date time.Time `json:"date,omitzero"`
}

// isConfirmed sets the mark if there is none, and reports whether reading a listing began at least a lag after it. The
// mark may be that of another machine, so the dates have to agree where they are known; they are to the second.
func (m *Mark) isConfirmed(l Listing, lag time.Duration) bool {
	if m.At.IsZero() {
		m.At, m.Date = l.Began, l.Date
	}
	if !l.Began.After(m.At) || l.Began.Sub(m.At) < lag {
		return false
	}
	return m.Date.IsZero() || l.Date.IsZero() || l.Date.Add(2*time.Second).Sub(m.Date) >= lag
}

// Rules are the settings of wire that decide what a reading proves.
type Rules struct {
	Lag     time.Duration // how long any reading may lag behind the service
	Partial bool          // what is understood of a list counts as the whole list
}

// IsOlder reports whether an answer may be older than the request: a cache has kept it, or the service dates
// it before. date is zero if the service does not say when it made the answer.
func (s *Submission) IsOlder(isCached bool, date time.Time) bool {
	isBefore := !date.IsZero() && date.Before(s.SentDate)
	return isCached || isBefore
}

// RecordSent records when the request was sent, after which listing, and its receipt; without a receipt, the
// service may not have accepted it. If the service has dated the listing, its clock is followed from there: the
// begin is rounded down, and the end up. If it gives an ID again that an ended request has, the times of the
// records tell the two apart.
func (s *Submission) RecordSent(began, ended time.Time, after Listing, receipt *decode.Receipt) {
	if !after.Date.IsZero() {
		s.EndDate = after.Date.Add(time.Second + ended.Sub(after.Began))
		if s.State == Unsent {
			s.SentDate = after.Date.Add(began.Sub(after.Ended)).Truncate(time.Second)
		}
	}
	s.Begun, s.Sent, s.Seen = cmp.Or(s.Begun, began), ended, ended
	s.Absent, s.Shown, s.Frozen = Mark{}, Mark{}, false // the list may lag from here on
	if receipt == nil {
		return
	}

	s.State, s.At = Accepted, receipt.At
	key := []string{keyOfID + receipt.ID}
	switch {
	case len(after.ByID[receipt.ID]) > 0, slices.Contains(s.Before, key[0]):
		removeAny(&s.Before, key)
	case !receipt.Delivered:
		s.ID = receipt.ID
	}
}

// Evaluate returns what a listing shows of the request, and why that is less than could be; empty if it is not.
// It remembers what is shown.
func (s *Submission) Evaluate(seen Snapshot, r Rules) (shows List, gap string) {
	s.Code = ""
	if s.IsOlder(seen.Cached, seen.Date) {
		return Unread, gapStale
	}

	last := s.Seen
	s.Seen, gap = seen.Began, seen.Gap
	if len(seen.Named)+len(seen.Uncertain)+len(seen.ByID[s.ID]) > 0 {
		shows, gap = s.evaluateRecords(seen, r)
		if shows != Absent {
			return shows, gap
		}
	}

	if s.Done = (Mark{}); gap != "" {
		s.Absent = Mark{}
		return Unread, gap
	}
	mayLag := !last.Before(s.Sent) && last.Sub(s.Sent) < r.Lag // as all readings before this one may
	if isTwice := s.Absent.isConfirmed(seen.Listing, r.Lag); mayLag || !isTwice {
		return Absent, ""
	}
	s.Frozen = s.State != Unanswered // else the lag may have to be set longer

	return AbsentTwice, ""
}

// evaluateRecords is Evaluate for a listing with records that are about the person, or may be. It returns Absent if none
// of them is the request, and the gap if one may be it all the same: an open one of the type which was there before may
// have become it, as long as the list has not shown its ID.
func (s *Submission) evaluateRecords(seen Snapshot, r Rules) (List, string) {
	own, candidates := s.match(seen)
	isListed := slices.Contains(s.Candidates, keyOfID+s.ID)
	switch {
	case len(own) > 0:
		s.At, s.Absent = cmp.Or(s.At, own[0].CreatedAt), Mark{}
		s.Candidates, s.Frozen, s.Doubt = []string{keyOfID + s.ID}, true, false
		return s.summarize(own)
	case len(candidates) > 0:
		s.At, s.Absent = cmp.Or(s.At, candidates[0].CreatedAt), Mark{}
		return s.evaluateCandidates(candidates, seen, r)
	case len(pick(seen.ByID[s.ID], []string{s.Type, ""})) > 0:
		return Absent, gapIdentity
	case !isListed && len(pick(seen.Named, []string{s.Type}, stillOpen...)) > 0:
		return Absent, gapEqual
	}

	return Absent, seen.gap(r, s.Type)
}

// match returns the records that have the ID of the request, and the candidates. The oldest is the first. It notes that
// another record explains the effect: one that is open or new.
func (s *Submission) match(seen Snapshot) (own, candidates []*decode.PendingRecord) {
	var old, others []*decode.PendingRecord
	before := slices.Clone(s.Before)
	for _, record := range pick(slices.Concat(seen.Named, seen.Uncertain), []string{s.Type}) {
		switch {
		case keysOf(record)[0] == keyOfID+s.ID:
			own = append(own, record)
		case s.isOld(record, seen.Person, &before):
			old = append(old, record)
		case s.isCandidate(record, seen.Person):
			candidates = append(candidates, record)
		default:
			others = append(others, record)
		}
	}

	others = append(others, pick(old, []string{s.Type}, stillOpen...)...)
	s.Explained = s.Explained || len(others)+max(len(own)+len(candidates)-1, 0) > 0

	return own, candidates
}

// isOld reports whether a record was there before the request was sent: one of the person takes a key from before, and
// one that may be about the person says so.
func (s *Submission) isOld(record *decode.PendingRecord, person string, before *[]string) bool {
	if record.Identity != person {
		return !s.isNew(record)
	}
	return removeAny(before, keysOf(record))
}

// isCandidate reports whether a record of the type that was not there before may be the request, as far as no ID tells:
// it names the person exactly, and the list has not shown the ID of the request. An ended one may as well be an old one
// that the list did not show before.
func (s *Submission) isCandidate(record *decode.PendingRecord, person string) bool {
	if record.Identity != person {
		return false
	}
	isKnown := slices.Contains(s.Candidates, keysOf(record)[0])
	if s.Frozen {
		return isKnown
	}
	return isKnown || s.isNew(record) || slices.Contains(stillOpen, record.Progress)
}

// isNew reports whether a record says that it was made since sending the request first began.
func (s *Submission) isNew(record *decode.PendingRecord) bool {
	return !record.CreatedAt.Before(s.SentDate) && !record.CreatedAt.Before(s.Begun.Truncate(time.Second))
}

// evaluateCandidates is Evaluate for records that may be the request. Once one of them has failed and another one
// has not, nothing more is concluded. One reading that says done is not enough.
func (s *Submission) evaluateCandidates(records []*decode.PendingRecord, seen Snapshot, r Rules) (List, string) {
	s.addCandidates(records)
	hidden := seen.gap(r, s.Type)
	if sent := (Mark{s.Sent, s.EndDate}); hidden == "" && sent.isConfirmed(seen.Listing, r.Lag) {
		s.Frozen = true
	}

	shows, gap := s.summarize(records)
	switch {
	case !slices.Contains([]List{Done, Over}, shows):
		s.Done = Mark{}
	case hidden != "": // such a reading is not the first of two
		return Unclear, hidden
	case !s.Done.isConfirmed(seen.Listing, r.Lag):
		return DoneOnce, ""
	}

	return shows, gap
}

// addCandidates adds the keys of records to the candidates, and notes the doubt where one of them has failed and
// another one has not, or has left the list.
func (s *Submission) addCandidates(records []*decode.PendingRecord) {
	var keys []string
	for _, record := range records {
		keys = append(keys, keysOf(record)[0])
	}
	failed, left := len(pick(records, []string{s.Type}, decode.Failed)), slices.Clone(s.Candidates)
	removeAny(&left, keys)
	if failed > 0 && len(records)-failed+len(left) > 0 {
		s.Doubt = true
	}

	s.Candidates = slices.Sorted(slices.Values(slices.Concat(left, keys))) // several may share a key
}

// summarize returns what records show together, and why that is not clear: a pending one keeps all open, and an ended
// one does not say how it ended. It notes the code of a failure.
func (s *Submission) summarize(records []*decode.PendingRecord) (shows List, gap string) {
	said := map[decode.Progress]int{}
	for _, record := range records {
		said[record.Progress]++
	}

	switch {
	case s.Doubt, said[decode.Unclear] > 0:
		return Unclear, gapUnclear
	case said[decode.Waiting] > 0:
		return Waiting, ""
	case said[decode.Failed] == len(records):
		s.Code = records[0].Code
		return SaysFailed, ""
	case said[decode.Failed] > 0:
		return Unclear, gapUnclear
	case said[decode.Ended] > 0:
		return Over, ""
	}

	return Done, ""
}

// EvaluateEffect returns what a reading of the effect shows, and remembers it. The reading began and was dated like l.
// One that shows the effect is followed by another one also where the effect proves nothing: it may be wrong, and the
// effect be missing. What is there before the request is sent, or cannot be read then, proves nothing later.
func (s *Submission) EvaluateEffect(seen Effect, l Listing, r Rules) Effect {
	if s.State == Unsent {
		if s.Explained {
			return NoEffect
		}
		s.Explained = slices.Contains([]Effect{Shown, Unreadable}, seen)

		return seen
	}

	switch {
	case seen != Shown:
		s.Shown = Mark{}
		return seen
	case !s.Shown.isConfirmed(l, r.Lag):
		return Shown
	case s.Explained:
		return NoEffect
	}

	return Proven
}

// Conclude enters the state that follows from what the list and the effect show now, by the table.
func (s *Submission) Conclude(shows List, effect Effect, now time.Time) Verdict {
	v := Table[shows][s.State][effect]
	if s.State == v.State {
		return v
	}

	s.State = v.State
	s.At = cmp.Or(s.At, s.Sent) // the answer with the time may have been lost
	s.Dropped = v.State == Failed && shows != SaysFailed && !s.Adopted
	s.Confirmed = v.State == Fulfilled && shows == Done
	if v.State == Fulfilled {
		s.FulfilledAt = now
	}

	return v
}

const keyOfID = "id "

// keysOf returns what distinguishes records from others, for each the best first: its ID and its time, or else a digest
// of all of it.
func keysOf(records ...*decode.PendingRecord) (keys []string) {
	for _, record := range records {
		if record.ID != "" {
			keys = append(keys, keyOfID+record.ID)
		}
		if !record.CreatedAt.IsZero() {
			keys = append(keys, "at "+record.CreatedAt.UTC().Format(time.RFC3339Nano))
		}
		if record.ID == "" && record.CreatedAt.IsZero() {
			sum := sha256.Sum256(record.JSON)
			keys = append(keys, "as "+hex.EncodeToString(sum[:8]))
		}
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
