package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// The scope that is printed where the seed has no person in any.
const (
	defaultOrg     = "org-demo"
	defaultProject = "web"
)

// readSeed reads the file, where there is one, and adds a user and a secret key
// where it has none: a server that nobody can talk to is of no use.
func readSeed(file string) (mockserver.Seed, error) {
	var seed mockserver.Seed
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return seed, err
		}
		defer f.Close()
		if seed, err = mockserver.ReadSeed(f); err != nil {
			return seed, err
		}
	}
	if len(seed.Users) == 0 {
		seed.Users = []mockserver.SeedUser{{Email: "operator@example.com", Password: rand.Text()}}
	}
	if len(seed.SecretKeys) == 0 {
		seed.SecretKeys = []string{rand.Text()}
	}
	return seed, nil
}

// environment configures the provider, for a shell to evaluate. The address comes
// last: whoever waits for it has the rest.
func environment(url string, seed mockserver.Seed, credentials string) string {
	var b strings.Builder
	export := func(name, value string) { fmt.Fprintf(&b, "export %s=%s\n", name, quote(value)) }
	if credentials == withLogin {
		export("ANALYTICS_EMAIL", seed.Users[0].Email)
		export("ANALYTICS_PASSWORD", seed.Users[0].Password)
	} else {
		export("ANALYTICS_API_SECRET_KEY", seed.SecretKeys[0])
	}
	org, project := scope(seed)
	export("ANALYTICS_ORG_ID", org)
	export("ANALYTICS_PROJECT_ID", project)
	export("ANALYTICS_BASE_URL", url)
	return b.String()
}

// scope is where the seed's first person of the org/project family is.
func scope(seed mockserver.Seed) (org, project string) {
	var people []mockserver.SeedPerson
	for _, c := range seed.Consents {
		people = append(people, c.SeedPerson)
	}
	for _, p := range seed.Profiles {
		people = append(people, p.SeedPerson)
	}
	for _, d := range seed.Data {
		people = append(people, d.SeedPerson)
	}
	for _, p := range people {
		if p.OrgID != "" {
			return p.OrgID, p.ProjectID
		}
	}
	return defaultOrg, defaultProject
}

// quote quotes for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
