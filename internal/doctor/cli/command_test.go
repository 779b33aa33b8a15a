// SPDX-License-Identifier: MPL-2.0

package cli_test

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor/cli"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// wantFinding fails the test unless the report has the finding with this word, and with
// these words in its text.
func wantFinding(t *testing.T, out output, group, check string, word doctor.Word, words ...string) {
	t.Helper()
	f := finding(out.report, group, check)
	if f.Word != word {
		t.Errorf("%s, %s is %q and should be %q: %s\n%s", group, check, f.Word, word, f.Text, out.stderr)
	}
	for _, w := range words {
		if !strings.Contains(f.Text, w) {
			t.Errorf("%s, %s does not say %q: %s", group, check, w, f.Text)
		}
	}
}

// operations returns the operations that the service received, each once.
func operations(service *mocktest.Instance) []string {
	var names []string
	for _, r := range service.Requests() {
		names = append(names, r.Operation)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestDoctor_everythingIsOKInTheDefaultDialect(t *testing.T) {
	t.Parallel()
	out := wholly(t, patient(t, nil))
	if out.status != 0 || out.report.ExitStatus != 0 || out.report.Result != doctor.OK || out.report.WireBlock != "" {
		t.Errorf("exit status %d: %s", out.status, out.stdout)
	}
}

func TestDoctor_touchesNobodyWithoutFlags(t *testing.T) {
	t.Parallel()
	service := patient(t, nil)
	out := run(t, environment(service), "-json")

	want := []string{mockserver.OpExportRecords, mockserver.OpGetCurrentUser, mockserver.OpListPendingRequests, mockserver.OpLogin}
	if got := operations(service); !slices.Equal(got, want) {
		t.Errorf("the service received %v", got)
	}
	if out.status != 0 {
		t.Errorf("exit status %d: %s", out.status, out.stdout)
	}
	if len(out.report.NotAnswered) < 3 {
		t.Errorf("it does not say what it has not looked at: %v", out.report.NotAnswered)
	}
}

func TestDoctor_writesNothingWithIdentityAlone(t *testing.T) {
	t.Parallel()
	service := patient(t, nil)
	run(t, environment(service), "-identity", person)

	if n := service.Count(mockserver.OpUpdateConsent); n > 0 {
		t.Errorf("%d updates were sent", n)
	}
	if service.Count(mockserver.OpGetConsent) == 0 || service.Count(mockserver.OpGetProfile) == 0 {
		t.Errorf("consent and profile were not read: %v", operations(service))
	}
}

func TestDoctor_readsWithAdvisedSettingsAreOK(t *testing.T) {
	t.Parallel()
	service := patient(t, mockserver.Dialect{"login_parameters": "form", "consent_parameters": "query", "agreement_time": "unix_ms", "export_kind": "parameter", "pending_names": "own_person"})
	first := wholly(t, service)
	if first.status != 1 || len(first.report.Setup.Wire) != 5 {
		t.Fatalf("exit status %d: %s", first.status, first.stdout)
	}

	env := environment(service)
	for name, value := range first.report.Setup.Wire {
		env["ANALYTICS_WIRE_"+strings.ToUpper(name)] = value
	}
	second := run(t, env, "-json", "-identity", person, "-write", "-yes")
	if second.status != 0 || second.report.WireBlock != first.report.WireBlock {
		t.Errorf("exit status %d: %s", second.status, second.stdout)
	}
}

func TestDoctor_printsOnlyTheSettingsThatDiffer(t *testing.T) {
	t.Parallel()

	for _, tc := range soak.Some(4, []struct {
		dialect mockserver.Dialect
		want    map[string]string
	}{
		{mockserver.Dialect{"login_parameters": "query"}, map[string]string{"login_parameters_in": "query"}},
		{mockserver.Dialect{"consent_parameters": "form"}, map[string]string{"consent_parameters_in": "form"}},
		{mockserver.Dialect{"agreement_time": "unix_ms"}, map[string]string{"agreement_time_format": "unix_ms"}},
		{mockserver.Dialect{"pending_names": "own_person"}, map[string]string{"pending_identity_field": "customer"}},
		{mockserver.Dialect{"export_kind": "parameter"}, map[string]string{"export_kind_parameter": "kind"}},
		{mockserver.Dialect{"export_envelope": "own_member"}, map[string]string{"export_ignored_members": "tenant"}},
		{mockserver.Dialect{"export_envelope": "described"}, map[string]string{"export_ignored_members": "generatedAt,count=null"}},
		{mockserver.Dialect{"export_answer": "own_discriminator"}, map[string]string{}},
		{mockserver.Dialect{"export_text": "broken"}, map[string]string{"export_invalid_utf8": "replace"}},
		{mockserver.Dialect{"export_text": "broken", "export_envelope": "own_member"}, map[string]string{"export_invalid_utf8": "replace", "export_ignored_members": "tenant"}},
		{mockserver.Dialect{"profile_answer": "wrapped"}, map[string]string{"profile_member": "profile"}},
		{mockserver.Dialect{"profile_answer": "own_wrapper", "pending_answer": "described"}, map[string]string{"profile_member": "traits", "pending_ignored_members": "links"}},
		{mockserver.Dialect{"pending_answer": "counted", "consent_names": "camel"}, map[string]string{}},
		{mockserver.Dialect{"consent_answer": "nested", "consent_time": "unix_ms", "export_answer": "ndjson", "errors": "problem"}, map[string]string{}},
	}) {
		t.Run(tc.dialect.String(), func(t *testing.T) {
			t.Parallel()

			out := wholly(t, patient(t, tc.dialect))
			if diff := cmp.Diff(tc.want, out.report.Setup.Wire); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDoctor_namesWhatIsNotUnderstood(t *testing.T) {
	t.Parallel()

	for _, tc := range soak.Some(4, []struct {
		dialect      mockserver.Dialect
		group, check string
		word         doctor.Word
		says         string
	}{
		{mockserver.Dialect{"consent_time": "unix_seconds"}, "Consent", "shape", doctor.Broken, "agreement_time"},
		{mockserver.Dialect{"consent_answer": "list"}, "Consent", "shape", doctor.Broken, "Unexpected response"},
		{mockserver.Dialect{"errors": "text"}, "Consent", "unknown person", doctor.Differs, "not recognised"},
		{mockserver.Dialect{"pending_answer": "by_person"}, "Pending requests", "shape", doctor.Broken, `wire.pending_list = "ignored"`},
		{mockserver.Dialect{"pending_states": "own_words"}, "Pending requests", "statuses", doctor.Differs, "wire.ended_statuses"},
		{mockserver.Dialect{"pages": "has_more"}, "Pending requests", "pages", doctor.Differs, "has_more"},
		{mockserver.Dialect{"export_envelope": "next_day"}, "Export", "shape", doctor.Broken, "wire.export_ignored_members"},
		{mockserver.Dialect{"login_answer": "own_name"}, "Access", "login", doctor.Broken, "Unexpected login answer"},
	}) {
		t.Run(tc.dialect.String(), func(t *testing.T) {
			t.Parallel()

			service := patient(t, tc.dialect)
			service.AllowViolations()
			wantFinding(t, wholly(t, service), tc.group, tc.check, tc.word, tc.says)
		})
	}
}

func TestDoctor_boundsLoginAttempts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		about string
		fault *mockserver.Fault
		want  int
	}{
		{"rejected in every form", nil, 3},
		{"the service is down", &mockserver.Fault{Operation: mockserver.OpLogin, Status: http.StatusServiceUnavailable, Times: -1}, 1},
		{"too many requests", &mockserver.Fault{Operation: mockserver.OpLogin, Status: http.StatusTooManyRequests, Times: -1}, 1},
		{"not found", &mockserver.Fault{Operation: mockserver.OpLogin, Status: http.StatusNotFound, Times: -1}, 1},
	} {
		t.Run(tc.about, func(t *testing.T) {
			t.Parallel()
			service := patient(t, nil)
			if tc.fault != nil {
				service.Inject(*tc.fault)
			}

			env := environment(service)
			env["ANALYTICS_PASSWORD"] = "wrong"
			out := run(t, env, "-json")
			if n := service.Count(mockserver.OpLogin); n != tc.want || out.report.LoginAttempts != tc.want {
				t.Errorf("%d logins were sent, and %d reported", n, out.report.LoginAttempts)
			}
			wantFinding(t, out, "Access", "login", doctor.Broken, "attempt")
			if out.report.Setup.Credentials != "api_secret_key" {
				t.Errorf("the key works and is not advised: %+v", out.report.Setup)
			}
		})
	}
}

func TestDoctor_namesWhichCredentialsAreAcceptedWhere(t *testing.T) {
	t.Parallel()
	out := wholly(t, patient(t, mockserver.Dialect{"credentials": "key_for_people"}))
	wantFinding(t, out, "Access", "email and password", doctor.Differs, "accepted for the current user, exports", "refused for people and lists")
	wantFinding(t, out, "Access", "api_secret_key", doctor.OK)
	if out.report.Setup.Credentials != "api_secret_key" {
		t.Errorf("advised: %+v", out.report.Setup)
	}
}

func TestDoctor_findsThePathFamilyThatAnswers(t *testing.T) {
	t.Parallel()
	out := wholly(t, patient(t, mockserver.Dialect{"path_family": "account"}))
	wantFinding(t, out, "Access", "project paths", doctor.Differs, "use the account paths")
	wantFinding(t, out, "Access", "account paths", doctor.OK)
	if out.report.Setup.PathFamily != "account" {
		t.Errorf("advised: %+v", out.report.Setup)
	}
}

func TestDoctor_namesUnknownMembers(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		dialect             mockserver.Dialect
		group, check, names string
		word                doctor.Word
	}{
		{mockserver.Dialect{"consent_names": "own_time"}, "Consent", "fields", "agreedOn", doctor.Differs},
		{mockserver.Dialect{"pending_names": "own_time"}, "Pending requests", "fields", "askedOn", doctor.Differs},
		{mockserver.Dialect{"pending_names": "own_names"}, "Pending requests", "fields", "phase, what", doctor.Differs},
		{mockserver.Dialect{"export_answer": "own_discriminator"}, "Export", "shape", `"sort"`, doctor.Broken},
	} {
		t.Run(tc.dialect.String(), func(t *testing.T) {
			t.Parallel()
			out := wholly(t, patient(t, tc.dialect))
			wantFinding(t, out, tc.group, tc.check, tc.word, tc.names)
		})
	}
}

func TestDoctor_choosesNoneOfSeveralMembersThatHoldThePerson(t *testing.T) {
	t.Parallel()
	service := patient(t, nil, func(s *mockserver.Server) {
		s.ReshapePending(func(record map[string]any) map[string]any {
			record["customer"] = record["identityId"]
			delete(record, "identityId")
			record["askedBy"] = record["customer"]
			return record
		})
	})
	out := wholly(t, service)
	wantFinding(t, out, "Pending requests", "person", doctor.Differs, "askedBy, customer", "wire.pending_identity_field")
	if setting := out.report.Setup.Wire["pending_identity_field"]; setting != "" {
		t.Errorf("%s is advised", setting)
	}
}

func TestDoctor_judgesTheConnection(t *testing.T) {
	t.Parallel()
	t.Run("an authority that is not trusted", func(t *testing.T) {
		t.Parallel()
		out := run(t, environment(mocktest.StartTLS(t, mocktest.Valid)), "-json")
		wantFinding(t, out, "Connection", "login", doctor.Broken, "authority that is not trusted")
		if out.status != 2 || len(out.report.Findings) > 4 {
			t.Errorf("exit status %d: %s", out.status, out.stdout)
		}
	})

	t.Run("nobody answers", func(t *testing.T) {
		t.Parallel()
		service := patient(t, nil)
		service.Stop()
		env := environment(service)
		env["ANALYTICS_MAX_RETRIES"] = "0"
		out := run(t, env, "-json")
		wantFinding(t, out, "Connection", "login", doctor.Broken, "Cannot reach the service")
		if out.status != 2 {
			t.Errorf("exit status %d", out.status)
		}
	})
}

func TestDoctor_refusesWhatCannotBeExamined(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		about string
		set   map[string]string
		args  []string
		says  string
	}{
		{"no address", map[string]string{"ANALYTICS_BASE_URL": ""}, nil, "base_url"},
		{"a wrong setting", map[string]string{"ANALYTICS_WIRE_EXPORT_INVALID_UTF8": "round"}, nil, "ANALYTICS_WIRE_EXPORT_INVALID_UTF8"},
		{"write without a person", nil, []string{"-write", "-yes"}, "-identity"},
		{"write without a terminal", nil, []string{"-write", "-identity", person}, "needs -yes"},
		{"write and read_only", map[string]string{"ANALYTICS_READ_ONLY": "true"}, []string{"-write", "-yes", "-identity", person}, "ANALYTICS_READ_ONLY"},
		{"no day", nil, []string{"-day", "2026-02-30"}, "-day"},
		{"a day that is not over", nil, []string{"-day", time.Now().UTC().Format(time.DateOnly)}, "is over"},
		{"too many records", nil, []string{"-records", "100001"}, "-records"},
		{"a flag that does not exist", nil, []string{"-force"}, "force"},
		{"an argument", nil, []string{"everything"}, "flags only"},
	} {
		t.Run(tc.about, func(t *testing.T) {
			t.Parallel()
			service := patient(t, nil)
			env := environment(service)
			maps.Copy(env, tc.set)

			out := run(t, env, tc.args...)
			if out.status != 2 || !strings.Contains(out.stderr, tc.says) || out.stdout != "" {
				t.Errorf("exit status %d: %s%s", out.status, out.stdout, out.stderr)
			}
			if n := service.Count(""); n > 0 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}

func TestDoctor_asksTwiceBeforeItWrites(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		answers string
		writes  bool
	}{
		{"yes\n" + person + "\n", true},
		{"yes\n" + other + "\n", false},
		{"y\n" + person + "\n", false},
		{"yes\n", false},
		{"", false},
	} {
		service := patient(t, nil)
		var stdout, stderr bytes.Buffer
		status := cli.Run(t.Context(), cli.Process{
			Args: []string{cli.Name, "-write", "-identity", person}, Stdin: strings.NewReader(tc.answers), Stdout: &stdout, Stderr: &stderr,
			Getenv: func(name string) string { return environment(service)[name] }, Interactive: true,
		})

		if got := service.Count(mockserver.OpUpdateConsent) > 0; got != tc.writes || (status == 0) != tc.writes {
			t.Errorf("after %q: exit status %d, written %t\n%s", tc.answers, status, got, stderr.String())
		}
		if !tc.writes && service.Count("") > 0 {
			t.Errorf("after %q: requests were sent", tc.answers)
		}
	}
}

func TestDoctor_helpIsNoError(t *testing.T) {
	t.Parallel()
	out := run(t, nil, "-help")
	if out.status != 0 || !strings.Contains(out.stdout, "-identity") || !strings.Contains(out.stdout, "Exit status") {
		t.Errorf("exit status %d: %s%s", out.status, out.stdout, out.stderr)
	}
}

func TestDoctor_printsNoColoursIntoAPipe(t *testing.T) {
	t.Parallel()
	out := run(t, environment(patient(t, nil)))
	if strings.Contains(out.stdout, "\x1b") || out.stderr != "" || !strings.Contains(out.stdout, "For the provider block") {
		t.Errorf("printed: %s%s", out.stdout, out.stderr)
	}
}

func TestDoctor_restoresAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	service := patient(t, mockserver.Dialect{"consent_parameters": "form", "misplaced_parameters": "ignored"}, func(s *mockserver.Server) {
		s.OnRequest = func(r mockserver.Request) {
			if r.Operation == mockserver.OpUpdateConsent && r.Place == mockserver.InForm {
				interrupt()
			}
		}
	})

	var stdout bytes.Buffer
	status := cli.Run(ctx, cli.Process{
		Args: []string{cli.Name, "-write", "-yes", "-json", "-identity", person}, Stdout: &stdout, Stderr: &stdout,
		Getenv: func(name string) string { return environment(service)[name] },
	})
	if status != 2 {
		t.Errorf("exit status %d: %s", status, stdout.String())
	}
	record, _ := service.Consent(project, person)
	if record.Clauses != held().Clauses || record.Manual == nil || *record.Manual {
		t.Errorf("the consent is not restored: %+v\n%s", record, stdout.String())
	}
}

func TestDoctor_leavesAChoiceThatWasMadeMeanwhile(t *testing.T) {
	t.Parallel()
	var service *mocktest.Instance
	choice := mockserver.ConsentRecord{AgreementTime: time.Now().UTC().Format(time.RFC3339)}
	reads := 0
	service = patient(t, nil, func(s *mockserver.Server) {
		s.OnRequest = func(r mockserver.Request) {
			if r.Operation == mockserver.OpUpdateConsent {
				reads = 1
			} else if r.Operation == mockserver.OpGetConsent && reads == 1 {
				reads = 2
				service.PutConsent(project, person, choice)
			}
		}
	})

	out := wholly(t, service)
	wantFinding(t, out, "Writing consent", "restored", doctor.Broken, "somebody else")
	if record, _ := service.Consent(project, person); record.Clauses != choice.Clauses || record.AgreementTime != choice.AgreementTime {
		t.Errorf("the choice was overwritten: %+v", record)
	}
}

func TestDoctor_saysWhatCannotBeRestored(t *testing.T) {
	t.Parallel()
	t.Run("a person without a record", func(t *testing.T) {
		t.Parallel()
		service := patient(t, nil)
		out := run(t, environment(service), "-json", "-write", "-yes", "-identity", "new@example.com")
		wantFinding(t, out, "Writing consent", "restored", doctor.Differs, "had no consent record", "refuses all clauses")
		record, _ := service.Consent(project, "new@example.com")
		if record.Clauses != [mockserver.Clauses]bool{} || record.UserIPv6 != nil {
			t.Errorf("the record is left as %+v", record)
		}
	})

	t.Run("a record without a time", func(t *testing.T) {
		t.Parallel()
		service := patient(t, nil)
		service.PutConsent(project, person, mockserver.ConsentRecord{})
		out := wholly(t, service)
		wantFinding(t, out, "Writing consent", "restored", doctor.Differs, "agreement_time", "manual")
		prototest.WantText(t, []string{out.stdout}, "except agreement_time, manual")
	})

	t.Run("a record that cannot be read", func(t *testing.T) {
		t.Parallel()
		service := patient(t, mockserver.Dialect{"consent_answer": "list"})
		out := wholly(t, service)
		wantFinding(t, out, "Writing consent", "form", doctor.Unknown, "nothing was written")
		if n := service.Count(mockserver.OpUpdateConsent); n > 0 {
			t.Errorf("%d updates were sent", n)
		}
	})
}

func TestDoctor_waitsForReadsThatLagBehind(t *testing.T) {
	t.Parallel()
	service := patient(t, nil)
	before := mockserver.Fault{Operation: mockserver.OpGetConsent, Identity: person, Status: http.StatusOK, Body: []byte(heldJSON)}
	before.Skip = 2 // those before the first write
	service.Inject(before)

	out := runFor(t, 40*time.Millisecond, environment(service), "-json", "-identity", person, "-write", "-yes")
	wantFinding(t, out, "Writing consent", "form", doctor.OK)
	if n := service.Count(mockserver.OpUpdateConsent); n != 2 {
		t.Errorf("%d updates were sent, and one trial and one restoration were needed", n)
	}
}

func TestDoctor_tellsAFormThatOnlyLooksUnderstood(t *testing.T) {
	t.Parallel()
	service := patient(t, mockserver.Dialect{"consent_parameters": "query", "misplaced_parameters": "ignored", "time_precision": "seconds"})
	out := wholly(t, service)
	wantFinding(t, out, "Writing consent", "form", doctor.Differs, "query", "URL")
}
