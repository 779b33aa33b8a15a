package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// dialect is how the service of the last step answers what the interface leaves open.
const dialect = "consent_parameters=form,agreement_time=unix_ms,consent_time=unix_ms,misplaced_parameters=ignored,consent_answer=nested," +
	"export_kind=parameter,pending_answer=wrapped"

// examineDialect starts a service that differs from the defaults, and shows what the
// provider's own command finds out about it. The person's consent has to be as it was.
func examineDialect(ctx context.Context, d *demo) error {
	known, err := d.stage.Write("seed.json", seed)
	if err != nil {
		return err
	}
	service, err := d.stage.Start(ctx, "-seed", known, "-export-records", "200", "-dialect", dialect)
	if err != nil {
		return err
	}

	args := []string{"doctor", "-identity", existing, "-write", "-yes"}
	d.screen.command("terraform-provider-analytics " + strings.Join(args, " "))
	command := exec.CommandContext(ctx, d.stage.Provider(), args...)
	command.Env = append(slices.Clone(d.stage.Terraform.Env), service.Environment()...)
	output, err := command.CombinedOutput()

	if service.Leaked(string(output)) {
		return errors.New("doctor printed a credential")
	}
	d.last = terraformcli.Result{Stdout: string(output), Output: string(output)}
	if status := command.ProcessState.ExitCode(); status != 1 {
		return errors.Join(fmt.Errorf("doctor ended with status %d instead of 1, which says that the service differs", status), err)
	}
	d.screen.excerpt(strings.Split(strings.TrimSpace(string(output)), "\n"))

	err = service.Stop() // its log is complete then
	d.requests = append(d.requests, service.Entries()...)
	d.everything = append(d.everything, service.Entries()...)

	return err
}

// reported expects lines in the last output that match patterns. They were shown already.
func reported(patterns ...string) action {
	return func(_ context.Context, d *demo) error {
		for _, pattern := range patterns {
			if len(matching(d.last.Stdout, pattern)) == 0 {
				return fmt.Errorf("no line matches %s", pattern)
			}
		}
		return nil
	}
}
