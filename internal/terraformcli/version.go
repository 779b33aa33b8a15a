package terraformcli

import (
	"context"
	"fmt"
	"strings"
)

// Version is the version of a CLI.
type Version struct {
	// Product is "Terraform" or "OpenTofu".
	Product string
	Major   int
	Minor   int
	// Line is what the CLI itself prints, such as "Terraform v1.11.4".
	Line string
}

// Version asks the CLI for its version.
func (c CLI) Version(ctx context.Context) (Version, error) {
	res, err := c.Run(ctx, "version")
	if err != nil {
		return Version{}, err
	}

	line, _, _ := strings.Cut(res.Stdout, "\n")
	return parseVersion(line)
}

// parseVersion reads a line such as "OpenTofu v1.8.1".
func parseVersion(line string) (Version, error) {
	v := Version{Line: line}
	if _, err := fmt.Sscanf(line, "%s v%d.%d", &v.Product, &v.Major, &v.Minor); err != nil {
		return Version{}, fmt.Errorf("no version of Terraform or OpenTofu: %q", line)
	}
	return v, nil
}

// Name returns what people call the program: terraform or tofu.
func (v Version) Name() string {
	if v.Product == "OpenTofu" {
		return "tofu"
	}
	return "terraform"
}

// Supported returns an error for a version that the provider does not work with.
func (v Version) Supported() error {
	oldest := 5
	if v.Product == "OpenTofu" {
		oldest = 8
	}

	if v.Major < 1 || v.Major == 1 && v.Minor < oldest {
		return fmt.Errorf("%s is too old: the provider needs Terraform 1.5 or OpenTofu 1.8 at least", v.Line)
	}

	return nil
}
