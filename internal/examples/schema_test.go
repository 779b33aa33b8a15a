// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// described is an object, a block or an attribute, as the schemas have it.
type described struct {
	object      string // as the guide about personal data calls it, such as "Resource `analytics_profile`"
	path        string // of a block or an attribute; empty for the object itself
	description string
	class       string // of an attribute: where its value goes
}

// classes are the names of the classes of an object's attributes.
type classes struct{ plain, sensitive, writeOnly string }

// schemas is everything that the schemas of the provider describe.
type schemas []described

func readSchemas(t *testing.T) (s schemas) {
	t.Helper()
	p := prototest.MustStart(t, prototest.Attributes{"base_url": "https://analytics.example.com", "api_secret_key": "invented"})
	read := p.Schemas()

	s.block("Provider block", "", read.Provider.Block, classes{"provider", "provider, sensitive", ""})
	for name, schema := range read.ResourceSchemas {
		s.block("Resource `"+name+"`", "", schema.Block, classes{"open", "sensitive", "write-only"})
	}
	for name, schema := range p.IdentitySchemas() {
		for _, a := range schema.IdentityAttributes {
			s = append(s, described{"Resource `" + name + "`", "identity." + a.Name, a.Description, "identity"})
		}
	}
	for name, schema := range read.DataSourceSchemas {
		s.block("Data source `"+name+"`", "", schema.Block, classes{"open", "sensitive", ""})
	}
	for name, schema := range read.EphemeralResourceSchemas {
		s.block("Ephemeral resource `"+name+"`", "", schema.Block, classes{"ephemeral", "ephemeral", ""})
	}
	for name, schema := range read.ListResourceSchemas {
		s.block("List resource `"+name+"`", "", schema.Block, classes{"list", "", ""})
	}
	for name, schema := range read.ActionSchemas {
		s.block("Action `"+name+"`", "", schema.Schema.Block, classes{"action", "", "action, write-only"})
	}
	for name, function := range read.Functions {
		s = append(s, described{object: "Function `" + name + "`", description: function.Description})
	}

	return s
}

func (s *schemas) block(object, path string, block *tfprotov6.SchemaBlock, c classes) {
	*s = append(*s, described{object: object, path: path, description: block.Description})
	s.attributes(object, path, block.Attributes, c)
	for _, nested := range block.BlockTypes {
		s.block(object, join(path, nested.TypeName), nested.Block, c)
	}
}

func (s *schemas) attributes(object, path string, attributes []*tfprotov6.SchemaAttribute, c classes) {
	for _, a := range attributes {
		d := described{object, join(path, a.Name), a.Description, c.plain}
		if a.Sensitive {
			d.class = c.sensitive
		}
		if a.WriteOnly {
			d.class = c.writeOnly
		}
		*s = append(*s, d)

		if a.NestedType != nil {
			// What is inside something sensitive is hidden with it.
			s.attributes(object, d.path, a.NestedType.Attributes, classes{d.class, c.sensitive, c.writeOnly})
		}
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
