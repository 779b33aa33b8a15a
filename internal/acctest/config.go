package acctest

import (
	"fmt"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// Org and Project are the scope of everything that names no other.
const (
	Org     = "org-demo"
	Project = "web"
)

// Config returns a provider configuration for a mock server, with e-mail and password.
func Config(service *mocktest.Instance) Attributes {
	return Attributes{
		"base_url": service.URL, "email": service.Email, "password": service.Password,
		"org_id": Org, "project_id": Project,
	}
}

// Block returns Config as the text of a provider block, with further lines.
func Block(service *mocktest.Instance, lines ...string) string {
	return fmt.Sprintf("provider \"analytics\" {\n  base_url   = %q\n  email      = %q\n  password   = %q\n  org_id     = %q\n  project_id = %q\n%s\n}\n",
		service.URL, service.Email, service.Password, Org, Project, strings.Join(lines, "\n"))
}

// Environment returns the environment of a provider that uses a service's secret key.
func Environment(service *mocktest.Instance) map[string]string {
	return map[string]string{
		"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_API_SECRET_KEY": service.SecretKey,
		"ANALYTICS_ORG_ID": Org, "ANALYTICS_PROJECT_ID": Project,
	}
}

// EnvironmentWithLogin is Environment with e-mail and password in place of the key.
func EnvironmentWithLogin(service *mocktest.Instance) map[string]string {
	environment := Environment(service)
	delete(environment, "ANALYTICS_API_SECRET_KEY")
	environment["ANALYTICS_EMAIL"], environment["ANALYTICS_PASSWORD"] = service.Email, service.Password
	return environment
}
