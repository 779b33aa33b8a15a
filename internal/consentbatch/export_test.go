// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"fmt"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

func init() {
	if keyIterations != 200_000 {
		panic(fmt.Sprintf("a digest is stretched %d times", keyIterations))
	}

	keyIterations = soak.Size(100, digestIterations)
}
