package acctest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// CLI runs the provider as users do: as a binary of its own, started by the
// Terraform or OpenTofu on PATH (or of TF_ACC_TERRAFORM_PATH), in a folder of its
// own and with an environment that holds nothing of the person who runs the tests.
type CLI struct {
	tb     testing.TB
	Dir    string
	binary string
	env    map[string]string
}

// Result is what one command printed, and how it ended.
type Result struct {
	Output string // standard output and standard error as they came
	Code   int
}

// NewCLI prepares a folder with a configuration. The environment is added to the
// little that is passed on.
func NewCLI(tb testing.TB, configuration string, environment map[string]string) *CLI {
	tb.Helper()
	c := &CLI{tb: tb, Dir: tb.TempDir(), binary: terraformPath(tb), env: map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": tb.TempDir(), "TMPDIR": tb.TempDir(),
		"CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1", "TF_INPUT": "0", "TF_CLI_ARGS": "-no-color",
		"ANALYTICS_WIRE_PENDING_LIST_LAG": "0s", // the mock server's list never lags
	}}
	maps.Copy(c.env, environment)
	provider := builtProvider(tb)
	settings := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n    %q = %q\n  }\n  direct {}\n}\n",
		"registry.terraform.io/terraform-analytics/analytics", filepath.Dir(provider),
		"registry.opentofu.org/terraform-analytics/analytics", filepath.Dir(provider))
	c.env["TF_CLI_CONFIG_FILE"] = c.write("terraform.rc", settings)
	c.Configure(configuration)
	return c
}

// Configure replaces the configuration.
func (c *CLI) Configure(configuration string) {
	c.tb.Helper()
	c.write("main.tf", "terraform {\n  required_providers {\n    analytics = {\n      source = \"terraform-analytics/analytics\"\n    }\n  }\n}\n"+configuration)
}

// Setenv changes the environment of the commands that follow.
func (c *CLI) Setenv(name, value string) { c.env[name] = value }

func (c *CLI) write(name, content string) string {
	c.tb.Helper()
	path := filepath.Join(c.Dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		c.tb.Fatal(err)
	}
	return path
}

// Run runs one command to its end.
func (c *CLI) Run(args ...string) Result {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(c.tb.Context(), 2*time.Minute)
	defer cancel()
	cmd := c.Command(ctx, args...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.tb.Fatalf("%s %v: %v", c.binary, args, err)
	}
	return Result{Output: output.String(), Code: cmd.ProcessState.ExitCode()}
}

// MustRun fails the test where the command fails.
func (c *CLI) MustRun(args ...string) Result {
	c.tb.Helper()
	r := c.Run(args...)
	if r.Code != 0 {
		c.tb.Fatalf("%v ended with %d:\n%s", args, r.Code, r.Output)
	}
	return r
}

// Command is a command that the test starts and ends itself.
func (c *CLI) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.binary, args...)
	cmd.Dir = c.Dir
	for _, name := range slices.Sorted(maps.Keys(c.env)) {
		cmd.Env = append(cmd.Env, name+"="+c.env[name])
	}
	return cmd
}

// Words is the output with line breaks and frames of diagnostics folded away, so
// that a sentence is found however it was wrapped.
func (r Result) Words() string {
	return strings.Join(strings.FieldsFunc(r.Output, func(c rune) bool { return strings.ContainsRune(" \t\r\n│╷╵", c) }), " ")
}

func terraformPath(tb testing.TB) string {
	tb.Helper()
	candidates := []string{os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform", "tofu"}
	for _, candidate := range candidates {
		if path, err := exec.LookPath(candidate); candidate != "" && err == nil {
			return path
		}
	}
	tb.Fatal("neither terraform nor tofu is on PATH, and TF_ACC_TERRAFORM_PATH names neither")
	return ""
}

// buildFolder holds the provider's binary while the tests of one package run. Main
// creates and removes it.
var buildFolder string

// buildProvider returns the path of the provider's binary: the one that make test has
// built for all packages, or else one that is built for this package.
var buildProvider = sync.OnceValues(func() (string, error) {
	if built := os.Getenv("TF_ACC_PROVIDER_BINARY"); built != "" {
		_, err := os.Stat(built)
		return built, err
	}
	if buildFolder == "" {
		return "", errors.New("the package's TestMain has to call acctest.Main")
	}

	binary := filepath.Join(buildFolder, "terraform-provider-analytics")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "github.com/terraform-analytics/terraform-provider-analytics")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the provider does not build: %w\n%s", err, output)
	}
	return binary, nil
})

func builtProvider(tb testing.TB) string {
	tb.Helper()
	binary, err := buildProvider()
	if err != nil {
		tb.Fatal(err)
	}
	return binary
}

// SkipBefore skips the test where Terraform or OpenTofu is older than this minor
// version of 1.
func (c *CLI) SkipBefore(minor int) {
	c.tb.Helper()
	var version struct {
		Text string `json:"terraform_version"`
	}
	out, err := c.Command(c.tb.Context(), "version", "-json").Output()
	if err == nil {
		err = json.Unmarshal(out, &version)
	}
	var got int
	if err == nil {
		_, err = fmt.Sscanf(version.Text, "1.%d.", &got)
	}
	if err != nil {
		c.tb.Fatal(err)
	}
	if got < minor {
		c.tb.Skipf("needs version 1.%d of Terraform or OpenTofu, and this is %s", minor, version.Text)
	}
}
