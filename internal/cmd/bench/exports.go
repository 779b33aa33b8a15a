package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/cmd/stage"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

const (
	// exportRounds is how often every way is measured, all ways in turn, so that a slow
	// moment of the machine meets them alike.
	exportRounds = 3

	fullDay  = "2026-03-01"
	emptyDay = "2026-03-02"
)

// emptySeed is a day without records: what Terraform itself takes.
const emptySeed = `{"secret_keys":["bench-key"],"exports":[{"org_id":"org-bench","project_id":"web","utc_date":"` + emptyDay + `"}]}`

const exportTF = `terraform {
  required_providers {
    analytics = {
      source = "terraform-analytics/analytics"
    }
  }
}

provider "analytics" {
  org_id     = "org-bench"
  project_id = "web"
}

variable "day" {}
variable "compression" {}

resource "analytics_export_file" "day" {
  utc_date    = var.day
  compression = var.compression
  path        = "day"
}
`

// way is one way to get a day into a file.
type way struct {
	name string
	run  func(context.Context) (exportRun, error)
}

// exportRun is one export, as it was measured.
type exportRun struct {
	wall   time.Duration
	size   int64   // of the file, in bytes
	memory float64 // of the provider, in bytes; not a number where there is none
}

// exports measures how fast a large day gets into a file, and in how much memory.
func exports(ctx context.Context, b *bench) (fmt.Stringer, error) {
	day, err := b.exportBench(ctx, b.records)
	if err != nil {
		return nil, err
	}
	ways := []way{
		{"curl -o", func(ctx context.Context) (exportRun, error) { return day.curl(ctx, "-o day") }},
		{"curl | gzip", func(ctx context.Context) (exportRun, error) { return day.curl(ctx, "| gzip > day") }},
		{"analytics_export_file", func(ctx context.Context) (exportRun, error) { return day.apply(ctx, fullDay, "none") }},
		{"the same, gzip", func(ctx context.Context) (exportRun, error) { return day.apply(ctx, fullDay, "gzip") }},
		{"the same, zstd", func(ctx context.Context) (exportRun, error) { return day.apply(ctx, fullDay, "zstd") }},
		{"the same, a day without records", func(ctx context.Context) (exportRun, error) { return day.apply(ctx, emptyDay, "none") }},
	}
	best := make([]exportRun, len(ways))
	for round := range exportRounds {
		b.note("exporting %s events in every way, round %d of %d ...", thousands(b.records), round+1, exportRounds)
		for i, w := range ways {
			run, err := w.run(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			if best[i].wall == 0 || run.wall < best[i].wall {
				best[i].wall = run.wall
			}
			best[i].size, best[i].memory = run.size, max(best[i].memory, run.memory)
		}
	}
	tenfold, err := b.tenTimes(ctx)
	if err != nil {
		return nil, err
	}
	return exportGrid(b.records, ways, best, tenfold), nil
}

// tenTimes is one export of ten times the day.
func (b *bench) tenTimes(ctx context.Context) (exportRun, error) {
	b.note("exporting %s events ...", thousands(10*b.records))
	day, err := b.exportBench(ctx, 10*b.records)
	if err != nil {
		return exportRun{}, err
	}
	return day.apply(ctx, fullDay, "none")
}

// exportGrid sets the ways side by side. What Terraform takes for a day without
// records is taken off the provider's times for the net throughput, in bytes of what
// curl receives.
func exportGrid(records int, ways []way, best []exportRun, tenfold exportRun) grid {
	payload, terraform := float64(best[0].size), best[len(best)-1].wall
	g := grid{
		title: fmt.Sprintf("A day of %s events, %.0f MB", thousands(records), payload/1e6),
		head:  []string{"", "wall time", "without Terraform's own", "MB/s", "to curl -o", "to curl | gzip", "peak memory of the provider"},
	}
	curl, packed := best[0].wall, best[1].wall
	for i, w := range ways {
		line := []string{w.name, inSeconds(best[i].wall.Seconds()), "", "", "", "", shown(best[i].memory, inMegabytes)}
		net := best[i].wall
		if i > 1 {
			net -= terraform
		}
		if i < len(ways)-1 {
			line[2], line[3] = inSeconds(net.Seconds()), fmt.Sprintf("%.0f", payload/1e6/net.Seconds())
			line[4], line[5] = percent(curl, net), percent(packed, net)
		}
		g.rows = append(g.rows, line)
	}
	net := tenfold.wall - terraform
	g.rows = append(g.rows, []string{"ten times the day", inSeconds(tenfold.wall.Seconds()), inSeconds(net.Seconds()), fmt.Sprintf("%.0f", float64(tenfold.size)/1e6/net.Seconds()), "", "", shown(tenfold.memory, inMegabytes)})
	g.remark = "The best of " + strconv.Itoa(exportRounds) + " rounds, the ways in turn. 100% is as fast, more is faster. The provider checks every record, hashes and syncs the file; curl does neither."
	return g
}

func percent(of, taken time.Duration) string {
	return fmt.Sprintf("%.0f%%", 100*of.Seconds()/taken.Seconds())
}

// exportBench is a service with a large day, and a folder to export it into.
type exportBench struct {
	bench   *bench
	service *stage.Service
	tf      terraformcli.CLI
}

func (b *bench) exportBench(ctx context.Context, records int) (*exportBench, error) {
	seed, err := b.stage.Write("export-seed.json", []byte(emptySeed))
	if err != nil {
		return nil, err
	}
	service, err := b.stage.Start(ctx, "-seed", seed, "-export-records", strconv.Itoa(records))
	if err != nil {
		return nil, err
	}
	file, err := b.stage.Write(filepath.Join("exports-"+strconv.Itoa(records), "main.tf"), []byte(exportTF))
	if err != nil {
		return nil, err
	}
	e := &exportBench{bench: b, service: service, tf: b.stage.Terraform.In(filepath.Dir(file), service.Environment()...)}
	e.tf.Limit = timeLimit
	return e, expect(ctx, e.tf, "successfully initialized", "init")
}

// apply exports with the provider, and removes the file again.
func (e *exportBench) apply(ctx context.Context, day, compression string) (exportRun, error) {
	memory := e.bench.watchMemory(ctx)
	began := time.Now()
	err := expect(ctx, e.tf, "Resources: 1 added", "apply", "-auto-approve", "-var=day="+day, "-var=compression="+compression)
	run := exportRun{wall: time.Since(began), memory: memory.Stop()}
	if err != nil {
		return run, err
	}
	return e.clear(run, "terraform.tfstate")
}

// curl exports with a shell: to is what takes the answer.
func (e *exportBench) curl(ctx context.Context, to string) (exportRun, error) {
	if _, err := exec.LookPath("curl"); err != nil {
		return exportRun{}, errors.New("curl is not on PATH, and is what is compared with")
	}
	address := e.service.BaseURL() + "/v1/org/org-bench/project/web/export?utcDate=" + fullDay + "&apiSecretToken=bench-key"
	cmd := exec.CommandContext(ctx, "sh", "-c", "curl -sSf '"+address+"' "+to)
	cmd.Dir, cmd.Stderr = e.tf.Dir, io.Discard
	began := time.Now()
	err := cmd.Run()
	run := exportRun{wall: time.Since(began), memory: math.NaN()}
	if err != nil {
		return run, err
	}
	return e.clear(run)
}

// clear measures the file and removes it, and more.
func (e *exportBench) clear(run exportRun, more ...string) (exportRun, error) {
	info, err := os.Stat(filepath.Join(e.tf.Dir, "day"))
	if err != nil {
		return run, err
	}
	run.size = info.Size()
	for _, name := range slices.Concat([]string{"day"}, more) {
		err = errors.Join(err, os.Remove(filepath.Join(e.tf.Dir, name)))
	}
	return run, err
}
