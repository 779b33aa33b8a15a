// SPDX-License-Identifier: MPL-2.0

// Package examples_test tests examples/ and the guides: every example is applied
// against a mock server, and what a guide shows is one of them.
package examples_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

const (
	root         = "../.."
	importFile   = "import-by-string-id.tf"
	identityFile = "import-by-identity.tf"
	queryFile    = ".tfquery.hcl" // how the name of a file ends that terraform query reads
)

// example is a copy of examples/ in which commands run in one folder, with a service of
// its own. What the service knows is the folder's seed.json.
type example struct {
	*clitest.CLI

	service *mocktest.Instance
	name    string // of the folder below examples/
	folder  string // in the copy
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
		environment = service.EnvironmentWithLogin()
	}
	// The scope that the examples and their seeds name.
	environment["ANALYTICS_ORG_ID"], environment["ANALYTICS_PROJECT_ID"] = "example-org", "example-project"

	e := &example{CLI: clitest.New(t, "", environment), service: service, name: folder}
	if err := os.CopyFS(filepath.Join(e.Dir, "examples"), os.DirFS(root+"/examples")); err != nil {
		t.Fatal(err)
	}
	e.folder = filepath.Join(e.Dir, "examples", folder)
	e.seed(t)
	e.declare(t)

	return e
}

// seed loads what the service knows before the example is applied.
func (e *example) seed(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(e.folder, "seed.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}

	seed, err := mockserver.ReadSeed(text)
	if err != nil {
		t.Fatal(err)
	}
	e.service.Add(seed)
}

// declare adds the provider's source to examples that leave it out, since the
// documentation shows it only once.
func (e *example) declare(t *testing.T) {
	t.Helper()
	if strings.Contains(e.text(t), "required_providers") {
		return
	}
	declaration, err := os.ReadFile(filepath.Join(e.Dir, "main.tf"))
	if err == nil {
		err = os.WriteFile(filepath.Join(e.folder, "declared.tf"), declaration, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// remove removes files of the folder that it may have.
func (e *example) remove(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(e.folder, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// text returns the whole configuration of the folder.
func (e *example) text(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.folder, "*.tf"))
	if err != nil {
		t.Fatal(err)
	}

	var all strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}

	return all.String()
}

// terraform runs one command in the folder and fails the test where that fails.
func (e *example) terraform(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	return e.MustRun(append([]string{"-chdir=" + e.folder}, args...)...)
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

// skipUnknown skips the test where the CLI does not know all of a configuration.
func (e *example) skipUnknown(text string) {
	for feature, pattern := range newer {
		if pattern.MatchString(text) {
			e.Needs(feature)
		}
	}
}

// folders returns the folders that have a configuration. Modules are left out, since
// examples that call them apply them.
func folders(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(foldersWith(t, ".tf"), func(folder string) bool {
		return strings.HasPrefix(folder, "modules") || strings.Contains(folder, "/modules")
	})
}

// foldersWith returns the folders that have a file with the suffix, besides those of imports.
func foldersWith(t *testing.T, suffix string) []string {
	t.Helper()
	var found []string
	for _, path := range exampleFiles(t, suffix) {
		if suffix != ".tf" || !strings.HasPrefix(filepath.Base(path), "import-") {
			found = append(found, filepath.Dir(path))
		}
	}

	slices.Sort(found)

	return slices.Compact(found)
}

// exampleFiles returns the paths below examples/ of the files with one of the suffixes, in order.
func exampleFiles(t *testing.T, suffixes ...string) []string {
	t.Helper()
	var found []string
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

// wantNoUpdate fails the test if the service has received an update of consent.
func (e *example) wantNoUpdate(t *testing.T) {
	t.Helper()
	if n := e.service.Count(mockserver.OpUpdateConsent); n != 0 {
		t.Errorf("%d updates were sent", n)
	}
}
