// SPDX-License-Identifier: MPL-2.0

// Package examples_test tests examples/ and the guides: every example is applied
// against a mock server, and what a guide shows is one of them.
package examples_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	root         = "../../.."
	importFile   = "import-by-string-id.tf"
	identityFile = "import-by-identity.tf"
	queryFile    = ".tfquery.hcl" // how the name of a file ends that terraform query reads
)

// example is a CLI in one folder of a copy of examples/, with a service of its own. What the service
// knows is the folder's seed.json.
type example struct {
	*clitest.CLI

	t       *testing.T
	service *mocktest.Instance
	name    string // of the folder below examples/
}

// each tests a copy of each of the folders.
func each(t *testing.T, folders []string, test func(t *testing.T, e *example)) {
	t.Helper()
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			test(t, open(t, folder))
		})
	}
}

// open copies examples/ and prepares one folder of it.
func open(t *testing.T, folder string) *example {
	t.Helper()
	service := mocktest.Start(t, func(s *mockserver.Server) {
		s.Fulfil = func(q mockserver.QueuedRequest) mockserver.Outcome {
			return mockserver.Outcome{KeepListed: q.Operation != mockserver.OpUpdateProfile} // nothing else shows that they are done
		}
	})
	environment := service.Environment()
	if strings.Contains(folder, "session_token") {
		delete(environment, "ANALYTICS_API_SECRET_KEY")
		environment["ANALYTICS_EMAIL"], environment["ANALYTICS_PASSWORD"] = service.Email, service.Password
	}

	e := &example{CLI: clitest.New(t, "", environment), t: t, service: service, name: folder}
	declaration, copied := e.ReadFile("main.tf"), filepath.Join(e.Dir, "examples")
	e.must(os.CopyFS(copied, os.DirFS(root+"/examples")))
	e.Dir = filepath.Join(copied, folder)       // of all commands after the next Setenv
	e.Setenv("ANALYTICS_ORG_ID", "example-org") // the scope that the examples and their seeds name
	e.Setenv("ANALYTICS_PROJECT_ID", "example-project")

	// The documentation shows only once where the provider comes from.
	if !strings.Contains(e.text(), "required_providers") {
		e.Write("declared.tf", declaration)
	}
	if text, err := os.ReadFile(filepath.Join(e.Dir, "seed.json")); err == nil {
		seed, err := mockserver.ReadSeed(text)
		e.must(err)
		service.Add(seed)
	}

	return e
}

func (e *example) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

// useMirror makes the CLI find the provider as in a registry, in a mirror alone.
func (e *example) useMirror() {
	e.t.Helper()
	folder := e.t.TempDir()
	for _, host := range clitest.Hosts {
		place := filepath.Join(folder, host, clitest.Source, "0.1.0", runtime.GOOS+"_"+runtime.GOARCH)
		e.must(os.MkdirAll(place, 0o700))
		e.must(os.Symlink(clitest.Provider(e.t), filepath.Join(place, "terraform-provider-analytics_v0.1.0")))
	}

	config := filepath.Join(folder, "terraform.rc")
	e.must(os.WriteFile(config, fmt.Appendf(nil, "provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", folder), 0o600))
	e.Setenv("TF_CLI_CONFIG_FILE", config)
}

// shell runs the shell in a folder, where the CLI is called terraform, and returns what it prints.
func (e *example) shell(folder string, args ...string) (string, error) {
	e.t.Helper()
	programs := e.t.TempDir()
	terraform := e.Command(e.t.Context())
	e.must(os.Symlink(terraform.Path, filepath.Join(programs, "terraform")))

	cmd := exec.CommandContext(e.t.Context(), "sh", args...)
	cmd.Dir, cmd.Env = folder, slices.Concat(terraform.Env, []string{"PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH")})
	output, err := cmd.CombinedOutput()

	return string(output), err
}

// script runs a script of the folder, which needs programs.
func (e *example) script(name string, needs ...string) {
	e.t.Helper()
	for _, program := range needs {
		if _, err := exec.LookPath(program); err != nil {
			e.t.Skip(name + " needs " + program + ", which is not on PATH")
		}
	}
	if output, err := e.shell(e.Dir, "-eu", name); err != nil {
		e.t.Fatalf("%s ended with %v:\n%s", name, err, output)
	}
}

// remove removes files of the folder that it may have.
func (e *example) remove(names ...string) {
	e.t.Helper()
	for _, name := range names {
		e.must(os.RemoveAll(filepath.Join(e.Dir, name)))
	}
}

// text returns the whole configuration of the folder.
func (e *example) text() (all string) {
	e.t.Helper()
	files, err := filepath.Glob(filepath.Join(e.Dir, "*.tf"))
	e.must(err)
	for _, file := range files {
		all += e.ReadFile(filepath.Base(file))
	}

	return all
}

var actions = regexp.MustCompile(`(?m)^action "([a-z_]+)" "([a-z_]+)"`)

// newer are what only newer versions of Terraform and OpenTofu understand.
var newer = map[acctest.Feature]*regexp.Regexp{
	acctest.Actions:             actions,
	acctest.Identities:          regexp.MustCompile(`(?m)^  identity\s+=`),
	acctest.WriteOnlyAttributes: regexp.MustCompile(`_wo\s*=`),
	acctest.Ephemeral:           regexp.MustCompile(`(?m)ephemeral\s*=\s*true|^ephemeral `),
	acctest.Functions:           regexp.MustCompile(`provider::`),
}

// skipUnknown skips the test where the CLI does not know all of the configuration.
func (e *example) skipUnknown() {
	e.t.Helper()
	text := e.text()
	for feature, pattern := range newer {
		if pattern.MatchString(text) {
			acctest.PreCheck(e.t, feature)
		}
	}
}

// wantNone fails the test if the service has received a request of an operation; empty for any.
func (e *example) wantNone(operation string) {
	e.t.Helper()
	if n := e.service.Count(operation); n != 0 {
		e.t.Errorf("%d requests were sent", n)
	}
}

// foldersWith returns the folders that have a file with the suffix.
func foldersWith(t *testing.T, suffix string) (folders []string) {
	t.Helper()
	for _, path := range exampleFiles(t, suffix) {
		folders = append(folders, filepath.Dir(path))
	}
	slices.Sort(folders)

	return slices.Compact(folders)
}

// exampleFiles returns the paths below examples/ of the files with one of the suffixes, in order.
func exampleFiles(t *testing.T, suffixes ...string) (found []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root+"/examples"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if err == nil && slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(path, suffix) }) {
			found = append(found, path)
		}

		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("examples/ has no files like %v (%v)", suffixes, err)
	}

	return found
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
