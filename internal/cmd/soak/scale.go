package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/peak"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// scaleLimit ends a command of Terraform that hangs.
const scaleLimit = 3 * time.Hour

// recordsPerGibibyte is how many of the mock server's events make 1 GiB.
const recordsPerGibibyte = 2_700_000

// The configurations of the large batch and of the large day.
var (
	//go:embed batch.tf
	batchTF []byte
	//go:embed day.tf
	dayTF []byte
)

// once returns the tasks that are done once: what only a real Terraform shows, all tests at
// their large sizes, and the parsers.
func (s *soaking) once() []task {
	var list []task
	if s.Rows > 0 {
		list = append(list, task{name: "batch of " + thousands(s.Rows) + " rows", run: func(ctx context.Context, _ uint64) (step, error) { return largeBatch(ctx, s.Rows) }})
	}
	if s.Gibibytes > 0 {
		list = append(list, task{name: "day of " + strconv.Itoa(s.Gibibytes) + " GiB", run: func(ctx context.Context, _ uint64) (step, error) { return largeDay(ctx, s.Gibibytes) }})
	}
	for _, p := range s.tests.packages {
		list = append(list, task{"tests of " + p.Title(), "all tests at their large sizes", func(ctx context.Context, seed uint64) (step, error) { return s.tests.all(ctx, p, seed) }})
	}
	for _, p := range s.tests.packages {
		for _, target := range p.Functions("Fuzz") {
			if s.Inputs == 0 {
				continue
			}
			list = append(list, task{"fuzzing " + target, "fuzzing every parser", func(ctx context.Context, _ uint64) (step, error) { return s.tests.fuzz(ctx, p, target, s.Inputs) }})
		}
	}

	return list
}

// scene is a service and a configuration for it.
type scene struct {
	stage   *stage.Stage
	service *stage.Service
	tf      terraformcli.CLI
	peak    float64 // of the provider, in bytes
}

// play builds the provider, starts a service, initializes a configuration and calls f.
func play(ctx context.Context, files map[string]func(io.Writer), flags []string, f func(context.Context, *scene) error) (sc scene, err error) {
	sc.stage, err = stage.New(ctx, "analytics-soak-")
	if sc.stage != nil {
		defer func() { err = errors.Join(err, sc.stage.Clear()) }()
	}
	if err != nil {
		return sc, err
	}

	if err := sc.stage.Build(ctx); err != nil {
		return sc, err
	}
	if sc.service, err = sc.stage.Start(ctx, flags...); err != nil {
		return sc, err
	}

	dir := ""
	for name, write := range files {
		if dir, err = sc.write(name, write); err != nil {
			return sc, err
		}
	}

	sc.tf = sc.stage.Terraform.In(dir, append(sc.service.Environment(), "ANALYTICS_ORG_ID=org-soak", "ANALYTICS_PROJECT_ID=web")...)
	sc.tf.Limit = scaleLimit
	if _, err := sc.terraform(ctx, "init"); err != nil {
		return sc, err
	}

	return sc, f(ctx, &sc)
}

// write writes a file of the configuration and returns its folder.
func (sc *scene) write(name string, write func(io.Writer)) (dir string, err error) {
	path, err := sc.stage.Write(filepath.Join("soak", name), nil)
	if err != nil {
		return "", err
	}
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}

	buffered := bufio.NewWriter(file)
	write(buffered)

	return filepath.Dir(path), errors.Join(buffered.Flush(), file.Close())
}

// terraform runs a command that has to succeed, and keeps the provider's peak.
func (sc *scene) terraform(ctx context.Context, args ...string) (terraformcli.Result, error) {
	memory := peak.Start(ctx, func(program, _ string) bool { return sc.stage.IsProvider(program) })
	res, err := sc.tf.Run(ctx, args...)
	if most := memory.Stop(); most > sc.peak {
		sc.peak = most
	}
	if err != nil {
		return res, err
	}
	if res.Code != 0 {
		return res, fmt.Errorf("terraform %s ended with status %d:\n%s", args[0], res.Code, res.Output)
	}

	return res, nil
}

// largeBatch applies a batch of so many rows, counts the updates that the service received,
// and has Terraform compare each row with the service.
func largeBatch(ctx context.Context, rows int) (step, error) {
	got := step{Figures: map[soak.Figure]int{}}
	requests, updates := 0, 0

	sc, err := play(ctx, map[string]func(io.Writer){"main.tf": text(batchTF), "people.csv": people(rows)}, nil, func(ctx context.Context, sc *scene) error {
		sc.service.Each(func(e stage.Entry) {
			requests++
			if e.Operation == "updateConsent" {
				updates++
			}
		})
		if _, err := sc.terraform(ctx, "apply", "-auto-approve"); err != nil {
			return err
		}
		if _, err := sc.terraform(ctx, "plan", "-detailed-exitcode"); err != nil {
			return err
		}

		return sc.service.Stop() // all lines of its log are read then
	})

	// The log names no person. As the plan is empty, each row has been written at least once.
	got.Peak = int64(sc.peak)
	got.Figures[soak.Requests] = requests
	got.Figures[soak.Lost] = max(0, rows-updates)
	got.Figures[soak.Duplicated] = max(0, updates-rows)

	return got, err
}

// largeDay exports a day of so many GiB into a file, and counts the records.
func largeDay(ctx context.Context, gibibytes int) (step, error) {
	got := step{Figures: map[soak.Figure]int{}}
	records := gibibytes * recordsPerGibibyte
	flags := []string{"-export-records", strconv.Itoa(records)}

	sc, err := play(ctx, map[string]func(io.Writer){"main.tf": text(dayTF)}, flags, func(ctx context.Context, sc *scene) error {
		if _, err := sc.terraform(ctx, "apply", "-auto-approve"); err != nil {
			return err
		}
		res, err := sc.terraform(ctx, "output", "-json", "records")
		if err != nil {
			return err
		}

		var exported int
		if err := json.Unmarshal([]byte(res.Stdout), &exported); err != nil {
			return err
		}
		got.Figures[soak.Lost] = max(0, records-exported)
		got.Figures[soak.Duplicated] = max(0, exported-records)
		got.Figures[soak.Requests] = len(sc.service.Entries())

		return nil
	})
	got.Peak = int64(sc.peak)

	return got, err
}

func text(content []byte) func(io.Writer) {
	return func(w io.Writer) { _, _ = w.Write(content) }
}

// people returns a function that writes the file of a batch with n rows.
func people(n int) func(io.Writer) {
	return func(w io.Writer) {
		_, _ = io.WriteString(w, "identity_id,"+strings.Join([]string{"clause_1_consent", "clause_2_consent", "clause_3_consent", "clause_4_consent", "clause_5_consent"}, ",")+",agreement_time\n")
		for i := range n {
			_, _ = fmt.Fprintf(w, "user-%07d@example.com,true,true,%t,%t,false,2026-02-01T08:00:00Z\n", i, i%2 == 0, i%3 == 0)
		}
	}
}
