// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const user = "analytics_current_user"

var good = prototest.Attributes{"base_url": "https://analytics.example.com", "api_secret_key": "k"}

func TestProvider_badSettingsAreRefusedAtTheirAttribute(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		config    prototest.Attributes
		attribute string
		words     string
	}{
		{prototest.Attributes{"base_url": nil}, "base_url", "There is no default host"},
		{prototest.Attributes{"base_url": ""}, "base_url", "is empty"},
		{prototest.Attributes{"base_url": "http://analytics.example.com/canary"}, "base_url", "plain http"},
		{prototest.Attributes{"base_url": "https://canary:canary@h.example.com"}, "base_url", "user information"},
		{prototest.Attributes{"api_secret_key": nil}, "email", "no credentials are given"},
		{prototest.Attributes{"token": "canary"}, "token", "excludes the other credentials"},
		{prototest.Attributes{"email": "a@example.com", "password": "canary"}, "api_secret_key", "excludes the other credentials"},
		{prototest.Attributes{"api_secret_key": nil, "email": "a@example.com"}, "password", "missing beside email"},
		{prototest.Attributes{"api_secret_key": nil, "password": "canary"}, "email", "missing beside password"},
		{prototest.Attributes{"api_secret_key": " "}, "api_secret_key", "is blank"},
		{prototest.Attributes{"api_secret_key": "canary\n"}, "api_secret_key", "control character"},
		{prototest.Attributes{"api_secret_key": nil, "token": "bearer canary"}, "token", "contains a space"},
		{prototest.Attributes{"api_secret_key": nil, "email": "", "password": "canary"}, "email", "is blank"},
		{prototest.Attributes{"wire": prototest.Attributes{"export_kind_parameter": "utcdate"}}, "wire", "export_kind_parameter"},
		{prototest.Attributes{"org_id": "o"}, "org_id", "needs project_id"},
		{prototest.Attributes{"project_id": "p"}, "org_id", "needs org_id"},
		{prototest.Attributes{"org_id": "o", "project_id": "p", "account_id": "a"}, "account_id", "different path families"},
		{prototest.Attributes{"account_id": ".."}, "account_id", "change the path"},
		{prototest.Attributes{"max_concurrency": 0}, "max_concurrency", "whole number from 1 to 256"},
		{prototest.Attributes{"max_concurrency": 1_000_000_000}, "max_concurrency", "whole number from 1 to 256"},
		{prototest.Attributes{"max_concurrency": 1.5}, "max_concurrency", "whole number from 1 to 256"},
		{prototest.Attributes{"max_retries": 100}, "max_retries", "whole number from 0 to 10"},
		{prototest.Attributes{"max_retries": -1}, "max_retries", "whole number from 0 to 10"},
		{prototest.Attributes{"requests_per_second": 0}, "requests_per_second", "number from 0.01 to 10000"},
		{prototest.Attributes{"request_timeout": "0s"}, "request_timeout", "from 1s to 10m0s"},
		{prototest.Attributes{"request_timeout": "canary"}, "request_timeout", "from 1s to 10m0s"},
		{prototest.Attributes{"request_timeout": "9999h"}, "request_timeout", "from 1s to 10m0s"},
		{prototest.Attributes{"request_timeout": ""}, "request_timeout", "from 1s to 10m0s"},
		{prototest.Attributes{"ca_cert_file": "/canary/missing.pem"}, "ca_cert_file", "cannot be read"},
		{prototest.Attributes{"headers": prototest.Attributes{"Authorization": "canary"}}, "headers", "must not contain Authorization"},
		{prototest.Attributes{"headers": prototest.Attributes{"X-Y": "canary\n"}}, "headers", "cannot carry"},
		{prototest.Attributes{"headers": prototest.Attributes{"idempotency-key": "canary"}}, "headers", "must not contain Idempotency-Key: one value for all requests"},
		{prototest.Attributes{"wire": prototest.Attributes{"login_parameters_in": "body"}}, "login_parameters_in", "one of"},
		{prototest.Attributes{"wire": prototest.Attributes{"pending_list": "complete"}}, "pending_list", "one of"},
		{prototest.Attributes{"wire": prototest.Attributes{"ended_statuses": []any{""}}}, "ended_statuses", "must not be empty"},
		{prototest.Attributes{"wire": prototest.Attributes{"pending_list_lag": "11m"}}, "wire", "wire.pending_list_lag must be a duration"},
		{prototest.Attributes{"wire": prototest.Attributes{"all_data_member": ""}}, "all_data_member", "must not be empty"},
	} {
		_, diags := prototest.Start(t, good.With(tc.config), nil)
		prototest.WantText(t, diags.Errors(), tc.words, `AttributeName("`+tc.attribute+`")`)
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

	p, diags := prototest.Start(t, nil, map[string]string{
		"ANALYTICS_BASE_URL": service.URL + "/", "ANALYTICS_EMAIL": service.Email, "ANALYTICS_PASSWORD": service.Password,
		"ANALYTICS_ACCOUNT_ID": "acct-7", "ANALYTICS_MAX_CONCURRENCY": "3", "ANALYTICS_MAX_RETRIES": "1",
		"ANALYTICS_REQUESTS_PER_SECOND": "500", "ANALYTICS_REQUEST_TIMEOUT": "9s", "ANALYTICS_READ_ONLY": "false",
		"ANALYTICS_HEADERS":                  `{"X-Gateway":"g 1"}`,
		"ANALYTICS_WIRE_LOGIN_PARAMETERS_IN": "form", "ANALYTICS_WIRE_CONSENT_PARAMETERS_IN": "query", "ANALYTICS_WIRE_AGREEMENT_TIME_FORMAT": "unix_ms",
		"TF_APPEND_USER_AGENT": "pipeline/7 \u202e",
	})

	p.NoErrors(diags)
	_, diags = p.Create(consentName, consentOf("user-1001").With(prototest.Attributes{"agreement_time": "2026-01-31T12:00:00Z"}))

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
		"ANALYTICS_READ_ONLY": "canary", "ANALYTICS_HEADERS": "canary", "ANALYTICS_CA_CERT_FILE": "/canary", "ANALYTICS_WIRE_CONSENT_PARAMETERS_IN": "body", "ANALYTICS_WIRE_PENDING_LIST": "canary", "ANALYTICS_WIRE_ENDED_STATUSES": "canary,",
		"ANALYTICS_BASE_URL": "canary", "ANALYTICS_API_SECRET_KEY": "canary\n", "ANALYTICS_ORG_ID": "o",
	} {
		environment := map[string]string{"ANALYTICS_BASE_URL": "https://h.example.com", "ANALYTICS_API_SECRET_KEY": "k", variable: value}
		_, diags := prototest.Start(t, nil, environment)
		if errors := diags.Errors(); len(errors) == 0 || strings.Contains(strings.Join(errors, ""), "canary") {
			t.Errorf("%s: %q", variable, errors)
		}
	}
}

