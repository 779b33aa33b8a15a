// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What may happen at a request, besides nothing. Each happens once at most, except that the usual
// fate of an update may be to be refused or ignored.
const (
	chooses     = "the person chooses"
	choosesSoon = "the person chooses soon" // before the next request, if that has to wait
	signal      = "signal"
	signalSoon  = "signal soon"
	readsFail   = "no read succeeds any more"
	writesFail  = "no update is accepted any more"
	vanishes    = "a read finds no record"
	isStale     = "a read finds the first record"

	late     = "the update lands late"
	lost     = "the answer is lost"
	lostLate = "the answer is lost, and the update lands late"
	lostAll  = "answer and update are lost"
	refused  = "the update is refused"
	ignored  = "the update is answered, and never lands"
)

// excluded are the events after which others do not happen.
var excluded = map[string][]string{
	chooses: {chooses, choosesSoon}, choosesSoon: {chooses, choosesSoon},
	signal: {signal, signalSoon}, signalSoon: {signal, signalSoon},
	readsFail: {readsFail, writesFail}, writesFail: {readsFail, writesFail},
	vanishes: {vanishes, isStale}, isStale: {vanishes, isStale},
	late: {late, lostLate}, lost: {lost, lostLate, lostAll}, lostAll: {lost, lostLate, lostAll}, lostLate: {late, lost, lostLate, lostAll},
}

// plain are the ways in which each event happens at least.
var plain = []string{chooses, signal, readsFail, late, lost, lostLate}

const (
	settle    = 2 * time.Second
	soon      = 50 * time.Millisecond
	later     = 400 * time.Millisecond
	muchLater = lateFactor*settle - 900*time.Millisecond // no read is at this moment, so that a course is always the same
)

// course is one course of a trial: the options that are taken at the first decisions. At those after
// them, the first option is taken.
type course []int

// patientService holds the consent of one person. Each event is a decision of the course.
type patientService struct {
	course

	usual   []string // fates of the first updates
	plain   bool     // each event happens in one way only
	most    int      // how many events there are at most
	story   []string // what has happened
	options []int    // that each decision had

	interrupt  context.CancelFunc
	updates    int
	last       time.Time // of a request
	sent       time.Time // the last update
	idle       int       // reads since an update or a change of the record
	shown      time.Time // the agreement_time of the record then
	seen       bool      // the trial has read the person's choice
	overridden bool      // and has sent something else after it

	held atomic.Pointer[answer.Consent]
}

func (s *patientService) put(c answer.Consent) { s.held.Store(&c) }

func (s *patientService) get() answer.Consent { return *s.held.Load() }

// decide takes one of the events that can still happen, or the usual one.
func (s *patientService) decide(usual string, events ...string) string {
	if len(s.story) >= s.most {
		return usual
	}
	if s.plain {
		events = slices.DeleteFunc(events, func(e string) bool { return !slices.Contains(plain, e) })
	}
	for _, happened := range s.story {
		events = slices.DeleteFunc(events, func(e string) bool { return slices.Contains(excluded[happened], e) })
	}

	taken, at := 0, len(s.options)
	if s.options = append(s.options, len(events)+1); at < len(s.course) {
		taken = s.course[at]
	}
	if taken == 0 {
		return usual
	}
	s.story = append(s.story, events[taken-1])
	s.idle = 0

	return events[taken-1]
}

// has reports whether an event has happened.
func (s *patientService) has(event string) bool { return slices.Contains(s.story, event) }

var (
	consentBefore = consentOf([answer.Clauses]bool{true, true, false, true, true}, time.Date(2026, 2, 1, 8, 0, 0, 250_000_000, time.UTC), false)
	withdrawal    = consentOf([answer.Clauses]bool{}, time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), false)
)

func consentOf(clauses [answer.Clauses]bool, at time.Time, manual bool) answer.Consent {
	c := answer.Consent{AgreementTime: answer.Some(at), Manual: answer.Some(manual)}
	for i, agreed := range clauses {
		c.Clauses[i] = answer.Some(agreed)
	}
	c.JSON = jsontext.Value(fmt.Sprintf(`{"consent":{"clauses":"%v","agreement_time":%q,"manual":%t}}`, clauses, at.Format(time.RFC3339Nano), manual))
	return c
}

// arrive has happen what is due with a request, one of more included, which it returns. While the
// trial waits and nothing changes, reads are alike: events happen at the first two of them, and at
// the last.
func (s *patientService) arrive(more ...string) (event string) {
	if now, _ := s.get().AgreementTime.Get(); !now.Equal(s.shown) {
		s.shown, s.idle = now, 0
	}
	waiting := s.idle >= 2 && time.Since(s.last) > 0 && time.Since(s.sent) != settle && time.Since(s.sent) != lateFactor*settle
	isFirst := s.last.IsZero() // it reads what to restore
	s.last = time.Now()
	s.idle++
	if waiting {
		return ""
	}
	if isFirst {
		return s.decide("", more...)
	}

	event = s.decide("", append(more, chooses, choosesSoon, signal, signalSoon, readsFail, writesFail)...)
	switch event {
	case chooses:
		s.put(withdrawal)
	case choosesSoon:
		time.AfterFunc(soon, func() { s.put(withdrawal) })
	case signal:
		s.interrupt()
	case signalSoon:
		time.AfterFunc(soon, s.interrupt)
	}

	return event
}

