// SPDX-License-Identifier: MPL-2.0

package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// replaced are the variables that name a service or hold its credentials. Those of another service are removed.
var replaced = []string{
	"ANALYTICS_BASE_URL", "ANALYTICS_API_SECRET_KEY", "ANALYTICS_EMAIL", "ANALYTICS_PASSWORD", "ANALYTICS_TOKEN",
	"ANALYTICS_ORG_ID", "ANALYTICS_PROJECT_ID", "ANALYTICS_ACCOUNT_ID", "ANALYTICS_HEADERS", "ANALYTICS_CA_CERT_FILE",
}

// reachable returns a seed with a user and a secret key, invented where it has none: a server that nobody can talk to
// is of no use.
func reachable(seed mockserver.Seed) mockserver.Seed {
	if len(seed.Users) == 0 {
		seed.Users = []mockserver.SeedUser{{Email: "operator@example.com", Password: rand.Text()}}
	}
	if len(seed.SecretKeys) == 0 {
		seed.SecretKeys = []string{rand.Text()}
	}

	return seed
}

// environmentOf returns the provider's configuration for a server, as NAME=value, with one
// kind of credentials, since the provider refuses both, and with the first project or account in the
// seed. The address comes last, so that a program that waits for it has the rest.
func environmentOf(addr net.Addr, seed mockserver.Seed, credentials string) []string {
	environment := []string{"ANALYTICS_API_SECRET_KEY=" + seed.SecretKeys[0]}
	if credentials == "login" {
		environment = []string{"ANALYTICS_EMAIL=" + seed.Users[0].Email, "ANALYTICS_PASSWORD=" + seed.Users[0].Password}
	}

	scope := cmp.Or(seed.Scope(), mockserver.Scope{OrgID: "org-demo", ProjectID: "web"})
	if scope.AccountID != "" {
		environment = append(environment, "ANALYTICS_ACCOUNT_ID="+scope.AccountID)
	} else {
		environment = append(environment, "ANALYTICS_ORG_ID="+scope.OrgID, "ANALYTICS_PROJECT_ID="+scope.ProjectID)
	}

	return append(environment, "ANALYTICS_BASE_URL=http://"+addr.String())
}

// printed returns the environment as lines for a POSIX shell, which also remove the variables of
// another service.
func printed(environment []string) string {
	var lines strings.Builder
	lines.WriteString("unset " + strings.Join(replaced, " ") + "\n")
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		lines.WriteString("export " + name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'\n")
	}

	return lines.String()
}

// run runs a command with an environment and returns its exit status. An interrupt in a terminal reaches the
// command by itself, and a second one would make Terraform give up its state. SIGTERM is passed on, and is
// sent where the parent ends.
func (p Process) run(ctx context.Context, command, environment []string) (int, error) {
	running, terminate := signal.NotifyContext(context.WithoutCancel(ctx), syscall.SIGTERM)
	defer terminate()
	go func() {
		select {
		case <-p.ParentExited:
			terminate()
		case <-running.Done():
		}
	}()

	cmd := exec.CommandContext(running, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
	cmd.Env = environment
	for _, entry := range p.Environ {
		if name, _, _ := strings.Cut(entry, "="); !slices.Contains(replaced, name) {
			cmd.Env = append(cmd.Env, entry)
		}
	}

	err := cmd.Run()
	if cmd.ProcessState == nil {
		return 0, fmt.Errorf("the command cannot be run: %w", err)
	}

	return cmd.ProcessState.ExitCode(), nil
}
