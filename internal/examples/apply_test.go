package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
)

// TestCLIExamples_applyOnce destroys each resource once, and what says something about a
// destroy.
func TestCLIExamples_applyOnce(t *testing.T) {
	t.Parallel()
	for _, folder := range folders(t) {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			e := open(t, folder)
			e.remove(t, importFile, identityFile)
			text := e.text(t)
			e.skipUnknown(text)

			if strings.Contains(text, "module \"") {
				e.terraform(t, "get")
			}
			applied := e.terraform(t, "apply", "-auto-approve")
			if strings.Contains(applied.Output, "Check block assertion failed") {
				t.Errorf("a check of the example fails:\n%s", applied.Output)
			}

			e.terraform(t, "plan", "-detailed-exitcode")
			if strings.HasPrefix(folder, "resources"+string(filepath.Separator)) || strings.Contains(text, "on_destroy") {
				e.terraform(t, "destroy", "-auto-approve")
			}
		})
	}
}

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
	for _, folder := range folders(t) {
		if _, err := os.Stat(filepath.Join(root, "examples", folder, "import.sh")); err != nil {
			continue
		}
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
	for _, folder := range folders(t) {
		if _, err := os.Stat(filepath.Join(root, "examples", folder, identityFile)); err != nil {
			continue
		}
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
