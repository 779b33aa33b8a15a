// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

const user = "analytics_current_user"

var good = prototest.Attributes{"base_url": "https://analytics.example.com", "api_secret_key": "k"}

func TestProvider_badSettingsAreRefusedAtTheirAttribute(t *testing.T) {
	t.Parallel()
	type settings = prototest.Attributes
	for _, tc := range []struct {
		config           settings
		attribute, words string
	}{
		{settings{"base_url": nil}, "base_url", "There is no default host"},
		{settings{"base_url": "https://canary:canary@h.example.com"}, "base_url", "user information"},
		{settings{"api_secret_key": nil}, "email", "no credentials are given"},
		{settings{"token": "canary"}, "token", "excludes the other credentials"},
		{settings{"api_secret_key": nil, "token": "canary", "email": "a@example.com", "password": "canary"}, "token", "excludes the other credentials"},
		{settings{"email": "canary"}, "api_secret_key", "excludes the other credentials"},
		{settings{"api_secret_key": nil, "password": "canary"}, "email", "is missing or blank"},
		{settings{"api_secret_key": nil, "email": "a@example.com"}, "password", "is missing or blank"},
		{settings{"api_secret_key": "canary\n"}, "api_secret_key", "control character"},
		{settings{"api_secret_key": nil, "token": "bearer canary"}, "token", "contains a space"},
		{settings{"api_secret_key": nil, "email": "can\u200bary", "password": "canary"}, "email", "cannot be seen, U+200B at byte 3"},
		{settings{"org_id": "o"}, "org_id", "must be configured together"},
		{settings{"org_id": "o", "project_id": "p", "account_id": "a"}, "account_id", "cannot be configured together"},
		{settings{"org_id": "o", "project_id": "can\u200bary"}, "project_id", "cannot be seen, U+200B at byte 3"},
		{settings{"account_id": ".."}, "account_id", "change the path"},
		{settings{"max_concurrency": 1.5}, "max_concurrency", "whole number from 1 to 256"},
		{settings{"max_retries": 100}, "max_retries", "whole number from 0 to 10"},
		{settings{"requests_per_second": 0}, "requests_per_second", "number from 0.01 to 10000"},
		{settings{"request_timeout": "canary"}, "request_timeout", "from 1s to 10m0s"},
		{settings{"ca_cert_file": "/canary/missing.pem"}, "ca_cert_file", "cannot be read"},
		{settings{"headers": settings{"Authorization": "canary"}}, "headers", "must not contain Authorization"},
		{settings{"headers": settings{"x-idempotency-key": "canary"}}, "headers", "must not contain X-Idempotency-Key"},
		{settings{"headers": settings{"Idempotency-Key": "canary"}}, "headers", "must not contain Idempotency-Key"},
		{settings{"headers": settings{"HOST": "canary"}}, "headers", "must not contain Host"},
		{settings{"headers": settings{"X Y": "canary"}}, "headers", "is not a header name"},
		{settings{"headers": settings{"X-Y": "canary\r\nX-Z: 1"}}, "headers", "cannot carry"},
		{wire("login", "parameters_in", "canary"), "parameters_in", "wire.login.parameters_in must be one of"},
		{settings{"wire": settings{"lag": "11m"}}, "lag", "must be a duration"},
		{settings{"wire": settings{"lag": "11m", "consent": settings{"at": "canary"}}}, "lag", "wire.lag must be a duration"},
		{wire("pending", "statuses", settings{"ended": []any{""}}), "statuses", "holds an empty word"},
		{wire("consent", "at", "canary"), "at", "must be a JSON Pointer"},
	} {
		_, diags := prototest.Start(t, good.With(tc.config), nil)
		prototest.WantText(t, diags.Errors(), tc.words, `AttributeName("`+tc.attribute+`")`)
		if strings.Contains(strings.Join(diags.Errors(), ""), "canary") {
			t.Errorf("%s: the value is repeated: %s", tc.attribute, diags.Errors())
		}
	}
}

