// SPDX-License-Identifier: MPL-2.0

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor/cli"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The people of the tests. Nothing of them may be printed.
const (
	person  = "ada.canary@example.com"
	other   = "grace.canary-4711@example.com"
	name    = "Canary Lovelace"
	address = "2001:db8:cafe:affe:1234:5678:9abc:def0"

	headerSecret = "canary header 7f3b1c/+?"
	elsewhere    = "elsewhere.example.com" // where a redirect leads to
)

var (
	project = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}
	account = mockserver.Scope{AccountID: "acc-1"}
)

// populated starts a service with a person in both path families.
func populated(t *testing.T, configure ...func(*mockserver.Server)) *mocktest.Instance {
	t.Helper()
	service := mocktest.Start(t, append([]func(*mockserver.Server){func(s *mockserver.Server) {
		s.ExportRecords, s.FulfilmentDelay = 60, 1500*time.Millisecond
		s.Fulfil = func(q mockserver.QueuedRequest) (o mockserver.Outcome) {
			if q.ID == "open" {
				o.Fate = mockserver.Never
			}
			return o
		}
	}}, configure...)...)
	for _, scope := range []mockserver.Scope{project, account} {
		service.PutConsent(scope, person, mockserver.ConsentRecord{
			Clauses: [mockserver.Clauses]bool{true, false, true, true, false}, UserIPv6: new(address),
			AgreementTime: "2026-02-01T08:00:00.25Z", Manual: new(false), Extra: map[string]any{"_id": "65bd1f0a"},
		})
		service.PutProfile(scope, person, `{"plan":"pro","name":"`+name+`"}`)
		for _, who := range []string{person, other} {
			service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: who, Operation: mockserver.OpDeleteAllData, ID: "open"})
		}
	}

	return service
}

// environment has everything that a user may have at hand.
func environment(service *mocktest.Instance) map[string]string {
	return map[string]string{
		"ANALYTICS_BASE_URL": service.URL,
		"ANALYTICS_ORG_ID":   project.OrgID, "ANALYTICS_PROJECT_ID": project.ProjectID, "ANALYTICS_ACCOUNT_ID": account.AccountID,
		"ANALYTICS_EMAIL": service.Email, "ANALYTICS_PASSWORD": service.Password, "ANALYTICS_API_SECRET_KEY": service.SecretKey,
	}
}

// output is what a run printed.
type output struct {
	status         int
	stdout, stderr string
	report         doctor.Report
}

// run runs the command, whose questions nobody answers; with -json, the report is decoded.
func run(t *testing.T, environment map[string]string, args ...string) output {
	t.Helper()
	return runAsked(t.Context(), environment, nil, args...)
}

// runAsked is run where somebody can answer questions; nil if nobody can.
func runAsked(ctx context.Context, environment map[string]string, answers io.Reader, args ...string) (out output) {
	var stdout, stderr bytes.Buffer
	out.status = cli.Run(ctx, cli.Process{
		Args: append([]string{cli.Name}, args...), Stdin: answers, Stdout: &stdout, Stderr: &stderr,
		Getenv: func(name string) string { return environment[name] }, Version: "1.2.3", Interactive: answers != nil,
	})
	out.stdout, out.stderr = stdout.String(), stderr.String()
	_ = json.Unmarshal(stdout.Bytes(), &out.report) // fails where it is not JSON

	return out
}

// wantFinding fails the test unless the report has a finding with this word and text.
func wantFinding(t *testing.T, out output, check string, word doctor.Word, text string) {
	t.Helper()
	isFinding := func(f doctor.Finding) bool {
		return f.Check == check && f.Word == word && strings.Contains(f.Text, text)
	}
	if !slices.ContainsFunc(out.report.Findings, isFinding) {
		t.Errorf("there is no finding %s with %q: %s%s", check, text, out.stdout, out.stderr)
	}
}

// The operations that doctor sends always, and those of a rehearsal.
var (
	reads = []string{
		mockserver.OpExportRecords, mockserver.OpGetConsent, mockserver.OpGetCurrentUser, mockserver.OpGetProfile,
		mockserver.OpListPendingRequests, mockserver.OpLogin,
	}
	writes = []string{mockserver.OpDeleteAllData, mockserver.OpGetAllData, mockserver.OpUpdateConsent, mockserver.OpUpdateProfile}
)

