package acctest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/provider"
)

// Org and Project are the scope of everything that names no other.
const (
	Org     = "org-demo"
	Project = "web"
)

// Config is a provider configuration for a mock server, with e-mail and password.
func Config(service *mocktest.Instance) Attributes {
	return Attributes{
		"base_url": service.URL, "email": service.Email, "password": service.Password,
		"org_id": Org, "project_id": Project,
	}
}

// Block is the same as the text of a provider block, with further lines.
func Block(service *mocktest.Instance, lines ...string) string {
	return fmt.Sprintf("provider \"analytics\" {\n  base_url   = %q\n  email      = %q\n  password   = %q\n  org_id     = %q\n  project_id = %q\n%s\n}\n",
		service.URL, service.Email, service.Password, Org, Project, strings.Join(lines, "\n"))
}

// Run runs steps with the real Terraform CLI, the provider being part of the test
// process: steps assert on state and plan.
func Run(tb testing.TB, steps ...resource.TestStep) {
	tb.Helper()
	t, ok := tb.(*testing.T)
	if !ok {
		tb.Fatal("the CLI is driven from tests only")
	}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			provider.TypeName: func() (tfprotov6.ProviderServer, error) {
				return provider.NewServer("test", func(string) string { return "" }), nil
			},
		},
		Steps: steps,
	})
}