// TestProvider_validateReadsTheBlockAlone has what the environment may add, and what it cannot mend.
func TestProvider_validateReadsTheBlockAlone(t *testing.T) {
	t.Parallel()
	environment := map[string]string{"ANALYTICS_MAX_RETRIES": "unread"}
	for _, config := range []prototest.Attributes{{}, {"base_url": prototest.Unknown, "token": prototest.Unknown, "org_id": prototest.Unknown}} {
		if _, diags := prototest.Validate(t, config, environment); len(diags) > 0 {
			t.Errorf("%v: %v", config, diags)
		}
	}
	_, diags := prototest.Validate(t, prototest.Attributes{"email": "a@example.com"}, environment)
	prototest.WantText(t, diags.Errors(), "is missing or blank")
}

// wire returns the block wire with one setting of a group.
func wire(group, name string, value any) prototest.Attributes {
	return prototest.Attributes{"wire": prototest.Attributes{group: prototest.Attributes{name: value}}}
}

// TestReadEnvironment_everySetting reads what doctor reads, and what a provider block without
// attributes takes.
func TestReadEnvironment_everySetting(t *testing.T) {
	t.Parallel()
	environment := map[string]string{
		"BASE_URL": "https://h.example.com/", "EMAIL": "a@example.com", "PASSWORD": "p", "TOKEN": "t", "API_SECRET_KEY": "k",
		"ORG_ID": "o", "PROJECT_ID": "p", "ACCOUNT_ID": "a", "HEADERS": `{"X-Gateway":"g 1"}`, "READ_ONLY": "true",
		"MAX_CONCURRENCY": "3", "MAX_RETRIES": "0", "REQUESTS_PER_SECOND": "0.5", "REQUEST_TIMEOUT": "9s",
	}
	want := client.Config{BaseURL: "https://h.example.com/", Config: transport.Config{
		Credentials: transport.Credentials{Email: "a@example.com", Password: "p", Token: "t", APISecretKey: "k"},
		Headers:     map[string]string{"X-Gateway": "g 1"}, ReadOnly: true, MaxConcurrency: 3, RequestsPerSecond: 0.5, RequestTimeout: 9 * time.Second,
		UserAgent: "terraform-provider-analytics/1.2.3",
	}}
	environment["WIRE"], want.Wire.Lag = `{"lag":"9s"}`, "9s"

	got, scope, problems := provider.ReadEnvironment("1.2.3", func(name string) string { return environment[strings.TrimPrefix(name, "ANALYTICS_")] })
	if diff := gocmp.Diff(want, got, cmpopts.IgnoreFields(transport.Config{}, "DialContext"), cmpopts.IgnoreFields(client.Config{}, "Now")); diff != "" || len(problems) > 0 {
		t.Errorf("%v (-want +got):\n%s", problems, diff)
	}
	if (scope != client.Scope{OrgID: "o", ProjectID: "p", AccountID: "a"}) {
		t.Errorf("the scope is %v", scope)
	}
	environment = map[string]string{"ANALYTICS_WIRE": `{"lag":"canary"}`}
	_, _, problems = provider.ReadEnvironment("", func(name string) string { return environment[name] })
	if len(problems) != 2 || !strings.HasPrefix(problems[0], "No base_url: ") || !strings.Contains(problems[1], "wire.lag must be a duration") {
		t.Errorf("the problems are %q", problems)
	}
}

func TestProvider_unusableVariablesAreNamedAndNotRepeated(t *testing.T) {
	t.Parallel()
	successors := map[string]string{"ANALYTICS_WIRE_PENDING_LIST": "it is wire.pending.use now", "ANALYTICS_WIRE_ALL_DATA_MEMBER": "it is wire.all_data.at now"}
	for variable, value := range map[string]string{
		"ANALYTICS_MAX_CONCURRENCY": "canary", "ANALYTICS_MAX_RETRIES": "100", "ANALYTICS_REQUESTS_PER_SECOND": "NaN", "ANALYTICS_REQUEST_TIMEOUT": "canary",
		"ANALYTICS_READ_ONLY": "null", "ANALYTICS_HEADERS": "canary", "ANALYTICS_CA_CERT_FILE": "/canary", "ANALYTICS_WIRE": `{canary`,
		"ANALYTICS_API_SECRET_KEY": "canary\n", "ANALYTICS_ORG_ID": "canary\n", "ANALYTICS_WIRE_PENDING_LIST": "canary", "ANALYTICS_WIRE_ALL_DATA_MEMBER": "canary",
	} {
		environment := map[string]string{"ANALYTICS_BASE_URL": "https://h.example.com", "ANALYTICS_API_SECRET_KEY": "k", variable: value}
		_, diags := prototest.Start(t, nil, environment)
		prototest.WantText(t, diags.Errors(), "The environment variable "+variable, successors[variable])
		if strings.Contains(strings.Join(diags.Errors(), ""), "canary") {
			t.Errorf("%s: %q", variable, diags.Errors())
		}
	}
}

