// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
)

// TestCLIExamples_applyOnce applies each healthy configuration, which warns of what is irreversible
// alone. It destroys each resource once, and what says something about a destroy.
func TestCLIExamples_applyOnce(t *testing.T) {
	t.Parallel()
	each(t, folders(t), func(t *testing.T, e *example) {
		e.remove(t, importFile, identityFile)
		text := e.text(t)
		e.skipUnknown(text)
		if strings.Contains(text, "module \"") {
			e.terraform(t, "get")
		}

		for _, command := range [][]string{{"validate"}, {"plan", "-out=tfplan"}, {"apply", "tfplan"}, {"plan", "-detailed-exitcode"}} {
			said := e.terraform(t, command...).Output
			if strings.Contains(said, "Check block assertion failed") {
				t.Errorf("a check of the example fails:\n%s", said)
			}
			for _, warning := range warnings.FindAllStringSubmatch(said, -1) {
				if warning[1] != expectedWarnings[e.name] && !slices.Contains(warned, warning[1]) {
					t.Errorf("%s: %s", command[0], warning[1])
				}
			}
		}

		if strings.HasPrefix(e.name, "resources"+string(filepath.Separator)) || strings.Contains(text, "on_destroy") {
			e.terraform(t, "destroy", "-auto-approve")
		}
	})
}

// warned are the summaries of the warnings that a healthy configuration may show.
var warned = []string{
	"Deleting all data of a person is irreversible",

	// Terraform's own: of the test, of checks whose data is not known yet, and above the
	// warning of an action that cannot be undone.
	"Provider development overrides are in effect", "Check block assertion known after apply", "Warnings when planning action",
}

// expectedWarnings are the folders whose seed has people who have chosen later.
var expectedWarnings = map[string]string{
	"guides/consent-as-code":   "A later choice of the person stands",
	"guides/seeding-thousands": "Later choices of people stand",
}

var warnings = regexp.MustCompile(`(?m)^Warning: (.*)$`)

func TestCLIExamples_invokeActions(t *testing.T) {
	t.Parallel()
	each(t, foldersWith(t, "/action.tf"), func(t *testing.T, e *example) {
		text := e.text(t)
		e.skipUnknown(text)
		for _, name := range actions.FindAllStringSubmatch(text, -1) {
			clitest.WantWords(t, e.terraform(t, "apply", "-auto-approve", "-invoke=action."+name[1]+"."+name[2]), "Action complete")
		}
	})
}

// importCommand matches a command of an import.sh: its address and its ID.
var importCommand = regexp.MustCompile(`(?m)^terraform import (\S+) (\S+)$`)

func TestCLIExamples_import(t *testing.T) {
	t.Parallel()
	each(t, foldersWith(t, "import.sh"), func(t *testing.T, e *example) {
		e.remove(t, identityFile)
		e.skipUnknown(e.text(t))
		clitest.WantWords(t, e.terraform(t, "plan"), "1 to import")

		e.remove(t, importFile)
		commands := importCommand.FindAllStringSubmatch(readPage(t, "examples/"+e.name+"/import.sh"), -1)
		if len(commands) == 0 {
			t.Error("import.sh has no command")
		}
		for i, command := range commands {
			e.terraform(t, "import", fmt.Sprintf("-state=%d.tfstate", i), command[1], command[2])
		}
	})
}

func TestCLIExamples_importByIdentity(t *testing.T) {
	t.Parallel()
	each(t, foldersWith(t, identityFile), func(t *testing.T, e *example) {
		e.remove(t, importFile)
		e.skipUnknown(e.text(t))
		clitest.WantWords(t, e.terraform(t, "plan"), "1 to import")
	})
}

func TestCLIExamples_query(t *testing.T) {
	t.Parallel()
	each(t, foldersWith(t, queryFile), func(t *testing.T, e *example) {
		e.Needs(acctest.Lists)
		e.terraform(t, "validate", "-query")
		clitest.WantWords(t, e.terraform(t, "query"), "identity_id=")
	})
}
