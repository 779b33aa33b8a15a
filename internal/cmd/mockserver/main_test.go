package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program is a running mock server and what it printed.
type program struct {
	t      *testing.T
	env    map[string]string
	stderr *buffer
	client *http.Client
	stop   func() error
}

// buffer is written by the server's goroutines while the test reads.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func start(t *testing.T, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	printed, stdout := io.Pipe()
	transport := &http.Transport{}
	p := &program{t: t, env: map[string]string{}, stderr: &buffer{}, client: &http.Client{Transport: transport}}

	ended := make(chan error, 1)
	go func() {
		err := run(ctx, args, stdout, p.stderr)
		_ = stdout.CloseWithError(err)
		ended <- err
	}()
	p.stop = sync.OnceValue(func() error {
		transport.CloseIdleConnections()
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = p.stop() })

	text := make([]byte, 4096)
	n, err := printed.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	p.env = evaluated(t, string(text[:n]))

	return p
}

// evaluated returns the variables after a shell has read what the program printed.
func evaluated(t *testing.T, text string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `eval "$1"; env`, "sh", text)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	output, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}

	env := map[string]string{}
	for variable := range strings.Lines(string(output)) {
		if name, value, _ := strings.Cut(strings.TrimSpace(variable), "="); strings.HasPrefix(name, "ANALYTICS_") {
			env[name] = value
		}
	}

	return env
}

// send returns the status and the body of an answer.
func (p *program) send(method, path, body string, header ...string) (int, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.env["ANALYTICS_BASE_URL"]+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}

	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}

	resp, err := p.client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}

	return resp.StatusCode, string(text)
}

func (p *program) logged() []line {
	p.t.Helper()
	var lines []line
	for text := range strings.Lines(p.stderr.String()) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			p.t.Fatalf("%q is no line of JSON: %v", text, err)
		}
		lines = append(lines, l)
	}

	return lines
}

const personPath = "/v1/org/org-demo/project/web/compliance/user/ada%40example.com/consent"

func TestEnvironment_reachesTheService(t *testing.T) {
	t.Parallel()
	p := start(t)
	if status, answer := p.send(http.MethodGet, "/v1/user/self?apiSecretToken="+p.env["ANALYTICS_API_SECRET_KEY"], ""); status != http.StatusOK {
		t.Errorf("%d %s", status, answer)
	}

	delete(p.env, "ANALYTICS_API_SECRET_KEY")
	delete(p.env, "ANALYTICS_BASE_URL")
	if diff := cmp.Diff(map[string]string{"ANALYTICS_ORG_ID": "org-demo", "ANALYTICS_PROJECT_ID": "web"}, p.env); diff != "" {
		t.Error(diff)
	}

	if err := p.stop(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func TestSeed_isServedAndPrinted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "seed.json")
	content := `{"users":[{"email":"o'neil@example.com","password":"it's $HOME & \"more\""}],
		"consents":[{"org_id":"o 1","project_id":"p","identity_id":"u","clause_1_consent":true}]}`
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}

	p := start(t, "-seed", file, "-credentials", "login", "-login-parameters-in", "json")
	want := map[string]string{
		"ANALYTICS_EMAIL": "o'neil@example.com", "ANALYTICS_PASSWORD": `it's $HOME & "more"`,
		"ANALYTICS_ORG_ID": "o 1", "ANALYTICS_PROJECT_ID": "p", "ANALYTICS_BASE_URL": p.env["ANALYTICS_BASE_URL"],
	}
	if diff := cmp.Diff(want, p.env); diff != "" {
		t.Error(diff)
	}

	login, err := json.Marshal(map[string]string{"email": p.env["ANALYTICS_EMAIL"], "password": p.env["ANALYTICS_PASSWORD"]})
	if err != nil {
		t.Fatal(err)
	}
	status, answer := p.send(http.MethodPost, "/v1/auth/login/jwt", string(login), "Content-Type", "application/json")
	var token struct{ Token string }
	if err := json.Unmarshal([]byte(answer), &token); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}

	status, answer = p.send(http.MethodGet, "/v1/org/o%201/project/p/compliance/user/u/consent", "", "Authorization", "bearer "+token.Token)
	if status != http.StatusOK || !strings.Contains(answer, `"clause_1_consent":true`) {
		t.Errorf("%d %s", status, answer)
	}
}

