// SPDX-License-Identifier: MPL-2.0

package proof

import (
	"cmp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

const (
	ada = "Ada@example.com"
	lag = 10 * time.Second
)

// noon is when the submissions of these tests were sent.
var noon = time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC)

// rec returns a record of a deletion of Ada: "id=7 status=done minute=3 type=data_access person=bob".
// Without a minute it is of noon; "minute=" and the like leave a field out.
func rec(fields string) decode.PendingRecord {
	got := map[string]string{"type": decode.RequestDataDeletion, "person": ada, "status": "waiting", "minute": "0"}
	for field := range strings.FieldsSeq(fields) {
		name, value, _ := strings.Cut(field, "=")
		got[name] = value
	}

	record := decode.PendingRecord{
		ID: got["id"], Identity: got["person"], RequestType: got["type"],
		Progress: cmp.Or(got["status"], decode.Waiting),
		JSON:     []byte(`{"identityId":` + strconv.Quote(got["person"]) + `,"email":` + strconv.Quote(got["email"]) + `}`),
	}
	if minute, err := strconv.Atoi(got["minute"]); err == nil {
		record.CreatedAt = noon.Add(time.Duration(minute) * time.Minute)
	}

	return record
}

// reading returns what a list of records shows of Ada, read some time after noon.
func reading(after time.Duration, records ...string) Snapshot {
	list := decode.PendingList{}
	for _, fields := range records {
		if gap, isGap := strings.CutPrefix(fields, "gap "); isGap {
			list.Gap = gap
			continue
		}
		list.Records = append(list.Records, rec(fields))
	}
	at := noon.Add(after)

	return NewListing(at, at, list).About(ada)
}

// sent returns a submission of noon, with an ID unless it is empty.
func sent(id string, before ...string) Submission {
	return Submission{State: Accepted, Type: decode.RequestDataDeletion, ID: id, Begun: noon, Sent: noon, Before: before}
}

