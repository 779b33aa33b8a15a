// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// TestCLIModules_consentTeamPassesItsOwnTests runs `terraform test`, which mocks the provider
// in one file and reaches the mock server in another.
func TestCLIModules_consentTeamPassesItsOwnTests(t *testing.T) {
	t.Parallel()
	e := open(t, "modules/consent-team")
	e.Needs(acctest.MockProviders)
	e.terraform(t, "test")
	if e.service.Count(mockserver.OpUpdateConsent) == 0 {
		t.Error("nothing reached the service")
	}
}

// testScript is a script that tests the module beside it, as the guide about tests shows it.
const testScript = "test.sh"

// TestCLIModules_testScriptNeedsTheProviderOnly runs the script of the guide in a copy of the
// module, with a CLI that finds the provider as it would in a registry. The environment names
// another service, which the tests must not reach.
func TestCLIModules_testScriptNeedsTheProviderOnly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh on Windows")
	}

	const granted = "clause_2_consent = true "

	for name, tc := range map[string]struct {
		written string // in the module, where clause 2 is granted
		passes  bool
	}{
		"the module as it is": {granted, true},
		"a module that errs":  {"clause_2_consent = false", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli := clitest.New(t, "", map[string]string{"ANALYTICS_BASE_URL": "https://analytics.example.com", "ANALYTICS_TOKEN": "of-another-service"})
			cli.Needs(acctest.Tests)
			if err := os.CopyFS(filepath.Join(cli.Dir, "module"), os.DirFS(root+"/examples/modules/early-access")); err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(cli.ReadFile("module/main.tf"), granted, tc.written, 1)
			if err := os.WriteFile(filepath.Join(cli.Dir, "module", "main.tf"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}

			script := exec.CommandContext(t.Context(), "sh", testScript)
			script.Dir = filepath.Join(cli.Dir, "module")
			script.Env = slices.Concat(cli.Command(t.Context()).Env, registryAlone(t))
			output, err := script.CombinedOutput()
			if passed := err == nil; passed != tc.passes {
				t.Errorf("the script ended with %v:\n%s", err, output)
			}

			if found := strings.Contains(string(output), "The service must hold consent to feature usage"); found == tc.passes {
				t.Errorf("that the module errs is found: %t\n%s", found, output)
			}
			if log := cli.ReadFile("module/requests.log"); strings.Count(log, "PATCH /v1/org/{orgId}/project/{projectId}/compliance/user/{identityId}/consent: 200") != 2 {
				t.Errorf("consent was not recorded and withdrawn:\n%s", log)
			}
		})
	}
}

// registryAlone returns variables with which the program terraform is the CLI of these tests,
// and knows the provider from a mirror alone.
func registryAlone(t *testing.T) []string {
	t.Helper()
	folder := t.TempDir()
	mirror := filepath.Join(folder, "mirror")
	provider, err := acctest.ProviderProgram()
	if err == nil {
		err = terraformcli.Mirror(mirror, terraformcli.Source, provider)
	}
	config := filepath.Join(folder, "terraform.rc")
	if err == nil {
		err = os.WriteFile(config, terraformcli.MirrorConfig(mirror), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}

	return []string{"TF_CLI_CONFIG_FILE=" + config, pathWithCLI(t)}
}
