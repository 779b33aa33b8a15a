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
	"slices"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/terraformcli"
)

const (
	// dayRounds is how often every way is measured, all ways of a shape in turn, so that a slow
	// moment of the machine meets them alike.
	dayRounds = 5

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
	name  string
	shape string // of the answer
	// shell is what takes the answer: curl, or the bare loop. Where it is empty, the provider exports
	// day with a compression.
	shell            string
	day, compression string
}

// The commands of the ways that need no provider. $ADDRESS is that of the day.
const (
	byCurl = "curl -sSf \"$ADDRESS\" -o day"
	byLoop = "\"$BARELOOP\" \"$ADDRESS\" \"$SHAPE\" day"
)

// bareLoop is the name of what each way of a shape is compared with.
const bareLoop = "the bare loop"

// ways are what is compared. The first one of each shape is curl or the bare loop, and the last way
// is the day without records, which is Terraform's own share.
var ways = []way{
	{name: "curl -o", shape: "object", shell: byCurl},
	{name: bareLoop, shape: "object", shell: byLoop},
	{name: "analytics_export_file", shape: "object", day: fullDay, compression: "none"},
	{name: "the same, gzip", shape: "object", day: fullDay, compression: "gzip"},
	{name: "the same, zstd", shape: "object", day: fullDay, compression: "zstd"},
	{name: bareLoop, shape: "array", shell: byLoop},
	{name: "analytics_export_file", shape: "array", day: fullDay, compression: "none"},
	{name: bareLoop, shape: "ndjson", shell: byLoop},
	{name: "analytics_export_file", shape: "ndjson", day: fullDay, compression: "none"},
	{name: "the same, a day without records", shape: "ndjson", day: emptyDay, compression: "none"},
}

// exported is a day in a file, as it was measured.
type exported struct {
	cost

	size int64 // of the file, in bytes
}

// exports measures how fast a large day gets into a file, and in how much memory.
func exports(ctx context.Context, b *bench) (grid, error) {
	b.bareLoop = filepath.Join(b.root, "bareloop"+terraformcli.ExeSuffix())
	if err := terraformcli.Build(ctx, b.bareLoop, terraformcli.ModulePath+"/internal/cmd/bareloop"); err != nil {
		return grid{}, err
	}

	var all []exported
	for _, shape := range []string{"object", "array", "ndjson"} {
		of, err := b.exportDay(ctx, b.records, dayRounds, slices.DeleteFunc(slices.Clone(ways), func(w way) bool { return w.shape != shape }))
		if err != nil {
			return grid{}, err
		}
		all = append(all, of...)
	}
	tenfold, err := b.exportDay(ctx, 10*b.records, 1, []way{{shape: "object", day: fullDay, compression: "none"}})
	if err != nil {
		return grid{}, err
	}

	return dayGrid(b.records, all, tenfold[0]), nil
}

// exportDay exports a day of so many records in several ways of one shape and rounds, and returns the
// median of each way.
func (b *bench) exportDay(ctx context.Context, records, rounds int, ways []way) (medians []exported, err error) {
	seed := filepath.Join(b.root, "export-seed.json")
	if err := os.WriteFile(seed, []byte(emptySeed), 0o600); err != nil {
		return nil, err
	}
	s, err := b.serve(ctx, "-seed", seed, "-export-records", strconv.Itoa(records), "-export-shape", ways[0].shape)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	tf, err := b.initialize(ctx, map[string][]byte{"main.tf": exportTF}, s.variables())
	if err != nil {
		return nil, err
	}

	measured := make([][]exported, len(ways))
	for round := range rounds {
		b.note("exporting %s events as %s, round %d of %d ...", humanize.Comma(int64(records)), ways[0].shape, round+1, rounds)
		for i, w := range ways {
			got, err := b.export(ctx, s, tf, w)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", w.name, err)
			}
			measured[i] = append(measured[i], got)
		}
	}
	for _, of := range measured {
		medians = append(medians, medianOf(of))
	}

	return medians, nil
}

