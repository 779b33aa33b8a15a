package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/testprograms"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// prefixes are what the names of tests that run a CLI begin with.
var prefixes = []string{"TestAcc", "TestCLI"}

// timeLimit ends a process of tests that hangs.
const timeLimit = "30m"

// candidate is a CLI that the tests run with.
type candidate struct {
	path  string
	title string // such as "Terraform 1.15.9"
}

// identify asks each CLI for its version.
func identify(ctx context.Context, programs []string) (found []candidate, _ error) {
	for _, program := range programs {
		path, err := exec.LookPath(program)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be run: %w", program, err)
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}

		version, err := terraformcli.CLI{Path: path, Env: terraformcli.Isolated(os.Environ(), os.DevNull)}.Version(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s does not tell its version: %w", program, err)
		}

		c := candidate{path, strings.Replace(version.Line, " v", " ", 1)}
		if slices.ContainsFunc(found, func(other candidate) bool { return other.title == c.title }) {
			return nil, fmt.Errorf("%s is a second %s", program, c.title)
		}
		found = append(found, c)
	}

	return found, nil
}

// tests are the packages whose tests run a CLI.
type tests struct {
	programs *testprograms.Programs
	provider string
	isolated string // the script that keeps a person's settings out
	packages []testprograms.Package
	goOn     bool
	out      io.Writer
}

// prepare finds the tests, and builds them and the provider.
func prepare(ctx context.Context, o options, out io.Writer) (*tests, error) {
	t := &tests{goOn: o.goOn, out: out}
	all, err := testprograms.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if len(p.Functions(prefixes...)) > 0 && o.only.MatchString(p.Name) {
			t.packages = append(t.packages, p)
		}
	}
	if len(t.packages) == 0 {
		return nil, errors.New("-only matches no package with tests that run a CLI")
	}

	if t.isolated, err = filepath.Abs(filepath.Join("internal", "tools", "isolated.sh")); err != nil {
		return nil, err
	}
	if t.programs, err = testprograms.New(o.folder, false); err != nil {
		return nil, err
	}

	return t, t.build(ctx)
}

func (t *tests) build(ctx context.Context) (err error) {
	t.say("Building the provider and the tests of %d packages", len(t.packages))
	if t.provider, err = t.programs.Provider(ctx); err != nil {
		return err
	}
	for _, p := range t.packages {
		if _, err := t.programs.Tests(ctx, p); err != nil {
			return err
		}
	}

	return nil
}

// withEach runs the tests of all packages with one CLI after the other.
func (t *tests) withEach(ctx context.Context, clis []candidate) (*report, error) {
	r := &report{}
	for _, p := range t.packages {
		r.packages = append(r.packages, &tested{name: p.Title()})
	}

	for i, c := range clis {
		r.clis = append(r.clis, c.title)
		for j, p := range t.packages {
			began := time.Now()
			got, err := t.results(ctx, c, p)
			if err != nil {
				return nil, fmt.Errorf("%s with %s: %w", p.Name, c.title, err)
			}

			r.packages[j].with = append(r.packages[j].with, got)
			t.say("%d of %d, %s, %s: %s in %.0f s", i*len(t.packages)+j+1, len(clis)*len(t.packages),
				c.title, r.packages[j].name, r.packages[j].count(i), time.Since(began).Seconds())
		}
	}

	return r, nil
}

// results returns the results of a package with a CLI, which are those of an earlier run
// where they are wanted and nothing failed.
func (t *tests) results(ctx context.Context, c candidate, p testprograms.Package) (results, error) {
	file := t.file(c, p, ".json")
	if t.goOn {
		kept, err := load(file)
		if err != nil || kept != nil && len(kept.failures()) == 0 {
			return kept, err
		}
	}

	got, err := t.run(ctx, c, p)
	if err != nil {
		return nil, err
	}

	return got, got.save(file)
}

// run runs the tests of a package with a CLI, and keeps what they printed if they failed.
func (t *tests) run(ctx context.Context, c candidate, p testprograms.Package) (results, error) {
	program, err := t.programs.Tests(ctx, p)
	if err != nil {
		return nil, err
	}

	cmd := terraformcli.GroupCommand(ctx, t.isolated, program, "-test.run=^("+strings.Join(prefixes, "|")+")", "-test.v=test2json", "-test.parallel=8", "-test.timeout="+timeLimit)
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), "TF_ACC=1", "TF_ACC_TERRAFORM_PATH="+c.path, "TF_ACC_PROVIDER_BINARY="+t.provider)
	output, ended, err := testprograms.Run(cmd)
	if err != nil {
		return nil, err
	}

	got, err := t.resultsOf(ctx, p, bytes.NewReader(output))
	if err != nil || ended == nil {
		return got, err
	}
	if len(got.failures()) == 0 {
		got[""] = result{failed, ended.Error()}
	}

	return got, t.keepOutput(c, p, output)
}

// resultsOf returns the results in what a program of tests has printed.
func (t *tests) resultsOf(ctx context.Context, p testprograms.Package, output io.Reader) (results, error) {
	convert := exec.CommandContext(ctx, "go", "tool", "test2json", "-p", p.Name)
	convert.Stdin = output
	events, err := convert.Output()
	if err != nil {
		return nil, fmt.Errorf("go tool test2json: %w", err)
	}
	return readEvents(bytes.NewReader(events))
}

// keepOutput writes the output of failed tests into a file.
func (t *tests) keepOutput(c candidate, p testprograms.Package, output []byte) error {
	file := t.file(c, p, ".txt")
	t.say("  FAILED: see %s", file)
	return os.WriteFile(file, output, 0o600)
}

// file returns where something of a package with a CLI is kept.
func (t *tests) file(c candidate, p testprograms.Package, suffix string) string {
	name := strings.NewReplacer(" ", "-", "/", "-").Replace(c.title + " " + p.Name)
	return filepath.Join(t.programs.Folder(), name+suffix)
}

func (t *tests) say(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format+"\n", args...) }
