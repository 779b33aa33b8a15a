// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// statuses reads a person's consent n times and returns the statuses.
func (s *service) statuses(path string, times int) []int {
	s.t.Helper()
	var got []int
	for range times {
		got = append(got, s.withKey(http.MethodGet, path, "").status)
	}
	return got
}

func TestFault_takesTheRequestsItMatches(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		faults []mockserver.Fault
		want   []int
	}{
		"once":              {[]mockserver.Fault{{Status: 500}}, []int{500, 200, 200, 200}},
		"twice":             {[]mockserver.Fault{{Status: 500, Times: 2}}, []int{500, 500, 200, 200}},
		"for ever":          {[]mockserver.Fault{{Status: 500, Times: -1}}, []int{500, 500, 500, 500}},
		"later":             {[]mockserver.Fault{{Status: 500, Skip: 2}}, []int{200, 200, 500, 200}},
		"one after another": {[]mockserver.Fault{{Status: 500}, {Status: 502}}, []int{500, 502, 200, 200}},
		"by place":          {[]mockserver.Fault{{Status: 500}, {Status: 502, Skip: 2}}, []int{500, 200, 502, 200}},
		"first one wins":    {[]mockserver.Fault{{Status: 500, Times: -1}, {Status: 502, Times: -1}}, []int{500, 500, 500, 500}},
		"this operation":    {[]mockserver.Fault{{Status: 500, Operation: mockserver.OpGetConsent}}, []int{500, 200, 200, 200}},
		"another operation": {[]mockserver.Fault{{Status: 500, Operation: mockserver.OpUpdateConsent}}, []int{200, 200, 200, 200}},
		"this person":       {[]mockserver.Fault{{Status: 500, Identity: "user-1"}}, []int{500, 200, 200, 200}},
		"another person":    {[]mockserver.Fault{{Status: 500, Identity: "user-2"}}, []int{200, 200, 200, 200}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := start(t)
			s.PutConsent(projectScope, "user-1", mockserver.ConsentRecord{})
			s.Inject(tc.faults...)

			if diff := cmp.Diff(tc.want, s.statuses(projectPath, 4)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFaultFor_choosesAFault(t *testing.T) {
	t.Parallel()

	s := start(t, func(s *mockserver.Server) {
		s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
			if r.Seq%2 == 0 {
				return &mockserver.Fault{Status: 503}
			}
			return nil
		}
	})

	s.PutConsent(projectScope, "user-1", mockserver.ConsentRecord{})
	s.Inject(mockserver.Fault{Status: 500, Skip: 1})

	if diff := cmp.Diff([]int{200, 500, 200, 503}, s.statuses(projectPath, 4)); diff != "" {
		t.Error(diff)
	}
}

func TestFault_scriptedAnswerKeepsTheRequestFromTheService(t *testing.T) {
	t.Parallel()

	html := http.Header{"content-type": {"text/html"}, "Retry-After": {"7"}}
	for name, tc := range map[string]struct {
		fault       mockserver.Fault
		status      int
		body, media string
		committed   bool
	}{
		"JSON":                {mockserver.Fault{Status: 409, Body: []byte(`{"a":1}`)}, 409, `{"a":1}`, "application/json", false},
		"a page":              {mockserver.Fault{Status: 503, Header: html, Body: []byte("<p>")}, 503, "<p>", "text/html", false},
		"a body alone":        {mockserver.Fault{Body: []byte(`{"a":`)}, 200, `{"a":`, "application/json", false},
		"nothing":             {mockserver.Fault{Body: []byte{}}, 200, "", "", false},
		"204":                 {mockserver.Fault{Status: 204}, 204, "", "", false},
		"after the effect":    {mockserver.Fault{Status: 500, Commit: true, Body: []byte("{}")}, 500, "{}", "application/json", true},
		"a redirect":          {mockserver.Fault{Status: 307, Header: http.Header{"Location": {"https://example.com/"}}}, 307, "", "", false},
		"only another header": {mockserver.Fault{Header: http.Header{"X-Odd": {"1"}}}, 200, `{"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true}`, "application/json", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := start(t)
			s.Inject(tc.fault)

			// Without a credential: faults come before authentication.
			path := projectPath
			if tc.committed {
				path += "?apiSecretToken=" + "key"
				s.AddSecretKey("key")
			}

			got := s.send(http.MethodPatch, path, allClauses())
			if got.status != tc.status || got.body != tc.body || got.header.Get("Content-Type") != tc.media {
				t.Errorf("%d %q %v", got.status, got.body, got.header)
			}

			for name := range tc.fault.Header {
				if got.header.Get(name) != tc.fault.Header[name][0] {
					t.Errorf("%s is %q", name, got.header.Get(name))
				}
			}

			_, held := s.Consent(projectScope, "user-1")
			if r := s.Requests()[0]; held != tc.committed || r.Committed != tc.committed || r.Status != tc.status {
				t.Errorf("held %v, the log has %d %v", held, r.Status, r.Committed)
			}
		})
	}
}

func TestFault_thenRunsBeforeTheAnswer(t *testing.T) {
	t.Parallel()

	for name, fault := range map[string]mockserver.Fault{
		"an answer": {}, "a script": {Status: 500}, "a reset": {Cut: mockserver.CutBeforeCommit}, "half an answer": {Cut: mockserver.CutBody},
	} {
		s := start(t)
		s.PutConsent(projectScope, "user-1", mockserver.ConsentRecord{})
		fault.Then = func() { s.DeleteConsent(projectScope, "user-1") }
		s.Inject(fault)
		s.withKey(http.MethodGet, projectPath, "")

		if _, ok := s.Consent(projectScope, "user-1"); ok {
			t.Errorf("%s: Then was not called before the answer", name)
		}
	}
}

func TestFault_delaysFollowTheClock(t *testing.T) {
	t.Parallel()

	clock := mockserver.NewManualClock(epoch)
	s := start(t, func(s *mockserver.Server) { s.Clock, s.Latency = clock, time.Minute })

	s.Inject(mockserver.Fault{Delay: time.Hour})
	answered := make(chan reply)
	go func() { answered <- s.withKey(http.MethodPatch, projectPath, allClauses()) }()
	clock.AwaitTimers(1)
	clock.Advance(time.Minute)
	clock.AwaitTimers(1)

	if _, ok := s.Consent(projectScope, "user-1"); ok {
		t.Error("the service did not wait")
	}

	clock.Advance(time.Hour)
	if got := <-answered; got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}

	if r := s.Requests()[0]; r.Took != time.Hour+time.Minute || !r.At.Equal(epoch) {
		t.Errorf("it came at %v and took %v", r.At, r.Took)
	}
}

