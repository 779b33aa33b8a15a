// SPDX-License-Identifier: MPL-2.0

// Package stage is what the programs beside it need to show the provider at work: the
// provider built from this repository, its mock server in a process of its own, and a real
// Terraform that finds the provider without a registry. All of it lives in one temporary
// folder and is gone afterwards.
package stage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// Stage is the temporary folder and what was prepared in it.
type Stage struct {
	// Terraform works in the folder itself; its method In gives it another one.
	Terraform terraformcli.CLI
	// Version is that of Terraform.
	Version terraformcli.Version

	root     string
	services []*Service
}

// New makes the folder and finds Terraform. Where the
// returned stage is not nil, it has to be cleared, even beside an error.
func New(ctx context.Context, prefix string) (*Stage, error) {
	root, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, fmt.Errorf("no temporary folder: %w", err)
	}

	s := &Stage{root: root}

	return s, s.findTerraform(ctx)
}

// findTerraform finds a Terraform, and refuses one that is too old.
func (s *Stage) findTerraform(ctx context.Context) error {
	path, err := terraformcli.Find()
	if err != nil {
		return fmt.Errorf("this needs Terraform >= 1.5 or OpenTofu >= 1.8: %w; make builds an OpenTofu where none is installed", err)
	}

	config, err := s.Write("terraform.rc", terraformcli.MirrorConfig(s.mirror()))
	if err != nil {
		return err
	}

	s.Terraform = terraformcli.CLI{Path: path, Dir: s.root, Env: terraformcli.Isolated(os.Environ(), config)}
	s.Version, err = s.Terraform.Version(ctx)
	if err != nil {
		return err
	}

	return s.Version.Supported()
}

func (s *Stage) path(name string) string { return filepath.Join(s.root, name) }
func (s *Stage) mirror() string          { return s.path("mirror") }

// Provider returns the path of the provider that Build compiles.
func (s *Stage) Provider() string { return s.path("provider" + terraformcli.ExeSuffix()) }

// Build compiles the provider into the mirror. It has no symbols, like the released one: Terraform reads all of it each time it starts it.
func (s *Stage) Build(ctx context.Context) error {
	provider := s.Provider()
	err := terraformcli.Build(ctx, provider, terraformcli.ModulePath, "-ldflags", "-s -w -X main.version="+terraformcli.ProviderVersion)
	if err != nil {
		return err
	}

	return terraformcli.Mirror(s.mirror(), provider)
}

// Program compiles the command in a folder of this module, and returns its path.
func (s *Stage) Program(ctx context.Context, folder string) (string, error) {
	program := s.path(filepath.Base(folder) + terraformcli.ExeSuffix())
	return program, terraformcli.Build(ctx, program, terraformcli.ModulePath+"/"+folder)
}

// Offer puts the binary of another provider into the mirror.
func (s *Stage) Offer(source, binary string) error {
	return terraformcli.MirrorOther(s.mirror(), source, binary)
}

// IsProvider reports whether a program is the provider that was built here.
func (s *Stage) IsProvider(path string) bool {
	return strings.HasPrefix(path, s.root+string(filepath.Separator)) &&
		strings.HasPrefix(filepath.Base(path), "terraform-provider-analytics")
}

// Write writes a file, with the folders on the way to it, and returns its path.
func (s *Stage) Write(name string, content []byte) (string, error) {
	file := s.path(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", fmt.Errorf("no folder for %s: %w", name, err)
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return "", fmt.Errorf("%s could not be written: %w", name, err)
	}
	return file, nil
}

// Start starts a mock server with flags of its own and waits until it listens. Clear
// stops it.
func (s *Stage) Start(ctx context.Context, flags ...string) (*Service, error) {
	service, err := startService(ctx, s.Provider(), flags)
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