// TestSubmission_Evaluate has a row for each way in which a list shows, or hides, a request.
func TestSubmission_Evaluate(t *testing.T) {
	t.Parallel()
	const early, late = time.Second, time.Hour
	lost := sent("")
	lost.State = Unanswered
	for name, c := range map[string]struct {
		s        Submission
		readings []Snapshot
		want     List
		gap      string // a part of it; empty for none
	}{
		"its ID, pending":                        {sent("7"), []Snapshot{reading(early, "id=7")}, Waiting, ""},
		"its ID, done":                           {sent("7"), []Snapshot{reading(early, "id=7 status=done")}, Done, ""},
		"its ID, ended as wire says":             {sent("7"), []Snapshot{reading(early, "id=7 status=ended")}, Over, ""},
		"its ID, failed":                         {sent("7"), []Snapshot{reading(early, "id=7 status=failed")}, SaysFailed, ""},
		"its ID, of an unknown status":           {sent("7"), []Snapshot{reading(early, "id=7 status=unclear")}, Unclear, "pending.statuses"},
		"its ID, in a zone years off":            {sent("7"), []Snapshot{reading(early, "id=7 minute=-999999")}, Waiting, ""},
		"its ID, and the person respelled":       {sent("7"), []Snapshot{reading(early, "id=7 person=mailto:ada%2540example.com")}, Waiting, ""},
		"its ID, and another person":             {sent("7"), []Snapshot{reading(early, "id=7 person=***")}, Unread, "somebody else"},
		"its ID, and another type":               {sent("7"), []Snapshot{reading(early, "id=7 type=data_access")}, Absent, ""},
		"its ID, and no type":                    {sent("7"), []Snapshot{reading(early, "id=7 type=")}, Unread, "somebody else"},
		"one that came later, after its ID left": {sent("7"), []Snapshot{reading(early, "id=7"), reading(late, "id=8")}, Absent, ""},
		"its ID beside one of another":           {sent("7"), []Snapshot{reading(early, "id=7 status=done", "id=8")}, Done, ""},
		"its ID twice, done and pending":         {sent("7"), []Snapshot{reading(early, "id=7 status=done", "id=7")}, Waiting, ""},
		"its ID twice, done and failed":          {sent("7"), []Snapshot{reading(early, "id=7 status=done", "id=7 status=failed")}, Unclear, "contradict"},
		"its ID, failed at the time of that":     {sent("7"), []Snapshot{reading(early, "id=7"), reading(late, "id=7 minute=9 status=failed")}, SaysFailed, ""},
		"its ID, done at the time of that":       {sent("7"), []Snapshot{reading(early, "id=7"), reading(late, "id=7 minute=9 status=done")}, Done, ""},

		"nothing, once":                                {sent("7"), []Snapshot{reading(early)}, Absent, ""},
		"nothing, twice within the lag":                {sent("7"), []Snapshot{reading(early), reading(lag)}, Absent, ""},
		"nothing, twice a lag apart":                   {sent("7"), []Snapshot{reading(early), reading(lag), reading(early + lag)}, AbsentTwice, ""},
		"nothing, as the list lags, and once later":    {sent("7"), []Snapshot{reading(early), reading(late)}, Absent, ""},
		"nothing, and again after it was there":        {sent("7"), []Snapshot{reading(early), reading(2*early, "id=7"), reading(early + lag)}, Absent, ""},
		"nothing in a list that is not whole":          {sent("7"), []Snapshot{reading(early), reading(late, "gap pages")}, Unread, "pages"},
		"nothing, once, after one that was not whole":  {sent("7"), []Snapshot{reading(early), reading(early+lag, "gap pages"), reading(late)}, Absent, ""},
		"somebody else":                                {sent("7"), []Snapshot{reading(early, "id=1 person=bob@example.com")}, Absent, ""},
		"nobody":                                       {sent("7"), []Snapshot{reading(early, "id=1 person=")}, Unread, "pending.identity"},
		"the person in another spelling":               {sent("7"), []Snapshot{reading(early, "id=1 person=ada@example.com")}, Unread, "pending.identity"},
		"the person in another place":                  {sent("7"), []Snapshot{reading(early, "id=1 person=u-77 email=Ada@example.com")}, Unread, "pending.identity"},
		"the person in another spelling, but it ended": {sent("7"), []Snapshot{reading(early, "id=1 person=ada@example.com status=done")}, Absent, ""},
		"the person, and no type":                      {sent("7"), []Snapshot{reading(early, "id=1 type=")}, Unread, "operation"},
		"one of before, which may have become it":      {sent("7", "id 1"), []Snapshot{reading(early, "id=1")}, Unread, "which of them"},

		"another ID, pending":                     {sent("c-7"), []Snapshot{reading(early, "id=7")}, Waiting, ""},
		"another ID, done, once":                  {sent("c-7"), []Snapshot{reading(early, "id=7 status=done")}, DoneOnce, ""},
		"another ID, done, twice":                 {sent("c-7"), []Snapshot{reading(early, "id=7 status=done"), reading(early+lag, "id=7 status=done")}, Done, ""},
		"no ID, and one of before":                {sent("", "id 1"), []Snapshot{reading(early, "id=1 status=failed")}, Absent, ""},
		"no ID, and two that are new":             {sent("", "id 1"), []Snapshot{reading(early, "id=7", "id=8 status=failed")}, Unclear, "contradict"},
		"no ID, and two that are new, both fail":  {sent("", "id 1"), []Snapshot{reading(early, "id=7 status=failed", "id=8 status=failed")}, SaysFailed, ""},
		"no ID, and two that are new, one leaves": {sent("", "id 1"), []Snapshot{reading(early, "id=7", "id=8"), reading(late, "id=8 status=failed")}, Unclear, "contradict"},
		"no ID, and two that fail one by one":     {sent(""), []Snapshot{reading(early, "id=7", "id=8 status=failed"), reading(2*early, "id=7 status=failed"), reading(late)}, Absent, ""},
		"no ID, and one that came later":          {sent(""), []Snapshot{reading(early, "id=7"), reading(late, "id=7"), reading(2*late, "id=7 status=done", "id=8"), reading(3*late, "id=7 status=done", "id=8")}, Done, ""},
		"no ID, done, and a spelling beside it":   {sent(""), []Snapshot{reading(early, "id=7 status=done", "id=8 person=ada@example.com")}, Unclear, "pending.identity"},
		"no ID, done, absent and done":            {sent(""), []Snapshot{reading(early, "id=7 status=done"), reading(late), reading(2*late, "id=7 status=done")}, DoneOnce, ""},
		"no ID, and a spelling while it is alone": {sent(""), []Snapshot{reading(late, "id=7", "id=9 person="), reading(2*late, "id=7 status=failed", "id=8")}, Unclear, "contradict"},
		"no ID, done, once, after a spelling":     {sent(""), []Snapshot{reading(early, "id=7 status=done", "id=8 person=ada@example.com"), reading(early+lag, "id=7 status=done")}, DoneOnce, ""},
		"no answer, and a list that lags long":    {lost, []Snapshot{reading(early), reading(lag), reading(early + lag), reading(late, "id=7")}, Waiting, ""},
		"no IDs at all, at the same time":         {sent("", "at 2026-01-31T12:00:00Z"), []Snapshot{reading(early, "", "status=failed")}, SaysFailed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got List
			var gap string
			for _, v := range c.readings {
				got, gap = c.s.Evaluate(v, Rules{Lag: lag})
			}
			if got != c.want {
				t.Errorf("the list shows %s, want %s", listTexts[got], listTexts[c.want])
			}
			if !strings.Contains(gap, c.gap) || (gap == "") != (c.gap == "") || strings.Contains(strings.ToLower(gap), "ada") {
				t.Errorf("the gap is %q, want %q", gap, c.gap)
			}
		})
	}
}