func TestFault_hangEndsWithTheClientOrTheServer(t *testing.T) {
	t.Parallel()

	for name, fault := range map[string]mockserver.Fault{
		"a hang":             {Hang: true},
		"a hang with effect": {Hang: true, Commit: true},
		"a scripted hang":    {Hang: true, Status: 500},
		"a delay":            {Delay: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			synctest.Test(t, func(t *testing.T) {
				transport := &http.Transport{}
				instance := mocktest.StartPipe(t)
				transport.DialContext = instance.DialContext
				s := clientOf(t, instance, transport)
				fault.Times = -1
				s.Inject(fault)
				s.client.Timeout = time.Minute
				began := time.Now()
				if got := s.withKey(http.MethodPatch, projectPath, allClauses()); got.err == nil || time.Since(began) != time.Minute {
					t.Errorf("%d %v after %v", got.status, got.err, time.Since(began))
				}

				synctest.Wait()
				if _, ok := s.Consent(projectScope, "user-1"); ok != fault.Commit {
					t.Errorf("there is a record: %v", ok)
				}

				ended := make(chan reply)
				go func() { ended <- s.withKey(http.MethodPatch, projectPath, allClauses()) }()
				synctest.Wait()
				s.Stop()

				if got := <-ended; got.err == nil || time.Since(began) != time.Minute {
					t.Errorf("%d %v after %v", got.status, got.err, time.Since(began))
				}

				for _, r := range s.Requests() {
					if r.Status != 0 || r.Committed != fault.Commit {
						t.Errorf("the log has %d %v", r.Status, r.Committed)
					}
				}
			})
		})
	}
}

func TestFault_requestGivenUpWhileWaitingHasNoEffect(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		transport := &http.Transport{}
		instance := mocktest.StartPipe(t, func(s *mockserver.Server) { s.Latency = time.Hour })
		transport.DialContext = instance.DialContext
		s := clientOf(t, instance, transport)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		req, err := http.NewRequestWithContext(ctx, http.MethodPatch, s.URL+projectPath, strings.NewReader(allClauses()))
		if err != nil {
			t.Fatal(err)
		}

		if resp, err := s.client.Do(req); err == nil {
			resp.Body.Close()
			t.Error("it was answered")
		}

		<-time.After(2 * time.Hour)
		if r := s.Requests()[0]; r.Committed || r.Status != 0 || r.Took != time.Minute {
			t.Errorf("the log has %d %v after %v", r.Status, r.Committed, r.Took)
		}
	})
}

func TestFault_misspeltOperationPanics(t *testing.T) {
	t.Parallel()

	for name, call := range map[string]func(*mockserver.Server){
		"Inject": func(s *mockserver.Server) { s.Inject(mockserver.Fault{Operation: "getConsents"}) },
		"Count":  func(s *mockserver.Server) { s.Count("getConsents") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s accepts it", name)
				}
			}()
			call(&mockserver.Server{})
		}()
	}
}
