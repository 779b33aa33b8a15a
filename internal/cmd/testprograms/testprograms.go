// Package testprograms compiles the tests of this repository's packages into programs, so
// that they are built once and run many times.
package testprograms

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// Package is a package with tests.
type Package struct {
	// Name is the path of the package in the repository; empty for its root.
	Name string
	// Dir is the folder that the tests run in.
	Dir string

	functions []string // of the test files
}

// List returns the packages with tests. The process has to run in the root of the
// repository.
func List(ctx context.Context) (packages []Package, _ error) {
	const format = `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}`
	found, err := exec.CommandContext(ctx, "go", "list", "-f", format, "./...").Output()
	if err != nil {
		return nil, errors.New("this runs in the root of the repository, with Go on PATH")
	}

	for line := range strings.Lines(string(found)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		name := strings.TrimPrefix(strings.TrimPrefix(path, terraformcli.ModulePath), "/")
		functions, err := functionsIn(dir)
		if err != nil {
			return nil, err
		}
		packages = append(packages, Package{name, dir, functions})
	}

	return packages, nil
}

var function = regexp.MustCompile(`(?m)^func (\w+)\(`)

// functionsIn returns the names of the functions in the test files of a folder.
func functionsIn(dir string) (names []string, _ error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return nil, err
	}

	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, match := range function.FindAllSubmatch(content, -1) {
			names = append(names, string(match[1]))
		}
	}

	return names, nil
}

// Title returns how tables call the package.
func (p Package) Title() string { return cmp.Or(p.Name, "the program") }

// Functions returns the names of the functions in the test files that begin with one of the
// prefixes, such as "Fuzz".
func (p Package) Functions(prefixes ...string) (names []string) {
	for _, name := range p.functions {
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			names = append(names, name)
		}
	}
	return names
}

// Programs are what is built from the repository in one folder.
type Programs struct {
	folder string
	race   bool
	built  map[string]bool // tests, by path
}

// New returns programs in a folder, which New does not create. race builds tests with the
// race detector.
func New(folder string, race bool) (*Programs, error) {
	absolute, err := filepath.Abs(folder)
	return &Programs{folder: absolute, race: race, built: map[string]bool{}}, err
}

// Folder returns the absolute path of the folder.
func (p *Programs) Folder() string { return p.folder }

// Tests returns the path of the tests of a package. The first call builds them.
func (p *Programs) Tests(ctx context.Context, pkg Package) (string, error) {
	program := p.path(strings.ReplaceAll("test/"+pkg.Name, "/", "-"))
	if p.built[program] {
		return program, nil
	}

	args := []string{"test", "-c", "-buildvcs=false", "-o", program}
	if p.race {
		args = append(args, "-race")
	}
	output, err := terraformcli.GroupCommand(ctx, "go", append(args, "./"+pkg.Name)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("the tests of ./%s could not be built: %w\n%s", pkg.Name, err, output)
	}
	p.built[program] = true

	return program, nil
}

// Provider builds the provider that the CLI starts, and returns its path.
func (p *Programs) Provider(ctx context.Context) (string, error) {
	program := p.path("terraform-provider-analytics")
	return program, terraformcli.Build(ctx, program, terraformcli.ModulePath)
}

func (p *Programs) path(name string) string {
	return filepath.Join(p.folder, name+terraformcli.ExeSuffix())
}

// Run runs a program of tests and returns what it printed. failed is how it ended if a test
// failed; err means that it could not be run.
func Run(cmd *exec.Cmd) (output []byte, failed *exec.ExitError, err error) {
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	err = cmd.Run()
	if exit, ended := errors.AsType[*exec.ExitError](err); ended {
		return printed.Bytes(), exit, nil
	}

	return printed.Bytes(), nil, err
}