func TestProvider_blockWinsOverTheEnvironment(t *testing.T) {
	t.Parallel()
	environment := map[string]string{
		"ANALYTICS_BASE_URL": "https://elsewhere.example.com", "ANALYTICS_TOKEN": "wrong", "ANALYTICS_ACCOUNT_ID": "wrong", "ANALYTICS_WIRE": `{"lag":"9s"}`,
	}
	var cfg client.Config
	for lag, block := range map[string]prototest.Attributes{"9s": {}, "": {"wire": prototest.Attributes{"envelope": "/d", "lag": nil}}} {
		_, diags := prototest.Start(t, good.With(block), environment, func(of *client.Config) { cfg = *of })
		if len(diags) > 0 || cfg.BaseURL != good["base_url"] || cfg.Credentials != (transport.Credentials{APISecretKey: "k"}) || cfg.Wire.Lag != lag {
			t.Errorf("with %v, the settings are %+v, and it says %v", block, cfg, diags.Errors())
		}
	}

	_, diags := prototest.Start(t, prototest.Attributes{"email": "a@example.com"}, map[string]string{"ANALYTICS_BASE_URL": "https://h.example.com", "ANALYTICS_PASSWORD": "p"})
	prototest.WantText(t, diags.Errors(), "is missing or blank", `AttributeName("password")`)
}

func TestProvider_unknownSettingsAreFineUntilTheServiceIsNeeded(t *testing.T) {
	t.Parallel()
	type settings = prototest.Attributes
	inAccount := good.With(settings{"account_id": "a"})
	unknown := map[string]settings{
		"password":              {"base_url": "https://h.example.com", "email": "a@example.com", "password": prototest.Unknown, "account_id": "a"},
		"org_id":                good.With(settings{"org_id": prototest.Unknown, "project_id": "p"}),
		"account_id":            good.With(settings{"account_id": prototest.Unknown}),
		"token, beside another": {"base_url": "https://h.example.com", "api_secret_key": prototest.Unknown, "token": prototest.Unknown, "account_id": "a"},
		"headers, one of them":  inAccount.With(settings{"headers": settings{"X-A": prototest.Unknown}}),
		"wire, one of it":       inAccount.With(wire("login", "parameters_in", prototest.Unknown)),
	}
	for _, name := range []string{"base_url", "api_secret_key", "max_concurrency", "read_only", "wire"} {
		unknown[name] = inAccount.With(settings{name: prototest.Unknown})
	}

	for attribute, config := range unknown {
		p := prototest.MustStart(t, config)
		plan, _ := p.MustPlan(consentName, nil, consentOf("user-1001"))
		state, diags := p.Apply(t.Context(), consentName, nil, plan)
		if state != nil {
			t.Errorf("%s: something was created", attribute)
		}
		prototest.WantText(t, diags.Errors(), "Provider configuration not known yet", strings.Split(attribute, ",")[0], "-target")
	}

	invoked := prototest.MustStart(t, unknown["base_url"]).Invoke("analytics_delete_data", settings{"identity_id": "user-1001"})
	prototest.WantText(t, invoked.Errors(), "Provider configuration not known yet", "base_url")
}

func TestProvider_certificatesOfAPrivateAuthority(t *testing.T) {
	t.Parallel()
	service := mocktest.StartTLS(t, nil)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, service.CAPEM, 0o600); err != nil {
		t.Fatal(err)
	}

	settings := prototest.Config(service)
	_, diags := prototest.MustStart(t, settings).ReadData(user, prototest.Attributes{})
	prototest.WantText(t, diags.Errors(), "TLS verification failed", "ca_cert_file")
	p := prototest.MustStart(t, settings.With(prototest.Attributes{"ca_cert_file": file}))
	_, diags = p.ReadData(user, prototest.Attributes{})
	p.NoErrors(diags)
	_, diags = prototest.Start(t, settings.With(prototest.Attributes{"ca_cert_file": "configure_test.go"}), nil)
	prototest.WantText(t, diags.Errors(), "holds no certificate")
}

