// SPDX-License-Identifier: MPL-2.0

package cli_test

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor/cli"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
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

func TestDoctor_sendsWhatItsFlagsSay(t *testing.T) {
	t.Parallel()
	nobody := []string{mockserver.OpExportRecords, mockserver.OpGetCurrentUser, mockserver.OpListPendingRequests, mockserver.OpLogin}
	for _, tc := range []struct {
		about string
		args  []string
		want  []string
	}{
		{"nobody", nil, nobody},
		{"one person", []string{"-identity", person}, []string{mockserver.OpGetConsent, mockserver.OpGetProfile}},
		{"one person, written", []string{"-identity", person, "-write", "-yes"}, []string{mockserver.OpGetConsent, mockserver.OpGetProfile, mockserver.OpUpdateConsent}},
	} {
		t.Run(tc.about, func(t *testing.T) {
			t.Parallel()
			service := patient(t, nil)
			out := run(t, environment(service), append(tc.args, "-json")...)

			var got []string
			for _, r := range service.Requests() {
				got = append(got, r.Operation)
			}
			slices.Sort(got)
			want := slices.Compact(slices.Sorted(slices.Values(slices.Concat(nobody, tc.want))))
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("the service received %v", got)
			}
			if out.status != 0 || out.report.Result != doctor.OK || out.report.WireBlock != "" || len(out.report.NotAnswered) < 3 {
				t.Errorf("exit status %d: %s", out.status, out.stdout)
			}
		})
	}
}

func TestDoctor_readsWithAdvisedSettingsAreOK(t *testing.T) {
	t.Parallel()
	service := patient(t, mockserver.Dialect{"login_parameters": "form", "consent_parameters": "query", "agreement_time": "unix_ms", "export_kind": "parameter", "pending_names": "own_person"})
	first := wholly(t, service)
	want := client.Wire{
		Login: client.LoginWire{ParametersIn: "form"}, Consent: client.ConsentWire{ParametersIn: "query", TimeFormat: "unix_ms"},
		Export: client.ExportWire{KindParameter: "kind"}, Pending: client.PendingWire{Identity: "/customer"},
	}
	if diff := cmp.Diff(want, first.report.Setup.Wire); diff != "" || first.status != 1 {
		t.Fatalf("exit status %d: %s", first.status, diff)
	}

	env := environment(service)
	env["ANALYTICS_WIRE"] = encoded(t, first.report.Setup.Wire)
	second := run(t, env, "-json", "-identity", person, "-write", "-yes")
	if second.status != 0 || second.report.WireBlock != first.report.WireBlock {
		t.Errorf("exit status %d: %s", second.status, second.stdout)
	}
}

// TestDoctor_namesWhatDiffers names settings that only a person can decide about, and prints the
// others.
func TestDoctor_namesWhatDiffers(t *testing.T) {
	t.Parallel()

	for _, tc := range soak.Some(6, []struct {
		dialect      mockserver.Dialect
		group, check string
		word         doctor.Word
		says         string
		wire         string // the settings that are printed, as members of JSON
	}{
		{mockserver.Dialect{"credentials": "key_for_people"}, "Access", "email and password", doctor.Differs, "exports; refused for people and lists", ""},
		{mockserver.Dialect{"path_family": "account"}, "Access", "project paths", doctor.Differs, "use the account paths", ""},
		{mockserver.Dialect{"login_answer": "own_name"}, "Access", "login", doctor.Broken, "Unexpected login answer", ""},
		{mockserver.Dialect{"consent_time": "unix_seconds"}, "Consent", "shape", doctor.Broken, "agreement_time", ""},
		{mockserver.Dialect{"consent_answer": "list"}, "Consent", "shape", doctor.Broken, "Unexpected response", ""},
		{mockserver.Dialect{"consent_answer": "list"}, "Writing consent", "form", doctor.Unknown, "nothing was written", ""},
		{mockserver.Dialect{"consent_names": "own_time"}, "Consent", "fields", doctor.Differs, "agreedOn", ""},
		{
			mockserver.Dialect{"consent_parameters": "query", "misplaced_parameters": "ignored", "consent_time": "whole_seconds"},
			"Writing consent", "form", doctor.Differs, "query, agreement_time as rfc3339; they are part of the URL",
			`"consent":{"parameters_in":"query"}`,
		},
		{mockserver.Dialect{"errors": "text"}, "Consent", "unknown person", doctor.Differs, "not recognised", ""},
		{mockserver.Dialect{"pending_answer": "by_person"}, "Pending requests", "shape", doctor.Broken, `wire.pending.use = "ignored"`, ""},
		{mockserver.Dialect{"pending_states": "own_words"}, "Pending requests", "statuses", doctor.Differs, "wire.pending.statuses", ""},
		{mockserver.Dialect{"pages": "has_more"}, "Pending requests", "pages", doctor.Differs, "has_more", ""},
		{mockserver.Dialect{"pending_answer": "described"}, "Pending requests", "pages", doctor.Differs, `wire.ignored = { "/links" = "*" }`, ""},
		{mockserver.Dialect{"pending_names": "own_time"}, "Pending requests", "fields", doctor.Differs, "askedOn", ""},
		{mockserver.Dialect{"pending_names": "own_names"}, "Pending requests", "fields", doctor.Differs, "phase, what", ""},
		{mockserver.Dialect{"export_envelope": "next_day"}, "Export", "shape", doctor.Broken, "look at it: if it does not say that", ""},
		{mockserver.Dialect{"export_answer": "own_discriminator"}, "Export", "shape", doctor.Broken, `"sort"`, ""},
		{mockserver.Dialect{"export_text": "broken"}, "Export", "shape", doctor.Broken, `"replace" replaces such bytes`, ""},
		{
			mockserver.Dialect{"profile_answer": "own_wrapper"},
			"Profile", "shape",
			doctor.Differs, "wire.profile.at reads the profile from it",
			`"profile":{"at":"/traits"}`,
		},
		{
			mockserver.Dialect{"consent_answer": "nested", "consent_time": "unix_ms", "export_answer": "ndjson", "errors": "problem"},
			"Consent", "fields", doctor.OK, "all fields", "",
		},
	}) {
		t.Run(tc.dialect.String()+" "+tc.group, func(t *testing.T) {
			t.Parallel()
			service := patient(t, tc.dialect)
			service.AllowViolations()
			out := wholly(t, service)
			wantFinding(t, out, tc.group, tc.check, tc.word, tc.says)
			if got := encoded(t, out.report.Setup.Wire); got != "{"+tc.wire+"}" {
				t.Errorf("the settings are %s", got)
			}
		})
	}
}