// A record that spells the person in another way may be about the person, and is not known to be.
func TestSnapshot_personInAnotherSpelling(t *testing.T) {
	t.Parallel()
	const person = "Jan\u00e9@example.com"
	for spelling, isUncertain := range map[string]bool{
		"jan\u00e9@example.com": true, "Jan%C3%A9%40example.com": true, "Jan%25C3%25A9%2540example.com": true, "Jane\u0301@example.com": true, "mailto:" + person: true,
		"user:" + person: false, person + ".au": false,
	} {
		list := decode.PendingList{Records: []decode.PendingRecord{{Identity: spelling, JSON: []byte(`{"user":` + strconv.Quote(spelling) + `}`)}}}
		if seen := NewListing(noon, noon, list).About(person); len(seen.Named) > 0 || len(seen.Uncertain) > 0 != isUncertain {
			t.Errorf("%q is seen as %d named and %d uncertain records", spelling, len(seen.Named), len(seen.Uncertain))
		}
	}
}

// A reading that is stale shows nothing, whatever wire says.
func TestSubmission_staleReadingShowsNothing(t *testing.T) {
	t.Parallel()
	for _, partial := range []bool{false, true} {
		s := sent("7")
		s.SentDate = noon
		cached, old := reading(time.Hour), reading(time.Hour)
		cached.Cached, old.Date = true, noon.Add(-time.Second)
		for _, v := range []Snapshot{cached, old} {
			if got, gap := s.Evaluate(v, Rules{Lag: lag, Partial: partial}); got != Unread || gap != gapStale || !s.Absent.At.IsZero() {
				t.Errorf("the list shows %s: %s", listTexts[got], gap)
			}
		}
	}
}

// The run that sent the request, or saw it leave the list, had a clock that is an hour behind; the dates of the service
// tell.
func TestSubmission_clockOfAnotherMachineProvesNothing(t *testing.T) {
	t.Parallel()
	s := sent("7")
	s.Sent, s.EndDate, s.Absent = noon.Add(-time.Hour), noon.Add(time.Second), Mark{noon.Add(-time.Hour), noon}
	for after, want := range map[time.Duration]List{lag / 2: Absent, 2 * lag: AbsentTwice} {
		seen, s := reading(after), s
		seen.Date = noon.Add(after)
		if got, _ := s.Evaluate(seen, Rules{Lag: lag}); got != want {
			t.Errorf("after %s the list shows %s", after, listTexts[got])
		}

		another := Submission{Type: s.Type}
		if got := another.Admit(seen, []Submission{s}, nil, Rules{Lag: lag}); (got.Adopt != nil) != (want == Absent) {
			t.Errorf("after %s the list admits %+v", after, got)
		}
	}
}

