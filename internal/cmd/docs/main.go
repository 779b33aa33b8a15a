// SPDX-License-Identifier: MPL-2.0

// Command docs writes what the documentation is generated from: with the argument schema, the schemas of the provider in
// the form of "terraform providers schema -json". It asks the provider's own server, so that the documentation does not
// depend on what an installed Terraform knows of. With the arguments answers and a page, a template whose actions stand
// in HTML comments, it writes the page with the answers of package catalogue, by endpoint.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/catalogue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// address is where the generator of the documentation looks for any provider.
const address = "registry.terraform.io/hashicorp/analytics"

func main() {
	text, err := read(context.Background())
	if os.Args[1] == "answers" {
		text, err = answers(os.Args[2])
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(text))
}

// read returns the schemas of everything that the provider offers.
func read(ctx context.Context) ([]byte, error) {
	server := provider.NewServer("dev", func(string) string { return "" })
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	identities, unread := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err := errors.Join(err, unread); err != nil {
		return nil, err
	}

	actions := map[string]*tfprotov6.Schema{}
	for name, action := range schemas.ActionSchemas {
		actions[name] = action.Schema
	}
	text, err := json.Marshal(map[string]any{
		"provider": schemas.Provider, "resource_schemas": schemas.ResourceSchemas, "data_source_schemas": schemas.DataSourceSchemas,
		"ephemeral_resource_schemas": schemas.EphemeralResourceSchemas, "list_resource_schemas": schemas.ListResourceSchemas,
		"action_schemas": actions, "functions": schemas.Functions, "resource_identity_schemas": identities.IdentitySchemas,
	})
	var ours any
	if err := errors.Join(err, json.Unmarshal(text, &ours)); err != nil {
		return nil, err
	}

	return json.Marshal(map[string]any{"format_version": "1.0", "provider_schemas": map[string]any{address: theirs("", ours)}})
}

// The names of members for which Terraform has another word, and its words for the values of two of them, by their
// number in the protocol. Its names are not in camel case.
var (
	capital = regexp.MustCompile(`\B[A-Z]`)
	names   = map[string]string{"allow_null_value": "is_nullable", "nesting": "nesting_mode", "identity_attributes": "attributes", "return": "return_type"}
	words   = map[string][]string{"nesting_mode": {"invalid", "single", "list", "set", "map", "group"}, "description_kind": {"plain", "markdown"}}
)

// theirs returns a value of the protocol, which a member of this name has, in the form of Terraform.
func theirs(name string, ours any) any {
	switch ours := ours.(type) {
	case float64:
		if of := words[name]; of != nil {
			return of[int(ours)]
		}
	case []any:
		return theirList(name, ours)
	case map[string]any:
		return theirObject(name, ours)
	}

	return ours
}

// theirObject returns an object in the form of Terraform, where the type of a result stands alone.
func theirObject(name string, ours map[string]any) any {
	converted := map[string]any{}
	for key, value := range ours {
		key = strings.ToLower(capital.ReplaceAllString(key, "_$0"))
		key = cmp.Or(names[key], key)
		if value != nil {
			converted[key] = theirs(key, value)
		}
	}

	if name == "return_type" {
		return converted["type"]
	}

	return converted
}

// theirList returns a list in the form of Terraform, where attributes and blocks are an object, by name.
func theirList(name string, ours []any) any {
	byName := map[string]any{}
	for i, value := range ours {
		ours[i] = theirs("", value)
		if member, isObject := ours[i].(map[string]any); isObject {
			byName[fmt.Sprint(cmp.Or(member["name"], member["type_name"]))] = member
		}
	}

	if name == "attributes" || name == "block_types" {
		return byName
	}

	return ours
}

// answers returns a page with the answers of the catalogue.
func answers(path string) ([]byte, error) {
	page, err := template.New(filepath.Base(path)).Delims("<!--", "-->").Funcs(template.FuncMap{"code": code, "cell": cell}).ParseFiles(path)
	if err != nil {
		return nil, err
	}

	byEndpoint := map[string][]catalogue.Answer{}
	for _, a := range catalogue.All() {
		byEndpoint[string(a.Endpoint)] = append(byEndpoint[string(a.Endpoint)], a)
	}
	var written bytes.Buffer
	err = page.Execute(&written, byEndpoint)

	return written.Bytes(), err
}

// code returns a text as code in a cell, cut behind 300 bytes.
func code(text string) string {
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return "`" + cell(strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", " ↵ ")) + "`"
}

// cell escapes what would end a cell, and what the generator of the documentation would take for an action.
func cell(text string) string { return strings.NewReplacer("|", `\|`, "{{", `{{"{{"}}`).Replace(text) }
