// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// fate is what becomes of an update.
type fate int

const (
	answered     fate = iota
	answeredLate      // it lands after its answer
	lost              // it lands, and its answer does not arrive
	lostLate
	lostNever
	refused
	ignored // it is answered, and never lands
	fates
)

// late is when an update lands that is late.
const late = 400 * time.Millisecond

// schedule is an order of events in a trial. Requests are counted from 1; 0 is never.
type schedule struct {
	fates  [3]fate // of the first updates
	others fate    // of those after them
	choose int     // the request with which the person chooses
	after  time.Duration
	signal int // the request with which the process is interrupted
	fail   int // the request from which on no read succeeds
}

// patientService holds the consent of one person.
type patientService struct {
	schedule

	interrupt context.CancelFunc
	requests  int
	updates   int
	seen      bool // the trial has read the person's choice

	mu   sync.Mutex
	held answer.Consent
}

func (s *patientService) put(c answer.Consent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = c
}

func (s *patientService) get() answer.Consent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

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

// arrive counts a request, and has happen what is due with it.
func (s *patientService) arrive() {
	s.requests++
	if s.requests == s.choose {
		time.AfterFunc(s.after, func() { s.put(withdrawal) })
		synctest.Wait()
	}
	if s.requests == s.signal {
		s.interrupt()
	}
}

func (s *patientService) read(ctx context.Context) (answer.Consent, error) {
	s.arrive()
	if ctx.Err() != nil {
		return answer.Consent{}, &transport.Error{Class: transport.ClassCancelled}
	}
	if s.fail > 0 && s.requests >= s.fail {
		return answer.Consent{}, &transport.Error{Class: transport.ClassServer}
	}

	held := s.get()
	s.seen = s.seen || held.AgreementTime == withdrawal.AgreementTime

	return held, nil
}

func (s *patientService) write(ctx context.Context, _ client.Wire, u client.ConsentUpdate) error {
	s.arrive()
	f := s.others
	if s.updates < len(s.fates) {
		f = s.fates[s.updates]
	}
	s.updates++

	land := func() { s.put(consentOf(u.Clauses, u.AgreementTime, u.Manual)) }
	switch f {
	case answered, lost:
		land()
	case answeredLate, lostLate:
		time.AfterFunc(late, land)
	case refused:
		return &transport.Error{Class: transport.ClassRejected, Status: 400}
	}

	if ctx.Err() != nil {
		return &transport.Error{Class: transport.ClassCancelled, Ambiguous: true}
	}
	if f == lost || f == lostLate || f == lostNever {
		return &transport.Error{Class: transport.ClassTimeout, Ambiguous: true}
	}

	return nil
}

// try carries out a trial in the schedule, and expects that it ends with the person's own
// record, or with exit status 2 and the clauses to put back.
func (s schedule) try(t *testing.T) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()

	service := &patientService{schedule: s, interrupt: interrupt, held: consentBefore}
	x := &examination{report: &Report{}, options: Options{Settle: 2 * time.Second}}
	(&trial{examination: x, get: service.read, patch: service.write}).run(ctx)
	x.report.close()
	x.report.Findings = slices.DeleteFunc(x.report.Findings, func(f Finding) bool { return f.Check != "restored" })

	landed := service.get()
	wait(time.Hour)
	if landed.AgreementTime != service.get().AgreementTime && service.get().AgreementTime != withdrawal.AgreementTime {
		t.Errorf("%+v: an update landed after the trial", s)
	}
	s.judge(t, service, x.report)
}

// wait passes time of the bubble.
func wait(d time.Duration) { <-time.After(d) }

func (s schedule) judge(t *testing.T, service *patientService, report *Report) {
	t.Helper()
	if service.updates == 0 {
		if len(report.Findings) > 0 {
			t.Errorf("%+v: nothing was sent, and the report is %+v", s, report.Findings)
		}
		return
	}
	if len(report.Findings) != 1 {
		t.Fatalf("%+v: the report is %+v", s, report.Findings)
	}

	// A choice that no read has shown cannot be told from none.
	own := consentBefore
	if service.get().AgreementTime == withdrawal.AgreementTime || service.seen {
		own = withdrawal
	}

	restored := report.Findings[0]
	isOwn := service.get().Clauses == own.Clauses && service.get().AgreementTime == own.AgreementTime
	if restored.Word == OK && (!isOwn || service.seen) {
		t.Errorf("%+v: the service holds %s, and the report says %+v", s, service.get().JSON, restored)
	}
	if restored.Word != OK && report.ExitStatus != 2 {
		t.Errorf("%+v: exit status %d for %+v", s, report.ExitStatus, restored)
	}
	if !isOwn && !strings.Contains(restored.Text, record{own, true}.toPutBack()) {
		t.Errorf("%+v: the service holds %s, and the report does not have the values of %s: %+v", s, service.get().JSON, own.JSON, restored)
	}
}

// TestTrial_endsWithThePersonsOwnRecordOrItsValues explores orders of what can happen.
func TestTrial_endsWithThePersonsOwnRecordOrItsValues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var all []schedule
		for n := range int(fates * fates * fates) {
			s := schedule{fates: [3]fate{fate(n) % fates, fate(n) / fates % fates, fate(n) / fates / fates}}
			for s.others = 0; s.others < fates; s.others += fate(soak.Size(3, 1)) {
				all = append(all, s.events(soak.Size(5, 20))...)
			}
		}

		tried := soak.Some(3000, all)
		for _, s := range tried {
			s.try(t)
		}
		t.Log(len(tried), "orders")
	})
}

// events returns the schedule with each event in each place, and with pairs of them.
func (s schedule) events(depth int) []schedule {
	all := []schedule{s}
	for i := 2; i <= depth; i++ { // the first reads what to restore
		for _, after := range []time.Duration{0, late / 8, 2 * late} {
			chosen := s
			chosen.choose, chosen.after = i, after
			all = append(all, chosen)

			for signal := i; signal <= min(depth, i+2); signal++ {
				chosen.signal = signal
				all = append(all, chosen)
			}
		}

		interrupted, failing := s, s
		interrupted.signal, failing.fail = i, i
		all = append(all, interrupted, failing)
	}

	return all
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
