// Command clis runs the tests that start a CLI with each Terraform and OpenTofu that it is
// given, and prints which of them pass with which version.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/command"
)

func main() { command.Main("clis", run) }

// options are the command line.
type options struct {
	folder string
	only   *regexp.Regexp
	goOn   bool
	clis   []string // paths, or names on PATH
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("clis", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.folder, "folder", ".bin/clis", "where programs are built, and where results and the output of tests that failed are kept")
	flags.BoolVar(&o.goOn, "continue", false, "take what passed in an earlier run of the same code with the same version")
	only := flags.String("only", "", "run the packages alone whose path this regular expression matches")
	if err := flags.Parse(args); err != nil {
		return o, err
	}

	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-only is no regular expression: %w", err)
	}
	if o.clis = flags.Args(); len(o.clis) == 0 {
		return o, errors.New(`name the programs of Terraform and OpenTofu, as in make clis CLIS="terraform /path/to/tofu"`)
	}

	return o, nil
}

// run runs the tests with each CLI and prints the report.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}

	found, err := identify(ctx, o.clis)
	if err != nil {
		return err
	}
	tests, err := prepare(ctx, o, stdout)
	if err != nil {
		return err
	}

	r, err := tests.withEach(ctx, found)
	if ctx.Err() != nil {
		return errors.New("stopped before the end; -continue goes on")
	}
	if err != nil {
		return err
	}

	_, _ = fmt.Fprintf(stdout, "\n%s", r)
	if n := r.failed(); n > 0 {
		return fmt.Errorf("%d tests failed; %s holds their output", n, o.folder)
	}

	return nil
}
