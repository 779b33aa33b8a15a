// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

func TestExamples_everyObjectHasItsOwn(t *testing.T) {
	t.Parallel()
	offered := provider.New("test", os.Getenv)
	for _, create := range offered.Resources(t.Context()) {
		object := create()
		var named resource.MetadataResponse
		object.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: provider.TypeName}, &named)
		folder := "resources/" + named.TypeName + "/"
		_, importable := object.(resource.ResourceWithImportState)
		wantFile(t, importable, folder+"import.sh")
		wantFile(t, importable, folder+importFile)
		_, identified := object.(resource.ResourceWithIdentity)
		wantFile(t, identified, folder+identityFile)
	}

	for _, d := range readSchemas(t) {
		kind, name, isObject := strings.Cut(strings.TrimSuffix(d.object, "`"), " `")
		if isObject && d.path == "" {
			wantFile(t, true, fmt.Sprintf(exampleOf[kind], name))
		}
	}
}

// exampleOf is where the example of each kind of object is.
var exampleOf = map[string]string{
	"Resource":           "resources/%s/resource.tf",
	"Data source":        "data-sources/%s/data-source.tf",
	"Ephemeral resource": "ephemeral-resources/%s/ephemeral-resource.tf",
	"List resource":      "list-resources/%s/list-resource.tfquery.hcl",
	"Action":             "actions/%s/action.tf",
	"Function":           "functions/%s/function.tf",
}

// wantFile fails the test where an example is missing, or exists for what the object
// cannot do.
func wantFile(t *testing.T, wanted bool, file string) {
	t.Helper()
	path := filepath.Join(root, "examples", file)
	_, err := os.Stat(path)
	if exists := err == nil; exists != wanted {
		t.Errorf("%s exists: %v, and should: %v", path, exists, wanted)
	}
}
