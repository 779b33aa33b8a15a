// SPDX-License-Identifier: MPL-2.0

package acctest

import (
	"fmt"
	"testing"
)

// Feature is what a test needs and what only newer versions of Terraform or OpenTofu know.
// The guide about versions has the same numbers.
type Feature struct {
	name string // plural
	// The minor versions of 1 that the feature came with; 0 where it is missing.
	terraform, openTofu int
}

// The features of which some supported version lacks one.
var (
	Tests               = Feature{"tests of modules", 6, 6}
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

// need skips a test where the CLI lacks the feature. The command clis reads the reason.
func (f Feature) need(tb testing.TB) {
	tb.Helper()
	v, err := Version()
	if err != nil {
		tb.Fatal(err)
	}

	since := f.terraform
	if v.Product == "OpenTofu" {
		since = f.openTofu
	}

	if since == 0 || v.Before(since) {
		tb.Skipf("%s, and this is %s", f, v.Line)
	}
}
