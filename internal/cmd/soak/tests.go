package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/testprograms"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// exploration is a property test, and how many random schedules a round of it has.
type exploration struct {
	name, pkg, test string
	schedules       int
}

// title returns the name of the exploration as a step.
func (e exploration) title() string { return "exploring " + e.name }

// random is what a test program takes its random schedules from.
type random struct {
	seed      uint64
	schedules int
}

var explorations = []exploration{
	{"applies of any objects", "internal/provider", "TestProvider_convergesUnderRandomFaults", 20},
	{"lives of any objects", "internal/provider", "TestProvider_livesUnderFaultsPeopleInterruptsAndKills", 100},
	{"batches", "internal/consentbatch", "TestConsentBatch_convergesUnderRandomFaults", 5},
	{"failing rows", "internal/consentbatch", "TestOutage_anyPatternOfFailingRows", 500},
	{"queued requests", "internal/deferred", "TestDeferred_randomFaultsLoseNothingAndSendNothingTwice", 100},
	{"updates of consent", "internal/client", "TestConsent_randomFaultsConvergeWithoutOverwriting", 40},
	{"choices during an update", "internal/client", "TestAdmission_property", 400},
	{"writes and withdrawals", "internal/tfkit", "TestWritten_property", 4000},
}

const (
	// fewSchedules is how many random schedules a property test has where all tests run.
	fewSchedules = 4

	// timeLimit ends a process of tests that hangs.
	timeLimit = "3h"
)

// tests are the test programs of all packages. Each is built when it is first run.
type tests struct {
	programs *testprograms.Programs
	provider string
	packages []testprograms.Package
}

// prepare finds the packages, and builds the provider that the CLI starts.
func (t *tests) prepare(ctx context.Context, s settings, folder string) (err error) {
	if t.programs, err = testprograms.New(folder, s.Race); err != nil {
		return err
	}
	if t.packages, err = testprograms.List(ctx); err != nil {
		return err
	}

	t.provider, err = t.programs.Provider(ctx)

	return err
}

// explore runs a round of an exploration.
func (t *tests) explore(ctx context.Context, e exploration, seed uint64) (step, error) {
	for _, p := range t.packages {
		if p.Name == e.pkg {
			return t.process(ctx, p, random{seed, e.schedules}, "-test.run=^"+e.test+"$")
		}
	}
	return step{}, fmt.Errorf("there is no package %s", e.pkg)
}

// all runs all tests of a package at their large sizes.
func (t *tests) all(ctx context.Context, p testprograms.Package, seed uint64) (step, error) {
	return t.process(ctx, p, random{seed, fewSchedules}, "-test.shuffle=on", "-test.parallel=8")
}

// fuzz gives a parser so many inputs. What breaks it stays below testdata/fuzz, where every
// later test meets it.
func (t *tests) fuzz(ctx context.Context, p testprograms.Package, target string, inputs int) (step, error) {
	cmd := terraformcli.GroupCommand(ctx, "go", "test", "-run=^$", "-fuzz=^"+target+"$", "-fuzztime="+strconv.Itoa(inputs)+"x", "./"+p.Name)
	output, failed, err := testprograms.Run(cmd)
	if err != nil || failed == nil {
		return step{}, err
	}

	f, err := t.keepOutput(0, output)

	return step{Failed: []failure{f}}, err
}

// process runs a test program in a temporary folder of its own, and looks at what it
// leaves: goroutines, which its goleak reports, and files.
func (t *tests) process(ctx context.Context, p testprograms.Package, r random, args ...string) (step, error) {
	program, err := t.programs.Tests(ctx, p)
	if err != nil {
		return step{}, err
	}
	temporary, err := temporaryFolder()
	if err != nil {
		return step{}, err
	}
	defer os.RemoveAll(temporary)

	figures := temporary + ".figures"
	defer os.Remove(figures)

	cmd := terraformcli.GroupCommand(ctx, program, append(args, "-test.timeout="+timeLimit)...)
	cmd.Dir = p.Dir
	cmd.Env = append(os.Environ(), "SOAK=1", "TF_ACC=1", "TF_ACC_PROVIDER_BINARY="+t.provider, "TMPDIR="+temporary,
		"SOAK_FIGURES="+figures, "SOAK_SCHEDULES="+strconv.Itoa(r.schedules), "SOAK_SEED="+strconv.FormatUint(r.seed, 10))

	return t.judged(cmd, r.seed, temporary, figures)
}

// temporaryFolder makes a folder with a short name: the sockets of plugins are inside of the
// folders of tests, and the system limits the length of their path to about 100 characters.
func temporaryFolder() (string, error) {
	for i := 0; ; i++ {
		dir := filepath.Join(os.TempDir(), "s"+strconv.Itoa(i))
		if err := os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

// judged runs a test program and returns what it counted and what it left.
func (t *tests) judged(cmd *exec.Cmd, seed uint64, temporary, figures string) (step, error) {
	output, failed, err := testprograms.Run(cmd)
	if err != nil {
		return step{}, err
	}

	got := step{Processes: 1, Peak: peakOf(cmd.ProcessState)}
	if got.Figures, err = readFigures(figures); err != nil {
		return got, err
	}
	if got.Files, err = filesIn(temporary); err != nil {
		return got, err
	}
	if bytes.Contains(output, []byte("goleak: ")) {
		got.Leaking = 1
	}

	if failed != nil || got.Files > 0 {
		f, err := t.keepOutput(seed, output)
		got.Failed = append(got.Failed, f)
		return got, err
	}

	return got, nil
}

// keepOutput writes what a failed test program printed into a file.
func (t *tests) keepOutput(seed uint64, output []byte) (failure, error) {
	file, err := os.CreateTemp(t.programs.Folder(), "failed-*.txt")
	if err != nil {
		return failure{}, err
	}

	_, err = file.Write(output)
	return failure{Seed: seed, Output: file.Name()}, errors.Join(err, file.Close())
}

// readFigures adds up what the tests have counted in a file; nothing where there is none.
func readFigures(name string) (map[soak.Figure]int, error) {
	sum := map[soak.Figure]int{}
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return sum, nil
	}
	if err != nil {
		return nil, err
	}

	for line := range strings.Lines(string(content)) {
		figure, count, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(count)
		if err != nil {
			return nil, fmt.Errorf("a figure is damaged: %w", err)
		}
		sum[soak.Figure(figure)] += n
	}

	return sum, nil
}

// filesIn returns how many files are left in a folder.
func filesIn(dir string) (n int, _ error) {
	return n, filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			n++
		}
		return err
	})
}
