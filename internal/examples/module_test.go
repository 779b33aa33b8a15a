package examples_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// TestCLIModules_passTheirOwnTests runs `terraform test`, which mocks the provider
// in one file and reaches the mock server in another.
func TestCLIModules_passTheirOwnTests(t *testing.T) {
	t.Parallel()
	modules, err := os.ReadDir(root + "/examples/modules")
	if err != nil {
		t.Fatal(err)
	}

	for _, module := range modules {
		t.Run(module.Name(), func(t *testing.T) {
			t.Parallel()
			e := open(t, filepath.Join("modules", module.Name()))
			e.Needs(acctest.MockProviders)

			e.terraform(t, "test")
			if e.service.Count(mockserver.OpUpdateConsent) == 0 {
				t.Error("nothing reached the service")
			}
		})
	}
}