// TestProvider_answersOfAnotherForm takes the settings of wire from the block and from the
// environment, where lists are texts.
func TestProvider_answersOfAnotherForm(t *testing.T) {
	t.Parallel()
	scope := mockserver.Scope{AccountID: "acct-7"}
	for name, tc := range map[string]struct {
		block    any
		statuses string // in the environment
	}{
		"environment": {nil, "closed, simmering"},
		"block": {prototest.Attributes{
			"pending_ignored_members": "links", "profile_member": "traits", "ended_statuses": []any{"closed", "simmering"},
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.FulfilmentDelay = time.Hour
				if err := s.Speak(mockserver.Dialect{"pending_answer": "described", "profile_answer": "own_wrapper", "pending_states": "own_words"}); err != nil {
					t.Fatal(err)
				}
			})
			service.PutProfile(scope, "user-1", `{"plan":"gold"}`)
			service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: "user-1", Operation: mockserver.OpGetAllData})

			environment := map[string]string{
				"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_API_SECRET_KEY": service.SecretKey, "ANALYTICS_ACCOUNT_ID": scope.AccountID,
			}
			if tc.block == nil {
				environment["ANALYTICS_WIRE_PENDING_IGNORED_MEMBERS"], environment["ANALYTICS_WIRE_PROFILE_MEMBER"] = "links", "traits"
				environment["ANALYTICS_WIRE_ENDED_STATUSES"] = tc.statuses
			}
			p, diags := prototest.Start(t, prototest.Attributes{"wire": tc.block}, environment)
			p.NoErrors(diags)

			profile, diags := p.ReadData("analytics_profile", prototest.Attributes{"identity_id": "user-1"})
			p.NoErrors(diags)
			if profile["profile"] != `{"plan":"gold"}` {
				t.Errorf("the profile is %v", profile)
			}
			_, diags = p.Create("analytics_data_deletion", prototest.Attributes{"identity_id": "user-1", "wait_for_fulfilment": false})
			p.NoErrors(diags)
		})
	}
}

func TestProvider_blockWinsOverTheEnvironment(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	environment := map[string]string{
		"ANALYTICS_BASE_URL": "https://elsewhere.example.com", "ANALYTICS_TOKEN": "wrong", "ANALYTICS_ACCOUNT_ID": "wrong",
	}

	p, diags := prototest.Start(t, prototest.Config(service), environment)
	p.NoErrors(diags)
	_, diags = p.ReadData(user, prototest.Attributes{})
	p.NoErrors(diags)

	_, diags = prototest.Start(t, prototest.Attributes{"base_url": service.URL, "email": service.Email}, map[string]string{"ANALYTICS_PASSWORD": service.Password})
	prototest.WantText(t, diags.Errors(), "missing beside email", `AttributeName("password")`)

	_, diags = prototest.Start(t, good.With(prototest.Attributes{"org_id": "o"}), map[string]string{"ANALYTICS_PROJECT_ID": "p"})
	prototest.WantText(t, diags.Errors(), "needs project_id")
}

