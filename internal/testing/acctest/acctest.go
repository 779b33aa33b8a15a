// SPDX-License-Identifier: MPL-2.0

// Package acctest holds what acceptance tests share: the provider for the test cases of
// terraform-plugin-testing, the checks before one, and what the CLI in use knows.
package acctest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// Factories returns the provider for ProtoV6ProviderFactories. It runs in the process of the test, reads no variable of
// the environment, and takes the pending list of the mock server as one that never lags.
func Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){"analytics": func() (tfprotov6.ProviderServer, error) {
		none := func(string) string { return "" }
		return provider.NewServer("test", none, func(cfg *client.Config) { cfg.Wire.Lag = "0s" }), nil
	}}
}

// PreCheck skips a test unless TF_ACC is set and the CLI in use, which Main has found, has all the features. Call it
// first: resource.TestCase calls its own PreCheck only after it has looked for a CLI.
func PreCheck(tb testing.TB, features ...Feature) {
	tb.Helper()
	if os.Getenv("TF_ACC") == "" {
		tb.Skip("tests that start Terraform or OpenTofu run with TF_ACC=1, as make testacc sets it")
	}
	for _, f := range features {
		if !CLI.knows(f) {
			tb.Skipf("%s, and this is %s", f, CLI.Line) // make clis reads the reason
		}
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
	quoted := regexp.QuoteMeta(strings.Join(texts, "\n"))
	return regexp.MustCompile(`(?s)` + strings.NewReplacer(" ", `\s+`, "\n", `.*`).Replace(quoted))
}

// Environment returns the environment of this process without the settings of Terraform and of the provider.
func Environment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, "TF_") || strings.HasPrefix(entry, "ANALYTICS_")
	})
}

// Version is a CLI in a version.
type Version struct {
	Path    string // of the program
	Product string // "Terraform" or "OpenTofu"
	Minor   int    // of 1
	Line    string // what the CLI prints, such as "Terraform v1.11.4"
}

// parseVersion reads what a CLI prints of its version.
func parseVersion(printed string) (v Version, err error) {
	v.Line, _, _ = strings.Cut(printed, "\n")
	if _, err := fmt.Sscanf(v.Line, "%s v1.%d", &v.Product, &v.Minor); err != nil {
		return Version{}, fmt.Errorf("no version of Terraform or OpenTofu: %q", v.Line)
	}
	return v, nil
}

// CLI is the CLI in use, which Main looks for where TF_ACC is set.
var CLI Version

// Main runs the tests of a package, with the CLI that TF_ACC_TERRAFORM_PATH names, or else terraform on PATH, where
// TF_ACC is set. It fails where a goroutine is left over.
func Main(m *testing.M) {
	if os.Getenv("TF_ACC") != "" {
		if err := useCLI(); err != nil {
			log.Fatal(err)
		}
	}

	// A provider that runs in the process of a test has two readers of what it prints, and go-plugin
	// ends them only when the garbage collector closes their pipes.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/hashicorp/go-plugin.copyChan"))
}

// useCLI finds the CLI, and makes terraform-plugin-testing start the same one. The settings of the person who runs the
// tests are left out, since OpenTofu prints a warning about them where the version is expected.
func useCLI() error {
	path, missing := exec.LookPath(cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform"))
	path, err := filepath.Abs(path)
	if err := errors.Join(missing, err); err != nil {
		return err
	}

	command := exec.CommandContext(context.Background(), path, "version")
	command.Env = append(Environment(), "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1")
	printed, _ := command.Output()
	if CLI, err = parseVersion(string(printed)); err != nil {
		return fmt.Errorf("%s version: %w", path, err)
	}
	CLI.Path = path

	for name, value := range map[string]string{
		"TF_ACC_TERRAFORM_PATH": CLI.Path, "TF_CLI_CONFIG_FILE": os.DevNull, "TF_DISABLE_PLUGIN_TLS": "1",
		"TF_ACC_PROVIDER_HOST": map[string]string{"OpenTofu": "registry.opentofu.org"}[CLI.Product], // empty is Terraform's
	} {
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

// knows reports whether a version has a feature; every version has the zero Feature.
func (v Version) knows(f Feature) bool {
	if v.Product == "OpenTofu" && f != (Feature{}) {
		return f.openTofu > 0 && v.Minor >= f.openTofu
	}
	return v.Minor >= f.terraform
}
