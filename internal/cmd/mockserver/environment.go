package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// The scope that is printed where nobody in the seed has one.
const (
	defaultOrg     = "org-demo"
	defaultProject = "web"
)

// readSeed reads a file, which may be left out, and adds a user and a secret key where
// it has none: a server that nobody can talk to is of no use.
func readSeed(file string) (mockserver.Seed, error) {
	seed, err := decodeSeed(file)
	if err != nil {
		return seed, err
	}

	if len(seed.Users) == 0 {
		seed.Users = []mockserver.SeedUser{{Email: "operator@example.com", Password: rand.Text()}}
	}
	if len(seed.SecretKeys) == 0 {
		seed.SecretKeys = []string{rand.Text()}
	}

	return seed, nil
}

func decodeSeed(file string) (mockserver.Seed, error) {
	if file == "" {
		return mockserver.Seed{}, nil
	}

	f, err := os.Open(file)
	if err != nil {
		return mockserver.Seed{}, err
	}
	defer f.Close()

	return mockserver.ReadSeed(f)
}

// environment returns the shell commands that export the provider's configuration. The
// address comes last, so that a program that waits for it has the rest.
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

// scope returns the organization and project of the seed's first person who has one.
func scope(seed mockserver.Seed) (org, project string) {
	for _, p := range people(seed) {
		if p.OrgID != "" {
			return p.OrgID, p.ProjectID
		}
	}
	return defaultOrg, defaultProject
}

func people(seed mockserver.Seed) []mockserver.SeedPerson {
	var all []mockserver.SeedPerson
	for _, c := range seed.Consents {
		all = append(all, c.SeedPerson)
	}
	for _, p := range seed.Profiles {
		all = append(all, p.SeedPerson)
	}
	for _, d := range seed.Data {
		all = append(all, d.SeedPerson)
	}

	return all
}

// quote quotes a text for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
