// SPDX-License-Identifier: MPL-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/doctor/cli"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The people of the tests. Nothing of them may be printed.
const (
	person  = "ada.canary@example.com"
	other   = "grace.canary-4711@example.com"
	name    = "Canary Lovelace"
	address = "2001:db8:cafe:affe:1234:5678:9abc:def0"
)

var (
	project = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}
	account = mockserver.Scope{AccountID: "acc-1"}
)

// held is the consent of the person before the examination.
func held() mockserver.ConsentRecord {
	return mockserver.ConsentRecord{
		Clauses: [mockserver.Clauses]bool{true, false, true, true, false}, UserIPv6: new(address),
		AgreementTime: "2026-02-01T08:00:00.25Z", Manual: new(false),
	}
}

// patient is a service that speaks a dialect, with a person in both path families.
func patient(t *testing.T, dialect mockserver.Dialect, configure ...func(*mockserver.Server)) *mocktest.Instance {
	t.Helper()
	configure = append([]func(*mockserver.Server){func(s *mockserver.Server) {
		s.FulfilmentDelay = time.Hour
		s.ExportRecords = 60
		if err := s.Speak(dialect); err != nil {
			t.Fatal(err)
		}
	}}, configure...)
	service := mocktest.Start(t, configure...)
	if dialect["export_text"] == "broken" {
		service.AllowViolations() // the contract wants UTF-8
	}

	for _, scope := range []mockserver.Scope{project, account} {
		service.PutConsent(scope, person, held())
		service.PutProfile(scope, person, `{"plan":"pro","name":"`+name+`"}`)
		for _, who := range []string{person, other} {
			service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: who, Operation: mockserver.OpDeleteAllData})
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

// run runs the command; with -json, the report is decoded.
func run(t *testing.T, environment map[string]string, args ...string) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := cli.Run(t.Context(), cli.Process{
		Args: append([]string{cli.Name}, args...), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(name string) string { return environment[name] }, Version: "1.2.3",
	})

	out := output{status: status, stdout: stdout.String(), stderr: stderr.String()}
	if strings.HasPrefix(out.stdout, "{") {
		if err := json.Unmarshal(stdout.Bytes(), &out.report); err != nil {
			t.Fatal(err)
		}
	}

	return out
}

// wholly runs all levels.
func wholly(t *testing.T, service *mocktest.Instance) output {
	t.Helper()
	return run(t, environment(service), "-json", "-identity", person, "-write", "-yes")
}

// ignoring finds the advice to ignore what a person has looked at, or to replace bytes.
var ignoring = regexp.MustCompile(`look at it.*?wire\.ignored = \{ (.*?) \}|(not UTF-8).*?wire\.export\.invalid_utf8`)

// whollyAdvised runs all levels, and again as long as the report says what to decide. Nothing
// that this service sends beside a list says that the list is incomplete.
func whollyAdvised(t *testing.T, service *mocktest.Instance) output {
	t.Helper()

	env := environment(service)
	wire := client.Wire{Ignored: map[jsontext.Pointer]string{}}

	for {
		env["ANALYTICS_WIRE"] = encoded(t, wire)
		out := run(t, env, "-json", "-identity", person, "-write", "-yes")
		advised := false
		for _, f := range out.report.Findings {
			found := ignoring.FindStringSubmatch(f.Text)
			if found == nil {
				continue
			}
			if found[2] != "" {
				wire.Export.InvalidUTF8 = client.InvalidReplace
			}
			for _, leaf := range regexp.MustCompile(`"(\S+)" = "(\S+)"`).FindAllStringSubmatch(found[1], -1) {
				wire.Ignored[jsontext.Pointer(leaf[1])] = leaf[2]
			}
			advised = advised || encoded(t, wire) != env["ANALYTICS_WIRE"]
		}
		if !advised {
			return out
		}
	}
}

// encoded returns settings as the variable takes them.
func encoded(t *testing.T, w client.Wire) string {
	t.Helper()
	text, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// alone returns each choice of each question alone, and the default.
func alone() []mockserver.Dialect {
	dialects := []mockserver.Dialect{{}}
	for _, q := range mockserver.Questions {
		for _, c := range q.Choices[1:] {
			dialects = append(dialects, mockserver.Dialect{q.Name: c.Name})
		}
	}
	return dialects
}

// mixed returns a random choice for each question, among those that the provider
// understands.
func mixed(random *rand.Rand) mockserver.Dialect {
	dialect := mockserver.Dialect{}
	for _, q := range mockserver.Questions {
		for {
			c := q.Choices[random.IntN(len(q.Choices))]
			if !c.Foreign {
				dialect[q.Name] = c.Name
				break
			}
		}
	}

	return dialect
}

func TestDoctor_itsSetupWorks(t *testing.T) {
	t.Parallel()
	for _, dialect := range soak.Some(4, alone()) {
		t.Run(dialect.String(), func(t *testing.T) {
			t.Parallel()
			wantSetupWorks(t, dialect)
		})
	}

	for i := range soak.Schedules(4, 1000) {
		seed := soak.Seed(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dialect := mixed(rand.New(rand.NewPCG(seed, 15)))
			t.Log(dialect)
			wantSetupWorks(t, dialect)
		})
	}
}

