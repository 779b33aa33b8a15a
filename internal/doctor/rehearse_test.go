// SPDX-License-Identifier: MPL-2.0

package doctor

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// scope is that of the rehearsals, as the mock server has it.
var scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// options returns those of a rehearsal at a service that was started by StartPipe.
func options(service *mocktest.Instance) Options {
	key := transport.Credentials{APISecretKey: service.SecretKey}
	return Options{
		Client: client.Config{Config: transport.Config{Credentials: key, DialContext: service.DialContext, MaxRetries: 1}, BaseURL: service.URL},
		Scope:  ada.Scope, Rehearse: true, Timeout: 10 * time.Minute, Day: adasDay, Version: "1.2.3",
	}
}

// slowly makes a service take its time.
func slowly(s *mockserver.Server) {
	s.FulfilmentDelay, s.ExportRecords = 8*time.Second, 100
	s.SetPendingLag(mockserver.Lag{Time: 2 * time.Second})
}

// takes makes a service answer in forms of the catalogue.
func takes(t *testing.T, names ...string) func(*mockserver.Server) {
	t.Helper()
	return func(s *mockserver.Server) {
		if err := s.Take(names...); err != nil {
			t.Error(err)
		}
	}
}

// answers makes a service answer an operation with a body and nothing else, unless a field was sent.
func answers(operation, unless string, status int, body string) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
			if _, isSent := r.Sent[unless]; isSent || r.Operation != operation {
				return nil
			}
			return &mockserver.Fault{Status: status, Body: []byte(body)}
		}
	}
}

// shows makes a service show consent records otherwise than they were written.
func shows(change func(record map[string]any)) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		mockserver.Reshape(s, func(record map[string]any) map[string]any { change(record); return record }, mockserver.OpGetConsent, mockserver.OpUpdateConsent)
	}
}

// omitsFalse changes a record as proto-JSON does.
func omitsFalse(record map[string]any) {
	maps.DeleteFunc(record, func(_ string, value any) bool { return value == false })
}

// listsLate makes a service list a request after seven seconds.
func listsLate(s *mockserver.Server) {
	s.FulfilmentDelay = 30 * time.Second
	s.SetPendingLag(mockserver.Lag{Time: 7 * time.Second})
}

// neverLists makes a service list no request, and carry each out after 40 seconds.
func neverLists(s *mockserver.Server) {
	s.FulfilmentDelay = 40 * time.Second
	s.SetPendingLag(mockserver.Lag{Time: time.Hour})
}

// isLate makes a service show a record for the first time after three seconds.
func isLate(s *mockserver.Server) {
	begun := time.Now()
	s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
		if r.Operation != mockserver.OpGetConsent || time.Since(begun) > 3*time.Second {
			return nil
		}
		return &mockserver.Fault{Status: 404, Body: []byte(`{}`)}
	}
}

// listFails makes a service fail to show the list while all data is asked for.
func listFails(s *mockserver.Server) {
	begun := time.Now()
	s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
		if after := time.Since(begun).Seconds(); r.Operation != mockserver.OpListPendingRequests || after < 14 || after > 17 {
			return nil
		}
		return &mockserver.Fault{Status: 503}
	}
}

// keepsMinutes changes a record as a service does that has no banner.
func keepsMinutes(record map[string]any) {
	record["manual"] = false
	if agreed, isText := record["agreement_time"].(string); isText {
		record["agreement_time"] = agreed[:len("2020-02-29T21:43")] + ":00Z"
	}
}

// lags makes a service carry a request out after some time, keep a deletion on the list as closed, and show the list as it
// was four seconds before.
func lags(s *mockserver.Server, after time.Duration) {
	type view struct {
		at   time.Time
		list any
	}
	var views []view
	s.FulfilmentDelay = 0
	s.SetPendingLag(mockserver.Lag{})
	s.Fulfil = func(q mockserver.QueuedRequest) mockserver.Outcome {
		return mockserver.Outcome{After: after, Status: "en cours", KeepListed: q.Operation == mockserver.OpDeleteAllData, FinalStatus: "CLOSED"}
	}
	s.Change(func(r mockserver.Request, answer *mockserver.Response) {
		if r.Operation != mockserver.OpListPendingRequests {
			return
		}
		views = append(views, view{time.Now(), answer.Body})
		late := func(v view) bool { return time.Since(v.at) < 4*time.Second }
		answer.Body = views[max(0, slices.IndexFunc(views, late)-1)].list
	})
}

