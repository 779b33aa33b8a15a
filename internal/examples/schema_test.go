// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// described is an object, a block or an attribute, as the schemas have it.
type described struct {
	object      string // as the guide about personal data calls it, such as "Resource `analytics_profile`"
	path        string // of a block or an attribute; empty for the object itself
	description string
	class       string // of an attribute: where its value goes
}

// readSchemas returns everything that the schemas of the provider describe.
func readSchemas(t *testing.T) (all []described) {
	t.Helper()
	p := prototest.MustStart(t, prototest.Attributes{"base_url": "https://analytics.example.com", "api_secret_key": "invented"})
	var attributes func(object, path, class string, list []*tfprotov6.SchemaAttribute)
	attributes = func(object, path, class string, list []*tfprotov6.SchemaAttribute) {
		for _, a := range list {
			d := described{object, path + a.Name, a.Description, classOf(class, a)}
			all = append(all, d)
			if a.NestedType != nil { // what is inside something sensitive is hidden with it
				attributes(object, d.path+".", d.class, a.NestedType.Attributes)
			}
		}
	}
	add := func(object, class string, block *tfprotov6.SchemaBlock) {
		all = append(all, described{object: object, description: block.Description})
		attributes(object, "", class, block.Attributes)
		for _, nested := range block.BlockTypes {
			all = append(all, described{object: object, path: nested.TypeName, description: nested.Block.Description})
			attributes(object, nested.TypeName+".", class, nested.Block.Attributes)
		}
	}

	read := p.Schemas()
	add("Provider block", "provider", read.Provider.Block)
	for name, schema := range read.ResourceSchemas {
		add("Resource `"+name+"`", "open", schema.Block)
	}
	for name, schema := range p.IdentitySchemas() {
		for _, a := range schema.IdentityAttributes {
			all = append(all, described{"Resource `" + name + "`", "identity." + a.Name, a.Description, "identity"})
		}
	}
	for name, schema := range read.DataSourceSchemas {
		add("Data source `"+name+"`", "open", schema.Block)
	}
	for name, schema := range read.EphemeralResourceSchemas {
		add("Ephemeral resource `"+name+"`", "ephemeral", schema.Block)
	}
	for name, schema := range read.ListResourceSchemas {
		add("List resource `"+name+"`", "list", schema.Block)
	}
	for name, schema := range read.ActionSchemas {
		add("Action `"+name+"`", "action", schema.Schema.Block)
	}
	for name, function := range read.Functions {
		all = append(all, described{object: "Function `" + name + "`", description: function.Description})
	}

	return all
}

// classOf returns the class of an attribute of what has a class.
func classOf(class string, a *tfprotov6.SchemaAttribute) string {
	if a.WriteOnly {
		class += ", write-only"
	} else if a.Sensitive && (class == "open" || class == "provider") {
		class += ", sensitive"
	}
	return strings.TrimPrefix(class, "open, ")
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

func TestExamples_everyObjectHasItsOwn(t *testing.T) {
	t.Parallel()
	wanted := map[string]bool{} // by the path; false for what an object cannot do
	for _, create := range provider.New("test", os.Getenv).Resources(t.Context()) {
		object := create()
		var named resource.MetadataResponse
		object.Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: provider.TypeName}, &named)
		folder := "resources/" + named.TypeName + "/"
		_, importable := object.(resource.ResourceWithImportState)
		_, identified := object.(resource.ResourceWithIdentity)
		wanted[folder+"import.sh"], wanted[folder+importFile], wanted[folder+identityFile] = importable, importable, identified
	}
	for _, d := range readSchemas(t) {
		kind, name, isObject := strings.Cut(strings.TrimSuffix(d.object, "`"), " `")
		if isObject && d.path == "" {
			wanted[fmt.Sprintf(exampleOf[kind], name)] = true
		}
	}

	for file, want := range wanted {
		if _, err := os.Stat(filepath.Join(root, "examples", file)); (err == nil) != want {
			t.Errorf("examples/%s is wanted: %t; %v", file, want, err)
		}
	}
}
