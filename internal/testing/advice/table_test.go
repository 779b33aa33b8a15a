// SPDX-License-Identifier: MPL-2.0

// Package advice_test holds the test that advices work. An advice is the text after "What to do" in an error
// or a warning. Each row of the tables makes a situation, and does what the advice says.
package advice_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

var scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// stage is a CLI and its service while an advice is followed.
type stage struct {
	*clitest.CLI

	t       *testing.T
	service *mocktest.Instance
}

// play is what happens before the message with the advice, and after it.
type play struct {
	// configuration is the first one; that of one consent if it is empty.
	configuration string
	// service changes the service before it starts.
	service func(*mockserver.Server)
	// situation makes the situation. The message comes with the command says, or else with
	// an apply.
	situation func(*stage)
	says      []string
	// follow does what the advice says, up to the apply at the end.
	follow func(*stage)
	// needs is a feature of the CLI, without which the test is skipped.
	needs acctest.Feature
	// again is how many further requests for one person the advice asks for.
	again int
}

var apply = []string{"apply", "-auto-approve"}

// set returns a step that sets a variable of the environment.
func set(name, value string) func(*stage) { return func(s *stage) { s.Setenv(name, value) } }

// inject returns a step after which a request ends with a fault.
func inject(fault mockserver.Fault) func(*stage) { return func(s *stage) { s.service.Inject(fault) } }

// configure returns a step that replaces the configuration.
func configure(configuration string) func(*stage) {
	return func(s *stage) { s.Configure(configuration) }
}

// reach returns a step that applies another configuration.
func reach(configuration string) func(*stage) {
	return inOrder(configure(configuration), run(apply...))
}

// applied returns the steps after an apply.
func applied(then ...func(*stage)) func(*stage) { return inOrder(run(apply...), inOrder(then...)) }

// inOrder returns the steps in one; one that is nil does nothing.
func inOrder(steps ...func(*stage)) func(*stage) {
	return func(s *stage) {
		for _, step := range steps {
			if step != nil {
				step(s)
			}
		}
	}
}

// run returns a step that runs a command, which must succeed.
func run(command ...string) func(*stage) { return func(s *stage) { s.MustRun(command...) } }

// consent returns a consent of the person ann, with further lines.
func consent(name string, lines ...string) string {
	for i := range mockserver.Clauses {
		lines = append(lines, fmt.Sprintf("clause_%d_consent = true", i+1))
	}
	return object("consent", name, lines...)
}

// object returns a block of a resource about the person ann.
func object(resource, name string, lines ...string) string {
	return block("resource", resource, name, append([]string{`identity_id = "ann"`}, lines...)...)
}

// block returns a block of an object of the provider.
func block(kind, object, name string, lines ...string) string {
	return fmt.Sprintf("\n%s \"analytics_%s\" %q {\n  %s\n}\n", kind, object, name, strings.Join(lines, "\n  "))
}

// TestCLIAdvice_works makes each situation, looks for the advice, follows it, and fails unless an
// apply then succeeds, the plan after it is empty, and the service has accepted no request for a
// person twice.
func TestCLIAdvice_works(t *testing.T) {
	t.Parallel()
	for _, plays := range []map[string]play{failures, deferredRequests, consents, exports, settings, batches, actions, lists, passing()} {
		for advice, p := range plays {
			t.Run(advice, func(t *testing.T) {
				t.Parallel()
				perform(t, advice, p)
			})
		}
	}
}

func perform(t *testing.T, advice string, p play) {
	t.Helper()
	s := &stage{t: t, service: mocktest.Start(t, func(service *mockserver.Server) {
		if p.service != nil {
			p.service(service)
		}
	})}
	s.service.AllowViolations() // many situations are faults
	s.service.PutProfile(scope, "ann", `{"name":"Ann Example"}`)
	s.service.PutExport(scope, "2026-01-31", mockserver.ExportDay{Persons: []any{map[string]any{"identityId": "ann"}}})
	s.CLI = clitest.New(t, cmp.Or(p.configuration, consent("x")), s.service.Environment())
	s.Setenv("ANALYTICS_MAX_RETRIES", "0")
	acctest.PreCheck(s.t, p.needs)

	inOrder(p.situation)(s)
	says := p.says
	if says == nil {
		says = apply
	}
	clitest.WantWords(t, s.Run(says...), "What to do:", advice)

	inOrder(p.follow)(s)
	s.MustRun(apply...)
	clitest.WantWords(t, s.MustRun("plan", "-detailed-exitcode"), "No changes")

	sent := map[string]int{}
	for _, q := range s.service.Queue() {
		about := q.Operation + " of " + q.Identity
		sent[about]++
		if sent[about] > 1+p.again {
			t.Errorf("the service has accepted %s %d times", about, sent[about])
		}
	}
}

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