// An effect proves nothing while another request may have caused it.
func TestSubmission_EvaluateEffect(t *testing.T) {
	t.Parallel()
	listed := sent("7", "id 1")
	listed.Candidates, listed.Frozen = []string{"id 7"}, true
	for name, c := range map[string]struct {
		s    Submission
		seen []Effect
		list []string // the records in the list
		want Effect
	}{
		"seen once":                           {listed, []Effect{Shown}, nil, Shown},
		"seen twice":                          {listed, []Effect{Shown, Shown}, nil, Proven},
		"seen, missed and seen":               {listed, []Effect{Shown, Missing, Shown}, nil, Shown},
		"beside another request that is open": {listed, []Effect{Shown, Shown}, []string{"id=7", "id=8"}, NoEffect},
		"beside another request that failed":  {listed, []Effect{Shown, Shown}, []string{"id=8 status=failed"}, NoEffect},
		"missing beside another request":      {listed, []Effect{Missing}, []string{"id=7", "id=8"}, Missing},
		"beside an old request that failed":   {listed, []Effect{Shown, Shown}, []string{"id=7", "id=1 status=failed"}, Proven},
		"beside an old request that is open":  {listed, []Effect{Shown, Shown}, []string{"id=7", "id=1"}, NoEffect},
		"beside another spelling":             {listed, []Effect{Shown, Shown}, []string{"id=7", "id=8 person=ada@example.com"}, NoEffect},
		"beside a new one of that spelling":   {listed, []Effect{Shown, Shown}, []string{"id=7", "id=8 person=ada@example.com status=done"}, NoEffect},
		"beside an old one of that spelling":  {listed, []Effect{Shown, Shown}, []string{"id=7", "id=8 person=ada@example.com minute=-9 status=done"}, Proven},
		"seen once beside another request":    {listed, []Effect{Shown}, []string{"id=7", "id=8"}, Shown},
		"of one that may be the request":      {sent(""), []Effect{Shown, Shown}, []string{"id=8"}, Proven},
		"of two that may be the request":      {sent(""), []Effect{Shown, Shown}, []string{"id=8", "id=9"}, NoEffect},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.s.Evaluate(reading(time.Second, c.list...), Rules{Lag: lag})

			got := NoEffect
			for i, seen := range c.seen {
				got = c.s.EvaluateEffect(seen, reading(time.Duration(i)*lag).Listing, Rules{Lag: lag})
			}
			if got != c.want {
				t.Errorf("the effect %s, want %s", effectTexts[got], effectTexts[c.want])
			}
		})
	}
}

// A request that is sent again is looked for again, and what cannot be read before it is sent proves nothing later.
func TestSubmission_sending(t *testing.T) {
	t.Parallel()
	s := Submission{Type: decode.RequestDataDeletion}
	if s.EvaluateEffect(Unreadable, Listing{}, Rules{}); !s.Explained {
		t.Error("the effect counts, although nobody knows whether it was there before")
	}

	dated := Listing{PendingList: decode.PendingList{Date: noon}, Began: noon, Ended: noon.Add(lag / 20)}
	s = Submission{Type: decode.RequestDataDeletion}
	s.RecordSent(noon.Add(lag/10), noon.Add(lag/5), dated, nil)
	if !s.SentDate.Equal(noon) || !s.EndDate.Equal(noon.Add(time.Second+lag/5)) {
		t.Errorf("by the service's clock it was sent from %v to %v", s.SentDate, s.EndDate)
	}

	for _, given := range []string{"7", "8"} { // to one of this run, and to one that is listed
		s = Submission{Type: decode.RequestDataDeletion, Before: []string{"id 7"}}
		if s.RecordSent(noon, noon, reading(0, "id=8 status=failed").Listing, &decode.Receipt{ID: given}); s.ID != "" {
			t.Errorf("the ID %s, which is given again, names the request", given)
		}
	}

	s = sent("")
	for _, after := range []time.Duration{0, time.Hour} {
		s.RecordSent(noon.Add(after), noon.Add(after), Listing{}, nil)
		for wait, want := range map[time.Duration]List{lag: Absent, 3 * lag: AbsentTwice} {
			s := s
			for _, early := range []time.Duration{time.Second, wait - time.Second} {
				s.Evaluate(reading(after+early), Rules{Lag: lag})
			}
			if got, _ := s.Evaluate(reading(after+wait), Rules{Lag: lag}); got != want {
				t.Errorf("%s after it was sent, the list shows %s", wait, listTexts[got])
			}
		}
		s.Evaluate(reading(after), Rules{Lag: lag})
	}
}