func TestDoctor_touchesWhomItsFlagsName(t *testing.T) {
	t.Parallel()
	all := slices.Concat(reads, writes)
	for _, tc := range []struct {
		about  string
		args   string
		typed  string
		want   []string
		person string // who is touched besides an invented person
	}{
		{"nobody", "", "", reads, ""},
		{"one person", "-identity " + person, "", reads, person},
		{"an invented person", "-rehearse", "", all, ""},
		{"one person, deleted", "-rehearse -yes -identity " + person, "", all, person},
		{"one person, typed again and deleted", "-rehearse -identity " + person, person + "\n", all, person},
	} {
		t.Run(tc.about, func(t *testing.T) {
			t.Parallel()
			service := populated(t)
			out := runAsked(t.Context(), environment(service), strings.NewReader(tc.typed), append(strings.Fields(tc.args), "-json")...)

			got := map[string]bool{}
			for _, r := range service.Requests() {
				got[r.Operation] = true
				if r.Identity != "" && r.Identity != tc.person && !strings.HasSuffix(r.Identity, "@example.invalid") {
					t.Errorf("%s touched %s", r.Operation, r.Identity)
				}
			}
			if sent := slices.Sorted(maps.Keys(got)); !slices.Equal(sent, slices.Sorted(slices.Values(tc.want))) {
				t.Errorf("the service received %v", sent)
			}
			if out.status != 0 || out.report.Result != doctor.OK || out.report.WireBlock != "" {
				t.Errorf("exit status %d: %s", out.status, out.stdout)
			}
		})
	}
}

func TestDoctor_boundsLoginAttempts(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{http.StatusUnauthorized: 3, http.StatusServiceUnavailable: 1} {
		service := populated(t)
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: status, Times: -1})
		out := run(t, environment(service), "-json")
		if n := service.Count(mockserver.OpLogin); n != want || !slices.Contains(out.report.Setup, "credentials: api_secret_key") {
			t.Errorf("%d logins were sent: %+v", n, out.report.Setup)
		}
		wantFinding(t, out, "login", doctor.Differs, "with email and password: ")
	}

	service := populated(t, func(s *mockserver.Server) { s.Wire.Login.ParametersIn = mockserver.InForm })
	run(t, environment(service))
	if n := service.Count(mockserver.OpLogin); n != 2 { // and none has the password in its query
		t.Errorf("%d logins were sent", n)
	}
}

func TestDoctor_namesTheCredentialsThatAreAcceptedEverywhere(t *testing.T) {
	t.Parallel()
	for refused, want := range map[string]struct {
		check string
		word  doctor.Word
		text  string
		setup []string
	}{
		mockserver.OpExportRecords:       {"exports", doctor.Differs, "with email and password: Not permitted", []string{"org_id and project_id, and no account_id", "credentials: api_secret_key"}},
		mockserver.OpListPendingRequests: {"path family", doctor.Broken, "was not answered", nil},
	} {
		out := run(t, environment(populated(t, func(s *mockserver.Server) {
			s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
				isKept := r.Operation == mockserver.OpExportRecords && r.Auth != mockserver.AuthBearer
				if isKept || r.Operation != refused {
					return nil
				}
				return &mockserver.Fault{Status: http.StatusForbidden}
			}
		})), "-json")
		wantFinding(t, out, want.check, want.word, want.text)
		if !slices.Equal(out.report.Setup, want.setup) {
			t.Errorf("%+v", out.report.Setup)
		}
	}
}

func TestDoctor_endsEarlyWhereNobodyAnswers(t *testing.T) {
	t.Parallel()
	env := environment(populated(t))
	env["ANALYTICS_BASE_URL"], env["ANALYTICS_MAX_RETRIES"] = "http://127.0.0.1:1", "0" // the port of a service that has ended may be given to another

	out := run(t, env, "-json", "-rehearse")
	wantFinding(t, out, "login", doctor.Broken, "Cannot reach the service")
	if out.status != 2 || len(out.report.Findings) > 4 {
		t.Errorf("exit status %d: %s", out.status, out.stdout)
	}
}