// TestDoctor_advisesNoSettingThatNothingHasProven has a service that names a parameter which selects
// nothing, and answers with an error in place of a profile.
func TestDoctor_advisesNoSettingThatNothingHasProven(t *testing.T) {
	t.Parallel()
	asJSON := http.Header{"Content-Type": {"application/json"}}
	const refusal = `{"error":{"code":"bad_request","fields":[{"field":"zone","message":"is required"}]}}`
	service := patient(t, nil)
	service.Inject(
		mockserver.Fault{Operation: mockserver.OpExportRecords, Times: 2, Status: http.StatusBadRequest, Header: asJSON, Body: []byte(refusal)}, // with either of the credentials
		mockserver.Fault{Operation: mockserver.OpExportRecords, Times: -1, Header: asJSON, Body: []byte(`[]`)},
		mockserver.Fault{Operation: mockserver.OpGetProfile, Times: -1, Header: asJSON, Body: []byte(`{"error":{"code":"no_access"}}`)},
	)
	out := run(t, environment(service), "-json", "-identity", person)
	export, profile := finding(out.report, "Export", "shape"), finding(out.report, "Profile", "shape")
	if encoded(t, out.report.Setup.Wire) != "{}" || export.Word != doctor.Broken || !strings.Contains(export.Text, "wire.export.kind_values") || profile.Word != doctor.Broken {
		t.Errorf("%v, %+v, %+v", out.report.Setup.Wire, export, profile)
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
	wantFinding(t, out, "Pending requests", "person", doctor.Differs, "askedBy, customer", "wire.pending.identity")
	if setting := out.report.Setup.Wire.Pending.Identity; setting != "" {
		t.Errorf("%s is advised", setting)
	}
}

func TestDoctor_boundsLoginAttempts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		about  string
		status int // of every login; 0: as the service answers
		want   int
	}{
		{"rejected in every form", 0, 3},
		{"the service is down", http.StatusServiceUnavailable, 1},
	} {
		t.Run(tc.about, func(t *testing.T) {
			t.Parallel()
			service := patient(t, nil)
			if tc.status != 0 {
				service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: tc.status, Times: -1})
			}

			env := environment(service)
			env["ANALYTICS_PASSWORD"] = "wrong"
			out := run(t, env, "-json")
			if n := service.Count(mockserver.OpLogin); n != tc.want || out.report.LoginAttempts != tc.want {
				t.Errorf("%d logins were sent, and %d reported", n, out.report.LoginAttempts)
			}
			wantFinding(t, out, "Access", "login", doctor.Broken, "attempts sent")
			if out.report.Setup.Credentials != "api_secret_key" {
				t.Errorf("the key works and is not advised: %+v", out.report.Setup)
			}
		})
	}
}