// medianOf returns the medians of time and CPU time, and the highest peak.
func medianOf(all []exported) exported {
	median := all[0]
	var walls, cpus []time.Duration
	for _, e := range all {
		walls, cpus = append(walls, e.wall), append(cpus, e.cpu)
		median.memory = max(median.memory, e.memory)
	}
	slices.Sort(walls)
	slices.Sort(cpus)
	median.wall, median.cpu = walls[len(walls)/2], cpus[len(cpus)/2]

	return median
}

// export exports a day in one way, and removes the file.
func (b *bench) export(ctx context.Context, s *service, tf terraformcli.CLI, w way) (got exported, err error) {
	if w.shell == "" {
		got.cost, err = b.measured(ctx, tf, "Resources: 1 added", "apply", "-auto-approve", "-var=day="+w.day, "-var=compression="+w.compression)
	} else {
		cmd := exec.CommandContext(ctx, "sh", "-c", w.shell)
		cmd.Dir, cmd.Stderr = tf.Dir, io.Discard
		cmd.Env = append(os.Environ(), "BARELOOP="+b.bareLoop, "SHAPE="+w.shape,
			"ADDRESS="+s.environment["ANALYTICS_BASE_URL"]+"/v1/org/"+org+"/project/"+project+"/export?utcDate="+fullDay+"&apiSecretToken=bench-key")
		began := time.Now()
		err = cmd.Run()
		got.wall, got.memory = time.Since(began), math.NaN()
		got.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
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

// dayGrid sets the ways side by side. What is net leaves out what Terraform takes for a day without
// records.
func dayGrid(records int, medians []exported, tenfold exported) grid {
	payload, terraform := float64(medians[0].size), medians[len(medians)-1].cost
	rate := func(size float64, took time.Duration) string { return fmt.Sprintf("%.0f", size/1e6/took.Seconds()) }
	times := func(took, of time.Duration) string { return fmt.Sprintf("%.2f", took.Seconds()/of.Seconds()) }
	g := grid{
		title: fmt.Sprintf("A day of %s events, %.0f MB", humanize.Comma(int64(records)), payload/1e6),
		head:  []string{"", "answer", "wall time", "net", "CPU time, net", "MB/s", "time to the bare loop", "CPU to the bare loop", "peak memory of the provider"},
		remark: "Medians of " + strconv.Itoa(dayRounds) + " rounds, the ways of a shape in turn. Net is without what Terraform takes for a day without records. " +
			"The bare loop is a program of one page for one shape (`internal/cmd/bareloop`): it checks the JSON, hashes and syncs the file, and knows no other shape, no end that is not proven, and no record from an error.",
	}

	loops := map[string]exported{}
	for i, w := range ways {
		if w.name == bareLoop {
			loops[w.shape] = medians[i]
		}
	}
	for i, w := range ways {
		line := []string{w.name, w.shape, seconds(medians[i].wall), "", "", "", "", "", bytesIn("MB", 1e6, medians[i].memory)}
		wall, cpu := medians[i].wall, medians[i].cpu
		if w.shell == "" {
			wall, cpu = wall-terraform.wall, cpu-terraform.cpu
		}
		if loop := loops[w.shape]; i < len(ways)-1 {
			line[3], line[4], line[5] = seconds(wall), seconds(cpu), rate(payload, wall)
			line[6], line[7] = times(wall, loop.wall), times(cpu, loop.cpu)
		}
		g.rows = append(g.rows, line)
	}

	wall, cpu := tenfold.wall-terraform.wall, tenfold.cpu-terraform.cpu
	g.rows = append(g.rows, []string{
		"ten times the day", "object", seconds(tenfold.wall), seconds(wall), seconds(cpu), rate(float64(tenfold.size), wall), "", "", bytesIn("MB", 1e6, tenfold.memory),
	})

	return g
}