func TestSeed_scopeOfAProfileIsPrinted(t *testing.T) {
	t.Parallel()
	for name, seed := range map[string]string{
		"profile": `{"profiles":[{"org_id":"o","project_id":"p","identity_id":"u","profile":{}}]}`,
		"data":    `{"data":[{"account_id":"a","identity_id":"u","data":{}},{"org_id":"o","project_id":"p","identity_id":"u","data":{}}]}`,
	} {
		file := filepath.Join(t.TempDir(), "seed.json")
		if err := os.WriteFile(file, []byte(seed), 0o600); err != nil {
			t.Fatal(err)
		}
		if p := start(t, "-seed", file); p.env["ANALYTICS_ORG_ID"] != "o" || p.env["ANALYTICS_PROJECT_ID"] != "p" {
			t.Errorf("%s: %v", name, p.env)
		}
	}
}

func TestFulfilmentDelay_isThatOfTheFlag(t *testing.T) {
	t.Parallel()
	for delay, want := range map[string]string{"0s": "[]", "1h": `"status":"pending"`} {
		p := start(t, "-fulfilment-delay", delay)
		key := "?apiSecretToken=" + p.env["ANALYTICS_API_SECRET_KEY"]
		if status, answer := p.send(http.MethodDelete, strings.Replace(personPath, "consent", "all-data", 1)+key, ""); status != http.StatusAccepted {
			t.Errorf("%s: %d %s", delay, status, answer)
		}

		list := "/v1/org/org-demo/project/web/compliance/pending-requests"
		if status, answer := p.send(http.MethodGet, list+key, ""); status != http.StatusOK || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s", delay, status, answer)
		}
	}
}

func TestLog_hasNoValuesPeopleOrCredentials(t *testing.T) {
	t.Parallel()
	p := start(t, "-consent-parameters-in", "form")
	key := p.env["ANALYTICS_API_SECRET_KEY"]
	form := "clause_1_consent=true&clause_2_consent=true&clause_3_consent=true&clause_4_consent=true&clause_5_consent=true&agreement_time=2026-01-15T09%3A30%3A00Z"
	p.send(http.MethodPatch, personPath+"?apiSecretToken="+key, form, "Content-Type", "application/x-www-form-urlencoded")
	p.send(http.MethodGet, strings.Replace(personPath, "ada%40example.com", "demo-mark-7", 1)+"?apiSecretToken="+key, "")
	p.send(http.MethodGet, "/elsewhere/ada%40example.com", "")

	template := "/v1/org/{orgId}/project/{projectId}/compliance/user/{identityId}/consent"
	fields := []string{"agreement_time", "clause_1_consent", "clause_2_consent", "clause_3_consent", "clause_4_consent", "clause_5_consent"}
	want := []line{
		{Seq: 1, Operation: mockserver.OpUpdateConsent, Method: http.MethodPatch, Template: template, Path: template, Status: 200, Fields: fields},
		{
			Seq: 2, Operation: mockserver.OpGetConsent, Method: http.MethodGet, Template: template, Status: 404,
			Path: strings.Replace(template, "{identityId}", "demo-mark-7", 1),
		},
		{Seq: 3, Method: http.MethodGet, Status: 404},
	}

	got := p.logged()
	for i := range got {
		got[i].MS = 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	for _, secret := range []string{key, "ada", "2026-01-15", "org-demo"} {
		if strings.Contains(p.stderr.String(), secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
}

func TestRun_whatCannotBeServedIsAnError(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "seed.json")
	if err := os.WriteFile(broken, []byte(`{"people":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}

	for name, args := range map[string][]string{
		"no such flag":        {"-port", "1"},
		"an argument":         {"now"},
		"no such place":       {"-login-parameters-in", "header"},
		"no such credentials": {"-credentials", "none"},
		"no such file":        {"-seed", filepath.Join(t.TempDir(), "none.json")},
		"unknown name":        {"-seed", broken},
		"no address":          {"-addr", "192.0.2.1:1"},
	} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRun_helpIsNoError(t *testing.T) {
	t.Parallel()
	var help bytes.Buffer
	if err := run(t.Context(), []string{"-h"}, io.Discard, &help); err != nil || !strings.Contains(help.String(), "-consent-parameters-in") {
		t.Errorf("%v\n%s", err, help.String())
	}
}

func TestRun_endsWhereItsOutputIsClosed(t *testing.T) {
	t.Parallel()
	printed, stdout := io.Pipe()
	_ = printed.Close()
	if err := run(t.Context(), nil, stdout, io.Discard); err == nil {
		t.Error("no error")
	}
}