// wantSetupWorks examines a service that speaks a dialect, and expects that the provider works
// with it once it is configured as the report says, or that the report says that it does not.
func wantSetupWorks(t *testing.T, dialect mockserver.Dialect) {
	t.Helper()
	service := patient(t, dialect)
	out := wholly(t, service)
	if !dialect.Foreign() {
		out = whollyAdvised(t, service)
	}
	for _, secret := range secrets(service) { // the tests of canaries search for every spelling
		if strings.Contains(out.stdout+out.stderr, secret) {
			t.Error("a secret is in the output")
		}
	}

	if dialect.Foreign() {
		service.AllowViolations() // an error that is text is no JSON
		if out.report.ExitStatus == 0 {
			t.Errorf("the provider does not understand this dialect, and the report says that all is ok: %+v", out.report)
		}
		return
	}

	wantRestored(t, service, out.report)
	config, scope := configuration(t, service, out.report.Setup)
	p := prototest.MustStart(t, config)
	wantConsentWorks(t, p, service, scope)
	wantExportWorks(t, p, service, out.report)
	wantReadsWork(t, p)
	if t.Failed() {
		t.Logf("it is configured by %+v", out.report)
	}
}

// wantConsentWorks creates a consent, and expects that it is read back as written.
func wantConsentWorks(t *testing.T, p *prototest.Provider, service *mocktest.Instance, scope mockserver.Scope) {
	t.Helper()
	consent := prototest.Attributes{
		"identity_id": "new.person@example.com", "agreement_time": "2026-03-04T05:06:07Z", "user_ipv6": "2001:db8::7", "manual": true,
		"clause_1_consent": true, "clause_2_consent": false, "clause_3_consent": true, "clause_4_consent": false, "clause_5_consent": false,
	}
	state, diags := p.Create("analytics_consent", consent)
	if len(diags.Errors()) > 0 {
		t.Fatalf("consent cannot be written: %q", diags.Errors())
	}
	p.WantEmptyPlan("analytics_consent", state, consent)

	record, ok := service.Consent(scope, "new.person@example.com")
	if !ok || record.Clauses != [mockserver.Clauses]bool{true, false, true, false, false} || record.Manual == nil || !*record.Manual {
		t.Errorf("the service holds another consent: %+v", record)
	}
}

// wantReadsWork expects that a profile is recognised, and whose a pending request is.
func wantReadsWork(t *testing.T, p *prototest.Provider) {
	t.Helper()
	profile, diags := p.ReadData("analytics_profile", prototest.Attributes{"identity_id": person})
	if text, _ := profile["profile"].(string); len(diags.Errors()) > 0 || !strings.Contains(text, `"plan":"pro"`) || strings.Contains(text, "{{") || strings.Count(text, "{") != 1 {
		t.Errorf("the profile is %s: %q", text, diags.Errors())
	}

	pending, diags := p.ReadData("analytics_pending_requests", prototest.Attributes{"identity_id": person})
	if pending["complete"] != true || fmt.Sprint(pending["total"]) != "1" {
		t.Errorf("the pending list is %v: %q %q", pending["counts_by_operation"], diags.Errors(), diags.Warnings())
	}
}

// wantExportWorks reads yesterday, and expects that the kind of each record is known. Values
// of a parameter are never guessed.
func wantExportWorks(t *testing.T, p *prototest.Provider, service *mocktest.Instance, report doctor.Report) {
	t.Helper()
	if f := finding(report, "Export", "shape"); service.Wire.ExportKindValues[0] == "Persons" {
		if !strings.Contains(f.Text, "wire.export.kind_values") {
			t.Errorf("the setting is not named: %+v", f)
		}
		return
	}

	yesterday := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	day, diags := p.ReadData("analytics_export", prototest.Attributes{"utc_date": yesterday, "org_id": project.OrgID, "project_id": project.ProjectID})
	if len(diags.Errors()) > 0 {
		t.Fatalf("the day cannot be exported: %q", diags.Errors())
	}
	if counts := fmt.Sprint(day["counts"]); counts != "map[events:60 persons:1 sessions:3 unknown:0]" {
		t.Errorf("the day counts %s", counts)
	}
}

// configuration returns the provider block that the report advises.
func configuration(t *testing.T, service *mocktest.Instance, setup doctor.Setup) (prototest.Attributes, mockserver.Scope) {
	t.Helper()
	var wire map[string]any
	if err := json.Unmarshal([]byte(encoded(t, setup.Wire)), &wire); err != nil {
		t.Fatal(err)
	}
	config := prototest.Attributes{"base_url": service.URL, "wire": prototest.Attributes(wire)}

	switch setup.Credentials {
	case "email and password":
		config["email"], config["password"] = service.Email, service.Password
	case "api_secret_key":
		config["api_secret_key"] = service.SecretKey
	default:
		t.Fatalf("no credentials are advised: %+v", setup)
	}

	if setup.PathFamily == "account" {
		config["account_id"] = account.AccountID
		return config, account
	}
	config["org_id"], config["project_id"] = project.OrgID, project.ProjectID

	return config, project
}

// wantRestored expects that the person's consent is as it was.
func wantRestored(t *testing.T, service *mocktest.Instance, report doctor.Report) {
	t.Helper()
	for _, scope := range []mockserver.Scope{project, account} {
		record, _ := service.Consent(scope, person)
		before := held()
		if record.Clauses != before.Clauses || *record.UserIPv6 != *before.UserIPv6 || *record.Manual != *before.Manual {
			t.Errorf("the consent is not restored: %+v", record)
		}
	}
	if f := finding(report, "Writing consent", "restored"); f.Word != doctor.OK && f.Word != doctor.Differs {
		t.Errorf("the report says of the restoration: %+v", f)
	}

	for _, operation := range []string{mockserver.OpDeleteAllData, mockserver.OpGetAllData, mockserver.OpUpdateProfile} {
		if service.Count(operation) > 0 {
			t.Errorf("the queueing call %s was sent", operation)
		}
	}
}

// finding returns a finding of the report; the zero Finding if it has none.
func finding(report doctor.Report, group, check string) doctor.Finding {
	for _, f := range report.Findings {
		if f.Group == group && f.Check == check {
			return f
		}
	}
	return doctor.Finding{}
}
