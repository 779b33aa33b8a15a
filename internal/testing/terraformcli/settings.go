// SPDX-License-Identifier: MPL-2.0

package terraformcli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	// ModulePath is the import path of the provider.
	ModulePath = "github.com/terraform-analytics/terraform-provider-analytics"
	// Source is how configurations name the provider.
	Source = "terraform-analytics/analytics"
	// ProviderVersion is the version under which a mirror holds the provider.
	ProviderVersion = "0.1.0"
)

// hosts are the registries whose address Terraform and OpenTofu put before Source.
var hosts = []string{"registry.terraform.io", "registry.opentofu.org"}

// Settings returns the variables with which a CLI reads the configuration file config,
// asks no questions, prints no colors and looks for no updates.
func Settings(config string) []string {
	return []string{
		"TF_CLI_CONFIG_FILE=" + config,
		"TF_CLI_ARGS=-no-color",
		"TF_INPUT=0",
		"TF_IN_AUTOMATION=1",
		"CHECKPOINT_DISABLE=1",
	}
}

// Isolated returns env with Settings in place of everything that changes what
// Terraform or the provider does.
func Isolated(env []string, config string) []string {
	var kept []string
	for _, entry := range env {
		if !strings.HasPrefix(entry, "TF_") && !strings.HasPrefix(entry, "ANALYTICS_") {
			kept = append(kept, entry)
		}
	}
	return append(kept, Settings(config)...)
}

// OverridesConfig returns a CLI configuration that takes the provider from a folder,
// without `terraform init`.
func OverridesConfig(folder string) []byte {
	var overrides strings.Builder
	for _, host := range hosts {
		fmt.Fprintf(&overrides, "    %q = %q\n", host+"/"+Source, folder)
	}
	return fmt.Appendf(nil, "provider_installation {\n  dev_overrides {\n%s  }\n  direct {}\n}\n", overrides.String())
}

// MirrorConfig returns a CLI configuration that takes providers from a mirror only, so
// that no registry is asked.
func MirrorConfig(mirror string) []byte {
	return fmt.Appendf(nil, "disable_checkpoint = true\n\nprovider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror)
}

// Mirror puts the binary of a provider into a mirror, under its source, such as
// magodo/restful, at each registry and in the version of this provider.
func Mirror(mirror, source, binary string) error {
	for _, host := range hosts {
		if err := link(binary, mirrored(mirror, host, source)); err != nil {
			return fmt.Errorf("the provider %s could not be put into the mirror: %w", source, err)
		}
	}
	return nil
}

// mirrored returns where in a mirror Terraform looks for a provider of a host.
func mirrored(mirror, host, source string) string {
	return filepath.Join(mirror, host, filepath.FromSlash(source), ProviderVersion,
		runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-"+path.Base(source)+"_v"+ProviderVersion+ExeSuffix())
}

// link links a program to another place, or copies it where the file system has no
// links.
func link(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}

	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}

	return os.WriteFile(to, content, fs.FileMode(0o700))
}

// Build compiles a package of this module into the program target. The process has to
// run in a folder of the module.
func Build(ctx context.Context, target, pkg string, flags ...string) error {
	args := append([]string{"build", "-buildvcs=false", "-o", target}, flags...)
	output, err := GroupCommand(ctx, "go", append(args, pkg)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, output)
	}
	return nil
}

// ExeSuffix returns what the names of programs end with on this system.
func ExeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