func (s *patientService) read(ctx context.Context) (answer.Consent, error) {
	event := s.arrive(vanishes, isStale)
	if ctx.Err() != nil {
		return answer.Consent{}, &transport.Error{Class: transport.ClassCancelled}
	}
	if event == vanishes { // a copy of the service that lags, or a gateway
		return answer.Consent{}, &transport.Error{Class: transport.ClassNotFound}
	}
	if event == isStale {
		return consentBefore, nil
	}
	if s.has(readsFail) {
		return answer.Consent{}, &transport.Error{Class: transport.ClassServer}
	}

	held := s.get()
	s.seen = s.seen || held.AgreementTime == withdrawal.AgreementTime

	return held, nil
}

func (s *patientService) write(ctx context.Context, _ client.Wire, u client.ConsentUpdate) error {
	s.arrive()
	fate := ""
	if s.updates < len(s.usual) {
		fate = s.usual[s.updates]
	}
	s.updates++
	s.sent, s.idle = time.Now(), 0
	if fate == "" {
		fate = s.decide("", late, lost, lostLate, lostAll)
	}
	if s.has(writesFail) {
		fate = refused
	}

	withdrawn, _ := withdrawal.AgreementTime.Get()
	s.overridden = s.overridden || s.seen && !u.AgreementTime.Equal(withdrawn)

	land := func() { s.put(consentOf(u.Clauses, u.AgreementTime, u.Manual)) }
	switch fate {
	case "", lost:
		land()
	case late:
		time.AfterFunc(later, land)
	case lostLate:
		time.AfterFunc(muchLater, land)
	case refused:
		return &transport.Error{Class: transport.ClassRejected, Status: 400}
	}

	if ctx.Err() != nil {
		return &transport.Error{Class: transport.ClassCancelled, Ambiguous: true}
	}
	if fate == lost || fate == lostLate || fate == lostAll {
		return &transport.Error{Class: transport.ClassTimeout, Ambiguous: true}
	}

	return nil
}

// try carries out a trial, and expects that it ends with the person's own record, or with exit
// status 2 and the clauses to put back.
func (s *patientService) try(t *testing.T) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()

	s.interrupt = interrupt
	s.put(consentBefore)
	x := &examination{report: &Report{}, options: Options{Settle: settle}}
	(&trial{examination: x, get: s.read, patch: s.write}).run(ctx)
	x.report.close()
	x.report.Findings = slices.DeleteFunc(x.report.Findings, func(f Finding) bool { return f.Check != "restored" })

	landed := s.get()
	<-time.After(time.Minute)
	if landed.AgreementTime != s.get().AgreementTime && s.get().AgreementTime != withdrawal.AgreementTime {
		t.Errorf("%q: an update landed after the trial", s.story)
	}
	s.judge(t, x.report)
}

func (s *patientService) judge(t *testing.T, report *Report) {
	t.Helper()
	if s.updates == 0 {
		if len(report.Findings) > 0 {
			t.Errorf("%q: nothing was sent, and the report is %+v", s.story, report.Findings)
		}
		return
	}
	if len(report.Findings) != 1 {
		t.Fatalf("%q: the report is %+v", s.story, report.Findings)
	}

	// A choice that no read has shown cannot be told from none.
	own := consentBefore
	if s.get().AgreementTime == withdrawal.AgreementTime || s.seen {
		own = withdrawal
	}

	if s.overridden {
		t.Errorf("%q: something was sent over the person's choice", s.story)
	}
	restored := report.Findings[0]
	isOwn := s.get().Clauses == own.Clauses && s.get().AgreementTime == own.AgreementTime
	if restored.Word == OK && (!isOwn || s.seen) {
		t.Errorf("%q: the service holds %s, and the report says %+v", s.story, s.get().JSON, restored)
	}
	if restored.Word != OK && report.ExitStatus != 2 {
		t.Errorf("%q: exit status %d for %+v", s.story, report.ExitStatus, restored)
	}
	if !isOwn && !strings.Contains(restored.Text, toPutBack(own)) {
		t.Errorf("%q: the service holds %s, and the report does not have the values of %s: %+v", s.story, s.get().JSON, own.JSON, restored)
	}
}