func TestDoctor_refusesWhatCannotBeExamined(t *testing.T) {
	t.Parallel()
	const rehearse, notTyped = "-rehearse -identity " + person, "identity was not typed again"
	silent, typing := io.Pipe()
	t.Cleanup(func() { _ = typing.Close() })
	for about, tc := range map[string]struct {
		set, args     string
		keyboard      io.Reader // nil: nobody is there
		isInterrupted bool
		says          string
	}{
		"no address":                     {set: "ANALYTICS_BASE_URL=", says: "base_url"},
		"a setting that does not exist":  {set: `ANALYTICS_WIRE={"round":true}`, says: "ANALYTICS_WIRE"},
		"a rehearsal without a terminal": {args: rehearse, says: "needs -yes"},
		"another identity":               {args: rehearse, keyboard: strings.NewReader(other + "\n"), says: notTyped},
		"an interrupt at the question":   {args: rehearse, keyboard: silent, isInterrupted: true, says: notTyped},
		"a rehearsal and read_only":      {set: "ANALYTICS_READ_ONLY=true", args: "-rehearse", says: "ANALYTICS_READ_ONLY"},
		"no day":                         {args: "-day 2026-02-30", says: "-day"},
		"a day that is not over":         {args: "-day today", says: "is over"},
		"no time for a rehearsal":        {args: "-rehearse -timeout 0s", says: "-timeout"},
		"a flag that does not exist":     {args: "-force", says: "force"},
		"an argument":                    {args: "everything", says: "flags only"},
	} {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			service := populated(t)
			env := environment(service)
			name, value, _ := strings.Cut(tc.set, "=")
			env[name] = value
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			if tc.isInterrupted {
				interrupt()
			}
			today := time.Now().UTC().Format(time.DateOnly) // and not before the test has waited for its turn
			out := runAsked(ctx, env, tc.keyboard, strings.Fields(strings.Replace(tc.args, "today", today, 1))...)
			if out.status != 2 || !strings.Contains(out.stderr, tc.says) || out.stdout != "" || service.Count("") > 0 {
				t.Errorf("exit status %d, %d requests: %s%s", out.status, service.Count(""), out.stdout, out.stderr)
			}
		})
	}
}

func TestDoctor_printsForPeople(t *testing.T) {
	t.Parallel()
	service := populated(t, func(s *mockserver.Server) {
		s.Wire.Consent.ParametersIn, s.Wire.Consent.TimeFormat = mockserver.InForm, mockserver.TimeUnixMS
	})
	broken := populated(t)
	broken.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Times: -1, Body: []byte(`{"jobId":"1"}`)})
	for _, tc := range []struct {
		about  string
		env    map[string]string
		args   string
		status int
		prints []string // in lines
	}{
		{"help", nil, "-help", 0, []string{"-rehearse", "Exit status: 0 if all is ok"}},
		{"all is ok", environment(populated(t)), "-identity " + person, 0, []string{"no wire settings: the defaults fit\n", "\nok, exit status 0\n"}},
		{"a day is broken", environment(broken), "", 2, []string{"no wire settings were found\n"}},
		{"something differs", environment(service), "-rehearse -day 2026-01-31", 1, []string{
			"analytics doctor 1.2.3\n\nAccess\n  ",
			"\n\nFor the provider block\n  org_id and project_id, and no account_id\n  credentials: email and password\n" +
				"  wire {\n    consent {\n      parameters_in = \"form\"\n      time_format   = \"unix_ms\"\n    }\n  }\n\ndiffers, exit status 1\n",
			"  differs  consent update ", "  ok       invented person          read as configured\n",
			"@example.invalid\n",
		}},
	} {
		t.Run(tc.about, func(t *testing.T) {
			t.Parallel()
			out := run(t, tc.env, strings.Fields(tc.args)...)
			if out.status != tc.status || out.stderr != "" || strings.Contains(out.stdout, "\x1b") {
				t.Errorf("exit status %d: %s%s", out.status, out.stdout, out.stderr)
			}
			for _, lines := range tc.prints {
				if !strings.Contains(out.stdout, lines) {
					t.Errorf("it does not print %q: %s", lines, out.stdout)
				}
			}
		})
	}
}

