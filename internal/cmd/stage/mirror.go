package stage

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// hosts are the registries whose address Terraform and OpenTofu put before a
// source such as terraform-analytics/analytics.
var hosts = []string{"registry.terraform.io", "registry.opentofu.org"}

// isolated returns env without anything that changes what Terraform or the
// provider does, and with a CLI configuration of the stage's own: a person's
// settings can neither break what runs here nor be touched by it.
func isolated(env []string, config string) []string {
	var kept []string
	for _, entry := range env {
		if !strings.HasPrefix(entry, "TF_") && !strings.HasPrefix(entry, "ANALYTICS_") {
			kept = append(kept, entry)
		}
	}
	return append(kept,
		"TF_CLI_CONFIG_FILE="+config,
		"TF_CLI_ARGS=-no-color",
		"TF_INPUT=0",
		"TF_IN_AUTOMATION=1",
		"CHECKPOINT_DISABLE=1",
	)
}

// cliConfig lets providers come from the mirror only; Terraform asks no registry.
func cliConfig(mirror string) []byte {
	return fmt.Appendf(nil, `disable_checkpoint = true

provider_installation {
  filesystem_mirror {
    path = %s
  }
}
`, strconv.Quote(mirror))
}

// mirrored returns where in a mirror Terraform looks for the provider of a host.
func mirrored(mirror, host string) string {
	return filepath.Join(mirror, host, "terraform-analytics", "analytics", Version,
		runtime.GOOS+"_"+runtime.GOARCH, "terraform-provider-analytics_v"+Version+exeSuffix())
}

// copyProgram links a program to another place, or copies it where the file
// system has no links.
func copyProgram(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("no folder in the mirror: %w", err)
	}
	if os.Link(from, to) == nil {
		return nil
	}
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, fs.FileMode(0o700))
	}
	if err != nil {
		return fmt.Errorf("the provider could not be put into the mirror: %w", err)
	}
	return nil
}
