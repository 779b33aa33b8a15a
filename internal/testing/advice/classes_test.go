// SPDX-License-Identifier: MPL-2.0

package advice_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// answered is a fault that answers one request of an operation.
func answered(operation string, status int, text string) func(*stage) {
	return inject(mockserver.Fault{Operation: operation, Status: status, Body: []byte(text)})
}

const html = "<html><body>Please log in</body></html>"

// served is a situation in which base_url is that of another server.
func served(answer http.HandlerFunc) func(*stage) {
	return func(s *stage) {
		other := httptest.NewServer(answer)
		s.t.Cleanup(other.Close)
		s.Setenv("ANALYTICS_BASE_URL", other.URL)
	}
}

// redirecting is a situation in which base_url is that of a server which redirects to the service.
func redirecting(s *stage) {
	served(http.RedirectHandler(s.service.URL+"/v1", http.StatusMovedPermanently).ServeHTTP)(s)
}

// aList answers every request with a list.
func aList(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte("[1]"))
}

// toLogin has e-mail and password in place of the secret key.
func toLogin(s *stage) {
	s.Setenv("ANALYTICS_API_SECRET_KEY", "")
	s.Setenv("ANALYTICS_EMAIL", s.service.Email)
	s.Setenv("ANALYTICS_PASSWORD", s.service.Password)
}

// withPlain404 answers as the service does, and says in a text that there is nothing.
func withPlain404(s *stage) http.HandlerFunc {
	behind, err := url.Parse(s.service.URL)
	if err != nil {
		s.t.Fatal(err)
	}

	proxy := httputil.NewSingleHostReverseProxy(behind)
	proxy.ModifyResponse = func(resp *http.Response) error {
		if resp.StatusCode == http.StatusNotFound {
			resp.Body.Close()
			resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader("Not Found")), -1
			resp.Header = http.Header{"Content-Type": {"text/plain"}}
		}
		return nil
	}

	return proxy.ServeHTTP
}

func toKey(s *stage) { s.Setenv("ANALYTICS_API_SECRET_KEY", s.service.SecretKey) }

func toService(s *stage) { s.Setenv("ANALYTICS_BASE_URL", s.service.URL) }

func httpsOf(s *stage) {
	s.Setenv("ANALYTICS_BASE_URL", strings.Replace(s.service.URL, "http://", "https://", 1))
}

// failures are the advices for errors of the client, by the beginning of the text.
var failures = map[string]play{
	"if writing is intended, remove read_only": {
		situation: set("ANALYTICS_READ_ONLY", "true"), follow: set("ANALYTICS_READ_ONLY", "false"),
	},
	"check base_url, the network and proxy settings": {
		situation: set("ANALYTICS_BASE_URL", "http://127.0.0.1:1"), follow: toService,
	},
	"run again. If the service is known to be slow": {
		situation: applied(set("ANALYTICS_REQUEST_TIMEOUT", "1s"), inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Hang: true})),
	},
	"run again. If it happens again, look for a proxy or load balancer": {
		situation: applied(inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Cut: mockserver.CutBeforeCommit})),
	},
	"check that base_url names the right host": {situation: httpsOf, follow: toService},
	"set base_url to the final address":        {situation: redirecting, follow: toService},
	"check base_url. The provider reads a JSON Web Token from": {
		situation: inOrder(toLogin, answered(mockserver.OpLogin, http.StatusOK, `{"hello":"world"}`)),
		follow:    inOrder(set("ANALYTICS_EMAIL", ""), set("ANALYTICS_PASSWORD", ""), toKey),
	},
	"check base_url. The answer must be a JSON object": {
		configuration: block("data", "current_user", "x"), situation: served(aList), follow: toService,
	},
	"check the credentials of the provider block": {
		situation: set("ANALYTICS_API_SECRET_KEY", "wrong-key-0123456789"), follow: toKey,
	},
	"ask an administrator of the project": {situation: answered(mockserver.OpUpdateConsent, http.StatusForbidden, `{"error":{"code":"role"}}`)},
	"check identity_id and the scope": {
		configuration: consent("x") + block("data", "consent", "other", `identity_id = "nobody"`, "depends_on = [analytics_consent.x]"),
		follow:        configure(consent("x") + block("data", "consent", "other", `identity_id = "ann"`, "depends_on = [analytics_consent.x]")),
	},
	"correct what the service names": {
		configuration: consent("x", `agreement_time = "2020-01-31T12:00:00Z"`),
		situation:     answered(mockserver.OpUpdateConsent, http.StatusBadRequest, `{"error":{"fields":{"agreement_time":"too early"}}}`),
		follow:        configure(consent("x", `agreement_time = "2021-01-31T12:00:00Z"`)),
	},
	"apply again: the plan reads what the service holds now": {situation: answered(mockserver.OpUpdateConsent, http.StatusConflict, `{"error":{"code":"changed"}}`)},
	"wait, then run again; lower max_concurrency": {
		situation: inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: http.StatusTooManyRequests, Body: []byte(`{}`), Header: http.Header{"Retry-After": {"0"}}}),
		follow:    set("ANALYTICS_MAX_CONCURRENCY", "2"),
	},
	"run again later. If the failure persists, tell the operator":   {situation: applied(answered(mockserver.OpGetConsent, http.StatusInternalServerError, `{}`))},
	"check base_url; a login portal, a proxy or a maintenance page": {situation: applied(inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte(html), Header: http.Header{"Content-Type": {"text/html"}}}))},
	"run again. If the failure persists, the service or a proxy": {
		configuration: block("data", "pending_requests", "x"),
		situation:     answered(mockserver.OpListPendingRequests, http.StatusOK, ""),
	},
	"exclude the paths of the service from the cache":                {situation: applied(inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Header: http.Header{"Age": {"45"}}}))},
	"run again. If the failure persists, look for a proxy that cuts": {situation: applied(answered(mockserver.OpGetConsent, http.StatusOK, `{"clause_1_consent":`))},
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
		situation:     func(s *stage) { served(withPlain404(s))(s) },
		follow:        set("ANALYTICS_WIRE", `{"absent":["json_404","any_404"]}`),
	},
	"check base_url (without /v1), and whether the other path family": {
		configuration: block("data", "current_user", "x"), situation: served(http.NotFound), follow: toService,
	},
	"make the value of that attribute smaller, or ask the operator of": {
		configuration: object("profile", "x", `profile = jsonencode({ plan = "gold and more" })`),
		situation:     answered(mockserver.OpUpdateProfile, http.StatusRequestEntityTooLarge, `{}`),
		follow:        configure(object("profile", "x", `profile = jsonencode({ plan = "gold" })`)),
	},
	"run again later; for an export, once the day is over": {
		configuration: block("resource", "export_file", "x", `utc_date = "2026-01-31"`, `path = "day.ndjson"`),
		situation:     answered(mockserver.OpExportRecords, http.StatusAccepted, `{}`),
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

// day gives the service one day of records.
func day(s *mockserver.Server) {
	s.PutExport(scope, "2026-01-31", mockserver.ExportDay{Persons: []any{map[string]any{"identityId": "ann"}}})
}
