package provider_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const user = "analytics_current_user"

var good = acctest.Attributes{"base_url": "https://analytics.example.com", "api_secret_key": "k"}

func TestProvider_badSettingsAreRefusedAtTheirAttribute(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		config    acctest.Attributes
		attribute string
		words     string
	}{
		{acctest.Attributes{"base_url": nil}, "base_url", "There is no default host"},
		{acctest.Attributes{"base_url": ""}, "base_url", "is empty"},
		{acctest.Attributes{"base_url": "analytics.example.com/canary"}, "base_url", "no scheme"},
		{acctest.Attributes{"base_url": "http://analytics.example.com/canary"}, "base_url", "plain http"},
		{acctest.Attributes{"base_url": "https://h.example.com/?canary=1"}, "base_url", "a query"},
		{acctest.Attributes{"base_url": "https://canary:canary@h.example.com"}, "base_url", "user information"},
		{acctest.Attributes{"base_url": "https://h.example.com:0/canary"}, "base_url", "port outside"},
		{acctest.Attributes{"api_secret_key": nil}, "email", "no credentials are given"},
		{acctest.Attributes{"token": "canary"}, "token", "excludes the other credentials"},
		{acctest.Attributes{"email": "a@example.com", "password": "canary"}, "api_secret_key", "excludes the other credentials"},
		{acctest.Attributes{"api_secret_key": nil, "email": "a@example.com"}, "password", "missing beside email"},
		{acctest.Attributes{"api_secret_key": nil, "password": "canary"}, "email", "missing beside password"},
		{acctest.Attributes{"api_secret_key": " "}, "api_secret_key", "is blank"},
		{acctest.Attributes{"api_secret_key": ""}, "api_secret_key", "is blank"},
		{acctest.Attributes{"api_secret_key": "canary\n"}, "api_secret_key", "control character"},
		{acctest.Attributes{"api_secret_key": nil, "token": "bearer canary"}, "token", "contains a space"},
		{acctest.Attributes{"api_secret_key": nil, "token": "canary\x00"}, "token", "control character"},
		{acctest.Attributes{"api_secret_key": nil, "email": "", "password": "canary"}, "email", "is blank"},
		{acctest.Attributes{"org_id": "o"}, "org_id", "needs project_id"},
		{acctest.Attributes{"project_id": "p"}, "org_id", "needs org_id"},
		{acctest.Attributes{"org_id": "o", "project_id": "p", "account_id": "a"}, "account_id", "different path families"},
		{acctest.Attributes{"account_id": ".."}, "account_id", "change the path"},
		{acctest.Attributes{"max_concurrency": 0}, "max_concurrency", "between 1 and 256"},
		{acctest.Attributes{"max_concurrency": -1}, "max_concurrency", "between 1 and 256"},
		{acctest.Attributes{"max_concurrency": 1_000_000_000}, "max_concurrency", "between 1 and 256"},
		{acctest.Attributes{"max_retries": 100}, "max_retries", "between 0 and 10"},
		{acctest.Attributes{"max_retries": -1}, "max_retries", "between 0 and 10"},
		{acctest.Attributes{"requests_per_second": 0}, "requests_per_second", "between"},
		{acctest.Attributes{"requests_per_second": -5}, "requests_per_second", "between"},
		{acctest.Attributes{"request_timeout": "0s"}, "request_timeout", "from 1s to 10m0s"},
		{acctest.Attributes{"request_timeout": "-5m"}, "request_timeout", "from 1s to 10m0s"},
		{acctest.Attributes{"request_timeout": "canary"}, "request_timeout", "from 1s to 10m0s"},
		{acctest.Attributes{"request_timeout": "9999h"}, "request_timeout", "from 1s to 10m0s"},
		{acctest.Attributes{"request_timeout": ""}, "request_timeout", "from 1s to 10m0s"},
		{acctest.Attributes{"ca_cert_file": "/canary/missing.pem"}, "ca_cert_file", "cannot be read"},
		{acctest.Attributes{"headers": acctest.Attributes{"Authorization": "canary"}}, "headers", "must not contain Authorization"},
		{acctest.Attributes{"headers": acctest.Attributes{"X-Y": "canary\n"}}, "headers", "cannot carry"},
		{acctest.Attributes{"headers": acctest.Attributes{"idempotency-key": "canary"}}, "headers", "must not contain Idempotency-Key: one value for all requests"},
		{acctest.Attributes{"headers": acctest.Attributes{"X-IDEMPOTENCY-KEY": "canary"}}, "headers", "must not contain X-Idempotency-Key"},
		{acctest.Attributes{"wire": acctest.Attributes{"login_parameters_in": "body"}}, "login_parameters_in", "one of"},
		{acctest.Attributes{"wire": acctest.Attributes{"agreement_time_format": "iso"}}, "agreement_time_format", "one of"},
	} {
		_, diags := acctest.Start(t, good.With(tc.config), nil)
		acctest.WantText(t, diags.Errors(), tc.words, `AttributeName("`+tc.attribute+`")`)
		for _, text := range diags.Errors() {
			if strings.Contains(text, "canary") {
				t.Errorf("%v: the value is repeated: %s", slices.Sorted(maps.Keys(tc.config)), text)
			}
		}
	}
}

