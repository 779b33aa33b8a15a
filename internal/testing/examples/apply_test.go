// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

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

// TestCLIExamples_applyOnce applies each healthy configuration, which warns of what is irreversible
// alone. It destroys each resource once, and what says something about a destroy. Examples that
// call modules apply those.
func TestCLIExamples_applyOnce(t *testing.T) {
	t.Parallel()
	folders := slices.DeleteFunc(foldersWith(t, ".tf"), func(folder string) bool {
		return strings.HasPrefix(folder, "modules") || strings.Contains(folder, "/modules")
	})

	each(t, folders, func(t *testing.T, e *example) {
		e.remove(importFile, identityFile)
		e.skipUnknown()
		text := e.text()
		if strings.Contains(text, "module \"") {
			e.MustRun("get")
		}

		for _, command := range [][]string{{"validate"}, {"plan", "-out=tfplan"}, {"apply", "tfplan"}, {"plan", "-detailed-exitcode"}} {
			said := e.MustRun(command...).Output
			if strings.Contains(said, "Check block assertion failed") {
				t.Errorf("a check of the example fails:\n%s", said)
			}
			for _, warning := range warnings.FindAllStringSubmatch(said, -1) {
				isReview := strings.HasSuffix(warning[1], "rows would be written")
				if !isReview && warning[1] != expectedWarnings[e.name] && !slices.Contains(warned, warning[1]) {
					t.Errorf("%s: %s", command[0], warning[1])
				}
			}
		}

		if strings.HasPrefix(e.name, "resources"+string(filepath.Separator)) || strings.Contains(text, "on_destroy") {
			e.MustRun("destroy", "-auto-approve")
		}
	})
}

func TestCLIExamples_invokeActions(t *testing.T) {
	t.Parallel()
	each(t, foldersWith(t, "/action.tf"), func(t *testing.T, e *example) {
		e.skipUnknown()
		for _, name := range actions.FindAllStringSubmatch(e.text(), -1) {
			clitest.WantWords(t, e.MustRun("apply", "-auto-approve", "-invoke=action."+name[1]+"."+name[2]), "Action complete")
		}
	})
}

// importCommand matches a command of an import.sh: its address and its ID.
var importCommand = regexp.MustCompile(`(?m)^terraform import (\S+) (\S+)$`)

func TestCLIExamples_import(t *testing.T) {
	t.Parallel()
	for _, block := range []string{importFile, identityFile} {
		each(t, foldersWith(t, block), func(t *testing.T, e *example) {
			e.remove(map[string]string{importFile: identityFile, identityFile: importFile}[block])
			e.skipUnknown()
			clitest.WantWords(t, e.MustRun("plan"), "1 to import")
			e.remove(block)
			commands := importCommand.FindAllStringSubmatch(e.ReadFile("import.sh"), -1)
			if len(commands) == 0 {
				t.Error("import.sh has no command")
			}
			for i, command := range commands {
				e.MustRun("import", fmt.Sprintf("-state=%d.tfstate", i), command[1], command[2])
			}
		})
	}
}

func TestCLIExamples_query(t *testing.T) {
	t.Parallel()
	each(t, foldersWith(t, queryFile), func(t *testing.T, e *example) {
		acctest.PreCheck(e.t, acctest.Lists)
		e.MustRun("validate", "-query")
		clitest.WantWords(t, e.MustRun("query"), "identity_id=")
	})
}
