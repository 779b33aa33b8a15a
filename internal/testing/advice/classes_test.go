// SPDX-License-Identifier: MPL-2.0

package advice_test

import (
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// answered is a fault that answers one request of an operation.
func answered(operation string, status int, text string) func(*stage) {
	return inject(mockserver.Fault{Operation: operation, Status: status, Body: []byte(text)})
}

// redirecting has a server as base_url that redirects to the service.
func redirecting(s *stage) {
	other := httptest.NewServer(http.RedirectHandler(s.service.URL+"/v1", http.StatusMovedPermanently))
	s.t.Cleanup(other.Close)
	s.Setenv("ANALYTICS_BASE_URL", other.URL)
}

// toLogin has e-mail and password in place of the secret key.
func toLogin(s *stage) {
	s.Setenv("ANALYTICS_API_SECRET_KEY", "")
	s.Setenv("ANALYTICS_EMAIL", s.service.Email)
	s.Setenv("ANALYTICS_PASSWORD", s.service.Password)
}

// plain404 says in a text that there is nothing.
func plain404(s *mockserver.Server) {
	s.Change(func(_ mockserver.Request, a *mockserver.Response) {
		if a.Status == http.StatusNotFound {
			a.Body, a.Header = "Not Found", http.Header{"Content-Type": {"text/plain"}}
		}
	})
}

func toKey(s *stage) { s.Setenv("ANALYTICS_API_SECRET_KEY", s.service.SecretKey) }

func toService(s *stage) { s.Setenv("ANALYTICS_BASE_URL", s.service.URL) }

func httpsOf(s *stage) {
	s.Setenv("ANALYTICS_BASE_URL", strings.Replace(s.service.URL, "http://", "https://", 1))
}

// passing are the advices for faults of one request, after which the same command succeeds.
func passing() map[string]play {
	plays, configurations := map[string]play{}, map[string]string{
		mockserver.OpListPendingRequests: block("data", "pending_requests", "x"), mockserver.OpExportRecords: file("x", aDay, toPath),
	}
	for advice, fault := range map[string]mockserver.Fault{
		"run again. If it happens again, look for a proxy or load balancer": {Operation: mockserver.OpGetConsent, Cut: mockserver.CutBeforeCommit},
		"run again later. If the failure persists, tell the operator":       {Operation: mockserver.OpGetConsent, Status: http.StatusInternalServerError, Body: []byte("{}")},
		"run again. If the failure persists, the service or a proxy":        {Operation: mockserver.OpListPendingRequests, Body: []byte{}},
		"run again later; for an export, once the day is over":              {Operation: mockserver.OpExportRecords, Status: http.StatusAccepted, Body: []byte("{}")},
		"run again. If the failure persists, look for a proxy that cuts":    {Operation: mockserver.OpGetConsent, Body: []byte(`{"clause_1_consent":`)},
		"exclude the paths of the service from the cache":                   {Operation: mockserver.OpGetConsent, Header: http.Header{"Age": {"45"}}},
		"check base_url; a login portal, a proxy or a maintenance page":     {Operation: mockserver.OpGetConsent, Body: []byte("<html>"), Header: http.Header{"Content-Type": {"text/html"}}},
		"ask an administrator of the project":                               {Operation: mockserver.OpUpdateConsent, Status: http.StatusForbidden, Body: []byte(`{"error":{"code":"role"}}`)},
		"apply again: the plan reads what the service holds now":            {Operation: mockserver.OpUpdateConsent, Status: http.StatusConflict, Body: []byte(`{"error":{"code":"changed"}}`)},
	} {
		plays[advice] = play{configuration: configurations[fault.Operation], situation: inject(fault)}
	}

	return plays
}

// failures are the advices for errors of the client, by the beginning of the text.
var failures = map[string]play{
	"if writing is intended, remove read_only": {
		situation: set("ANALYTICS_READ_ONLY", "true"), follow: set("ANALYTICS_READ_ONLY", "false"),
	},
	"check base_url, the network and proxy settings": {
		situation: set("ANALYTICS_BASE_URL", "http://127.0.0.1:1"), follow: toService,
	},
	"run again. If the service is known to be slow, raise request_timeout": {
		situation: inOrder(set("ANALYTICS_REQUEST_TIMEOUT", "1s"), inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Hang: true})),
		follow:    set("ANALYTICS_REQUEST_TIMEOUT", "30s"),
	},
	"check that base_url names the right host": {situation: httpsOf, follow: toService},
	"set base_url to the final address":        {situation: redirecting, follow: toService},
	"check base_url. The provider reads a JSON Web Token from": {
		situation: inOrder(toLogin, answered(mockserver.OpLogin, http.StatusOK, `{"hello":"world"}`)),
		follow:    inOrder(set("ANALYTICS_EMAIL", ""), set("ANALYTICS_PASSWORD", ""), toKey),
	},
	"check base_url. The answer must be a JSON object": {
		configuration: block("data", "current_user", "x"), situation: answered(mockserver.OpGetCurrentUser, http.StatusOK, "[1]"),
	},
	"check the credentials of the provider block": {
		situation: set("ANALYTICS_API_SECRET_KEY", "wrong-key-0123456789"), follow: toKey,
	},
	"check identity_id and the scope": {
		configuration: consent("x") + block("data", "consent", "other", `identity_id = "nobody"`, "depends_on = [analytics_consent.x]"),
		follow:        configure(consent("x") + block("data", "consent", "other", `identity_id = "ann"`, "depends_on = [analytics_consent.x]")),
	},
	"correct what the service names": {
		configuration: consent("x", `agreement_time = "2020-01-31T12:00:00Z"`),
		situation:     answered(mockserver.OpUpdateConsent, http.StatusBadRequest, `{"error":{"fields":{"agreement_time":"too early"}}}`),
		follow:        configure(consent("x", `agreement_time = "2021-01-31T12:00:00Z"`)),
	},
	"wait, then run again; lower max_concurrency": {
		situation: inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: http.StatusTooManyRequests, Body: []byte(`{}`), Header: http.Header{"Retry-After": {"0"}}}),
		follow:    set("ANALYTICS_MAX_CONCURRENCY", "2"),
	},
	"correct what the service names, or ask its operator": {
		configuration: object("profile", "x", `profile = jsonencode({ plan = "gilded" })`),
		situation:     answered(mockserver.OpUpdateProfile, http.StatusUnprocessableEntity, `{"errors":[{"detail":"is no plan","source":{"pointer":"/data/attributes/plan"}}]}`),
		follow:        configure(object("profile", "x", `profile = jsonencode({ plan = "gold" })`)),
	},
	"correct what the service names. A parameter that it wants": {
		configuration: block("resource", "export_file", "x", `utc_date = "2026-01-31"`, `path = "day.ndjson"`),
		service:       func(s *mockserver.Server) { s.Wire.Export.KindParameter = "sort" },
		follow:        set("ANALYTICS_WIRE", `{"export":{"kind_parameter":"sort"}}`),
	},
	"correct email and password": {
		service:   func(s *mockserver.Server) { s.Wire.Login.ParametersIn = mockserver.InForm },
		situation: toLogin,
		follow:    set("ANALYTICS_WIRE", `{"login":{"parameters_in":"form"}}`),
	},
	"if other people can be read, set wire.absent": {
		configuration: consent("x") + object("profile", "x", `profile = jsonencode({ plan = "gold" })`),
		service:       plain404,
		follow:        set("ANALYTICS_WIRE", `{"absent":["json_404","any_404"]}`),
	},
	"check base_url (without /v1), and whether the other path family": {
		configuration: block("data", "current_user", "x"), service: plain404, follow: toService,
		situation: func(s *stage) { s.Setenv("ANALYTICS_BASE_URL", s.service.URL+"/v1") },
	},
	"make the value of that attribute smaller, or ask the operator of": {
		configuration: object("profile", "x", `profile = jsonencode({ plan = "gold and more" })`),
		situation:     answered(mockserver.OpUpdateProfile, http.StatusRequestEntityTooLarge, `{}`),
		follow:        configure(object("profile", "x", `profile = jsonencode({ plan = "gold" })`)),
	},
	"put the proxy's user and password into HTTPS_PROXY": {
		// A proxy is never used for an address of this machine.
		configuration: consent("x"), situation: func(s *stage) {
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
			s.t.Cleanup(proxy.Close)
			s.Setenv("HTTPS_PROXY", proxy.URL)
			s.Setenv("ANALYTICS_BASE_URL", "https://service.example.com")
		},
		follow: inOrder(set("NO_PROXY", "*"), toService),
	},
	"look at analytics_pending_requests before you run again": {
		configuration: object("data_deletion", "x", notAwaited), service: never, situation: losesAnswer(mockserver.CutAfterCommit),
	},
	"run again once the other request is carried out": {
		configuration: object("data_deletion", "x", "wait_for_fulfilment = false"),
		service:       never,
		situation: func(s *stage) {
			s.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: "ann", Operation: mockserver.OpUpdateProfile})
		},
		follow: func(s *stage) { s.service.FulfilAll() },
	},
}

// never keeps every request pending.
func never(s *mockserver.Server) {
	s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{Fate: mockserver.Never} }
}