func TestProvider_blockFromTheEnvironment(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t, func(s *mockserver.Server) {
		s.Wire = mockserver.Wire{LoginParametersIn: "form", ConsentParametersIn: "query", AgreementTimeFormat: "unix_ms"}
	})

	p, diags := acctest.Start(t, nil, map[string]string{
		"ANALYTICS_BASE_URL": service.URL + "/", "ANALYTICS_EMAIL": service.Email, "ANALYTICS_PASSWORD": service.Password,
		"ANALYTICS_ACCOUNT_ID": "acct-7", "ANALYTICS_MAX_CONCURRENCY": "3", "ANALYTICS_MAX_RETRIES": "1",
		"ANALYTICS_REQUESTS_PER_SECOND": "500", "ANALYTICS_REQUEST_TIMEOUT": "9s", "ANALYTICS_READ_ONLY": "false",
		"ANALYTICS_HEADERS":                  `{"X-Gateway":"g 1"}`,
		"ANALYTICS_WIRE_LOGIN_PARAMETERS_IN": "form", "ANALYTICS_WIRE_CONSENT_PARAMETERS_IN": "query", "ANALYTICS_WIRE_AGREEMENT_TIME_FORMAT": "unix_ms",
		"TF_APPEND_USER_AGENT": "pipeline/7 \u202e",
	})

	p.NoErrors(diags)
	_, diags = p.Create("analytics_consent", acctest.Attributes{
		"identity_id": "user-1001", "agreement_time": "2026-01-31T12:00:00Z",
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
	})

	p.NoErrors(diags)
	record, ok := service.Consent(mockserver.Scope{AccountID: "acct-7"}, "user-1001")
	if !ok || !record.Clauses[0] {
		t.Error("the consent did not arrive in the account of the environment")
	}

	for _, r := range service.Requests() {
		if r.Header.Get("X-Gateway") != "g 1" || r.Header.Get("User-Agent") != "Terraform/1.11.4 (+https://www.terraform.io) terraform-provider-analytics/test pipeline/7" {
			t.Errorf("%s carries %v", r.Operation, r.Header)
		}
	}
}

func TestProvider_unusableVariablesAreNamedAndNotRepeated(t *testing.T) {
	t.Parallel()
	for variable, value := range map[string]string{
		"ANALYTICS_MAX_CONCURRENCY": "canary", "ANALYTICS_MAX_RETRIES": "100", "ANALYTICS_REQUESTS_PER_SECOND": "NaN", "ANALYTICS_REQUEST_TIMEOUT": "canary",
		"ANALYTICS_READ_ONLY": "canary", "ANALYTICS_HEADERS": "canary", "ANALYTICS_CA_CERT_FILE": "/canary", "ANALYTICS_WIRE_CONSENT_PARAMETERS_IN": "body",
		"ANALYTICS_BASE_URL": "canary", "ANALYTICS_API_SECRET_KEY": "canary\n", "ANALYTICS_ORG_ID": "o",
	} {
		environment := map[string]string{"ANALYTICS_BASE_URL": "https://h.example.com", "ANALYTICS_API_SECRET_KEY": "k", variable: value}
		_, diags := acctest.Start(t, nil, environment)
		if errors := diags.Errors(); len(errors) == 0 || strings.Contains(strings.Join(errors, ""), "canary") {
			t.Errorf("%s: %q", variable, errors)
		}
	}
}

