// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

func TestExamples_everyObjectHasItsOwn(t *testing.T) {
	t.Parallel()
	offered := provider.New("test", os.Getenv)
	for _, create := range offered.Resources(t.Context()) {
		object := create()
		var named resource.MetadataResponse
		object.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: provider.TypeName}, &named)
		folder := filepath.Join("resources", named.TypeName)
		_, importable := object.(resource.ResourceWithImportState)
		wantFile(t, true, folder, "resource.tf")
		wantFile(t, importable, folder, "import.sh")
		wantFile(t, importable, folder, importFile)
		_, identified := object.(resource.ResourceWithIdentity)
		wantFile(t, identified, folder, identityFile)
	}

	for _, create := range offered.DataSources(t.Context()) {
		var named datasource.MetadataResponse
		create().Metadata(t.Context(), datasource.MetadataRequest{ProviderTypeName: provider.TypeName}, &named)
		wantFile(t, true, filepath.Join("data-sources", named.TypeName), "data-source.tf")
	}

	schemas := prototest.MustStart(t, prototest.Attributes{
		"base_url": "https://analytics.example.com", "api_secret_key": "invented",
	}).Schemas()
	for name := range schemas.EphemeralResourceSchemas {
		wantFile(t, true, filepath.Join("ephemeral-resources", name), "ephemeral-resource.tf")
	}
	for name := range schemas.ListResourceSchemas {
		wantFile(t, true, filepath.Join("list-resources", name), "list-resource.tfquery.hcl")
	}
	for name := range schemas.ActionSchemas {
		wantFile(t, true, filepath.Join("actions", name), "action.tf")
	}
	for name := range schemas.Functions {
		wantFile(t, true, filepath.Join("functions", name), "function.tf")
	}
}

// wantFile fails the test where an example is missing, or exists for what the object
// cannot do.
func wantFile(t *testing.T, wanted bool, folder, name string) {
	t.Helper()
	path := filepath.Join(root, "examples", folder, name)
	_, err := os.Stat(path)
	if exists := err == nil; exists != wanted {
		t.Errorf("%s exists: %v, and should: %v", path, exists, wanted)
	}
}