// TestAdmit_besideWhatIsListed has a row for each reason not to send a request.
func TestAdmit_besideWhatIsListed(t *testing.T) {
	t.Parallel()
	update, done := sent("7"), sent("7")
	update.Type, done.State = decode.RequestProfileUpdate, Fulfilled
	for name, c := range map[string]struct {
		list    Snapshot
		partial bool
		want    string       // send, adopt, conflict, or a part of the gap
		others  []Submission // of this process, which were sent at noon
	}{
		"nothing":                                            {reading(0), false, "send", nil},
		"somebody else":                                      {reading(0, "person=bob"), false, "send", nil},
		"one that is pending":                                {reading(0, "id=1"), false, "adopt", nil},
		"one that is pending, beside a gap":                  {reading(0, "id=1", "gap pages"), false, "adopt", nil},
		"one that has ended":                                 {reading(0, "status=failed", "status=done", "status=ended"), false, "send", nil},
		"one of an unknown status":                           {reading(0, "status=unclear"), false, "pending.statuses", nil},
		"one of an unknown status, partial":                  {reading(0, "status=unclear"), true, "explains the effect", nil},
		"one that conflicts":                                 {reading(0, "type=profile_update"), true, "conflict", nil},
		"one that conflicts, unknown status":                 {reading(0, "type=profile_update status=unclear"), false, "conflict", nil},
		"another type":                                       {reading(0, "type=consent"), false, "send", nil},
		"no type":                                            {reading(0, "type="), false, "pending.types", nil},
		"another spelling":                                   {reading(0, "person=ADA@example.com"), false, "pending.identity", nil},
		"another spelling, partial":                          {reading(0, "person=ADA@example.com"), true, "send", nil},
		"another spelling of another type":                   {reading(0, "person=ADA@example.com type=consent"), false, "send", nil},
		"nobody":                                             {reading(0, "person="), false, "pending.identity", nil},
		"the person in another place":                        {reading(0, "person=u-77 email=ada@example.com"), false, "pending.identity", nil},
		"a list that is not whole":                           {reading(0, "gap pages"), false, "pages", nil},
		"one of this run, which the list may not show":       {reading(time.Second), false, "adopt", []Submission{sent("7")}},
		"a conflict of this run, which it may not show":      {reading(time.Second), false, "conflict", []Submission{update}},
		"one of this run, which the list would show":         {reading(time.Hour), false, "send, and another explains the effect", []Submission{sent("7")}},
		"one of this run that was sent nobody knows when":    {reading(time.Second), false, "send", []Submission{{State: Accepted, Type: update.Type}}},
		"one of this run that is over, and its id once more": {reading(time.Second, "id=7 status=done"), false, "send", []Submission{done}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := Submission{Type: decode.RequestDataDeletion}
			got := s.Admit(c.list, c.others, nil, Rules{Lag: lag, Partial: c.partial})
			is := "send"
			if s.Explained {
				is += ", and another explains the effect"
			}

			switch {
			case got.Adopt != nil:
				is = "adopt"
				if got.Adopt.Adopted && !got.Adopt.Explained {
					t.Error("the effect of another's request counts")
				}
			case got.Conflict != nil:
				is = "conflict"
			case got.Gap != "":
				is = got.Gap
			}
			if !strings.Contains(is, c.want) {
				t.Errorf("it is %q, want %q", is, c.want)
			}
		})
	}

	s, earlier, cached := Submission{Type: decode.RequestDataDeletion}, sent("7"), reading(0, "id=1")
	if got := s.Admit(reading(0, "id=7 person=***"), nil, &earlier, Rules{Partial: true}); got.Gap != gapIdentity {
		t.Errorf("a list with the id of before, of somebody else, admits %+v", got)
	}
	for before, want := range map[State]State{Listed: Accepted, Fulfilled: Fulfilled} { // it may have failed, and leave the list
		earlier.State = before
		s.Admit(reading(0, "id=7 status=unclear"), nil, &earlier, Rules{})
		if earlier.State != want {
			t.Errorf("the request of before, %s, is %s", before, earlier.State)
		}
	}
	cached.Cached = true
	if got := s.Admit(cached, nil, nil, Rules{Partial: true}); got.Gap != gapStale {
		t.Errorf("a list of a cache admits %+v", got)
	}
}