func TestProvider_blockWinsOverTheEnvironment(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	environment := map[string]string{
		"ANALYTICS_BASE_URL": "https://elsewhere.example.com", "ANALYTICS_TOKEN": "wrong", "ANALYTICS_ACCOUNT_ID": "wrong",
	}

	p, diags := acctest.Start(t, acctest.Config(service), environment)
	p.NoErrors(diags)
	_, diags = p.ReadData(user, acctest.Attributes{})
	p.NoErrors(diags)

	_, diags = acctest.Start(t, acctest.Attributes{"base_url": service.URL, "email": service.Email}, map[string]string{"ANALYTICS_PASSWORD": service.Password})
	acctest.WantText(t, diags.Errors(), "missing beside email", `AttributeName("password")`)

	_, diags = acctest.Start(t, good.With(acctest.Attributes{"org_id": "o"}), map[string]string{"ANALYTICS_PROJECT_ID": "p"})
	acctest.WantText(t, diags.Errors(), "needs project_id")
}

func TestProvider_unknownSettingsAreFineUntilTheServiceIsNeeded(t *testing.T) {
	t.Parallel()
	consent := acctest.Attributes{
		"identity_id": "user-1001", "agreement_time": "2026-01-31T12:00:00Z",
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
	}

	for attribute, config := range map[string]acctest.Attributes{
		"base_url":             good.With(acctest.Attributes{"base_url": acctest.Unknown}),
		"api_secret_key":       good.With(acctest.Attributes{"api_secret_key": acctest.Unknown}),
		"password":             {"base_url": "https://h.example.com", "email": "a@example.com", "password": acctest.Unknown},
		"org_id":               good.With(acctest.Attributes{"org_id": acctest.Unknown, "project_id": "p"}),
		"account_id":           good.With(acctest.Attributes{"account_id": acctest.Unknown}),
		"max_concurrency":      good.With(acctest.Attributes{"max_concurrency": acctest.Unknown, "account_id": "a"}),
		"requests_per_second":  good.With(acctest.Attributes{"requests_per_second": acctest.Unknown, "account_id": "a"}),
		"request_timeout":      good.With(acctest.Attributes{"request_timeout": acctest.Unknown, "account_id": "a"}),
		"max_retries":          good.With(acctest.Attributes{"max_retries": acctest.Unknown, "account_id": "a"}),
		"read_only":            good.With(acctest.Attributes{"read_only": acctest.Unknown, "account_id": "a"}),
		"ca_cert_file":         good.With(acctest.Attributes{"ca_cert_file": acctest.Unknown, "account_id": "a"}),
		"headers":              good.With(acctest.Attributes{"headers": acctest.Unknown, "account_id": "a"}),
		"headers, one of them": good.With(acctest.Attributes{"headers": acctest.Attributes{"X-A": acctest.Unknown}, "account_id": "a"}),
		"wire":                 good.With(acctest.Attributes{"wire": acctest.Unknown, "account_id": "a"}),
		"wire_login_parameters_in": good.With(acctest.Attributes{
			"wire": acctest.Attributes{"login_parameters_in": acctest.Unknown}, "account_id": "a",
		}),
	} {
		p, diags := acctest.Start(t, config, nil)
		p.NoErrors(diags)
		plan, diags := p.Plan("analytics_consent", nil, consent)
		p.NoErrors(diags)
		state, diags := p.Apply(t.Context(), "analytics_consent", nil, plan)
		if state != nil {
			t.Errorf("%s: something was created", attribute)
		}

		acctest.WantText(t, diags.Errors(), "Provider configuration not known yet", strings.Split(attribute, ",")[0], "-target")
	}
}

func TestProvider_twoInstancesShareNothing(t *testing.T) {
	t.Parallel()
	first, second := mocktest.Start(t), mocktest.Start(t)
	a, b := acctest.MustStart(t, acctest.Config(first)), acctest.MustStart(t, acctest.Config(second))

	for _, p := range []*acctest.Provider{a, b, a} {
		_, diags := p.ReadData(user, acctest.Attributes{})
		p.NoErrors(diags)
	}

	if first.Count(mockserver.OpLogin) != 1 || second.Count(mockserver.OpLogin) != 1 {
		t.Errorf("%d and %d logins", first.Count(mockserver.OpLogin), second.Count(mockserver.OpLogin))
	}

	tokens := map[string]bool{}
	for _, r := range append(first.Requests(), second.Requests()...) {
		if r.Token != "" {
			tokens[r.Token] = true
		}
	}

	if len(tokens) != 2 {
		t.Errorf("%d tokens were used, want one for each", len(tokens))
	}
}

