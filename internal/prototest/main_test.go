// SPDX-License-Identifier: MPL-2.0

package prototest_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }
