// SPDX-License-Identifier: MPL-2.0

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	stderr bytes.Buffer // of requests that are answered
	stop   func() int   // interrupts the program and returns its exit status
}

func start(t *testing.T, args ...string) *program {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	printed, stdout := io.Pipe()
	p := &program{t: t}

	ended := make(chan int, 1)
	go func() {
		status := Run(ctx, Process{Args: append([]string{Name}, args...), Stdout: stdout, Stderr: &p.stderr})
		_ = stdout.Close()
		ended <- status
	}()
	p.stop = sync.OnceValue(func() int {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = p.stop() })

	text := make([]byte, 4096)
	n, err := printed.Read(text)
	if err != nil {
		t.Fatal(err, p.stop(), p.stderr.String())
	}
	p.env = evaluated(t, string(text[:n]))

	return p
}

// evaluated returns the variables after a shell has read what the program printed.
func evaluated(t *testing.T, text string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `eval "$1"; env`, "sh", text)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "ANALYTICS_TOKEN=of-another-service", "ANALYTICS_ACCOUNT_ID=of-another-service"}
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

// send returns the status and the body of an answer, separated by a space. The header is an Authorization.
func (p *program) send(method, path, body, authorization string) string {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.env["ANALYTICS_BASE_URL"]+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}

	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}

	return fmt.Sprintf("%d %s", resp.StatusCode, text)
}

func writeSeed(t *testing.T, content string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "seed.json")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const personPath = "/v1/org/org-demo/project/web/compliance/user/ada%40example.com"

func TestSeed_isServedAndPrinted(t *testing.T) {
	t.Parallel()
	content := `{"users":[{"email":"o'neil@example.com","password":"it's $HOME & \"more\""}],
		"consents":[{"org_id":"o 1","project_id":"p","identity_id":"u","clause_1_consent":true}]}`
	p := start(t, "-seed", writeSeed(t, content), "-credentials", "login")
	want := map[string]string{
		"ANALYTICS_EMAIL": "o'neil@example.com", "ANALYTICS_PASSWORD": `it's $HOME & "more"`,
		"ANALYTICS_ORG_ID": "o 1", "ANALYTICS_PROJECT_ID": "p", "ANALYTICS_BASE_URL": p.env["ANALYTICS_BASE_URL"],
	}
	if diff := cmp.Diff(want, p.env); diff != "" {
		t.Error(diff)
	}

	got := p.send(http.MethodPost, "/v1/auth/login/jwt", `{"email":"o'neil@example.com","password":"it's $HOME & \"more\""}`, "")
	token := strings.TrimSuffix(strings.TrimPrefix(got, `200 {"token":"`), `"}`)
	got = p.send(http.MethodGet, "/v1/org/o%201/project/p/compliance/user/u/consent", "", "bearer "+token)
	if !strings.HasPrefix(got, "200 ") || !strings.Contains(got, `"clause_1_consent":true`) {
		t.Error(got)
	}
	if status, log := p.stop(), p.stderr.String(); status != 0 || !strings.HasPrefix(log, "1 login POST ") || strings.Count(log, "\n") != 2 {
		t.Errorf("it ended with %d, and the log is %q", status, log)
	}
}

func TestSeed_firstProjectOrAccountIsPrinted(t *testing.T) {
	t.Parallel()
	const export = `{"org_id":"o","project_id":"p","utc_date":"2026-01-01"}`
	for content, want := range map[string]string{
		`{}`:                           "ANALYTICS_ORG_ID=org-demo ANALYTICS_PROJECT_ID=web",
		`{"exports":[` + export + `]}`: "ANALYTICS_ORG_ID=o ANALYTICS_PROJECT_ID=p",
		`{"exports":[` + export + `],"consents":[{"account_id":"a","identity_id":"u"}]}`: "ANALYTICS_ACCOUNT_ID=a",
	} {
		seed, err := mockserver.ReadSeed([]byte(content))
		got := strings.Join(environmentOf(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}, reachable(seed), "key")[1:], " ")
		if got != want+" ANALYTICS_BASE_URL=http://127.0.0.1:80" || err != nil {
			t.Errorf("%s: %s, %v", content, got, err)
		}
	}
}

func TestClock_andFulfilmentDelayAreThoseOfTheFlags(t *testing.T) {
	t.Parallel()
	for delay, want := range map[string]string{"0s": "200 []", "1h": `"createdAt":"2720-02-29T23:`} {
		p := start(t, "-clock", "2720-02-29T23:00:00Z", "-fulfilment-delay", delay)
		key := "?apiSecretToken=" + p.env["ANALYTICS_API_SECRET_KEY"]
		p.send(http.MethodDelete, personPath+"/all-data"+key, "", "")
		if got := p.send(http.MethodGet, "/v1/org/org-demo/project/web/compliance/pending-requests"+key, "", ""); !strings.Contains(got, want) {
			t.Errorf("%s: %s", delay, got)
		}
	}
}