// closesFirst makes a service list a request that has ended for four seconds, with a status of its own.
func closesFirst(s *mockserver.Server) {
	closed := map[any]time.Time{}
	s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome {
		return mockserver.Outcome{After: 2 * time.Second, KeepListed: true, FinalStatus: "CLOSED"}
	}
	s.Change(func(r mockserver.Request, answer *mockserver.Response) {
		list, isList := answer.Body.([]map[string]any)
		if !isList || r.Operation != mockserver.OpListPendingRequests {
			return
		}
		answer.Body = slices.DeleteFunc(slices.Clone(list), func(record map[string]any) bool {
			if id := record["id"]; record["status"] == "CLOSED" && closed[id].IsZero() {
				closed[id] = time.Now()
			}
			at := closed[record["id"]]
			return !at.IsZero() && time.Since(at) > 4*time.Second
		})
	})
}

// TestRehearsal_block has services with one peculiarity each, and what their blocks have.
func TestRehearsal_block(t *testing.T) {
	t.Parallel()
	for about, tc := range map[string]struct {
		takes func(*mockserver.Server)
		want  string
	}{
		"a list without ids": {func(s *mockserver.Server) {
			s.ReshapePending(func(record map[string]any) { delete(record, "id") })
		}, `{"all_data":{"at":"/profile"}}`},
		"a list that fails for a while": {listFails, `{}`},
		"a record that is late":         {isLate, `{}`},
		"the defaults":                  {slowly, `{}`},
		"a list that is late":           {listsLate, `{"lag":"14s"}`},
		"a compressed day": {func(s *mockserver.Server) {
			s.Export = mockserver.ExportAnswer{Shape: mockserver.ExportNDJSON, Discriminator: "sort", Gzip: true}
		}, `{"export":{"kind":"/sort"}}`},
		"a page with counts":       {takes(t, "profile-json-api", "pending-django"), `{"profile":{"at":"/data/attributes"},"pending":{"next":"/next","total":"/count"}}`},
		"data at once":             {answers(mockserver.OpGetAllData, "-", 200, `{"profile":{"plan":"pro"},"sessions":[{"id":"s-1"}]}`), `{"all_data":{"at":"/sessions"}}`},
		"a list behind the effect": {func(s *mockserver.Server) { lags(s, 2*time.Second) }, `{"pending":{"statuses":{"ended":["CLOSED"],"waiting":["en cours"]}}}`},
		"a list that lags":         {func(s *mockserver.Server) { lags(s, 6*time.Second) }, `{"pending":{"statuses":{"ended":["CLOSED"],"waiting":["en cours"]}}}`},
		"a list that closes first": {closesFirst, `{"pending":{"statuses":{"ended":["CLOSED"]}}}`},
		"a kind that a field names": {func(s *mockserver.Server) {
			s.Wire.Export.KindParameter = "kind"
			answers(mockserver.OpExportRecords, "kind", 400, `{"error":{"fields":{"kind":"is missing"}}}`)(s)
		}, `{"export":{"kind_parameter":"kind"}}`},
		"times to the minute":           {shows(keepsMinutes), `{"consent":{"time_kept":"minute","altered":["manual"]}}`},
		"answered times without a zone": {takes(t, "consent-no-zone"), `{"consent":{"time_answered":"utc","time_kept":"s"}}`},
		"nothing for false":             {shows(omitsFalse), `{"consent":{"omits_false":true}}`},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := mocktest.StartPipe(t, slowly, tc.takes)
				service.AllowViolations() // the kind is missing at first
				report := Examine(t.Context(), options(service))
				got, _ := json.Marshal(report.Wire, json.Deterministic(true))
				if strings.Contains(fmt.Sprint(report.Findings), "not every field") || string(got) != tc.want || report.ExitStatus != min(1, len(tc.want)-len("{}")) {
					t.Errorf("exit status %d, settings %s: %+v", report.ExitStatus, got, report.Findings)
				}
				for operation, most := range map[string]int{
					mockserver.OpUpdateConsent: 2, mockserver.OpUpdateProfile: 1, mockserver.OpGetAllData: 2, mockserver.OpDeleteAllData: 1,
				} {
					if n := service.Count(operation); n > most {
						t.Errorf("%s was sent %d times", operation, n)
					}
				}

				pasted := options(service)
				pasted.Client.Wire = report.Wire
				if again := Examine(t.Context(), pasted); again.ExitStatus > 0 || !reflect.DeepEqual(again.Wire, report.Wire) {
					t.Errorf("with its block it says %s: %+v", again.WireBlock, again.Findings)
				}
			})
		})
	}
}

