// SPDX-License-Identifier: MPL-2.0

// Package functions holds the provider's functions: pure ones that need neither the
// service nor the provider block. An error of theirs never holds the value of an
// argument, which may be personal, and ends without a full stop, because Terraform adds one.
package functions

import (
	"github.com/hashicorp/terraform-plugin-framework/function"
)

// All returns the constructors of all functions.
func All() []func() function.Function {
	return []func() function.Function{
		NewConsentRows,
		NewImportID,
		NewIPv6Mapped,
		NewPseudonym,
		NewUTCDates,
	}
}