func TestProvider_unknownSettingsAreFineUntilTheServiceIsNeeded(t *testing.T) {
	t.Parallel()
	unknown := map[string]prototest.Attributes{
		"password":                 {"base_url": "https://h.example.com", "email": "a@example.com", "password": prototest.Unknown},
		"org_id":                   good.With(prototest.Attributes{"org_id": prototest.Unknown, "project_id": "p"}),
		"account_id":               good.With(prototest.Attributes{"account_id": prototest.Unknown}),
		"project_id, all":          good.With(prototest.Attributes{"org_id": prototest.Unknown, "project_id": prototest.Unknown, "account_id": prototest.Unknown}),
		"token, beside another":    {"base_url": "https://h.example.com", "api_secret_key": prototest.Unknown, "token": prototest.Unknown},
		"email, beside a key":      good.With(prototest.Attributes{"email": prototest.Unknown}),
		"headers, one of them":     good.With(prototest.Attributes{"headers": prototest.Attributes{"X-A": prototest.Unknown}, "account_id": "a"}),
		"wire_login_parameters_in": good.With(prototest.Attributes{"wire": prototest.Attributes{"login_parameters_in": prototest.Unknown}, "account_id": "a"}),
	}
	for _, name := range []string{"base_url", "api_secret_key", "max_concurrency", "requests_per_second", "request_timeout", "max_retries", "read_only", "ca_cert_file", "headers", "wire"} {
		unknown[name] = good.With(prototest.Attributes{name: prototest.Unknown, "account_id": "a"})
	}

	for attribute, config := range unknown {
		p, diags := prototest.Start(t, config, nil)
		p.NoErrors(diags)
		plan, diags := p.Plan(consentName, nil, consentOf("user-1001"))
		p.NoErrors(diags)
		state, diags := p.Apply(t.Context(), consentName, nil, plan)
		if state != nil {
			t.Errorf("%s: something was created", attribute)
		}

		prototest.WantText(t, diags.Errors(), "Provider configuration not known yet", strings.Split(attribute, ",")[0], "-target")
	}
}

func TestProvider_twoInstancesShareNothing(t *testing.T) {
	t.Parallel()
	first, second := mocktest.Start(t), mocktest.Start(t)
	a, b := prototest.MustStart(t, prototest.Config(first)), prototest.MustStart(t, prototest.Config(second))
	if n := first.Connections() + second.Connections(); n != 0 {
		t.Errorf("%d connections before anything is asked", n)
	}

	for _, p := range []*prototest.Provider{a, b, a} {
		_, diags := p.ReadData(user, prototest.Attributes{})
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

func TestProvider_certificatesOfAPrivateAuthority(t *testing.T) {
	t.Parallel()
	service := mocktest.StartTLS(t, nil)
	settings := prototest.Config(service)
	_, diags := prototest.MustStart(t, settings).ReadData(user, prototest.Attributes{})
	prototest.WantText(t, diags.Errors(), "TLS verification failed", "ca_cert_file")
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, service.CAPEM, 0o600); err != nil {
		t.Fatal(err)
	}
	p := prototest.MustStart(t, settings.With(prototest.Attributes{"ca_cert_file": file}))
	_, diags = p.ReadData(user, prototest.Attributes{})
	p.NoErrors(diags)

	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}

	_, diags = prototest.Start(t, settings.With(prototest.Attributes{"ca_cert_file": empty}), nil)
	prototest.WantText(t, diags.Errors(), "holds no certificate")
}

func TestProvider_warnsOfABaseURLWithTheVersion(t *testing.T) {
	t.Parallel()
	_, diags := prototest.Start(t, good.With(prototest.Attributes{"base_url": "https://h.example.com/v1/"}), nil)
	prototest.WantText(t, diags.Warnings(), "base_url ends in /v1")
}

func TestProvider_warnsOfAWrongClockOnce(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t, func(s *mockserver.Server) {
		s.Now = func() time.Time { return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) }
	})
	p := prototest.MustStart(t, prototest.Config(service))
	_, diags := p.ReadData(user, prototest.Attributes{})
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "Noticed while talking to the service", "clock")
	if _, diags = p.ReadData(user, prototest.Attributes{}); len(diags) != 0 {
		t.Errorf("again: %v", diags.Warnings())
	}
}

func TestProvider_limitsOfTheEnvironmentAreInForce(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	environment := map[string]string{"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_API_SECRET_KEY": service.SecretKey, "ANALYTICS_ACCOUNT_ID": "a"}

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
		p, diags := prototest.Start(t, nil, with)
		p.NoErrors(diags)
		tc.fault.Operation, tc.fault.Identity = mockserver.OpUpdateConsent, name
		service.Inject(tc.fault)
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Identity: name, Status: 403, Times: -1})
		_, diags = p.Create(consentName, consentOf(name))
		prototest.WantText(t, diags.Errors(), tc.words)
	}
}
