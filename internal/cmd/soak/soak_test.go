package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

func TestParse_refusesWhatMakesNoSense(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"-for=0s", "-for=x", "-rows=-1", "-inputs=-1", "-gib=-1", "-only=(", "more"} {
		if got, err := parse([]string{args}, io.Discard); err == nil {
			t.Errorf("%q is accepted as %+v", args, got)
		}
	}

	got, err := parse([]string{"-for=2h", "-seed=7", "-race", "-only=batch"}, io.Discard)
	want := settings{Seed: 7, Duration: 2 * time.Hour, Race: true, Inputs: 200_000, Rows: 1_000_000, Gibibytes: 10}
	if diff := cmp.Diff(want, got.settings); diff != "" || err != nil || !got.only.MatchString("large batch") {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// fakeRun is a run whose tasks are not those of the program.
func fakeRun(t *testing.T, file string, s settings) *soaking {
	t.Helper()
	r, err := load(options{settings: s, file: file})
	if err != nil {
		t.Fatal(err)
	}
	run := &soaking{results: r, only: regexp.MustCompile(""), out: io.Discard}
	run.begin()

	return run
}

func TestRun_goesOnWhereItWasInterrupted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "soak", "soak.json")
	runs := map[string]int{}
	named := func(name string, err error) task {
		return task{name: name, run: func(context.Context, uint64) (step, error) {
			runs[name]++
			return step{Processes: 1, Peak: 5, Figures: map[soak.Figure]int{soak.Tried: 2}}, err
		}}
	}

	first := fakeRun(t, file, settings{Seed: 7, Duration: time.Hour})
	if err := first.do(t.Context(), named("done", nil)); err != nil {
		t.Fatal(err)
	}
	interrupted, stop := context.WithCancel(t.Context())
	stop()
	if err := first.do(interrupted, named("interrupted", nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("the interrupt is %v", err)
	}
	if err := first.do(t.Context(), named("broken", errors.New("no"))); err == nil {
		t.Error("a task that could not be run is done")
	}

	second := fakeRun(t, file, settings{Seed: 8, Duration: time.Minute})
	for _, name := range []string{"done", "interrupted", "broken"} {
		if err := second.do(t.Context(), named(name, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]int{"done": 1, "interrupted": 2, "broken": 2}, runs); diff != "" {
		t.Errorf("unexpected runs (-want +got):\n%s", diff)
	}
	if second.Seed != 7 || second.Duration != time.Hour || second.prior == 0 || second.total().Figures[soak.Tried] != 6 {
		t.Errorf("the second part has %+v", second.results)
	}

	second.Done = true
	if err := second.keep(); err != nil {
		t.Fatal(err)
	}
	if third := fakeRun(t, file, settings{Seed: 8}); third.Seed != 8 || len(third.Steps) != 0 {
		t.Errorf("a run that has ended goes on: %+v", third.results)
	}
}

func TestResults_failedStepsRunAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "soak.json")
	ended := &results{settings: settings{Seed: 7}, Elapsed: time.Hour, Done: true, file: file}
	ended.step("good").add(step{Runs: 1})
	ended.step("failed").add(step{Runs: 1, Failed: []failure{{Seed: 7}}})
	ended.step("leaking").add(step{Runs: 1, Leaking: 1})
	if err := ended.save(); err != nil {
		t.Fatal(err)
	}

	r, err := load(options{settings: settings{Seed: 8}, file: file, again: true})
	if err != nil || r.Seed != 7 || r.Done || len(r.Steps) != 1 || r.Steps[0].Name != "good" {
		t.Errorf("%+v is left to do, %v", r, err)
	}
}

func TestResults_damagedFileIsAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "soak.json")
	if err := os.WriteFile(file, []byte(`{"seed":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := load(options{file: file}); err == nil || !strings.Contains(err.Error(), "-restart") {
		t.Errorf("the error is %v", err)
	}
	if r, err := load(options{file: file, restart: true}); err != nil || len(r.Steps) != 0 {
		t.Errorf("-restart gives %+v, %v", r, err)
	}
}

func TestResults_tableAddsUp(t *testing.T) {
	t.Parallel()
	r := &results{settings: settings{Seed: 7}, Began: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), Elapsed: 90 * time.Second}
	r.step("one").add(step{Runs: 1, Seconds: 61, Processes: 1, Peak: 2e6, Figures: map[soak.Figure]int{soak.Tried: 1000, soak.Requests: 5}})
	r.step("two").add(step{Runs: 1, Seconds: 2, Processes: 1, Leaking: 1, Files: 2, Peak: 1e6, Failed: []failure{{}}, Figures: map[soak.Figure]int{soak.Lost: 1}})

	for _, name := range []string{"first", "second"} {
		r.step(name).add(step{Runs: 1, Processes: 1, Peak: 1e6})
		r.step(name).Group = "both"
	}

	want := `Seed 7, 1m30s, begun 2026-03-01T08:00:00Z

| step  | runs | failed | schedules | requests | lost | duplicated | overwritten | secrets | goroutines left in | files left | peak memory | time |
|:----- | ----:| ------:| ---------:| --------:| ----:| ----------:| -----------:| -------:| ------------------:| ----------:| -----------:| ----:|
| one   |    1 |      0 |     1,000 |        5 |    0 |          0 |           0 |       0 |             0 of 1 |          0 |        2 MB | 1m1s |
| two   |    1 |      1 |         0 |        0 |    1 |          0 |           0 |       0 |             1 of 1 |          2 |        1 MB |   2s |
| both  |    2 |      0 |         0 |        0 |    0 |          0 |           0 |       0 |             0 of 2 |          0 |        1 MB |   0s |
| total |    4 |      1 |     1,000 |        5 |    1 |          0 |           0 |       0 |             1 of 4 |          2 |        2 MB | 1m3s |
`
	if diff := cmp.Diff(want, r.String()); diff != "" {
		t.Errorf("unexpected table (-want +got):\n%s", diff)
	}
	if n := r.total().broken(); n != 5 {
		t.Errorf("%d promises are broken", n)
	}
}

func TestFigures_areAddedUp(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "figures")
	if err := os.WriteFile(file, []byte("schedules 2\nlost 1\nschedules 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	got, err := readFigures(file)
	if diff := cmp.Diff(map[soak.Figure]int{soak.Tried: 5, soak.Lost: 1}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	if none, err := readFigures(file + ".none"); len(none) != 0 || err != nil {
		t.Errorf("without a file there are %v, %v", none, err)
	}
}

// TestExplorations_areTests checks that a test that was renamed is renamed here too.
func TestExplorations_areTests(t *testing.T) {
	t.Parallel()
	for _, e := range explorations {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", filepath.FromSlash(e.pkg), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}

		found := false
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(content), "func "+e.test+"(t *testing.T)")
		}
		if !found {
			t.Errorf("%s has no %s", e.pkg, e.test)
		}
	}
}
