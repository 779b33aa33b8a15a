// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// described is an object, a block or an attribute, as the schemas have it.
type described struct {
	object      string // as the guide about personal data calls it, such as "Resource `analytics_profile`"
	path        string // of a block or an attribute; empty for the object itself
	description string
	class       string // of an attribute: where its value goes
	attribute   *tfprotov6.SchemaAttribute
}

// readSchemas returns everything that the schemas of the provider describe.
func readSchemas(t *testing.T) (all []described) {
	t.Helper()
	p := prototest.MustStart(t, prototest.Attributes{"base_url": "https://analytics.example.com", "api_secret_key": "invented"})
	read := p.Schemas
	add := func(object, class string, block *tfprotov6.SchemaBlock) {
		all = append(all, described{object: object, description: block.Description})
		all = append(all, blocksOf(object, "", class, block)...)
	}

	add("Provider block", "provider", read.Provider.Block)
	for name, schema := range read.ResourceSchemas {
		add("Resource `"+name+"`", "open", schema.Block)
	}
	for name, schema := range p.Identities {
		for _, a := range schema.IdentityAttributes {
			all = append(all, described{"Resource `" + name + "`", "identity." + a.Name, a.Description, "identity", nil})
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

// blocksOf returns what a block has, and the blocks in it.
func blocksOf(object, path, class string, block *tfprotov6.SchemaBlock) []described {
	all := attributesOf(object, path, class, block.Attributes)
	for _, nested := range block.BlockTypes {
		all = append(all, described{object: object, path: path + nested.TypeName, description: nested.Block.Description})
		all = append(all, blocksOf(object, path+nested.TypeName+".", class, nested.Block)...)
	}
	return all
}

// attributesOf returns attributes and what is nested in them: what is inside something sensitive is hidden with it.
func attributesOf(object, path, class string, list []*tfprotov6.SchemaAttribute) (all []described) {
	for _, a := range list {
		d := described{object, path + a.Name, a.Description, classOf(class, a), a}
		all = append(all, d)
		if a.NestedType != nil {
			all = append(all, attributesOf(object, d.path+".", d.class, a.NestedType.Attributes)...)
		}
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

// TestSchemas_everyAttribute has a secret or personal data sensitive, by itself or by what it is
// nested in. No element of a collection is sensitive by itself: Terraform compares each value below
// a collection with every sensitive path in it, so that the cost of long lists would not be linear.
// Of an action, the person and nothing else is write-only, and may be ephemeral.
func TestSchemas_everyAttribute(t *testing.T) {
	t.Parallel()
	secret := regexp.MustCompile(`password|token|secret|headers|^json$|_json$|ipv6`)
	sensitive, repeated := map[string]bool{}, map[string]bool{} // also by what an attribute is nested in
	for _, d := range readSchemas(t) {
		if d.attribute == nil {
			continue
		}
		a, where := d.attribute, d.object+"."+d.path
		parent := strings.TrimSuffix(where, "."+a.Name)
		sensitive[where] = a.Sensitive || sensitive[parent]
		repeated[where] = a.NestedType != nil && a.NestedType.Nesting != tfprotov6.SchemaObjectNestingModeSingle || repeated[parent]

		// The version of a write-only attribute is a number that the user counts up.
		isVersion := strings.HasSuffix(a.Name, "_wo_version") && tftypes.Number.Equal(a.Type)
		if secret.MatchString(a.Name) && !isVersion && !sensitive[where] && !a.WriteOnly {
			t.Errorf("%s is neither sensitive nor write-only", where)
		}
		if repeated[parent] && a.Sensitive {
			t.Errorf("%s is sensitive; make the collection sensitive", where)
		}
		if strings.HasPrefix(where, "Action ") && a.WriteOnly != (a.Name == "identity_id") {
			t.Errorf("%s is write-only: %v", where, a.WriteOnly)
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

func TestExamples_everyObjectHasItsOwn(t *testing.T) {
	t.Parallel()
	all, imported := readSchemas(t), map[string]bool{}
	for _, d := range all {
		imported[d.object] = imported[d.object] || d.class == "identity"
	}

	for _, d := range all {
		kind, name, isObject := strings.Cut(strings.TrimSuffix(d.object, "`"), " `")
		if !isObject || d.path != "" {
			continue
		}

		example := filepath.Join(root, "examples", fmt.Sprintf(exampleOf[kind], name))
		if _, err := os.Stat(example); err != nil {
			t.Error(err)
		}
		for _, file := range []string{"import.sh", importFile, identityFile} {
			_, err := os.Stat(filepath.Join(filepath.Dir(example), file))
			if imported[d.object] != (err == nil) {
				t.Errorf("%s of %s is wanted: %t; %v", file, d.object, imported[d.object], err)
			}
		}
	}
}

// The lines of the guide: what an attribute belongs to, and where its value goes.
var (
	objectLine    = regexp.MustCompile("(?m)^### ((?:Provider block|Resource|Data source|Ephemeral resource|List resource|Action).*)$")
	attributeLine = regexp.MustCompile("(?m)^\\| `([a-z0-9_.]+)` \\| [^|]+ \\| ([^|]+) \\|$")
)

// harmless names the attributes that hold no personal data in any object.
//
//go:embed testdata/no-personal-data.txt
var harmless string

func TestPersonalDataGuide_hasEveryAttributeThatHoldsSome(t *testing.T) {
	t.Parallel()
	listed, object := map[string]string{}, "" // the class of each attribute, by its object and itself
	for line := range strings.Lines(readPage(t, "docs/guides/personal-data.md")) {
		if heading := objectLine.FindStringSubmatch(line); heading != nil {
			object = heading[1]
		}
		if attribute := attributeLine.FindStringSubmatch(line); object != "" && attribute != nil {
			name := object + ": " + attribute[1]
			if listed[name] != "" {
				t.Errorf("%s is listed twice", name)
			}
			listed[name] = attribute[2]
		}
	}

	without := strings.Fields(harmless)
	for _, d := range readSchemas(t) {
		name := d.object + ": " + d.path
		got, ok := listed[name]
		delete(listed, name)
		if d.class == "" {
			continue
		}
		if ok == slices.Contains(without, d.path) {
			t.Errorf("%s, which is %q, has to be in either templates/guides/personal-data.md.tmpl or testdata/no-personal-data.txt", name, d.class)
		}
		if ok && got != d.class {
			t.Errorf("%s is called %q, and is %q", name, got, d.class)
		}
	}

	for name := range listed {
		t.Errorf("%s is listed, and is not an attribute", name)
	}
}
