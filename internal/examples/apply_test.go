// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
)

// openToApply opens an example without its imports, and returns its text too.
func openToApply(t *testing.T, folder string) (e *example, text string) {
	t.Helper()
	e = open(t, folder)
	e.remove(t, importFile, identityFile)
	text = e.text(t)
	e.skipUnknown(text)
	if strings.Contains(text, "module \"") {
		e.terraform(t, "get")
	}

	return e, text
}

// TestCLIExamples_applyOnce applies each healthy configuration, which warns of what is irreversible
// alone. It destroys each resource once, and what says something about a destroy.
func TestCLIExamples_applyOnce(t *testing.T) {
	t.Parallel()
	for _, folder := range folders(t) {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			e, text := openToApply(t, folder)
			for _, command := range [][]string{{"validate"}, {"plan", "-out=tfplan"}, {"apply", "tfplan"}, {"plan", "-detailed-exitcode"}} {
				said := e.terraform(t, command...).Output
				if strings.Contains(said, "Check block assertion failed") {
					t.Errorf("a check of the example fails:\n%s", said)
				}
				for _, warning := range warnings.FindAllStringSubmatch(said, -1) {
					if warning[1] != standing[folder] && !slices.Contains(warned, warning[1]) {
						t.Errorf("%s: %s", command[0], warning[1])
					}
				}
			}

			if strings.HasPrefix(folder, "resources"+string(filepath.Separator)) || strings.Contains(text, "on_destroy") {
				e.terraform(t, "destroy", "-auto-approve")
			}
		})
	}
}

// warned are the summaries of the warnings that a healthy configuration may show.
var warned = []string{
	"Deleting all data of a person is irreversible",

	// Terraform's own: of the test, of checks whose data is not known yet, and above the
	// warning of an action that cannot be undone.
	"Provider development overrides are in effect", "Check block assertion known after apply", "Warnings when planning action",
}

// standing are the folders whose seed has people who have chosen later.
var standing = map[string]string{
	"guides/consent-as-code":   "A later choice of the person stands",
	"guides/seeding-thousands": "Later choices of people stand",
}

var warnings = regexp.MustCompile(`(?m)^Warning: (.*)$`)

func TestCLIExamples_invokeActions(t *testing.T) {
	t.Parallel()
	for _, folder := range folders(t) {
		if !strings.HasPrefix(folder, "actions"+string(filepath.Separator)) {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			e := open(t, folder)
			text := e.text(t)
			e.skipUnknown(text)

			for _, name := range actions.FindAllStringSubmatch(text, -1) {
				invoked := e.terraform(t, "apply", "-auto-approve", "-invoke=action."+name[1]+"."+name[2])
				if !strings.Contains(invoked.Output, "Action complete") {
					t.Errorf("%s was not invoked:\n%s", name[0], invoked.Output)
				}
			}
		})
	}
}

func TestCLIExamples_import(t *testing.T) {
	t.Parallel()
	for _, folder := range foldersWith(t, "import.sh") {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			e := open(t, folder)
			e.remove(t, identityFile)
			e.skipUnknown(e.text(t))

			clitest.WantWords(t, e.terraform(t, "plan"), "1 to import")

			e.remove(t, importFile)
			for _, arguments := range importCommands(t, e.folder) {
				e.terraform(t, append([]string{"import", "-state=" + strings.ReplaceAll(arguments[1], "/", "+") + ".tfstate"}, arguments...)...)
			}
		})
	}
}

func TestCLIExamples_importByIdentity(t *testing.T) {
	t.Parallel()
	for _, folder := range foldersWith(t, identityFile) {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			e := open(t, folder)
			e.remove(t, importFile)
			e.skipUnknown(e.text(t))

			clitest.WantWords(t, e.terraform(t, "plan"), "1 to import")
		})
	}
}

// importCommands returns the arguments of every command of an import.sh: address and ID.
func importCommands(t *testing.T, folder string) [][]string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(folder, "import.sh"))
	if err != nil {
		t.Fatal(err)
	}

	var commands [][]string
	for line := range strings.Lines(string(script)) {
		if arguments, ok := strings.CutPrefix(line, "terraform import "); ok {
			commands = append(commands, strings.Fields(arguments))
		}
	}
	if len(commands) == 0 {
		t.Error("import.sh has no command")
	}

	return commands
}

func TestCLIExamples_query(t *testing.T) {
	t.Parallel()
	for _, folder := range foldersWith(t, queryFile) {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			e := open(t, folder)
			e.Needs(acctest.Lists)

			e.terraform(t, "validate", "-query")
			queried := e.terraform(t, "query")
			if !strings.Contains(queried.Output, "identity_id=") {
				t.Errorf("the query lists nobody:\n%s", queried.Output)
			}
		})
	}
}