func TestProvider_configuringSendsNothing(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	acctest.MustStart(t, acctest.Config(service))
	if service.Connections() != 0 {
		t.Errorf("%d connections", service.Connections())
	}
}

func TestProvider_certificatesOfAPrivateAuthority(t *testing.T) {
	t.Parallel()
	service := mocktest.StartTLS(t, mocktest.Valid)
	settings := acctest.Config(service)
	_, diags := acctest.MustStart(t, settings).ReadData(user, acctest.Attributes{})
	acctest.WantText(t, diags.Errors(), "TLS verification failed", "ca_cert_file")
	p := acctest.MustStart(t, settings.With(acctest.Attributes{"ca_cert_file": service.CAFile}))
	_, diags = p.ReadData(user, acctest.Attributes{})
	p.NoErrors(diags)

	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}

	_, diags = acctest.Start(t, settings.With(acctest.Attributes{"ca_cert_file": empty}), nil)
	acctest.WantText(t, diags.Errors(), "holds no certificate")
}

func TestProvider_warnsOfABaseURLWithTheVersion(t *testing.T) {
	t.Parallel()
	_, diags := acctest.Start(t, good.With(acctest.Attributes{"base_url": "https://h.example.com/v1/"}), nil)
	acctest.WantText(t, diags.Warnings(), "base_url ends in /v1")
}

func TestProvider_warnsOfAWrongClockOnce(t *testing.T) {
	t.Parallel()
	clock := mockserver.NewManualClock(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	service := mocktest.Start(t, func(s *mockserver.Server) { s.Clock = clock })
	p := acctest.MustStart(t, acctest.Config(service))
	_, diags := p.ReadData(user, acctest.Attributes{})
	p.NoErrors(diags)
	acctest.WantText(t, diags.Warnings(), "Noticed while talking to the service", "clock")
	if _, diags = p.ReadData(user, acctest.Attributes{}); len(diags) != 0 {
		t.Errorf("again: %v", diags.Warnings())
	}
}

func TestProvider_unknownCredentialsAndScopesAreNoContradictions(t *testing.T) {
	t.Parallel()
	for _, config := range []acctest.Attributes{
		{"base_url": "https://h.example.com", "api_secret_key": acctest.Unknown, "token": acctest.Unknown},
		{"base_url": "https://h.example.com", "api_secret_key": "k", "org_id": acctest.Unknown, "project_id": acctest.Unknown, "account_id": acctest.Unknown},
		{"base_url": "https://h.example.com", "email": acctest.Unknown, "api_secret_key": "k"},
	} {
		p, diags := acctest.Start(t, config, nil)
		p.NoErrors(diags)
	}
}

func TestProvider_limitsOfTheEnvironmentAreInForce(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	environment := map[string]string{"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_API_SECRET_KEY": service.SecretKey, "ANALYTICS_ACCOUNT_ID": "a"}
	consent := acctest.Attributes{
		"identity_id": "user-1001", "clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": true, "clause_4_consent": true, "clause_5_consent": true,
	}

	for name, tc := range map[string]struct {
		value string
		fault mockserver.Fault
		words string
	}{
		"ANALYTICS_READ_ONLY":       {"true", mockserver.Fault{}, "read-only"},
		"ANALYTICS_MAX_RETRIES":     {"0", mockserver.Fault{Status: 429}, "Attempts: 1"},
		"ANALYTICS_REQUEST_TIMEOUT": {"1s", mockserver.Fault{Hang: true, Times: -1}, "request_timeout"},
	} {
		with := maps.Clone(environment)
		with[name] = tc.value
		p, diags := acctest.Start(t, nil, with)
		p.NoErrors(diags)
		tc.fault.Operation, tc.fault.Identity = mockserver.OpUpdateConsent, name
		service.Inject(tc.fault)
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Identity: name, Status: 403, Times: -1})
		_, diags = p.Create("analytics_consent", consent.With(acctest.Attributes{"identity_id": name}))
		acctest.WantText(t, diags.Errors(), tc.words)
	}
}
