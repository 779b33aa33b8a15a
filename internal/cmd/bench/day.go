// SPDX-License-Identifier: MPL-2.0

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

const (
	// dayRounds is how often every way is measured, all ways in turn, so that a slow
	// moment of the machine meets them alike.
	dayRounds = 3

	fullDay  = "2026-03-01"
	emptyDay = "2026-03-02"

	// emptySeed is a day without records: what Terraform itself takes.
	emptySeed = `{"secret_keys":["bench-key"],"exports":[{"org_id":"` + org + `","project_id":"` + project + `","utc_date":"` + emptyDay + `"}]}`
)

// exportTF is a configuration that exports var.day into the file "day".
//
//go:embed export.tf
var exportTF []byte

// way is one way to get a day into a file.
type way struct {
	name string
	// shell is what takes the answer of curl. Where it is empty, the provider exports day
	// with a compression.
	shell            string
	day, compression string
}

// ways are what is compared. dayGrid wants curl first, curl with gzip second and the day
// without records last.
var ways = []way{
	{name: "curl -o", shell: "-o day"},
	{name: "curl | gzip", shell: "| gzip > day"},
	{name: "analytics_export_file", day: fullDay, compression: "none"},
	{name: "the same, gzip", day: fullDay, compression: "gzip"},
	{name: "the same, zstd", day: fullDay, compression: "zstd"},
	{name: "the same, a day without records", day: emptyDay, compression: "none"},
}

// exported is a day in a file, as it was measured.
type exported struct {
	cost

	size int64 // of the file, in bytes
}

// exports measures how fast a large day gets into a file, and in how much memory.
func exports(ctx context.Context, b *bench) (grid, error) {
	best, err := b.exportDay(ctx, b.records, dayRounds, ways)
	if err != nil {
		return grid{}, err
	}
	tenfold, err := b.exportDay(ctx, 10*b.records, 1, []way{{day: fullDay, compression: "none"}})
	if err != nil {
		return grid{}, err
	}

	return dayGrid(b.records, best, tenfold[0]), nil
}

// exportDay exports a day of so many records in several ways and rounds, and returns the
// best of each way.
func (b *bench) exportDay(ctx context.Context, records, rounds int, ways []way) (best []exported, err error) {
	seed := filepath.Join(b.root, "export-seed.json")
	if err := os.WriteFile(seed, []byte(emptySeed), 0o600); err != nil {
		return nil, err
	}
	s, err := b.serve(ctx, "-seed", seed, "-export-records", strconv.Itoa(records))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	tf, err := b.initialize(ctx, map[string][]byte{"main.tf": exportTF}, s.variables())
	if err != nil {
		return nil, err
	}

	best = make([]exported, len(ways))
	for round := range rounds {
		b.note("exporting %s events, round %d of %d ...", humanize.Comma(int64(records)), round+1, rounds)
		for i, w := range ways {
			got, err := b.export(ctx, s, tf, w)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			best[i].take(got.cost)
			best[i].size = got.size
		}
	}

	return best, nil
}

// export exports a day in one way, and removes the file.
func (b *bench) export(ctx context.Context, s *service, tf terraformcli.CLI, w way) (got exported, err error) {
	if w.shell == "" {
		got.cost, err = b.measured(ctx, tf, "Resources: 1 added", "apply", "-auto-approve", "-var=day="+w.day, "-var=compression="+w.compression)
	} else {
		address := s.environment["ANALYTICS_BASE_URL"] + "/v1/org/" + org + "/project/" + project + "/export?utcDate=" + fullDay + "&apiSecretToken=bench-key"
		cmd := exec.CommandContext(ctx, "sh", "-c", "curl -sSf '"+address+"' "+w.shell)
		cmd.Dir, cmd.Stderr = tf.Dir, io.Discard
		began := time.Now()
		err = cmd.Run()
		got.wall, got.memory = time.Since(began), math.NaN()
	}
	if err != nil {
		return got, err
	}

	file := filepath.Join(tf.Dir, "day")
	info, err := os.Stat(file)
	if err != nil {
		return got, err
	}
	got.size = info.Size()

	return got, errors.Join(os.Remove(file), os.RemoveAll(filepath.Join(tf.Dir, "terraform.tfstate")))
}

// dayGrid sets the ways side by side. The net throughput, in bytes of what curl receives,
// leaves out what Terraform takes for a day without records.
func dayGrid(records int, best []exported, tenfold exported) grid {
	payload, terraform := float64(best[0].size), best[len(best)-1].wall
	curl, packed := best[0].wall, best[1].wall
	rate := func(size float64, took time.Duration) string { return fmt.Sprintf("%.0f", size/1e6/took.Seconds()) }
	percent := func(of, took time.Duration) string { return fmt.Sprintf("%.0f%%", 100*of.Seconds()/took.Seconds()) }
	g := grid{
		title: fmt.Sprintf("A day of %s events, %.0f MB", humanize.Comma(int64(records)), payload/1e6),
		head:  []string{"", "wall time", "without Terraform's own", "MB/s", "to curl -o", "to curl | gzip", "peak memory of the provider"},
		remark: "The best of " + strconv.Itoa(dayRounds) + " rounds, the ways in turn. 100% is as fast, more is faster. " +
			"The provider checks every record, hashes and syncs the file; curl does neither.",
	}

	for i, w := range ways {
		line := []string{w.name, seconds(best[i].wall), "", "", "", "", bytesIn("MB", 1e6, best[i].memory)}
		net := best[i].wall
		if w.shell == "" {
			net -= terraform
		}
		if i < len(ways)-1 {
			line[2], line[3] = seconds(net), rate(payload, net)
			line[4], line[5] = percent(curl, net), percent(packed, net)
		}
		g.rows = append(g.rows, line)
	}

	net := tenfold.wall - terraform
	g.rows = append(g.rows, []string{
		"ten times the day", seconds(tenfold.wall), seconds(net), rate(float64(tenfold.size), net), "", "", bytesIn("MB", 1e6, tenfold.memory),
	})

	return g
}
