package acctest

import "fmt"

// Feature is what a test needs and what only newer versions of Terraform or OpenTofu know.
// The guide about versions has the same numbers.
type Feature struct {
	name string // plural
	// The minor versions of 1 that the feature came with; 0 where it is missing.
	terraform, openTofu int
}

// The features of which some supported version lacks one.
var (
	MockProviders       = Feature{"mock providers", 7, 8}
	Functions           = Feature{"functions", 8, 8}
	FunctionsAlone      = Feature{"functions of a provider without settings", 8, 11}
	Ephemeral           = Feature{"ephemeral values and resources", 10, 11}
	WriteOnlyAttributes = Feature{"write-only attributes", 11, 11}
	Identities          = Feature{"resource identities", 12, 12}
	Actions             = Feature{"actions", 14, 0}
	Lists               = Feature{"lists", 14, 0}
)

// String returns which versions have the feature.
func (f Feature) String() string {
	if f.openTofu == 0 {
		return fmt.Sprintf("%s need Terraform 1.%d", f.name, f.terraform)
	}
	return fmt.Sprintf("%s need Terraform 1.%d or OpenTofu 1.%d", f.name, f.terraform, f.openTofu)
}

// Needs skips the test where the CLI lacks a feature. The command clis reads the reason.
func (c *CLI) Needs(f Feature) {
	c.tb.Helper()
	v := c.Version()
	since := f.terraform
	if v.Product == "OpenTofu" {
		since = f.openTofu
	}

	if since == 0 || v.Before(since) {
		c.tb.Skipf("%s, and this is %s", f, v.Line)
	}
}
