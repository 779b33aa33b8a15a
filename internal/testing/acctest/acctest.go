// SPDX-License-Identifier: MPL-2.0

// Package acctest holds what acceptance tests share: the provider for the test cases of
// terraform-plugin-testing, the checks before one, and what the CLI in use knows.
package acctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/terraformcli"
)

// Factories returns the provider for ProtoV6ProviderFactories. It runs in the process of the
// test and reads no variable of the environment, so that relative paths are relative to the
// test's folder. The pending list of the mock server never lags.
func Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	environment := map[string]string{"ANALYTICS_WIRE": `{"lag":"0s"}`}
	getenv := func(name string) string { return environment[name] }

	return map[string]func() (tfprotov6.ProviderServer, error){
		"analytics": func() (tfprotov6.ProviderServer, error) { return provider.NewServer("test", getenv), nil },
	}
}

// PreCheck skips a test unless TF_ACC is set and the CLI in use has all the features. Call it
// first: resource.TestCase calls its own PreCheck only after it has looked for a CLI.
func PreCheck(tb testing.TB, features ...Feature) {
	tb.Helper()
	if os.Getenv("TF_ACC") == "" {
		tb.Skip("tests that start Terraform or OpenTofu run with TF_ACC=1, as make testacc sets it")
	}
	for _, f := range features {
		f.need(tb)
	}
}

// Block returns a provider block for a mock server, with further lines.
func Block(service *mocktest.Instance, lines ...string) string {
	return fmt.Sprintf("provider \"analytics\" {\n  base_url   = %q\n  email      = %q\n  password   = %q\n  org_id     = %q\n  project_id = %q\n%s\n}\n",
		service.URL, service.Email, service.Password, mocktest.Org, mocktest.Project, strings.Join(lines, "\n"))
}

// Planned returns checks of the plan before the apply, for ConfigPlanChecks of a step.
func Planned(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: checks}
}

// Message returns an expression for ExpectError: an error that has these texts, in this order.
// The CLI breaks a line between any two words.
func Message(texts ...string) *regexp.Regexp {
	var parts []string
	for _, text := range texts {
		parts = append(parts, strings.ReplaceAll(regexp.QuoteMeta(strings.Join(strings.Fields(text), " ")), " ", `\s+`))
	}

	return regexp.MustCompile(`(?s)` + strings.Join(parts, `.*`))
}

// Version returns the version of the CLI in use. It asks once for all tests of a package.
var Version = sync.OnceValues(func() (terraformcli.Version, error) {
	path, err := terraformcli.Find()
	if err != nil {
		return terraformcli.Version{}, err
	}

	cli := terraformcli.CLI{Path: path, Env: terraformcli.Isolated(os.Environ(), os.DevNull)}

	return cli.Version(context.Background())
})

// buildFolder holds the provider's program while the tests of one package run.
var buildFolder string

// ProviderProgram returns the path of the provider's program: the one that make has built for
// all packages and TF_ACC_PROVIDER_BINARY names, or else one that is built for this package.
var ProviderProgram = sync.OnceValues(func() (string, error) {
	if built := os.Getenv("TF_ACC_PROVIDER_BINARY"); built != "" {
		_, err := os.Stat(built)
		return built, err
	}
	if buildFolder == "" {
		return "", errors.New("the package's TestMain has to call acctest.Main")
	}

	program := filepath.Join(buildFolder, "terraform-provider-analytics"+terraformcli.ExeSuffix())

	return program, terraformcli.Build(context.Background(), program, terraformcli.ModulePath)
})

// Main runs the tests of a package, removes what they built, and fails where a goroutine is
// left over. With TF_ACC set, all of them use the CLI that terraformcli.Find returns.
func Main(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}

	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if os.Getenv("TF_ACC") != "" {
		if err := prepareCLI(); err != nil {
			return 1, err
		}
	}

	buildFolder, err = os.MkdirTemp("", "analytics-acctest-")
	if err != nil {
		return 1, err
	}

	code = m.Run()
	if err := os.RemoveAll(buildFolder); err != nil || code != 0 {
		return code, err
	}

	return 0, goleak.Find(providerOutput)
}

// providerOutput are the readers of what a provider prints. A provider that runs in the process
// of a test has two, and go-plugin ends them only when the garbage collector closes their pipes.
var providerOutput = goleak.IgnoreAnyFunction("github.com/hashicorp/go-plugin.copyChan")

// prepareCLI tells terraform-plugin-testing which CLI to start: without a path it looks for
// Terraform alone and then downloads one. The settings of the person who runs the tests are
// left out, since OpenTofu prints a warning about them where the version is expected.
func prepareCLI() error {
	path, err := terraformcli.Find()
	if err != nil {
		return err
	}
	version, err := Version()
	if err != nil {
		return err
	}

	settings := map[string]string{"TF_ACC_TERRAFORM_PATH": path, "TF_CLI_CONFIG_FILE": os.DevNull, "TF_DISABLE_PLUGIN_TLS": "1"}
	if version.Product == "OpenTofu" {
		settings["TF_ACC_PROVIDER_HOST"] = "registry.opentofu.org"
	}
	for name, value := range settings {
		if err := os.Setenv(name, value); err != nil { //nolint:forbidigo // before any test has begun
			return err
		}
	}

	return nil
}

// Feature is what a test needs and what only newer versions of Terraform or OpenTofu know.
// The guide about versions has the same numbers.
type Feature struct {
	name string // plural
	// The minor versions of 1 that the feature came with; 0 where it is missing.
	terraform, openTofu int
}

// The features of which some supported version lacks one.
var (
	Tests               = Feature{"tests of modules", 6, 6}
	MockProviders       = Feature{"mock providers", 7, 8}
	RemovedBlocks       = Feature{"removed blocks", 7, 8}
	Functions           = Feature{"functions", 8, 8}
	FunctionsAlone      = Feature{"functions of a provider without settings", 8, 11}
	Ephemeral           = Feature{"ephemeral values and resources", 10, 11}
	WriteOnlyAttributes = Feature{"write-only attributes", 11, 11}
	Identities          = Feature{"resource identities", 12, 12}
	Actions             = Feature{"actions", 14, 0}
	Lists               = Feature{"lists", 14, 0}
)

// String returns which versions have the feature.
func (f Feature) String() string {
	if f.openTofu == 0 {
		return fmt.Sprintf("%s need Terraform 1.%d", f.name, f.terraform)
	}
	return fmt.Sprintf("%s need Terraform 1.%d or OpenTofu 1.%d", f.name, f.terraform, f.openTofu)
}

// need skips a test where the CLI lacks the feature; the zero Feature is in every one. The
// command clis reads the reason.
func (f Feature) need(tb testing.TB) {
	tb.Helper()
	if f == (Feature{}) {
		return
	}

	v, err := Version()
	if err != nil {
		tb.Fatal(err)
	}

	since := f.terraform
	if v.Product == "OpenTofu" {
		since = f.openTofu
	}

	if since == 0 || v.Before(since) {
		tb.Skipf("%s, and this is %s", f, v.Line)
	}
}
