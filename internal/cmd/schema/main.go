// Command schema prints the schemas of the provider in the form of "terraform providers
// schema -json". It asks the provider's own server, so that the documentation does not
// depend on what an installed Terraform knows of.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// address is where the generator of the documentation looks for any provider.
const address = "registry.terraform.io/hashicorp/analytics"

func main() {
	schemas, err := read(context.Background())
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(schemas)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// read returns the schemas of everything that the provider offers.
func read(ctx context.Context) (*tfjson.ProviderSchemas, error) {
	server := provider.NewServer("dev", func(string) string { return "" })
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	for _, d := range append(schemas.Diagnostics, identities.Diagnostics...) {
		return nil, fmt.Errorf("%s: %s", d.Summary, d.Detail)
	}

	var c converter
	converted := &tfjson.ProviderSchema{
		ConfigSchema:             c.schema(schemas.Provider),
		ResourceSchemas:          mapped(schemas.ResourceSchemas, c.schema),
		DataSourceSchemas:        mapped(schemas.DataSourceSchemas, c.schema),
		EphemeralResourceSchemas: mapped(schemas.EphemeralResourceSchemas, c.schema),
		ListResourceSchemas:      mapped(schemas.ListResourceSchemas, c.schema),
		ActionSchemas:            mapped(schemas.ActionSchemas, c.action),
		Functions:                mapped(schemas.Functions, c.function),
		ResourceIdentitySchemas:  mapped(identities.IdentitySchemas, c.identity),
	}
	if c.err != nil {
		return nil, c.err
	}

	return &tfjson.ProviderSchemas{
		FormatVersion: "1.0",
		Schemas:       map[string]*tfjson.ProviderSchema{address: converted},
	}, nil
}

// mapped returns a map with every value converted.
func mapped[From, To any](values map[string]From, convert func(From) To) map[string]To {
	converted := make(map[string]To, len(values))
	for name, value := range values {
		converted[name] = convert(value)
	}
	return converted
}