func TestProvider_warnsOfAWrongClockOnce(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t, func(s *mockserver.Server) {
		s.Now = func() time.Time { return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) }
	})
	p := prototest.MustStart(t, prototest.Config(service))
	if n := service.Connections(); n != 0 {
		t.Errorf("%d connections before anything is asked", n)
	}

	_, diags := p.ReadData(user, prototest.Attributes{})
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "Noticed while talking to the service", "clock")
	if _, diags = p.ReadData(user, prototest.Attributes{}); len(diags) != 0 {
		t.Errorf("again: %v", diags.Warnings())
	}
	list := prototest.ListRequest{Config: prototest.Attributes{"identity_ids": []any{"user-1"}}}
	_, diags = prototest.MustStart(t, prototest.Config(service)).List(t.Context(), consentName, list)
	prototest.WantText(t, diags.Warnings(), "Noticed while talking to the service", "clock")

	for _, r := range service.Requests() {
		if agent := r.Header.Get("User-Agent"); agent != "Terraform/1.11.4 (+https://www.terraform.io) terraform-provider-analytics/test" {
			t.Errorf("%s comes from %s", r.Operation, agent)
		}
	}
}

// TestWire_blockAndVariableAreTheSameSettings gives every setting of the schema a value, and expects
// each in the configuration of the client.
func TestWire_blockAndVariableAreTheSameSettings(t *testing.T) {
	t.Parallel()
	byKind := map[string]any{"persons": "/p"}
	words := map[string]any{"persons": []any{"p"}}
	all := map[string]any{
		"envelope": "/data", "ignored": map[string]any{"/success": "true"}, "lag": "1m", "absent": []any{"204"},
		"result":   map[string]any{"at": "/code", "success": []any{"0"}, "absent": []any{"40400"}},
		"login":    map[string]any{"parameters_in": "form"},
		"consent":  map[string]any{"parameters_in": "query", "at": "/c", "omits_false": true, "time_format": "utc", "time_answered": "unix_s", "time_kept": "day", "altered": []any{"manual"}},
		"profile":  map[string]any{"at": ""},
		"all_data": map[string]any{"at": "/d", "media_type": "text/csv"},
		"pending": map[string]any{
			"at": "/a", "next": "/n", "total": "/t", "use": "partial", "empty": true, "identity": "/i", "id": "/d", "type": "/y", "status": "/s", "created": "/c",
			"types": map[string]any{"data_access": []any{"x"}}, "statuses": map[string]any{"done": []any{"x"}},
		},
		"export": map[string]any{
			"kind_parameter": "k", "kind_values": map[string]any{"persons": "P"}, "at": byKind, "kind": "/k", "kinds": words, "record": byKind,
			"next": "/n", "total": "/t", "lines": true, "empty": true, "invalid_utf8": "replace",
		},
	}
	var ofBlock client.Config
	p := prototest.MustStart(t, good.With(prototest.Attributes{"wire": prototest.Attributes(all)}), func(cfg *client.Config) { ofBlock = *cfg })

	encoded, _ := json.Marshal(all)
	environment := map[string]string{"ANALYTICS_BASE_URL": "https://h.example.com", "ANALYTICS_WIRE": string(encoded)}
	ofVariable, _, problems := provider.ReadEnvironment("", func(name string) string { return environment[name] })
	if diff := gocmp.Diff(ofBlock.Wire, ofVariable.Wire); diff != "" || len(problems) > 0 {
		t.Errorf("%v: %s", problems, diff)
	}

	var got any
	again, _ := json.Marshal(ofBlock.Wire)
	_ = json.Unmarshal(again, &got)
	if diff := gocmp.Diff(any(all), got); diff != "" {
		t.Errorf("the settings are others: %s", diff)
	}

	// Every setting of the schema has a value above.
	wantEach(t, p.Schemas.Provider.Block.BlockTypes[0].Block, all)
}

// wantEach fails the test where a setting of a block has no value.
func wantEach(t *testing.T, block *tfprotov6.SchemaBlock, values map[string]any) {
	t.Helper()
	for _, attribute := range block.Attributes {
		if values[attribute.Name] == nil {
			t.Errorf("the test gives no value to %s", attribute.Name)
		}
	}
	for _, inner := range block.BlockTypes {
		members, _ := values[inner.TypeName].(map[string]any)
		wantEach(t, inner.Block, members)
	}
}