// TestTrial_endsWithThePersonsOwnRecordOrItsValues explores every course of a trial in which at
// most so many events happen: all five of them in every order, each in one way, and up to three in
// every way.
func TestTrial_endsWithThePersonsOwnRecordOrItsValues(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		usual []string
		plain bool
		most  int
	}{
		"every order":            {nil, true, soak.Raced(3, 5)},
		"the first form works":   {nil, false, soak.Size(soak.Raced(1, 3), 5)},
		"the second form works":  {[]string{refused}, false, soak.Size(soak.Raced(1, 2), 3)},
		"the first is ignored":   {[]string{ignored}, false, soak.Size(soak.Raced(1, 2), 3)},
		"each update is ignored": {slices.Repeat([]string{ignored}, 100), false, soak.Raced(1, 2)},
		"each update is refused": {slices.Repeat([]string{refused}, 100), false, soak.Raced(1, 2)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				courses := []course{nil}
				tried := 0
				for ; len(courses) > 0 && !t.Failed(); tried++ {
					c := courses[len(courses)-1]
					courses = courses[:len(courses)-1]
					s := &patientService{course: c, usual: tc.usual, plain: tc.plain, most: tc.most}
					s.try(t)

					// Each decision after those of the course might have been another one.
					for at := len(c); at < len(s.options); at++ {
						for option := 1; option < s.options[at]; option++ {
							courses = append(courses, slices.Concat(c, make(course, at-len(c)), course{option}))
						}
					}
				}
				t.Log(tried, "courses")
			})
		})
	}
}

func TestTrial_endsAtAServiceThatNeverSaysTheSameTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		read := func(context.Context) (answer.Consent, error) {
			if reads++; reads > 2 {
				return consentOf([answer.Clauses]bool{}, time.Now(), false), nil
			}
			return consentBefore, nil
		}
		x := &examination{report: &Report{}, options: Options{Settle: settle}}
		(&trial{examination: x, get: read, patch: func(context.Context, client.Wire, client.ConsentUpdate) error { return nil }}).run(t.Context())
		if x.report.close(); x.report.ExitStatus != 2 {
			t.Errorf("the report is %+v", x.report)
		}
	})
}

func TestTrial_comparesEachMemberInFullPrecision(t *testing.T) {
	t.Parallel()
	before := `{"consent":{"clause_1_consent":true,"agreement_time":"2026-02-01T08:00:00.250001Z","channel":"web","bobPhone":1},"revision":7}`
	for after, want := range map[string]string{
		before: "",
		strings.Replace(before, "00.250001Z", "00.25000100+00:00", 1):      "",
		strings.Replace(before, "00.250001Z", "00.250Z", 1):                "agreement_time",
		strings.Replace(before, `"channel":"web",`, "", 1):                 "channel",
		strings.Replace(before, `"revision":7`, `"revision":8`, 1):         "revision",
		strings.Replace(before, `"bobPhone":1`, `"bobPhone":2,"a@b":3`, 1): "{}",
	} {
		x := &trial{examination: &examination{options: Options{Identity: "bob"}}}
		if got := x.shown(changedMembers(jsontext.Value(before), jsontext.Value(after))); got != want {
			t.Errorf("%s: %q, want %q", after, got, want)
		}
	}
}

func TestWireBlock_hasOnlyWhatDiffersFromTheDefaults(t *testing.T) {
	t.Parallel()
	defaults := client.Wire{
		Lag: client.DefaultLag, Login: client.LoginWire{ParametersIn: transport.InJSON}, Consent: client.ConsentWire{TimeFormat: client.TimeRFC3339},
	}
	if got := wireBlock(defaults); got != "" {
		t.Errorf("the defaults are printed: %s", got)
	}

	own := client.Wire{
		Absent: []string{client.Absent204}, Ignored: map[jsontext.Pointer]string{"/success": "true"},
		Consent: client.ConsentWire{ParametersIn: transport.InForm, TimeFormat: client.TimeUnixMS},
		Pending: client.PendingWire{Statuses: map[string][]string{client.StatusEnded: {"closed", "gone away"}}},
		Export:  client.ExportWire{KindParameter: `k"${x}%{y}\`, Lines: true, Record: map[string]jsontext.Pointer{"events": "/uid"}},
	}
	want := `wire {
  ignored = { "/success" = "true" }
  absent  = ["204"]
  consent {
    parameters_in = "form"
    time_format   = "unix_ms"
  }
  pending {
    statuses = { "ended" = ["closed", "gone away"] }
  }
  export {
    kind_parameter = "k\"$${x}%%{y}\\"
    record         = { "events" = "/uid" }
    lines          = true
  }
}
`
	if got := wireBlock(own); got != want {
		t.Errorf("got %s", got)
	}
}

func TestTestClauses_areNeverRepeatedOrAllEqual(t *testing.T) {
	t.Parallel()
	for before := range 1 << answer.Clauses {
		trial := &trial{forms: make([]client.Wire, len(client.Placements)*2)}
		for c := range answer.Clauses {
			trial.before.Clauses[c] = answer.Some(before>>c&1 == 1)
		}

		seen := map[[answer.Clauses]bool]bool{}
		for i := range trial.forms {
			clauses := trial.testUpdate(i).Clauses
			if seen[clauses] || clauses == [answer.Clauses]bool{} || clauses == [answer.Clauses]bool{true, true, true, true, true} {
				t.Errorf("from %05b, update %d sends %v", before, i, clauses)
			}
			for c, agreed := range clauses {
				if was, _ := trial.before.Clauses[c].Get(); was != agreed {
					seen[clauses] = true
				}
			}
			if !seen[clauses] {
				t.Errorf("from %05b, update %d changes nothing", before, i)
			}
		}
	}
}