func TestDoctor_endsEarlyWhereNobodyAnswers(t *testing.T) {
	t.Parallel()
	service := patient(t, nil)
	service.Stop()
	env := environment(service)
	env["ANALYTICS_MAX_RETRIES"] = "0"

	out := run(t, env, "-json", "-identity", person, "-write", "-yes")
	wantFinding(t, out, "Access", "login", doctor.Broken, "Cannot reach the service")
	wantFinding(t, out, "Access", "current user, api_secret_key", doctor.Broken, "Cannot reach the service")
	if out.status != 2 || len(out.report.Findings) > 4 {
		t.Errorf("exit status %d: %s", out.status, out.stdout)
	}
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
		{"a wrong setting", map[string]string{"ANALYTICS_WIRE": `{"export":{"invalid_utf8":"round"}}`}, nil, "wire.export.invalid_utf8"},
		{"write without a person", nil, []string{"-write", "-yes"}, "-identity"},
		{"write without a terminal", nil, []string{"-write", "-identity", person}, "needs -yes"},
		{"write and read_only", map[string]string{"ANALYTICS_READ_ONLY": "true"}, []string{"-write", "-yes", "-identity", person}, "ANALYTICS_READ_ONLY"},
		{"no day", nil, []string{"-day", "2026-02-30"}, "-day"},
		{"a day that is not over", nil, []string{"-day", time.Now().UTC().Format(time.DateOnly)}, "is over"},
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

func TestDoctor_asksBeforeItWrites(t *testing.T) {
	t.Parallel()
	for answers, writes := range map[string]bool{
		person + "\n": true,
		other + "\n":  false,
		"yes\n":       false,
		"":            false,
	} {
		t.Run(answers, func(t *testing.T) {
			t.Parallel()
			service := patient(t, nil)
			var stdout, stderr bytes.Buffer
			status := cli.Run(t.Context(), cli.Process{
				Args: []string{cli.Name, "-write", "-identity", person}, Stdin: strings.NewReader(answers), Stdout: &stdout, Stderr: &stderr,
				Getenv: func(name string) string { return environment(service)[name] }, Interactive: true,
			})

			if got := service.Count(mockserver.OpUpdateConsent) > 0; got != writes || (status == 0) != writes {
				t.Errorf("exit status %d, written %t\n%s", status, got, stderr.String())
			}
			if !writes && service.Count("") > 0 {
				t.Error("requests were sent")
			}
		})
	}
}

func TestDoctor_printsForPeople(t *testing.T) {
	t.Parallel()
	help := run(t, nil, "-help")
	if help.status != 0 || !strings.Contains(help.stdout, "-identity") || !strings.Contains(help.stdout, "Exit status") {
		t.Errorf("exit status %d: %s%s", help.status, help.stdout, help.stderr)
	}

	service := patient(t, mockserver.Dialect{"consent_parameters": "form", "agreement_time": "unix_ms", "path_family": "project"})
	env := environment(service)
	delete(env, "ANALYTICS_ACCOUNT_ID")
	out := run(t, env, "-identity", person, "-write", "-yes", "-day", "2026-01-31")
	if out.status != 1 || out.stderr != "" || strings.Contains(out.stdout, "\x1b") {
		t.Errorf("exit status %d: %s%s", out.status, out.stdout, out.stderr)
	}
	for _, lines := range []string{
		"analytics doctor 1.2.3: one person is read and written\n\nAccess\n  ok       login                    e-mail and password are accepted as json\n",
		"\n\nWriting consent\n  differs  form                     read back as written: parameters as form, agreement_time as unix_ms\n",
		"\n\nFor the provider block\n  org_id and project_id, and no account_id\n  credentials: email and password\n" +
			"  wire {\n    consent {\n      parameters_in = \"form\"\n      time_format   = \"unix_ms\"\n    }\n  }\n\nNot answered\n",
		"  - whether the other path family answers: its variables (ANALYTICS_ORG_ID\n    and ANALYTICS_PROJECT_ID,",
		"\n\ndiffers, exit status 1; ",
	} {
		if !strings.Contains(out.stdout, lines) {
			t.Errorf("it does not print %q: %s", lines, out.stdout)
		}
	}
}

func TestDoctor_saysWhatCannotBeRestored(t *testing.T) {
	t.Parallel()
	service := patient(t, nil)
	out := run(t, environment(service), "-json", "-write", "-yes", "-identity", "new@example.com")
	wantFinding(t, out, "Writing consent", "restored", doctor.Differs, "had no consent record", "refuses all clauses")
	if record, _ := service.Consent(project, "new@example.com"); record.Clauses != [mockserver.Clauses]bool{} || record.UserIPv6 != nil {
		t.Errorf("the record is left as %+v", record)
	}

	service.PutConsent(project, person, mockserver.ConsentRecord{})
	wantFinding(t, wholly(t, service), "Writing consent", "restored", doctor.Differs, "except agreement_time, manual")
}

// TestDoctor_repeatsNoUpdateOverAChoice has the person choose while an update gets lost, which the
// client would repeat. The exploration of the trial has every other course.
func TestDoctor_repeatsNoUpdateOverAChoice(t *testing.T) {
	t.Parallel()
	service := patient(t, nil)
	withdrawn := mockserver.ConsentRecord{AgreementTime: "2026-03-01T08:00:00Z", Manual: new(false)}
	service.Inject(mockserver.Fault{
		Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutBeforeCommit, Then: func() { service.PutConsent(project, person, withdrawn) },
	})

	out := wholly(t, service)
	wantFinding(t, out, "Writing consent", "restored", doctor.Broken, "somebody else", "clause_1_consent = true")
	record, _ := service.Consent(project, person)
	if n := service.Count(mockserver.OpUpdateConsent); n != 1 || record.AgreementTime != withdrawn.AgreementTime {
		t.Errorf("after %d updates, the consent is %+v", n, record)
	}
}
