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
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// send returns the status and the body of an answer, separated by a space.
func send(t *testing.T, method, url, body, authorization string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", authorization)
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}

	return fmt.Sprintf("%d %s", resp.StatusCode, text)
}

// TestRun_servesWhatItsFlagsSay logs in, and writes and reads in the scope of a seed.
func TestRun_servesWhatItsFlagsSay(t *testing.T) {
	t.Parallel()
	seed, log := filepath.Join(t.TempDir(), "seed.json"), filepath.Join(t.TempDir(), "requests.log")
	const user = `{"email":"o'neil@example.com","password":"it's $HOME & \"more\""}`
	if err := os.WriteFile(seed, []byte(`{"users":[`+user+`],"consents":[{"org_id":"o 1","project_id":"p","identity_id":"ada"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	printed, stdout := io.Pipe()

	var stderr bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, Process{Stdout: stdout, Stderr: &stderr, Args: []string{
			Name, "-seed", seed, "-credentials", "login", "-wire", `{"consent":{"parameters_in":"query"}}`,
			"-log", log, "-clock", "2720-02-29T23:00:00Z", "-fulfilment-delay", "1h",
		}})
		_ = stdout.Close()
	}()

	text := make([]byte, 4096)
	n, err := printed.Read(text)
	if err != nil {
		t.Fatal(err, <-ended, stderr.String())
	}
	sh := exec.CommandContext(t.Context(), "sh", "-c", `eval "$1"; env | grep ^ANALYTICS_ | sort`, "sh", string(text[:n]))
	sh.Env = []string{"PATH=" + os.Getenv("PATH"), "ANALYTICS_TOKEN=of-another-service", "ANALYTICS_ACCOUNT_ID=of-another-service"}
	environment, err := sh.Output()
	base, rest, _ := strings.Cut(strings.TrimPrefix(string(environment), "ANALYTICS_BASE_URL="), "\n")
	want := "ANALYTICS_EMAIL=o'neil@example.com\nANALYTICS_ORG_ID=o 1\nANALYTICS_PASSWORD=it's $HOME & \"more\"\nANALYTICS_PROJECT_ID=p\n"
	if rest != want || err != nil {
		t.Errorf("%s: %v", environment, err)
	}

	compliance := base + "/v1/org/o%201/project/p/compliance"
	got := send(t, "POST", base+"/v1/auth/login/jwt", user, "")
	bearer := "bearer " + strings.TrimSuffix(strings.TrimPrefix(got, `200 {"token":"`), `"}`)
	query := "clause_1_consent=true&clause_2_consent=true&clause_3_consent=true&clause_4_consent=true&clause_5_consent=true"
	for _, tc := range []struct{ method, target, want string }{
		{"GET", compliance + "/user/ada/consent", `200 {"clause_1_consent":false`},
		{"PATCH", compliance + "/user/ada/consent?" + query, `200 {"clause_1_consent":true`},
		{"DELETE", compliance + "/user/ada/all-data", `202 {"createdAt":"2720-02-29T23:`},
		{"GET", compliance + "/pending-requests", `200 [{"createdAt":"2720-02-29T23:`},
		{"GET", base + "/v1//user/ada", "404 "},
	} {
		if got := send(t, tc.method, tc.target, "", bearer); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s %s: %s", tc.method, tc.target, got)
		}
	}

	interrupt()
	logged, err := os.ReadFile(log)
	if status := <-ended; status != 0 || err != nil || stderr.Len() > 0 {
		t.Errorf("it ended with %d: %v, %s", status, err, stderr.String())
	}
	const prefix = "/v1/org/{orgId}/project/{projectId}/compliance"
	wantLog := "1 login POST /v1/auth/login/jwt: 200 in N ms\n2 getConsent GET " + prefix + "/user/{identityId}/consent: 200 in N ms\n" +
		"3 updateConsent PATCH " + prefix + "/user/{identityId}/consent: 200 in N ms\n4 deleteAllData DELETE " + prefix + "/user/{identityId}/all-data: 202 in N ms\n" +
		"5 listPendingRequests GET " + prefix + "/pending-requests: 200 in N ms\n6 - GET -: 404 in N ms\n"
	if diff := cmp.Diff(wantLog, regexp.MustCompile(`[0-9.]+ ms`).ReplaceAllString(string(logged), "N ms")); diff != "" {
		t.Error(diff)
	}
}

func TestSeed_firstProjectOrAccountIsPrinted(t *testing.T) {
	t.Parallel()
	const export = `"exports":[{"org_id":"o","project_id":"p","utc_date":"2026-01-01"}]`
	for content, want := range map[string]string{
		`{}`:               "ANALYTICS_ORG_ID=org-demo ANALYTICS_PROJECT_ID=web",
		`{` + export + `}`: "ANALYTICS_ORG_ID=o ANALYTICS_PROJECT_ID=p",
		`{` + export + `,"consents":[{"account_id":"a","identity_id":"u"}]}`: "ANALYTICS_ACCOUNT_ID=a",
	} {
		seed, err := mockserver.ReadSeed([]byte(content))
		got := strings.Join(environmentOf(&net.TCPAddr{}, reachable(seed), "key")[1:], " ")
		if got != want+" ANALYTICS_BASE_URL=http://:0" || err != nil {
			t.Errorf("%s: %s, %v", content, got, err)
		}
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
			Stdin: stdin, Stdout: stdout, Stderr: io.Discard, Environ: os.Environ(), ParentExited: parent,
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
	for says, args := range map[string][]string{
		"flag provided but not defined: -port":        {"-port", "1"},
		"the command cannot be run":                   {"--", "no-such-command"},
		"not all of consent-in-verse are forms":       {"-form", "consent-in-verse"},
		"flag -wire: ":                                {"-wire", `{"weather":"fine"}`},
		"flag -credentials: it is one of key, login":  {"-credentials", "none"},
		"flag -clock: parsing time":                   {"-clock", "yesterday"},
		"none.json":                                   {"-seed", filepath.Join(t.TempDir(), "none.json")},
		"flag -log: ":                                 {"-log", t.TempDir()},
		"flag -seed: the seed cannot be understood: ": {"-seed", "command.go"},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := ranWith(t, nil, args...)
			if status != 2 || stdout != "" || !strings.HasPrefix(stderr, "mockserver: ") || !strings.Contains(stderr, says) {
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
