// Package stage is what the programs beside it need to show the provider at work:
// provider and mock server built from this repository, a mock server in a process
// of its own, and a real Terraform that finds the provider without a registry. All
// of it lives in one temporary folder and is gone afterwards.
package stage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	modulePath = "github.com/terraform-analytics/terraform-provider-analytics"
	// Version is the one under which Terraform finds the provider that was just built.
	Version = "0.1.0"
)

// Stage is the temporary folder and what was prepared in it.
type Stage struct {
	// Terraform works in the folder itself; Folder gives it another one.
	Terraform *Terraform

	root       string
	repository string
	services   []*Service
}

// New makes the folder and finds Terraform; note is told what takes its time. The
// stage that it returns has to be cleared even where there is an error too.
func New(ctx context.Context, prefix string, note func(format string, args ...any)) (*Stage, error) {
	repository, err := findRepository(ctx)
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, fmt.Errorf("no temporary folder: %w", err)
	}
	s := &Stage{root: root, repository: repository}
	path, err := findTerraform(ctx, root, note)
	if err != nil {
		return s, err
	}
	config := s.path("terraform.rc")
	if err := os.WriteFile(config, cliConfig(s.mirror()), 0o600); err != nil {
		return s, fmt.Errorf("no CLI configuration: %w", err)
	}
	s.Terraform, err = newTerraform(ctx, path, root, isolated(os.Environ(), config))
	return s, err
}

func (s *Stage) path(name string) string { return filepath.Join(s.root, name) }
func (s *Stage) mirror() string          { return s.path("mirror") }
func (s *Stage) server() string          { return s.path("mockserver" + exeSuffix()) }

// Build compiles the provider into the mirror and the mock server beside it.
func (s *Stage) Build(ctx context.Context) error {
	provider := s.path("provider" + exeSuffix())
	for target, pkg := range map[string]string{provider: ".", s.server(): "./internal/cmd/mockserver"} {
		cmd := command(ctx, "go", "build", "-buildvcs=false", "-ldflags", "-X main.version="+Version, "-o", target, pkg)
		cmd.Dir = s.repository
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s: %w\n%s", pkg, err, output)
		}
	}
	for _, host := range hosts {
		if err := copyProgram(provider, mirrored(s.mirror(), host)); err != nil {
			return err
		}
	}
	return nil
}

// IsProvider reports whether a program is the provider that was built here.
func (s *Stage) IsProvider(path string) bool {
	return strings.HasPrefix(path, s.root+string(filepath.Separator)) &&
		strings.HasPrefix(filepath.Base(path), "terraform-provider-analytics")
}

// Example copies files of a folder of examples/ into one of the same name to work
// in, and returns that. Later calls add files.
func (s *Stage) Example(name string, files ...string) (string, error) {
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(s.repository, "examples", name, file))
		if err != nil {
			return "", fmt.Errorf("examples/%s cannot be read: %w", name, err)
		}
		if _, err := s.Write(filepath.Join(name, file), content); err != nil {
			return "", err
		}
	}
	return s.path(name), nil
}

// Write writes a file and returns its path; folders on the way are made.
func (s *Stage) Write(name string, content []byte) (string, error) {
	file := s.path(name)
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	if err == nil {
		err = os.WriteFile(file, content, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("%s could not be written: %w", name, err)
	}
	return file, nil
}

// Start starts a mock server with flags of its own and waits until it listens.
// Clear stops it.
func (s *Stage) Start(ctx context.Context, flags ...string) (*Service, error) {
	service, err := startService(ctx, s.server(), flags)
	if service != nil {
		s.services = append(s.services, service)
	}
	return service, err
}

// Clear stops what still runs and removes the folder.
func (s *Stage) Clear() error {
	var failed []error
	for _, service := range s.services {
		failed = append(failed, service.Stop())
	}
	if err := os.RemoveAll(s.root); err != nil {
		failed = append(failed, fmt.Errorf("the temporary folder could not be removed: %w", err))
	}
	return errors.Join(failed...)
}

// findRepository returns the folder of this module, so that a program can be
// started anywhere in it.
func findRepository(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Path}} {{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("this runs in a clone of the repository, with Go on PATH: %w", err)
	}
	path, dir, _ := strings.Cut(strings.TrimSpace(string(output)), " ")
	if path != modulePath {
		return "", fmt.Errorf("this runs in a clone of %s, not of %s", modulePath, path)
	}
	return dir, nil
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