// secrets are what no output may hold.
func secrets(service *mocktest.Instance) []string {
	values := []string{person, other, name, address, headerSecret, service.Email, service.Password, service.SecretKey}
	for _, r := range service.Requests() {
		if r.Token != "" && !slices.Contains(values, r.Token) {
			values = append(values, r.Token)
		}
	}
	return values
}

// TestDoctor_noSecretComesOut searches what is printed for every spelling of a secret where one
// operation answers with everything that was sent, and in the day that holds people, also as names
// of members.
func TestDoctor_noSecretComesOut(t *testing.T) {
	t.Parallel()
	type search struct{ operation, way string }
	searches := []search{{}}
	for _, operation := range slices.Concat(reads, writes) {
		for _, way := range []string{"400", "page", "names", "redirect", "401", "404", "500", "200", "text"} {
			searches = append(searches, search{operation, way})
		}
	}

	n := soak.Size(8, len(searches))
	for i := range n {
		tc := searches[i*len(searches)/n]
		t.Run(fmt.Sprint(tc), func(t *testing.T) {
			t.Parallel()
			service := populated(t)
			service.AllowViolations()
			records := []any{map[string]any{
				"id": person, "name": name, "ip": address, "friends": map[string]any{other: map[string]any{"since": "2026-01-01"}}, other: 1,
			}}
			yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
			service.PutExport(project, yesterday, mockserver.ExportDay{Persons: records, Sessions: records, Events: records})
			if tc.operation != "" {
				fault := repeating(t, secrets(service))[tc.way]
				fault.Operation, fault.Times = tc.operation, -1
				service.Inject(fault)
			}

			env := environment(service)
			env["ANALYTICS_HEADERS"] = `{"X-Canary":"` + headerSecret + `"}`
			env["ANALYTICS_MAX_RETRIES"] = "0"
			args := []string{"-json", "-identity", person}
			if slices.Contains(writes, tc.operation) {
				args = append(args, "-rehearse", "-yes", "-timeout", "3s")
			}
			out := run(t, env, args...)
			prototest.WantNoCanary(t, "the output", out.stdout+out.stderr, append(secrets(service), elsewhere)...)
		})
	}
}

// repeating returns faults that repeat values, by the way in which they do.
func repeating(t *testing.T, values []string) map[string]mockserver.Fault {
	t.Helper()
	said := strings.Join(values, " ")
	var members []string
	for i, v := range values {
		members = append(members, fmt.Sprintf("%q: {\"clause_%d_consent\": %q, %q: 1}", v, i%5+1, v, v+" 2"))
	}

	faults := map[string]mockserver.Fault{
		"page":     {Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<p>" + said)},
		"text":     {Status: http.StatusBadRequest, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(said)},
		"redirect": {Status: http.StatusFound, Header: http.Header{"Location": {"https://" + elsewhere + "/?k=" + url.QueryEscape(said)}}},
		"names":    {Status: http.StatusOK, Body: []byte("{" + strings.Join(members, ", ") + "}")},
	}
	for _, status := range []int{200, 400, 401, 404, 500} {
		faults[fmt.Sprint(status)] = mockserver.Fault{Status: status, Body: prototest.QuotedBack(t, values)}
	}

	return faults
}

// TestDoctor_printsNoNameOfAShortIdentity has members that are named after a person whose
// identity is a plain word.
func TestDoctor_printsNoNameOfAShortIdentity(t *testing.T) {
	t.Parallel()
	for _, identity := range []string{"bob", "bob.smith@example.com", "BobSmith@example.com"} {
		service := populated(t)
		service.PutProfile(project, identity, `{"bob":{"plan":"pro"}}`)
		service.ReshapePending(func(record map[string]any) {
			record["bobPhone"] = identity // where a person is found
			delete(record, "identityId")
		})

		out := run(t, environment(service), "-json", "-identity", identity)
		if strings.Contains(strings.ToLower(out.stdout), "bob") {
			t.Errorf("printed: %s", out.stdout)
		}
	}
}