func TestLog_hasNoValuesPeopleOrCredentials(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "requests.log")
	p := start(t, "-wire", `{"consent":{"parameters_in":"query"}}`, "-log", file)
	key := p.env["ANALYTICS_API_SECRET_KEY"]
	query := "&clause_1_consent=true&clause_2_consent=true&clause_3_consent=true&clause_4_consent=true&clause_5_consent=true&agreement_time=2026-01-15T09%3A30%3A00Z"
	p.send(http.MethodPatch, personPath+"/consent?apiSecretToken="+key+query, "", "")
	p.send(http.MethodGet, "/elsewhere/ada%40example.com", "", "")
	if status := p.stop(); status != 0 {
		t.Errorf("it ended with %d", status)
	}

	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := "1 updateConsent PATCH /v1/org/{orgId}/project/{projectId}/compliance/user/{identityId}/consent: 200 in N ms\n2 - GET -: 401 in N ms\n"
	if diff := cmp.Diff(want, regexp.MustCompile(`[0-9.]+ ms`).ReplaceAllString(string(text), "N ms")); diff != "" || p.stderr.Len() > 0 {
		t.Error(diff, p.stderr.String())
	}
}

// ranWith runs the program to its end, as the command of a process with an environment.
func ranWith(t *testing.T, environ []string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var output, errors bytes.Buffer
	status = Run(t.Context(), Process{Args: append([]string{Name}, args...), Stdin: strings.NewReader(""), Stdout: &output, Stderr: &errors, Environ: environ})
	return status, output.String(), errors.String()
}

func TestCommand_runsWithTheServiceAndItsStatusIsThatOfTheProgram(t *testing.T) {
	t.Parallel()
	environ := []string{"PATH=" + os.Getenv("PATH"), "ANALYTICS_TOKEN=t", "ANALYTICS_BASE_URL=https://analytics.example.com", "ANALYTICS_MAX_RETRIES=3"}
	status, stdout, stderr := ranWith(t, environ, "-credentials", "login", "--", "sh", "-c", `env | grep ^ANALYTICS_ | cut -d= -f1 | sort | tr '\n' ' '; test "$ANALYTICS_BASE_URL" != https://analytics.example.com || exit 1; exit 7`)
	want := "ANALYTICS_BASE_URL ANALYTICS_EMAIL ANALYTICS_MAX_RETRIES ANALYTICS_ORG_ID ANALYTICS_PASSWORD ANALYTICS_PROJECT_ID "
	if status != 7 || stdout != want || stderr != "" {
		t.Errorf("it ended with %d and printed %q, %q", status, stdout, stderr)
	}
}

func TestCommand_isTerminatedWhenTheParentEnds(t *testing.T) {
	t.Parallel()
	printed, stdout := io.Pipe()
	stdin, open, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = open.Close() })

	parent, ended := make(chan struct{}), make(chan int, 1)
	go func() {
		ended <- Run(t.Context(), Process{
			Args:  []string{Name, "--", "sh", "-c", `trap 'exit 9' TERM; echo ready; read -r line`},
			Stdin: stdin, Stdout: stdout, Stderr: io.Discard, Environ: os.Environ(), ParentGone: parent,
		})
	}()

	if _, err := printed.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	close(parent)
	if status := <-ended; status != 9 {
		t.Errorf("it ended with %d", status)
	}
}

func TestRun_whatCannotBeServedIsAnError(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args []string
		says string
	}{
		"no such flag":        {[]string{"-port", "1"}, "-port"},
		"no such command":     {[]string{"--", "no-such-command"}, "the command cannot be run"},
		"no such form":        {[]string{"-form", "consent-in-verse"}, "there is no form consent-in-verse"},
		"no such setting":     {[]string{"-wire", `{"weather":"fine"}`}, "flag -wire: "},
		"no such credentials": {[]string{"-credentials", "none"}, "flag -credentials: it is one of key, login"},
		"no time":             {[]string{"-clock", "yesterday"}, "flag -clock: parsing time"},
		"no such file":        {[]string{"-seed", filepath.Join(t.TempDir(), "none.json")}, "none.json"},
		"no file for a log":   {[]string{"-log", t.TempDir()}, "flag -log: "},
		"unknown name":        {[]string{"-seed", writeSeed(t, `{"people":[]}`)}, "flag -seed: the seed cannot be understood: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := ranWith(t, nil, tc.args...)
			if status != 2 || stdout != "" || !strings.HasPrefix(stderr, "mockserver: ") || !strings.Contains(stderr, tc.says) {
				t.Errorf("it ended with %d and printed %q, %q", status, stdout, stderr)
			}
		})
	}
}

func TestRun_helpAndFormsAreNoErrors(t *testing.T) {
	t.Parallel()
	for flag, says := range map[string]string{"-help": "-fulfilment-delay DURATION", "-forms": "consent-json-api\n"} {
		if status, stdout, stderr := ranWith(t, nil, flag); status != 0 || !strings.Contains(stdout, says) || stderr != "" {
			t.Errorf("%s: it ended with %d and printed %q, %q", flag, status, stdout, stderr)
		}
	}
}