func TestRehearsal_saysWhatItCannotDo(t *testing.T) {
	t.Parallel()
	for about, tc := range map[string]struct {
		takes func(*mockserver.Server)
		says  string
	}{
		"a record of everybody": {answers(mockserver.OpGetConsent, "-", 200, `{"clause_1_consent":false,"clause_2_consent":false,`+
			`"clause_3_consent":false,"clause_4_consent":false,"clause_5_consent":false}`), "person broken nothing was written"},
		"a profile of everybody": {answers(mockserver.OpGetProfile, "-", 200, `{"plan":"free"}`), "person broken nothing was written"},
		"data without a list":    {neverLists, "data_access ok carried out, after 45s"},
		"data that nobody understands": {func(s *mockserver.Server) {
			neverLists(s)
			answers(mockserver.OpGetAllData, "-", 200, `{"foo":1}`)(s)
		}, "data differs it is read, but not every field"},
		"a profile that is not shown":                   {answers(mockserver.OpGetProfile, "-", 404, `{}`), "data_deletion ok carried out, after 8s"},
		"a withdrawal, which has no time, that is lost": {answers(mockserver.OpUpdateConsent, "agreement_time", 204, ""), "withdrawal broken accepted, and not read back"},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := mocktest.StartPipe(t, slowly, tc.takes)
				report := Examine(t.Context(), options(service))
				wantHonest(t, service, report, about)
				if !strings.Contains(fmt.Sprint(report.Findings), tc.says) {
					t.Errorf("%+v", report.Findings)
				}
			})
		})
	}
}

// mishaps are what can happen at a request of a rehearsal.
var mishaps = map[string]mockserver.Fault{
	"the answer is lost":      {Cut: mockserver.CutAfterCommit},
	"it never arrives":        {Cut: mockserver.CutBeforeCommit},
	"it is never answered":    {Hang: true},
	"carried out, unanswered": {Hang: true, Commit: true},
	"the service fails":       {Status: 500},
	"it is refused":           {Status: 400, Body: []byte(`{"error":{"code":"no"}}`)},
	"a page comes":            {Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte("<p>Sign in")},
}

// wantHonest checks that a report says what a rehearsal has left at the service.
func wantHonest(t *testing.T, service *mocktest.Instance, report *Report, about string) {
	t.Helper()
	person := report.Person
	for _, r := range service.Requests() {
		isInvented := strings.HasPrefix(r.Identity, "doctor-") && strings.HasSuffix(r.Identity, "@example.invalid")
		if r.Identity != "" && !isInvented {
			t.Errorf("%s: %s touched %s", about, r.Operation, r.Identity)
		}
	}

	left := strings.Join(report.Remaining, "; ")
	record, hasRecord := service.Consent(scope, person)
	isWithdrawn := record.Clauses == [mockserver.Clauses]bool{}
	_, hasProfile := service.Profile(scope, person)
	for what, is := range map[string]bool{"consent record": hasRecord, "invented choices": hasRecord && !isWithdrawn, "a profile with": hasProfile} {
		if is && !strings.Contains(left, what) {
			t.Errorf("%s: there is still %s, and the report says %s", about, what, left)
		}
	}

	types := map[string]string{mockserver.OpUpdateProfile: "profile_update", mockserver.OpGetAllData: "data_access", mockserver.OpDeleteAllData: "data_deletion"}
	for _, q := range service.Queue() {
		if !q.Done && !strings.Contains(left, types[q.Operation]) {
			t.Errorf("%s: a request of %s is open, and the report says %s", about, q.Operation, left)
		}
	}
}

// TestRehearsal_saysWhatIsLeftWhateverHappens interrupts a rehearsal at each of its requests, and lets
// each of its requests fail in each way.
func TestRehearsal_saysWhatIsLeftWhateverHappens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		whole := mocktest.StartPipe(t, slowly)
		Examine(t.Context(), options(whole))

		requests := len(whole.Requests())
		for at := 1; at <= requests; at++ {
			ctx, interrupt := context.WithCancel(t.Context())
			service, report := failing(ctx, t, at, "interrupted", mockserver.Fault{Hang: true, Commit: true, Then: interrupt})
			interrupt()
			sent, findings := len(service.Requests()), fmt.Sprint(report.Findings)
			if sent > at+1 || report.ExitStatus != 2 || strings.Contains(findings, "not with all of them together") {
				t.Errorf("interrupted at request %d: exit status %d, %d more were sent: %s", at, report.ExitStatus, sent-at, findings)
			}
		}

		names := slices.Sorted(maps.Keys(mishaps))
		for i := range soak.Size(soak.Raced(60, 200), requests*len(names)) {
			at, name := 1+i%requests, names[i/requests%len(names)]
			if !soak.On() {
				at, name = 1+(i*7)%requests, names[i%len(names)]
			}
			failing(t.Context(), t, at, name, mishaps[name])
		}
	})
}

// failing returns the report of a rehearsal of which a request fails.
func failing(ctx context.Context, t *testing.T, at int, name string, fault mockserver.Fault) (*mocktest.Instance, *Report) {
	t.Helper()
	service := mocktest.StartPipe(t, slowly, func(s *mockserver.Server) {
		s.FaultFor = func(r mockserver.Request) *mockserver.Fault { return map[int]*mockserver.Fault{at: &fault}[r.Seq] }
	})
	defer service.Stop()
	report := Examine(ctx, options(service))
	if report.Person != "" {
		wantHonest(t, service, report, fmt.Sprint(name, " at request ", at))
	}

	return service, report
}
