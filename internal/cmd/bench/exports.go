// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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

// exportTF is a configuration that exports var.day into the file "day".
//
//go:embed export.tf
var exportTF []byte

// exportDay is a service with a large day, and a folder to export it into.
type exportDay struct {
	bench   *bench
	service *stage.Service
	tf      terraformcli.CLI
}

// exportRun is one export, as it was measured.
type exportRun struct {
	cost

	size int64 // of the file, in bytes
}

// way is one way to get a day into a file.
type way struct {
	name string
	run  func(context.Context) (exportRun, error)
}

// exports measures how fast a large day gets into a file, and in how much memory.
func exports(ctx context.Context, b *bench) (fmt.Stringer, error) {
	day, err := b.exportDay(ctx, b.records)
	if err != nil {
		return nil, err
	}

	ways := day.ways()
	best := make([]exportRun, len(ways))
	for round := range exportRounds {
		b.note("exporting %s events in every way, round %d of %d ...", thousands(b.records), round+1, exportRounds)
		for i, w := range ways {
			run, err := w.run(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			best[i].take(run.cost)
			best[i].size = run.size
		}
	}

	tenfold, err := b.exportTenfold(ctx)
	if err != nil {
		return nil, err
	}

	return exportGrid(b.records, ways, best, tenfold), nil
}

// ways returns what is compared. exportGrid wants curl first, curl with gzip second and
// the day without records last.
func (e *exportDay) ways() []way {
	curl := func(to string) func(context.Context) (exportRun, error) {
		return func(ctx context.Context) (exportRun, error) { return e.curl(ctx, to) }
	}
	apply := func(day, compression string) func(context.Context) (exportRun, error) {
		return func(ctx context.Context) (exportRun, error) { return e.apply(ctx, day, compression) }
	}

	return []way{
		{"curl -o", curl("-o day")},
		{"curl | gzip", curl("| gzip > day")},
		{"analytics_export_file", apply(fullDay, "none")},
		{"the same, gzip", apply(fullDay, "gzip")},
		{"the same, zstd", apply(fullDay, "zstd")},
		{"the same, a day without records", apply(emptyDay, "none")},
	}
}

// exportTenfold measures one export of ten times the day.
func (b *bench) exportTenfold(ctx context.Context) (exportRun, error) {
	b.note("exporting %s events ...", thousands(10*b.records))
	day, err := b.exportDay(ctx, 10*b.records)
	if err != nil {
		return exportRun{}, err
	}
	return day.apply(ctx, fullDay, "none")
}

// exportGrid sets the ways side by side. The net throughput, in bytes of what curl
// receives, leaves out what Terraform takes for a day without records.
func exportGrid(records int, ways []way, best []exportRun, tenfold exportRun) grid {
	payload, terraform := float64(best[0].size), best[len(best)-1].wall
	curl, packed := best[0].wall, best[1].wall
	g := grid{
		title:  fmt.Sprintf("A day of %s events, %.0f MB", thousands(records), payload/1e6),
		head:   []string{"", "wall time", "without Terraform's own", "MB/s", "to curl -o", "to curl | gzip", "peak memory of the provider"},
		remark: "The best of " + strconv.Itoa(exportRounds) + " rounds, the ways in turn. 100% is as fast, more is faster. The provider checks every record, hashes and syncs the file; curl does neither.",
	}

	for i, w := range ways {
		line := []string{w.name, inSeconds(best[i].wall.Seconds()), "", "", "", "", shown(best[i].memory, inMegabytes)}
		net := best[i].wall
		if i > 1 {
			net -= terraform
		}
		if i < len(ways)-1 {
			line[2], line[3] = inSeconds(net.Seconds()), rate(payload, net)
			line[4], line[5] = percent(curl, net), percent(packed, net)
		}
		g.rows = append(g.rows, line)
	}

	net := tenfold.wall - terraform
	g.rows = append(g.rows, []string{
		"ten times the day", inSeconds(tenfold.wall.Seconds()), inSeconds(net.Seconds()),
		rate(float64(tenfold.size), net), "", "", shown(tenfold.memory, inMegabytes),
	})

	return g
}

// rate returns megabytes per second.
func rate(size float64, taken time.Duration) string {
	return fmt.Sprintf("%.0f", size/1e6/taken.Seconds())
}

func percent(of, taken time.Duration) string {
	return fmt.Sprintf("%.0f%%", 100*of.Seconds()/taken.Seconds())
}

func (b *bench) exportDay(ctx context.Context, records int) (*exportDay, error) {
	seed, err := b.stage.Write("export-seed.json", []byte(emptySeed))
	if err != nil {
		return nil, err
	}
	service, err := b.stage.Start(ctx, "-seed", seed, "-export-records", strconv.Itoa(records))
	if err != nil {
		return nil, err
	}

	files := map[string][]byte{"main.tf": exportTF}
	tf, err := b.initialize(ctx, "exports-"+strconv.Itoa(records), files, service.Environment())

	return &exportDay{bench: b, service: service, tf: tf}, err
}

// apply exports with the provider.
func (e *exportDay) apply(ctx context.Context, day, compression string) (exportRun, error) {
	cost, err := e.bench.measured(ctx, e.tf, "Resources: 1 added", "apply", "-auto-approve", "-var=day="+day, "-var=compression="+compression)
	if err != nil {
		return exportRun{}, err
	}

	size, err := e.removeFile()
	if err != nil {
		return exportRun{}, err
	}

	return exportRun{cost, size}, os.Remove(filepath.Join(e.tf.Dir, "terraform.tfstate"))
}

// curl exports with a shell: to is what takes the answer.
func (e *exportDay) curl(ctx context.Context, to string) (exportRun, error) {
	if _, err := exec.LookPath("curl"); err != nil {
		return exportRun{}, errors.New("curl is not on PATH, and is what is compared with")
	}

	address := e.service.BaseURL() + "/v1/org/org-bench/project/web/export?utcDate=" + fullDay + "&apiSecretToken=bench-key"
	cmd := exec.CommandContext(ctx, "sh", "-c", "curl -sSf '"+address+"' "+to)
	cmd.Dir, cmd.Stderr = e.tf.Dir, io.Discard
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return exportRun{}, err
	}
	wall := time.Since(began)

	size, err := e.removeFile()

	return exportRun{cost{wall: wall, memory: unknown}, size}, err
}

// removeFile removes the exported file and returns its size.
func (e *exportDay) removeFile() (int64, error) {
	file := filepath.Join(e.tf.Dir, "day")
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return info.Size(), os.Remove(file)
}
